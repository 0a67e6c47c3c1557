"""The guard of speed: `make speed`.

Instructions that one more request, or one more write of the functional mode, costs: the slope between two lengths of the same run under callgrind, with fixed
seeds. They do not depend on what else the machine does. The counts are held against those of `benchmarks/speed.json`; more than 1 % above
is a failure, more than 1 % below is to be kept with `--accept`. Another compiler counts otherwise, so that counts of the compiler that wrote the file are
compared alone.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from whole_drive import counted

KEPT = Path(__file__).parent / "speed.json"
PROGRAM = Path("target/speed/examples/one_run")
ALLOWED = 0.01
"""Part by which a count may rise."""
HOW = "instructions are counted by valgrind, which is not installed: apt install valgrind, or dnf install valgrind"


@dataclass(frozen=True)
class Case:
    """Two runs of one drive that differ in the value of a key."""

    drive: str
    keys: Mapping[str, object]
    lengths: tuple[float, float]
    """Requests of the two runs, or values of `by`."""
    by: str = "workload.requests"
    per: float = 1.0
    """How much of what is counted the key stands for."""

    def instructions(self) -> float:
        """Instructions of one more."""
        short, long = (
            counted([str(PROGRAM), self.drive, *(f"{key}={value}" for key, value in keys.items())])
            for keys in ({**self.keys, self.by: length} for length in self.lengths)
        )
        return (long - short) / ((self.lengths[1] - self.lengths[0]) * self.per)


SMALL = {"geometry.blocks_per_plane": 32}
"""`bench` with 262,144 pages: more than a quarter of them are written, so that its map is dense."""
DENSE = (70_000, 80_000)


def of_bench(read_fraction: float, **keys: object) -> Case:
    """A load of `bench`."""
    more = {key.replace("__", "."): value for key, value in keys.items()}
    return Case("bench", {**SMALL, "workload.read_fraction": read_fraction, **more}, DENSE)


def of_today(name: str, **keys: object) -> Case:
    """The default load of a drive of today, most with fewer blocks, which age sooner."""
    more = {key.replace("__", "."): value for key, value in keys.items()}
    return Case(name, {"output.timeline": "false", **more}, (6_000, 14_000))


CASES: Mapping[str, Case] = {
    "read": of_bench(1.0),
    "read with attribution": of_bench(1.0, output__attribution="true"),
    "fresh write": of_bench(0.0, age__method="steady_state"),
    "steady write": of_bench(0.0),
    "70/30 request": of_bench(0.7),
    "functional write": Case(
        "bench",
        {**SMALL, "age.method": "overwritten", "workload.requests": 1},
        (1.0, 2.0),
        by="age.random_factor",
        # logical pages: 262,144 less the spare space, a quarter of them
        per=209_715,
    ),
    "datacenter-tlc": of_today("datacenter-tlc", geometry__blocks_per_plane=96),
    "datacenter-qlc": of_today("datacenter-qlc", geometry__blocks_per_plane=48),
    "client-tlc": of_today("client-tlc", geometry__blocks_per_plane=64),
    "client-qlc": of_today("client-qlc", geometry__blocks_per_plane=128),
    "client-gen5": of_today("client-gen5", geometry__blocks_per_plane=128),
    # its map and its cache need the blocks that it has
    "client-dramless": of_today("client-dramless", age__method="steady_state"),
    "low-latency-slc": of_today("low-latency-slc", geometry__blocks_per_plane=48),
    "sata-mlc": of_today("sata-mlc", geometry__blocks_per_plane=64),
}


def compiler() -> str:
    """The version of the compiler."""
    said = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True)
    return said.stdout.split()[1]


def main() -> int:
    """Count, compare and print; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("case", nargs="*", help="cases to count; all when none is named")
    parser.add_argument("--accept", action="store_true", help="keep the counts")
    asked = parser.parse_args()
    unknown = set(asked.case) - CASES.keys()
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: accepted are {', '.join(CASES)}")
    if shutil.which("valgrind") is None:
        print(HOW)
        return 0
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {"instructions": {}}
    same = kept.get("compiler") == compiler()
    wanted = asked.case or list(CASES)
    failed = 0
    with ThreadPoolExecutor(2) as threads:
        counts = threads.map(lambda name: CASES[name].instructions(), wanted)
        for name, count in zip(wanted, counts, strict=True):
            before = kept["instructions"].get(name)
            said = ""
            if before and same:
                change = count / before - 1
                said = f"{change:+8.2%} of {before:,.0f}"
                if change > ALLOWED:
                    failed += 1
                    said += "  more than 1 % more"
                elif change < -ALLOWED:
                    said += "  less: keep it with --accept"
            print(f"{name:24}{count:>12,.0f}  {said}", flush=True)
            if asked.accept:
                kept["instructions"][name] = round(count)
    if asked.accept:
        kept = {"compiler": compiler(), "instructions": kept["instructions"]}
        KEPT.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
        return 0
    if not same:
        print(
            f"the counts of {KEPT.name} are of the compiler {kept.get('compiler')}: none was compared"
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
