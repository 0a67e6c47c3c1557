"""Loads of the study of DiffECC: `python packages/studies/benchmarks/wu2013_diffecc_loads.py --write`.

The traces are not available. First the share of the reads that goes to written places is set, so that WR_max (table 2.1) is that of the trace. Then two numbers a
trace are fitted, compression of time and burstiness, to three figures of the **baseline** together: mean read and mean write latency (table 2.4, 32 MB) and the share
of the time without any flash operation (table 2.1, 64 MB). What is least is the sum of the squares of three logarithms: of read latency, of write latency, and of the
busy share, each over the printed one, among the loads that the baseline keeps up with. No published effect is an input.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from functools import cache

import wordline as wl
from wordline_studies.wu2013_diffecc.drives import BASELINE, size
from wordline_studies.wu2013_diffecc.loads import (
    CASCADE,
    INFERRED,
    LEAST,
    TRACES,
    drawn,
)
from wordline_studies.wu2013_diffecc.meeting import Meeting, meeting
from wordline_studies.wu2013_diffecc.profiles import FOLDER, LAWS, text_of

FITTED = 4 * CASCADE
"""Requests of a run of the fit."""
START = 0.75
"""Burstiness that the search begins with."""
STEPS = (math.log(4), 0.1)
"""By how much the logarithm of the compression and the burstiness are changed at first."""
FINEST = (math.log(1.18), 0.02)
"""Where the search ends: half of these are no longer tried."""
LEAST_BIAS, MOST_BIAS = 0.5, 0.95


def run(trace: str, buffer: int, **keys: object) -> wl.Result:
    """The baseline of the study under a load."""
    load = {f"workload.{key}": value for key, value in {**drawn(trace), **keys}.items()}
    quiet = {"output.slowest": 0, "output.request_log": 0}
    return wl.simulate(
        wl.Drive.from_toml(BASELINE, **{**quiet, **size(buffer), **load}), progress=False
    )


def write_laws(trace: str, to_written: float) -> None:
    """Writes the laws of a trace."""
    FOLDER.mkdir(exist_ok=True)
    for kind, of_sectors in (("", False), ("-sectors", True)):
        text = text_of(LAWS[trace], to_written, of_sectors=of_sectors)
        (FOLDER / f"{trace}{kind}.toml").write_text(text, encoding="utf-8")


def met(trace: str) -> tuple[float, Meeting]:
    """Share of the reads that goes to written places with which WR_max is the printed one, or all; and what the requests then have in common."""
    to_written = 1.0
    for _ in range(3):
        write_laws(trace, to_written)
        result = wl.simulate(
            wl.Drive.from_toml(
                BASELINE,
                **size(64),
                **{f"workload.{key}": value for key, value in drawn(trace).items()},
                **{"workload.compress_time": 1.0, "workload.requests": LEAST},
                **{"output.request_log": LEAST, "output.slowest": 0},
            ),
            progress=False,
        )
        found = meeting(result.requests)
        wanted = TRACES[trace].highest
        if abs(found.of_written - wanted) < 0.002 or (
            to_written == 1.0 and found.of_written < wanted
        ):
            break
        to_written = min(round(to_written * wanted / found.of_written, 4), 1.0)
    return to_written, found


def of_baseline(
    trace: str, compression: float, bias: float, requests: int = FITTED
) -> Mapping[str, float]:
    """Mean latencies (32 MB) and idle share (64 MB) of the baseline."""
    keys = {"compress_time": compression, "burst_bias": bias, "requests": requests}
    results = run(trace, 32, **keys), run(trace, 64, **keys)
    small, usual = (result.summary for result in results)
    overloaded = any(note.key == "overloaded" for result in results for note in result.notes)
    return {
        "overloaded": float(overloaded),
        "read_ms": float(str(small["host.read.latency.mean_us"])) / 1e3,
        "write_ms": float(str(small["host.write.latency.mean_us"])) / 1e3,
        "idle_share": float(str(usual["drive.idle.flash_share"])),
        "idle_ms": float(str(small["drive.idle.mean_us"])) / 1e3,
    }


def misfit(trace: str, found: Mapping[str, float]) -> float:
    """Sum of the squares of the logarithms; infinite where the drive does not keep up."""
    if found["overloaded"]:
        return math.inf
    printed = TRACES[trace]
    ratios = (
        found["read_ms"] / printed.read_ms,
        found["write_ms"] / printed.write_ms,
        max(1 - found["idle_share"], 1e-6) / (1 - printed.idle),
    )
    return sum(math.log(ratio) ** 2 for ratio in ratios)


def fitted(trace: str) -> tuple[float, float]:
    """Compression and burstiness with the least misfit: a search that goes to the best neighbour, in ever smaller steps."""

    @cache
    def at(log: float, bias: float) -> float:
        value = misfit(trace, of_baseline(trace, float(f"{math.exp(log):.4g}"), bias))
        print(f"  {trace} {math.exp(log):.4g} {bias:.4f}: {value:.4f}", flush=True)
        return value

    here = (round(math.log(TRACES[trace].compression * 4), 6), START)
    step = STEPS
    while step[0] >= FINEST[0] or step[1] >= FINEST[1]:
        neighbours = [
            here,
            *(
                (round(here[0] + a * step[0], 6), round(here[1] + b * step[1], 6))
                for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1))
            ),
        ]
        allowed = [each for each in neighbours if LEAST_BIAS <= each[1] <= MOST_BIAS]
        best = min(allowed, key=lambda each: at(*each))
        if best == here:
            step = (step[0] / 2, step[1] / 2)
        here = best
    return float(f"{math.exp(here[0]):.4g}"), here[1]


def inferred(trace: str) -> str:
    """The settings of a trace, as a table of TOML."""
    to_written, common = met(trace)
    compression, bias = fitted(trace)
    found = of_baseline(trace, compression, bias, LEAST)
    text = (
        f"[{trace}]\ncompress_time = {compression}\nburst_bias = {bias}\nto_written = {to_written:.4f}\n"
        f"read_ms = {found['read_ms']:.4g}\nwrite_ms = {found['write_ms']:.4g}\nidle_share = {found['idle_share']:.3f}\nidle_ms = {found['idle_ms']:.4g}\n"
        f"of_written = {common.of_written:.4f}\nwritten_pages = {common.written}\nwrites_of_each = {common.writes:.1f}\n"
        f"read_too = {common.read_too:.3f}\nrequests_between = {common.soon:.0f}\n"
    )
    print(text, flush=True)
    return text


def main() -> None:
    """Prints what is inferred, and writes it with `--write`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write {INFERRED.name}")
    parser.add_argument("traces", nargs="*", default=list(TRACES), help="traces to infer")
    arguments = parser.parse_args()
    head = (
        "# Surrogates fitted to the baseline of tables 2.1 and 2.4, with what they give.\n"
        "# Written by `python packages/studies/benchmarks/wu2013_diffecc_loads.py --write`: infer anew, do not edit.\n\n"
    )
    text = head + "\n".join(inferred(trace) for trace in arguments.traces)
    if arguments.write:
        INFERRED.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
