"""The workloads of the study: surrogates of the four traces, and excerpts of two traces with real arrivals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wordline.studies.grid import Load
from wordline_studies.wu2012.baselines import chosen

CASCADE = 16_384
"""Mean gaps over which self-similar arrivals have their mean rate (`workload.burst_bias`)."""
REQUESTS = 62 * CASCADE
"""Requests of a load of the figures with claims of the source: 1,015,808."""
SHORT = 8 * CASCADE
"""Requests of a load of the sensitivities; the figure `length` shows what more change."""
QUICK = CASCADE // 4
"""Requests of a load in the quick form."""

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


TRACES: Mapping[str, Trace] = {
    "F1": Trace("financial1", 9, 0.655),
    "F2": Trace("financial2", 25, 0.691),
    "DAP": Trace("dap_ps", 8, 0.639),
    "MSN": Trace("msn_cfs", 50, 0.662),
}
"""The four traces."""

SIZED: Sequence[str] = ("F1", "F2")
"""Traces whose request sizes are published: claims are judged under them."""
UNSIZED = "its load was not the source's: request sizes of DAP and MSN are not published"
"""Why a claim about the others is not judged."""

FILES: Mapping[str, str] = {
    "F1": "spc/financial1-first10k.spc.gz",
    "MSNFS": "msprod/msnfs-first100k.disksim.gz",
}
"""Excerpts that exist: of F1, and of another server of MSN's."""


def surrogate(trace: str, faster: int = 1, requests: int = REQUESTS) -> Load:
    """Requests drawn from what is published on a trace, played `faster` than the source does, as bursty as its baseline says."""
    law = TRACES[trace]
    keys = {
        "kind": "profile",
        "profile": law.profile,
        "compress_time": law.compression * faster,
        "burst_bias": chosen().bias[trace],
        "requests": requests,
    }
    return Load(named(trace, faster), keys, {"requests": QUICK})


def named(trace: str, faster: int = 1) -> str:
    """The name of a surrogate."""
    return f"{trace} surrogate{f' ×{faster}' if faster > 1 else ''}"


def excerpt(trace: str) -> Load:
    """The first requests of a trace, rounded to 4 KiB and folded into the drive, ten times over."""
    compression = TRACES[trace].compression if trace in TRACES else 1
    keys = {"fold": "modulo", "repeat": 10, "round_to": "4 KiB", "compress_time": compression}
    return Load(f"{trace} excerpt", keys, {"take": QUICK, "repeat": 1}, trace=FILES[trace])


JUDGED: Sequence[Load] = [surrogate(trace) for trace in SIZED]
"""The loads of the source that are known well enough for claims."""
FOUR: Sequence[Load] = [surrogate(trace) for trace in TRACES]
"""All that the source uses."""
SIX: Sequence[Load] = [*FOUR, *(excerpt(trace) for trace in FILES)]
"""The same, and excerpts."""
TWO: Sequence[Load] = [surrogate("F1", requests=SHORT), surrogate("F2", requests=SHORT)]
"""The loads of what the results are sensitive to."""
NAMES: Sequence[str] = [named(trace) for trace in SIZED]
"""Names of the judged loads."""
