"""Which design is best: Optuna proposes points, the engine of sweeps runs them."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordline.config import Drive, Overrides, Workload
from wordline.errors import ConfigError
from wordline.formatting import counted
from wordline.lifetime_forecast import say_services
from wordline.notebook import view
from wordline.outputs import output_directory
from wordline.points.engine import Engine
from wordline.points.job import Failure
from wordline.points.outcome import Outcome
from wordline.points.store import Store, default_directory
from wordline.saving import whole, write_text
from wordline.searching.expressions import Expression
from wordline.searching.goal import BATCH, Constraint, Goal, Objective, best_third, front
from wordline.searching.judging import DONE, FAILED, SHORT, Tried, judged, run_all, signed
from wordline.service import Service
from wordline.sweeps.layers import Layers
from wordline.sweeps.space import PIP, Axis, Space, Vary, axes_of
from wordline.sweeps.sweep import Sweep, SweepRun, collected
from wordline.sweeps.values import quantity

if TYPE_CHECKING:
    import polars as pl
    from optuna import Study, Trial

TABLE, ABOUT, REPORT, EXPLORER = (
    "search.parquet",
    "search.json",
    "report.html",
    "explorer.html",
)
"""Files of a search."""
IDLE_BATCHES = 20
"""Batches in a row without a new point after which a space is taken to be exhausted."""
BEST_SHARE = 0.25
"""Share of the points that count as good where keys are asked which of them matters."""


@dataclass(frozen=True, repr=False)
class Search:
    """What a search found."""

    table: pl.DataFrame
    """A row for each point: `trial`, the varied keys, the objectives, `state`, `feasible`, `pareto`, `error`."""
    sweep: Sweep
    """The runs of the points that were run in full."""
    objectives: tuple[Objective, ...]
    """What was made small or large."""
    constraints: tuple[Constraint, ...]
    """What designs had to keep."""
    importance: Mapping[str, Mapping[str, float]]
    """By objective and key, the share of the differences between good designs and all that the key explains (PED-ANOVA)."""

    @property
    def best(self) -> pl.DataFrame:
        """The Pareto set: designs that keep the constraints and that no other beats in every objective; of one objective the best."""
        import polars as pl

        first = self.objectives[0]
        return self.table.filter(pl.col("pareto")).sort(
            first.name, descending=first.direction == "maximize"
        )

    @property
    def shown(self) -> tuple[str, ...]:
        """The columns of a design that are read: keys, objectives, and what constraints bound."""
        bounded = (str(each.weighed) for each in self.constraints)
        names = (*self.sweep.keys, *(each.name for each in self.objectives), *bounded)
        return tuple(dict.fromkeys(names))

    @property
    def about(self) -> dict[str, Any]:
        """What was looked for and found, as values that JSON has."""
        return {
            "objectives": {each.name: each.direction for each in self.objectives},
            "constraints": [each.text for each in self.constraints],
            "keys": {key: self.sweep.units.get(key, "") for key in self.sweep.keys},
            "points": self.table.height,
            "importance": {name: dict(shares) for name, shares in self.importance.items()},
            "pareto": self.best.to_dicts(),
            "notes": [asdict(note) for note in self.sweep.notes],
        }

    def save(self, directory: str | PathLike[str]) -> Path:
        """Write `search.parquet` (every point), `search.json`, `report.html` and `explorer.html`; return the directory.

        Raises:
            OutputError: the directory cannot be written.
        """
        from wordline.report import explorer
        from wordline.report.search import render

        target = Path(directory)
        with output_directory(target):
            with whole(target / TABLE) as file:
                self.table.write_parquet(file)
            write_text(target / ABOUT, json.dumps(self.about, indent=2) + "\n")
            write_text(target / REPORT, render(self))
            write_text(target / EXPLORER, explorer.of_search(self))
        return target

    def _repr_html_(self) -> str:
        return view(self, self.best.head(20).to_dicts())

    def __repr__(self) -> str:
        return (
            f"<Search of {counted(self.table.height, 'point')} over {', '.join(self.sweep.keys)}>"
        )


def search(
    drive: Drive | str | PathLike[str],
    workload: Workload | Mapping[str, Any] | str | PathLike[str] | None = None,
    *,
    vary: Vary,
    minimize: str | Sequence[str] = (),
    maximize: str | Sequence[str] = (),
    where: str | Sequence[str] = (),
    trials: int = 60,
    batch: int = BATCH,
    short: float | None = None,
    seed: int = 1,
    seeds: int = 1,
    service: Service | None = None,
    jobs: int | None = None,
    cluster: str | None = None,
    cache: str | PathLike[str] | None = None,
    progress: bool = True,
) -> Search:
    """Look for the best designs of a space, with Optuna (a tree-structured Parzen estimator).

    Finished runs are kept as those of a sweep. As proposals depend on `seed` and on results alone, a search that was stopped takes what is
    kept and goes on where it was.

    Args:
        drive: as for `simulate`.
        workload: as for `simulate`.
        vary: as for `sweep`; ranges need no number of values.
        minimize: keys of the summary or of the configuration, or expressions of both, such as `"2 * geometry.channels"`.
        maximize: the same, to be made large.
        where: constraints with `<=` or `>=`, such as `"host.iops >= 10000"`.
        trials: number of points.
        batch: points that are proposed together.
        short: share of the requests of a run; every point is first run that short, and the best third of each batch (with one
            objective: what Optuna's percentile pruner lets through) in full.
        seed: seed of the proposals.
        seeds: runs of each point; their means count.
        service: study every point that is run, in full or short, over a service as well; its figures may be named by `minimize`, `maximize` and `where`.
        jobs: as for `sweep`.
        cluster: as for `sweep`.
        cache: as for `sweep`.
        progress: as for `simulate`.

    Raises:
        ConfigError: an option that makes no sense, Optuna is not installed, or no point gave a value of every objective.
        OutputError: the cache cannot be written.
        ClusterError: the cluster cannot be used.
        KeyboardInterrupt: Ctrl-C; what is finished is kept.
    """
    goal = goal_of(
        listed(minimize),
        listed(maximize),
        listed(where),
        trials=trials,
        batch=batch,
        short=short,
        seed=seed,
        seeds=seeds,
        service=service,
    )
    store = Store(Path(cache) if cache is not None else default_directory())
    engine = Engine(store, jobs, progress=progress, cluster=cluster)
    return searched(Layers.of(drive, workload), axes_of(vary), goal, engine)


def goal_of(
    minimize: Iterable[str],
    maximize: Iterable[str],
    where: Iterable[str],
    **more: Any,
) -> Goal:
    """What is wanted, from texts; `more` as in `Goal`.

    Raises:
        ConfigError: an option that makes no sense.
    """
    objectives = (
        *(Objective(Expression(text)) for text in minimize),
        *(Objective(Expression(text), "maximize") for text in maximize),
    )
    return Goal(objectives, tuple(Constraint(text) for text in where), **more)


def listed(texts: str | Sequence[str]) -> Sequence[str]:
    """One text or several."""
    return (texts,) if isinstance(texts, str) else texts


def searched(layers: Layers, axes: Sequence[Axis], goal: Goal, engine: Engine) -> Search:
    """Propose batches and run them until enough points were tried, or there are no new ones."""
    refuse_repeated(axes)
    study = made_study(goal)
    tried: dict[Overrides, Tried] = {}
    outcomes: dict[Overrides, list[Outcome | Failure]] = {}
    idle = 0
    with engine.for_batches() as engine:
        while len(tried) < goal.trials and idle < IDLE_BATCHES:
            trials = [study.ask() for _ in range(min(goal.batch, goal.trials - len(tried)))]
            proposed = [proposal(trial, axes) for trial in trials]
            new = [each for each in dict.fromkeys(proposed) if each not in tried]
            idle = 0 if new else idle + 1
            if goal.service and engine.progress and not tried and new:
                expected = goal.expected
                studies = expected.runs + expected.longer
                say_services(layers.point(new[0], 0), goal.service, studies)
            asked = replace(engine, expected=None if tried else goal.expected)
            for settings, each, runs in evaluated(
                layers, new, goal, asked, study, trials, proposed
            ):
                tried[settings] = each
                outcomes[settings] = runs
            for trial, settings in zip(trials, proposed, strict=True):
                tell(study, trial, tried[settings], goal)
    return summed_up(layers, goal, tried, outcomes, study)


def refuse_repeated(axes: Sequence[Axis]) -> None:
    """Refuse spaces that are none; ranges need no number of values here."""
    given = [axis if axis.span is None else Axis(axis.keys, (("1",),)) for axis in axes]
    Space(tuple(given))


def made_study(goal: Goal) -> Study:
    """A study of Optuna.

    Raises:
        ConfigError: Optuna is not installed.
    """
    try:
        import optuna
    except ImportError:
        raise ConfigError(f"search: needs Optuna, which is not installed: {PIP}") from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.TPESampler(seed=goal.seed, n_startup_trials=max(10, goal.batch))
    pruner = optuna.pruners.PercentilePruner(100 / 3, n_startup_trials=goal.batch)
    return optuna.create_study(
        sampler=sampler,
        pruner=pruner if len(goal.objectives) == 1 else optuna.pruners.NopPruner(),
        directions=[each.direction for each in goal.objectives],
    )


def proposal(trial: Trial, axes: Sequence[Axis]) -> Overrides:
    """The settings that a trial proposes."""
    pairs: list[tuple[str, str]] = []
    for axis in axes:
        name = " and ".join(axis.keys)
        pairs += zip(axis.keys, proposed_value(trial, name, axis), strict=True)
    return tuple(pairs)


def proposed_value(trial: Trial, name: str, axis: Axis) -> tuple[str, ...]:
    """What a trial proposes for an axis."""
    span = axis.span
    if span is not None:
        low, high = span.ends
        if span.is_whole:
            return (span.written(trial.suggest_int(name, round(low), round(high), log=span.log)),)
        return (span.written(trial.suggest_float(name, low, high, log=span.log)),)
    numbers = [quantity(choice[0])[0] for choice in axis.choices]
    if len(axis.keys) == 1 and len(numbers) > 2 and None not in numbers:
        # neighbours are alike
        order = sorted(range(len(numbers)), key=lambda place: numbers[place] or 0.0)
        return axis.choices[order[trial.suggest_int(name, 0, len(order) - 1)]]
    return axis.choices[trial.suggest_categorical(name, range(len(axis.choices)))]


def evaluated(
    layers: Layers,
    new: Sequence[Overrides],
    goal: Goal,
    engine: Engine,
    study: Study,
    trials: Sequence[Trial],
    proposed: Sequence[Overrides],
) -> Iterable[tuple[Overrides, Tried, list[Outcome | Failure]]]:
    """What new points give: a short run first, where that is asked for, then all requests."""
    going_on = list(new)
    if goal.short is not None and new:
        asked, engine = engine, replace(engine, expected=None)
        short = {
            settings: judged(layers, settings, runs, goal)
            for settings, runs in run_all(layers, new, goal, asked, goal.short).items()
        }
        whole_ones = [each for each in new if short[each].state == DONE]
        if len(goal.objectives) == 1:
            first = {settings: trial for trial, settings in zip(trials, proposed, strict=True)}
            going_on = []
            for settings in whole_ones:
                trial = first[settings]
                trial.report(short[settings].values[0], step=0)
                if not trial.should_prune():
                    going_on.append(settings)
        else:
            values = [signed(short[each].values, goal) for each in whole_ones]
            going_on = [whole_ones[place] for place in best_third(values)] if values else []
        for settings in new:
            if settings not in going_on:
                found = short[settings]
                state = SHORT if found.state == DONE else found.state
                yield settings, replace(found, state=state), []
    for settings, runs in run_all(layers, going_on, goal, engine, None).items():
        yield settings, judged(layers, settings, runs, goal), runs


def tell(study: Study, trial: Trial, tried: Tried, goal: Goal) -> None:
    """Tell Optuna what became of its proposal."""
    from optuna.trial import TrialState

    if tried.state == FAILED:
        study.tell(trial, state=TrialState.FAIL)
        return
    for constraint, excess in zip(goal.constraints, tried.excesses, strict=True):
        trial.set_constraint(constraint.text, excess)
    if tried.state == SHORT:
        study.tell(trial, state=TrialState.PRUNED)
    else:
        study.tell(trial, list(tried.values))


def summed_up(
    layers: Layers,
    goal: Goal,
    tried: Mapping[Overrides, Tried],
    outcomes: Mapping[Overrides, list[Outcome | Failure]],
    study: Study,
) -> Search:
    """The table of a search, its Pareto set, and which key matters.

    Raises:
        ConfigError: no point gave a value of every objective; why the first did not.
    """
    import polars as pl

    done = [each for each in tried.values() if each.state == DONE]
    if not done:
        first = next((each.error for each in tried.values() if each.error), "there are no points")
        raise ConfigError(f"search: no point has a value of every objective: {first}")
    allowed = [each for each in done if all(over <= 0 for over in each.excesses)]
    best = {
        allowed[place].settings for place in front([signed(each.values, goal) for each in allowed])
    }
    runs = [
        (SweepRun(number, settings, seed, layers.point(settings, seed)), outcome)
        for number, settings in enumerate(tried)
        for seed, outcome in enumerate(outcomes[settings])
    ]
    sweep = collected([run for run, _ in runs], [outcome for _, outcome in runs], layers)
    of_keys = collected(
        [
            SweepRun(number, settings, 0, layers.point(settings))
            for number, settings in enumerate(tried)
        ],
        [Failure("", "") for _ in tried],
        layers,
    )
    every = list(tried.values())
    table = of_keys.table.select(pl.col("point").alias("trial"), *sweep.keys).with_columns(
        *(
            pl.Series(
                each.name,
                [own.values[place] if own.values else None for own in every],
                dtype=pl.Float64,
            )
            for place, each in enumerate(goal.objectives)
            if each.name not in sweep.keys
        ),
        *bounded_columns(goal, every, sweep.keys),
        pl.Series("state", [own.state for own in every]),
        pl.Series(
            "feasible",
            [
                all(over <= 0 for over in own.excesses) if own.state == DONE else None
                for own in every
            ],
            dtype=pl.Boolean,
        ),
        pl.Series("pareto", [own.settings in best for own in every]),
        pl.Series("error", [own.error for own in every], dtype=pl.String),
    )
    return Search(table, sweep, goal.objectives, goal.constraints, importance(study, goal))


def bounded_columns(goal: Goal, every: Sequence[Tried], keys: Sequence[str]) -> list[pl.Series]:
    """What constraints bound, a column each, where neither a key nor an objective shows it."""
    import polars as pl

    known = {*keys, *(each.name for each in goal.objectives)}
    names = dict.fromkeys(str(each.weighed) for each in goal.constraints)
    places = {str(each.weighed): place for place, each in enumerate(goal.constraints)}
    return [
        pl.Series(
            name,
            [own.bounded[places[name]] if own.bounded else None for own in every],
            dtype=pl.Float64,
        )
        for name in names
        if name not in known
    ]


def importance(study: Study, goal: Goal) -> dict[str, dict[str, float]]:
    """By objective, which share each key has in what tells good designs from others; empty with too few points."""
    from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances
    from optuna.trial import TrialState

    if len(study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))) < 4:
        return {}
    found = {}
    for place, each in enumerate(goal.objectives):

        def target(trial: Any, place: int = place, sign: int = each.sign) -> float:
            value: float = sign * trial.values[place]
            return value

        try:
            with warnings.catch_warnings():
                # that targets are to be small, which they are here
                warnings.simplefilter("ignore", UserWarning)
                best = PedAnovaImportanceEvaluator(target_quantile=BEST_SHARE)
                shares = get_param_importances(study, evaluator=best, target=target)
        except (ValueError, RuntimeError):  # all values are the same
            continue
        found[each.name] = {name: float(share) for name, share in shares.items()}
    return found
