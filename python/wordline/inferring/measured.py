"""Latencies that a trace has recorded: the first half of it as targets, the second half to be predicted."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from wordline import _wordline
from wordline.config import Overrides, flatten, resolve_trace
from wordline.errors import ConfigError
from wordline.inferring.targets import Target
from wordline.points.outcome import Outcome, latencies
from wordline.sweeps.layers import Layers

if TYPE_CHECKING:
    from wordline.inferring.posterior import Posterior
    from wordline.inferring.waves import Ran, Waves

OBSERVER = "latencies"
"""What a run is asked for."""
HOW_READ = ("format", "time_unit", "action", "csv")
"""Keys of `[workload]` that say how a trace is read."""
ONCE = {"compress_time": 1.0, "repeat": 1}
"""Keys that make a replay another load than the one that was measured, and the values with which they do not."""
LEAST_BEYOND = 10
"""Requests that must lie beyond a quantile for it to be a target."""
LEAST_GROUP = 50
"""Requests that small and large ones must each have for their medians to be targets."""
PERCENTILES = (50, 95, 99)
"""Percentiles that are compared."""
CLASSES = ("read", "write")
"""Classes of requests that are compared."""
LEVELS = (*(each / 100 for each in range(1, 100)), 0.995, 0.999)
"""Shares of the requests at which distributions are compared: as in `levels_us` of the observer."""

Halves: TypeAlias = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Figures by half, class and name."""


def measured_halves(layers: Layers) -> Halves:
    """The latencies that the trace of a workload has recorded, as those of a run are observed.

    Raises:
        ConfigError: the workload is no trace, or is replayed in another way than it was recorded.
        TraceError: the trace cannot be read, or says no response times.
    """
    config = tomllib.loads(layers.point(()).resolved.toml)
    workload = config.get("workload", {})
    if workload.get("kind") != "trace":
        raise ConfigError('measured: the workload is no trace; accepted is workload.kind = "trace"')
    for key, value in ONCE.items():
        if workload.get(key, value) != value:
            raise ConfigError(
                f"measured: workload.{key} = {workload[key]}: the response times were measured with {value}"
            )
    reading = {key: workload[key] for key in HOW_READ if key in workload}
    overrides: Overrides = flatten({"workload": reading})
    trace = resolve_trace(workload["path"], overrides)
    rows = _wordline.measured(trace, workload.get("skip", 0), workload.get("take"))
    return latencies(SimpleNamespace(requests=requests_of(rows)))


def requests_of(rows: Mapping[str, Any]) -> Any:
    """Measured requests in the form of the table of requests; unknown response times are not numbers."""
    import polars as pl

    response = rows["response_ns"].astype(float)
    response[response == 0] = np.nan
    return pl.DataFrame(
        {
            "number": np.arange(len(response)),
            "class": rows["class"],
            "sectors": rows["bytes"] // 512,
            "arrival_ns": rows["arrival_ns"],
            "completed_ns": rows["arrival_ns"] + response,
        }
    )


def targets_of(halves: Halves, tolerance: object) -> list[Target]:
    """The first half as targets: percentiles of each class that enough requests lie beyond, and medians of small and of large requests.

    Raises:
        ConfigError: there are too few requests.
    """
    found = []
    for name in CLASSES:
        own = halves.get("first", {}).get(name, {})
        for percent in PERCENTILES:
            if own and own["count"] * (100 - percent) >= 100 * LEAST_BEYOND:
                found.append(f"{name}.p{percent}_us")
        groups = [f"{group}_" for group in ("small", "large")]
        if own and all(own[f"{group}count"] >= LEAST_GROUP for group in groups):
            found += [f"{name}.{group}p50_us" for group in groups]
    if not found:
        raise ConfigError(
            f"measured: the first half of the trace has too few requests with response times: for a median {2 * LEAST_BEYOND} reads or writes are needed"
        )
    return [
        Target.of(f"{OBSERVER}.first.{name}", value_of(halves["first"], name), tolerance)
        for name in found
    ]


def value_of(half: Mapping[str, Mapping[str, Any]], name: str) -> float:
    """A figure of a half by class and name."""
    group, _, figure = name.partition(".")
    return float(half[group][figure])


@dataclass(frozen=True)
class Curve:
    """The distribution of the latencies of a class in the second half: quantiles at `LEVELS`, in µs."""

    name: str
    """`read` or `write`."""
    measured: Sequence[float]
    best: Sequence[float]
    """With the best settings."""
    low: Sequence[float]
    """Least over the runs whose settings belong to the 95 % set, the best ones among them."""
    high: Sequence[float]
    """Largest over these runs."""


@dataclass(frozen=True)
class Predicted:
    """A percentile of the second half."""

    name: str
    """`read` or `write`."""
    percent: int
    measured: float
    best: float
    low: float
    high: float

    @property
    def error(self) -> float:
        """By what share of it the best settings miss what was measured."""
        return self.best / self.measured - 1

    @property
    def told(self) -> str:
        """The error as a percentage."""
        return f"{round(self.error, 2) + 0.0:+.0%}"

    @property
    def about(self) -> dict[str, Any]:
        """The same as values that JSON has."""
        return {
            "class": self.name,
            "percentile": self.percent,
            "measured_us": self.measured,
            "best_us": self.best,
            "low_us": self.low,
            "high_us": self.high,
            "error": self.error,
        }


@dataclass(frozen=True)
class HeldOut:
    """The second half of a trace, which no setting was chosen by."""

    curves: tuple[Curve, ...]
    runs: int
    """Runs whose settings belong to the 95 % set."""

    @property
    def errors(self) -> list[Predicted]:
        """The percentiles of each class."""
        found = []
        for curve in self.curves:
            for percent in PERCENTILES:
                at = LEVELS.index(percent / 100)
                rows = (curve.measured, curve.best, curve.low, curve.high)
                found.append(Predicted(curve.name, percent, *(each[at] for each in rows)))
        return found


def held_out(halves: Halves, waves: Waves, found: Posterior, best: Ran) -> HeldOut:
    """How the second half is predicted."""
    inside = [each for each in waves.good if each is best or bool(found.holds(each.shares)[0])]
    curves = []
    for name in CLASSES:
        measured = halves.get("second", {}).get(name)
        if measured is None or measured["count"] < LEAST_GROUP:
            continue
        every = [levels for each in inside for levels in levels_of(each, name)]
        own = np.mean([*levels_of(best, name)], axis=0)
        curves.append(
            Curve(
                name,
                measured["levels_us"],
                own.tolist(),
                np.min(every, axis=0).tolist(),
                np.max(every, axis=0).tolist(),
            )
        )
    return HeldOut(tuple(curves), waves.plan.seeds * len(inside))


def levels_of(point: Ran, name: str) -> Iterator[Sequence[float]]:
    """The distribution of each run of a point in the second half."""
    for run in point.runs:
        if isinstance(run, Outcome):
            yield run.observed[OBSERVER]["second"][name]["levels_us"]
