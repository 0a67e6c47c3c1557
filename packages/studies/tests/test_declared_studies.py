"""What every study that is declared as grids of runs must have, and its committed page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from shared import CHAPTERS
from wordline import _wordline
from wordline.points.outcome import Outcome
from wordline.results import Scalar
from wordline.studies import find, offered
from wordline.studies.chapter import source_of
from wordline.studies.families import Row, grouped
from wordline.studies.grid import Cell, GridFigure, Metric
from wordline.studies.load_range import LoadRange
from wordline.studies.measured import Measured
from wordline.studies.published import PublishedFigure
from wordline.studies.study import Form, Part

AGES: dict[str, set[object]] = {
    "hu2011": {"steady_state", "invalidated"},
    "wu2012-suspension": {None},
    "ftl-family": {None},
    "wu2013-diffecc": {None},
    "wu2013-delta-ftl": {None},
    # no drive of it must collect: throughput is that of drives with room
    "cui2018-dlv": set(),
}
"""Studies, and the values of `age.method` laid over a preset that make a drive aged; `None` is that of the preset."""

FIGURES = [
    (study, name)
    for study in AGES
    for name, figure in find(study).figures.items()
    if isinstance(figure, GridFigure)
]
BESIDE = [
    (study, name)
    for study in AGES
    for name, figure in find(study).figures.items()
    if isinstance(figure, PublishedFigure | LoadRange)
]
"""Figures that are made of the runs of grids, and have a table in place of claims."""
each_figure = pytest.mark.parametrize(("study", "name"), FIGURES)


LATENCIES = {
    "first": {
        kind: {"count": 100, "levels_us": [20.0 * each for each in range(1, 102)]}
        for kind in ("read", "write")
    }
}
"""What the observer of latencies sees of requests."""


SIZES = [
    {"at_s": 0.0, "mean_kib": 8.0, "p5_kib": 4.0, "p95_kib": 16.0, "part_kib": 4.0, "parts": 2.0}
]
"""What the observer of sizes sees of them."""


class Anything(dict[str, Scalar]):
    """A summary in which every figure exists, and is the same."""

    def __init__(self, value: float) -> None:
        super().__init__()
        self.value = value

    def get(self, key: str, default: Any = None) -> Any:
        return default if key in self else self.value


def grid(study: str, name: str) -> GridFigure:
    figure = find(study).figures[name]
    assert isinstance(figure, GridFigure)
    return figure


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    """A folder with something in the place of every excerpt."""
    for name in {load.trace for figure in FIGURES for load in grid(*figure).loads if load.trace}:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("0,0,4096,r,0.0\n")
    return tmp_path


def invented(study: str, name: str, traces: Path) -> Part:
    """The part that a figure would be, if every run had given what its label says."""
    form = Form(quick=False, traces=traces)
    seen = {
        "gc_onset": 0.0,
        "plane_erases": [1, 2, 3],
        "idle_share": 0.5,
        "latencies": LATENCIES,
        "sizes": SIZES,
    }
    outcomes = {
        point: Outcome(Anything(0.5 + crc32(point.label.encode()) / 2**33), {}, seen)
        for point in grid(study, name).points(form)
    }
    return grid(study, name).part(form, outcomes)


@each_figure
def test_every_point_resolves(study: str, name: str, traces: Path) -> None:
    cells = grid(study, name).grid(Form(quick=False, traces=traces))
    assert max(len(runs) for runs in cells.values()) == len(grid(study, name).seeds)
    # seeds change nothing about what is accepted
    points = [next(iter(runs.values())) for runs in cells.values()]
    assert len({point.label for point in points}) == len(points)
    assert all(point.resolved.hash for point in points)


@each_figure
def test_every_metric_is_a_key_of_the_summary(study: str, name: str) -> None:
    keys = [re.sub(r"<\w+>", "[^.]+", re.escape(key)) for key, _, _ in _wordline.summary_keys()]
    for metric in grid(study, name).metrics:
        if isinstance(metric.value, str):
            assert any(re.fullmatch(key, metric.value) for key in keys), metric.value


@each_figure
def test_every_claim_speaks_of_runs_that_exist(study: str, name: str, traces: Path) -> None:
    part = invented(study, name, traces)
    assert len(part.claims) == len(grid(study, name).claims)
    for claim in part.claims:
        assert claim.where
        if claim.in_short.startswith("not judged"):  # whatever a run gives
            assert claim.verdict.of == 0
            continue
        assert claim.verdict.of > 0, claim.text
        # of some loads it may be known beforehand that they are not the source's
        assert claim.verdict.void == 0 or claim.why.startswith("not judged, since"), claim.text
    assert not part.remarks


@each_figure
def test_loads_say_what_they_are(study: str, name: str) -> None:
    for load in grid(study, name).loads:
        if load.trace:
            assert load.name.endswith("excerpt")
        elif load.keys["kind"] == "profile":
            assert "surrogate" in load.name


@each_figure
def test_aged_drives_must_collect(study: str, name: str) -> None:
    for variant in grid(study, name).variants:
        assert variant.aged == (variant.keys.get("age.method") in AGES[study]), variant.name
    assert "gc_onset" in grid(study, name).observers


@each_figure
def test_the_committed_page_has_every_figure_and_claim(study: str, name: str, traces: Path) -> None:
    page = (CHAPTERS / f"{study}.md").read_text(encoding="utf-8")
    part = invented(study, name, traces)
    assert f"## {part.heading} {{ #{name} }}\n\n{part.text}\n" in page
    assert (CHAPTERS / f"{study}-{name}.svg").exists()
    for row in grouped([Row("", claim.text, name, "") for claim in part.claims]):
        assert f" [{row.text}](#{name}) | " in page
    for claim in part.claims:
        whose = source_of(claim, find(study).cited)
        assert f' "{claim.text}"\n\n    {whose}.\n\n    Wordline: ' in page


@pytest.mark.parametrize(("study", "name"), BESIDE)
def test_tables_made_of_grids(study: str, name: str, traces: Path) -> None:
    """Their runs are accepted, every row has a value in every column, and the committed page has them."""
    figure = find(study).figures[name]
    form = Form(quick=False, traces=traces)
    points = {(point.drive, point.overrides): point for point in figure.points(form)}
    chosen = [*points.values()][:: max(1, len(points) // 50)]
    assert all(point.resolved.hash for point in chosen)
    seen = {
        "gc_onset": 0.0,
        "plane_erases": [1, 2, 3],
        "idle_share": 0.5,
        "latencies": LATENCIES,
        "sizes": SIZES,
    }
    outcomes = {
        point: Outcome(Anything(1.0 + crc32(point.label.encode()) / 2**32), {}, seen)
        for point in figure.points(form)
    }
    part = figure.part(form, outcomes)
    assert part.runs == part.done >= len(points)
    assert part.open_table
    first = part.figure.rows[0]
    for row in part.figure.rows:
        assert row.keys() == first.keys()
        assert "void" not in row.values()
        assert "○" not in row.values()
    page = (CHAPTERS / f"{study}.md").read_text(encoding="utf-8")
    assert f"## {part.heading} {{ #{name} }}\n\n{part.text}\n" in page
    assert f"\n| {' | '.join(first)} |\n" in page
    assert (CHAPTERS / f"{study}-{name}.svg").exists()


def test_every_claim_has_its_range_of_load() -> None:
    figure = find("hu2011").figures["load-range"]
    assert isinstance(figure, LoadRange)
    left_out = {
        name
        for own, name in FIGURES
        if own == "hu2011"
        and grid(own, name).claims
        and any(load.keys.get("kind") == "profile" for load in grid(own, name).loads)
    }
    # the same claims with SSDsim's bus, and claims about the length of a load
    assert left_out - figure.figures.keys() == {"order-dynamic-ssdsim", "wear-long", "length"}


class Asked(Measured):
    """What a figure would have measured, and which of it a claim is about."""

    variants_asked: set[str]
    loads_asked: set[str]

    def by_seed(self, metric: Metric, cell: Cell) -> Mapping[int, float]:
        self.variants_asked.add(cell.variant)
        self.loads_asked.add(cell.load)
        return {1: 0.5 + crc32(repr(cell).encode()) / 2**33}


def words(text: str) -> set[str]:
    """The words of a text, without the marks around them."""
    return set(re.findall(r"[a-z0-9][a-z0-9.-]*(?<![.-])", text.lower()))


@each_figure
def test_labels_of_claims_stand_alone(study: str, name: str, traces: Path) -> None:
    """A label names the two drives that it compares, and its loads."""
    figure = grid(study, name)
    cells = figure.grid(Form(quick=False, traces=traces))
    for judge in figure.claims:
        asked = Asked(figure, {cell: {} for cell in cells})
        asked.variants_asked, asked.loads_asked = set(), set()
        label = judge(asked).text
        assert re.match(r"[A-Z].{50}", label), label
        said = words(label)
        if len(asked.variants_asked) == 2:
            for variant in asked.variants_asked:
                assert words(variant) <= said, (label, variant)
        if asked.loads_asked == set(asked.loads):
            traces_asked = {load.split()[0].lower() for load in asked.loads_asked}
            assert label.endswith("under every load") or traces_asked <= said, label
        else:
            assert {load.split()[0].lower() for load in asked.loads_asked} <= said, label


@pytest.mark.parametrize("study", offered())
def test_no_two_claims_have_the_same_label(study: str) -> None:
    page = (CHAPTERS / f"{study}.md").read_text(encoding="utf-8")
    labels = re.findall(r"^\| [✓◐✗○] \[(.*)\]\(#", page, flags=re.MULTILINE)
    assert len(labels) > 5
    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize("study", offered())
def test_numbers_of_the_table_of_claims_have_units(study: str) -> None:
    page = (CHAPTERS / f"{study}.md").read_text(encoding="utf-8")
    numbers = re.findall(r"^\| [✓◐✗○] \[.*\]\(#.*\) \| (.*) \|$", page, flags=re.MULTILINE)
    assert len(numbers) > 5
    for number in numbers:
        assert re.search(
            r"\(ratio\): [`\w]|\d (µs|ms|µJ|minutes|years|cycles|times|GB|PB|MB/s|months|modes|points|per second|requests per second|cores|nodes|days|bytes|Gibit|events|volt|per page|share|blocks|pages|erases)|%|cases?(;|$)|comparisons|not judged",
            number,
        ), number


@pytest.mark.parametrize("study", offered())
def test_names_of_the_opening_chart_are_explained_before_it(study: str) -> None:
    found = find(study)
    page = (CHAPTERS / f"{study}.md").read_text(encoding="utf-8")
    before = page.split("![")[0]
    for name, meaning in found.terms.items():
        assert f"* **{name}**: {meaning}\n" in before
    known = words(" ".join(found.terms))
    figure = found.figures[found.cover or next(iter(found.figures))]
    if isinstance(figure, GridFigure):
        for variant in figure.variants:
            assert words(variant.name) <= known, variant.name
        for load in figure.loads:
            assert words(load.name) <= known, load.name
