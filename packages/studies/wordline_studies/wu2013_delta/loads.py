"""The workloads of the study: surrogates of the six traces of table 4.4."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from wordline.studies.grid import Load

INFERRED = Path(__file__).parent / "inferred.toml"
"""Compression of time and burstiness of each surrogate, with which a drive without deltas is idle for as long as tables 2.1 and 2.4 say."""

CASCADE = 16_384
"""Mean gaps over which self-similar arrivals have their mean rate (`workload.burst_bias`)."""
REQUESTS = 16 * CASCADE
QUICK = CASCADE
"""Requests of a load; in the quick form."""

TRACES: Mapping[str, str] = {
    "F1": "financial1",
    "F2": "financial2",
    "C3": "cello99_c3",
    "C8": "cello99_c8",
    "DAP": "dap_ps",
    "MSN": "msn_cfs",
}
"""The six traces, with the profiles that stand for them."""
BIAS_FINANCIAL, BIAS_SERVER = 0.63, 0.65
"""Burstiness of the excerpts of F1 and of a file server, as `wordline trace-stats` measures it."""


def inferred() -> Mapping[str, Mapping[str, float]]:
    """What was inferred for each trace."""
    return tomllib.loads(INFERRED.read_text(encoding="utf-8"))


def drawn(trace: str) -> Mapping[str, object]:
    """Requests drawn from what is published on a trace."""
    return {"kind": "profile", "profile": TRACES[trace]}


def surrogate(trace: str) -> Load:
    """Surrogate of a trace, as busy and bursty as the baseline of chapter 2 of the same dissertation."""
    found = inferred()[trace]
    keys = {
        **drawn(trace),
        "compress_time": found["compress_time"],
        "burst_bias": found["burst_bias"],
        "requests": REQUESTS,
    }
    return Load(f"{trace} surrogate", keys, {"requests": QUICK})


def as_traced(trace: str) -> Load:
    """The same at the rate of the trace, as bursty as excerpts are."""
    keys = {
        **drawn(trace),
        "compress_time": 1.0,
        "burst_bias": BIAS_FINANCIAL if trace in ("F1", "F2") else BIAS_SERVER,
        "requests": REQUESTS // 2,
    }
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
