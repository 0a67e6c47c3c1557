"""The study of Hu et al. 2011: its parameters, and a figure in the quick form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from shared import wordline
from wordline.notes import Note
from wordline.points.engine import Engine
from wordline.points.outcome import Outcome
from wordline.points.point import Point
from wordline.points.store import Store
from wordline.studies import find
from wordline.studies.grid import GridFigure
from wordline.studies.study import Form
from wordline.studies.verdict import Claim
from wordline_studies.hu2011.baselines import TABLE_3
from wordline_studies.hu2011.loads import QUICK, surrogate
from wordline_studies.hu2011.ssdsim import BOUND, IN_USE
from wordline_studies.hu2011.wear import spread

STUDY = find("hu2011")
NAMES = [name for name, figure in STUDY.figures.items() if isinstance(figure, GridFigure)]


def grid(name: str) -> GridFigure:
    figure = STUDY.figures[name]
    assert isinstance(figure, GridFigure)
    return figure


def test_the_quick_form_has_one_seed_and_fewer_requests(tmp_path: Path) -> None:
    quick = grid("copy-back").points(Form(quick=True, traces=tmp_path))
    # without the excerpts
    assert len(quick) == 3 * 6
    assert {point.resolved.get("workload.requests") for point in quick} == {QUICK}


def test_one_set_of_parameters_serves_every_figure() -> None:
    """What a figure lays over a preset is what it varies, and the state of the drive."""
    allowed: Sequence[str] = (
        "age.fill",
        "age.method",
        "age.place_reads",
        "allocation.mode",
        "allocation.order",
        "commands.",
        "geometry.channels",
    )
    more = {
        "page-size": ("geometry.page_size", "geometry.blocks_per_plane"),
        "page-size-whole-pages": ("geometry.page_size", "geometry.blocks_per_plane"),
        "page-size-busy": ("geometry.page_size", "geometry.blocks_per_plane"),
        "capacity": (
            "geometry.page_size",
            "geometry.blocks_per_plane",
            "geometry.chips_per_channel",
        ),
        "order-dynamic-ssdsim": ("compat.ssdsim_combined_bus",),
        "wear": ("allocation.dynamic",),
        "wear-long": ("allocation.dynamic",),
        "order-static-no-software": ("firmware.enabled",),
        "multi-plane-read-alone": ("firmware.enabled",),
        "copy-back-by-live-data": ("geometry.blocks_per_plane",),
        "collection-holds-channel": ("scheduler.collection_",),
        "multi-plane-read-by-chips": ("geometry.chips_per_channel",),
        "sensitivity": ("ftl.gc.hard", "ftl.gc.low", "ftl.gc.high", "firmware.enabled"),
    }
    for name in NAMES:
        for variant in grid(name).variants:
            for key in variant.keys:
                assert key.startswith((*allowed, *more.get(name, ()))), (name, key)


def test_capacity_grows_alike_by_pages_and_by_chips(tmp_path: Path) -> None:
    def capacity(point: Point) -> int:
        found = 1
        for key in (
            "channels",
            "chips_per_channel",
            "dies_per_chip",
            "planes_per_die",
            "blocks_per_plane",
            "pages_per_block",
        ):
            found *= int(str(point.resolved.get(f"geometry.{key}")))
        return found * int(str(point.resolved.get("geometry.page_size")).split()[0])

    figure = grid("capacity")
    runs = figure.grid(Form(quick=True, traces=tmp_path))
    for (panel, name), found in {
        (cell.panel, cell.variant): capacity(points[1]) for cell, points in runs.items()
    }.items():
        # 16 GiB, in KiB
        times = 1 if name == "as it is" else int(panel.split()[0])
        assert found == times * 16 * 2**20, (panel, name)


def test_lengths_are_those_at_which_the_baseline_holds(tmp_path: Path) -> None:
    """Of the shortest load: static allocation has the deviation of table 3, within the noise of one seed."""
    cells = grid("wear-long").grid(Form(quick=False, traces=tmp_path))
    (points,) = (
        found
        for cell, found in cells.items()
        if (cell.variant, cell.load) == ("static s2", "Rad surrogate")
    )
    (outcome,) = Engine(Store(tmp_path), progress=False).run([*points.values()]).values()
    assert spread(outcome) == pytest.approx(TABLE_3["Rad"][0], rel=0.15)


def copies(erased: float, *notes: Note) -> Claim:
    """The claim about erases by blind copy-back under MSN, if they are so many times those with basic commands."""
    figure = replace(grid("copy-back"), loads=[surrogate("MSN")])
    outcomes = {}
    for point in figure.points(Form(quick=True, traces=Path())):
        times = erased if ", blind," in point.label else 1.0
        summary = {"ftl.blocks_erased": 100 * times, "host.all.latency.mean_us": times}
        told = {note.key: note for note in notes}
        outcomes[point] = Outcome(summary, told, {"gc_onset": 0.0})
    return figure.part(Form(quick=True, traces=Path()), outcomes).claims[0]


@pytest.mark.parametrize(("erased", "mark"), [(17.8, "✓"), (13.7, "✓"), (13.5, "✗"), (22.1, "✗")])
def test_a_size_may_miss_the_printed_change_by_a_quarter(erased: float, mark: str) -> None:
    claim = copies(erased)
    assert "17.8 times" in claim.text
    assert claim.verdict.mark == mark
    assert f"{erased:.3g} for 17.8" in claim.in_short


def test_a_case_that_is_not_judged_says_why() -> None:
    claim = copies(17.8, Note("warning", "overloaded", "the drive cannot keep up"))
    assert claim.verdict.mark == "○"
    assert claim.in_short == "not judged: the drive is overloaded"
    assert claim.why.endswith("not judged, since the drive is overloaded: MSN surrogate")


def test_blind_copy_back_gains_nothing_from_a_victim_that_is_two_thirds_full() -> None:
    pages, valid = 64, 64 * BOUND / IN_USE
    assert pages - valid - valid / 2 == pytest.approx(0)


@pytest.mark.slow
def test_a_figure_in_the_quick_form(tmp_path: Path) -> None:
    arguments = ("reproduce", "hu2011", "--figure", "copy-back", "--quick")
    places = ("--out", tmp_path / "page", "--cache", tmp_path / "kept", "--traces", tmp_path)
    done = wordline(*arguments, *places)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page" / "hu2011-quick.md").read_text(encoding="utf-8")
    assert "| metric | load | unit | baseline | basic | blind | wise |" in page
    assert "Not run, because the trace is absent (`--traces`): Web excerpt, Dev excerpt" in page
    assert (tmp_path / "page" / "hu2011-quick-copy-back.svg").read_text().startswith("<svg")
    kept = sorted((tmp_path / "kept").iterdir())
    assert len(kept) == 3 * 6
    # again, from what was kept
    written = {path: path.stat().st_mtime_ns for path in kept}
    assert wordline(*arguments, *places).returncode == 0
    assert {path: path.stat().st_mtime_ns for path in kept} == written
    assert (tmp_path / "page" / "hu2011-quick.md").read_text(encoding="utf-8") == page
