"""Runs by sampling against full runs, a part of `make bench`: time, intervals that contain the truth, and loads told apart.

`python benchmarks/sampling.py time|cover|labels [--requests N] [--cases N] [--first-seed N]`; without a name all three.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import wordline as wl
from wordline import _wordline
from wordline.config import Workload, resolve
from wordline.sampled.options import Sampling

sys.path.append(str(Path(__file__).parent.parent / "tests"))
import sampled_loads

POISSON = {"kind": "random", "read_fraction": 0.5, "interarrival": "100 us", "arrival": "poisson"}
LOADS: Mapping[str, Mapping[str, Any]] = {
    "Poisson arrivals, one in 70 us": {**POISSON, "interarrival": "70 us"},
    "closed loop, depth 16": {"kind": "random", "read_fraction": 0.5, "queue_depth": 16},
}
FIGURES = {
    "mean": "host.all.latency.mean_us",
    "99th percentile": "host.all.latency.p99_us",
    "requests/s": "host.iops",
    "write amplification": "ftl.write_amplification",
}
CODED: Mapping[str, Any] = {
    "ecc.kind": "ldpc",
    "nand.suspend": "program_erase",
    "scheduler.policy": "pes",
}


def main() -> None:
    """Print the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=["time", "cover", "labels"])
    parser.add_argument("--requests", type=int, help="of a run, in place of 20 and 2 million")
    parser.add_argument("--cases", type=int, default=60)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--windows", type=int)
    parser.add_argument("--measured", type=int, default=Sampling.requests)
    parser.add_argument("--warm-up", type=int)
    asked = parser.parse_args()
    sampling = Sampling(windows=asked.windows, requests=asked.measured, warm_up=asked.warm_up)
    for part in asked.parts:
        if part == "time":
            print_times(asked.requests or 20_000_000, sampling)
        elif part == "cover":
            seeds = range(asked.first_seed, asked.first_seed + asked.cases)
            print_coverage(asked.requests or 2_000_000, seeds, sampling)
        else:
            print_labels()


def print_times(requests: int, sampling: Sampling) -> None:
    """Simulation time of a functional pass, of a sample and of a full run; also with codes and suspension."""
    for name, keys in {"plain": {}, "codes and suspension": CODED}.items():
        drive = wl.Drive("bench", **keys)
        load = {**POISSON, "requests": requests}
        resolved = resolve(drive, Workload(**load))
        asked = {
            "windows": 0,
            "fewer": False,
            "measured": 1,
            "warm_up": 0,
            "cool_down": 0,
            "paced": False,
        }
        pass_ = _wordline.simulate_sample(resolved, {**asked, "seed": 1, "audit": False}, None)
        passed = pass_["functional_s"]
        sampled = wl.simulate(drive, load, sample=sampling, progress=False)
        began = time.process_time()
        full = wl.simulate(drive, load, progress=False).summary
        took = time.process_time() - began
        simulated = sampled.functional_s + sampled.timed_s
        print(
            f"{name}, {requests:,} requests: functional {passed:.2f} s, sampled {sampled.functional_s:.2f} + {sampled.timed_s:.2f} s "
            f"({simulated / passed:.2f} times), full {took:.2f} s ({took / simulated:.1f} times the sample)"
        )
        print(covered(sampled, full), flush=True)


def print_coverage(requests: int, seeds: range, sampling: Sampling) -> None:
    """How many intervals contain the figure of the full run with the same seed."""
    for name, load in LOADS.items():
        counts, off = dict.fromkeys(FIGURES, 0), dict.fromkeys(FIGURES, 0.0)
        for seed in seeds:
            drive = wl.Drive("bench", seed=seed)
            given = {**load, "requests": requests}
            sampled = wl.simulate(drive, given, sample=replace(sampling, seed=seed), progress=False)
            full = wl.simulate(drive, given, progress=False).summary
            for figure, key in FIGURES.items():
                estimate, truth = sampled.figures[key], float(full[key] or 0)
                counts[figure] += estimate.covers(truth)
                off[figure] += (estimate.value / truth - 1) / len(seeds)
        told = "; ".join(f"{name} {counts[name]}, {off[name]:+.1%}" for name in FIGURES)
        print(f"{name}: of {len(seeds)} intervals of each: {told}", flush=True)


def covered(sampled: Any, full: Any) -> str:
    """Each figure beside its interval."""
    return "; ".join(
        f"{name} {float(full[key]):.4g} in {sampled.figures[key].low or 0:.4g} to {sampled.figures[key].high or float('inf'):.4g}"
        for name, key in FIGURES.items()
    )


def print_labels() -> None:
    """Loads that were labelled before they were run."""
    right = 0
    with TemporaryDirectory() as folder:
        for label in (*sampled_loads.CAN, *sampled_loads.CANNOT):
            can = label in sampled_loads.CAN
            if can:
                load = {**sampled_loads.CAN[label], "requests": sampled_loads.REQUESTS}
            else:
                load = sampled_loads.write_trace(
                    sampled_loads.CANNOT[label](), Path(folder) / "load.csv"
                )
            sampling = Sampling(windows=50, requests=500, warm_up=500, cool_down=100)
            found = wl.simulate("tiny", load, sample=sampling, progress=False)
            right += found.can_be_sampled == can
            reasons = ", ".join(finding.key for finding in found.findings) or "can be sampled"
            print(
                f"{label}: {reasons} ({'as labelled' if found.can_be_sampled == can else 'WRONG'})"
            )
    print(f"{right} of 10 as labelled")


if __name__ == "__main__":
    main()
