"""The whole-drive benchmark: `make bench`.

Five loads of 4 KiB uniform random requests at depth 256 on the `bench` preset, each in a process of
its own, on one core, beside what we want. Page operations are flash page reads plus programs.
Instructions per request are the slope between two lengths of the same run under callgrind. The map
of an aged drive is either written as a whole when the run starts (dense), as it is for runs that are
long for their drive, or each entry is computed when it is first needed (computed), as it is for short
ones; both are shown. Bytes per physical page are the slope of peak memory between a drive of 1 TiB
and one of 1 GiB.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

CASES: Mapping[str, Mapping[str, object]] = {
    "reads": {"workload.read_fraction": 1.0, "workload.requests": 2_000_000},
    "reads with attribution": {
        "workload.read_fraction": 1.0,
        "workload.requests": 2_000_000,
        "output.attribution": "true",
    },
    "fresh writes": {
        "workload.read_fraction": 0.0,
        "workload.requests": 800_000,
        "age.method": "fresh",
    },
    "writes at steady state": {"workload.read_fraction": 0.0, "workload.requests": 1_000_000},
    "70 % reads at steady state": {"workload.read_fraction": 0.7, "workload.requests": 1_000_000},
}
TARGETS: Mapping[str, Mapping[str, float]] = {
    "reads": {"requests": 4.2e6, "instructions": 1_500},
    "reads with attribution": {"instructions": 1_725},
    "fresh writes": {"requests": 3.6e6, "instructions": 2_200},
    "writes at steady state": {"page ops": 4.4e6, "instructions": 8_000},
    "70 % reads at steady state": {"requests": 1.8e6},
}
"""What we want of each case, per CPU second or per request; instructions with a dense map."""
MOST_BYTES_PER_PAGE = 9.0
REPEATS = 3
"""Runs of each case; the fastest counts, since other processes can only slow a run down."""
DENSE = 270_000, 290_000
"""Requests of the two runs under callgrind: more than a quarter of the pages of the preset."""
COMPUTED = 20_000, 60_000
"""The same for short runs."""
DRIVES = {"1 GiB": 32, "1 TiB": 32_768}
"""Blocks per plane of the drives whose memory is compared."""
PAGES_PER_BLOCK_NUMBER = 8 * 4 * 2 * 128
"""Physical pages of the `bench` preset for each block of a plane."""


def main() -> None:
    """Print the benchmark."""
    counts = shutil.which("valgrind") is not None
    heads = ("requests", "page ops", "instructions", "instructions", "peak")
    units = ("/ CPU s", "/ CPU s", "dense map", "computed", "MB")
    for titles in (heads, units):
        print(f"{'':28}" + "".join(f"{title:>14}" for title in titles))
    for name, overrides in CASES.items():
        runs = [run(overrides) for _ in range(REPEATS)]
        best = max(runs, key=lambda summary: float(summary["run.requests_per_cpu_s"]))
        dense, computed = (
            f"{instructions(overrides, lengths):,.0f}" if counts else "–"
            for lengths in (DENSE, COMPUTED)
        )
        print(
            f"{name:28}{best['run.requests_per_cpu_s']:>14,.0f}{best['run.page_ops_per_cpu_s']:>14,.0f}"
            f"{dense:>14}{computed:>14}{best['run.peak_rss_mb']:>14,.0f}",
            flush=True,
        )
        wanted = TARGETS[name]
        cells = (cell(wanted, what) for what in ("requests", "page ops", "instructions"))
        print(f"{'  wanted':28}" + "".join(f"{text:>14}" for text in cells), flush=True)
    if not counts:
        print(
            "instructions per request need valgrind: apt install valgrind, or dnf install valgrind"
        )
    memory()


def cell(wanted: Mapping[str, float], what: str) -> str:
    """What is wanted, for the table; nothing where nothing is."""
    return f"{wanted[what]:,.0f}" if what in wanted else ""


def memory() -> None:
    """Print what a large drive takes."""
    overrides = {"workload.requests": 1_000_000, "output.request_log": 0, "output.block_table": 0}
    peaks, pages = [], []
    for name, blocks in DRIVES.items():
        summary = run({**overrides, "geometry.blocks_per_plane": blocks})
        peaks.append(float(summary["run.peak_rss_mb"]) * 1e6)
        pages.append(blocks * PAGES_PER_BLOCK_NUMBER)
        print(
            f"{name} drive, aged, 1 M mixed requests: "
            f"{summary['run.cpu_s']:.1f} CPU s, {peaks[-1] / 1e6:,.0f} MB",
            flush=True,
        )
    slope = (peaks[1] - peaks[0]) / (pages[1] - pages[0])
    print(f"bytes per physical page: {slope:.2f} (wanted: at most {MOST_BYTES_PER_PAGE:.0f})")


def command(overrides: Mapping[str, object]) -> list[str]:
    """The command line of one run."""
    settings = [part for key, value in overrides.items() for part in ("--set", f"{key}={value}")]
    return [sys.executable, "-m", "wordline.cli", "run", "bench", "--json", *settings]


def run(overrides: Mapping[str, object]) -> dict[str, Any]:
    """The summary of one run."""
    done = subprocess.run(command(overrides), stdout=subprocess.PIPE, text=True, check=True)
    summary: dict[str, Any] = json.loads(done.stdout)
    return summary


def instructions(overrides: Mapping[str, object], lengths: tuple[int, int]) -> float:
    """Instructions that one more request costs between two lengths of a run."""
    short, long = (
        counted(command({**overrides, "workload.requests": requests})) for requests in lengths
    )
    return (long - short) / (lengths[1] - lengths[0])


def counted(command: Sequence[str]) -> int:
    """Instructions of a whole process."""
    with tempfile.TemporaryDirectory() as folder:
        counts = Path(folder) / "counts"
        valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}"]
        subprocess.run([*valgrind, *command], capture_output=True, check=True)
        found = re.search(r"^(?:summary|totals): (\d+)", counts.read_text(), re.MULTILINE)
    if found is None:
        sys.exit("callgrind wrote no total")
    return int(found.group(1))


if __name__ == "__main__":
    main()
