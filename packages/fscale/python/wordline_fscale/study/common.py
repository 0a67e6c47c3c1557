"""What the figures share: capacities, simulated throughput, lines over capacity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import altair as alt

from wordline.report.section import Row
from wordline.report.theme import data, specification
from wordline.studies.verdict import BEYOND
from wordline_fscale.drives import LargeDrive

CAPACITIES = (8, 16, 32, 64, 128)
"""Terabytes (2^40 bytes) that the source studies."""
MIXES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Shares of writes."""
WIDTH = 520
GB = 2**30
SAME = 0.01
"""Relative difference below which two simulated throughputs are the same."""


def requests(quick: bool) -> int:
    """Requests of a simulation."""
    return 6_000 if quick else 60_000


HERE = BEYOND
"""Where a claim of our own is made: the source says nothing of it."""


def drive(design: str, capacity: int, **keys: object) -> LargeDrive:
    """A drive of a capacity in TB with the controller of the source."""
    size = "1pb" if capacity == 1024 else f"{capacity}tb"
    return LargeDrive(f"{design}-{size}", **keys)


def load(writes: float, depth: int = 32) -> dict[str, object]:
    """The keys of a load."""
    return {"workload.write_fraction": writes, "workload.queue_depth": depth}


def today(design: str, capacity: int, **keys: object) -> LargeDrive:
    """A drive of a capacity in TB with the controller and the flash of today."""
    return LargeDrive(f"{design}-{capacity}tib-today", **keys)


def unit(kib: int) -> dict[str, object]:
    """The keys of a mapping unit of so many KiB: a word line of a drive of today takes 192 KiB."""
    return {"logical_page": f"{kib} KiB", "nand.logical_pages_per_program": 192 // kib}


def iops(simulated: LargeDrive, quick: bool) -> float:
    """Requests per second of a simulation."""
    found: float = simulated.simulate(requests(quick))["iops"]
    return found


def bound(drive: LargeDrive) -> float:
    """Requests per second at most, from the closed forms."""
    found: float = drive.outlook()["iops_bound"]
    return found


def rising(values: Sequence[float], margin: float = SAME) -> bool:
    """Whether no value is lower than the one before, but for a margin."""
    return all(after >= before * (1 - margin) for before, after in pairwise(values))


def falling(values: Sequence[float], margin: float = SAME) -> bool:
    """Whether each value is lower than the one before."""
    return all(after < before * (1 - margin) for before, after in pairwise(values))


def lines(
    points: Sequence[Row],
    x: tuple[str, str],
    y: tuple[str, str],
    by: str,
    *,
    log: bool = True,
    **more: Any,
) -> Mapping[str, object]:
    """Lines over one quantity.

    Args:
        points: a row for each point.
        x: the key of the quantity and its title.
        y: likewise of the height.
        by: a line for each value of this key.
        log: whether the axis of `x` is logarithmic.
        more: further encodings.
    """
    scale = alt.Scale(type="log", base=2) if log else alt.Scale()
    chart = (
        alt.Chart(data(points))
        .mark_line(point=True)
        .encode(
            x=alt.X(f"{x[0]}:Q", title=x[1], scale=scale),
            y=alt.Y(f"{y[0]}:Q", title=y[1]),
            color=alt.Color(f"{by}:N", sort=None),
            **more,
        )
        .properties(width=WIDTH, height=260)
    )
    return specification(chart)


def shown(values: Sequence[float], digits: int = 2) -> str:
    """Numbers with arrows between them."""
    return " → ".join(f"{value:.{digits}f}" for value in values)
