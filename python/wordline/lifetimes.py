"""Years of use: how long a drive keeps its data under a workload."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

from wordline import _wordline
from wordline.config import Drive, Workload, counted
from wordline.errors import ConfigError
from wordline.notebook import view
from wordline.notes import Note
from wordline.outputs import writing
from wordline.policies import UNSAVED, refuse_python
from wordline.progress import LifetimeReport, lifetime_bar
from wordline.saving import of_file_system, whole
from wordline.simulation import configuration
from wordline.studied_cells import AUTO, BITS, StudiedCells, cells_of, check_cells
from wordline.studied_part import StudiedPart, part_of, whole_drive

NS = 1_000_000_000
LONGEST = 500 * 365 * 86_400.0
"""The longest time of a study, in seconds."""
MOST_DRIVES = 10_000
"""Drives of a fleet; the engine accepts fewer where they have many blocks."""
MOST_REST_CYCLES = 16
"""Cycles whose idle intervals may stand for a block."""
MOST_SNAPSHOTS = 100_000
"""Snapshots of a study."""

Profile: TypeAlias = tuple[tuple[float, float], ...]
"""Temperatures in turn: for how many seconds, and degrees Celsius."""


@dataclass(frozen=True)
class CellVariation:
    """Drives whose cells vary from block to block. The source gives no spreads; the defaults are suggestions."""

    drives: int = 100
    """Number of drives, studied in addition to the drive with mean cells."""
    traps: float = 0.05
    """Standard deviation of the logarithm of the trap counts, up to 0.5."""
    leak: float = 0.10
    """Standard deviation of the logarithm of the leak."""
    gap: float = 0.010
    """Standard deviation of the threshold gap in volts."""


@dataclass(frozen=True)
class BlockVariation:
    """Cells that vary from block to block in the drive itself, by which it refreshes its blocks. The source gives no spreads; the defaults are suggestions."""

    traps: float = 0.05
    """Standard deviation of the logarithm of the trap counts, up to 0.5."""
    leak: float = 0.10
    """Standard deviation of the logarithm of the leak."""
    gap: float = 0.010
    """Standard deviation of the threshold gap in volts."""


@dataclass(frozen=True)
class TimedSamples:
    """Samples with response times: a copy of the drive runs the workload, at its own arrivals, with a clock."""

    every_snapshots: int = 8
    """One at every so many snapshots, and one at the start."""
    length: float = 3600.0
    """Seconds of the workload, up to a day; a trace that is shorter ends before."""
    end_ratio: float = 3.0
    """The life of the drive ends where the 80th percentile of response times is so many times that of the start, above 1."""


@dataclass(frozen=True)
class LifetimeStudy:
    """The options of a lifetime study. Times are in seconds."""

    cell: str | float = AUTO
    """`"auto"`: the cells and the code of the drive, or, of a drive without a code, FENCE for SLC and MLC and the cells `tlc_3d` and `qlc_3d` for TLC and QLC.
    `"slc"`, `"mlc"`, or the threshold gap that stores one level in volts: FENCE. The name of a file of cells: these, with the code of the drive or the default LDPC code."""
    required: float = 365 * 86_400.0
    """Required retention."""
    horizon: float = 5 * 365 * 86_400.0
    """Time to simulate."""
    every: float = 15 * 86_400.0
    """Time between two snapshots."""
    writes_per_day: float | None = 1.0
    """Drive writes per day; `None`: the arrival times of the workload are used."""
    temperature: float | Profile = 30.0
    """Degrees Celsius, or a sequence of pairs of seconds and temperature: `((30 * 86_400.0, 30.0), ...)`, up to the horizon."""
    heat_heals: bool = False
    """Whether heat speeds up recovery in idle intervals (an extension of the model)."""
    tolerance: float | None = 0.02
    """Target for the relative error of retention caused by skipping time; `None`: every write is simulated."""
    variation: CellVariation | None = None
    """Drives whose cells vary, under the same writes; `None`: mean cells only."""
    inside: BlockVariation | None = None
    """Cells that vary from block to block in the drive itself; `None`: all are the mean one. Of FENCE alone."""
    rest_cycles: int = 1
    """Of how many of its last cycles the idle intervals are that stand for a block, up to 16 (a geometric mean, exponentially weighted). Of FENCE alone."""
    samples: TimedSamples | None = None
    """Samples with response times; `None`: none are taken."""
    all_dies: bool = False
    """Simulate every die of a large drive. By default some of them are, where the study would take longer than minutes: every die does the same."""

    def __post_init__(self) -> None:
        """Check what can be told without a drive.

        Raises:
            ConfigError: no such kind of cell, or a time that is not accepted.
        """
        check_cells(self.cell)
        for name in ("required", "horizon", "every"):
            nanoseconds(name, getattr(self, name))
        temperatures(self.temperature)


@dataclass(frozen=True)
class LifetimeFiles:
    """Files that a lifetime study writes while it runs; they do not influence its results."""

    snapshots: str | PathLike[str] | None = None
    """Directory for a Parquet file of every block at a snapshot, `000004.parquet` for the fourth after the start."""
    snapshots_every: int = 1
    """Write a file for every n-th snapshot."""
    state: str | PathLike[str] | None = None
    """File in which the state of the study is saved from time to time."""
    resume: bool = False
    """Continue from that file, if it exists; the results are those of an uninterrupted study, bit for bit."""


SPREAD_OF_SKIPS = Note(
    "info",
    "spread_of_skips",
    "The spread of the erase counts (standard deviation, fewest and most) is extrapolated in skipped time, within collection pools and between pools that share their writes, as it grew in what was simulated. "
    "In the mean over many studies it was within a tenth of simulating every write (--exact), on eight pools with skewed addresses a fifth too small; a single study differs as much from another as exact ones do: with eight pools by a quarter. Where some blocks are erased more often than others for good it may be too small.",
)
"""What is said beside the erase counts of a study that skipped time."""


@dataclass(frozen=True, repr=False)
class Lifetime:
    """The results of a lifetime study."""

    snapshots: pl.DataFrame
    """A row for each snapshot: percentiles over blocks of how long data are kept that are written then (`retention_p10_s`), and of what is left of the retention of
    the data that blocks hold (`left_p10_s`); blocks of which less is left than required (`blocks_short`), those of them of which nothing is (`blocks_faded`); erase counts."""
    blocks: pl.DataFrame
    """Every block at the end."""
    summary: Mapping[str, float | int | None]
    """Totals, by name; the name ends in the unit."""
    config: str
    """The complete drive and workload as TOML."""
    warnings: tuple[str, ...]
    """Warnings about unusual values in the configuration."""
    fleet: pl.DataFrame | None
    """The drives whose cells vary: `drive`, `time_s`, `retention_p10_s`, a row for each drive and snapshot."""
    fleet_lives: tuple[float | None, ...]
    """Life of each of them in seconds; `None` if longer than the study."""
    identity: str
    """Hash of the drive, the workload and the options; the files of the study contain it."""
    samples: pl.DataFrame | None = None
    """Samples with response times, a row each: `time_s`, whether weak blocks are out of service (`without_weak_blocks`), `blocks` in service, `requests`,
    `response_mean_s`, `response_p80_s`, `response_p99_s`, and `response_ratio`: the 80th percentile over that of the start."""

    cells: str = ""
    """What says how long blocks keep data, in words."""
    code: str = ""
    """The code that protects them, in words."""
    part: str = ""
    """Which dies were simulated, in words."""
    remarks: tuple[Note, ...] = ()
    """What to know of the cells."""

    @property
    def notes(self) -> tuple[Note, ...]:
        """What to know before trusting the numbers."""
        skips = [SPREAD_OF_SKIPS] if self.summary["skips_kept"] else []
        return (*self.remarks, *beyond_limit(self), *skips)

    def _repr_html_(self) -> str:
        return view(self, self.snapshots.to_dicts())

    def __repr__(self) -> str:
        life = self.summary["life_s"]
        ends = "beyond the horizon" if life is None else f"{life / 86_400.0:,.0f} days"
        return f"<Lifetime of {ends}, {self.snapshots.height} snapshots>"


def beyond_limit(found: Lifetime) -> Iterator[Note]:
    """Whether wear was levelled beyond the erases that the drive is configured with."""
    wear = tomllib.loads(found.config).get("ftl", {}).get("wear", {})
    limit, erases = wear.get("erase_limit"), float(found.snapshots["erase_count_mean"][-1])
    if limit is not None and erases > limit:
        yield Note(
            "info",
            "beyond_erase_limit",
            f"Blocks have {erases:,.0f} erases on average at the end, more than ftl.wear.erase_limit ({limit:,}). Wear is levelled on: from nine tenths of the limit on, "
            "the average remaining life counts as a tenth of it.",
        )


def lifetime(
    drive: Drive | str | PathLike[str],
    workload: Workload | Mapping[str, Any] | str | PathLike[str] | None = None,
    asked: LifetimeStudy | None = None,
    *,
    files: LifetimeFiles | None = None,
    progress: bool = True,
) -> Lifetime:
    """Simulate how long `drive` keeps its data under `workload`, over months and years.

    Only writes and deallocations of the workload are used; the workload is repeated when it ends. The write rate is that of
    `asked.writes_per_day`, or of the workload's own arrivals. `files` sets the files that are written during the study.

    Raises:
        ConfigError: a key or value that is not accepted; a state file of another study.
        OutputError: a snapshot that cannot be written.
        TraceError: a trace that cannot be read.
        PolicyError: a policy written in Python failed.
    """
    resolved = configuration(drive, workload)
    with lifetime_bar(shown=progress) as report:
        return study(resolved, asked or LifetimeStudy(), files or LifetimeFiles(), report)


def study(
    resolved: _wordline.Resolved,
    asked: LifetimeStudy,
    files: LifetimeFiles,
    report: LifetimeReport | None,
) -> Lifetime:
    """Study a resolved configuration; `report` is told of its progress and stops it by returning false.

    Raises:
        ConfigError: a policy in Python and a file of the state, which could not hold it; as for `lifetime`.
    """
    if files.state is not None:
        refuse_python(resolved, UNSAVED)
    cells = cells_of(asked.cell, resolved)
    part = simulated(resolved, asked)
    found = _wordline.lifetime(
        part.drive,
        {
            "cells": cells.engine,
            "heat_heals": asked.heat_heals,
            "temperature": temperatures(asked.temperature),
            "required": nanoseconds("required", asked.required),
            "horizon": nanoseconds("horizon", asked.horizon),
            "every": nanoseconds("every", asked.every),
            "writes_per_day": asked.writes_per_day,
            "tolerance": asked.tolerance,
            "inside": None if asked.inside is None else astuple(asked.inside),
            "rest_cycles": counted("rest_cycles", asked.rest_cycles, MOST_REST_CYCLES),
            "fleet": None if asked.variation is None else fleet(asked.variation),
            "timed": None if asked.samples is None else timed(asked.samples),
            "blocks_every": None
            if files.snapshots is None
            else counted("snapshots_every", files.snapshots_every, MOST_SNAPSHOTS),
            "state": None if files.state is None else str(files.state),
            "resume": files.resume,
        },
        report,
        None if files.snapshots is None else writer(Path(files.snapshots)),
    )
    snapshots, blocks = found.pop("snapshots"), found.pop("blocks")
    samples = found.pop("samples", None)
    identity = found.pop("identity")
    lives, tenths = found.pop("fleet_life_s"), found.pop("fleet_retention_p10_s")
    return Lifetime(
        snapshot_table(snapshots),
        frame(blocks),
        found,
        resolved.toml,
        tuple(resolved.warnings),
        fleet_table(snapshots["time_s"], tenths) if lives else None,
        tuple(lives),
        identity,
        None if samples is None else sample_table(samples),
        cells.words,
        cells.code,
        part.words,
        tuple(remarks(cells, resolved)),
    )


def simulated(resolved: _wordline.Resolved, asked: LifetimeStudy) -> StudiedPart:
    """The dies of a drive that a study simulates."""
    if asked.all_dies:
        return whole_drive(resolved)
    exact = asked.tolerance is None
    return part_of(resolved, asked.horizon, asked.writes_per_day, exact=exact)


def remarks(cells: StudiedCells, resolved: _wordline.Resolved) -> Iterator[Note]:
    """What to know of the cells of a study."""
    kind = resolved.get("geometry.cell_type")
    if cells.bits is not None and cells.bits != BITS.get(kind):
        yield Note(
            "warning",
            "other_cells",
            f"The study goes by {cells.words}, while the drive has cells of the type {kind}.",
        )
    if not isinstance(cells.engine, float) and resolved.get("modes"):
        yield Note(
            "info",
            "cycles_in_modes",
            "A cycle counts as one of the drive's own cells in every mode: a block that served as SLC is less worn than it counts.",
        )


def fleet_table(times: Sequence[float], tenths: Sequence[Sequence[float]]) -> pl.DataFrame:
    """The tenth percentile of retention of every drive of a fleet at every snapshot."""
    wide = pl.DataFrame({"time_s": times, "retention_p10_s": tenths})
    drives = pl.int_ranges(pl.col("retention_p10_s").list.len()).alias("drive")
    long = wide.with_columns(drives).explode("retention_p10_s", "drive")
    return long.select("drive", "time_s", "retention_p10_s")


def fleet_life(lives: Sequence[float | None]) -> float | None:
    """The life that nine of ten drives of a fleet reach: the tenth percentile, by nearest rank; `None` if longer than the study.

    Raises:
        ConfigError: no lives.
    """
    if not lives:
        raise ConfigError("lives: there are none; accepted are those of a fleet")
    ranked = sorted(lives, key=lambda life: math.inf if life is None else life)
    return ranked[-(-len(ranked) // 10) - 1]


def snapshot_table(columns: Mapping[str, Any]) -> pl.DataFrame:
    """The snapshots."""
    return pl.DataFrame(columns).with_columns(pl.col("blocks_short", "blocks_faded").cast(pl.Int64))


def sample_table(columns: Mapping[str, Any]) -> pl.DataFrame:
    """The samples with response times."""
    whole_numbers = pl.col("blocks", "requests").cast(pl.Int64)
    return pl.DataFrame(columns).with_columns(whole_numbers)


def frame(columns: Mapping[str, Any]) -> pl.DataFrame:
    """A table of blocks; times that are no number are missing."""
    return pl.DataFrame(columns).with_columns(pl.col("last_program_s").fill_nan(None))


def writer(directory: Path) -> Callable[[dict[str, Any]], None]:
    """What writes the file of a snapshot, whole or not at all."""

    def write(snapshot: dict[str, Any]) -> None:
        table = frame(snapshot.pop("blocks"))
        target = directory / f"{snapshot.pop('number'):06}.parquet"
        head = {name: str(value) for name, value in snapshot.items()}
        with writing(target):
            directory.mkdir(parents=True, exist_ok=True)
        with whole(target) as part:
            try:
                with part.open("wb") as file:
                    table.write_parquet(file, metadata=head)
            except pl.exceptions.PolarsError as error:
                raise of_file_system(error) from error

    return write


def temperatures(asked: float | Profile) -> list[tuple[int, float]]:
    """A temperature for good, or those of a profile, for the engine."""
    if isinstance(asked, int | float):
        return [(2**64 - 1, float(asked))]
    return [(nanoseconds("temperature for", time), celsius) for time, celsius in asked]


def fleet(asked: CellVariation) -> tuple[int, float, float, float]:
    """Drives whose cells vary, for the engine."""
    counted("drives", asked.drives, MOST_DRIVES)
    return astuple(asked)


def timed(asked: TimedSamples) -> tuple[int, int, float]:
    """Samples with response times, for the engine."""
    every = counted("every_snapshots", asked.every_snapshots, MOST_SNAPSHOTS)
    return every, nanoseconds("sample length", asked.length), asked.end_ratio


def nanoseconds(name: str, seconds: float) -> int:
    """A time for the engine.

    Raises:
        ConfigError: it is none, or longer than 500 years.
    """
    if not 0 < seconds <= LONGEST:
        raise ConfigError(f"{name} = {seconds} s: accepted are times above 0 s, up to 500 years")
    return max(round(seconds * NS), 1)
