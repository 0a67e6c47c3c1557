"""The laws of the loads: what is published of each trace, and where its reads and writes meet."""

from __future__ import annotations

from dataclasses import dataclass

import altair as alt
import numpy as np
from numpy.typing import NDArray

from wordline import Drive, simulate
from wordline.report.section import Figure, Row
from wordline.report.theme import data, specification
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict
from wordline_studies.cui2018_dlv.drives import ONE_CLASS, PRESET, SIZE
from wordline_studies.cui2018_dlv.loads import QUICK, REQUESTS, VOLUMES, Volume, recorded, speed_of

SECTORS = 8
"""Sectors of a page."""
NEAR = 0.02
"""How far the share of writes may be from the printed one."""


@dataclass(frozen=True)
class Meeting:
    """Where reads and writes of a run meet."""

    read_pages: int
    """Pages that are ever read."""
    written_pages: int
    """Pages that are ever written."""
    written_read: float
    """Share of the pages that are written which are also read."""
    reads_of_written: float
    """Share of the page reads that read what was written before in the run."""
    soon: float | None
    """Median of the requests since that write; `None` without such a read."""


def meeting(
    is_read: NDArray[np.bool_], sectors: NDArray[np.int64], lengths: NDArray[np.int64]
) -> Meeting:
    """Where reads and writes meet, of requests in their order: which are reads, their first sectors, and their lengths."""
    written: dict[int, int] = {}
    read: set[int] = set()
    reads, gaps = 0, []
    for number, (reading, sector, length) in enumerate(
        zip(is_read.tolist(), sectors.tolist(), lengths.tolist(), strict=True)
    ):
        for page in range(sector // SECTORS, (sector + length - 1) // SECTORS + 1):
            if not reading:
                written[page] = number
                continue
            reads += 1
            read.add(page)
            if page in written:
                gaps.append(number - written[page])
    return Meeting(
        read_pages=len(read),
        written_pages=len(written),
        written_read=len(written.keys() & read) / len(written) if written else 0.0,
        reads_of_written=len(gaps) / reads if reads else 0.0,
        soon=float(np.median(gaps)) if gaps else None,
    )


def drawn(volume: str, found: Volume, requests: int) -> tuple[float, Meeting]:
    """The share of writes of a surrogate, and where its reads and writes meet."""
    load = recorded([volume])[0].keys
    drive = Drive(
        PRESET,
        **{
            **SIZE,
            **ONE_CLASS,
            "scheduler.policy": "out_of_order",
            **{f"workload.{key}": value for key, value in load.items()},
            "workload.requests": requests,
            # addresses are looked at, and not times
            "workload.compress_time": speed_of(volume),
            "workload.profile": found.profile,
            "age.method": "fresh",
            "output.request_log": requests,
            "output.slowest": 0,
        },
    )
    table = simulate(drive, progress=False).requests.sort("number")
    is_read = (table["class"] == "read").to_numpy()
    sectors, lengths = (table[name].cast(int).to_numpy() for name in ("sector", "sectors"))
    return float(1 - is_read.mean()), meeting(is_read, sectors, lengths)


def laws(quick: bool) -> Part:
    """A row for each trace."""
    requests = QUICK if quick else REQUESTS
    rows: list[Row] = []
    close = []
    for volume, found in VOLUMES.items():
        share, met = drawn(volume, found, requests)
        close.append(abs(share - found.write_share) <= NEAR)
        rows.append(
            {
                "trace": volume,
                "writes, published": found.write_share,
                "writes": round(share, 3),
                "requests": f"×{speed_of(volume):.3g}",
                "pages read": met.read_pages,
                "pages written": met.written_pages,
                "written pages that are read, %": round(100 * met.written_read, 1),
                "page reads of what was written, %": round(100 * met.reads_of_written, 1),
                "requests since, median": met.soon,
            }
        )
    points = [
        {"trace": row["trace"], "share": row["page reads of what was written, %"]} for row in rows
    ]
    chart = (
        alt.Chart(data(points))
        .mark_bar()
        .encode(
            x=alt.X("trace:N", sort=list(VOLUMES), title=None),
            y=alt.Y("share:Q", title="page reads of what was written (%)"),
        )
        .properties(width=480, height=200)
    )
    return Part(
        "The loads",
        f"The share of writes that the source prints and that of {requests:,} requests of the surrogate, the speed of the experiments on response times, and where reads and writes meet: pages that are ever read and written, the share of the written pages that are read in the run, the share of the page reads that read what was written before in the run, and the median of the requests between. "
        "Of the excerpt of hm0 (10,000 requests) these shares are 1.8 and 26.8 %, with 2 requests between; of that of fin1 8.0 and 5.3 %, with 17. No two traces share a law: hm1 and proj3, whose printed shares are equal, have the rates of their own counts of requests, and as many addresses for each request as web2, the read-intensive volume whose addresses were counted.",
        Figure("Page reads of what was written before in the run", specification(chart), rows),
        [
            Claim(
                "The share of writes of each trace is the printed one within 0.02",
                "table III",
                f"share of writes: in {sum(close)} of {len(close)} traces",
                Verdict.of_cases(close),
                number=f"share of writes: in {sum(close)} of {len(close)} cases",
            )
        ],
        open_table=True,
    )
