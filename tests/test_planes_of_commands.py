"""Planes of flash commands, as the report shows them."""

from __future__ import annotations

from typing import Any

import pytest

import wordline as wl
from wordline.report import planes, render

STEP: dict[str, Any] = {"allocation.planes": "in_step", "commands.multi_plane_write": "wise"}


def run(**keys: Any) -> wl.Result:
    own = {
        "geometry.planes_per_die": 2,
        "commands.multi_plane_erase": True,
        "workload.read_fraction": 0.3,
        "workload.requests": 5000,
        "age.method": "invalidated",
    }
    return wl.simulate(wl.Drive.from_toml("tiny", **(own | keys)), progress=False)


def rows(result: wl.Result) -> dict[str, dict[str, object]]:
    section = planes.section(result)
    assert section
    return {str(row["commands"]): dict(row) for row in section.rows}


def test_planes_in_step_share_programs_and_erases() -> None:
    result = run(**STEP)
    shown = rows(result)
    for kind, pages in (("programs", "ftl.pages_programmed"), ("erases", "ftl.blocks_erased")):
        assert shown[kind]["share with several planes"] == 1.0
        assert shown[kind]["mean planes, of 2"] == 2.0
        assert shown[kind]["number"] == result.number(pages) / 2
    assert "Planes of a command" in render(result)


def test_planes_on_their_own_seldom_do() -> None:
    shown = rows(run())
    assert shown["programs"]["share with several planes"] == 0.0
    assert shown["programs"]["mean planes, of 2"] == pytest.approx(1.0, abs=0.01)


def test_dies_of_one_plane_have_no_such_section() -> None:
    assert (
        planes.section(run(**{"geometry.planes_per_die": 1, "commands.multi_plane_erase": False}))
        is None
    )
