"""What users wait for every day: part of `make bench`.

* `wordline --help`;
* a run of 1,000 requests on a drive of 512 GiB, aged by closed form, Python included;
* two runs in two threads, against one after the other;
* reads of a drive of 1 TiB, against loads from random places of a table as large as its map, each of
  which needs the one before: what a simulator would take that did nothing but look pages up.

Times are those of the processor where they can be, and the best of some runs: other processes can only
slow a run down. Two threads need two idle cores.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from whole_drive import run

import wordline as wl

REPEATS = 5
THREADS = 2
SMALL = ("mqsim-default", "workload.kind=random", "workload.requests=1000")
"""The small run on a large drive."""
LARGE_BLOCKS = 32_768
"""Blocks per plane of the `bench` preset that make it a drive of 1 TiB."""
LARGE_MAP = (1 << 40) // 4096 * 4
"""Bytes of its map from logical to physical pages."""
READS = 2_000_000


def main() -> None:
    """Print the figures beside what we want."""
    command = [sys.executable, "-m", "wordline.cli"]
    print_line("wordline --help, CPU s", cpu([*command, "--help"]), "below 0.3")
    name, *settings = SMALL
    keys = [part for setting in settings for part in ("--set", setting)]
    small = cpu([*command, "run", name, "--json", *keys])
    print_line("1,000 requests on 512 GiB, CPU s", small, "below 1")
    print_line(f"{THREADS} threads, efficiency", efficiency(), "0.95")
    print_large()


def print_line(what: str, value: float, wanted: str) -> None:
    """Print one figure."""
    print(f"{what:44}{value:>10,.2f}   wanted: {wanted}", flush=True)


def cpu(command: list[str]) -> float:
    """The CPU seconds of a command, the best of some runs."""
    return min(cpu_once(command) for _ in range(REPEATS))


def cpu_once(command: list[str]) -> float:
    """The CPU seconds of a command."""
    before = os.times()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return (after.children_user + after.children_system) - (
        before.children_user + before.children_system
    )


def efficiency() -> float:
    """The time of one run over that of several at once, each in a thread of its own."""
    drive = wl.Drive.from_toml("bench")
    workload = wl.Workload(kind="random", read_fraction=0.7, requests=400_000)

    def together(runs: int) -> float:
        with ThreadPoolExecutor(runs) as threads:
            return elapsed(
                lambda: list(threads.map(lambda _: wl.simulate(drive, workload), range(runs)))
            )

    return min(together(1) for _ in range(REPEATS)) / min(together(THREADS) for _ in range(REPEATS))


def elapsed(work: Callable[[], object]) -> float:
    """Seconds that something takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def print_large() -> None:
    """Print what a read of a large drive takes, and what a look-up alone would."""
    few, many = read_seconds(READS // 10), read_seconds(READS)
    read = (many - few) / (READS - READS // 10) * 1e9
    load = dependent_load(LARGE_MAP)
    print(f"{'1 TiB: ns per read of a page':44}{read:>10,.0f}")
    print(f"{'1 TiB: ns per dependent load from its map':44}{load:>10,.0f}")
    print_line("1 TiB: reads over loads", read / load, "at most 2")


def read_seconds(requests: int) -> float:
    """CPU seconds of a run of reads on a drive of 1 TiB, the best of some runs."""
    overrides = {
        "geometry.blocks_per_plane": LARGE_BLOCKS,
        "workload.read_fraction": 1.0,
        "workload.requests": requests,
        "output.request_log": 0,
        "output.block_table": 0,
    }
    return min(float(run(overrides)["run.cpu_s"]) for _ in range(3))


def dependent_load(table: int) -> float:
    """Nanoseconds of a load from a random place of a table of so many bytes."""
    command = ["cargo", "run", "--release", "--quiet", "--package", "wordline-units"]
    done = subprocess.run(
        [*command, "--example", "random_loads", "--", str(table)],
        cwd=Path(__file__).parent.parent,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return float(json.loads(done.stdout)["ns_per_load"])


if __name__ == "__main__":
    main()
