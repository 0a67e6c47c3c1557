"""What the source prints of its baseline, and what was inferred from it: whether writes go through the buffer, and how bursty each trace is.

`python packages/studies/benchmarks/wu2012_baselines.py` infers it and writes it to `inferred.toml` beside this file. The only input is FIFO's mean read latency (table 3.3); no
effect that the source prints is one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

INFERRED = Path(__file__).parent / "inferred.toml"
"""What was inferred."""

TABLE_3_3: Mapping[tuple[str, str], tuple[float, float]] = {
    ("F1", "SLC"): (370.0, 870.0),
    ("F1", "MLC"): (440.0, 1_580.0),
    ("F2", "SLC"): (240.0, 570.0),
    ("F2", "MLC"): (270.0, 1_030.0),
    ("DAP", "SLC"): (1_920.0, 6_850.0),
    ("DAP", "MLC"): (5_740.0, 11_740.0),
    ("MSN", "SLC"): (4_130.0, 4_580.0),
    ("MSN", "MLC"): (8_470.0, 25_210.0),
}
"""Mean read and write latency in µs with FIFO: table 3.3."""

CASCADE = 16_384
"""Mean gaps over which self-similar arrivals have their mean rate (`workload.burst_bias`)."""


@dataclass(frozen=True)
class Law:
    """What stands for a trace of the source."""

    profile: str
    """The law of its requests."""
    compression: int
    """Its time axis is divided by this: table 3.2."""
    warm_up: int
    """Requests until 0.45 drive writes have come to a drive of the study, at most."""


LAWS: Mapping[str, Law] = {
    "F1": Law("financial1", 9, 6 * CASCADE),
    "F2": Law("financial2", 25, 26 * CASCADE),
    "DAP": Law("dap_ps", 8, 6 * CASCADE),
    "MSN": Law("msn_cfs", 50, 8 * CASCADE),
}
"""The four traces."""

FOOTPRINT = 5_900_353_536
"""Bytes that the traces address: up to the highest byte of every device of F1, side by side, in its first 10,000 requests (`wordline trace-stats`). Assumed for the others too. No trace can
write to all of a drive: F2 writes 2.6 GB.
"""


def region(smaller: int) -> str:
    """The part of a smaller drive that requests address, in whole pages of 4 KiB."""
    return f"{FOOTPRINT // smaller // 4096 * 4} KiB"


CELLS: Sequence[str] = ("SLC", "MLC")
BUFFERS: Mapping[str, Mapping[str, object]] = {
    "no buffer": {"buffer.policy": "none"},
    "buffer": {},
}
"""The first unknown: whether writes are answered from the buffer."""
SERVERS: Mapping[str, Mapping[str, object]] = {
    "one operation": {"scheduler.policy": "out_of_order"},
    "batches": {"scheduler.policy": "batches"},
}
"""What a chip takes up at a time. The second is an option; it is no unknown."""
BIASES: Sequence[float] = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)
"""The second unknown, of each trace: the bias of its self-similar arrivals, from none to more than in any excerpt."""


@dataclass(frozen=True)
class Fit:
    """A trace at the burstiness with which its FIFO read latencies on both kinds of cell are nearest to the printed ones."""

    bias: float
    read: Mapping[str, float]
    """Mean read latency by kind of cell, µs."""
    write: Mapping[str, float]
    """Mean write latency by kind of cell, µs."""
    idle: Mapping[str, float]
    """Share of the time without a request in the drive, by kind of cell."""
    least: Mapping[str, float]
    """The least mean read latency over all burstiness that was tried, by kind of cell, µs."""
    most: Mapping[str, float]
    """The largest, of runs that keep up."""


@dataclass(frozen=True)
class Inferred:
    """What the baseline says of the buffer and of the traces."""

    buffer: str
    """A name of `BUFFERS`."""
    bias: Mapping[str, float]
    """By trace."""


@cache
def fits() -> Mapping[tuple[str, str, str], Fit]:
    """What fits best, by server, buffer and trace."""
    table = tomllib.loads(INFERRED.read_text(encoding="utf-8"))
    return {
        (server, buffer, trace): Fit(**found)
        for server, buffers in table.items()
        for buffer, traces in buffers.items()
        for trace, found in traces.items()
    }


def misses(server: str, buffer: str) -> float:
    """How far the reads of the traces whose sizes are published are from the printed ones: the mean of the squared logarithms of the ratios."""
    from math import log

    found = [
        log(fits()[server, buffer, trace].read[cell] / read) ** 2
        for (trace, cell), (read, _) in TABLE_3_3.items()
        if trace in ("F1", "F2")
    ]
    return sum(found) / len(found)


@cache
def chosen(server: str = "one operation") -> Inferred:
    """The buffer with which F1 and F2 come nearest, and the burstiness of each trace with it."""
    buffer = min(BUFFERS, key=lambda name: misses(server, name))
    traces = dict.fromkeys(trace for trace, _ in TABLE_3_3)
    return Inferred(buffer, {trace: fits()[server, buffer, trace].bias for trace in traces})


def reach() -> str:
    """FIFO's read latency over all burstiness that was tried, beside the printed one, as a table in Markdown."""
    cases = [(server, buffer) for server in SERVERS for buffer in BUFFERS]
    lines = [
        f"| FIFO, mean read in µs | published | {' | '.join(f'{server}, {buffer}' for server, buffer in cases)} |",
        f"|---|---:|{'---:|' * len(cases)}",
    ]
    for (trace, cell), (read, _) in TABLE_3_3.items():
        cells = []
        for server, buffer in cases:
            fit = fits()[server, buffer, trace]
            cells.append(f"{fit.read[cell]:,.0f} ({fit.least[cell]:,.0f} to {fit.most[cell]:,.0f})")
        lines.append(f"| {trace} on {cell} | {read:,.0f} | {' | '.join(cells)} |")
    lines.append(
        "| bias of F1, F2, DAP, MSN | – | "
        + " | ".join(
            ", ".join(
                f"{fits()[server, buffer, trace].bias:g}" for trace in ("F1", "F2", "DAP", "MSN")
            )
            for server, buffer in cases
        )
        + " |"
    )
    return "\n".join(lines)
