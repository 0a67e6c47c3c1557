"""The pages in a real browser: nothing complains, every chart is drawn, legends answer to clicks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import wordline as wl
from browser import CHROMIUM, MISSING, Browser, browser

pytestmark = [
    # one process runs them all, so that what they look at is made once
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(CHROMIUM is None, reason=MISSING),
]

ALL_DRAWN = "document.querySelectorAll('figure svg.marks').length == document.querySelectorAll('figure').length"
OPACITIES = "[...document.querySelectorAll('#{figure} .{mark} path')].map(e => +(e.getAttribute('opacity') ?? 1))"


@pytest.fixture(scope="module")
def report(saved: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """The report of a small run, opened."""
    with browser(tmp_path_factory.mktemp("profile")) as page:
        page.open(saved / "report.html")
        page.wait_for(ALL_DRAWN)
        yield page


def test_every_chart_is_drawn_and_nothing_complains(report: Browser) -> None:
    assert report.evaluate("document.querySelectorAll('figure').length") >= 8
    assert "needs JavaScript" not in report.evaluate("document.body.innerText")
    assert report.complaints == []


def test_nothing_but_the_page_is_loaded(report: Browser) -> None:
    assert [url for url in report.loaded if not url.startswith("data:")] == [
        report.evaluate("location.href")
    ]


@pytest.mark.parametrize(
    ("figure", "mark", "of"),
    [
        ("latency", "mark-line", 2),
        ("attribution-read", "mark-rect.role-mark", 10),
        ("operations", "mark-rect.role-mark", 4),
    ],
)
def test_a_click_on_a_legend_singles_out(report: Browser, figure: str, mark: str, of: int) -> None:
    opacities = OPACITIES.format(figure=figure, mark=mark)
    assert len(report.evaluate(opacities)) >= of
    assert set(report.evaluate(opacities)) == {1}
    entry = f"#{figure} .role-legend-label text"
    report.click(entry)
    report.wait_for(f"new Set({opacities}).size == 2")
    shown = report.evaluate(opacities)
    assert 1 in shown
    assert min(shown) < 0.2
    # again: all are back
    report.click(entry)
    report.wait_for(f"Math.min(...{opacities}) == 1")


def test_a_click_on_the_gantt_singles_out_what_a_request_was_served_by(report: Browser) -> None:
    opacities = OPACITIES.format(figure="timeline", mark="mark-rect.role-mark")
    before = report.evaluate(opacities)
    assert len(before) > 20
    assert set(before) == {1}
    bars = "#timeline .mark-rect.role-mark path"
    slowest = report.evaluate(
        f"[...document.querySelectorAll('{bars}')].findIndex(e => e.getAttribute('fill') == '#111827')"
    )
    report.click(bars, slowest)
    report.wait_for(f"new Set({opacities}).size == 2")
    shown = report.evaluate(opacities)
    assert shown[slowest] == 1
    assert 1 < sum(opacity == 1 for opacity in shown) < len(shown) / 2
    report.click(bars, slowest)
    report.wait_for(f"Math.min(...{opacities}) == 1")


def test_the_gantt_moves_with_the_mouse(report: Browser) -> None:
    labels = "[...document.querySelectorAll('#timeline .role-axis-label text')].map(e => e.textContent).join()"
    before = report.evaluate(labels)
    report.drag("#timeline .background", 200)
    report.wait_for(f"{labels} != {before!r}")


def test_tables_open(report: Browser) -> None:
    report.click("#latency > details summary")
    report.wait_for("document.querySelector('#latency > details').open")
    assert "99.9 %" in report.evaluate(
        "document.querySelector('#latency > details table').innerText"
    )


def test_it_fits_a_narrow_window(report: Browser) -> None:
    report.resize(800, 600)
    assert report.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("width", [420, 320])
def test_it_is_read_on_a_telephone(report: Browser, width: int) -> None:
    report.resize(width, 800)
    report.wait_for(
        "[...document.querySelectorAll('.chart')].every(e =>"
        " e.querySelector('svg.marks').viewBox.baseVal.width <= e.clientWidth)"
    )
    assert report.evaluate("document.documentElement.scrollWidth") <= width
    smallest = (
        "Math.min(...[...document.querySelectorAll('.chart svg.marks text')].map(e =>"
        " Math.hypot(e.getScreenCTM().a, e.getScreenCTM().b) * parseFloat(e.getAttribute('font-size'))))"
    )
    assert report.evaluate(smallest) >= 10, "letters keep their size"
    # panels that stood side by side stand below each other
    panels = "document.querySelectorAll('#die-utilisation .role-scope')"
    assert (
        report.evaluate(f"new Set([...{panels}].map(e => e.getBoundingClientRect().left)).size")
        == 1
    )
    # tables scroll inside
    report.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
    assert report.evaluate("document.documentElement.scrollWidth") <= width
    report.evaluate("document.querySelectorAll('details').forEach(e => e.open = false)")
    assert report.complaints == []


def test_a_dark_page_has_dark_charts(report: Browser) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    letters = "getComputedStyle(document.querySelector('#latency .role-axis-label text')).fill"
    chart = "getComputedStyle(document.querySelector('#latency svg.marks')).backgroundColor"
    assert brightness(report.evaluate(ground)) > 200 > 100 > brightness(report.evaluate(letters))
    report.prefer("dark")
    assert brightness(report.evaluate(ground)) < 50 < 150 < brightness(report.evaluate(letters))
    assert report.evaluate(chart) == "rgba(0, 0, 0, 0)"
    report.prefer("light")
    assert brightness(report.evaluate(ground)) > 200


def brightness(colour: str) -> float:
    """The mean of the parts of `rgb(1, 2, 3)`."""
    parts = [float(part) for part in re.findall(r"[\d.]+", colour)[:3]]
    return sum(parts) / 3


@pytest.mark.slow
def test_a_comparison_is_drawn(result: wl.Result, tmp_path: Path) -> None:
    other = wl.simulate("tiny", {"requests": 2_000, "queue_depth": 2})
    page = wl.compare(result, other).save(tmp_path / "page.html")
    with browser(tmp_path / "profile") as opened:
        opened.open(page)
        opened.wait_for(ALL_DRAWN)
        assert opened.evaluate("document.querySelectorAll('figure').length") >= 5
        assert opened.complaints == []
