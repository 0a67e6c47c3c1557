"""Runs by sampling: intervals, whether a load can be sampled, and the options of the command."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sampled_loads
import wordline as wl
from options import call, effect, sets
from wordline.sampled.intervals import Floats, percentile, ratio, sums
from wordline.sampled.judgement import correlation, judge
from wordline.statistics import student_t

FEW = ("tiny", *sets(workload__requests=40_000, workload__read_fraction=0.5))
WINDOWS = ("--sample", "--sample-windows", 10, "--sample-requests", 300, "--sample-warm-up", 200)


def test_a_ratio_by_hand() -> None:
    # totals 2 + 9 over 2 + 4: residuals -5/3 and 5/3
    found = ratio(np.array([2.0, 9.0]), np.array([2.0, 4.0]), 0.95)
    assert found
    assert found.value == pytest.approx(11 / 6)
    spread = math.sqrt(2 * (5 / 3) ** 2 * 2) / 6
    assert found.high == pytest.approx(11 / 6 + student_t(0.95, 1) * spread)
    assert found.covers(2.0)
    assert ratio(np.array([1.0]), np.array([1.0]), 0.95) is None
    assert ratio(np.zeros(3), np.zeros(3), 0.95) is None


def test_intervals_cover_what_they_should() -> None:
    """Windows that have something in common each: 95 % intervals of mean and percentile, 400 times over."""
    draw = np.random.default_rng(1)
    truth = np.exp(np.hypot(0.3, 1.0) * np.array([0.0, 2.3263]))
    mean_of_all = math.exp((0.3**2 + 1.0) / 2)
    windows, size = 60, 400
    window = np.repeat(np.arange(windows, dtype=np.uint32), size)
    covered = np.zeros(3)
    for _ in range(400):
        own = draw.normal(0, 0.3, windows)[window]
        values = np.exp(own + draw.normal(0, 1, windows * size))
        count = np.full(windows, float(size))
        mean = ratio(sums(window, values, windows), count, 0.95)
        half, tail = (percentile(values, window, windows, share, 0.95) for share in (0.5, 0.99))
        assert mean
        assert half
        assert tail
        covered += [
            mean.covers(mean_of_all),
            half.covers(float(truth[0])),
            tail.covers(float(truth[1])),
        ]
    assert all(0.92 <= share <= 0.98 for share in covered / 400), covered


def test_a_percentile_needs_enough_beyond_it() -> None:
    values, window = np.arange(20_000.0), np.arange(20_000, dtype=np.uint32) % 20
    assert percentile(values, window, 20, 0.99, 0.95)
    assert percentile(values, window, 20, 0.999, 0.95) is None


def windows_of(change: Callable[[Floats, Floats], tuple[Floats, Floats]]) -> list[str]:
    """What is found in 100 windows of noise that are changed."""
    draw = np.random.default_rng(2)
    first, second = (draw.gamma(20.0, 5.0, 100) for _ in range(2))
    return [finding.key for finding in judge(*change(first, second))]


def test_each_reason_is_found() -> None:
    order = np.arange(100.0)
    alike = np.repeat([1.0, 2.0], 10)[(order % 20).astype(int)]
    rare = np.where(order == 50, 500.0, 1.0)
    assert windows_of(lambda one, two: (one, two)) == []
    assert windows_of(lambda one, two: (one, two * 1.4)) == ["rise"]
    assert windows_of(lambda one, two: (one * 1.4, two)) == []
    assert "drift" in windows_of(lambda one, two: (one * (1 + order / 99), two * (1 + order / 99)))
    assert windows_of(lambda one, two: (one * alike, two * alike)) == ["autocorrelation"]
    assert windows_of(lambda one, two: (one * rare, two * rare)) == ["concentration"]


def test_noise_is_rarely_found_fault_with() -> None:
    draw = np.random.default_rng(3)
    found = sum(bool(judge(*draw.lognormal(0, 0.5, (2, 100)))) for _ in range(1000))
    assert found <= 10


def test_rank_correlation_by_hand() -> None:
    assert correlation(np.array([1.0, 2.0, 3.0]), np.array([9.0, 4.0, 1.0])) == pytest.approx(-1)
    # ranks 1.5, 1.5, 3 and 1, 2, 3
    tied = correlation(np.array([5.0, 5.0, 7.0]), np.array([1.0, 2.0, 3.0]))
    assert tied == pytest.approx(math.sqrt(3) / 2)
    assert correlation(np.ones(3), np.arange(3.0)) == 0


@pytest.mark.parametrize("label", [*sampled_loads.CAN, *sampled_loads.CANNOT])
def test_loads_are_told_apart(label: str, tmp_path: Path) -> None:
    """Ten loads, labelled before they were run."""
    if label in sampled_loads.CAN:
        load: dict[str, Any] = {**sampled_loads.CAN[label], "requests": sampled_loads.REQUESTS}
    else:
        rows: Iterator[sampled_loads.Row] = sampled_loads.CANNOT[label]()
        load = sampled_loads.write_trace(rows, tmp_path / "load.csv")
    sampling = wl.Sampling(windows=50, requests=500, warm_up=500, cool_down=100)
    result = wl.simulate("tiny", load, sample=sampling, progress=False)
    told = {note.key for note in result.notes}
    assert result.can_be_sampled == (label in sampled_loads.CAN), result.findings
    assert ("sample_cannot" in told) == (label in sampled_loads.CANNOT)


@effect("run", "--sample", "--sample-windows", "--sample-requests", "--sample-warm-up")
def test_windows_are_those_that_are_asked_for(tmp_path: Path) -> None:
    found = call("run", *FEW, *WINDOWS, "--json").json
    assert found["windows"] == 10
    assert found["sampling"]["requests"] == 300
    assert found["requests"] == 40_000
    full = call("run", *FEW, "--json").json
    for key, within in (("ftl.write_amplification", 0.05), ("host.all.latency.mean_us", 0.5)):
        estimate = found["figures"][key]
        assert estimate["low"] < estimate["value"] < estimate["high"]
        assert estimate["value"] == pytest.approx(full[key], rel=within), key
    call("run", *FEW, *WINDOWS, "--out", tmp_path / "out")
    names = {file.name for file in (tmp_path / "out").iterdir()}
    assert names == {"sample.json", "report.html", "windows.csv", "config.toml"}
    assert len((tmp_path / "out" / "windows.csv").read_text().splitlines()) == 11


@effect("run", "--sample-seed")
def test_another_seed_places_windows_elsewhere(tmp_path: Path) -> None:
    first = [
        wl.simulate(
            "tiny",
            {"kind": "random", "requests": 20_000},
            sample=wl.Sampling(windows=10, requests=100, seed=seed),
            progress=False,
        ).columns["first"][0]
        for seed in (1, 2)
    ]
    assert first[0] != first[1]
    call("run", *FEW, *WINDOWS, "--sample-seed", 2, "--out", tmp_path / "out")
    assert '"seed": 2' in (tmp_path / "out" / "sample.json").read_text()


@effect("run", "--sample-fast")
def test_collection_may_be_over_at_once() -> None:
    assert call("run", *FEW, *WINDOWS, "--json").json["sampling"]["paced"] is True
    fast = call("run", *FEW, *WINDOWS, "--sample-fast", "--json").json
    assert fast["sampling"]["paced"] is False
    assert "sample_fast" in {note["key"] for note in fast["notes"]}


@effect("run", "--sample-error")
def test_a_wanted_error_asks_for_more_windows() -> None:
    few = call("run", *FEW, *WINDOWS, "--json").json
    more = call("run", *FEW, *WINDOWS, "--sample-error", 0.02, "--json").json
    assert (few["passes"], more["passes"]) == (1, 2)
    assert more["windows"] > few["windows"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--sample-seed", 3), "--sample-seed: there is no --sample"),
        (("--sample", "--seeds", 2), "--sample: "),
        (("--sample", "--sample-windows", 3), "sample.windows = 3: accepted are"),
        (("--sample", "--sample-error", 2), "sample.error = 2: accepted are"),
        (("--sample", *sets(buffer__policy="lru")), "buffer.policy = lru: "),
        (("--sample", "--save-state", "x"), "--save-state: "),
    ],
)
def test_what_makes_no_sense_is_refused(options: tuple[Any, ...], told: str) -> None:
    done = call("run", *FEW, *options, status=2)
    assert told in done.stderr


def test_a_sampled_run_is_audited_and_repeats() -> None:
    load = {"kind": "random", "requests": 20_000}
    sampling = wl.Sampling(windows=10, requests=200)
    one, two = (wl.simulate("tiny", load, sample=sampling, audit=audit) for audit in (True, False))
    assert one.figures == two.figures
    with pytest.raises(wl.ConfigError, match="save_state"):
        # the types refuse it too: what a caller without a type checker is told is tested
        wl.simulate("tiny", load, sample=sampling, save_state="x")  # type: ignore[call-overload]
