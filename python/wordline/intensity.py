"""How much faster than recorded a workload can be replayed before a drive is over-utilised (V. Mohan 2015, section 4.2).

Traces of disks are slow for solid state drives. Their intensity is raised by dividing every time between two requests by
a number; order, addresses, sizes and kinds stay as they are.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any, TypeAlias

import polars as pl

from wordline import _wordline
from wordline.config import Drive, Workload, counted
from wordline.errors import ConfigError
from wordline.notebook import view
from wordline.notes import Note, findings
from wordline.points.remarks import HEADING, Remarks
from wordline.results import Result
from wordline.simulation import configuration, simulate

CAP = 15
"""The highest intensity that is tried (assumed by the specification; the source's own factors are 4 to 15)."""
MOST = 3.0
"""Response time over that at intensity 1 above which a drive is over-utilised (the source)."""
PERCENTILE = 80.0
"""The percentile of response times that is compared (the source)."""

Description: TypeAlias = Drive | str | PathLike[str]
Load: TypeAlias = Workload | Mapping[str, Any] | str | PathLike[str] | None


@dataclass(frozen=True, repr=False)
class Acceleration:
    """How much faster a workload can be replayed."""

    factor: int
    """The largest intensity up to which the drive is never over-utilised; 0 where it is so at intensity 1."""
    is_capped: bool
    """Whether no intensity that was tried over-utilised the drive, so that a larger one might not either."""
    curve: pl.DataFrame
    """A row for each intensity that was tried: `intensity`, `response_us` (the percentile), `relative_response_time` (over that at intensity 1, without one where that is not defined), `overloaded`, `notes` (the letters of those of its run)."""
    notes: tuple[Note, ...] = ()
    """What to know before trusting the curve: the state in which the drive begins, and findings of the runs."""

    def _repr_html_(self) -> str:
        return view(self, self.curve.to_dicts())

    def __repr__(self) -> str:
        more = " or more" if self.is_capped else ""
        return f"<Acceleration {self.factor}{more}, {self.curve.height} intensities tried>"

    def as_dict(self) -> dict[str, object]:
        """Everything as one object."""
        return {
            "factor": self.factor,
            "capped": self.is_capped,
            "curve": self.curve.to_dicts(),
        }


def scale_intensity(drive: Description, workload: Load, intensity: float) -> Drive:
    """A drive whose workload comes `intensity` times as fast; order, sizes, addresses and kinds of requests are unchanged.

    Raises:
        ConfigError: an intensity that is not above 0 and finite, or a workload without arrivals.
    """
    return scaled(configuration(drive, workload), intensity)


def scaled(resolved: _wordline.Resolved, intensity: float) -> Drive:
    """The same of a resolved configuration."""
    if not (math.isfinite(intensity) and intensity > 0):
        raise ConfigError(f"intensity = {intensity}: accepted are finite numbers above 0")
    load = tomllib.loads(resolved.toml).get("workload", {})
    kind = load.get("kind")
    if kind in ("trace", "profile"):
        if load.get("queue_depth") is not None and kind == "profile":
            raise ConfigError(CLOSED)
        changed: dict[str, Any] = {
            "workload.compress_time": intensity * load.get("compress_time", 1.0)
        }
    elif load.get("interarrival") is not None:
        seconds = _wordline.seconds(load["interarrival"]) / intensity
        changed = {"workload.interarrival": f"{max(round(seconds * 1e9), 1)} ns"}
    else:
        raise ConfigError(CLOSED)
    return Drive.from_text(resolved.toml, **changed)


CLOSED = (
    "intensity: the workload is a closed loop, whose requests come as fast as the drive serves them; accepted is one "
    "with arrivals (a trace, a profile, or workload.interarrival)"
)


def percentile(result: Result, percent: float) -> float:
    """A percentile of the response times of all requests in microseconds, within the resolution of the distribution.

    Raises:
        ConfigError: no request was completed.
    """
    found = result.latency.get("all")
    if found is None or not len(found.value_us):
        raise ConfigError(
            "intensity: no request was completed; accepted are workloads with requests"
        )
    place = int((found.fraction >= percent / 100.0).argmax())
    return float(found.value_us[place])


def find_acceleration(
    drive: Description,
    workload: Load = None,
    *,
    cap: int = CAP,
    most: float = MOST,
    percent: float = PERCENTILE,
    progress: bool = True,
) -> Acceleration:
    """Find the largest whole intensity up to which a drive is not over-utilised.

    The drive is simulated with its workload at intensity 1, 2, 3 and so on. It is over-utilised where a percentile of its response times is more than `most` times that at intensity 1, or where its queue
    grows to the end. Of a drive that is over-utilised at intensity 1 no ratio is defined.

    Args:
        drive: the drive, in the state that `[age]` describes: fresh and preconditioned, in the source.
        workload: its workload, where the drive's own is not meant.
        cap: the highest intensity that is tried, 1 to 1,000.
        most: the ratio above which the drive is over-utilised, above 1.
        percent: the percentile, above 0 and below 100.
        progress: show progress, if standard error is a terminal.

    Raises:
        ConfigError: a value that is not accepted, or a workload without arrivals.
        TraceError: a trace that cannot be read.
    """
    counted("cap", cap, 1_000)
    if not (math.isfinite(most) and most > 1):
        raise ConfigError(f"most = {most}: accepted are finite numbers above 1")
    if not 0 < percent < 100:
        raise ConfigError(f"percent = {percent}: accepted are numbers above 0, below 100")
    resolved = configuration(drive, workload)
    rows: list[dict[str, object]] = []
    said: list[dict[str, Note]] = []
    first, factor = math.nan, 0
    start: tuple[Note, ...] = ()
    for intensity in range(1, cap + 1):
        result = simulate(scaled(resolved, float(intensity)), progress=progress)
        response = percentile(result, percent)
        said.append({note.key: note for note in findings(result.notes)})
        if intensity == 1:
            start = tuple(note for note in result.notes if note.key == "age")
        overloaded = "overloaded" in said[-1]
        if intensity == 1 and not overloaded:
            first = response
        ratio = None if math.isnan(first) else response / first
        rows.append(
            {
                "intensity": intensity,
                "response_us": response,
                "relative_response_time": ratio,
                "overloaded": overloaded,
            }
        )
        if overloaded or ratio is None or ratio > most:
            break
        factor = intensity
    schema = {
        "intensity": pl.Int64,
        "response_us": pl.Float64,
        "relative_response_time": pl.Float64,
        "overloaded": pl.Boolean,
        HEADING: pl.String,
    }
    remarks = Remarks.of(said)
    for row, own in zip(rows, said, strict=True):
        row[HEADING] = remarks.marks(own)
    curve = pl.DataFrame(rows, schema)
    return Acceleration(factor, factor == cap, curve, (*start, *remarks.lettered))
