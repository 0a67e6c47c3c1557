"""The workloads of the study: surrogates of the four traces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wordline.studies.grid import Load
from wordline_studies.wu2012.baselines import CASCADE, LAWS, chosen
from wordline_studies.wu2012.drives import SMALLER

REQUESTS = 62 * CASCADE
"""Requests that count in the figures with claims of the source, at least: 1,015,808."""
SHORT = 8 * CASCADE
"""The same in the sensitivities; the figure `length` shows what more change."""
QUICK = CASCADE // 4
"""The same in the quick form."""

FASTER = 7
"""By how much the source plays F2 faster once more, for its figure on the write queue."""


@dataclass(frozen=True)
class Trace:
    """A trace of the source, by its table 3.2."""

    idle: float
    """Share of the time without a request in the drive that the source prints for it."""


TRACES: Mapping[str, Trace] = {
    "F1": Trace(0.655),
    "F2": Trace(0.691),
    "DAP": Trace(0.639),
    "MSN": Trace(0.662),
}
"""The four traces."""

SIZED: Sequence[str] = ("F1", "F2")
"""Traces whose request sizes are published: claims are judged under them."""
UNSIZED = "its load was not the source's: request sizes of DAP and MSN are not published"
"""Why a claim about the others is not judged."""


def surrogate(
    trace: str, faster: int = 1, requests: int = REQUESTS, smaller: int = SMALLER
) -> Load:
    """Requests drawn from what is published on a trace, played `faster` than the source does, as bursty as its baseline says: so many, and those of the warm-up of a drive
    that is `smaller`.
    """
    law = LAWS[trace]
    warm_up = law.warm_up * SMALLER // smaller
    keys = {
        "kind": "profile",
        "profile": law.profile,
        "compress_time": law.compression * faster,
        "burst_bias": chosen().bias[trace],
        "requests": warm_up + requests,
    }
    return Load(named(trace, faster), keys, {"requests": warm_up + QUICK})


def named(trace: str, faster: int = 1) -> str:
    """The name of a surrogate."""
    return f"{trace} surrogate{f' ×{faster}' if faster > 1 else ''}"


JUDGED: Sequence[Load] = [surrogate(trace) for trace in SIZED]
"""The loads of the source that are known well enough for claims."""
OTHERS: Sequence[Load] = [
    surrogate(trace, requests=SHORT) for trace in TRACES if trace not in SIZED
]
"""The others that it uses."""
TWO: Sequence[Load] = [surrogate("F1", requests=SHORT), surrogate("F2", requests=SHORT)]
"""The loads of what the results are sensitive to."""
NAMES: Sequence[str] = [named(trace) for trace in SIZED]
"""Names of the judged loads."""
