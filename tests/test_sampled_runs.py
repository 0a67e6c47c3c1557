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
from wordline.sampled.intervals import Floats, degrees_of_freedom, percentile, ratio
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
    # of a run as long as four windows: 1 / 2 + 1 / 4 in place of 1 / 2
    short = ratio(np.array([2.0, 9.0]), np.array([2.0, 4.0]), 0.95, 4.0)
    assert short
    assert short.high == pytest.approx(11 / 6 + student_t(0.95, 1) * spread * math.sqrt(1.5))
    assert ratio(np.array([1.0]), np.array([1.0]), 0.95) is None
    assert ratio(np.zeros(3), np.zeros(3), 0.95) is None


def alike(draw: np.random.Generator, windows: int, size: int) -> Floats:
    """Windows that have something in common each: logarithms are normal, with deviations 0.3 between windows and 1 within."""
    own = draw.normal(0, 0.3, (windows, 1))
    return np.exp(own + draw.normal(0, 1, (windows, size)))


def chained(draw: np.random.Generator, windows: int, size: int) -> Floats:
    """Logarithms that follow each other as an autoregression, with correlation 0.9."""
    values = np.empty((windows, size))
    at = draw.normal(size=windows)
    for place in range(size):
        at = 0.9 * at + math.sqrt(1 - 0.9**2) * draw.normal(size=windows)
        values[:, place] = at
    return np.exp(values)


def burst(draw: np.random.Generator, windows: int, size: int) -> Floats:
    """Exponential times, which one window in 20 has four times as long."""
    longer = np.where(draw.random((windows, 1)) < 0.05, 4.0, 1.0)
    return draw.exponential(1.0, (windows, size)) * longer


def tail_of_bursts() -> float:
    """The time that one in 100 exceeds of those of `burst`."""
    low, high = 0.0, 100.0
    for _ in range(60):
        middle = (low + high) / 2
        beyond = 0.95 * math.exp(-middle) + 0.05 * math.exp(-middle / 4)
        low, high = (middle, high) if beyond > 0.01 else (low, middle)
    return low


@pytest.mark.parametrize(
    ("stream", "mean", "tail"),
    [
        (alike, math.exp((0.3**2 + 1) / 2), math.exp(np.hypot(0.3, 1.0) * 2.3263)),
        (chained, math.exp(0.5), math.exp(2.3263)),
        (burst, 0.95 + 0.05 * 4, tail_of_bursts()),
    ],
)
def test_intervals_cover_what_they_should(
    stream: Callable[[np.random.Generator, int, int], Floats], mean: float, tail: float
) -> None:
    """95 % intervals of mean and 99th percentile from windows of streams whose own are known, 200 times over: 91 % to 99 % of them contain it.

    Were the variance of windows with bursts taken to be known as well as that of others, 90 % would contain the percentile.
    """
    draw = np.random.default_rng(1)
    windows, size = 80, 250
    window = np.repeat(np.arange(windows, dtype=np.uint32), size)
    covered = np.zeros(2)
    for _ in range(200):
        values = stream(draw, windows, size)
        found = ratio(values.sum(axis=1), np.full(windows, float(size)), 0.95)
        slow = percentile(values.ravel(), window, windows, 0.99, 0.95)
        assert found
        assert slow
        covered += [found.covers(mean), slow.covers(tail)]
    assert all(0.91 <= share <= 0.99 for share in covered / 200), covered


def test_degrees_of_freedom_by_hand() -> None:
    # without excess kurtosis one fewer than windows; three windows in four at -1, one at 3: second moment 3, fourth 21, excess -2/3
    assert degrees_of_freedom(np.array([1.0, -1.0, 1.0, -1.0])) == 3
    assert degrees_of_freedom(np.array([-1.0, -1.0, -1.0, 3.0])) == 3
    # 18 windows at 0, one at 3, one at -3: second moment 0.9, fourth 8.1, excess 7
    rare = np.array([3.0, -3.0] + [0.0] * 18)
    assert degrees_of_freedom(rare) == pytest.approx(2 / (2 / 19 + 7 / 20))
    assert degrees_of_freedom(np.zeros(5)) == 4


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


def test_windows_are_longer_where_queues_are_deep() -> None:
    """Unless told otherwise: four turns of the queue before, two after."""
    asked = [
        (wl.Sampling(), None, (300, 200)),
        (wl.Sampling(), 16, (300, 200)),
        (wl.Sampling(), 256, (1024, 512)),
        (wl.Sampling(warm_up=7), 256, (7, 512)),
        (wl.Sampling(cool_down=0), 80, (320, 0)),
    ]
    for sampling, depth, expected in asked:
        filled = sampling.filled(depth)
        assert (filled.warm_up, filled.cool_down) == expected
        assert filled.length == 250 + sum(expected)
    load = {"kind": "random", "requests": 20_000, "queue_depth": 90}
    found = wl.simulate("tiny", load, sample=wl.Sampling(windows=10, requests=100), progress=False)
    assert (found.sampling.warm_up, found.sampling.cool_down) == (360, 200)


def test_a_short_run_has_fewer_windows() -> None:
    """As many as there is room for, unless told how many: each has 750 requests."""
    load = {"kind": "random", "requests": 20_000, "queue_depth": 8}
    found = wl.simulate("tiny", load, sample=wl.Sampling(), progress=False)
    assert (found.windows, found.sampling.windows) == (26, 26)
    with pytest.raises(wl.ConfigError, match="40 windows of 750 requests"):
        wl.simulate("tiny", load, sample=wl.Sampling(windows=40), progress=False)


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


def test_windows_of_the_full_run_are_as_far_apart_as_a_collection_is_long() -> None:
    load = {"kind": "random", "read_fraction": 0.5, "queue_depth": 8, "requests": 40_000}
    windows = wl.Sampling(windows=10, requests=100, warm_up=100, cool_down=50)
    result = wl.simulate("tiny", load, sample=windows, progress=False)
    moving, erase = result.block_times_s
    assert moving > erase > 0
    by_host, programmed = (
        result.columns[name].sum() for name in ("host_pages", "pages_programmed")
    )
    length = moving * (1 - by_host / programmed) + erase
    rate = 10 * 100 / (result.columns["span_ns"].sum() / 1e9)
    assert result.collection_requests == pytest.approx(length * rate)
    assert result.full == pytest.approx(max(40_000 / max(250, length * rate), 10))
    # nothing is collected where nothing is written
    reads = wl.simulate("tiny", {**load, "read_fraction": 1.0}, sample=windows, progress=False)
    assert reads.collection_requests == 0
    assert reads.full == 40_000 / 250
