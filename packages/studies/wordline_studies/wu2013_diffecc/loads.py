"""The workloads of the study: surrogates of the six traces, as busy and bursty as the printed baseline."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wordline.studies.grid import Load

INFERRED = Path(__file__).parent / "inferred.toml"
"""Compression of time and burstiness of each surrogate."""

CASCADE = 16_384
"""Mean gaps over which self-similar arrivals have their mean rate (`workload.burst_bias`)."""
REQUESTS = 4 * CASCADE
QUICK = CASCADE
"""Requests of a load; in the quick form."""


@dataclass(frozen=True)
class Trace:
    """A trace of the source, by its tables 2.1 and 2.4."""

    profile: str
    """The law that stands for it."""
    compression: float
    """Its time axis is divided by this."""
    idle: float
    """Share of the time without a request in the drive, baseline with 64 MB."""
    idle_ms: float
    """Mean length of such a time, baseline with 32 MB."""
    read_ms: float
    write_ms: float
    """Mean latencies, baseline with 32 MB."""
    queue: float
    """Mean number of writes in the driver's queue, likewise."""


TRACES: Mapping[str, Trace] = {
    "F1": Trace("financial1", 10, 0.522, 1.99, 0.44, 1.58, 1.59),
    "F2": Trace("financial2", 30, 0.516, 0.71, 0.27, 1.03, 0.98),
    "C3": Trace("cello99_c3", 3, 0.574, 10.8, 0.52, 0.56, 19.88),
    "C8": Trace("cello99_c8", 3, 0.560, 5.51, 6.30, 4.54, 9.91),
    "DAP": Trace("dap_ps", 8, 0.639, 65.19, 5.74, 11.74, 69.23),
    "MSN": Trace("msn_cfs", 50, 0.662, 4.41, 8.47, 25.21, 8.43),
}
"""The six traces."""


def inferred() -> Mapping[str, Mapping[str, float]]:
    """What was inferred for each trace."""
    return tomllib.loads(INFERRED.read_text(encoding="utf-8")) if INFERRED.is_file() else {}


FINANCIAL, SERVER = 0.63, 0.65
"""Burstiness of the excerpts of F1 and of a file server, as `wordline trace-stats` measures it."""


def surrogate(trace: str) -> Load:
    """Requests drawn from what is published on a trace."""
    found = inferred().get(trace, {})
    keys = {
        "kind": "profile",
        "profile": TRACES[trace].profile,
        "compress_time": found.get("compress_time", TRACES[trace].compression),
        "burst_bias": found.get("burst_bias", 0.65),
        "requests": REQUESTS,
    }
    return Load(f"{trace} surrogate", keys, {"requests": QUICK})


def as_compressed(trace: str) -> Load:
    """The same at the source's compression of time, as bursty as excerpts of F1 and of a server are."""
    keys = {
        **surrogate(trace).keys,
        "compress_time": TRACES[trace].compression,
        "burst_bias": FINANCIAL if trace in ("F1", "F2") else SERVER,
    }
    return Load(f"{trace} surrogate, as compressed", keys, {"requests": QUICK})


SURROGATES: Sequence[Load] = [surrogate(trace) for trace in TRACES]
"""The loads of the study."""
COMPRESSED: Sequence[Load] = [as_compressed(trace) for trace in TRACES]
"""The same, as rare and as bursty as the traces are known to be."""
CELLO: Sequence[str] = [f"{trace} surrogate" for trace in ("C3", "C8")]
EXCEPT_DAP: Sequence[str] = [f"{trace} surrogate" for trace in TRACES if trace != "DAP"]
