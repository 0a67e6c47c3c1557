"""Reads that cost more page reads than their bytes need, since their mapping units lie in different pages."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from wordline.formatting import binary_size, size_in_bytes

if TYPE_CHECKING:
    from wordline.results import Result

SECTOR = 512
"""Bytes of a sector of the table of requests."""
WORTH_SAYING = 1.5
"""How many times the fewest possible page reads it takes to speak of them."""


def of_scatter(result: Result) -> Iterator[str]:
    """How many pages the host's reads cost, where several mapping units share a page and those of a request lie apart."""
    summary = result.summary
    units = summary.get("ftl.units_per_page")
    count = result.number("host.read.count")
    if not isinstance(units, int) or not count:
        return
    config = tomllib.loads(result.config)
    shown = config["geometry"]["page_size"]
    page = size_in_bytes(shown)
    bytes_each = result.number("host.read.bytes") / count
    least = fewest(result.requests, page)
    if bytes_each <= page / units or least is None:
        return
    # a write of part of a unit reads the rest of it, for the host too
    updates = summary.get("ftl.uncovered_updates")
    read = result.number("ftl.pages_read.host") - (updates if isinstance(updates, int) else 0)
    if read >= WORTH_SAYING * least * count:
        # units that the firmware looks up one after the other join a page read only while it waits
        apart = (
            ", or the firmware took too long for each unit to read them together"
            if config.get("firmware", {}).get("enabled")
            else ""
        )
        yield (
            f"A host read of {binary_size(bytes_each)} costs {read / count:.3g} page reads on average, where "
            f"{least:.3g} would do: preconditioning or random writes scattered its mapping units of "
            f"{binary_size(page / units)} over pages of {shown}{apart}."
        )


def fewest(requests: pl.DataFrame, page: int) -> float | None:
    """The fewest pages that hold the bytes of a read, averaged over the reads of a table; none where it has none."""
    pages = (pl.col("sectors").cast(pl.Float64) * SECTOR / page).ceil()
    mean = requests.filter(pl.col("class") == "read").select(pages.mean()).item()
    return mean if isinstance(mean, float) else None
