"""The report: one page that needs nothing else, and says what there is to see."""

from __future__ import annotations

import html
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import wordline as wl
from wordline.report import render
from wordline.report.page import prose
from wordline.report.section import Figure, figure_html

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
    assert html.escape(result.config) in report
    for note in result.notes:
        assert prose(note.text) in report
    assert "run.wall_s" not in report


def test_the_same_result_gives_the_same_page(report: str, result: wl.Result) -> None:
    assert render(result) == report


def test_nothing_in_the_data_can_break_out_of_a_chart() -> None:
    figure = Figure("<b>", {"data": "</script><script>alert(1)</script>"}, [{"a": "<i>"}])
    text = figure_html(figure)
    assert text.count("<script") == 1
    assert "<b>" not in text
    assert "<i>" not in text


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
