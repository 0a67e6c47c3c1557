"""The study of Wu and He 2012: its parameters, what it adds to the engine, and a figure in the quick form."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

import wordline as wl
from conftest import wordline
from wordline.studies import find
from wordline.studies.grid import GridFigure
from wordline.studies.outcome import OBSERVERS
from wordline.studies.study import Form
from wordline.studies.wu2012.loads import QUICK, TRACES

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
    for name in STUDY.figures:
        for variant in grid(name).variants:
            for key in variant.keys:
                assert key in (*allowed, *more.get(name, ())), (name, key)


def test_the_full_size_is_that_of_the_presets(tmp_path: Path) -> None:
    for point in grid("full-size").points(Form(quick=False, traces=tmp_path)):
        assert point.resolved.get("geometry.blocks_per_plane") == 4096
        assert point.resolved.get("buffer.size") == "64 MiB"
        assert point.resolved.get("workload.requests") == 1_000_000


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
    page = (tmp_path / "page" / "wu2012-suspension.md").read_text(encoding="utf-8")
    assert "| metric | drive | load | unit | baseline | shadow buffer | sent again |" in page
    assert "Not run, because the trace is absent (`--traces`): MSNFS excerpt" in page
    assert (
        (tmp_path / "page" / "wu2012-suspension-shadow-buffer.svg").read_text().startswith("<svg")
    )
    assert len(list((tmp_path / "kept").iterdir())) == 2 * 2 * 2
