"""The study of Delta-FTL: its laws, equations beside the simulation, and what it judges."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from wordline.points.outcome import Outcome
from wordline.studies import find
from wordline.studies.grid import Cell, GridFigure
from wordline.studies.measured import Measured
from wordline.studies.study import Form
from wordline.studies.verdict import VOID
from wordline_studies.wu2013_delta.drives import BASELINE, CHIPS, FILLED, PAGES, variant
from wordline_studies.wu2013_delta.length import LENGTHS
from wordline_studies.wu2013_delta.loads import AS_TRACED, LAWS, REQUESTS, SURROGATES, surrogate
from wordline_studies.wu2013_delta.shares import Found, found, named, table

STUDY = find("wu2013-delta-ftl")

TABLE_4_4 = {"F1": 0.232, "F2": 0.823, "C3": 0.353, "C8": 0.274, "DAP": 0.562, "MSN": 0.75}
"""Reads among the requests of each trace."""


def grid(name: str) -> GridFigure:
    figure = STUDY.figures[name]
    assert isinstance(figure, GridFigure)
    return figure


def law(trace: str) -> dict[str, Any]:
    return tomllib.loads((LAWS / f"{trace.lower()}.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("trace", TABLE_4_4)
def test_laws_have_the_reads_of_the_source_and_ten_writes_of_a_page(trace: str) -> None:
    own, load = law(trace), surrogate(trace)
    assert own["read_fraction"] == pytest.approx(TABLE_4_4[trace], abs=0.005)
    writes = int(str(load.keys["requests"])) * (1 - own["read_fraction"])
    assert writes >= 10 * own["writes"]["places"]
    assert int(str(load.keys["requests"])) >= REQUESTS
    assert own["shared_places"] == 0.08
    assert own["reads"]["places"] == own["writes"]["places"] < PAGES


def test_requests_come_to_a_chip_as_in_the_source() -> None:
    """At the rates of the traces the drive has as many requests as it has of the chips."""
    assert {load.keys["compress_time"] for load in AS_TRACED} == {CHIPS}
    assert all(float(str(load.keys["compress_time"])) > CHIPS for load in SURROGATES)
    assert max(LENGTHS) > 1_000_000


def test_the_drive_begins_without_deltas_and_has_large_planes() -> None:
    form = Form(quick=False, traces=Path("traces"))
    drive = grid("collections").points(form)[0].resolved
    assert drive.get("geometry.blocks_per_plane") >= 1024
    assert drive.get("ftl.delta.codec_scope") == "channel"
    assert drive.get("age.method") == "steady_state"
    assert variant("drive").aged
    assert not variant("drive", FILLED).aged


def at(overwritten: float) -> Found:
    """The worked example of section 10 of the specification: 50 pages gained in the baseline, P_c = 0.4, R_c = 0.2."""
    return Found("", "ratio 0.20", 0.4, 0.2, overwritten, 1.0, 1.0, 50.0, 0.1)


def test_equations_are_those_of_the_source() -> None:
    both = at(0.9)
    assert both.by_pages == pytest.approx(13_600 / 20_000)
    assert both.work_by_pages == pytest.approx(0.680)
    assert both.by_deltas == pytest.approx(11_805.6 / 20_000, abs=1e-4)
    assert both.work_by_deltas == pytest.approx(0.3816, abs=1e-4)
    assert both.with_merges == pytest.approx(0.68 + 0.1)
    without = wl.collection_work(1e6, 20_000)
    deltas = wl.collection_work(1e6, 12_000, share=0.4, ratio=0.2, superseded=0.9)
    assert both.by_deltas == pytest.approx(deltas.collections / without.collections)
    assert both.work_by_deltas == pytest.approx(deltas.time_us / without.time_us)


def summary(victims: float, programs: float, deltas: float = 0.0) -> dict[str, Any]:
    return {
        "ftl.gc.victims": victims,
        "ftl.delta.victim_gain": 25.0,
        "ftl.pages_programmed.host": programs - deltas * 0.4,
        "ftl.pages_programmed.delta": deltas * 0.4,
        "ftl.pages_programmed.gc": 39 * victims,
        "ftl.delta.writes": deltas,
        "ftl.delta.superseded": deltas * 0.7,
        "ftl.delta.dropped": deltas * 0.1,
        "ftl.delta.write_share": deltas / 1000,
        "ftl.delta.pages_per_delta": 0.4 if deltas else None,
        "ftl.delta.log_victims": 1.0,
    }


def swept(name: str, collections: float) -> Measured:
    """A sweep in which half of the writes are deltas of 0.4 pages, so that programs are 0.7 of those of the baseline."""
    figure = grid(name)
    outcomes = {}
    for each in figure.variants:
        values = summary(100, 1000)
        if each.name != BASELINE:
            values = summary(100 * collections, 700, 500)
        outcomes[Cell(each.panel, each.name, figure.loads[0].name)] = {
            1: Outcome(values, {}, {"gc_onset": 0.0})
        }
    return Measured(figure, outcomes)


@pytest.mark.parametrize(("collections", "holds"), [(0.7, True), (0.87, True), (0.9, False)])
def test_collections_are_judged_by_the_equation(collections: float, holds: bool) -> None:
    measured = swept("equations", collections)
    first = next(found(measured))
    assert first.overwritten == pytest.approx(0.8)
    assert first.by_pages == pytest.approx(0.7)
    claim = grid("equations").claims[0](measured)
    assert claim.verdict.outright is holds
    assert claim.verdict.of == 24
    assert len(table(measured)) == 24


def test_foreground_programs_follow_from_the_share_of_deltas() -> None:
    claims = {
        claim.text: claim
        for claim in (judge(swept("by-share", 0.7)) for judge in grid("by-share").claims)
    }
    (programs,) = (claim for text, claim in claims.items() if "within 1 %" in text)
    assert programs.verdict.outright
    fewer = [claim for text, claim in claims.items() if text.startswith("Collections never")]
    assert len(fewer) == 3
    assert all(claim.verdict.outright for claim in fewer)
    assert named("ratio 0.50", 0.25) in {each.name for each in grid("by-share").variants}


def test_rankings_of_alike_laws_are_not_judged() -> None:
    for name, count in (("collections", 1), ("shares", 1), ("victims", 2)):
        figure = grid(name)
        claims = [judge(Measured(figure, {})) for judge in figure.claims]
        left = [claim for claim in claims if claim.ours.startswith("not judged")]
        assert len(left) == count
        for claim in left:
            assert claim.verdict.mark == VOID
            assert "its load was not the source's" in claim.ours
