"""One workload on many drives, one drive under many workloads: every point of a space, in one table."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordline import _wordline
from wordline.config import Drive, Overrides, Workload, counted
from wordline.drivewrites import POLICIES, drive_writes, is_short, text_of
from wordline.errors import ConfigError, RunError, TraceError
from wordline.executor import Executor
from wordline.notebook import view
from wordline.notes import Note
from wordline.outputs import output_directory
from wordline.points.engine import Engine
from wordline.points.job import Failure
from wordline.points.outcome import Outcome
from wordline.points.point import Point
from wordline.points.remarks import Remarks
from wordline.points.store import Store, default_directory
from wordline.progress import points_bar
from wordline.results import Result
from wordline.saving import ResultDirectory, whole, write_text
from wordline.seeds import MOST_SEEDS
from wordline.statistics import CONFIDENCE, student_t
from wordline.sweeps.layers import QUIET, Layers
from wordline.sweeps.space import Sample, Space, Vary
from wordline.sweeps.values import column

if TYPE_CHECKING:
    import polars as pl

TABLE, ABOUT, REPORT, EXPLORER = "sweep.parquet", "sweep.json", "report.html", "explorer.html"
"""Files of a sweep."""
RUNS = "runs"
"""Directory of the results of single points."""


@dataclass(frozen=True)
class SweepRun:
    """A run of a sweep."""

    number: int
    """Number of its point, counted from 0; runs that differ in their seed alone share it."""
    settings: Overrides
    """What is varied, as TOML."""
    seed: int
    """By how much its seeds are raised."""
    point: Point
    """What is run."""


@dataclass(frozen=True, repr=False)
class Sweep:
    """The runs of a sweep."""

    table: pl.DataFrame
    """A row for each run: `point`, every varied key, `seed`, the figures of the summary (without `run.*`), `notes` (the keys of its findings), and
    `error` (empty where there is none)."""
    keys: tuple[str, ...]
    """The keys that are varied: columns of the table."""
    units: Mapping[str, str]
    """Units of those of them that have one."""
    notes: tuple[Note, ...]
    """What to know before trusting the figures: findings of the runs, each once, and of the sweep, warnings first."""
    commands: tuple[str, ...] = ()
    """For each point the command that repeats its first run and writes the report of it."""

    @property
    def failed(self) -> int:
        """Number of runs that have an error in place of figures."""
        return self.table["error"].count()

    @cached_property
    def figures(self) -> tuple[str, ...]:
        """The columns that hold figures: numbers of the summary."""
        import polars.selectors as cs

        own = {"point", "seed", "sim.seed", "notes", "error", *self.keys}
        return tuple(name for name in self.table.select(cs.numeric()).columns if name not in own)

    @cached_property
    def keys_of_notes(self) -> Mapping[int, set[str]]:
        """For each point the keys of the notes of its runs."""
        keys: dict[int, set[str]] = {}
        for row in self.table.select("point", "notes").iter_rows(named=True):
            keys.setdefault(row["point"], set()).update((row["notes"] or "").split())
        return keys

    @cached_property
    def remarks(self) -> Remarks:
        """The notes of runs, with the letters that mark the rows of their points."""
        of_runs = set().union(*self.keys_of_notes.values())
        return Remarks(tuple(note for note in self.notes if note.key in of_runs))

    @property
    def told(self) -> tuple[Note, ...]:
        """The notes as they are shown beside a table whose rows have letters."""
        lettered = {note.key: note for note in self.remarks.lettered}
        return tuple(lettered.get(note.key, note) for note in self.notes)

    def marks(self, point: int) -> str:
        """The letters of the notes of a point."""
        return self.remarks.marks(self.keys_of_notes[point])

    def means(self, *figures: str) -> pl.DataFrame:
        """The mean of figures over the seeds of each point that has them; `KEY ±` is half the 95 % confidence interval.

        Raises:
            KeyError: there is no such figure.
        """
        import polars as pl

        for figure in figures:
            if figure not in self.figures:
                raise KeyError(f"{figure} is no figure of this sweep")
        chosen = figures or self.figures
        table = self.table.filter(pl.col("error").is_null())
        counts = table.group_by("point").len()["len"]
        factors = {n: student_t(CONFIDENCE, n - 1) / n**0.5 for n in set(counts) if n > 1}
        count = pl.len().replace_strict(factors, default=None, return_dtype=pl.Float64)
        return (
            table.group_by("point", *self.keys, maintain_order=True)
            .agg(
                *(pl.col(figure).cast(pl.Float64).mean() for figure in chosen),
                *(
                    (pl.col(figure).cast(pl.Float64).std() * count).alias(f"{figure} ±")
                    for figure in chosen
                ),
                pl.len().alias("runs"),
            )
            .sort("point")
        )

    @property
    def about(self) -> dict[str, Any]:
        """What the sweep is and how it went, as values that JSON has."""
        return {
            "points": self.table["point"].n_unique(),
            "runs": self.table.height,
            "failed": self.failed,
            "keys": {key: self.units.get(key, "") for key in self.keys},
            "notes": [asdict(note) for note in self.notes],
            "commands": list(self.commands),
        }

    def save(self, directory: str | PathLike[str]) -> Path:
        """Write `sweep.parquet`, `sweep.json`, `report.html` and `explorer.html`; return the directory.

        Where the directory has `runs/N/report.html`, the explorer leads to it from point N.

        Raises:
            OutputError: the directory cannot be written.
        """
        from wordline.report import explorer
        from wordline.report.sweep import render

        target = Path(directory)
        with output_directory(target):
            with whole(target / TABLE) as file:
                self.table.write_parquet(file)
            write_text(target / ABOUT, json.dumps(self.about, indent=2) + "\n")
            write_text(target / REPORT, render(self))
            numbers = self.table["point"].unique().to_list()
            places = {number: f"{RUNS}/{number}/{REPORT}" for number in numbers}
            reports = {each: place for each, place in places.items() if (target / place).exists()}
            write_text(target / EXPLORER, explorer.of_sweep(self, reports))
        return target

    def _repr_html_(self) -> str:
        return view(self, self.table.head(20).to_dicts())

    def __repr__(self) -> str:
        return f"<Sweep of {self.table.height:,} runs over {', '.join(self.keys)}>"


def sweep(
    drive: Drive | str | PathLike[str],
    workload: Workload | Mapping[str, Any] | str | PathLike[str] | None = None,
    *,
    vary: Vary,
    sample: Sample | None = None,
    seeds: int = 1,
    jobs: int | None = None,
    cluster: str | None = None,
    cache: str | PathLike[str] | None = None,
    progress: bool = True,
) -> Sweep:
    """Simulate every combination of what is varied, or a sample of them.

    Finished runs are kept in `cache`, under a hash of the resolved configuration, the content of the files that it names and the
    build of Wordline: a sweep that was stopped goes on where it was. A run that fails is a row with its error.

    Args:
        drive: as for `simulate`.
        workload: as for `simulate`.
        vary: values by key: a list, a `Range`, or, for keys that change together, a tuple of keys with a list of tuples.
        sample: draws points from the space instead of running every combination.
        seeds: runs of each point; in each further one every seed of the configuration is one higher.
        jobs: runs at the same time on this machine; one per core without any.
        cluster: address of a Dask scheduler whose workers run the points, or `"local"` for processes on this machine; threads of
            this process without one.
        cache: directory for finished runs; that of the user without one.
        progress: as for `simulate`.

    Raises:
        ConfigError: what is varied makes no sense, or every point is refused; the first reason.
        OutputError: the cache cannot be written.
        ClusterError: the cluster cannot be used.
        KeyboardInterrupt: Ctrl-C; what is finished is kept.
    """
    layers = Layers.of(drive, workload)
    runs = runs_of(layers, Space.of(vary, sample), seeds)
    store = Store(Path(cache) if cache is not None else default_directory())
    engine = Engine(store, jobs, progress=progress, cluster=cluster)
    return measured(runs, engine, layers)


def runs_of(layers: Layers, space: Space, seeds: int) -> list[SweepRun]:
    """The runs of a sweep, in order: the seeds of the first point, those of the second."""
    counted("seeds", seeds, MOST_SEEDS)
    if seeds > 1 and "seed" in space.keys:
        raise ConfigError("vary: seed is varied, so that `seeds` can only be 1")
    return [
        SweepRun(number, settings, seed, layers.point(settings, seed))
        for number, settings in enumerate(space.assignments())
        for seed in range(seeds)
    ]


def measured(runs: Sequence[SweepRun], engine: Engine, layers: Layers) -> Sweep:
    """Run what has not been run yet, and put everything into one table.

    Raises:
        ConfigError: every point is refused; the first reason.
    """
    found = engine.each([run.point for run in runs])
    outcomes = [found[run.point] for run in runs]
    refused = [got for got in outcomes if isinstance(got, Failure) and got.kind == "ConfigError"]
    if refused and len(refused) == len(runs):
        raise ConfigError(refused[0].text)
    return collected(runs, outcomes, layers)


def collected(
    runs: Sequence[SweepRun], outcomes: Sequence[Outcome | Failure], layers: Layers
) -> Sweep:
    """The table of runs and their outcomes."""
    import polars as pl

    keys = tuple(key for key, _ in runs[0].settings)
    columns: dict[str, Any] = {"point": [run.number for run in runs]}
    units = {}
    for place, key in enumerate(keys):
        columns[key], unit = column([run.settings[place][1] for run in runs])
        if unit:
            units[key] = unit
    summaries = [got.summary if isinstance(got, Outcome) else {} for got in outcomes]
    if "seed" not in columns:
        columns["seed"] = [seed_of(run) for run in runs]
    # in the order of the summaries, whichever run has most of them
    names = dict.fromkeys(
        name for summary in sorted(summaries, key=len, reverse=True) for name in summary
    )
    for name in names:
        if name not in columns:
            columns[name] = [summary.get(name) for summary in summaries]
    columns["notes"] = [
        " ".join(got.findings) if isinstance(got, Outcome) else None for got in outcomes
    ]
    columns["error"] = pl.Series(
        [f"{got.kind}: {got.text}" if isinstance(got, Failure) else None for got in outcomes],
        dtype=pl.String,
    )
    commands = {run.number: layers.command(run.settings) for run in runs}
    return Sweep(
        pl.DataFrame(columns, strict=False, infer_schema_length=None),
        keys,
        units,
        tuple(notes_of(runs, outcomes, keys)),
        tuple(commands.values()),
    )


def notes_of(
    runs: Sequence[SweepRun], outcomes: Sequence[Outcome | Failure], keys: Sequence[str]
) -> Iterator[Note]:
    """What to know before trusting the figures of a sweep."""
    done = [got for got in outcomes if isinstance(got, Outcome)]
    varies_policies = any(key.startswith(POLICIES) for key in keys)
    short = [each for each in map(drive_writes, (got.summary for got in done)) if is_short(each)]
    if varies_policies and short:
        of = "" if len(runs) == 1 else f"in {len(short):,} of {len(runs):,} runs "
        said = f"{of}{text_of(min(short))}."
        text = said[0].upper() + said[1:]
        yield Note("warning", "short_of_a_drive_write", text)
    yield from Remarks.of([got.findings for got in done]).notes
    if len({run.number for run in runs}) == len(runs) > 1:
        text = "Each point was run with one seed: a difference may be chance; `--seeds 5` gives confidence intervals."
        yield Note("info", "one_run", text)


def seed_of(run: SweepRun) -> int | None:
    """The seed of a run; none where its configuration is refused."""
    try:
        seed: int = run.point.resolved.get("seed")
    except ConfigError:
        return None
    return seed


def write_reports(
    runs: Sequence[SweepRun], directory: Path, jobs: int | None, *, progress: bool = True
) -> None:
    """Run the first seed of each point with all that a report shows, and save it below `runs/`; those that are there stay.

    Points that fail have no report.

    Raises:
        OutputError: a result cannot be written, or another one is in its place.
        KeyboardInterrupt: Ctrl-C.
    """
    first = [run for run in runs if run.seed == 0]
    with (
        points_bar(len(first), shown=progress) as advance,
        Executor(jobs) as executor,
    ):
        calls = (partial(write_report, run, directory / RUNS, executor.goes_on) for run in first)
        for ended in executor.gather(calls):
            ended.result()
            advance()


def write_report(run: SweepRun, directory: Path, goes_on: Callable[[], bool]) -> None:
    """Save the result of a run in a directory that is named by its point."""
    target = directory / str(run.number)
    shown = tuple((key, "true") for key in ("output.attribution", "output.timeline"))
    own = tuple(each for each in run.point.overrides if each not in QUIET)
    try:
        resolved = replace(run.point, overrides=(*shown, *own)).resolved
        with ResultDirectory(target, resolved.toml) as place:
            if place.holds_whole_result:
                return
            result = Result(
                _wordline.simulate(resolved, False, lambda *_: goes_on()), resolved.toml
            )
            if result.is_interrupted:
                raise KeyboardInterrupt
            place.publish(result)
    except (ConfigError, TraceError, RunError):
        return  # as the row of the sweep says
