"""Measures of sweeps: `python benchmarks/sweep.py kill`, `python benchmarks/sweep.py workers` and `python benchmarks/sweep.py waiting`.

`kill` runs a sweep of 500 points, ends it with SIGKILL at two thirds, runs it again and compares every file with those of a sweep that
nobody disturbed. `workers` compares the time of one and of two worker processes for points of about two CPU seconds, which needs two idle cores.
`waiting` does so for jobs that wait for two seconds in place of computing: what is lost there is lost by handing out jobs, whatever else the machine does.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from wordline.executor import executor_on
from wordline.points.files import File

KEPT = "kept"
SECONDS, JOBS = 2.0, 8
"""Length and number of the jobs that wait."""


def command(directory: Path, *options: str) -> list[str]:
    """A sweep whose runs are kept below a directory, as a command."""
    kept = ["--cache", str(directory / KEPT), "--out", str(directory / "out")]
    return [sys.executable, "-m", "wordline.cli", "sweep", "tiny", *options, *kept]


def files(directory: Path) -> dict[str, bytes]:
    """Every file below a directory."""
    return {
        str(each.relative_to(directory)): each.read_bytes()
        for each in sorted(directory.rglob("*"))
        if each.is_file()
    }


def kill(cluster: str | None) -> int:
    """End a sweep at two thirds, and resume it."""
    points = 500
    options = [
        *("--vary", "ftl.over_provisioning=7%..40%", "--vary", "timing.t_prog=100 us..1000 us:log"),
        *("--vary", "ftl.gc.victim=greedy,fifo,random", "--sample", f"sobol:{points}"),
        *("--set", "workload.requests=3000"),
        *(("--cluster", cluster) if cluster else ()),
    ]
    with tempfile.TemporaryDirectory() as place:
        whole, stopped = Path(place) / "whole", Path(place) / "stopped"
        subprocess.run(command(whole, *options), check=True, stdout=subprocess.DEVNULL)
        process = subprocess.Popen(command(stopped, *options), stdout=subprocess.DEVNULL)
        kept = stopped / KEPT
        while len([*kept.glob("*.json")]) < 2 * points // 3:
            assert process.poll() is None, "the sweep ended before it was killed"
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        done = {each.name: each.stat().st_mtime_ns for each in kept.glob("*.json")}
        assert not (stopped / "out").exists() or not any((stopped / "out").iterdir())
        begun = time.perf_counter()
        subprocess.run(command(stopped, *options), check=True, stdout=subprocess.DEVNULL)
        took = time.perf_counter() - begun
        again = [name for name, at in done.items() if (kept / name).stat().st_mtime_ns != at]
        same = files(whole / "out") == files(stopped / "out")
        kept_same = {
            name: content for name, content in files(kept).items() if name.endswith(".json")
        } == files(whole / KEPT)
        print(f"killed after {len(done)} of {points} points, resumed in {took:.1f} s")
        print(
            f"of them run again: {len(again)}; same bytes: table and report {same}, kept runs {kept_same}"
        )
        return 0 if same and kept_same and not again else 1


def workers() -> int:
    """The time of one and of two workers for the same points."""
    took = {}
    cpu = 0.0
    for jobs in (1, 2):
        with tempfile.TemporaryDirectory() as place:
            options = ("--vary", "seed=1..8:8", "--set", "workload.requests=2_000_000")
            call = command(Path(place), *options, "--cluster", "local", "--jobs", str(jobs))
            begun, before = time.perf_counter(), os.times()
            subprocess.run(call, check=True, stdout=subprocess.DEVNULL)
            took[jobs] = time.perf_counter() - begun
            after = os.times()
            cpu = after.children_user - before.children_user
    print(f"1 worker {took[1]:.1f} s, 2 workers {took[2]:.1f} s: speed-up {took[1] / took[2]:.2f}")
    print(
        f"about {cpu / 8:.1f} s of CPU time counted for a point (those of workers that are killed at the end are not)"
    )
    return 0


@dataclass(frozen=True)
class Wait:
    """A job that takes two seconds and no processor."""

    label: str = ""
    files: tuple[File, ...] = ()

    def run(self, goes_on: Callable[[], bool], places: Mapping[str, Path] | None = None) -> float:
        """Wait; the time that it took."""
        del goes_on, places
        begun = time.perf_counter()
        time.sleep(SECONDS)
        return time.perf_counter() - begun

    def lost(self, text: str) -> float:
        """Nothing else can be said of a job that ended its process."""
        raise RuntimeError(text)


def waiting() -> int:
    """The time of one and of two workers for jobs that wait, without the start of the workers."""
    took = {}
    for jobs in (1, 2):
        with executor_on("local", jobs) as runner:
            begun = time.perf_counter()
            busy = sum(seconds for _, seconds in runner.run([Wait()] * JOBS))
            took[jobs] = time.perf_counter() - begun
            lost = took[jobs] - busy / jobs
            print(
                f"{jobs} worker(s): {took[jobs]:.2f} s, {1e3 * lost / JOBS:.0f} ms lost for each of {JOBS} jobs"
            )
    print(f"speed-up {took[1] / took[2]:.3f}")
    return 0


def main() -> int:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("measure", choices=("kill", "workers", "waiting"))
    parser.add_argument("--cluster", help="for `kill`: where the points run")
    asked = parser.parse_args()
    if asked.measure == "kill":
        return kill(asked.cluster)
    return workers() if asked.measure == "workers" else waiting()


if __name__ == "__main__":
    sys.exit(main())
