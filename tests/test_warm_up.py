"""`run.warm_up` through Python and the command line: what is measured is the end of the run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import wordline as wl
from wordline.cli import app

WORKLOAD = {"requests": 4_000, "queue_depth": 4, "read_fraction": 0.5}


def measured(warm_up: str | None) -> wl.Result:
    """A run of `tiny` with a warm-up."""
    keys = {} if warm_up is None else {"run": {"warm_up": warm_up}}
    return wl.simulate(wl.Drive.from_toml("tiny", **keys), WORKLOAD)


def test_the_tables_are_the_end_of_those_without() -> None:
    whole, part = measured(None), measured("1500 requests")
    assert part.requests.equals(whole.requests[1500:])
    assert part.summary["warm_up.requests"] == 1500
    assert part.summary["host.requests"] == 2500
    start = whole.requests["completed_ns"][1499]
    assert part.summary["warm_up.time_s"] == start / 1e9
    assert part.time_series["start_ns"][0] == start
    latency = part.requests["completed_ns"] - part.requests["arrival_ns"]
    mean_us = sum(latency) / len(latency) / 1e3
    assert part.summary["host.all.latency.mean_us"] == pytest.approx(mean_us)
    assert "warm_up.time_s" not in whole.summary
    assert [note.key for note in part.notes].count("warm_up") == 1


def test_the_command_line_says_how_long_the_warm_up_was(tmp_path: Path) -> None:
    out = tmp_path / "out"
    keys = ("workload.requests=3000", "run.warm_up=1000 requests")
    sets = [word for key in keys for word in ("--set", key)]
    done = CliRunner().invoke(app, ["run", "tiny", *sets, "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "of the run are its warm-up (1,000 requests" in " ".join(done.output.split())
    assert json.loads((out / "summary.json").read_text())["host.requests"] == 2000


@pytest.mark.parametrize(
    ("warm_up", "said"),
    [
        ("3000 requests", "the workload has 3000 requests, so that nothing is left to be measured"),
        ("10 min", "the workload ended after 3000 requests"),
        ("12", "expected the length of a warm-up with its unit"),
        ("0 s", "a time above 0"),
    ],
)
def test_a_warm_up_that_cannot_be_is_refused_by_its_key(warm_up: str, said: str) -> None:
    words = ["run", "tiny", "--set", "workload.requests=3000", "--set", f"run.warm_up={warm_up}"]
    done = CliRunner().invoke(app, words)
    text = " ".join(done.output.split())
    assert done.exit_code == 2, text
    assert "run.warm_up" in text
    assert said in text
