"""How often inference finds the truth: `python benchmarks/infer.py coverage`.

Settings are drawn from the ranges of four unknown keys, a small drive is simulated with them and with a seed of its own, and its figures,
each with an error within its tolerance, are what was measured. Inference gets these figures and about 100 short runs. Reported are in how many cases
its 95 % sets hold the settings that were drawn, and how wide its intervals are.

Three of the keys were named as ones that these figures determine before any case was run: how long a read and a program take, and
over-provisioning. Of the fourth, how long an erase takes, they say little.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import wordline as wl
from wordline.inferring.targets import TWO_SIDED, Target
from wordline.inferring.unknowns import Unknowns
from wordline.inferring.waves import Plan, Waves
from wordline.points.engine import Engine
from wordline.points.store import Store
from wordline.sweeps.layers import Layers
from wordline.sweeps.space import axes_of

LOAD = {"requests": 3000, "queue_depth": 1, "read_fraction": 0.6}
UNKNOWN = {
    "timing.t_r": wl.Range("20 us", "100 us"),
    "timing.t_prog": wl.Range("100 us", "1000 us", log=True),
    "ftl.over_provisioning": wl.Range(0.1, 0.5),
    "timing.t_bers": wl.Range("1 ms", "8 ms"),
}
IDENTIFIABLE = ("timing.t_r", "timing.t_prog", "ftl.over_provisioning")
"""Keys of which it was said beforehand that the figures determine them."""
FIGURES = (
    "host.read.latency.mean_us",
    "host.read.latency.p50_us",
    "host.write.latency.mean_us",
    "host.write.latency.p50_us",
    "ftl.write_amplification",
)
TOLERANCE = 0.02
"""Tolerance of every figure, as a share of it."""
PLAN = Plan(points=50, seeds=2)
ENOUGH_CASES = 0.9
"""Share of the cases whose 95 % set must hold the truth: 54 of 60."""
WIDEST = 0.2
"""Largest median width of the interval of an identifiable key, as a share of its range."""
FIRST_SEED = 10_000
"""Seed of the first case; inference itself uses seeds from 1."""


def coverage(cases: int, cache: Path) -> int:
    """Infer in many cases what was drawn."""
    axes = axes_of(UNKNOWN)
    unknowns = Unknowns(axes)
    layers = Layers.of("tiny", LOAD)
    engine = Engine(Store(cache), progress=False)
    held: list[bool] = []
    inside: dict[str, list[bool]] = {name: [] for name in unknowns.names}
    widths: dict[str, list[float]] = {name: [] for name in unknowns.names}
    begun = time.perf_counter()
    for case in range(cases):
        random = np.random.default_rng(FIRST_SEED + case)
        truth = random.random(len(axes))
        point = layers.point(unknowns.settings(truth), FIRST_SEED + case)
        run = engine.run([point])[point]
        measured = [run.number(figure) for figure in FIGURES]
        targets = tuple(
            Target.of(
                figure,
                value * (1 + random.normal() * TOLERANCE / TWO_SIDED),
                f"{TOLERANCE:%}",
            )
            for figure, value in zip(FIGURES, measured, strict=True)
            if value is not None
        )
        found = Waves(layers, unknowns, targets, PLAN, engine).run()
        held.append(bool(found.holds(truth)[0]))
        for place, each in enumerate(unknowns.each):
            low, high = found.interval(place)
            share = each.snapped(truth[[place]])[0]
            inside[each.name].append(bool(low <= share <= high))
            widths[each.name].append(high - low)
        print(
            f"case {case + 1}: {'held' if held[-1] else 'MISSED'}, tolerances times {found.likelihood.scale:.2f}, widths "
            + " ".join(f"{widths[name][-1]:.2f}" for name in unknowns.names),
            flush=True,
        )
    print(
        f"{cases} cases of {PLAN.points * PLAN.seeds} runs in {time.perf_counter() - begun:.0f} s"
    )
    print(f"the 95 % set holds the truth in {sum(held)} of {cases} cases")
    for name in unknowns.names:
        said = "named identifiable" if name in IDENTIFIABLE else "not named"
        print(
            f"{name} ({said}): its interval holds the truth in {sum(inside[name])} cases, "
            f"median width {statistics.median(widths[name]):.3f} of the range"
        )
    narrow = all(statistics.median(widths[name]) <= WIDEST for name in IDENTIFIABLE)
    return 0 if sum(held) >= ENOUGH_CASES * cases and narrow else 1


def main() -> int:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("measure", choices=("coverage",))
    parser.add_argument("--cases", type=int, default=60)
    asked = parser.parse_args()
    with TemporaryDirectory() as place:
        return coverage(asked.cases, Path(place))


if __name__ == "__main__":
    sys.exit(main())
