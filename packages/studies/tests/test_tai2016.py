"""The study of placement: closed forms, what is laid over its drives, and its own kinds of claims."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from wordline.points.outcome import Outcome
from wordline.points.point import Point
from wordline.results import Scalar
from wordline.studies.grid import GridFigure, Judge
from wordline.studies.study import Form
from wordline_studies.power_cuts import mappings
from wordline_studies.tai2016 import change, recovery, risk, span, spare, store, victims
from wordline_studies.tai2016.drives import AMPLIFICATION, HOT_COLD, THROUGHPUT
from wordline_studies.tai2016.judges import higher_load, lower_across, near, nothing

FORM = Form(quick=True, traces=Path("no traces"))
LOAD = HOT_COLD[0].name


def judged(
    figure: GridFigure, judge: Judge, summaries: Mapping[tuple[str, str, str], Mapping[str, Scalar]]
) -> Any:
    """The verdict on runs that gave these summaries, by panel, variant and load; others gave what the first did."""
    first = next(iter(summaries.values()))
    outcomes: dict[Point, Outcome] = {}
    for cell, runs in figure.grid(FORM).items():
        summary = summaries.get((cell.panel, cell.variant, cell.load), first)
        outcomes |= {
            point: Outcome(dict(summary), {}, {"gc_onset": 0.1}) for point in runs.values()
        }
    return judge(figure.measured(FORM, outcomes)).verdict


def amplified(by: float) -> Mapping[str, Scalar]:
    return {
        "ftl.pages_programmed": 1000 * by,
        "host.page_writes": 1000,
        "ftl.gc.rho_effective": 0.8,
    }


@pytest.mark.parametrize(
    ("hot", "writes", "spare_space", "expected"),
    [
        (0.20, 0.80, 0.07, 8.1818),
        (0.10, 0.90, 0.07, 8.8660),
        (0.20, 0.80, 0.28, 2.8196),
        (0.10, 0.90, 0.28, 3.2961),
        (0.18, 0.82, 0.28, 2.8846),
        # one class of pages: the closed form of FIFO
        (0.5, 0.5, 0.28, 2.4814),
    ],
)
def test_mixed_fifo_is_the_closed_form(
    hot: float, writes: float, spare_space: float, expected: float
) -> None:
    found = victims.mixed_fifo(hot, writes, 1 / (1 + spare_space))
    assert found == pytest.approx(expected, abs=5e-5)


def test_the_optimum_is_drawn_beside_a_run() -> None:
    """18 % of the pages with 82 % of the writes, told apart without error at 28 % of spare space: 1.735 pages for each."""
    figure = victims.FIGURE
    outcomes = {
        point: Outcome(dict(amplified(3.0)), {}, {"gc_onset": 0.1}) for point in figure.points(FORM)
    }
    measured = figure.measured(FORM, outcomes)
    for panel in victims.POLICIES:
        best = measured.value(AMPLIFICATION.name, panel, victims.OPTIMUM, LOAD)
        beside = measured.value(AMPLIFICATION.name, panel, "none", LOAD)
        assert best is not None
        assert beside is not None
        assert best.mean == pytest.approx(1.7350, abs=1e-3)
        assert beside.mean == 3.0


@pytest.mark.parametrize(("members", "expected"), [(2, 1.56), (4, 0.7066667), (16, 0.3653333)])
def test_parity_takes_nothing_of_the_spare_space(members: int, expected: float) -> None:
    """Of T pages T (k - 1) / k can hold data, of which 1 / 1.28 are exported."""
    share = span.spare(members)["ftl.over_provisioning"]
    assert share == pytest.approx(expected)
    exported = 1 / (1 + expected)
    assert (1 - 1 / members) / exported == pytest.approx(1.28)


@pytest.mark.parametrize(("found", "holds"), [(2.05, 1), (1.95, 1), (2.07, 0), (1.93, 0)])
def test_a_closed_form_holds_within_its_margin(found: float, holds: int) -> None:
    judge = near(
        "text",
        "where",
        metric=AMPLIFICATION.name,
        cells=[("FIFO", "none", LOAD)],
        expected=lambda *_: 2.0,
    )
    verdict = judged(victims.FIGURE, judge, {("FIFO", "none", LOAD): amplified(found)})
    assert (verdict.held, verdict.of) == (holds, 1)


@pytest.mark.parametrize(("one", "other", "holds"), [(2.0, 3.0, 1), (3.0, 2.0, 0), (2.0, 2.0, 0)])
def test_drives_of_two_panels_are_compared(one: float, other: float, holds: int) -> None:
    judge = lower_across(
        "text",
        "where",
        metric=AMPLIFICATION.name,
        of=("greedy", "streams"),
        than=("FIFO", "streams"),
        loads=[LOAD],
    )
    runs = {
        ("greedy", "streams", LOAD): amplified(one),
        ("FIFO", "streams", LOAD): amplified(other),
    }
    assert judged(victims.FIGURE, judge, runs).held == holds


@pytest.mark.parametrize(("moved", "stayed", "holds"), [(3.0, 2.0, 1), (2.0, 3.0, 0)])
def test_a_drive_is_compared_before_and_after_a_change(
    moved: float, stayed: float, holds: int
) -> None:
    judge = higher_load(
        "text",
        "where",
        metric=AMPLIFICATION.name,
        variant="dac",
        load=change.MOVES,
        other=change.STAYS,
    )
    runs = {
        ("", "dac", change.MOVES): amplified(moved),
        ("", "dac", change.STAYS): amplified(stayed),
    }
    assert judged(change.FIGURE, judge, runs).held == holds


def test_the_change_comes_when_the_jobs_change() -> None:
    """What is not measured are the requests of the first job, four drive writes of 51,200 pages."""
    for name in ("stays.fio", "moves.fio"):
        text = (change.JOBS / name).read_text(encoding="utf-8")
        first, _, second = text.partition("[after]")
        assert "io_size=800m" in first
        assert "io_size=200m" in second
    assert change.BEFORE == 800 * 2**20 // 4096 == 4 * 51_200


@pytest.mark.parametrize(
    ("ratio", "holds"), [(1.56, 2), (1.43, 2), (1.69, 2), (1.40, 0), (1.72, 0)]
)
def test_the_throughput_of_the_store_has_the_printed_size_within_a_quarter(
    ratio: float, holds: int
) -> None:
    def written(pages: float) -> Mapping[str, Scalar]:
        return {"host.page_writes": pages, "sim.window_s": 1.0}

    runs = {("", "", ""): written(1000)}
    runs |= {
        (panel, "multi-data", "store"): written(1000 * ratio) for panel in (store.TIGHT, store.WIDE)
    }
    assert judged(store.FIGURE, store.faster("text", "where"), runs).held == holds
    assert THROUGHPUT in store.FIGURE.metrics


@pytest.mark.parametrize(("share", "holds"), [(0.0, 1), (0.001, 0)])
def test_nothing_at_risk_is_nothing(share: float, holds: int) -> None:
    judge = nothing(
        "text",
        "where",
        metric=risk.AT_RISK.name,
        cells=[(risk.NO_BUFFER, "none", risk.LOAD.name)],
    )
    runs = {(risk.NO_BUFFER, "none", risk.LOAD.name): {"buffer.dirty_share.mean": share}}
    verdict = judged(risk.FIGURE, judge, runs)
    assert (verdict.held, verdict.of) == (holds, 1)


def test_what_is_at_risk_is_the_dirty_share_of_the_buffer() -> None:
    outcome = Outcome({"buffer.dirty_share.mean": 0.25}, {}, {})
    assert risk.at_risk(outcome) == 256
    # a drive without a buffer has no such share
    assert risk.at_risk(Outcome({}, {}, {})) == 0


def test_recovery_is_timed_on_drives_that_were_aged() -> None:
    for figure in (recovery.FIGURE, mappings.FIGURE):
        timed = [variant for variant in figure.variants if "output.recovery_every" in variant.keys]
        assert len(timed) >= 12
        assert all(variant.keys["age.method"] == "steady_state" for variant in timed)


def test_every_drive_of_the_figures_is_accepted() -> None:
    figures = (victims.FIGURE, spare.FIGURE, span.FIGURE, change.FIGURE)
    for figure in (*figures, risk.FIGURE, recovery.FIGURE, mappings.FIGURE):
        assert all(point.resolved.hash for point in figure.points(FORM))
