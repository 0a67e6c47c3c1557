"""The requests with which a run begins at once, and those with which it ends, where they make up the tail of a class."""

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
TAILS = ((1_000, "0.1 %", "p999_us"), (10_000, "0.01 %", "p9999_us"))
"""The tails that are looked at: one in how many requests, in words, and the percentile."""
HALF = 0.5
"""Share of the slowest 0.1 % from which on they are said to be those of the start or of the end."""


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


def of_drain(result: Result) -> Iterator[str]:
    """Which tails are those of the end: once the last request has arrived, the drive has fewer and fewer to work on at a time.

    A class whose slowest 0.1 % are not may have a slowest 0.01 % that are, of ten requests or more.
    """
    requests = result.requests
    # the table may hold the first ones only
    if requests.height < max(2, int(result.number("host.all.count"))):
        return
    last = requests.filter(pl.col("completed_ns") > pl.col("arrival_ns").max())
    for kind in KINDS:
        count = result.number(f"host.{kind}.count")
        for one_in, share, percentile in TAILS:
            slowest = count / one_in
            if count < LEAST or (one_in > LEAST and slowest < LEAST / 100):
                continue
            latency_us = (pl.col("completed_ns") - pl.col("arrival_ns")) / 1e3
            beyond = latency_us > result.number(f"host.{kind}.latency.{percentile}")
            found = last.filter((pl.col("class") == kind) & beyond).height
            if found > 1 and found >= HALF * slowest:
                yield (
                    f"Of the slowest {share} of {kind}s, {display(found)} of {display(max(found, round(slowest)))} are among the "
                    f"{display(last.height)} requests that were outstanding when the last one arrived: this tail shows the end of the "
                    "run, where no new requests keep the drive busy, not the load before it. A longer run gives it less weight "
                    "(`workload.requests`)."
                )
                break
