"""The timeline: stories of the slowest requests, spans, and the file of trace events."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import polars as pl
import pytest

import wordline as wl
from shared import SMALL, small_run
from wordline.stories import listed

READ_BESIDE_WRITES = {**SMALL, "workload.read_fraction": 0.5, "workload.queue_depth": 16}


@pytest.fixture(scope="module")
def busy() -> wl.Result:
    drive = wl.Drive.from_toml(
        "tiny", **READ_BESIDE_WRITES, output={"timeline": True, "attribution": True}
    )
    return wl.simulate(drive, progress=False)


def test_the_slowest_are_told_slowest_first(busy: wl.Result) -> None:
    slowest = busy.slowest
    latency = slowest["completed_ns"] - slowest["arrival_ns"]
    assert latency.is_sorted(descending=True)
    assert latency[0] / 1e3 == pytest.approx(busy.summary["host.all.latency.max_us"])
    parts = busy.slowest_parts.group_by("row").agg(pl.col("ns").sum()).sort("row")
    assert parts["ns"].to_list() == latency.to_list()


def test_a_story_says_what_where_and_why(busy: wl.Result) -> None:
    for row in busy.slowest.iter_rows(named=True):
        story = row["story"]
        assert f"Request {row['number']:,}, a {row['class']} of" in story
        assert f"arrived at {row['arrival_ns'] / 1e6:,.3f} ms" in story
        assert f"on die {row['die']} (channel {row['channel']}, block {row['block']:,})" in story
    front = busy.in_front.filter((pl.col("row") == 0) & (pl.col("track") == "die"))
    assert front.height
    assert f"Meanwhile die {busy.slowest['die'][0]} did" in busy.slowest["story"][0]


def test_what_stood_in_front_was_there_meanwhile(busy: wl.Result) -> None:
    front = busy.in_front.join(busy.slowest.with_row_index("row"), on="row")
    meanwhile = (pl.col("from_ns") < pl.col("completed_ns")) & (
        pl.col("to_ns") > pl.col("arrival_ns")
    )
    assert front.select(meanwhile.all()).item()
    on_dies = front.filter(pl.col("track") == "die")
    assert (on_dies["unit"] == on_dies["die"]).all()


def test_the_stretch_is_around_the_slowest_request(busy: wl.Result) -> None:
    slowest = busy.slowest.row(0, named=True)
    own = busy.timeline.filter(
        (pl.col("track") == "host") & (pl.col("request") == slowest["number"])
    ).row(0, named=True)
    assert (own["from_ns"], own["to_ns"]) == (slowest["arrival_ns"], slowest["completed_ns"])
    assert set(busy.timeline["track"].unique()) >= {"die", "channel", "host"}
    assert busy.utilisation["busy"].is_between(0, 1).all()


def test_without_a_timeline_there_is_none() -> None:
    result = wl.simulate(wl.Drive.from_toml("tiny", **SMALL), progress=False)
    for table in (result.slowest, result.in_front, result.timeline, result.utilisation):
        assert table.is_empty()


@pytest.mark.parametrize("name", ["timeline.json", "timeline.json.gz"])
def test_the_file_is_what_perfetto_reads(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    done = small_run("--timeline", file, "--set", "output.timeline_events=500")
    assert done.returncode == 0, done.stderr
    text = gzip.decompress(file.read_bytes()) if name.endswith(".gz") else file.read_bytes()
    events = json.loads(text)["traceEvents"]
    spans = [event for event in events if event["ph"] == "X"]
    assert spans
    assert all({"pid", "tid", "ts", "dur", "name"} <= set(span) for span in spans)
    named = {(event["pid"], event["tid"]) for event in events if event["name"] == "thread_name"}
    assert {(span["pid"], span["tid"]) for span in spans} <= named
    assert "timeline_events" in done.stdout  # the rest did not fit, and the user is told
    assert file.stat().st_mode & 0o044  # others may read it, as they may read any result


def test_a_place_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    done = small_run("--timeline", tmp_path / "missing" / "timeline.json")
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert not any(tmp_path.iterdir())


def test_a_stretch_must_end_after_it_starts() -> None:
    done = small_run("--set", "output.timeline_from='2 ms'", "--set", "output.timeline_to='1 ms'")
    assert done.returncode == 2
    assert "output.timeline_to = 1 ms" in done.stderr


def test_lists_read_as_sentences() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"


def test_events_have_the_times_of_the_spans_to_the_nanosecond(tmp_path: Path) -> None:
    # 20.005 us of array, so that times end in few nanoseconds
    drive = wl.Drive.from_toml(
        "tiny",
        **{"workload.requests": 60, "timing.t_r": "20.005 us"},
        output={"timeline": True, "timeline_from": "0 ns", "timeline_to": "1 h"},
    )
    file = tmp_path / "events.json"
    spans = wl.simulate(drive, progress=False, timeline=file).timeline
    on_dies = spans.filter(pl.col("track") == "die").select(
        "unit", "from_ns", ns=pl.col("to_ns") - pl.col("from_ns")
    )
    events = [
        (event["tid"], round(event["ts"] * 1e3), round(event["dur"] * 1e3))
        for event in json.loads(file.read_text("utf-8"))["traceEvents"]
        if event["ph"] == "X" and event["pid"] == 1
    ]
    assert sorted(events) == sorted(on_dies.rows())
    assert any(0 < time % 1_000 < 100 for event in events for time in event[1:])
