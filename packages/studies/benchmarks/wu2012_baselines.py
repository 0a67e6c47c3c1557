"""What the printed baseline says of the drives and traces of Wu and He 2012: `python packages/studies/benchmarks/wu2012_baselines.py --cache KEPT`.

Whether writes are answered from the buffer, and how bursty each trace is (one value for both kinds of cell), is inferred from FIFO's mean read latencies alone (table 3.3). Everything
else is as the presets have it, the compression of time is the source's. What fits best is written for the study, for a chip that takes up one operation at a time and for one that takes
up batches. No published effect, write latency or idle share is an input.
"""

from __future__ import annotations

import argparse
import sys
from math import log
from pathlib import Path

from wordline.points.engine import Engine
from wordline.points.point import Point, overlay
from wordline.points.store import Store
from wordline_studies.wu2012.baselines import (
    BIASES,
    BUFFERS,
    CASCADE,
    CELLS,
    INFERRED,
    LAWS,
    SERVERS,
    TABLE_3_3,
    region,
)
from wordline_studies.wu2012.drives import CELLS as PRESETS
from wordline_studies.wu2012.drives import FIFO, SMALLER, STATE, size, without_size

REQUESTS = 16 * CASCADE
"""Sixteen cascades of the self-similar arrivals, after the warm-up."""
Case = tuple[str, str, str, str, float]
"""Server, buffer, trace, kind of cell, bias."""


def point(case: Case) -> Point:
    """A run."""
    server, buffer, trace, cell, bias = case
    law = LAWS[trace]
    load = {
        "workload.kind": "profile",
        "workload.profile": law.profile,
        "workload.compress_time": law.compression,
        "workload.burst_bias": bias,
        "workload.region": region(SMALLER),
        "workload.requests": law.warm_up + REQUESTS,
        "output.request_log": law.warm_up + REQUESTS,
        "output.slowest": 0,
    }
    keys = without_size({**size(SMALLER), **STATE, **FIFO, **SERVERS[server], **BUFFERS[buffer]})
    return Point(PRESETS[cell], overlay(keys, load), ("idle_share",), ", ".join(map(str, case)))


def run(cases: list[Case], engine: Engine) -> dict[Case, tuple[float, float, float] | None]:
    """Mean read and write latency and idle share of each; none where the drive cannot keep up."""
    points = {case: point(case) for case in cases}
    outcomes = engine.run([*points.values()])
    found: dict[Case, tuple[float, float, float] | None] = {}
    for case, each in points.items():
        outcome = outcomes[each]
        read, write = (
            outcome.number(f"host.{kind}.latency.mean_us") or 0.0 for kind in ("read", "write")
        )
        is_overloaded = "overloaded" in outcome.notes
        found[case] = None if is_overloaded else (read, write, outcome.observed["idle_share"])
    return found


def miss(found: dict[Case, tuple[float, float, float] | None], case: Case) -> float:
    """How far a trace's reads on both kinds of cell are from the printed ones."""
    server, buffer, trace, _, bias = case
    total = 0.0
    for cell in CELLS:
        values = found.get((server, buffer, trace, cell, bias))
        if values is None:
            return float("inf")
        total += log(values[0] / TABLE_3_3[trace, cell][0]) ** 2
    return total


def main() -> int:
    """Infer and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True, help="keep finished runs here")
    asked = parser.parse_args()
    engine = Engine(Store(asked.cache), progress=False)
    groups = [(s, b, t) for s in SERVERS for b in BUFFERS for t in LAWS]
    found = run(
        [(*group, cell, bias) for group in groups for cell in CELLS for bias in BIASES], engine
    )
    step = BIASES[1] - BIASES[0]
    for _ in range(2):
        # between the best and its neighbours
        step /= 2
        closer: list[Case] = []
        for group in groups:
            tried = sorted({case[4] for case in found if case[:3] == group})
            best = min(tried, key=lambda bias: miss(found, (*group, "SLC", bias)))
            for bias in (round(best - step, 6), round(best + step, 6)):
                if BIASES[0] <= bias <= BIASES[-1]:
                    closer += [(*group, cell, bias) for cell in CELLS]
        found |= run(closer, engine)
    lines = [
        "# What FIFO's mean read latency (table 3.3) says: by server, buffer and trace, the bias that fits best and what it gives.",
        "# Written by `python packages/studies/benchmarks/wu2012_baselines.py`: infer anew, do not edit.",
    ]
    for server, buffer, trace in groups:
        group = (server, buffer, trace)
        tried = sorted({case[4] for case in found if case[:3] == group})
        best = min(tried, key=lambda bias: miss(found, (*group, "SLC", bias)))
        lines += ["", f'["{server}"."{buffer}".{trace}]', f"bias = {best:g}"]
        values = {cell: found[*group, cell, best] or (0.0, 0.0, 0.0) for cell in CELLS}
        reads = {
            cell: [got[0] for bias in tried if (got := found[*group, cell, bias])] for cell in CELLS
        }
        tables = {
            "read": {cell: values[cell][0] for cell in CELLS},
            "write": {cell: values[cell][1] for cell in CELLS},
            "idle": {cell: values[cell][2] for cell in CELLS},
            "least": {cell: min(reads[cell]) for cell in CELLS},
            "most": {cell: max(reads[cell]) for cell in CELLS},
        }
        for name, table in tables.items():
            lines.append(
                f"{name} = {{ {', '.join(f'{cell} = {value:.4g}' for cell, value in table.items())} }}"
            )
    INFERRED.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
