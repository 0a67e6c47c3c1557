"""What a result offers in a notebook: charts, sentences, a card."""

from __future__ import annotations

import html
import re
import warnings
from pathlib import Path

import polars as pl
import pytest

import wordline as wl
from wordline.columns import BANDS, PARTS
from wordline.explaining import SWITCHED_OFF, of_bands
from wordline.parts import of_class, words
from wordline.plotting import Plots
from wordline.report import render
from wordline.report.attribution import colour

NAMES = [name for name in vars(Plots) if not name.startswith("_")]
NEEDED = {"tenants", "energy", "power", "modes", "temperature"}
"""Charts that a run of one workload without a chip, with one mode and without a temperature has not."""


@pytest.mark.parametrize("name", [name for name in NAMES if name not in NEEDED])
def test_every_chart_is_that_of_the_report(name: str, result: wl.Result) -> None:
    chart = getattr(result.plot, name)()
    spec = chart.to_dict()
    page = render(result)
    titles = re.findall(r"<figcaption>(.*?)</figcaption>", page)
    assert spec["title"] in map(html.unescape, titles)
    assert spec.get("mark") or spec.get("vconcat") or spec.get("layer") or spec.get("hconcat")


def test_a_chart_can_be_saved_as_a_picture(
    result: wl.Result, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("charts") / "chart.svg"
    result.plot.attribution("write").save(str(file))
    assert file.read_text().startswith("<svg")


@pytest.mark.parametrize(
    "name", ["latency", "over_time", "utilisation", "timeline", "write_amplification"]
)
def test_a_chart_saved_as_a_page_needs_no_network(
    name: str, result: wl.Result, tmp_path: Path
) -> None:
    chart = getattr(result.plot, name)()
    chart.save(tmp_path / "chart.html")
    with warnings.catch_warnings(action="error"):
        chart.save(tmp_path / "chart.png")
    needs_no_network(tmp_path / "chart.html")
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")


def test_an_altered_chart_is_saved_in_the_same_way(result: wl.Result, tmp_path: Path) -> None:
    chart = result.plot.wear().properties(title="another")
    chart.save(str(tmp_path / "other.HTML"), format="html")
    needs_no_network(tmp_path / "other.HTML")


def needs_no_network(file: Path) -> None:
    """Check that the scripts of a page are inside it."""
    text = file.read_text(encoding="utf-8")
    assert not re.search(r"<script[^>]+src=|<link[^>]+href=", text)
    assert len(text) > 500_000, "the scripts are inside"


@pytest.mark.parametrize("name", sorted(NEEDED))
def test_what_cannot_be_drawn_is_said(name: str, result: wl.Result) -> None:
    with pytest.raises(ValueError, match=name):
        getattr(result.plot, name)()


def test_a_run_without_attribution_has_no_chart_of_it() -> None:
    result = wl.simulate("tiny", {"requests": 100})
    with pytest.raises(ValueError, match=r"output\.attribution"):
        result.plot.attribution()


def test_the_explanation_agrees_with_the_attribution(result: wl.Result) -> None:
    text = result.explain()
    for kind in ("read", "write"):
        assert f"{result.summary[f'host.{kind}.count']:,} {kind}s" in text
        table = of_class(result, kind)
        half = table.filter(pl.col("band") == BANDS[0]).sort("part_mean_us", descending=True)
        top = half.row(0, named=True)
        share = top["part_mean_us"] / top["latency_mean_us"]
        assert f"Of this, {100 * share:.0f} % is {words(top['part'])}" in text
    assert text.count("\n- ") == 6


def test_bands_are_put_together_by_their_requests(result: wl.Result) -> None:
    table = of_class(result, "read")
    count, time, parts = of_bands(table, BANDS)
    assert count == result.summary["host.read.count"]
    assert time == pytest.approx(result.summary["host.read.latency.mean_us"])
    assert sum(mean for _, mean in parts) == pytest.approx(time)
    assert of_bands(table, ["nothing"]) == (0, 0.0, [])


def test_without_attribution_it_says_how_to_have_it() -> None:
    assert wl.simulate("tiny", {"requests": 100}).explain() == SWITCHED_OFF


def test_requests_that_take_no_time_are_explained() -> None:
    recorded = {"output.attribution": True, "output.timeline": True}
    # the buffer of a fresh drive is empty, so that it takes the first writes at once
    buffer = {"buffer.policy": "lru", "buffer.access": "0 ns", "age.method": "fresh"}
    result = wl.simulate(
        wl.Drive.from_toml("tiny", **buffer, **recorded, **{"workload.requests": 2_000}),
        progress=False,
    )
    for kind in ("read", "write"):
        prefix = f"attribution.{kind}."
        parts = sum(result.number(key) for key in result.summary if key.startswith(prefix))
        assert parts == pytest.approx(result.number(f"host.{kind}.latency.mean_us"))
    assert "served from the controller's memory" in result.explain()
    assert "Where the time went" in render(result)
    # nothing but the buffer: all requests take no time
    small = {"workload.region": "64 KiB", "workload.read_fraction": 0.0}
    result = wl.simulate(
        wl.Drive.from_toml("tiny", **buffer, **recorded, **small, **{"workload.requests": 300}),
        progress=False,
    )
    assert result.number("host.write.latency.max_us") == 0.0
    assert set(result.attribution["part"]) == {"memory"}
    # half of them in the band of the faster half, though they are all alike
    assert result.attribution["requests"].to_list()[:2] == [150, 120]
    assert "the faster half takes no time (150 writes" in result.explain()
    # what is the longest is not exceeded by one in a hundred
    assert result.explain().splitlines()[-1] == "- None takes longer than 0 µs."
    assert "Where the time went" in render(result)


def test_a_run_without_reads_and_writes_explains_nothing() -> None:
    result = wl.simulate("tiny", {"requests": 100, "read_fraction": 0.0, "trim_fraction": 1.0})
    assert result.explain() == "The run held no reads and no writes."


def test_few_requests_are_explained(result: wl.Result) -> None:
    drive = wl.Drive.from_toml("tiny", **{"output.attribution": True})
    few = wl.simulate(drive, {"requests": 3, "read_fraction": 1.0})
    assert few.explain().startswith("3 reads, ")


def test_the_card_needs_no_script(result: wl.Result) -> None:
    card = result._repr_html_()
    assert "<script" not in card
    assert "http" not in card
    assert re.search(r'\[data-jp-theme-light="false"\] \.wordline.*--paper: #171b22', card)
    assert f"{result.summary['host.requests']:,}" in card
    for note in result.notes:
        assert note.text[1:20] in html.unescape(card)


def test_every_part_has_words_and_most_a_colour_of_their_own() -> None:
    assert len({words(part) for part in PARTS}) == len(PARTS)
    assert len({colour(part) for part in PARTS}) == len(PARTS)
