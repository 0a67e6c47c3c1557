"""Years of use: how long a drive keeps its data under a workload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import polars as pl

from wordline import _wordline
from wordline.config import Drive, Workload
from wordline.progress import lifetime_bar
from wordline.retention import level_gap
from wordline.simulation import configuration

NS = 1_000_000_000


@dataclass(frozen=True)
class LifetimeStudy:
    """What is asked of a lifetime study. Times are in seconds."""

    cell: str | float = "mlc"
    """`"slc"`, `"mlc"`, or the threshold gap that stores one level in volts."""
    required: float = 365 * 86_400.0
    """Retention that data must have."""
    horizon: float = 5 * 365 * 86_400.0
    """Time that is studied."""
    every: float = 15 * 86_400.0
    """Time between two snapshots."""
    writes_per_day: float | None = 1.0
    """How often a day the exported capacity is written; `None`: as the workload's arrivals say."""
    temperature: float = 30.0
    """Degrees Celsius."""
    heat_heals: bool = False
    """Whether heat speeds the recovery of resting cells: an extension."""
    tolerance: float | None = 0.02
    """Relative error of retention that skipping aims at; `None`: every write is simulated."""


@dataclass(frozen=True)
class Lifetime:
    """What a lifetime study found."""

    snapshots: pl.DataFrame
    """Retention percentiles over blocks and erase counts, a row for each snapshot."""
    blocks: pl.DataFrame
    """Every block at the end."""
    summary: Mapping[str, float | int | None]
    """Totals, by name; the unit ends the name."""
    config: str
    """The complete drive and workload as TOML."""
    warnings: tuple[str, ...]
    """What the user should be told of the configuration."""


def lifetime(
    drive: Drive | str | PathLike[str],
    workload: Workload | Mapping[str, Any] | str | PathLike[str] | None = None,
    asked: LifetimeStudy | None = None,
    *,
    progress: bool = True,
) -> Lifetime:
    """Study how long `drive` keeps its data under `workload`, over months and years.

    Only writes and deallocations of the workload count; it starts over when it ends. The write rate is that of
    `asked.writes_per_day`, or of the workload's own arrivals.

    Raises:
        ConfigError: a key or value that is not accepted.
        TraceError: a trace that cannot be read.
    """
    return study(configuration(drive, workload), asked or LifetimeStudy(), progress=progress)


def study(resolved: _wordline.Resolved, asked: LifetimeStudy, *, progress: bool) -> Lifetime:
    """Study a resolved configuration."""
    times = {
        name: nanoseconds(name, getattr(asked, name)) for name in ("required", "horizon", "every")
    }
    with lifetime_bar(shown=progress) as report:
        found = _wordline.lifetime(
            resolved,
            level_gap(asked.cell),
            asked.heat_heals,
            asked.temperature,
            times["required"],
            times["horizon"],
            times["every"],
            asked.writes_per_day,
            asked.tolerance,
            report,
        )
    snapshots, blocks = found.pop("snapshots"), found.pop("blocks")
    return Lifetime(
        pl.DataFrame(snapshots),
        pl.DataFrame(blocks),
        found,
        resolved.toml,
        tuple(resolved.warnings),
    )


def nanoseconds(name: str, seconds: float) -> int:
    """A time for the engine.

    Raises:
        ConfigError: it is none, or longer than 500 years.
    """
    if not 0 < seconds <= 500 * 365 * 86_400:
        raise _wordline.ConfigError(
            f"{name} = {seconds} s: accepted are times above 0 s, up to 500 years"
        )
    return max(round(seconds * NS), 1)
