"""The workloads of the study: surrogates of the seven traces, excerpts of four, and the synthetic ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wordline.studies.grid import Load

CASCADE = 16_384
"""Mean gaps over which self-similar arrivals have their mean rate (`workload.burst_bias`)."""
REQUESTS = 2 * CASCADE
QUICK = 4_000
"""Requests of a surrogate, and the most of an excerpt; in the quick form."""

PROFILES: Mapping[str, str] = {
    "Web": "websearch",
    "Dev": "develop",
    "Fin2": "financial2",
    "MSN": "msn",
    "Ex": "exchange",
    "Fin1": "financial1",
    "Rad": "radius",
}
"""Profiles of the traces of Table 1, by their names in the paper."""

BIASES: Mapping[str, float] = {
    "Web": 0.55,
    "Dev": 0.56,
    "Fin2": 0.63,
    "MSN": 0.65,
    "Ex": 0.60,
    "Fin1": 0.63,
    "Rad": 0.60,
}
"""Bias of the self-similar arrivals of the surrogates: the `burst bias` that `wordline trace-stats` measures in the excerpts of Web, Dev, MSN and
Fin1. Fin2 is as Fin1; Ex and Rad, servers of the same company as Dev and MSN, have the mean of these two."""

FILES: Mapping[str, str] = {
    "Web": "spc/websearch1-first24k.spc.gz",
    "Dev": "msprod/dtrs-first85k.ssdsim-us.gz",
    "MSN": "msprod/msnfs-first100k.disksim.gz",
    "Fin1": "spc/financial1-first10k.spc.gz",
}
"""Excerpts of them that exist."""


def surrogate(trace: str) -> Load:
    """Requests drawn from what is published on a trace."""
    keys = {
        "kind": "profile",
        "profile": PROFILES[trace],
        "burst_bias": BIASES[trace],
        "requests": REQUESTS,
    }
    return Load(f"{trace} surrogate", keys, {"requests": QUICK})


def excerpt(trace: str) -> Load:
    """The first requests of the trace itself, folded into the part of the drive that holds data."""
    return Load(
        f"{trace} excerpt",
        {"fold": "modulo", "take": REQUESTS},
        {"take": QUICK},
        trace=FILES[trace],
    )


def loads(*traces: str) -> Sequence[Load]:
    """Surrogates of traces, then the excerpts that exist."""
    return [
        *(surrogate(trace) for trace in traces),
        *(excerpt(trace) for trace in traces if trace in FILES),
    ]


def names(*traces: str) -> Sequence[str]:
    """Names of the loads that stand for traces."""
    return [load.name for load in loads(*traces)]


SIX = ("Web", "Dev", "Fin2", "MSN", "Ex", "Fin1")
"""The traces of most figures."""


def synthetic(name: str, writes: float, kib: int, gap: str) -> Load:
    """A row of Table 6: uniform addresses, aligned to the page; three gaps of four are the stated one."""
    keys = {
        "kind": "random",
        "read_fraction": 1 - writes,
        "request_size": f"{kib} KiB",
        "align": "2 KiB",
        "interarrival": gap,
        "gap_fraction": 0.75,
        "requests": REQUESTS,
    }
    return Load(name, keys, {"requests": QUICK})


SYNTHETIC = (
    synthetic("Syn1", 1.0, 16, "30 us"),
    synthetic("Syn2", 0.25, 16, "30 us"),
    synthetic("Syn3", 1.0, 20, "200 us"),
    synthetic("Syn4", 0.25, 20, "200 us"),
)
"""Table 6."""
