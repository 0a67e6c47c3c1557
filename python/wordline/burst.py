"""The requests with which a run begins at once, where they make up the tail of a class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from wordline.formatting import display
from wordline.parts import KINDS

if TYPE_CHECKING:
    from wordline.results import Result

LEAST = 1_000
"""Requests of a class from which on it has a slowest 0.1 %."""
HALF = 0.5
"""Share of the slowest 0.1 % from which on they are said to be those of the start."""


def of_burst(result: Result) -> Iterator[str]:
    """Which tails are those of the start: a closed loop sends as many requests as its queue is deep at time zero, and no more than
    one at a time later.
    """
    kinds = [kind for kind in KINDS if int(result.number(f"host.{kind}.count")) >= LEAST]
    if not kinds:
        return
    first = result.requests.filter(pl.col("arrival_ns") == 0)
    if first.height < 2:
        return
    for kind in kinds:
        slowest = result.number(f"host.{kind}.count") / 1_000
        latency_us = (pl.col("completed_ns") - pl.col("arrival_ns")) / 1e3
        beyond = latency_us > result.number(f"host.{kind}.latency.p999_us")
        found = first.filter((pl.col("class") == kind) & beyond).height
        if found >= HALF * slowest:
            yield (
                f"Of the slowest 0.1 % of {kind}s, {display(found)} of {display(max(found, round(slowest)))} are among the "
                f"{display(first.height)} requests that arrived together at time zero: this tail shows the start of the run, not "
                "the load that follows. To leave the start out, set `run.warm_up`."
            )
