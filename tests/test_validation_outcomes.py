"""What follows from tables of a run, outcomes that are kept, and what they answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import polars as pl
import pytest

import wordline as wl
from validation import intervals, kept, pictures, run
from validation.drives import DRIVES, Entry
from validation.loads import Point
from validation.measured import Measured
from validation.simulate import derived

SECOND = 10**9


def result(**tables: pl.DataFrame) -> wl.Result:
    return cast(wl.Result, SimpleNamespace(**tables))


def series(writes: list[int], size: int = 4096) -> pl.DataFrame:
    """Windows of a second."""
    return pl.DataFrame(
        {
            "start_ns": [i * SECOND for i in range(len(writes))],
            "width_ns": [SECOND] * len(writes),
            "writes": writes,
            "written_bytes": [size * each for each in writes],
        }
    )


def test_writes_by_time_and_by_share_of_them() -> None:
    run_of = result(time_series=series([100, 80, 10, 10]))
    assert derived("writes_during:0:2", run_of) == 90
    assert derived("writes_during:2:4", run_of) == 10
    # the last tenth of all writes took two seconds: the windows in which 180 to 200 were done
    assert derived("writes_share:0.9:1", run_of) == 10
    assert derived("writes_share:0:0.5", run_of) == 100


def test_share_of_short_reads_of_one_size() -> None:
    requests = pl.DataFrame(
        {
            "class": ["read", "read", "read", "write", "read"],
            "sectors": [3, 3, 3, 3, 256],
            "arrival_ns": [0, 0, 0, 0, 0],
            "completed_ns": [100_000, 127_000, 900_000, 1_000, 1_000],
        }
    )
    # two of three reads; neither the write nor the large read counts
    assert derived("share_below:128:3", result(requests=requests)) == pytest.approx(200 / 3)


def test_the_end_of_a_cache() -> None:
    # 1 GB a second for 30 s, then 100 MB a second
    run_of = result(time_series=series([1_000_000] * 30 + [100_000] * 70, size=1000))
    assert derived("cliff:before", run_of) == pytest.approx(1000)
    assert derived("cliff:after", run_of) == pytest.approx(100)
    # a quarter of the drive is simulated
    assert derived("cliff:at:0.25", run_of) == pytest.approx(120, rel=0.07)


def test_outcomes_are_simulated_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[str] = []

    def simulate(drive: Entry, point: Point) -> dict[str, float]:
        times.append(point.label)
        return {"host.write.iops": 5.0}

    monkeypatch.setattr(kept, "FOLDER", tmp_path / "kept")
    monkeypatch.setattr(kept, "simulate", simulate)
    point = Point("sheet", "one", False, {"workload.requests": 1}, {("a", "b"): "host.write.iops"})
    same = Point("saturated", "two", True, {"workload.requests": 1}, {("c", "d"): "host.read.iops"})
    other = Point("sheet", "three", False, {"workload.requests": 2}, {})
    for each in (point, same, point, other):
        assert kept.outcome(DRIVES[0], each) == {"host.write.iops": 5.0}
    # the kind of a load and what is asked of it do not matter to it
    assert times == ["one", "three"]
    # whole files only
    files = list((tmp_path / "kept").iterdir())
    assert len(files) == 2
    assert all(json.loads(path.read_text()) for path in files)
    assert kept.name(DRIVES[0], point) != kept.name(DRIVES[1], point)


def measured(value: float | None) -> Mapping[str, Mapping[str, Measured]]:
    return {"load": {"write IOPS achieved": Measured(value, "IOPS", "")}}


def test_ratios_are_of_drives_that_were_compared() -> None:
    asked = ("load", "write IOPS achieved")
    point = Point("saturated", "saturated", False, {}, {asked: "host.write.iops"})
    outcome = {"host.write.iops": 80.0, "other": 1.0}
    seen, blind = DRIVES[0], DRIVES[-1]
    answers = {drive: run.answered(drive, [(point, outcome)]) for drive in (seen, blind)}
    assert answers[seen][asked].value == 80.0
    found = run.ratios(answers, {seen: measured(60.0), blind: measured(None)})
    assert found == {(seen.kind, "saturated", "write IOPS achieved"): {seen.name: [0.75]}}
    # a key that the run does not have answers nothing
    absent = Point("x", "x", False, {}, {asked: "no.such.key"})
    assert run.answered(seen, [(absent, outcome)]) == {}


def test_pictures_have_a_mark_for_each_figure() -> None:
    asked = ("load", "write IOPS achieved")
    point = Point("saturated", "saturated", False, {}, {asked: "host.write.iops"})
    answers = run.answered(DRIVES[0], [(point, {"host.write.iops": 80.0})])
    drawn = pictures.picture(DRIVES[0], answers, measured(60.0), {})
    assert drawn.count("<circle") == 1
    known: dict[Any, intervals.Deviation] = {
        ("datacenter-tlc", "saturated", "write IOPS achieved"): intervals.Deviation(1.0, 1.1, 5, 2)
    }
    blind = next(drive for drive in DRIVES if drive.blind)
    assert pictures.picture(blind, answers, measured(None), known).count("<circle") == 1


def test_files_are_written_as_a_whole(tmp_path: Path) -> None:
    run.write(tmp_path / "sub" / "page.md", "text")
    assert [path.name for path in (tmp_path / "sub").iterdir()] == ["page.md"]
