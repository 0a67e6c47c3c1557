"""The requests with which a run begins at once, and those with which it ends, where they make up the tail of a class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from wordline.formatting import display
from wordline.parts import KINDS

if TYPE_CHECKING:
    from wordline.results import Result

LEAST = 1_000
"""Requests of a class from which on its tails are looked at."""
HALF = 0.5
"""Share of a tail from which on it is said to be that of the start or of the end."""


class Tail(NamedTuple):
    """The slowest requests of a class."""

    one_in: int
    """Of so many requests one is among them."""
    share: str
    """The same in words."""
    percentile: str
    """The summary's key of the latency that they exceed, behind that of the class."""


MILLE = Tail(1_000, "0.1 %", "p999_us")
TENTH = Tail(10_000, "0.01 %", "p9999_us")
"""Looked at where it has ten requests or more."""


def of_burst(result: Result) -> Iterator[str]:
    """Which tails are those of the start: a closed loop sends as many requests as its queue is deep at time zero, and no more than
    one at a time later.
    """
    kinds = classes(result)
    if not kinds:
        return
    first = result.requests.filter(pl.col("arrival_ns") == 0)
    if first.height < 2:
        return
    for kind in kinds:
        if said := mostly(result, first, kind, MILLE):
            yield (
                f"{said} requests that arrived together at time zero: this tail shows the start of the run, not "
                "the load that follows. To leave the start out, set `run.warm_up`."
            )


def of_drain(result: Result) -> Iterator[str]:
    """Which tails are those of the end: once the last request has arrived, the drive has fewer and fewer to work on at a time.

    A class whose slowest 0.1 % are not may have a slowest 0.01 % that are.
    """
    requests = result.requests
    # the table may hold the first ones only
    if requests.height < max(2, int(result.number("host.all.count"))):
        return
    last = requests.filter(pl.col("completed_ns") > pl.col("arrival_ns").max())
    for kind in classes(result):
        tails = [MILLE]
        if result.number(f"host.{kind}.count") >= 10 * TENTH.one_in:
            tails.append(TENTH)
        sentences = (mostly(result, last, kind, tail, least=2) for tail in tails)
        if said := next(filter(None, sentences), None):
            yield (
                f"{said} requests that were outstanding when the last one arrived: this tail shows the end of the "
                "run, where no new requests keep the drive busy, not the load before it. A longer run gives it less weight "
                "(`workload.requests`)."
            )


def classes(result: Result) -> list[str]:
    """Classes of requests that have tails."""
    return [kind for kind in KINDS if int(result.number(f"host.{kind}.count")) >= LEAST]


def mostly(
    result: Result, chosen: pl.DataFrame, kind: str, tail: Tail, least: int = 0
) -> str | None:
    """How many of a tail are among some requests, as the beginning of a sentence; nothing where fewer than half of it are, or fewer than `least`."""
    slowest = result.number(f"host.{kind}.count") / tail.one_in
    latency_us = (pl.col("completed_ns") - pl.col("arrival_ns")) / 1e3
    beyond = latency_us > result.number(f"host.{kind}.latency.{tail.percentile}")
    found = chosen.filter((pl.col("class") == kind) & beyond).height
    if found < max(least, HALF * slowest):
        return None
    return (
        f"Of the slowest {tail.share} of {kind}s, {display(found)} of {display(max(found, round(slowest)))} are among the "
        f"{display(chosen.height)}"
    )
