"""The study of the FTL family: how a figure shows designs of the map that are worked out beside runs."""

from __future__ import annotations

from pathlib import Path

from wordline.points.outcome import Outcome
from wordline.studies.study import Form
from wordline_studies.ftl_family.mappings import TABLES

FORM = Form(quick=True, traces=Path("no traces"))
RANDOM = TABLES.loads[0]


def test_a_figure_shows_what_is_worked_out_beside_a_run() -> None:
    """The run of `page` is needed once, and its writes are those of the tree."""
    points = set(TABLES.points(FORM))
    assert len(points) == 8
    summary = {"host.page_writes": 10, "ftl.pages_read.mapping": 0, "ftl.table.memory_bytes": 1024}
    outcomes = {point: Outcome(summary, {}, {"gc_onset": 0.1}) for point in points}
    measured = TABLES.measured(FORM, outcomes)

    def value(metric: str, variant: str) -> float:
        found = measured.value(metric, "", variant, RANDOM.name)
        assert found is not None
        return found.mean

    assert value("memory", "page") == value("memory", "bast") == 1
    assert value("memory", "extents") == 600
    assert (value("reads of the map", "page"), value("reads of the map", "tree")) == (0, 2)
    part = TABLES.part(FORM, dict.fromkeys(list(points)[:3], next(iter(outcomes.values()))))
    assert (part.runs, part.done) == (8, 3)
