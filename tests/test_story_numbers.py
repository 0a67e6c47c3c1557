"""What stories and the Gantt chart say of the slowest requests, recomputed from spans, parts and requests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import polars as pl
import pytest

import wordline as wl
import wordline.stories as stories_module
from recomputed import in_parts
from report_reader import Page, about, microseconds, number, said, same_rows, whole_percent

PAGES_PER_BLOCK, BLOCKS_PER_DIE = 64, 128
KINDS = {"read": "a read", "write": "a write", "other": "a TRIM or flush"}
WHY = {"host": "the host", "gc": "garbage collection"}
WHAT = {
    "read": "read",
    "program": "program",
    "erase": "erase",
    "read_data": "data transfer of a read",
}
TIME = r"[\d.,]+ (?:µs|ms|s)"
"""A length of time in a sentence."""


def as_told(result: wl.Result) -> pl.DataFrame:
    """The table of requests with the classes of stories, which do not tell apart what moves no data."""
    told = {"trim": "other", "flush": "other"}
    return result.requests.with_columns(pl.col("class").cast(pl.String).replace(told))


def requests(result: wl.Result) -> list[dict[str, Any]]:
    """The slowest requests of each class as the table of requests has them, slowest first."""
    table = as_told(result).with_columns(latency=pl.col("completed_ns") - pl.col("arrival_ns"))
    classes = [
        table.filter(pl.col("class") == kind).sort("latency", descending=True).head(16)
        for kind in KINDS
    ]
    return pl.concat(classes).sort("latency", descending=True, maintain_order=True).to_dicts()


def parts(result: wl.Result, row: int) -> dict[str, int]:
    """The parts of one request, longest first."""
    own = result.slowest_parts.filter(pl.col("row") == row).sort("ns", descending=True)
    return dict(own.select("part", "ns").iter_rows())


def overlapping(result: wl.Result, request: dict[str, Any]) -> pl.DataFrame:
    """What the drive did while a request waited, from all spans of the run."""
    return result.timeline.filter(
        (pl.col("from_ns") < request["completed_ns"]) & (pl.col("to_ns") > request["arrival_ns"])
    )


def stories(result: wl.Result) -> Iterator[tuple[int, dict[str, Any], str]]:
    """Row, request and story of each of the slowest."""
    by_number = {row["number"]: row for row in as_told(result).to_dicts()}
    for row, (number_, story) in enumerate(result.slowest.select("number", "story").iter_rows()):
        yield row, by_number[number_], story


def test_the_slowest_are_the_slowest(whole: wl.Result) -> None:
    wanted = [each["latency"] for each in requests(whole)]
    slowest = whole.slowest
    assert (slowest["completed_ns"] - slowest["arrival_ns"]).to_list() == wanted
    by_number = {row["number"]: row for row in as_told(whole).to_dicts()}
    for row in slowest.drop("story").to_dicts():
        own = by_number[row["number"]]
        shared = own.keys() & row.keys()
        assert len(shared) == 8
        assert {key: row[key] for key in shared} == {key: own[key] for key in shared}


def test_a_story_begins_with_the_request(whole: wl.Result) -> None:
    for _, request, story in stories(whole):
        found = said(
            rf"Request (?P<number>[\d,]+), (?P<kind>a read|a write|a TRIM or flush) of (?P<size>\d+) KiB at sector "
            rf"(?P<sector>[\d,]+), arrived at (?P<came>[\d.,]+) ms and completed (?P<took>{TIME}) later\..*",
            story,
        )
        assert number(found["number"]) == request["number"]
        assert found["kind"] == KINDS[request["class"]]
        assert int(found["size"]) * 2 == request["sectors"]
        assert number(found["sector"]) == request["sector"]
        assert number(found["came"]) == pytest.approx(request["arrival_ns"] / 1e6, abs=5.1e-4)
        latency = (request["completed_ns"] - request["arrival_ns"]) / 1e3
        assert microseconds(found["took"]) == about(latency)


def test_a_story_tells_where_the_time_went(whole: wl.Result) -> None:
    for row, request, story in stories(whole):
        latency = request["completed_ns"] - request["arrival_ns"]
        wanted = parts(whole, row)
        assert sum(wanted.values()) == latency
        sentence = re.search(r" Of that, (.*?)\. ", story)
        assert sentence
        largest = list(wanted.items())[:3]
        assert len(re.findall(rf"{TIME} \(\d+ %\)", sentence[1])) == len(largest)
        for part, ns in largest:
            named = re.search(rf"({TIME}) \((\d+ %)\) {in_parts(part)}", sentence[1])
            assert named, part
            assert microseconds(named[1]) == about(ns / 1e3)
            assert number(named[2]) == whole_percent(ns / latency)
        rest = latency - sum(ns for _, ns in largest)
        left = re.search(rf"({TIME}) other", sentence[1])
        assert bool(left) == bool(rest)
        if left:
            assert microseconds(left[1]) == about(rest / 1e3)


def test_a_story_tells_the_last_operation(whole: wl.Result) -> None:
    for row, request, story in stories(whole):
        own = whole.timeline.filter(
            (pl.col("track") == "die") & (pl.col("request") == request["number"])
        ).sort("to_ns")
        if own.is_empty():
            assert "No flash operation answered it: the controller's memory did." in story
            continue
        last = own.row(-1, named=True)
        sentence = re.search(
            rf"The last operation that it waited for was the (\w+) on die (\d+) \(channel (\d+), block (\d+)\), issued "
            rf"({TIME}) after its admission\.",
            story,
        )
        assert sentence
        what, die, channel, block, issued = sentence.groups()
        assert what == WHAT[last["activity"]]
        assert int(die) == last["unit"]
        assert int(channel) == last["unit"] // 2  # two dies on a channel
        assert int(block) == last["address"] // PAGES_PER_BLOCK
        commands = whole.timeline.filter(
            (pl.col("track") == "channel")
            & (pl.col("request") == request["number"])
            & (pl.col("activity") == last["activity"])
        ).sort("from_ns")
        waited = commands["from_ns"][-1] - request["admitted_ns"]
        assert microseconds(issued) == about(waited / 1e3), row


def test_a_story_tells_what_stood_in_front(whole: wl.Result) -> None:
    for row, request, story in stories(whole):
        # the longest spans are kept; what is left out is counted
        front = whole.in_front.filter(pl.col("row") == row)
        everything = {tuple(each) for each in overlapping(whole, request).drop("request").rows()}
        assert {tuple(each) for each in front.drop("row", "request").rows()} <= everything
        for track, place in (("die", "die"), ("channel", "channel")):
            own = front.filter(pl.col("track") == track)
            if track == "channel":
                own = own.filter(pl.col("activity").cast(pl.String).str.ends_with("_data"))
            sentence = re.search(
                rf"Meanwhile {place} (\d+) did (.*?)\. (?=\(|Mean|Garb|\d|$)", f"{story} "
            )
            assert bool(sentence) == bool(own.height)
            if not sentence:
                continue
            assert int(sentence[1]) == own["unit"].unique().item()
            groups = (
                own.with_columns(ns=pl.col("to_ns") - pl.col("from_ns"))
                .group_by("activity", "cause", maintain_order=True)
                .agg(
                    pl.len().alias("spans"),
                    pl.col("ns").sum(),
                    pl.col("from_ns").min(),
                    pl.col("to_ns").max(),
                )
                .sort("ns", descending=True, maintain_order=True)
                .to_dicts()
            )
            told = sentence[2]
            for group in groups[:4]:
                what, why = WHAT[group["activity"]], WHY[group["cause"]]
                many = what.replace("transfer", "transfers") if "transfer" in what else f"{what}s"
                if group["spans"] > 1:
                    found = re.search(
                        rf"{group['spans']} {many} for {why} \(({TIME}) together\)", told
                    )
                else:
                    found = re.search(
                        rf"an? {what} for {why} \(({TIME}), from ([\d.,]+) ms to ([\d.,]+) ms\)",
                        told,
                    )
                assert found, (group, told)
                assert microseconds(found[1]) == about(group["ns"] / 1e3)
                if group["spans"] == 1:
                    assert number(found[2]) == pytest.approx(group["from_ns"] / 1e6, abs=5.1e-4)
                    assert number(found[3]) == pytest.approx(group["to_ns"] / 1e6, abs=5.1e-4)
            more = sum(group["spans"] for group in groups[4:])
            assert (f"{more} others" in told) == bool(more)
        left_out = whole.slowest["left_out"][row]
        assert (f"({left_out:,} shorter operations omitted.)" in story) == bool(left_out)


def test_a_story_tells_of_blocks_being_emptied(whole: wl.Result) -> None:
    seen = 0
    for row, _, story in stories(whole):
        own = (
            whole.in_front.filter((pl.col("row") == row) & (pl.col("activity") == "reclaim"))
            .with_columns(ns=pl.col("to_ns") - pl.col("from_ns"))
            .sort("ns", descending=True, maintain_order=True)
            .to_dicts()
        )
        found = re.findall(
            rf"Garbage collection was emptying block (\d+) of die (\d+) from ([\d.,]+) ms to ([\d.,]+) ms "
            rf"\(({TIME}), moved (\d+) pages?\)\.",
            story,
        )
        assert len(found) == min(len(own), 2)
        for (block, die, start, end, time, moved), span in zip(found, own, strict=False):
            seen += 1
            assert int(block) == span["address"] // PAGES_PER_BLOCK
            assert int(block) // BLOCKS_PER_DIE == int(die) == span["unit"]
            assert number(start) == pytest.approx(span["from_ns"] / 1e6, abs=5.1e-4)
            assert number(end) == pytest.approx(span["to_ns"] / 1e6, abs=5.1e-4)
            assert microseconds(time) == about(span["ns"] / 1e3)
            # every page that was moved was read from this block and programmed
            reads = whole.timeline.filter(
                (pl.col("track") == "die")
                & (pl.col("activity") == "read")
                & (pl.col("cause") == "gc")
                & (pl.col("address") // PAGES_PER_BLOCK == int(block))
                & pl.col("from_ns").is_between(span["from_ns"], span["to_ns"])
            )
            assert int(moved) == reads["count"].sum()
        more = re.search(r"(\d+) more blocks? (?:was|were) being emptied meanwhile\.", story)
        assert int(more[1] if more else 0) == max(len(own) - 2, 0)
    assert seen > 10


def test_stories_in_the_report_are_headed_by_time_and_die(whole: wl.Result, page: Page) -> None:
    section = page.section("The slowest requests")
    titles = re.findall(r"<h3>(.*?)</h3>", section)
    table = requests(whole)
    order = list(dict.fromkeys(each["class"] for each in table))
    names = {"read": "Reads", "write": "Writes", "other": "TRIMs and flushes"}
    assert titles == [names[kind] for kind in order]
    for kind, part in zip(order, section.split("<h3>")[1:], strict=True):
        heads = re.findall(r"<li><b>(.*?)</b>", part)
        own = [each for each in whole.slowest.to_dicts() if each["class"] == kind]
        assert len(heads) == len(own) == 16
        assert "<summary>14 more</summary>" in part
        for head, request in zip(heads, own, strict=True):
            time, _, die = head.removesuffix(".").partition(", die ")
            assert microseconds(time) == about(
                (request["completed_ns"] - request["arrival_ns"]) / 1e3
            )
            assert die == ("" if request["die"] is None else str(request["die"]))


def test_the_gantt_chart(whole: wl.Result, page: Page) -> None:
    figure = page.figure("timeline")
    slowest = requests(whole)[0]
    spans = whole.timeline.filter(
        (pl.col("track") != "host") | (pl.col("request") == slowest["number"])
    ).to_dicts()
    lanes = {
        "die": "die {unit}",
        "channel": "channel {unit}",
        "background": "background of die {unit}",
        "host": "the request",
    }
    wanted = [
        {
            "lane": lanes[span["track"]].format(**span),
            "from": span["from_ns"] / 1e6,
            "to": span["to_ns"] / 1e6,
            "count": span["count"],
        }
        for span in spans
    ]
    same_rows(figure.points("lane", "from", "to"), wanted)
    assert len(figure.rows) == len(wanted)
    for row, span in [*zip(figure.rows, spans, strict=True)][::7]:
        assert row["where"] == lanes[span["track"]].format(**span)
        assert number(row["from (ms)"]) == pytest.approx(span["from_ns"] / 1e6, abs=5.1e-7)
        assert number(row["to (ms)"]) == pytest.approx(span["to_ns"] / 1e6, abs=5.1e-7)
        assert microseconds(row["lasted"]) == about((span["to_ns"] - span["from_ns"]) / 1e3)
        assert number(row["pages or sectors"]) == span["count"]
        die = span["address"] // (PAGES_PER_BLOCK * BLOCKS_PER_DIE)
        owner = (
            f"{WHY[span['cause']]} on die {die}"
            if span["request"] is None
            else f"request {span['request']:,}"
        )
        assert row["for"] == owner
        if span["track"] in ("die", "channel"):
            assert row["what"] == f"{WHAT[span['activity']]} for {WHY[span['cause']]}"
    marks = [{"at": slowest[key] / 1e6} for key in ("arrival_ns", "completed_ns")]
    same_rows(figure.points("at"), marks)
    (bars, rule) = figure.drawn()
    assert (bars["x"], bars["x2"], bars["y"]) == ("from", "to", "lane")
    assert rule["x"] == "at"
    margin = (marks[1]["at"] - marks[0]["at"]) / 10
    domain = figure.spec["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert domain == pytest.approx([marks[0]["at"] - margin, marks[1]["at"] + margin])
    found = said(
        rf"The slowest request, (?P<number>[\d,]+), took (?P<time>{TIME}) on die (?P<die>\d+); (?P<share>\d+ %) of it is "
        r"(?P<part>.*)",
        figure.title,
    )
    assert number(found["number"]) == slowest["number"]
    assert microseconds(found["time"]) == about(slowest["latency"] / 1e3)
    part, ns = next(iter(parts(whole, 0).items()))
    assert found["part"] == in_parts(part)
    assert number(found["share"]) == whole_percent(ns / slowest["latency"])


def test_planes_that_work_at_the_same_time_are_told() -> None:
    def spans(*times: tuple[int, int]) -> list[dict[str, Any]]:
        return [{"from_ns": begun, "to_ns": ended} for begun, ended in times]

    apart = [spans((0, 40), (90, 130)), spans((40, 90))]
    assert stories_module.overlapping(apart) == ""
    assert stories_module.overlapping([*apart, spans((120, 160))]).endswith("at the same time")


def test_a_block_that_is_being_emptied_when_the_run_ends_is_told_once() -> None:
    recorded = {"timeline": True, "slowest": 16}
    drive = wl.Drive.from_toml("tiny", output=recorded, **{"ftl.gc.mode": "partial"})
    workload = {"requests": 100, "read_fraction": 0.3, "interarrival": "5 ms"}
    front = wl.simulate(drive, workload, progress=False).in_front
    reclaims = front.filter(pl.col("activity") == "reclaim")
    assert reclaims.height
    assert not reclaims.is_duplicated().any()
