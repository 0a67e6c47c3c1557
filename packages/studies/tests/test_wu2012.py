"""The study of Wu and He 2012: its parameters, what it adds to the engine, and a figure in the quick form."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import wordline as wl
from shared import CHAPTERS, wordline
from wordline.points.engine import Engine
from wordline.points.outcome import OBSERVERS, Outcome
from wordline.points.store import Store
from wordline.studies import find
from wordline.studies.grid import GridFigure
from wordline.studies.published import PublishedFigure
from wordline.studies.study import Form
from wordline_studies.wu2012.baselines import TABLE_3_3, inferred, scaled_profile
from wordline_studies.wu2012.loads import QUICK, TRACES
from wordline_studies.wu2012.published import AHEAD, OVERTAKE, suspended

STUDY = find("wu2012-suspension")


def grid(name: str) -> GridFigure:
    figure = STUDY.figures[name]
    assert isinstance(figure, GridFigure)
    return figure


def test_one_set_of_parameters_serves_every_figure() -> None:
    """What a figure lays over a preset is its policy, what it varies, and the size of the drive."""
    allowed = (
        "buffer.size",
        "geometry.blocks_per_plane",
        "nand.suspend",
        "scheduler.policy",
        "scheduler.reference",
        "scheduler.suspension.program_suspend",
    )
    more = {
        "compression": ("output.request_log",),
        "queue": ("scheduler.max_writes",),
        "erases": ("scheduler.suspension.write_suspend_erase",),
        "scope": ("nand.independent_planes",),
        "limit": (
            "scheduler.suspension.overhead_limit",
            "scheduler.suspension.max_suspends_per_op",
        ),
        "redo": ("scheduler.suspension.redo",),
        "shadow-buffer": ("nand.shadow_buffer",),
        "reset": ("timing.t_vreset",),
    }
    for name, figure in STUDY.figures.items():
        if not isinstance(figure, GridFigure):
            continue
        for variant in grid(name).variants:
            for key in variant.keys:
                assert key in (*allowed, *more.get(name, ())), (name, key)


def test_the_full_size_is_that_of_the_presets(tmp_path: Path) -> None:
    for point in grid("full-size").points(Form(quick=False, traces=tmp_path)):
        assert point.resolved.get("geometry.blocks_per_plane") == 4096
        assert point.resolved.get("buffer.size") == "64 MiB"
        assert point.resolved.get("workload.requests") == 60 * 16_384


def test_the_quick_form_leaves_the_full_size_out(tmp_path: Path) -> None:
    """Its short runs fill no buffer of the full size, and ageing the drives takes longer than the rest of the quick form."""
    form = Form(quick=True, traces=tmp_path)
    full = grid("full-size")
    assert not full.points(form)
    part = full.part(form, {})
    assert (part.runs, part.done) == (0, 0)
    assert [str(claim.verdict) for claim in part.claims] == ["void"]


def test_every_trace_is_played_as_fast_as_the_source_does(tmp_path: Path) -> None:
    points = grid("order").points(Form(quick=True, traces=tmp_path))
    played = {
        (point.resolved.get("workload.profile"), point.resolved.get("workload.compress_time"))
        for point in points
    }
    assert played == {(law.profile, law.compression) for law in TRACES.values()}
    assert {point.resolved.get("workload.requests") for point in points} == {QUICK}


def test_the_idle_share_is_that_of_requests_alone_in_the_drive() -> None:
    """At long gaps nothing overlaps, and what is not idle is the sum of all latencies."""
    keys = {
        "workload.interarrival": "5 ms",
        "workload.arrival": "poisson",
        "workload.requests": 300,
    }
    drive = wl.Drive.from_toml("tiny", **keys)
    result = wl.simulate(drive)
    arrivals, completions = (
        result.requests[column].to_numpy() for column in ("arrival_ns", "completed_ns")
    )
    busy = float((completions - arrivals).sum()) / float(completions.max() - arrivals.min())
    assert OBSERVERS["idle_share"](result) == pytest.approx(1 - busy, abs=0.02)


def test_frozen_settings_are_those_of_fifo_and_policies_what_the_source_defines(
    tmp_path: Path,
) -> None:
    """The inferred scheduler serves FIFO alone, and with reads that overtake cleaning no other policy puts it first."""
    figure = STUDY.figures["published"]
    assert isinstance(figure, PublishedFigure)
    for column in (OVERTAKE, AHEAD):
        cells = figure.grids[column].grid(Form(quick=True, traces=tmp_path))
        assert {cell.panel for cell in cells} == {", ".join(case) for case in TABLE_3_3}
        for cell, points in cells.items():
            trace, kind = cell.panel.split(", ")
            frozen = inferred()[trace, kind].frozen
            run = points[1].resolved
            assert run.get("age.fill") == frozen["age.fill"]
            assert run.get("ftl.gc.mode") == frozen["ftl.gc.mode"]
            first = frozen["scheduler.collection_first"]
            if cell.variant == "FIFO":
                assert run.get("scheduler.policy") == frozen["scheduler.policy"]
            else:
                assert run.get("scheduler.policy") == (
                    "pes" if cell.variant.startswith("IP") else "reads_first"
                )
                first = first and column == AHEAD
            assert bool(run.get("scheduler.collection_first")) == first
            assert ("profile_file" in run.toml) == (trace in ("DAP", "MSN"))


@pytest.mark.slow
def test_the_limit_of_waiting_writes_is_what_suspension_loses_under_dap(tmp_path: Path) -> None:
    figure = STUDY.figures["published"]
    assert isinstance(figure, PublishedFigure)
    cells = figure.grids[OVERTAKE].grid(Form(quick=False, traces=tmp_path))
    point = next(
        runs[1] for cell, runs in cells.items() if (cell.panel, cell.variant) == ("DAP, SLC", "IPC")
    )
    without = replace(point, overrides=(*point.overrides, ("scheduler.max_writes", "1000000")))
    outcomes = Engine(Store(tmp_path), progress=False).run([point, without])
    found = [outcomes[each].number("host.read.latency.mean_us") for each in (point, without)]
    said = re.search(r"mean read of DAP on SLC falls from (\d+) to (\d+) µs", STUDY.closing)
    assert said
    assert [round(value) for value in found if value] == [int(each) for each in said.groups()]


def test_operations_suspended_are_counted_over_both_kinds() -> None:
    """30 of 1,000 programs, each suspended twice, and 6 of 20 erases, each once: 36 of 1,020."""
    keys = {
        "suspension.program.suspensions": 60,
        "suspension.program.mean": 2.0,
        "suspension.program.share": 0.03,
        "suspension.erase.suspensions": 6,
        "suspension.erase.mean": 1.0,
        "suspension.erase.share": 0.3,
    }
    assert suspended(Outcome(keys, {}, {})) == pytest.approx(36 / 1020)
    assert suspended(Outcome({}, {}, {})) is None


def test_sizes_of_a_profile_are_multiplied() -> None:
    plain, scaled = (
        tomllib.loads(text) for text in (scaled_profile("dap_ps", 1), scaled_profile("dap_ps", 4))
    )
    for side in ("reads", "writes"):
        one, four = (int(each[side]["mean_size"].split()[0]) for each in (plain, scaled))
        assert four == 4 * one
        plain[side].pop("mean_size")
        scaled[side].pop("mean_size")
    assert plain == scaled


def test_the_chapter_ends_as_the_study_does() -> None:
    page = CHAPTERS / "wu2012-suspension.md"
    assert page.read_text(encoding="utf-8").endswith(f"\n{STUDY.closing}\n")


def test_the_read_that_the_chapter_follows_takes_what_it_says() -> None:
    text = find("wu2012-suspension").closing
    number, said = (
        int(found[1])
        for pattern in (r"Read (\d+) reads", r"The read took (\d+) µs")
        if (found := re.search(pattern, text))
    )
    drive = wl.Drive("wu2013-pes-slc", geometry={"blocks_per_plane": 256}, buffer={"size": "4 MiB"})
    load = wl.Workload(kind="profile", profile="financial1", compress_time=9, requests=3000)
    requests = wl.simulate(drive, load).requests.filter(pl.col("number") == number)
    assert requests["class"].to_list() == ["read"]
    assert (requests["completed_ns"] - requests["arrival_ns"]).to_list() == [said * 1000]


def test_a_figure_in_the_quick_form(tmp_path: Path) -> None:
    arguments = ("reproduce", "wu2012-suspension", "--figure", "shadow-buffer", "--quick")
    places = ("--out", tmp_path / "page", "--cache", tmp_path / "kept", "--traces", tmp_path)
    done = wordline(*arguments, *places)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page" / "wu2012-suspension-quick.md").read_text(encoding="utf-8")
    assert "| metric | drive | load | unit | baseline | shadow buffer | sent again |" in page
    assert "Not run, because the trace is absent (`--traces`): MSNFS excerpt" in page
    assert (
        (tmp_path / "page" / "wu2012-suspension-quick-shadow-buffer.svg")
        .read_text()
        .startswith("<svg")
    )
    assert len(list((tmp_path / "kept").iterdir())) == 2 * 2 * 2
