"""The report: one page that needs nothing else, and says what there is to see."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import altair as alt
import pytest

import wordline as wl
from wordline.explaining import lead
from wordline.report import latency, render, utilisation
from wordline.report.html import Page as Document
from wordline.report.html import prose
from wordline.report.section import Figure, Fold, Section, Stories, Story
from wordline.report.theme import DARK, specification

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Page(HTMLParser):
    """Collects tags, attributes that could load something, and charts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.specs: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self.loads += [
            f"{tag} {name}" for name, _ in attributes if name in ("src", "href", "srcset")
        ]
        if ("type", "application/json") in attributes:
            self.specs.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script" and data.startswith('{"'):
            self.specs[-1] += data


@pytest.fixture(scope="module")
def report(saved: Path) -> str:
    return (saved / "report.html").read_text(encoding="utf-8")


def test_it_is_one_well_formed_page_that_loads_nothing(report: str) -> None:
    page = Page(report)
    assert page.open == []
    assert page.loads == []
    assert "@import" not in report
    assert not re.search(r"url\(\s*['\"]?http", report)
    assert len(report.encode()) < 5_000_000


def test_charts_hold_their_data(report: str) -> None:
    specs = [json.loads(spec) for spec in Page(report).specs]
    assert len(specs) >= 5
    for spec in specs:
        assert '"url"' not in json.dumps(spec)


def test_every_chart_has_a_title_and_a_table(report: str) -> None:
    figures = re.findall(r"<figure[ >].*?</figure>", report, flags=re.DOTALL)
    assert len(figures) == len(Page(report).specs)
    for figure in figures:
        assert re.search(r"<figcaption>[^<]{10,}</figcaption>", figure)
        assert "<details>" in figure
        assert "<table>" in figure


def test_it_says_the_numbers_of_the_run(report: str, result: wl.Result) -> None:
    assert f"{result.summary['host.requests']:,}" in report
    assert result.config in html.unescape(report)
    for note in result.notes:
        assert prose(note.text) in report
    assert "run.wall_s" not in report


def test_units_have_one_form(report: str) -> None:
    shown = re.sub(r"<(script|style|pre).*?</\1>", "", report, flags=re.DOTALL)
    for text in re.findall(r">([^<]*)<", shown):
        found = re.search(
            r"\d%|\d us\b|^us$|\(us\)|utilization|\bp999\b", re.sub(r"\w+\.\S+", "", text)
        )
        assert not found, text


def test_the_same_result_gives_the_same_page(report: str, result: wl.Result) -> None:
    assert render(result) == report


def test_nothing_in_the_data_can_break_out_of_a_chart() -> None:
    evil = "</script><script>alert(1)</script>"
    figure = Figure("<evil>", {"data": evil}, [{"<evil>": "<evil>"}], "<evil>", '"><evil>')
    stories = [Stories("<evil>", [Story("<evil>", evil)], [Story("<evil>", evil)])]
    folds = [Fold("<evil> `<evil>`", [{"a": "<evil>"}], "<evil>")]
    section = Section("<evil>", [figure], stories=stories, rows=[{"a": "<evil>"}], folds=folds)
    page = Document(
        "<evil>",
        [section, Section("empty", absent="<evil>")],
        "<evil>",
        ["<evil>"],
        [("info", "<evil>")],
        [("<evil>",) * 3],
    )
    text = page.html()
    assert "<evil>" not in text
    assert "alert(1)</script>" not in text
    # one chart and the script that draws
    assert text.count("<script") - text.count('\\"<script') >= 2
    assert Page(text).open == []
    assert text.count("&lt;evil&gt;") >= 19


@pytest.mark.parametrize(
    "workload",
    [
        {"read_fraction": 1.0, "requests": 50},
        {"read_fraction": 0.0, "requests": 50},
        {"requests": 1},
    ],
    ids=["reads only", "writes only", "one request"],
)
def test_unusual_runs_have_a_report(workload: dict[str, float]) -> None:
    page = render(wl.simulate("tiny", workload))
    assert "NaN" not in re.sub(r"<script>.*", "", page, flags=re.DOTALL)


def test_a_run_without_tables_has_a_report() -> None:
    drive = wl.Drive.from_toml("tiny", output={"request_log": 0, "block_table": 0})
    assert "keeps no state per block" in render(wl.simulate(drive, {"requests": 500}))


def head(text: str) -> str:
    """What is read of a page before its charts."""
    return re.sub(r"<style>.*?</style>", "", text[: text.index("<section>")], flags=re.DOTALL)


def heading(result: wl.Result) -> str:
    found = re.search(r"<h1>(.*?)</h1>", render(result))
    assert found
    return html.unescape(found[1])


def test_the_title_names_the_drive_and_its_load(result: wl.Result) -> None:
    reads = result.summary["host.read.count"]
    share = f"{100 * reads / result.summary['host.requests']:.0f} % reads"  # type: ignore[operator]
    assert heading(result).startswith(f"tiny, 104.9 MB: {share}, ")
    assert heading(result).endswith("% writes of 4 KiB, queue depth 8")


@pytest.mark.parametrize(
    ("workload", "expected"),
    [
        ({"read_fraction": 1.0}, "tiny, 104.9 MB: reads of 4 KiB, queue depth 8"),
        ({"read_fraction": 0.0, "request_size": "64 KiB"}, "writes of 64 KiB, queue depth 8"),
        ({"trim_fraction": 1.0, "read_fraction": 0.0}, "MB: TRIMs and flushes, queue depth 8"),
        ({"interarrival": "5 ms"}, "writes of 4 KiB, one request every 5 ms"),
    ],
)
def test_the_title_says_sizes_and_pace(workload: dict[str, object], expected: str) -> None:
    assert expected in heading(wl.simulate("tiny", {"requests": 20, **workload}))


def test_the_title_names_a_drive_file_and_says_so_in_every_later_run(tmp_path: Path) -> None:
    file = tmp_path / "my drive.toml"
    file.write_text('base = "tiny"\n')
    first = wl.simulate(wl.Drive.from_toml(file), {"requests": 5})
    assert heading(first).startswith("my drive, 104.9 MB: ")
    assert heading(wl.simulate(wl.Drive.from_text(first.config))) == heading(first)
    named = wl.Drive.from_toml(file, name="a < b")
    assert heading(wl.simulate(named, {"requests": 5})).startswith("a < b, 104.9 MB: ")


def test_many_tenants_are_counted() -> None:
    tenants = {f"tenant-{number}": {"workload": {"requests": 3}} for number in range(12)}
    text = head(render(wl.simulate(wl.Drive.from_toml("tiny", tenants=tenants))))
    assert "12 tenants: tenant-0, " in text
    assert " and 4 more." in text


def test_the_top_says_what_the_slowest_waited_for(report: str, result: wl.Result) -> None:
    for line in lead(result):
        assert line in html.unescape(head(report))
    reads = lead(result)[0]
    assert reads.startswith(f"{result.summary['host.read.count']:,} reads: median ")
    assert "; the slowest 0.1 % take more than " in reads
    assert re.search(r"and average .*; \d+ % of that is [a-z]", reads)


def test_the_top_speaks_of_no_one_in_a_thousand_of_a_few() -> None:
    assert lead(wl.simulate("tiny", {"requests": 1, "read_fraction": 1.0}))[0].startswith(
        "One read, "
    )
    few = lead(wl.simulate("tiny", {"requests": 50, "read_fraction": 1.0}))
    assert "the slowest takes" in few[0]
    assert "the slowest 1 %" not in few[0]
    some = lead(wl.simulate("tiny", {"requests": 500, "read_fraction": 1.0}))
    assert "the slowest 1 % take more than" in some[0]
    (how,) = lead(wl.simulate("tiny", {"requests": 9, "read_fraction": 0.0, "trim_fraction": 1.0}))
    assert how.startswith("Preconditioned ")


def values(chart: Mapping[str, Any], view: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The data of a view of a chart."""
    shared = view.get("data") or chart["data"]
    found: list[dict[str, Any]] = chart["datasets"][shared["name"]]
    return found


def test_a_single_latency_is_seen() -> None:
    result = wl.simulate("tiny", {"requests": 1, "read_fraction": 1.0})
    for figure, share in zip(latency.section(result).figures, ("share", "slower"), strict=True):
        points = values(figure.chart, figure.chart)
        assert len(points) == 2, "a line has two ends"
        low, high = figure.chart["encoding"]["x"]["scale"]["domain"]
        assert low < points[0]["latency"] == points[1]["latency"] < high
        assert points[0][share] != points[1][share]
        assert all(point["slower"] > 0 for point in points) or share == "share"


def test_heat_maps_show_a_drive_that_is_nearly_idle() -> None:
    # without collections, which a drive in its steady state has at any load
    drive = wl.Drive.from_toml("tiny", **{"output.timeline": True, "age.method": "fresh"})
    result = wl.simulate(drive, {"requests": 40, "interarrival": "100 ms"})
    for track in ("die", "channel"):
        figure = utilisation.heat_map(track, utilisation.of_track(result.utilisation, track))
        chart = figure.chart["hconcat"][0]
        largest = max(cell["busy"] for cell in values(figure.chart, chart))
        assert 0 < largest < 0.1
        assert chart["encoding"]["color"]["scale"]["domain"] == [0, largest]


def axes(spec: object) -> list[dict[str, object]]:
    """Every encoding of a chart with an axis of numbers."""
    if isinstance(spec, dict):
        own = [spec] if spec.get("type") == "quantitative" and "field" in spec else []
        return own + [each for value in spec.values() for each in axes(value)]
    if isinstance(spec, list):
        return [each for value in spec for each in axes(value)]
    return []


def test_axes_of_counts_have_no_mark_between_two_numbers(report: str) -> None:
    counted = {"blocks", "pages", "block", "left"}
    seen = set()
    for spec in map(json.loads, Page(report).specs):
        for encoding in axes(spec):
            if encoding["field"] not in counted or "axis" not in encoding:
                continue
            seen.add(encoding["field"])
            axis = encoding["axis"]
            assert isinstance(axis, dict)
            whole = all(isinstance(value, int) for value in axis.get("values", [0.5]))
            assert axis.get("tickMinStep") == 1 or whole, encoding
    assert seen == counted


def test_dark_colours_differ_from_light_ones(report: str) -> None:
    assert "prefers-color-scheme: dark" in report
    for light, dark in DARK.items():
        assert light != dark
        assert f'.chart [fill="{light}"] {{ fill: {dark}; }}' in report
    # every colour that a chart has for its letters and lines changes
    config = json.dumps(specification(alt.Chart(alt.InlineData(values=[])).mark_bar())["config"])
    assert set(re.findall("#[0-9a-f]{6}", config)) <= set(DARK)
