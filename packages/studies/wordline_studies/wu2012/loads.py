"""The workloads of the study: surrogates of the four traces, and excerpts of two traces with real arrivals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wordline.studies.grid import Load

CASCADE = 16_384
"""Mean gaps over which self-similar arrivals have their mean rate (`workload.burst_bias`)."""
REQUESTS = 6 * CASCADE
QUICK = CASCADE // 2
"""Requests of a load, an excerpt having as many at most; in the quick form."""

FASTER = 7
"""By how much the source plays F2 faster once more, for its figure on the write queue."""


@dataclass(frozen=True)
class Trace:
    """A trace of the source, by its table 3.2."""

    profile: str
    """The law that stands for it."""
    compression: int
    """Its time axis is divided by this."""
    idle: float
    """Share of the time without a request in the drive that the source prints for it."""
    bias: float
    """Bias of its self-similar arrivals: the `burst bias` that `wordline trace-stats` measures in an excerpt of it, or of the nearest trace."""


FINANCIAL, SERVER = 0.63, 0.65
"""`burst bias` of the excerpts of F1 and MSNFS: traces of financial institutions, and of servers of Microsoft."""

TRACES: Mapping[str, Trace] = {
    "F1": Trace("financial1", 9, 0.655, FINANCIAL),
    "F2": Trace("financial2", 25, 0.691, FINANCIAL),
    "DAP": Trace("dap_ps", 8, 0.639, SERVER),
    "MSN": Trace("msn_cfs", 50, 0.662, SERVER),
}
"""The four traces."""

FILES: Mapping[str, str] = {
    "F1": "spc/financial1-first10k.spc.gz",
    "MSNFS": "msprod/msnfs-first100k.disksim.gz",
}
"""Excerpts that exist: of F1, and of another server of MSN's."""


def surrogate(trace: str, faster: int = 1, requests: int = REQUESTS) -> Load:
    """Requests drawn from what is published on a trace, played `faster` than the source does."""
    law = TRACES[trace]
    keys = {
        "kind": "profile",
        "profile": law.profile,
        "compress_time": law.compression * faster,
        "burst_bias": law.bias,
        "requests": requests,
    }
    return Load(f"{trace} surrogate{sped(faster)}", keys, {"requests": QUICK})


def excerpt(trace: str, faster: int = 1) -> Load:
    """The first requests of a trace, folded into the drive."""
    compression = TRACES[trace].compression if trace in TRACES else 1
    keys = {"fold": "modulo", "take": REQUESTS, "compress_time": compression * faster}
    name = f"{trace}{sped(faster)} excerpt"
    return Load(name, keys, {"take": QUICK}, trace=FILES[trace])


def sped(faster: int) -> str:
    """How the name of a load says that it is faster."""
    return f" ×{faster}" if faster > 1 else ""


SURROGATES: Sequence[Load] = [surrogate(trace) for trace in TRACES]
EXCERPTS: Sequence[Load] = [excerpt(trace) for trace in FILES]
SIX: Sequence[Load] = [*SURROGATES, *EXCERPTS]
"""The loads of most figures."""

BURSTS = excerpt("MSNFS", FASTER)
"""Arrivals in which writes queue."""
THREE: Sequence[Load] = [surrogate("F1"), surrogate("F2", FASTER), excerpt("MSNFS")]
"""The loads of what the results are sensitive to."""
