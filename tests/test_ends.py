"""Requests that arrive together at time zero, and those that are outstanding when the last one arrives, where they are the tail of a class."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import wordline as wl
from options import call
from wordline.ends import of_burst, of_drain
from wordline.explaining import lead
from wordline.report import render

# A controller of one core that takes 1,333 ns for a read: the first requests queue for it.
FAST = {
    "geometry.blocks_per_plane": 64,
    "firmware.enabled": True,
    "firmware.clock": "1 GHz",
    "firmware.fetch_and_split": 250,
    "firmware.map_lookup": 333,
    "firmware.buffer": 100,
    "firmware.flash_command": 333,
    "firmware.completion": 317,
}
LOAD = {"kind": "random", "read_fraction": 1.0, "queue_depth": 64, "requests": 20_000}
SAID = "requests that arrived together at time zero"


def reads(**keys: object) -> wl.Result:
    """Reads of a drive whose 64 first ones queue for its controller, as none does later."""
    drive = wl.Drive.from_toml("low-latency-slc", **(FAST | keys))
    return wl.simulate(drive, LOAD, progress=False)


@pytest.fixture(scope="module")
def started() -> wl.Result:
    return reads()


def test_a_tail_of_the_first_requests_is_said(started: wl.Result) -> None:
    latency = started.requests["completed_ns"] - started.requests["arrival_ns"]
    order = latency.arg_sort(descending=True)[:20]
    at_zero = (started.requests["arrival_ns"].gather(order) == 0).sum()
    assert at_zero >= 10
    assert (started.requests["arrival_ns"] == 0).sum() == 64
    (said,) = of_burst(started)
    assert said.startswith(
        f"Of the slowest 0.1 % of reads, {at_zero} of 20 are among the 64 {SAID}"
    )
    assert said.endswith("To leave the start out, set `run.warm_up`.")
    assert said in lead(started)
    assert SAID in render(started)
    assert SAID in reads(**{"output.attribution": True}).explain()


def test_the_terminal_says_it() -> None:
    keys = {f"workload.{key}": value for key, value in LOAD.items()} | FAST
    keys["firmware.enabled"] = "true"
    options = (part for key, value in keys.items() for part in ("--set", f"{key}={value}"))
    assert SAID in " ".join(call("run", "low-latency-slc", *options).stdout.split())


def test_without_the_start_nothing_is_said() -> None:
    assert not list(of_burst(reads(**{"run.warm_up": "1000 requests"})))


def test_a_table_that_holds_the_first_requests_is_enough(started: wl.Result) -> None:
    assert list(of_burst(reads(**{"output.request_log": 200}))) == list(of_burst(started))
    assert not list(of_burst(reads(**{"output.request_log": 0})))


def test_a_tail_of_other_requests_is_not() -> None:
    result = wl.simulate("tiny", LOAD, progress=False)
    requests = result.requests.with_columns(
        latency=pl.col("completed_ns") - pl.col("arrival_ns")
    ).sort("latency", descending=True)
    assert (requests["arrival_ns"][:20] == 0).sum() < 10
    assert not list(of_burst(result))


def test_few_requests_have_no_such_tail() -> None:
    few = LOAD | {"requests": 900}
    drive = wl.Drive.from_toml("low-latency-slc", **FAST)
    assert not list(of_burst(wl.simulate(drive, few, progress=False)))


LAST = "requests that were outstanding when the last one arrived"


def writes(folder: Path, **keys: object) -> wl.Result:
    """A write of 4 KiB every millisecond, and then twelve of 1 MiB at once."""
    small = [f"{10_000 * row},host,0,Write,{4096 * row},4096,0" for row in range(11_988)]
    large = [f"{10_000 * 11_988},host,0,Write,{(1 << 20) * row},1048576,0" for row in range(12)]
    trace = folder / "writes.csv"
    trace.write_text("\n".join(small + large) + "\n", encoding="utf-8")
    load = {
        "workload.kind": "trace",
        "workload.path": str(trace),
        "workload.format": "msr",
        "age.method": "fresh",
    }
    return wl.simulate(wl.Drive.from_toml("tiny", **(load | keys)), progress=False)


@pytest.fixture(scope="module")
def drained(tmp_path_factory: pytest.TempPathFactory) -> wl.Result:
    return writes(tmp_path_factory.mktemp("traces"))


def test_a_tail_of_the_last_requests_is_said(drained: wl.Result) -> None:
    requests = drained.requests.with_columns(
        latency=pl.col("completed_ns") - pl.col("arrival_ns")
    ).sort("latency", descending=True)
    last = requests["completed_ns"] > requests["arrival_ns"].max()
    among = last[:12].sum()
    assert among >= 6
    (said,) = of_drain(drained)
    assert said.startswith(
        f"Of the slowest 0.1 % of writes, {among} of 12 are among the {last.sum()} {LAST}"
    )
    assert said in lead(drained)


def test_a_tail_of_requests_before_the_last_ones_is_not() -> None:
    result = wl.simulate("tiny", LOAD, progress=False)
    requests = result.requests.with_columns(
        latency=pl.col("completed_ns") - pl.col("arrival_ns")
    ).sort("latency", descending=True)
    last = requests["completed_ns"] > requests["arrival_ns"].max()
    assert last.sum() > 1
    assert last[:20].sum() < 10
    assert not list(of_drain(result))


def test_a_table_without_the_last_requests_says_nothing_of_them(tmp_path: Path) -> None:
    assert not list(of_drain(writes(tmp_path, **{"output.request_log": 200})))
