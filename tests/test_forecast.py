"""What commands say of their time before they begin, and in a pipe while they run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import wordline as wl
from options import call, sets
from wordline import _wordline, lifetime_forecast, spoken
from wordline.config import resolve_named
from wordline.formatting import about
from wordline.lifetime_programs import DAY, programs
from wordline.points import engine, forecast
from wordline.points.forecast import requests_of
from wordline.points.job import PointJob
from wordline.progress import lifetime_bar, progress_bar
from wordline.spoken import Spoken
from wordline.trial import Trial

LOAD = "workload.requests"


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have lines written, as the command line does."""
    monkeypatch.setattr(Spoken, "is_on", True)


@pytest.fixture
def trials(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Have each trial tell the same, and small runs be worth one; the limits of the trials."""
    asked: list[float] = []

    def tried(_resolved: object, seconds: float) -> Trial:
        asked.append(seconds)
        return Trial(1.04, 10.0, 0.05)

    monkeypatch.setattr(forecast, "trial_of", tried)
    monkeypatch.setattr(forecast, "MANY", 1_000)
    return asked


SWEEP = (
    "sweep",
    "tiny",
    "--vary",
    "ftl.gc.victim=greedy,fifo,random",
    *sets(workload__requests=400),
)


@pytest.mark.usefixtures("heard")
def test_a_sweep_says_beforehand_how_long_it_takes(trials: list[float], tmp_path: Path) -> None:
    told = call(*SWEEP, "--jobs", 2, "--cache", tmp_path).stderr
    # 3 * (10 s + 400 * 0.05 s) on two threads
    assert told.splitlines()[0] == (
        "3 runs of 400 requests in the mean, 2 at a time: about 45 s (estimate from 3 trials of 3.1 s). "
        "Ctrl-C keeps finished runs, and the same command goes on from there."
    )
    assert trials == [1 / 3] * 3
    # all are kept now
    again = call(*SWEEP, "--jobs", 2, "--cache", tmp_path).stderr
    assert "runs of" not in again
    assert again.splitlines()[0] == "All 3 runs were kept by earlier commands."
    more = call(
        *(word.replace("random", "random,d_choices") for word in SWEEP), "--cache", tmp_path
    )
    assert "3 of 4 runs were kept by earlier commands; the others run now.\n" in more.stderr


@pytest.mark.usefixtures("heard")
def test_each_trial_stands_for_the_runs_beside_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Eight of sixteen runs take 1 ms a request, the others 9 ms: the longest run alone would say 9 ms of all."""
    jobs = []
    for place in range(16):
        victim = "greedy" if place < 8 else "random"
        keys = ((LOAD, str(100_000 + place)), ("ftl.gc.victim", victim))
        jobs.append(PointJob(str(place), resolve_named("tiny", keys).toml, ()))

    def tried(resolved: _wordline.Resolved, _seconds: float) -> Trial:
        return Trial(0.1, 0.0, 1e-3 if resolved.get("ftl.gc.victim") == "greedy" else 9e-3)

    monkeypatch.setattr(forecast, "trial_of", tried)
    monkeypatch.setattr(forecast, "MANY", 1_000)
    forecast.say_forecast(jobs, 1)
    # 8 * 100 s + 8 * 900 s
    assert (
        f"1 at a time: {about(8_000)} (estimate from 8 trials of 0.8 s)" in capsys.readouterr().err
    )


@pytest.mark.usefixtures("heard")
def test_a_short_sweep_says_nothing(tmp_path: Path) -> None:
    assert "runs of" not in call(*SWEEP, "--cache", tmp_path).stderr


@pytest.mark.usefixtures("heard")
def test_a_search_over_a_service_says_how_long_its_studies_take(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(lifetime_forecast, "forecast", lambda *_, **__: (1e6, 100.0))
    words = "search tiny --vary ftl.over_provisioning=10%..40% --minimize service.cost --service 5y --price 0.1 --writes-per-day 1 --trials 2"
    told = call(*words.split(), *sets(workload__requests=400), "--cache", tmp_path).stderr
    assert told.splitlines()[0].startswith(
        "2 studies over the service of about 1.7 min each, one at a time: about 3.3 min (estimate"
    )


def test_a_program_that_uses_the_package_hears_nothing(trials: list[float], tmp_path: Path) -> None:
    assert "runs of" not in call(*SWEEP, "--cache", tmp_path).stderr
    assert trials == []


@pytest.mark.usefixtures("heard", "trials")
def test_a_search_counts_the_runs_of_all_batches(tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    told = call(
        *(
            "search",
            "tiny",
            "--vary",
            "ftl.over_provisioning=0.2..0.5",
            *sets(workload__requests=200),
        ),
        *("--minimize", "ftl.write_amplification", "--trials", 12, "--batch", 4, "--jobs", 1),
        *("--cache", tmp_path),
    ).stderr
    (line,) = [line for line in told.splitlines() if "runs of" in line]
    assert line.startswith("12 runs of 200 requests in the mean, 1 at a time: about 4 min ")


@pytest.mark.usefixtures("heard", "trials")
@pytest.mark.parametrize(("objectives", "whole"), [(1, 7), (2, 4)])
def test_a_search_with_short_runs_counts_both_kinds(
    tmp_path: Path, objectives: int, whole: int
) -> None:
    """Of one objective the first batch of four and a third of the other eight are run in full, of two a third of all twelve."""
    pytest.importorskip("optuna")
    wanted = ("--minimize", "ftl.write_amplification", "--maximize", "host.iops")
    told = call(
        *("search", "tiny", "--vary", "ftl.over_provisioning=0.2..0.5"),
        *sets(workload__requests=2_000),
        *wanted[: 2 * objectives],
        *("--trials", 12, "--batch", 4, "--jobs", 1, "--short", 0.1, "--cache", tmp_path),
    ).stderr
    (line,) = [line for line in told.splitlines() if "runs of" in line]
    # a trial says 10 s of preparation and 0.05 s for each request
    seconds = 12 * (10 + 200 * 0.05) + whole * (10 + 2_000 * 0.05)
    assert line.startswith(
        f"12 runs of 200 requests in the mean and about {whole} of 2,000, 1 at a time: {about(seconds)} "
    )
    sizes = [
        json.loads(path.read_text())["summary"]["host.requests"] for path in tmp_path.iterdir()
    ]
    assert sizes.count(200) == 12
    assert abs(sizes.count(2_000) - whole) <= 2


@pytest.mark.usefixtures("heard", "trials")
def test_a_data_sheet_says_how_long_it_takes(tmp_path: Path) -> None:
    told = call("spec", "tiny", "--depths", 1, "--requests", 400, "--cache", tmp_path).stderr
    assert re.search(r"^\d+ runs of \d+ requests in the mean, \d+ at a time: about ", told)


@pytest.mark.usefixtures("heard", "only_mini")
def test_a_study_says_that_its_configurations_are_checked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    study = ("reproduce", "mini", "--quick", "--cache", tmp_path)
    assert "are checked" not in call(*study).stderr
    monkeypatch.setattr(engine, "CHECKED", 1)
    told = call(*study).stderr
    assert re.search(r"^\d+ configurations are checked before the first run begins\.$", told, re.M)


@pytest.mark.usefixtures("heard")
def test_ageing_that_outlasts_the_trial_is_named(
    monkeypatch: pytest.MonkeyPatch, trials: list[float], tmp_path: Path
) -> None:
    del trials
    monkeypatch.setattr(forecast, "trial_of", lambda *_: Trial(1.04, 600.0, None))
    told = call(*SWEEP, "--jobs", 1, "--cache", tmp_path).stderr
    assert "1 at a time: about 30 min for ageing alone (estimate" in told


@pytest.mark.usefixtures("heard")
def test_a_long_lifetime_study_says_how_long_and_how_to_go_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    drive = ("lifetime", "tiny", "--writes-per-day", 1, "--horizon", "30 d")
    assert "estimated" not in call(*drive).stderr
    monkeypatch.setattr(lifetime_forecast, "FAST", 1_000.0)
    # 30 drive writes of 25,600 pages of 4 KiB, at the closed form with a quarter of spare space
    pages = 30 * 25_600 * wl.write_amplification("greedy", 128 / 100 - 1, 64)
    said = call(*drive).stderr.splitlines()[0]
    assert said.startswith(
        f"estimated time: {about(pages / 1_000)} of one core (about 1.8 million pages are "
    )
    assert "With --state FILE --resume the same command continues after Ctrl-C" in said
    state = tmp_path / "study.state"
    said = call(*drive, "--state", state).stderr
    assert f"After Ctrl-C the same command with --resume continues from {state}." in said
    said = call(*drive, "--replicas", 2).stderr
    assert said.startswith(f"estimated time: {about(2 * pages / 1_000)} of one core")
    assert "Ctrl-C keeps the studies that are finished." in said


def test_a_study_that_skips_time_programs_less_than_an_exact_one() -> None:
    resolved = resolve_named("datacenter-tlc")
    year = 365 * DAY
    skipping = programs(resolved, 5 * year, 1.0, exact=False)
    every = programs(resolved, 5 * year, 1.0, exact=True)
    assert skipping is not None
    assert every is not None
    assert skipping < every / 10
    assert programs(resolved, DAY, 1.0, exact=False) == programs(resolved, DAY, 1.0, exact=True)
    assert programs(resolved, year, None, exact=True) is None


def test_requests_of_tenants_count_together() -> None:
    of = "tenants.{}.workload.requests"
    shared = resolve_named("tiny", ((of.format("a"), "30"), (of.format("b"), "12")))
    assert requests_of(tomllib.loads(shared.toml)) == 42
    alone = resolve_named("tiny", ((LOAD, "7"),))
    assert requests_of(tomllib.loads(alone.toml)) == 7
    assert requests_of({"workload": {}}) == 0


@pytest.mark.usefixtures("heard")
def test_in_a_pipe_a_line_now_and_then_says_what_is_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter([0.0, 1.0, 12.0, 20.0, 25.0])
    monkeypatch.setattr(spoken, "monotonic", lambda: next(clock))
    with progress_bar(shown=True) as report:
        assert report
        report("simulating", 0.0, 0, 0.0)
        report("simulating", 0.25, 2_500, 1.0)
        report("simulating", 0.45, 4_500, 2.0)  # less than twice as long
        report("simulating", 0.6, 6_000, 2.5)
    assert capsys.readouterr().err.splitlines() == [
        "after 12 s: simulating 25 %, 2,500 requests, 1 s simulated, about 33 s left",
        "after 25 s: simulating 60 %, 6,000 requests, 2.5 s simulated, about 16 s left",
    ]


@pytest.mark.usefixtures("heard")
def test_where_time_is_skipped_no_time_is_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter([0.0, 1.0, 12.0])
    monkeypatch.setattr(spoken, "monotonic", lambda: next(clock))
    with lifetime_bar(shown=True) as report:
        assert report
        report("years", 0.0, 1_000)
        report("years", 0.01, 200_000)
    assert capsys.readouterr().err == "after 12 s: years 1.0 %, 200,000 pages programmed\n"


def test_the_command_writes_such_lines_and_standard_output_is_clean() -> None:
    code = (
        "import sys; from wordline import spoken; spoken.FIRST = 0.0; "
        "sys.argv = ['wordline', 'run', 'tiny', '--set', 'workload.requests=200000', '--json']; "
        "from wordline.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert re.search(r"^after \d+ s: simulating", done.stderr, re.MULTILINE)
    assert done.stdout.startswith("{")
