"""Trials of runs: what their first seconds tell, and that they end."""

from __future__ import annotations

import signal
from collections.abc import Callable
from time import monotonic

import pytest

import wordline as wl
from options import call
from wordline import _wordline
from wordline import trial as trials
from wordline.config import resolve_named
from wordline.formatting import about
from wordline.progress import SIMULATING
from wordline.trial import Trial, Watch, request_time, trial_of, watched


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.2, "less than 1 s"),
        (1.04, "about 1 s"),
        (3.27, "about 3.3 s"),
        (42.4, "about 42 s"),
        (99.6, "about 1.7 min"),
        (754.0, "about 13 min"),
        (7_300.0, "about 2 h"),
        (400_000.0, "about 5 days"),
    ],
)
def test_estimates_are_told_in_one_unit(seconds: float, shown: str) -> None:
    assert about(seconds) == shown


def test_a_trial_of_a_long_run_ends_and_tells_of_the_whole() -> None:
    resolved = resolve_named("tiny", (("workload.requests", "1000000000"),))
    begun = monotonic()
    found = trial_of(resolved, 0.4)
    assert monotonic() - begun < 60
    assert found.seconds >= 0.2
    assert found.request_s is not None
    assert 0 < found.request_s < 1e-2
    assert found.run_s(1_000_000) == pytest.approx(found.preparing_s + 1e6 * found.request_s)


def test_a_run_that_is_shorter_than_the_trial_is_measured_whole() -> None:
    found = trial_of(resolve_named("tiny", (("workload.requests", "100"),)), 60.0)
    assert found.request_s is not None
    assert found.preparing_s + 100 * found.request_s <= found.seconds


def test_requests_and_preparation_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.5, 3.0, 4.0])
    monkeypatch.setattr(trials, "monotonic", lambda: next(clock))
    watch = Watch(2.0, started=0.0)
    assert watch.look("ageing the drive", 0.0, 0, 0.0)
    assert watch.look("ageing the drive", 0.25, 0, 0.0)
    assert watch.prepared_in == pytest.approx(2.0)
    assert watch.look(SIMULATING, 0.1, 1_000, 0.0)
    assert not watch.look(SIMULATING, 0.2, 3_000, 0.0)
    assert request_time(watch, 3_000) == pytest.approx(1.0 / 2_000)


def test_preparation_that_takes_long_ends_the_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([2.5, 2.6])
    monkeypatch.setattr(trials, "monotonic", lambda: next(clock))
    watch = Watch(2.0, started=0.0)
    assert watch.look("ageing the drive", 0.5, 0, 0.0)  # done after 5 s
    assert not watch.look("ageing the drive", 0.1, 0, 0.0)  # after 26 s


def test_a_trial_that_ends_in_ageing_has_no_time_of_requests() -> None:
    keys = (("geometry.blocks_per_plane", "20000"), ("age.method", '"overwritten"'))
    found = trial_of(resolve_named("tiny", keys), 0.01)
    assert found.request_s is None
    assert found.preparing_s > 0.1


def test_a_trial_that_ends_before_its_run_has_a_result_measures_requests() -> None:
    # far more requests are outstanding than are completed between two looks
    keys = {"workload.requests": "100000000", "workload.queue_depth": "60000"}
    found = trial_of(resolve_named("tiny", tuple(keys.items())), 0.4)
    assert found.request_s is not None
    assert 0 < found.request_s < 1e-2


def test_requests_that_were_seen_count_where_the_run_has_no_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stopped_again(_resolved: object, _audit: bool, look: Callable[..., bool]) -> None:
        while look(SIMULATING, 0.1, 5_000, 0.0):
            pass
        raise KeyboardInterrupt

    monkeypatch.setattr(_wordline, "simulate", stopped_again)
    watch, requests, _ = watched(resolve_named("tiny"), 0.0)
    assert watch.is_over
    assert requests == 5_000


def test_ctrl_c_ends_a_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(watch: Watch, *_: object) -> bool:
        signal.raise_signal(signal.SIGINT)
        return True

    monkeypatch.setattr(Watch, "look", interrupt)
    with pytest.raises(KeyboardInterrupt):
        trial_of(resolve_named("tiny", (("workload.requests", "1000000000"),)))


def test_check_says_how_long_ageing_and_requests_take(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Trial(2.34, 40.0, 4e-6)
    monkeypatch.setattr(trials, "trial_of", lambda _resolved: found)
    said = call("check", "tiny").stdout.splitlines()[-1]
    assert said == (
        "tiny: Estimated run time on this machine (from a trial of 2.3 s): about 40 s to age the drive, then "
        "about 4 s for each million requests."
    )
    found = Trial(2.34, 7_200.0, None)
    said = call("check", "tiny").stdout
    assert "about 2 h to age the drive, and the trial ended before the first request." in said


def test_check_goes_on_where_a_run_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_resolved: object) -> Trial:
        raise wl.ConfigError("it needs 3 TiB of memory")

    monkeypatch.setattr(trials, "trial_of", refused)
    assert (
        "tiny: No estimate of the run time: it needs 3 TiB of memory"
        in call("check", "tiny").stdout
    )
