"""How much slower policies in Python are: requests per CPU second beside the built-in policies that do the same.

python benchmarks/policies.py
"""

from __future__ import annotations

import functools
import sys
from pathlib import Path

import wordline as wl

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from python_policies import Greedy, OutOfOrder, TwoLevelLru

REQUESTS = 200_000
TIMES = 3
"""Runs of which the fastest counts."""


def speed(read_fraction: float, key: str, policy: str) -> float:
    """Requests per CPU second of `tiny`."""
    drive = wl.Drive("tiny", **{key: policy})
    load = {"read_fraction": read_fraction, "requests": REQUESTS}
    runs = (wl.simulate(drive, load, progress=False) for _ in range(TIMES))
    return max(REQUESTS / run.number("run.cpu_s") for run in runs)


def main() -> None:
    """Print a row for each kind of policy."""
    wl.register_victim("python", Greedy)
    # the sizes of the lists are the defaults of the built-in one
    wl.register_classifier("python", functools.partial(TwoLevelLru, 1024, 512))
    wl.register_scheduler("python", OutOfOrder)
    print("| policy | requests | built in | in Python | slower by |\n|---|---|---|---|---|")
    for key, policy, read_fraction in (
        ("ftl.gc.victim", "greedy", 0.0),
        ("ftl.hot.classifier", "two_level_lru", 0.0),
        ("scheduler.policy", "out_of_order", 0.7),
    ):
        built_in, own = (speed(read_fraction, key, name) for name in (policy, "python"))
        load = "writes" if read_fraction == 0 else f"{read_fraction:.0%} reads"
        print(
            f'| `{key} = "{policy}"` | {load} | {built_in:,.0f} | {own:,.0f} | {built_in / own:.1f} |'
        )


if __name__ == "__main__":
    main()
