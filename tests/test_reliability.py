"""Reads with errors: summary, report, refusals on the command line."""

from __future__ import annotations

import pytest

import wordline as wl
from shared import refused
from wordline.report import render

WORN: dict[str, object] = {
    "ecc.kind": "ldpc",
    "age.method": "overwritten",
    "age.random_factor": 0.2,
    "age.initial_cycles": 6600,
    "workload.requests": 2_000,
    "output.attribution": True,
}


@pytest.fixture(scope="module")
def run() -> wl.Result:
    return wl.simulate(wl.Drive.from_toml("tiny", **WORN), audit=True)


def number(result: wl.Result, key: str) -> float:
    value = result.summary[key]
    assert isinstance(value, int | float)
    return value


def test_reads_are_counted_by_level_and_by_attempts(run: wl.Result) -> None:
    levels = [number(run, f"ecc.level.{level}.reads") for level in range(1, 8)]
    attempts = [number(run, f"ecc.attempts.{attempt}.reads") for attempt in range(1, 8)]
    assert levels == attempts
    assert levels[0] > 0
    assert levels[1] > 0
    assert number(run, "ecc.uncorrectable_reads") == 0
    assert 0 < number(run, "cell.rber.mean") < number(run, "cell.rber.max") < 0.0076
    rates = [key for key in run.summary if key.startswith("cell.rber.from.")]
    assert sum(number(run, key) for key in rates) == sum(attempts)
    assert number(run, "attribution.read.ecc_us") > 0


def test_the_report_has_a_section(run: wl.Result, result: wl.Result) -> None:
    page = render(run)
    assert "<h2>Reliability</h2>" in page
    assert "attempts on average" in page
    assert "decoding and retries" in page
    assert "<h2>Reliability</h2>" not in render(result)


def test_lost_data_are_said() -> None:
    drive = wl.Drive.from_toml("tiny", **(WORN | {"age.initial_cycles": 20_000}))
    worn = wl.simulate(drive)
    assert number(worn, "ecc.uncorrectable_reads") > 0
    notes = [note for note in worn.notes if note.key == "uncorrectable"]
    assert [note.severity for note in notes] == ["warning"]


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("ecc.kind=ldcp", ["ecc.kind", "ldpc"]),
        ("ecc.bch.t=3", ["ecc.bch.t", "no effect"]),
        ("cell.rber.alpha=1e-6", ["cell.rber.alpha", "no effect"]),
    ],
)
def test_bad_input_is_refused(setting: str, words: list[str]) -> None:
    said = refused("run", "tiny", "--set", setting)
    for word in words:
        assert word in said
