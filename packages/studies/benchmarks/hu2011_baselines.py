"""What the baseline of table 3 says of the loads of Hu et al. 2011: `python packages/studies/benchmarks/hu2011_baselines.py --write`.

The source leaves open how much of each trace was played, at which share of free pages collection starts, and over which part of the drive the addresses fall. With
static allocation the place of a page is a function of its address, so that the deviation of the erases over the planes is proportional to the length of
the load. This measures it at two lengths, checks the proportionality, and solves for the length at which it is the printed one, for each
threshold and part. The length at the study's own threshold and part is frozen; the study then predicts dynamic allocation with it.
"""

from __future__ import annotations

import argparse
import sys
from statistics import fmean

from wordline.points.engine import Engine
from wordline.points.outcome import Outcome
from wordline.points.point import Point, overlay
from wordline.studies.grid import QUIET
from wordline_studies.hu2011 import baselines
from wordline_studies.hu2011.drives import AGED, SPACE, static
from wordline_studies.hu2011.loads import CASCADE, surrogate
from wordline_studies.hu2011.sensitivity import threshold
from wordline_studies.hu2011.wear import spread

CHANNELS = 4
LENGTHS = (8 * CASCADE, 16 * CASCADE)
"""Requests at which the deviation is measured."""
SEEDS = (1, 2)
PARTS = (1, 4)
"""By how much the part of the drive that addresses fall in is smaller than the study's."""
NEAR = 0.1
"""By how much the deviation for each request may differ between the two lengths, for proportionality."""


def point(trace: str, share: float, part: int, requests: int, seed: int) -> Point:
    """A run with static allocation s2."""
    load = {**surrogate(trace).keys, "requests": requests, "seed": seed}
    load["region"] = f"{SPACE * CHANNELS // part} MiB"
    keys = overlay(
        QUIET,
        AGED,
        static("CWDP"),
        threshold(share),
        {"seed": seed},
        {f"workload.{key}": value for key, value in load.items()},
    )
    return Point("hu2011", keys, ("plane_erases",))


def main() -> int:
    """Measure, solve, and freeze."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="freeze the lengths for the study")
    asked = parser.parse_args()
    places = [(share, part) for share in baselines.THRESHOLDS for part in PARTS]
    points = {
        (trace, share, part, requests, seed): point(trace, share, part, requests, seed)
        for trace in baselines.TABLE_3
        for share, part in places
        for requests in LENGTHS
        for seed in SEEDS
    }
    outcomes = Engine(jobs=1, progress=False).run([*points.values()])
    lines = [
        "# The length of each surrogate at which static allocation has the deviation of table 3.",
        "# Written by `python packages/studies/benchmarks/hu2011_baselines.py --write`: infer anew, do not edit.",
    ]
    for trace, (printed, _) in baselines.TABLE_3.items():
        lengths = {}
        for share, part in places:
            each = []
            for requests in LENGTHS:
                runs = (points[trace, share, part, requests, seed] for seed in SEEDS)
                found: list[Outcome] = [outcomes[run] for run in runs]
                each.append(fmean(map(spread, found)) / requests)
            ratio = each[1] / each[0]
            lengths[share, part] = round(printed / each[1])
            told = "" if abs(ratio - 1) <= NEAR else f"; not proportional ({ratio:.2f})"
            print(f"{trace}: threshold {share}, part 1/{part}: {lengths[share, part]:,}{told}")
        own = lengths[baselines.THRESHOLDS[0], PARTS[0]]
        lines += ["", f"[{trace}]", f"requests = {own}"]
        lines += [f"least = {min(lengths.values())}", f"most = {max(lengths.values())}"]
    if asked.write:
        baselines.INFERRED.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
