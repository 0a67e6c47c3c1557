"""The workloads of the study: surrogates of the six traces, fitted to the printed baseline."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wordline.studies.grid import Load
from wordline_studies.wu2013_diffecc.profiles import FOLDER, LAWS

INFERRED = Path(__file__).parent / "inferred.toml"
"""Compression of time and burstiness of each surrogate, with what they give."""

CASCADE = 16_384
"""Mean gaps over which self-similar arrivals have their mean rate (`workload.burst_bias`)."""
LEAST = 1_000_000
"""Requests of a run, at least."""
SAMPLES, PERIOD_S = 50, 5.0
"""The idle time is sampled so many times in a run at least, every so many seconds."""
QUICK = CASCADE
"""Requests of a load in the quick form."""

TIMES, POINTS = 1.5, 0.10
"""The band of a fit, set beforehand: a load counts as the source's if the baseline's mean read and mean write latency are within a factor of 1.5 of the printed
ones, and its idle share within 10 points."""


@dataclass(frozen=True)
class Trace:
    """A trace of the source, by its tables 2.1 and 2.4."""

    compression: float
    """Its time axis is divided by this."""
    rate: float
    """Requests a second."""
    idle: float
    """Share of the idle time, baseline with 64 MB."""
    highest: float
    """Share of the page reads that find a page written in the run (WR_max)."""
    idle_ms: float
    """Mean idle slot, baseline with 32 MB."""
    read_ms: float
    write_ms: float
    """Mean latencies, baseline with 32 MB."""
    queue: float
    """Mean number of writes in the driver's queue, likewise."""


TRACES: Mapping[str, Trace] = {
    "F1": Trace(10, 1240, 0.522, 0.938, 1.99, 0.44, 1.58, 1.59),
    "F2": Trace(30, 3223, 0.516, 0.730, 0.71, 0.27, 1.03, 0.98),
    "C3": Trace(3, 576, 0.574, 0.915, 10.8, 0.52, 0.56, 19.88),
    "C8": Trace(3, 666, 0.560, 0.973, 5.51, 6.30, 4.54, 9.91),
    "DAP": Trace(8, 135, 0.639, 0.992, 65.19, 5.74, 11.74, 69.23),
    "MSN": Trace(50, 1245, 0.662, 0.456, 4.41, 8.47, 25.21, 8.43),
}
"""The six traces."""


def inferred() -> Mapping[str, Mapping[str, float]]:
    """What was inferred for each trace; nothing before the first inference."""
    return tomllib.loads(INFERRED.read_text(encoding="utf-8")) if INFERRED.is_file() else {}


def is_of_source(trace: str) -> bool:
    """Whether the fitted load counts as the source's: whether its baseline is in the band."""
    found, printed = inferred().get(trace), TRACES[trace]
    if found is None:
        return False
    times = (found["read_ms"] / printed.read_ms, found["write_ms"] / printed.write_ms)
    near = all(abs(math.log(each)) <= math.log(TIMES) for each in times)
    return near and abs(found["idle_share"] - printed.idle) <= POINTS


def gap_us(trace: str, compression: float) -> float:
    """Mean gap between requests."""
    return LAWS[trace].mean_gap_us / compression


def requests(trace: str, compression: float) -> int:
    """Requests of a run: a million, or more where these would not last for 50 samples of the idle time; whole cascades."""
    lasting = SAMPLES * PERIOD_S * 1e6 / gap_us(trace, compression)
    return CASCADE * math.ceil(max(LEAST, lasting) / CASCADE)


def drawn(trace: str, kind: str = "") -> dict[str, object]:
    """Keys of the law of a trace, in whole pages or of another kind."""
    name = f"{trace}-{kind}" if kind else trace
    return {"kind": "profile", "profile_file": str(FOLDER / f"{name}.toml")}


def surrogate(trace: str, kind: str = "", *, compression: float | None = None) -> Load:
    """Requests drawn from what is published on a trace, at the fitted compression of time or another."""
    found = inferred().get(trace, {})
    fitted = found.get("compress_time", TRACES[trace].compression)
    chosen = fitted if compression is None else compression
    keys = {
        **drawn(trace, kind),
        "compress_time": chosen,
        "burst_bias": found.get("burst_bias", 0.65),
        "requests": requests(trace, chosen),
    }
    return Load(f"{trace} surrogate", keys, {"requests": QUICK})


SURROGATES: Sequence[Load] = [surrogate(trace) for trace in TRACES]
"""The loads of the study."""
ORIGINAL: Sequence[Load] = [surrogate(trace, compression=1.0) for trace in TRACES]
"""The same at the rates of the traces."""
OF_SECTORS: Sequence[Load] = [surrogate(trace, "sectors") for trace in TRACES]
"""The same whose reads have sizes in sectors instead of whole pages."""
NAMES: Sequence[str] = [load.name for load in SURROGATES]
CELLO: Sequence[str] = [f"{trace} surrogate" for trace in ("C3", "C8")]
EXCEPT_DAP: Sequence[str] = [name for name in NAMES if not name.startswith("DAP")]
JUDGED: Sequence[str] = [f"{trace} surrogate" for trace in TRACES if is_of_source(trace)]
"""Loads under which claims of the source are judged."""
