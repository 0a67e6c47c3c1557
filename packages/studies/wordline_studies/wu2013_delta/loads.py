"""The workloads of the study: surrogates of the six traces of table 4.4, with the locality that the chapter is about, and an excerpt that is repeated."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from wordline.studies.grid import Load
from wordline_studies.wu2013_delta.drives import CHIPS

INFERRED = Path(__file__).parent / "inferred.toml"
"""Compression of time and burstiness of each surrogate, with which a drive without deltas is idle for as long as tables 2.1 and 2.4 say."""
CASCADE = 16_384
"""Mean gaps over which self-similar arrivals have their mean rate (`workload.burst_bias`)."""
TRACES: Sequence[str] = ("F1", "F2", "C3", "C8", "DAP", "MSN")
"""The six traces."""
LAWS = Path(__file__).parent / "laws"
"""Laws of the traces: rates and shares of reads of table 4.4; places and requests are assumed alike for all of them."""
REQUESTS = 32 * CASCADE
"""Requests of a load, 524,288; the figure `length` shows what more change."""
MORE = {"F2": 3, "DAP": 2, "MSN": 2}
"""Traces of which few requests are writes have so many times more requests, so that pages are written as often."""
SHORT = REQUESTS // 2
"""Requests where the drive is varied; likewise."""
QUICK = CASCADE
"""Requests in the quick form."""
FINANCIAL_BIAS, SERVER_BIAS = 0.63, 0.65
"""Burstiness of the excerpts of Financial 1 and of a file server, as `wordline trace-stats` measures it."""
SAME_LAW = "its load was not the source's: the laws of the six traces differ in rates and shares of reads only, not in how often pages are written"
"""Why a ranking of the traces is not judged."""


def inferred() -> Mapping[str, Mapping[str, float]]:
    """What was inferred for each trace."""
    return tomllib.loads(INFERRED.read_text(encoding="utf-8"))


def surrogate(
    trace: str, requests: int = REQUESTS, name: str = "", compression: float | None = None
) -> Load:
    """Requests drawn from what is published on a trace. Each chip of the drive has as many as in the source's; they come as busy and bursty as those of DiffECC, which uses the same traces."""
    found = inferred()[trace]
    keys = {
        "kind": "profile",
        "profile_file": str(LAWS / f"{trace.lower()}.toml"),
        "compress_time": CHIPS * (compression or found["compress_time"]),
        "burst_bias": found["burst_bias"],
        "requests": requests * MORE.get(trace, 1),
    }
    return Load(name or f"{trace} surrogate", keys, {"requests": QUICK})


def as_traced(trace: str) -> Load:
    """The same at the rate of the trace, as bursty as excerpts are."""
    load = surrogate(trace, name=f"{trace} surrogate, as traced", compression=1.0)
    bias = FINANCIAL_BIAS if trace in ("F1", "F2") else SERVER_BIAS
    return Load(load.name, {**load.keys, "burst_bias": bias}, load.quick)


SURROGATES: Sequence[Load] = [surrogate(trace) for trace in TRACES]
"""The loads of the study."""
AS_TRACED: Sequence[Load] = [as_traced(trace) for trace in TRACES]
"""The same, as rare as in the traces."""
SERVERS: Sequence[str] = [f"{trace} surrogate" for trace in TRACES if trace not in ("F1", "F2")]
THREE: Sequence[Load] = [load for load in SURROGATES if load.name[:2] in ("F1", "C8", "DA")]
"""Some of them, for other victims."""
LONGER: Sequence[Load] = [surrogate(trace, 2 * REQUESTS) for trace in ("F1", "C8")]
"""Two of them with more requests, for a drive that collects late."""
FEW: Sequence[Load] = [surrogate(trace, SHORT) for trace in ("F1", "C8")]
"""Two of them, for what is varied."""
ONE: Sequence[Load] = [surrogate("F1")]
"""One of them, for the sweep over the share of deltas."""
EXCERPT = Load(
    "F1 excerpt",
    {"repeat": 60, "fold": "modulo"},
    {"repeat": 2},
    "spc/financial1-first10k.spc.gz",
)
"""The first 10,000 requests of Financial 1, again and again."""
