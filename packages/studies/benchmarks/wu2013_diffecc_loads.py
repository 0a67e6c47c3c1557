"""Loads that keep the baseline of DiffECC as busy as printed: `python packages/studies/benchmarks/wu2013_diffecc_loads.py --write`.

The traces are not available, and the rates that are printed for them contradict their lengths. What decides is the share of the time without a request in
the drive (table 2.1, buffer of 64 MB) and the mean length of such a time (table 2.4), both of the baseline: for each burstiness, the compression of time with
which a surrogate has the printed share; of these the burstiness whose mean idle time is nearest to the printed one, as long as the baseline with
32 MB keeps up. No published effect is an input.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

import wordline as wl
from wordline.points.outcome import idle_share
from wordline_studies.wu2013_diffecc.drives import BASELINE, size
from wordline_studies.wu2013_diffecc.loads import (
    CASCADE,
    INFERRED,
    REQUESTS,
    TRACES,
    Trace,
)

BIASES = (0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85)
"""Burstiness that is tried."""
STEPS = 10
"""Bisections of the compression, which is between a fifth and 100 times that of the source."""


def idle(trace: Trace, bias: float, compression: float) -> tuple[float, float]:
    """Share of the time without a request in the drive, and the mean length of such times in ms."""
    keys = {
        **size(64),
        "workload.profile": trace.profile,
        "workload.burst_bias": bias,
        "workload.compress_time": compression,
        "workload.requests": CASCADE,
    }
    result = wl.simulate(wl.Drive.from_toml(BASELINE, **keys))
    times = result.requests.sort("arrival_ns")
    arrivals, completions = times["arrival_ns"].to_numpy(), times["completed_ns"].to_numpy()
    until = np.maximum.accumulate(completions)
    gaps = np.maximum(arrivals[1:].astype(np.int64) - until[:-1].astype(np.int64), 0)
    return idle_share(result) or 0.0, float(gaps[gaps > 0].mean()) / 1e6


def keeps_up(trace: Trace, bias: float, compression: float) -> bool:
    """Whether the baseline with the smallest buffer keeps up with the load of the study, whatever the seed."""
    keys = {
        **size(32),
        "workload.profile": trace.profile,
        "workload.burst_bias": bias,
        "workload.compress_time": compression,
        "workload.requests": REQUESTS,
    }
    for seed in (1, 2, 3):
        drive = wl.Drive.from_toml(BASELINE, **keys, **{"workload.seed": seed}, seed=seed)
        if any(note.key == "overloaded" for note in wl.simulate(drive).notes):
            return False
    return True


def inferred(name: str, trace: Trace) -> str:
    """The settings of a trace, as a table of TOML."""
    found: list[tuple[float, float, float, str]] = []
    for bias in BIASES:
        low, high = trace.compression / 5, trace.compression * 100.0
        for _ in range(STEPS):
            compression = float(f"{math.sqrt(low * high):.4g}")
            share, slot = idle(trace, bias, compression)
            low, high = (compression, high) if share > trace.idle else (low, compression)
        text = (
            f"[{name}]\ncompress_time = {compression}\nburst_bias = {bias}\n"
            f"idle_share = {share:.3f}\nidle_ms = {slot:.3g}\n"
        )
        print(text, flush=True)
        found.append((abs(math.log(slot / trace.idle_ms)), bias, compression, text))
    for _, bias, compression, text in sorted(found):
        if keeps_up(trace, bias, compression):
            return text
    raise SystemExit(f"{name}: no burstiness with which the baseline keeps up")


def main() -> None:
    """Prints what is inferred, and writes it with `--write`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write {INFERRED.name}")
    arguments = parser.parse_args()
    head = (
        "# Surrogates that keep the baseline as idle as tables 2.1 and 2.4 say, with what they give.\n"
        "# Written by `python packages/studies/benchmarks/wu2013_diffecc_loads.py --write`: infer anew, do not edit.\n\n"
    )
    text = head + "\n".join(inferred(name, trace) for name, trace in TRACES.items())
    if arguments.write:
        INFERRED.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
