"""The sections of the report that stand on the timeline: stories, the Gantt chart, busy shares."""

from __future__ import annotations

import json
import re
from html import unescape
from types import SimpleNamespace
from typing import cast

import polars as pl
import pytest

import wordline as wl
from wordline.columns import ACTIVITIES as EVERY_ACTIVITY
from wordline.columns import CAUSES as EVERY_CAUSE
from wordline.explaining import in_short, of_planes
from wordline.report import gantt, render, slowest, utilisation
from wordline.stories import ACTIVITIES, CAUSES

TITLES = {"read": "Reads", "write": "Writes", "other": "TRIMs and flushes"}


@pytest.fixture(scope="module")
def plain() -> wl.Result:
    """A run without a timeline."""
    return wl.simulate("tiny", {"requests": 300})


def test_every_story_is_told(result: wl.Result) -> None:
    told = slowest.stories(result)
    stories = [story for group in told for story in (*group.shown, *group.folded)]
    assert sorted(story.text for story in stories) == sorted(result.slowest["story"])
    assert len(stories) >= 16
    worst = result.slowest.row(0, named=True)
    assert told[0].title == TITLES[worst["class"]]
    assert told[0].shown[0].text == worst["story"]
    assert told[0].shown[0].heading.endswith(f", die {worst['die']}.")
    page = unescape(render(result))
    assert all(f"<b>{story.heading}</b> {story.text}</li>" in page for story in stories)


def test_stories_are_told_class_by_class(result: wl.Result) -> None:
    told = [group.title for group in slowest.stories(result)]
    for kind, heading in TITLES.items():
        assert told.count(heading) == (kind in result.slowest["class"])


def test_the_gantt_has_every_span_that_matters(result: wl.Result) -> None:
    figure = gantt.gantt(result)
    assert figure is not None
    spans = result.timeline
    request = result.slowest.row(0, named=True)
    of_hosts = spans.filter(pl.col("track") == "host")
    assert of_hosts.filter(pl.col("request") == request["number"]).height == 1
    assert len(figure.rows) == spans.height - of_hosts.height + 1
    lanes = list(dict.fromkeys(row["where"] for row in figure.rows))
    assert {"the request", f"die {request['die']}", f"channel {request['channel']}"} <= set(lanes)
    assert f"{request['number']:,}" in figure.title


def test_its_bars_say_where_and_when(result: wl.Result) -> None:
    figure = gantt.gantt(result)
    assert figure is not None
    (values,) = [
        rows for rows in figure.chart["datasets"].values() if len(rows) == len(figure.rows)
    ]
    spans = result.timeline.filter(pl.col("track") == "die").head(50).to_dicts()
    bars = {(bar["lane"], bar["from"], bar["to"]) for bar in values}
    for span in spans:
        assert (f"die {span['unit']}", span["from_ns"] / 1e6, span["to_ns"] / 1e6) in bars


def test_what_was_not_recorded_is_grey(result: wl.Result) -> None:
    whole = gantt.gantt(result)
    assert whole is not None
    assert gantt.NOT_RECORDED not in whole.remark
    keys = {"output.timeline": True, "output.timeline_spans": 1_000}
    few = wl.simulate(wl.Drive("tiny", **keys), {"requests": 2_000, "queue_depth": 32})
    part = gantt.gantt(few)
    assert part is not None
    assert gantt.NOT_RECORDED in part.remark
    request = few.slowest.row(0, named=True)
    others = few.timeline.filter(
        (pl.col("track") == "die") & (pl.col("unit") != request["die"])
        | (pl.col("track") == "channel") & (pl.col("unit") != request["channel"])
    )
    known_from = min(others["from_ns"].to_list())
    grey = [
        row
        for rows in part.chart["datasets"].values()
        for row in rows
        if row.keys() == {"lane", "from", "to"}
    ]
    assert {row["to"] for row in grey} == {known_from / 1e6}
    own = {"the request", f"die {request['die']}", f"channel {request['channel']}"}
    assert not own & {row["lane"] for row in grey}


def test_lanes_begin_with_those_of_the_request_and_have_a_limit() -> None:
    request = {"die": 7, "channel": 1}
    bars = [{"lane": f"die {die}"} for die in range(100)]
    bars += [{"lane": lane} for lane in ("channel 1", "background of die 7", "the request")]
    lanes = gantt.lanes_of(bars, request)
    assert lanes[:5] == ["the request", "background of die 7", "die 7", "channel 1", "die 0"]
    assert len(lanes) == gantt.MOST_LANES
    # die 7 is the request's, and dies 0 to 6 and 8 to 36 follow it
    bars += [{"lane": lane} for lane in ("channel 2", "background of die 9")]
    assert (
        gantt.left_out(bars, gantt.lanes_of(bars, request))
        == " Showing 40 lanes. Not drawn: dies (63), channels (1), background work of dies (1)."
    )
    assert gantt.left_out(bars[:3], ["die 0", "die 1", "die 2"]) == ""


def test_a_chosen_stretch_is_shown_without_the_request() -> None:
    drive = wl.Drive.from_toml(
        "tiny",
        output={"timeline": True, "timeline_from": "0 us", "timeline_to": "20 us"},
    )
    result = wl.simulate(drive, {"requests": 2_000})
    figure = gantt.gantt(result)
    assert figure is not None
    assert figure.title.startswith("What the drive did in ")
    assert not any(row["where"] == "the request" for row in figure.rows)


def test_every_activity_and_cause_has_words_and_a_colour() -> None:
    assert set(EVERY_CAUSE) == set(CAUSES)
    on_flash = {name for name in EVERY_ACTIVITY if not name.endswith("_request")} - {"reclaim"}
    assert on_flash >= set(ACTIVITIES)
    for cause in EVERY_CAUSE:
        for activity in ACTIVITIES:
            kind = f"{ACTIVITIES[activity]} for {CAUSES[cause]}"
            assert re.fullmatch("#[0-9a-f]{6}", gantt.colour(kind))


def test_busy_shares_agree_with_the_summary(result: wl.Result) -> None:
    for track, key in (("die", "nand.die_utilization"), ("channel", "nand.channel_utilization")):
        table = utilisation.of_track(result.utilisation, track)
        width = pl.col("width_ns")
        mean = table.select((pl.col("busy") * width).sum() / width.sum()).item()
        assert mean == pytest.approx(result.summary[key], rel=0.02)
        rows = utilisation.by_unit(track, table)
        assert len(rows) == table["unit"].n_unique()


def test_the_busiest_die_is_named() -> None:
    table = pl.DataFrame(
        {
            "track": ["die"] * 4,
            "unit": [0, 0, 1, 1],
            "start_ns": [0, 10, 0, 10],
            "width_ns": [10, 30, 10, 30],
            "busy": [1.0, 0.2, 0.5, 0.5],
            "background": [0.5, 0.1, 0.0, 0.0],
        }
    )
    assert utilisation.told("die", table) == (
        "Die 1 was busiest: 50 % of the time; die 0 least, 40 %"
    )
    assert utilisation.told("die", table.filter(pl.col("unit") == 0)) == (
        "The die was busy 40 % of the time, 20 % with background work"
    )


def test_many_dies_are_merged() -> None:
    table = pl.DataFrame(
        {
            "track": ["die"] * 200,
            "unit": range(200),
            "start_ns": [0] * 200,
            "width_ns": [10] * 200,
            "busy": [0.5] * 200,
            "background": [0.1] * 200,
        }
    )
    figure = utilisation.heat_map("die", table)
    assert "mean of 4 dies" in figure.remark
    assert len(figure.rows) == 200
    (cells,) = figure.chart["datasets"].values()
    assert len(cells) == 50


def test_a_run_without_timeline_says_so(plain: wl.Result) -> None:
    page = render(plain)
    assert "kept no timeline" in page
    assert 'id="timeline"' not in page
    for name in ("timeline", "utilisation"):
        with pytest.raises(ValueError, match="kept no timeline"):
            getattr(plain.plot, name)()


def test_garbage_collection_is_marked(result: wl.Result) -> None:
    page = render(result)
    spec = re.search(r'id="over-time".*?<script type="application/json">(.*?)</script>', page, re.S)
    assert spec is not None
    chart = json.loads(spec[1])
    shades = [
        layer
        for panel in chart["vconcat"][:3]
        for layer in panel["layer"]
        if layer["mark"]["type"] == "rect"
    ]
    assert len(shades) == 3


def test_planes_that_never_read_beside_each_other_are_no_finding() -> None:
    def told(beside: int) -> list[str]:
        summary = {"nand.reads_beside_reads": beside, "ftl.pages_read": 1_000}
        run = SimpleNamespace(summary=summary, config="[geometry]\nplanes_per_die = 4\n")
        return [*of_planes(cast(wl.Result, run))]

    assert told(0) == []
    (sentence,) = told(3)
    assert sentence.startswith("Each of the 4 planes of a die reads on its own: less than 1 % of")


def test_slow_requests_that_are_alike_do_not_average_less_than_they_take() -> None:
    latency = {"p50_us": 50.0, "p99_us": 100.4, "p999_us": 106.0, "max_us": 107.0}
    summary = {f"host.read.latency.{point}": value for point, value in latency.items()}
    row = {"band": "99.9-99.99 %", "part": "array", "requests": 10, "part_mean_us": 52.5}

    def said(mean: float) -> str:
        table = pl.DataFrame([row | {"latency_mean_us": mean}])
        return in_short({**summary, "host.read.count": 10_000}, "read", table)

    assert "the slowest 0.1 % take about 106 µs; 50 % of that is array time" in said(105.0)
    assert "the slowest 0.1 % take more than 106 µs and average 210 µs; 25 %" in said(210.0)
