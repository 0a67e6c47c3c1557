"""`wordline run --seeds`: the same run again and again, but for chance."""

from __future__ import annotations

import json
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

import wordline as wl
from shared import SMALL, reproducible, small_run, wordline
from wordline.config import resolve_named
from wordline.seeds import seeds_of, with_seed

# one process runs them all, so that what they look at is made once
pytestmark = pytest.mark.xdist_group("seeds")

TENANTS = """
base = "tiny"
seed = 5
[tenants.a.workload]
requests = 400
seed = 7
[tenants.b.workload]
requests = 400
"""

T_OF_TWO = 4.302652730
"""Two-sided 95 % point of Student's t distribution with two degrees of freedom, from a table."""


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of three small runs."""
    out = tmp_path_factory.mktemp("seeds") / "several"
    done = small_run("--seeds", 3, "--out", out)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return out


def test_every_seed_has_its_run(several: Path) -> None:
    assert {path.name for path in several.iterdir()} == {"seed-1", "seed-2", "seed-3", "seeds.json"}
    for seed in (1, 2, 3):
        assert wl.load(several / f"seed-{seed}").summary["sim.seed"] == seed


def test_the_figures_are_those_of_the_runs(several: Path) -> None:
    told = json.loads((several / "seeds.json").read_text())
    assert told["seeds"] == [1, 2, 3]
    runs = [wl.load(several / f"seed-{seed}").summary for seed in told["seeds"]]
    figure = told["metrics"]["host.all.latency.mean_us"]
    values = [run["host.all.latency.mean_us"] for run in runs]
    assert figure["values"] == values
    assert len(set(values)) == 3
    deviation = statistics.stdev(figure["values"])
    assert figure["mean"] == pytest.approx(statistics.mean(figure["values"]))
    assert figure["deviation"] == pytest.approx(deviation)
    assert figure["half_width"] == pytest.approx(T_OF_TWO * deviation / 3**0.5, rel=1e-6)
    assert not any(key.startswith("run.") or key == "sim.seed" for key in told["metrics"])


def test_the_first_run_is_that_of_no_seeds(several: Path) -> None:
    plain = reproducible(small_run("--set", "output.attribution=true", "--json").stdout)
    del plain["notes"]
    assert reproducible((several / "seed-1/summary.json").read_text()) == plain


def test_as_many_at_a_time_as_you_like_give_the_same(several: Path, tmp_path: Path) -> None:
    done = small_run("--seeds", 3, "--jobs", 1, "--out", tmp_path / "again")
    assert done.returncode == 0, done.stderr
    for name in ("seeds.json", "seed-2/config.toml", "seed-2/requests.parquet"):
        assert (tmp_path / "again" / name).read_bytes() == (several / name).read_bytes()


def test_python_gives_the_same(several: Path, tmp_path: Path) -> None:
    drive = wl.Drive.from_toml("tiny", **SMALL, **{"output.attribution": True})
    runs = wl.simulate_seeds(drive, seeds=3)
    assert list(runs.results) == [1, 2, 3]
    assert runs.metrics["host.iops"].count == 3
    saved = runs.save(tmp_path / "saved")
    assert (saved / "seeds.json").read_bytes() == (several / "seeds.json").read_bytes()
    with pytest.raises(wl.ResultError, match="seed-1, seed-2, seed-3"):
        wl.load(saved)


def test_json_is_what_the_file_holds(several: Path) -> None:
    done = small_run("--seeds", 3, "--json", "--set", "output.attribution=true")
    told = json.loads(done.stdout)
    assert {note["key"] for note in told.pop("notes")} >= {"too_short", "age"}
    assert told == json.loads((several / "seeds.json").read_text())


def test_text_has_intervals() -> None:
    done = small_run("--seeds", 2)
    assert done.returncode == 0, done.stderr
    for word in ("2 seeds", "95 % interval", "±", "write amplification"):
        assert word in done.stdout


def test_every_seed_of_a_configuration_is_raised() -> None:
    resolved = resolve_named(TENANTS, is_text=True)
    raised = with_seed(resolved, 3)
    assert raised.get("seed") == 8
    assert raised.get("tenants.a.workload.seed") == 10
    assert raised.get("tenants.b.workload.seed") == resolved.get("tenants.b.workload.seed") + 3
    assert with_seed(resolved, 0).toml == resolved.toml


def test_a_workload_without_chance_has_one_seed() -> None:
    assert list(seeds_of({"seed": 4, "workload": {"kind": "trace"}})) == [("seed", 4)]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--seeds", 1], "--seeds"),
        (["--jobs", 2], "--jobs"),
        (["--seeds", 2, "--save-state", "x.bin"], "--save-state"),
        (["--seeds", 2, "--set", "seed=18446744073709551615"], "seed"),
    ],
    ids=["one seed", "jobs alone", "state", "seed too high"],
)
def test_what_makes_no_sense_is_refused(arguments: list[object], said: str, tmp_path: Path) -> None:
    done = small_run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_python_refuses_no_seeds() -> None:
    with pytest.raises(wl.ConfigError, match="seeds = 0"):
        wl.simulate_seeds("tiny", seeds=0)


@pytest.mark.slow
def test_results_take_each_others_place_and_nothing_else_does(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert small_run("--out", out).returncode == 0
    assert small_run("--seeds", 2, "--out", out).returncode == 0
    assert (out / "seeds.json").exists()
    assert small_run("--seeds", 2, "--out", out).returncode == 0
    (out / "seed-1" / "mine.txt").write_text("mine")
    done = small_run("--out", out)
    assert done.returncode == 2
    assert (out / "seed-1" / "mine.txt").exists()
    (out / "seed-1" / "mine.txt").unlink()
    assert small_run("--out", out).returncode == 0
    assert not (out / "seeds.json").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="sends an interrupt to a process")
def test_an_interrupt_stops_all_and_leaves_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "wordline.cli", "run", "tiny", "--seeds", "3", "--out", "out"]
    with subprocess.Popen(
        [*command, "--set", "workload.requests=1_000_000_000"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    ) as process:
        while not list(tmp_path.iterdir()) and process.poll() is None:
            time.sleep(0.05)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=600)
    assert process.returncode == 130
    assert complaint.strip() == "interrupted; nothing was written"
    assert list(tmp_path.iterdir()) == []


def test_one_failing_run_stops_the_others(tmp_path: Path) -> None:
    trace = tmp_path / "bad.csv"
    # good enough to be recognised, not to be replayed
    rows = [f"{128166372000000000 + i * 10000},hm,0,Read,{i * 4096},4096,1" for i in range(20)]
    trace.write_text("\n".join([*rows, "nonsense"]) + "\n")
    out = tmp_path / "out"
    done = wordline("run", "tiny", "--trace", trace, "--seeds", 3, "--out", out)
    assert done.returncode == 2
    assert "nonsense" in done.stderr or "22" in done.stderr or "21" in done.stderr
    assert not out.exists()
