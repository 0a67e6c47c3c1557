"""The explorer in a real browser: one filter for both drawings, and the way to a run's report."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from browser import CHROMIUM, MISSING, browser
from options import call, effect

COUNT = "document.getElementById('count').textContent"
FADED = "[...document.querySelectorAll('#{} {}')].filter((each) => +each.getAttribute('opacity') < 0.2).length"


def explored(tmp_path: Path) -> Path:
    """A sweep of six points, one of which fails, with reports."""
    out = tmp_path / "out"
    vary = ("--vary", "geometry.channels=1,2,0", "--vary", "ftl.gc.victim=greedy,fifo")
    few = ("--set", "workload.requests=60", "--cache", tmp_path / "kept")
    call("sweep", "tiny", *few, *vary, "--out", out, "--reports")
    return out


@effect("sweep", "--reports")
def test_reports_of_points_are_beside_the_explorer(tmp_path: Path) -> None:
    out = explored(tmp_path)
    # channels = 0 is refused
    assert sorted(each.name for each in (out / "runs").iterdir()) == ["0", "1", "2", "3"]
    rows = space(out / "explorer.html")["rows"]
    assert [row["report"] for row in rows] == [f"runs/{number}/report.html" for number in range(4)]
    saved = wl.load(out / "runs" / "2")
    columns = space(out / "explorer.html")["columns"]
    assert saved.summary["host.iops"] == columns["host.iops"]["values"][2]
    before = (out / "runs" / "0" / "summary.json").stat().st_mtime_ns
    explored(tmp_path)
    assert (out / "runs" / "0" / "summary.json").stat().st_mtime_ns == before
    done = call("sweep", "tiny", "--vary", "geometry.channels=1", "--reports", status=2)
    assert "--reports: there is no --out" in done.stderr


def space(page: Path) -> dict[str, Any]:
    """The data of an explorer."""
    text = page.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="space">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_the_pareto_set_is_marked(tmp_path: Path) -> None:
    found = wl.search(
        "tiny",
        {"requests": 60},
        vary={"geometry.channels": [1, 2, 4]},
        minimize=["geometry.channels", "sim.time_s"],
        trials=3,
        cache=tmp_path / "kept",
        progress=False,
    )
    data = space(found.save(tmp_path / "out") / "explorer.html")
    marked = [row["point"] for row in data["rows"] if row["marked"]]
    assert sorted(marked) == sorted(found.best["trial"])
    assert data["columns"]["sim.time_s"]["values"] == found.table["sim.time_s"].to_list()


@pytest.mark.skipif(CHROMIUM is None, reason=MISSING)
def test_a_filter_holds_for_both_drawings_and_a_click_leads_to_a_report(tmp_path: Path) -> None:
    out = explored(tmp_path)
    with browser(tmp_path / "profile") as page:
        page.open(out / "explorer.html")
        page.wait_for(f"{COUNT} == '4 of 4 points'")
        assert page.evaluate("document.querySelectorAll('#scatter circle').length") == 4
        # axes end at rounded numbers, and the colours are explained
        ticks = page.evaluate(
            "[...document.querySelectorAll('#scatter text[text-anchor=end]')].map(each => each.textContent)"
        )
        numbers = [float(tick.replace(",", "")) for tick in ticks]
        step = numbers[1] - numbers[0]
        assert [round(after - before - step, 6) for before, after in pairwise(numbers)] == [0.0] * (
            len(numbers) - 1
        )
        assert f"{step:e}"[:3] in ("1.0", "2.0", "2.5", "5.0")
        assert page.evaluate("document.getElementById('legend').innerText").startswith("colour: ")
        # from the middle of the plot to its right edge: those of two channels are there
        page.evaluate(
            "(select => { select.value = 'geometry.channels'; select.dispatchEvent(new Event('change')); })(document.getElementById('x'))"
        )
        x, y, width, height = page.evaluate(
            "(r => [r.x, r.y, r.width, r.height])(document.getElementById('scatter').getBoundingClientRect())"
        )
        page._mouse("mousePressed", x + width / 2, y + 5, held=True)
        page._mouse("mouseMoved", x + width - 5, y + height - 5, held=True)
        page._mouse("mouseReleased", x + width - 5, y + height - 5, held=True)
        page.wait_for(f"{COUNT} == '2 of 4 points'")
        assert page.evaluate(FADED.format("scatter", "circle")) == 2
        assert page.evaluate(FADED.format("parallel", "polyline")) == 2
        # the last that is drawn lies above all others, and is kept
        last = page.evaluate("document.querySelectorAll('#scatter circle').length") - 1
        page.click("#scatter circle", last)
        page.wait_for("document.querySelector('#picked a') !== null")
        assert re.fullmatch(
            r"runs/[23]/report\.html",
            page.evaluate("document.querySelector('#picked a').getAttribute('href')"),
        )
        assert "geometry.channels" in page.evaluate("document.getElementById('picked').innerText")
        page.click("#all")
        page.wait_for(f"{COUNT} == '4 of 4 points'")
        assert page.complaints == []
        assert [url for url in page.loaded if not url.startswith("data:")] == [
            page.evaluate("location.href")
        ]
