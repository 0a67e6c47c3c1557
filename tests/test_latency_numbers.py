"""What the top of a report and its latencies say, recomputed from the table of requests and the parts of each."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest

import wordline as wl
from recomputed import (
    BUCKET,
    bands,
    busy,
    end_ns,
    figures,
    in_parts,
    latencies,
    moved_bytes,
    rough,
    spans,
    total,
    window_s,
)
from report_reader import (
    Page,
    about,
    close,
    microseconds,
    number,
    page_of,
    percents,
    said,
    same_cells,
    whole_percent,
)
from wordline.explaining import explain
from wordline.report import attribution, latency
from wordline.report.card import card
from wordline.results import Distribution, Result

HEADINGS = {
    "median": "p50",
    "95 %": "p95",
    "99 %": "p99",
    "99.9 %": "p999",
    "99.99 %": "p9999",
    "slowest": "max",
}


def test_the_cards(whole: wl.Result, page: Page) -> None:
    requests = whole.requests
    count, window = requests.height, window_s(whole)
    moved = moved_bytes(whole)
    cards = page.cards
    value, more = cards["Requests"]
    assert number(value) == count
    end = said(r"in (?P<time>.*) simulated", more)
    assert microseconds(end["time"]) == about(end_ns(whole) / 1e3)
    value, more = cards["Throughput"]
    assert number(value.removesuffix(" /s")) == close(count / window)
    assert number(more.removesuffix(" MB/s")) == close(moved / window / 1e6)
    for kind in ("read", "write"):
        value, more = cards[f"Mean {kind}"]
        wanted = figures(whole, kind)
        assert microseconds(value) == about(wanted["mean"])
        shown = said(r"99 % in (?P<p99>.*), 99\.9 % in (?P<p999>.*)", more)
        for point in ("p99", "p999"):
            assert microseconds(shown[point]) == about(wanted[point])
    value, more = cards["Write amplification"]
    pages = total(spans(whole, "die", "program")["count"])
    written = requests.filter(pl.col("class") == "write").height  # of one page each
    assert number(value) == close(pages / written)
    assert more == f"{spans(whole, 'die', 'erase').height} blocks erased"
    value, more = cards["Dies busy"]
    assert number(value) == percents(busy(whole, "die", 4))
    assert number(more.removeprefix("channels ")) == percents(busy(whole, "channel", 2))
    value, more = cards["Steady state"]
    spread, slope = steadiness(whole)
    assert value == ("yes" if spread <= 0.2 and slope <= 0.1 else "no")
    found = said(r"five rounds differ by (?P<spread>.*), slope (?P<slope>.*) \(SNIA .*", more)
    assert number(found["spread"]) == percents(spread)
    assert number(found["slope"]) == percents(slope)
    assert list(cards) == [
        *("Requests", "Throughput", "Mean read", "Mean write", "Write amplification"),
        *("Steady state", "Dies busy"),
    ]


def steadiness(result: wl.Result) -> tuple[float, float]:
    """How far five rounds of a run are from each other, and how steep the line through them is, as shares of their mean."""
    series = result.time_series
    edges = [part * series.height // 5 for part in range(6)]
    rounds = []
    for start, end in pairwise(edges):
        windows = series.slice(start, end - start)
        done = sum(total(windows[kind]) for kind in ("reads", "writes", "others"))
        rounds.append(done / total(windows["width_ns"]))
    mean = sum(rounds) / 5
    slope = sum(place * found for place, found in zip(range(-2, 3), rounds, strict=True)) / 10
    return (max(rounds) - min(rounds)) / mean, abs(4 * slope) / mean


def test_the_card_of_a_notebook_is_the_top_of_the_report(whole: wl.Result, page: Page) -> None:
    text = card(whole)
    assert Page(text).cards == page.cards
    (rows,) = re.findall(r"<table>.*?</table>", text, re.DOTALL)
    assert (
        Page(f"<section><h2>x</h2>{rows}</section>").tables("x")[0] == page.figure("latency").rows
    )


def test_the_heading_counts_the_requests(whole: wl.Result, page: Page) -> None:
    shares = whole.requests["class"].value_counts(normalize=True).to_dicts()
    share = {row["class"]: row["proportion"] for row in shares}
    found = said(
        r"tiny, 104.9 MB: (?P<read>.* %) reads, (?P<write>.* %) writes, (?P<other>.* %) TRIMs and flushes of 4 KiB, "
        r"queue depth 8",
        page.heading,
    )
    # all that move no data are TRIMs here
    share["other"] = share["trim"]
    for kind, text in found.items():
        assert number(text) == percents(share[kind]), kind
    assert page.subtitle == "2 channels, 4 dies, 4 KiB pages, SLC. Synthetic requests, kind random."


def test_the_table_of_latencies(whole: wl.Result, page: Page) -> None:
    for name in ("latency", "percentiles"):
        rows = page.figure(name).rows
        # TRIM is neither, and nothing is told of all together
        assert [row["class"] for row in rows] == ["read", "write", "trim"]
        for row in rows:
            wanted = figures(whole, row["class"])
            assert number(row["requests"]) == len(latencies(whole, row["class"]))
            assert number(row["mean (µs)"]) == close(wanted["mean"])
            for heading, point in HEADINGS.items():
                assert number(row[f"{heading} (µs)"]) == rough(wanted[point]), heading
            assert len(row) == 3 + len(HEADINGS)


def test_the_sentences_of_latencies(whole: wl.Result, page: Page) -> None:
    read, write = figures(whole, "read"), figures(whole, "write")
    half = said(
        r"Half of the reads end within (?P<read>.*), half of the writes end within (?P<write>.*)",
        page.figure("latency").title,
    )
    assert microseconds(half["read"]) == about(read["p50"])
    assert microseconds(half["write"]) == about(write["p50"])
    # 2,061 reads have two that are slower than one in a thousand, 878 writes have none
    tail = said(
        r"The slowest 0\.1 % of reads take more than (?P<read>.*), "
        r"the slowest 1 % of writes take more than (?P<write>.*)",
        page.figure("percentiles").title,
    )
    assert microseconds(tail["read"]) == about(read["p999"])
    assert microseconds(tail["write"]) == about(write["p99"])


def test_the_curves(whole: wl.Result, page: Page) -> None:
    body, tail = (page.figure(name) for name in ("latency", "percentiles"))
    assert [each["y"] for each in body.drawn()] == ["share"]
    assert [each["y"] for each in tail.drawn()] == ["slower"]
    assert {each["x"] for each in (*body.drawn(), *tail.drawn())} == {"latency"}
    for figure in (body, tail):
        points = figure.points("latency", "share", "slower")
        for kind in ("read", "write"):
            own = [point for point in points if point["class"] == kind]
            values = latencies(whole, kind)
            assert (own[0]["share"], own[0]["slower"]) == (0, 1)
            assert own[0]["latency"] == rough(values[0])
            assert own[-1]["latency"] == rough(values[-1])
            for point in own[1:]:
                low, high = (point["latency"] * (1 + sign * BUCKET) for sign in (-1, 1))
                least, most = (
                    sum(value <= bound for value in values) / len(values) for bound in (low, high)
                )
                assert least - 1e-6 <= point["share"] <= most + 1e-6
                if point["share"] < 1:
                    assert point["slower"] == pytest.approx(1 - point["share"], abs=1e-5)
            assert own[-1]["share"] == 1
            # zero has no place on a log axis: below the rarest share that occurs
            assert own[-1]["slower"] == (1e-4 if figure is tail else 0)


def test_every_point_is_on_the_chart(page: Page) -> None:
    for name in ("latency", "percentiles", "operations"):
        assert page.figure(name).is_whole(), name


def test_a_few_fast_requests_do_not_stretch_the_axis() -> None:
    """Of 10,000 requests one takes 1 us, answered from memory, and the others 50 us and more."""
    few = [{"latency": 1.0, "share": 1e-4}, {"latency": 50.0, "share": 0.2}]
    many = [{"latency": 1.0, "share": 1e-3}, {"latency": 50.0, "share": 0.2}]
    assert [latency.beginning(points) for points in (few, many)] == [50.0, 1.0]
    axis: Any = latency.latency_axis(few).to_dict()
    assert axis["scale"]["domain"][0] == pytest.approx(50 / 1.1)
    assert latency.remark(few, "Said.") == f"Said. {latency.CUT}"
    assert latency.remark(many) == ""


def test_curves_of_many_points_keep_their_shape() -> None:
    """The distribution from 1 to 5,000 us, a step each: every tenth or so is drawn, and both ends are."""
    values = np.arange(1.0, 5_001.0)
    points = latency.curve(Distribution(values, values / 5_000), 400)
    assert 200 < len(points) <= 402
    assert (points[0]["latency"], points[-1]["latency"]) == (1.0, 5_000.0)
    for point in points[1:]:
        assert point["share"] == pytest.approx(float(str(point["latency"])) / 5_000, abs=1e-4)


def test_the_axis_of_the_tail_names_the_percentiles(page: Page) -> None:
    axis = page.figure("percentiles").spec["encoding"]["y"]["axis"]
    labels = json.loads(re.fullmatch(r"\((.*)\)\[datum\.value\]", axis["labelExpr"])[1])  # type: ignore[index]
    assert axis["values"] == [float(key) for key in labels]
    for share, label in labels.items():
        if found := re.fullmatch(r"(?P<share>.* %): (?P<point>.*)", label):
            assert number(found["share"]) == pytest.approx(float(share))
            point = found["point"].replace("median", "p50").removeprefix("p")
            assert 1 - float(point) / 100 == pytest.approx(float(share))
        else:
            assert (share, label) in (("1", "all"), ("0.000001", "one in a million"))


@pytest.fixture(scope="module")
def told() -> wl.Result:
    """A run that keeps the parts of every request."""
    drive = wl.Drive.from_toml(
        "tiny", output={"attribution": True, "timeline": True, "slowest": 1_000}
    )
    return wl.simulate(drive, {"requests": 1_300}, progress=False)


@pytest.mark.parametrize("kind", ["read", "write"])
def test_where_the_time_went(told: wl.Result, kind: str) -> None:
    figure = page_of(attribution.section(told)).figure(f"attribution-{kind}")
    wanted: list[dict[str, object]] = []
    places: dict[tuple[str, str], float] = {}
    for band, count, mean, parts in bands(told, kind):
        for part, time in parts.items():
            wanted.append(
                {
                    "band": band,
                    "requests": count,
                    "mean latency (µs)": mean,
                    "part": in_parts(part),
                    "mean (µs)": time,
                    "share": f"{100 * time / mean:.1f} %",
                }
            )
            places[band, in_parts(part)] = time / mean

    def key(row: Any) -> tuple[str, str]:
        return row["band"], row["part"]

    same_cells(sorted(figure.rows, key=key), sorted(wanted, key=key))
    points = figure.points("band", "part", "share")
    assert [each["x"] for each in figure.drawn()] == ["share"]
    rest: dict[str, float] = {}
    for point in points:
        band, mean_text = said(r"(?P<band>.* %) \((?P<mean>.*)\)", point["band"]).values()
        mean = next(each[2] for each in bands(told, kind) if each[0] == band)
        assert microseconds(mean_text) == about(mean)
        assert point["time"] == pytest.approx(point["share"] * mean)
        if point["part"] == "other parts":
            rest[band] = point["share"]
        else:
            assert point["share"] == pytest.approx(places.pop((band, point["part"])), abs=1e-9)
    for band, share in rest.items():
        left = [key for key in places if key[0] == band]
        assert share == pytest.approx(sum(places.pop(key) for key in left), abs=1e-9)
    assert not places
    legend = figure.spec["encoding"]["color"]["scale"]["domain"]
    sums: dict[str, float] = {}
    for _, requests, _, own in bands(told, kind):
        for part, time in own.items():
            sums[in_parts(part)] = sums.get(in_parts(part), 0.0) + requests * time
    ranked = [sums[name] for name in legend if name in sums]
    assert ranked == sorted(ranked, reverse=True)
    *_, (band, count, mean, parts) = bands(told, kind)
    largest = max(parts, key=lambda part: parts[part])
    found = said(
        rf"The slowest {kind}s \(band (?P<band>.* %), (?P<count>[\d,]+) of them\) take (?P<time>.*) on average; "
        r"(?P<share>\d+ %) of it is (?P<part>.*)",
        figure.title,
    )
    assert (found["band"], number(found["count"])) == (band, count)
    assert microseconds(found["time"]) == about(mean)
    assert number(found["share"]) == whole_percent(parts[largest] / mean)
    assert found["part"] == in_parts(largest)


def test_counts_of_bands_have_separators() -> None:
    row = {"band": "99.99-100 %", "part": "array", "requests": 1_441, "latency_mean_us": 10.0}
    table = pl.DataFrame([row | {"part_mean_us": 5.0}])
    assert "(band 99.99-100 %, 1,441 of them)" in attribution.told("read", table)


def over(result: Result, kind: str, names: tuple[str, ...]) -> tuple[int, float, dict[str, float]]:
    """Some bands together."""
    chosen = [each for each in bands(result, kind) if each[0] in names]
    count = sum(each[1] for each in chosen)
    sums: dict[str, float] = {}
    for _, own, _, parts in chosen:
        for part, time in parts.items():
            sums[part] = sums.get(part, 0.0) + own * time
    mean = sum(own * time for _, own, time, _ in chosen) / max(count, 1)
    return count, mean, {part: time / count for part, time in sums.items()}


TOLD = (
    ("p50", "Half of them end within", "the faster half takes", ("0-50 %",)),
    ("p99", "One in a hundred takes longer than", "those from p99 to p99.9 take", ("99-99.9 %",)),
    ("p999", "One in a thousand takes longer than", "those take", ("99.9-99.99 %", "99.99-100 %")),
)


def test_the_explanation(told: wl.Result) -> None:
    for kind, text in zip(("read", "write"), explain(told).split("\n\n"), strict=True):
        head, *lines = text.splitlines()
        wanted = figures(told, kind)
        found = said(rf"(?P<count>[\d,]+) {kind}s, (?P<mean>.*) on average\.", head)
        assert number(found["count"]) == len(latencies(told, kind))
        assert microseconds(found["mean"]) == about(wanted["mean"])
        for line, (point, says, who, names) in zip(lines, TOLD, strict=True):
            if wanted[point] == latencies(told, kind)[-1]:
                found = said(r"- None takes longer than (?P<time>.*)\.", line)
                assert microseconds(found["time"]) == about(latencies(told, kind)[-1])
                continue
            count, mean, parts = over(told, kind, names)
            begins = said(rf"- {says} (?P<time>[^:]*): (?P<rest>.*)", line)
            assert microseconds(begins["time"]) == about(wanted[point])
            found = said(
                rf"{who} (?P<mean>.*) on average \((?P<count>[\d,]+) {kind}s\)\. Of this, (?P<parts>.*)\.",
                begins["rest"],
            )
            assert number(found["count"]) == count
            assert microseconds(found["mean"]) == about(mean)
            shares = {
                name: number(share)
                for share, name in (each.split(" is ", 1) for each in found["parts"].split(", "))
            }
            rest = shares.pop("the rest", 0.0)
            ranked = sorted(parts, key=lambda part: -parts[part])
            notable = [part for part in ranked if parts[part] >= 0.05 * mean][:5]
            assert list(shares) == [in_parts(part) for part in notable]
            for part in notable:
                assert shares[in_parts(part)] == whole_percent(parts[part] / mean)
            assert rest == whole_percent(1 - sum(parts[part] for part in notable) / mean)


def test_the_top_of_the_report(whole: wl.Result, page: Page) -> None:
    for kind, text in zip(("read", "write"), page.lead[:2], strict=True):
        rare = r"0\.1 %" if kind == "read" else "1 %"
        found = said(
            rf"(?P<count>[\d,]+) {kind}s: median (?P<half>.*); the slowest {rare} take more than "
            r"(?P<slow>.*) and average (?P<mean>.*); (?P<share>\d+ %) of that is (?P<part>.*)\.",
            text,
        )
        wanted = figures(whole, kind)
        assert number(found["count"]) == len(latencies(whole, kind))
        assert microseconds(found["half"]) == about(wanted["p50"])
        assert microseconds(found["slow"]) == about(wanted["p999" if kind == "read" else "p99"])
        # the 16 slowest of a class are told, and the last band of either has fewer
        names = ("99.9-99.99 %", "99.99-100 %") if kind == "read" else ("99-99.9 %",)
        table = whole.attribution.filter((pl.col("class") == kind) & pl.col("band").is_in(names))
        count = sum(table.unique("band")["requests"])
        slowest = latencies(whole, kind)[-count:]
        assert microseconds(found["mean"]) == about(sum(slowest) / count)
        own = whole.slowest.with_row_index("row").filter(pl.col("class") == kind).head(count)
        parts = (
            whole.slowest_parts.filter(pl.col("row").is_in(own["row"].implode()))
            .group_by("part")
            .agg(pl.col("ns").sum())
            .sort("ns", descending=True)
        )
        assert number(found["share"]) == whole_percent(parts["ns"][0] / 1e3 / sum(slowest))
        assert found["part"] == in_parts(parts["part"][0])


PLOTS = {
    "latency": "latency",
    "percentiles": "percentiles",
    "attribution": "attribution-read",
    "utilisation": "die-utilisation",
    "over_time": "over-time",
    "operations": "operations",
    "write_amplification": "write-amplification",
    "wear": "wear",
    "wear_histogram": "wear-histogram",
}
"""The charts of `Result.plot` that this run has, and the figures of the report that they are."""


def test_charts_from_python_are_those_of_the_report(
    whole: wl.Result, page: Page, result: wl.Result
) -> None:
    for method, name in PLOTS.items():
        chart = getattr(whole.plot, method)().to_dict(validate=False)
        figure = page.figure(name)
        assert chart["title"] == figure.title, method
        assert chart["datasets"] == figure.spec["datasets"], method
    for method, options in (("attribution", "write"), ("utilisation", "channel")):
        chart = getattr(whole.plot, method)(options).to_dict(validate=False)
        (figure,) = (each for each in page.figures if each.title == chart["title"])
        assert options in figure.name
    # the other run has fewer spans, which take less time to check
    chart = result.plot.timeline().to_dict(validate=False)
    assert chart["title"].startswith("The slowest request, ")


def test_every_total_is_listed_with_its_unit(whole: wl.Result, page: Page) -> None:
    (rows,) = page.tables("Everything else")
    keys = [key for key in whole.summary if not key.startswith("run.")]
    assert [row["key"] for row in rows] == keys
    assert f"All {len(keys)} totals" in page.section("Everything else")
    by_key = {row["key"]: row for row in rows}
    assert by_key["host.iops"]["unit"] == "1/s"
    assert number(by_key["host.iops"]["value"]) == close(whole.requests.height / window_s(whole))
    assert by_key["host.read.latency.max_us"]["meaning"] == "Longest latency"
    assert number(by_key["host.read.latency.max_us"]["value"]) == close(
        latencies(whole, "read")[-1]
    )
