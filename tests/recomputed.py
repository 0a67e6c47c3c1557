"""Figures of a run, recomputed from its requests, its spans and the parts of each request."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import polars as pl
import pytest

import wordline as wl

BUCKET = 1.5e-3
"""Percentiles are known within 0.1 %; the distributions likewise."""
POINTS = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999, "p9999": 0.9999, "max": 1.0}
PARTS = {
    "array": "array time",
    "transfer": "command and data transfer",
    "space": "waiting for a free block",
    "order": "waiting for its turn",
    "same_page": "waiting for an earlier write of the page",
    "memory": "controller memory",
}
HOLDERS = {
    "host_read": "host reads",
    "host_write": "host writes",
    "gc_read": "GC reads",
    "gc_program": "GC programs",
    "gc_erase": "GC erases",
}


def total(column: pl.Series) -> float:
    """The sum of a column of numbers."""
    return float(sum(column.to_list()))


def highest(column: pl.Series) -> float:
    """The largest number of a column."""
    return float(max(column.to_list()))


def moved_bytes(result: wl.Result) -> float:
    """Bytes that the host read and wrote."""
    return 512 * total(result.requests.filter(pl.col("class").is_in(["read", "write"]))["sectors"])


def end_ns(result: wl.Result) -> float:
    """The end of the last span."""
    return highest(result.timeline["to_ns"])


def latencies(result: wl.Result, kind: str) -> list[float]:
    """The latency of every request of a class in microseconds, ascending."""
    rows = result.requests if kind == "all" else result.requests.filter(pl.col("class") == kind)
    return sorted(((rows["completed_ns"] - rows["arrival_ns"]) / 1e3).to_list())


def quantile(values: list[float], share: float) -> float:
    """The least value that this share of the values does not exceed."""
    return values[max(math.ceil(share * len(values) - 1e-9), 1) - 1]


def figures(result: wl.Result, kind: str) -> dict[str, float]:
    """Mean and percentiles of a class."""
    values = latencies(result, kind)
    return {
        "mean": sum(values) / len(values),
        **{name: quantile(values, share) for name, share in POINTS.items()},
    }


def rough(value: float) -> Any:
    """A percentile in a table."""
    return pytest.approx(value, rel=BUCKET)


def in_parts(part: str) -> str:
    """A part of the response time as the documentation calls it."""
    resource, _, holder = part.partition("_")
    return (
        f"queueing behind {HOLDERS[holder]} on the {resource}"
        if resource in ("die", "channel")
        else PARTS[part]
    )


def window_s(result: wl.Result) -> float:
    """From the first arrival to the last acknowledgement."""
    rows = result.requests
    first = float(min(rows["arrival_ns"].to_list()))
    return (highest(rows["completed_ns"]) - first) / 1e9


def spans(result: wl.Result, track: str, activity: str | None = None) -> pl.DataFrame:
    """The recorded spans of a kind."""
    found = result.timeline.filter(pl.col("track") == track)
    return found if activity is None else found.filter(pl.col("activity") == activity)


def busy(result: wl.Result, track: str, units: int) -> float:
    """Mean share of the run in which dies or channels were busy."""
    own = spans(result, track)
    return total(own["to_ns"] - own["from_ns"]) / units / end_ns(result)


EDGES = {
    "0-50 %": 5_000,
    "50-90 %": 9_000,
    "90-99 %": 9_900,
    "99-99.9 %": 9_990,
    "99.9-99.99 %": 9_999,
    "99.99-100 %": 10_000,
}
"""Bands, and the ten-thousandths of the requests at which they end."""


def like(ns: int) -> tuple[int, int]:
    """What latencies of less than 1 % difference have in common: their leading bit and the seven behind it."""
    octave = max(ns, 1).bit_length() - 1
    return octave, int(max(ns, 1) * 2**7 // 2**octave)


def bands(result: wl.Result, kind: str) -> Iterator[tuple[str, int, float, dict[str, float]]]:
    """Each band of a class: its requests, their mean latency, and the mean time in each part.

    Requests of like latency on both sides of a percentile are divided, with the mean of their parts.
    """
    slowest = result.slowest.with_row_index("row").filter(pl.col("class") == kind)
    groups: dict[tuple[int, int], list[int]] = {}
    for row, latency in slowest.select(
        "row", pl.col("completed_ns") - pl.col("arrival_ns")
    ).iter_rows():
        groups.setdefault(like(latency), []).append(row)
    left: list[tuple[int, dict[str, int]]] = []
    for group in sorted(groups):
        rows = groups[group]
        table = (
            result.slowest_parts.filter(pl.col("row").is_in(rows))
            .group_by("part")
            .agg(pl.col("ns").sum())
        )
        left.append((len(rows), dict(table.iter_rows())))
    done = 0
    for band, edge in EDGES.items():
        wanted = -(-slowest.height * edge // 10_000) - done
        done += wanted
        count, sums = wanted, dict[str, int]()
        while wanted:
            has, parts = left.pop(0)
            taken = min(has, wanted)
            wanted -= taken
            rest = {part: ns - ns * taken // has for part, ns in parts.items()}
            for part, ns in parts.items():
                sums[part] = sums.get(part, 0) + ns - rest[part]
            if taken < has:
                left.insert(0, (has - taken, rest))
        if count:
            mean = sum(sums.values()) / count / 1e3
            yield band, count, mean, {part: ns / count / 1e3 for part, ns in sums.items() if ns}
    assert done == slowest.height
