"""Simulation of a load point, and its outcome: figures of the summary, and those that follow from tables of the run.

Beside keys of the summary an outcome has

* `writes_share:A:B`: writes per second from share A to share B of all writes;
* `writes_during:A:B`: writes per second from second A to second B;
* `share_below:L:S`: percent of the reads of S sectors that take less than L microseconds;
* `cliff:before`, `cliff:after`: MB/s of writes at first and at last; `cliff:at:F`: GB until the speed is nearer to the latter, over F.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import polars as pl

import wordline as wl

from .drives import Entry, scale
from .loads import Point

EDGE = 0.05
"""The share of a run whose speed is that before or after the end of the SLC cache."""


def simulate(drive: Entry, point: Point, **changed: Any) -> dict[str, float]:
    """What a drive does under a load, by key."""
    settings = {**scale(drive), "output.request_log": 0, **point.settings, **changed}
    with tempfile.TemporaryDirectory() as folder:
        if point.before is not None:
            state = Path(folder) / "state"
            before = {**scale(drive), "output.request_log": 0, **point.before}
            wl.simulate(wl.Drive.from_toml(drive.path, **before), progress=False, save_state=state)
            settings |= {"age.method": "snapshot", "age.snapshot": str(state)}
        described = wl.Drive.from_toml(drive.path, **settings)
        if point.job is None:
            result = wl.simulate(described, progress=False)
        else:
            job = Path(folder) / "load.fio"
            job.write_text(point.job, encoding="utf-8")
            result = wl.simulate(described, wl.Workload(job), progress=False)
    found = {
        key: float(value)
        for key, value in result.summary.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }
    for key in set(point.answers.values()):
        if ":" in key:
            found[key] = derived(key, result)
    return found


def derived(key: str, result: wl.Result) -> float:
    """A figure that follows from tables of the run."""
    kind, *rest = key.split(":")
    if kind == "share_below":
        limit, sectors = float(rest[0]), int(rest[1])
        reads = result.requests.filter((pl.col("class") == "read") & (pl.col("sectors") == sectors))
        took = (reads["completed_ns"] - reads["arrival_ns"]) / 1000
        return 100 * float((took < limit).sum()) / max(1, len(took))
    series = result.time_series
    if kind == "cliff":
        return slc_end(rest, series)
    begin, end = float(rest[0]), float(rest[1])
    starts = series["start_ns"] / 1e9
    ends = starts + series["width_ns"] / 1e9
    if kind == "writes_during":
        inside = (starts >= begin) & (ends <= end)
    else:
        done = series["writes"].cum_sum() / float(series["writes"].sum())
        inside = (done > begin) & (done <= end)
    some = series.filter(inside)
    return float(some["writes"].sum()) / (float(some["width_ns"].sum()) / 1e9)


def slc_end(rest: list[str], series: pl.DataFrame) -> float:
    """Speed before and after the end of the SLC cache, and where it is."""
    number = max(1, int(EDGE * len(series)))

    def speed(some: pl.DataFrame) -> float:
        return float(some["written_bytes"].sum()) / float(some["width_ns"].sum()) * 1000

    before, after = speed(series.head(number)), speed(series.slice(-2 * number, number))
    if rest[0] == "before":
        return before
    if rest[0] == "after":
        return after
    middle = (before * after) ** 0.5
    rates = series["written_bytes"] / series["width_ns"] * 1000
    # the mean of some windows: single ones stall
    smooth = rates.rolling_mean(max(3, number // 2), center=True).fill_null(before)
    slower = (smooth < middle).arg_max()
    return float(series["written_bytes"].head(slower or 0).sum()) / 1e9 / float(rest[1])
