"""Where the reads of a load meet its writes: footprint, share of the written pages that are read, and how soon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wordline_studies.wu2013_diffecc.profiles import SECTORS

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Meeting:
    """Reads and writes of a load, page by page."""

    of_written: float
    """Share of the page reads that find a page written before in the run: WR_max."""
    written: int
    """Pages that are written."""
    writes: float
    """Writes of a written page in the run, mean."""
    read_too: float
    """Share of the written pages that are ever read."""
    soon: float
    """Requests between a page's last write and a read of it, median."""


def meeting(requests: pl.DataFrame) -> Meeting:
    """What the requests of a run have in common: a table with `number`, `class`, `sector` and `sectors`, one row for each, of reads and writes."""
    table = requests.sort("number")
    is_write = table["class"].to_numpy() == "write"
    first = table["sector"].to_numpy().astype(np.int64)
    end = first + table["sectors"].to_numpy().astype(np.int64)
    lowest = first // SECTORS
    counts = -(-end // SECTORS) - lowest
    request = np.repeat(np.arange(counts.size), counts)
    page = np.arange(request.size) - np.repeat(np.cumsum(counts) - counts, counts)
    page += np.repeat(lowest, counts)
    # by page, and of each page in the order of the requests
    order = np.argsort(page, kind="stable")
    page, request = page[order], request[order]
    written = is_write[request]
    last = np.maximum.accumulate(np.where(written, np.arange(page.size), -1))
    found = ~written & (last >= np.searchsorted(page, page, side="left"))
    pages_written, pages_read = np.unique(page[written]), np.unique(page[~written])
    soon = request[found] - request[last[found]]
    both = np.intersect1d(pages_written, pages_read, assume_unique=True).size
    return Meeting(
        of_written=float(found.sum() / max((~written).sum(), 1)),
        written=int(pages_written.size),
        writes=float(written.sum() / max(pages_written.size, 1)),
        read_too=float(both / max(pages_written.size, 1)),
        soon=float(np.median(soon)) if soon.size else 0.0,
    )
