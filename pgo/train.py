"""What an instrumented build does while it is watched, for `make pgo`: runs of every kind that people wait for.

No case is longer than it must be for its paths to be seen as often as they matter; none is tuned to a benchmark alone.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

REQUESTS = 150_000
PRESETS = (
    "onfi5-tlc",
    "onfi3-mlc",
    "hu2011",
    "hu2011-ssd2",
    "mqsim-default",
    "wu2013-pes-mlc",
    "tiny",
)
BENCH: Sequence[Mapping[str, object]] = (
    {"workload.read_fraction": 1.0},
    {"workload.read_fraction": 0.0, "age.method": "fresh"},
    {"workload.read_fraction": 0.0},
    {"workload.read_fraction": 0.7},
    {
        "workload.read_fraction": 0.5,
        "workload.kind": "zipf",
        "buffer.policy": "lru",
        "buffer.size": "4 MiB",
    },
    {"workload.read_fraction": 0.5, "workload.request_size": "16 KiB", "allocation.mode": "static"},
    {"workload.read_fraction": 0.5, "output.attribution": True, "output.timeline": True},
    {"workload.read_fraction": 0.5, "workload.kind": "hot_cold", "ftl.gc.victim": "d_choices"},
)
LIFETIME = (
    *("--set", "geometry.blocks_per_plane=128", "--set", "age.method=steady_state"),
    *("--set", "ftl.wear.static=swap", "--set", "workload.kind=random"),
    *("--set", "workload.read_fraction=0.0", "--set", "workload.request_size=4 KiB"),
    *("--writes-per-day", "1", "--horizon", "6 d", "--every", "6 d", "--exact"),
)
ROWS = 100_000
COMMAND = Path(sys.executable).with_name("wordline")


def main() -> None:
    """Run them all."""
    for overrides in BENCH:
        run("bench", {"workload.kind": "random", "workload.requests": REQUESTS, **overrides})
    for preset in PRESETS:
        mixed = {"workload.kind": "random", "workload.read_fraction": 0.6}
        run(preset, {**mixed, "workload.requests": REQUESTS // 10})
    wordline("lifetime", "bench", *LIFETIME)
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.csv"
        trace.write_text("".join(rows()))
        wordline("trace-stats", str(trace), "--format", "msr")
        wordline(
            *("run", "bench", "--trace", str(trace), "--format", "msr"),
            *("--set", "workload.fold=modulo", "--out", f"{folder}/out"),
        )


def run(preset: str, overrides: Mapping[str, object]) -> None:
    """One drive under one load."""
    sets = [text for key, value in overrides.items() for text in ("--set", f"{key}={toml(value)}")]
    wordline("run", preset, *sets, "--json")


def toml(value: object) -> str:
    """A value as `--set` takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def rows() -> list[str]:
    """A trace in the format of MSR Cambridge: timestamp, host, disk, operation, offset, size, response time."""
    draw = random.Random(1)
    return [
        f"{128166372003061629 + 900 * row},host,0,{draw.choice(('Read', 'Write'))},"
        f"{draw.randrange(1 << 20) * 4096},{draw.choice((4096, 8192, 65536))},100\n"
        for row in range(ROWS)
    ]


def wordline(*arguments: str) -> None:
    """The command, in a process of its own, which leaves its counts behind when it ends."""
    print("wordline", *arguments[:2], flush=True)
    subprocess.run([COMMAND, *arguments], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
