"""Ctrl-C and SIGTERM: what is finished is kept, and marked."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import wordline as wl
from shared import small_run
from signalled import stopped
from wordline import seeds as several
from wordline.columns import TABLES
from wordline.loading import load_seeds

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends signals to a process")

ENDLESS = ("--set", "workload.requests=1_000_000_000")
QUIET = ("--set", "output.request_log=1000")
"""The table of all requests would take longer to write than the run takes."""


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_the_run_so_far_is_kept(number: signal.Signals, status: int, tmp_path: Path) -> None:
    done = stopped("run", "tiny", *ENDLESS, *QUIET, "--out", "out", folder=tmp_path, number=number)
    assert done.returncode == status, done.stderr
    assert "out holds the run so far" in done.stderr
    assert "The run was interrupted after" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    result = wl.load(tmp_path / "out")
    assert result.is_interrupted
    assert result.summary["check.conservation"] is True
    assert 0 < result.number("host.requests") < 1e9
    assert result.time_series["reads"].sum() == result.summary["host.read.count"]
    # a drive with one mode has no table of them, nor has one without a temperature
    optional = {"modes", "start_levels", "temperature"}
    assert all(getattr(result, name).height for name in TABLES if name not in optional)
    assert "The run was interrupted after" in (tmp_path / "out/report.html").read_text()
    again = wl.compare(result, result)
    assert again.notes[0].key == "interrupted"


def test_ageing_answers_ctrl_c(tmp_path: Path) -> None:
    ageing = ("--set", "age.method=overwritten", "--set", "age.random_factor=1000000")
    begun = time.monotonic()
    done = stopped("run", "tiny", *ageing, "--out", "out", folder=tmp_path)
    assert done.returncode == 130
    assert done.stderr == "interrupted; nothing was written\n"
    assert not any(tmp_path.iterdir())
    assert time.monotonic() - begun < 60


@pytest.mark.slow
def test_a_whole_result_is_not_replaced_by_a_part(tmp_path: Path) -> None:
    load = ("run", "tiny", "--set", "workload.requests=2_000_000", *QUIET, "--out", "out")
    first = stopped(*load, folder=tmp_path)
    assert first.returncode == 130, first.stderr
    # mark it as whole
    summary = json.loads((tmp_path / "out/summary.json").read_text())
    (tmp_path / "out/summary.json").write_text(json.dumps(summary | {"run.interrupted": False}))
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}

    def building(folder: Path) -> bool:
        return any(path.name.startswith(".") for path in (folder / "out").iterdir())

    done = stopped(*load, folder=tmp_path, when=building)
    assert done.returncode == 130
    assert "out keeps the whole result" in done.stderr
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before
    done = stopped(*load, "--force", "--json", folder=tmp_path, when=building)
    assert done.returncode == 130
    assert json.loads(done.stdout)["run.interrupted"] is True
    assert wl.load(tmp_path / "out").is_interrupted


@pytest.mark.slow
def test_seeds_that_are_done_are_kept(tmp_path: Path) -> None:
    def one_is_done(folder: Path) -> bool:
        return any(folder.glob(".wordline-*/seed-2/report.html"))

    done = stopped(
        *("run", "tiny", "--set", "workload.requests=20_000", "--seeds", 500, "--jobs", 1),
        *("--out", "out"),
        folder=tmp_path,
        when=one_is_done,
        after=0.0,
    )
    assert done.returncode == 130, done.stderr
    kept = load_seeds(tmp_path / "out")
    assert 1 <= len(kept) < 500
    assert not any(result.is_interrupted for result in kept)
    assert f"out holds the {len(kept)} of 500 seeds that are done" in done.stderr
    told = json.loads((tmp_path / "out/seeds.json").read_text())
    assert told["interrupted"] is True
    assert len(told["seeds"]) == len(kept)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_script_stops_unless_it_asks_for_the_part(monkeypatch: pytest.MonkeyPatch) -> None:
    simulate = wl._wordline.simulate

    def once(resolved: wl._wordline.Resolved, audit: bool, *others: object) -> object:
        looks = iter(range(100))
        return simulate(resolved, audit, lambda *_: next(looks) > 1)

    # the callback stops the run as Ctrl-C does, at a time that does not depend on the machine
    monkeypatch.setattr("wordline.simulation._wordline.simulate", once)
    load = wl.Workload(requests=1_000_000)
    with pytest.raises(KeyboardInterrupt) as stop:
        wl.simulate("tiny", load, progress=False)
    assert isinstance(stop.value, wl.Interrupted)
    result = stop.value.result
    assert isinstance(result, wl.Result)
    assert result.is_interrupted
    assert result.number("host.requests") < 1_000_000
    assert result.notes[0].key == "interrupted"


def test_seeds_in_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    whole = wl.simulate_seeds("tiny", wl.Workload(requests=100), seeds=3, jobs=1)

    def runs(*_: object, **__: object) -> object:
        yield from list(whole.results.items())[:2]
        raise KeyboardInterrupt

    monkeypatch.setattr(several, "run_seeds", runs)
    with pytest.raises(wl.Interrupted) as stop:
        wl.simulate_seeds("tiny", seeds=3)
    found = stop.value.result
    assert isinstance(found, wl.SeedRuns)
    assert found.is_interrupted
    assert list(found.results) == [1, 2]
    told = json.loads((found.save(tmp_path / "out") / "seeds.json").read_text())
    assert told["interrupted"] is True


def test_nothing_is_marked_that_was_not_interrupted(tmp_path: Path) -> None:
    assert small_run("--seeds", 2, "--out", tmp_path / "out").returncode == 0
    assert json.loads((tmp_path / "out/seeds.json").read_text())["interrupted"] is False
    assert not wl.load(tmp_path / "out/seed-1").is_interrupted


BEFORE_THE_COMMAND = """
import os, signal, sys
from wordline.cli import main
from wordline.cli.common import app

@app.command()
def stop_at_once():
    os.kill(os.getpid(), signal.{name})

# as in a terminal: a process in the background may have been told to ignore it
if signal.getsignal(signal.{name}) == signal.SIG_IGN:
    signal.signal(signal.{name}, {handler})

sys.argv = ["wordline", "stop-at-once"]
main()
"""
"""A command that has not yet come to handle signals on its own."""


@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_the_status_names_the_signal_before_the_command_handles_it(name: str, status: int) -> None:
    handler = "signal.default_int_handler" if name == "SIGINT" else "signal.SIG_DFL"
    script = BEFORE_THE_COMMAND.format(name=name, handler=handler)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_to_terminate_a_lifetime_study_leaves_nothing_hidden(tmp_path: Path) -> None:
    arguments = ("lifetime", "tiny", "--writes-per-day", 100, "--exact", "--out", "out")
    done = stopped(*arguments, folder=tmp_path, number=signal.SIGTERM, after=3.0)
    assert done.returncode == 143, done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.rglob(".*"))


@pytest.mark.slow
def test_lifetime_studies_that_are_done_are_kept(tmp_path: Path) -> None:
    asked = ("lifetime", "tiny", "--writes-per-day", 20, "--horizon", "2 mo", "--every", "1 mo")
    several = (*asked, "--replicas", 10_000, "--jobs", 1, "--out", "out")
    done = stopped(*several, folder=tmp_path, after=5.0)
    assert done.returncode == 130, done.stderr
    told = json.loads((tmp_path / "out/replicas.json").read_text())
    assert told["interrupted"] is True
    assert 1 <= told["replicas"] == len(told["studies"]) < 10_000
    assert f"out holds the {told['replicas']} of 10000 studies that are done" in done.stderr
    assert "interrupted before the other studies were done" in " ".join(done.stdout.split())
    assert "interrupted before the other" in (tmp_path / "out/report.html").read_text()
    # what is whole is not replaced by a part
    (tmp_path / "out/replicas.json").write_text(json.dumps(told | {"interrupted": False}))
    # by when one study is done: on a busy machine the interpreter may not even be there after the first of these times
    for after in (5.0, 15.0, 45.0):
        done = stopped(*several, folder=tmp_path, after=after)
        assert done.returncode in (130, -signal.SIGINT), done.stderr
        if "out keeps the whole result" in done.stderr:
            break
    assert done.returncode == 130, done.stderr
    assert "out keeps the whole result" in done.stderr
    assert json.loads((tmp_path / "out/replicas.json").read_text())["interrupted"] is False


def test_lifetime_replicas_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = wl.LifetimeStudy(horizon=30 * 86_400.0)
    whole = wl.lifetime_replicas("tiny", asked=asked, replicas=2)
    assert not whole.is_interrupted

    def studies(*_: object, **__: object) -> object:
        yield from list(whole.found.items())[:1]
        raise KeyboardInterrupt

    monkeypatch.setattr("wordline.replicas.studies", studies)
    with pytest.raises(wl.Interrupted) as stop:
        wl.lifetime_replicas("tiny", asked=asked, replicas=2)
    found = stop.value.result
    assert isinstance(found, wl.LifetimeReplicas)
    assert found.is_interrupted
    assert found.found == dict(list(whole.found.items())[:1])
