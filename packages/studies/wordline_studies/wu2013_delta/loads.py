"""The workloads of the study: surrogates of the six traces of table 4.4."""

from __future__ import annotations

from collections.abc import Sequence

from wordline.studies.grid import Load
from wordline_studies.wu2013_diffecc.loads import CASCADE, TRACES, as_compressed
from wordline_studies.wu2013_diffecc.loads import surrogate as of_diffecc

REQUESTS = 16 * CASCADE
QUICK = CASCADE
"""Requests of a load; in the quick form."""


def surrogate(trace: str) -> Load:
    """Requests drawn from what is published on a trace, as busy and bursty as those of DiffECC: the two chapters use the same traces."""
    load = of_diffecc(trace)
    return Load(load.name, {**load.keys, "requests": REQUESTS}, {"requests": QUICK})


def as_traced(trace: str) -> Load:
    """The same at the rate of the trace, as bursty as excerpts are."""
    keys = {**as_compressed(trace).keys, "compress_time": 1.0, "requests": REQUESTS // 2}
    return Load(f"{trace} surrogate, as traced", keys, {"requests": QUICK})


SURROGATES: Sequence[Load] = [surrogate(trace) for trace in TRACES]
"""The loads of the study."""
AS_TRACED: Sequence[Load] = [as_traced(trace) for trace in TRACES]
"""The same, as rare as in the traces."""
NAMES = [load.name for load in SURROGATES]
FINANCIAL: Sequence[str] = [f"{trace} surrogate" for trace in ("F1", "F2")]
SERVERS: Sequence[str] = [f"{trace} surrogate" for trace in TRACES if trace not in ("F1", "F2")]
FEW: Sequence[Load] = [load for load in SURROGATES if load.name[:2] in ("F1", "C8")]
"""One of either kind, for what is swept."""
