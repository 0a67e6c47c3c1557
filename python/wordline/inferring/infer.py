"""Which settings explain what was measured."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordline.config import Drive, Overrides, Workload
from wordline.errors import ConfigError
from wordline.inferring.findings import (
    Compared,
    Known,
    Left,
    compared,
    knowledge,
    left_out,
    set_table,
    tied,
)
from wordline.inferring.measured import (
    Halves,
    HeldOut,
    held_out,
    measured_halves,
    targets_of,
)
from wordline.inferring.posterior import Posterior
from wordline.inferring.targets import TOLERANCE, Target, Targets, observers_of
from wordline.inferring.unknowns import Unknowns
from wordline.inferring.waves import POINTS, SEEDS, Plan, Ran, Waves
from wordline.notebook import view
from wordline.outputs import output_directory
from wordline.points.engine import Engine
from wordline.points.job import Failure
from wordline.points.store import Store, default_directory
from wordline.saving import whole, write_text
from wordline.sweeps.file import refuse_unknown
from wordline.sweeps.layers import Layers
from wordline.sweeps.space import Axis, Vary, axes_of
from wordline.sweeps.sweep import Sweep, SweepRun, collected

if TYPE_CHECKING:
    import polars as pl

TABLE, SET, ABOUT, REPORT = "runs.parquet", "set.parquet", "infer.json", "report.html"
"""Files of an inference."""
WHOLE_LOG = ("output.request_log", "1000000000")
"""Observers need the table of requests."""


@dataclass(frozen=True, repr=False)
class Inference:
    """What measurements say about unknown keys."""

    keys: tuple[Known, ...]
    """For each unknown what is known of it now."""
    targets: tuple[Compared, ...]
    """For each target what was measured, and what the best settings and the whole set give."""
    predicted: tuple[Left, ...]
    """For each target how the others predict it alone."""
    ties: tuple[tuple[str, str, float], ...]
    """Unknowns that the data determine only together, and the correlation of their shares."""
    best: Overrides
    """Of the settings that were run those that fit best."""
    scale: float
    """What the tolerances (and the noise between seeds) had to be multiplied by for any settings to fit; 1 where some do as it is."""
    posterior: Posterior
    """The sample of what is likely."""
    how: Targets
    """How figures are compared."""
    sweep: Sweep
    """Every run."""
    command: str
    """The command that runs the best settings and writes their report; empty where the drive is TOML text."""
    failed: int
    """Points that could not be run."""
    held: HeldOut | None
    """How the second half of a trace with measured latencies is predicted, from which nothing was inferred; none without such a trace."""

    @cached_property
    def table(self) -> pl.DataFrame:
        """Points of the 95 % set: the unknowns, `density` relative to the most likely point, and what the emulators predict for each target."""
        return set_table(self.posterior, [each.target for each in self.targets], self.how)

    def covers(self, values: Mapping[Any, Any]) -> bool:
        """Whether settings, keys as in `vary`, belong to the 95 % set.

        Raises:
            ConfigError: an unknown has no value, or one that is not in its range.
        """
        shares = self.posterior.likelihood.unknowns.shares(values)
        return bool(self.posterior.holds(shares)[0])

    @property
    def about(self) -> dict[str, Any]:
        """What was found, as values that JSON has."""
        return {
            "points": self.sweep.table["point"].n_unique(),
            "runs": self.sweep.table.height,
            "failed": self.failed,
            "tolerances_multiplied_by": self.scale,
            "keys": [each.about for each in self.keys],
            "only_together": [
                {"keys": [one, other], "correlation": value} for one, other, value in self.ties
            ],
            "targets": [each.about for each in self.targets],
            "predicted_from_the_others": [each.about for each in self.predicted],
            "second_half": [each.about for each in self.held.errors] if self.held else [],
            "best": dict(self.best),
            "command": self.command,
            "notes": [asdict(note) for note in self.sweep.notes],
        }

    def save(self, directory: str | PathLike[str]) -> Path:
        """Write `set.parquet` (points of the 95 % set), `runs.parquet` (every run), `infer.json` and `report.html`; return the directory.

        Raises:
            OutputError: the directory cannot be written.
        """
        from wordline.report.infer import render

        target = Path(directory)
        with output_directory(target):
            for name, frame in ((SET, self.table), (TABLE, self.sweep.table)):
                with whole(target / name) as file:
                    frame.write_parquet(file)
            write_text(target / ABOUT, json.dumps(self.about, indent=2) + "\n")
            write_text(target / REPORT, render(self))
        return target

    def _repr_html_(self) -> str:
        return view(self, [each.row for each in self.keys])

    def __repr__(self) -> str:
        names = ", ".join(each.name for each in self.keys)
        return f"<Inference of {names} from {len(self.targets)} targets>"


def infer(
    drive: Drive | str | PathLike[str],
    workload: Workload | Mapping[str, Any] | str | PathLike[str] | None = None,
    *,
    vary: Vary,
    targets: Mapping[str, Any] | None = None,
    measured: bool = False,
    tolerance: str | float = TOLERANCE,
    points: int = POINTS,
    seeds: int = SEEDS,
    seed: int = 1,
    jobs: int | None = None,
    cluster: str | None = None,
    cache: str | PathLike[str] | None = None,
    progress: bool = True,
) -> Inference:
    """Find the settings of unknown keys that explain what was measured.

    A first half of the points covers the space; Gaussian processes learn from them how each figure depends on the unknowns; three more
    waves of points are run where what was measured is likely. Before anything was measured, all values in a range are equally likely
    (with `log`, all ratios). Finished runs are kept as those of a sweep.

    Args:
        drive: as for `simulate`.
        workload: as for `simulate`.
        vary: the unknown keys, as for `sweep`; ranges need no number of values.
        targets: what was measured: by key of the summary, or expression of such keys, a value or a pair of value and tolerance. A
            tolerance is a number in the unit of the figure, or a percentage as text; the value that was measured lies that near to that of the
            drive, in 95 cases of 100.
        measured: whether the workload is a trace that has recorded response times: percentiles of its first half become targets, and the
            second half is predicted.
        tolerance: that of targets without one.
        points: points that are run.
        seeds: runs of each point, which say how far figures differ by chance.
        seed: seed of the choice of points.
        jobs: as for `sweep`.
        cluster: as for `sweep`.
        cache: as for `sweep`.
        progress: as for `simulate`.

    Raises:
        ConfigError: an option that makes no sense, scikit-learn or SciPy are not installed, or no point gave a value of every target.
        TraceError: the trace cannot be read, or says no response times.
        OutputError: the cache cannot be written.
        ClusterError: the cluster cannot be used.
        KeyboardInterrupt: Ctrl-C; what is finished is kept.
    """
    layers = Layers.of(drive, workload)
    wanted = [target_of(figure, given, tolerance) for figure, given in (targets or {}).items()]
    halves = measured_halves(layers) if measured else None
    store = Store(Path(cache) if cache is not None else default_directory())
    engine = Engine(store, jobs, progress=progress, cluster=cluster)
    plan = Plan(points, seeds, seed)
    return inferred(layers, axes_of(vary), wanted, plan, engine, halves, tolerance)


def target_of(figure: str, given: object, tolerance: object) -> Target:
    """A target as it is written in Python or in a file: a value, or value and tolerance as a pair or by name.

    Raises:
        ConfigError: anything else.
    """
    if isinstance(given, tuple | list):
        if len(given) != 2:
            raise ConfigError(f"targets: {figure}: accepted are a value, or (value, tolerance)")
        return Target.of(figure, *given)
    if isinstance(given, Mapping):
        refuse_unknown(given, ("value", "tolerance"), f"targets.{figure}.")
        return Target.of(figure, given["value"], given.get("tolerance", tolerance))
    return Target.of(figure, given, tolerance)


def inferred(
    layers: Layers,
    axes: Sequence[Axis],
    targets: Sequence[Target],
    plan: Plan,
    engine: Engine,
    halves: Halves | None = None,
    tolerance: object = TOLERANCE,
) -> Inference:
    """Run the waves, and say what they tell; with the measured latencies of a trace, those of its first half are targets too."""
    if halves is not None:
        targets = [*targets, *targets_of(halves, tolerance)]
    if not targets:
        raise ConfigError("infer: there is no target; name a figure and what was measured")
    names = [target.figure for target in targets]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"targets: {name} is named twice")
    recorded = layers
    if observers_of(targets):
        recorded = replace(layers, overrides=(WHOLE_LOG, *layers.overrides))
    waves = Waves(recorded, Unknowns(tuple(axes)), tuple(targets), plan, engine)
    found = waves.run()
    best = best_of(waves, found)
    return Inference(
        keys=knowledge(found, best),
        targets=compared(found, waves, best),
        predicted=left_out(found, waves),
        ties=tied(found),
        best=best.settings,
        scale=found.likelihood.scale,
        posterior=found,
        how=waves.how,
        sweep=swept(waves),
        command=layers.command(best.settings),
        failed=sum(each.figures is None for each in waves.points.values()),
        held=None if halves is None else held_out(halves, waves, found, best),
    )


def best_of(waves: Waves, found: Posterior) -> Ran:
    """Of the points that were run the one whose figures lie nearest to what was measured."""
    import numpy as np

    own = found.likelihood
    covariance = own.noise + np.diag(own.tolerance**2)
    how = waves.how
    errors = [how.compared(each.mean) - own.measured for each in waves.good]
    distances = [float(error @ np.linalg.pinv(covariance) @ error) for error in errors]
    return waves.good[int(np.argmin(distances))]


def swept(waves: Waves) -> Sweep:
    """Every run, as a sweep."""
    runs: list[SweepRun] = []
    outcomes = []
    for number, point in enumerate(waves.points.values()):
        for seed, outcome in enumerate(point.runs):
            run = waves.layers.point(point.settings, seed)
            runs.append(SweepRun(number, point.settings, seed, run))
            # a figure that is missing, where the run itself went well
            lacks = point.error is not None and not isinstance(outcome, Failure)
            outcomes.append(Failure("ConfigError", point.error or "") if lacks else outcome)
    return collected(runs, outcomes, waves.layers)
