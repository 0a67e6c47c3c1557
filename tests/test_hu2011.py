"""The study of Hu et al. 2011: its declarations, its page, and a figure in the quick form."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from conftest import wordline
from wordline.results import Scalar
from wordline.studies import find
from wordline.studies.grid import GridFigure
from wordline.studies.hu2011.loads import FILES, QUICK
from wordline.studies.outcome import Outcome
from wordline.studies.study import Form, Part

ROOT = Path(__file__).parents[1]
STUDY = find("hu2011")
NAMES = list(STUDY.figures)


class Anything(dict[str, Scalar]):
    """A summary in which every figure exists, and is the same."""

    def __init__(self, value: float) -> None:
        super().__init__()
        self.value = value

    def get(self, key: str, default: Any = None) -> Any:
        return default if key in self else self.value


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    """A folder with something in the place of every excerpt."""
    for name in FILES.values():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("0,0,4096,r,0.0\n")
    return tmp_path


def grid(name: str) -> GridFigure:
    figure = STUDY.figures[name]
    assert isinstance(figure, GridFigure)
    return figure


def invented(name: str, traces: Path) -> Part:
    """The part that a figure would be, if every run had given what its label says."""
    form = Form(quick=False, traces=traces)
    seen = {"gc_onset": 0.0, "plane_erases": [1, 2, 3]}
    outcomes = {
        point: Outcome(Anything(1.0 + crc32(point.label.encode()) / 2**32), {}, seen)
        for point in grid(name).points(form)
    }
    return grid(name).part(form, outcomes)


@pytest.mark.parametrize("name", NAMES)
def test_every_point_resolves(name: str, traces: Path) -> None:
    cells = grid(name).grid(Form(quick=False, traces=traces))
    assert max(len(runs) for runs in cells.values()) == 3
    # seeds change nothing about what is accepted
    points = [next(iter(runs.values())) for runs in cells.values()]
    assert len({point.label for point in points}) == len(points)
    assert all(point.resolved.hash for point in points)


def test_the_quick_form_has_one_seed_and_fewer_requests(traces: Path) -> None:
    quick = grid("copy-back").points(Form(quick=True, traces=traces))
    assert len(quick) == 3 * 10
    assert {point.resolved.get("workload.requests") for point in quick if not point.trace} == {
        QUICK
    }


@pytest.mark.parametrize("name", NAMES)
def test_every_claim_speaks_of_runs_that_exist(name: str, traces: Path) -> None:
    part = invented(name, traces)
    assert len(part.claims) == len(grid(name).claims)
    for claim in part.claims:
        assert claim.verdict.of > 0, claim.text
        assert claim.verdict.void == 0, claim.text
        assert claim.where
    assert not part.remarks


def test_loads_say_what_they_are() -> None:
    for name in NAMES:
        for load in grid(name).loads:
            if load.trace:
                assert load.name.endswith("excerpt")
            elif load.keys["kind"] == "profile":
                assert "surrogate" in load.name


def test_aged_drives_must_collect() -> None:
    for name in NAMES:
        for variant in grid(name).variants:
            ages = {"steady_state", "invalidated"}
            assert variant.aged == (variant.keys.get("age.method") in ages), (name, variant.name)
        assert "gc_onset" in grid(name).observers


def test_one_set_of_parameters_serves_every_figure() -> None:
    """What a figure lays over a preset is what it varies, and the state of the drive."""
    allowed: Sequence[str] = (
        "age.fill",
        "age.method",
        "allocation.mode",
        "allocation.order",
        "commands.",
        "geometry.channels",
    )
    more = {
        "page-size": ("geometry.page_size", "geometry.blocks_per_plane"),
        "page-size-erased": ("geometry.page_size", "geometry.blocks_per_plane"),
        "page-size-busy": ("geometry.page_size", "geometry.blocks_per_plane"),
        "order-dynamic-ssdsim": ("compat.ssdsim_combined_bus",),
        "software": ("firmware.enabled",),
        "sensitivity": ("ftl.gc.hard", "ftl.gc.low", "ftl.gc.high"),
    }
    for name in NAMES:
        for variant in grid(name).variants:
            for key in variant.keys:
                assert key.startswith((*allowed, *more.get(name, ()))), (name, key)


def test_the_committed_page_has_every_figure_and_claim(traces: Path) -> None:
    page = (ROOT / "docs" / "studies" / "hu2011.md").read_text(encoding="utf-8")
    for name in NAMES:
        part = invented(name, traces)
        assert f"## {part.heading}\n\n{part.text}\n" in page
        assert (ROOT / "docs" / "studies" / f"hu2011-{name}.svg").exists()
        for claim in part.claims:
            assert f"**: {claim.text} ({claim.where}). Wordline: " in page


def test_a_figure_in_the_quick_form(tmp_path: Path) -> None:
    arguments = ("reproduce", "hu2011", "--figure", "copy-back", "--quick")
    places = ("--out", tmp_path / "page", "--cache", tmp_path / "kept", "--traces", tmp_path)
    done = wordline(*arguments, *places)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page" / "hu2011.md").read_text(encoding="utf-8")
    assert "| metric | load | baseline | basic | blind | wise |" in page
    assert "Not run, because the trace is absent: Web excerpt, Dev excerpt" in page
    assert (tmp_path / "page" / "hu2011-copy-back.svg").read_text().startswith("<svg")
    kept = sorted((tmp_path / "kept").iterdir())
    assert len(kept) == 3 * 6
    # again, from what was kept
    written = {path: path.stat().st_mtime_ns for path in kept}
    assert wordline(*arguments, *places).returncode == 0
    assert {path: path.stat().st_mtime_ns for path in kept} == written
    assert (tmp_path / "page" / "hu2011.md").read_text(encoding="utf-8") == page
