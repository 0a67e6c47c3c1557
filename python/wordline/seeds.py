"""Runs that differ in nothing but their seed: how much of a figure is chance."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from wordline import _wordline
from wordline.config import Drive, Workload, counted, resolve_named
from wordline.errors import ClusterError, Interrupted
from wordline.executor import Executor, executor_on
from wordline.kept import Kept
from wordline.notebook import view
from wordline.points.files import File, files_of, overrides_of
from wordline.policies import ELSEWHERE, refuse_python
from wordline.progress import Report, points_bar, seeds_bar
from wordline.results import Result, Scalar
from wordline.saving import SEEDS, ResultDirectory
from wordline.simulation import configuration
from wordline.statistics import CONFIDENCE, Estimate, estimate

T = TypeVar("T")
MOST_SEEDS = 2**63
"""Most seeds."""

Summaries = Mapping[int, Mapping[str, Scalar]]


@dataclass(frozen=True)
class SeedRuns:
    """The results of one configuration under several seeds."""

    results: Mapping[int, Result]
    """The result of each seed, in their order."""
    is_interrupted: bool = False
    """Whether Ctrl-C stopped further seeds."""

    @cached_property
    def metrics(self) -> Mapping[str, Estimate]:
        """Mean, standard deviation and 95 % confidence interval of every figure of the summaries."""
        return metrics({seed: result.summary for seed, result in self.results.items()})

    def save(self, directory: str | PathLike[str], *, force: bool = False) -> Path:
        """Write each run to its own directory, and `seeds.json`; return the directory.

        An earlier result of the same configuration is replaced, one of another only with `force`.

        Raises:
            OutputError: the directory cannot be written, or holds files that are not an earlier result.
        """
        with ResultDirectory(directory, first(self.results).config, force=force) as target:
            for seed, result in self.results.items():
                target.add(result, seed_name(seed))
            summaries = {seed: result.summary for seed, result in self.results.items()}
            target.add_text(SEEDS, seeds_json(summaries, interrupted=self.is_interrupted))
            return target.finish()

    def _repr_html_(self) -> str:
        return view(self, [{"key": key, **asdict(found)} for key, found in self.metrics.items()])

    def __repr__(self) -> str:
        return f"<SeedRuns of seeds {', '.join(map(str, self.results))}>"


def simulate_seeds(
    drive: Drive | str | PathLike[str],
    workload: Workload | Mapping[str, Any] | str | PathLike[str] | None = None,
    *,
    seeds: int = 5,
    jobs: int | None = None,
    cluster: str | None = None,
    audit: bool = False,
    progress: bool = True,
) -> SeedRuns:
    """Simulate `drive` under `workload` with several seeds, in parallel.

    The first run is that of `simulate`; in each further one, `seed` and the seeds of its workloads
    are one higher.

    Args:
        drive: as for `simulate`.
        workload: as for `simulate`.
        seeds: number of runs.
        jobs: number of runs at the same time, by default one per core. Each needs the memory
            of a drive.
        cluster: as for `sweep`.
        audit: as for `simulate`.
        progress: as for `simulate`.

    Raises:
        Interrupted: Ctrl-C, once the run of a seed is done; before that a plain `KeyboardInterrupt`.
        ConfigError: a key or value that is not accepted.
        TraceError: a trace that cannot be read.
        PolicyError: a policy written in Python failed.
        RunError: the simulator broke one of its own rules; please report this defect.
        ClusterError: the cluster cannot be used.
    """
    resolved = configuration(drive, workload)
    runs: dict[int, Result] = {}
    try:
        found = run_seeds(
            resolved, seeds, jobs=jobs, cluster=cluster, audit=audit, progress=progress
        )
        runs.update(found)
    except KeyboardInterrupt:
        if runs:
            raise Interrupted(SeedRuns(dict(sorted(runs.items())), is_interrupted=True)) from None
        raise
    return SeedRuns(dict(sorted(runs.items())))


def run_seeds(
    resolved: _wordline.Resolved,
    seeds: int,
    *,
    jobs: int | None,
    cluster: str | None,
    audit: bool,
    progress: bool,
) -> Generator[tuple[int, Result]]:
    """Simulate a configuration with consecutive seeds; yield each result as it is finished.

    Only a few results wait at any time, however many seeds there are. When the caller stops
    listening, or one run fails, the others are stopped.
    """
    counted("seeds", seeds, MOST_SEEDS)
    with_seed(resolved, seeds - 1)  # seeds beyond what is accepted are refused at once
    if cluster is not None:
        yield from seeds_on(cluster, resolved, seeds, jobs=jobs, audit=audit, progress=progress)
        return

    def one(number: int, report: Report | None) -> tuple[int, Result]:
        def goes_on(phase: str, fraction: float, requests: int, simulated: float) -> bool:
            if report:
                report(phase, fraction, requests, simulated)
            return executor.goes_on()

        return simulated(with_seed(resolved, number), audit, goes_on)

    with seeds_bar(seeds, shown=progress) as report_of, Executor(jobs) as executor:
        calls = (partial(one, number, report_of(number)) for number in range(seeds))
        for finished in executor.gather(calls):
            yield finished.result()


def simulated(
    resolved: _wordline.Resolved, audit: bool, goes_on: Callable[[str, float, int, float], bool]
) -> tuple[int, Result]:
    """The seed and the result of a run.

    Raises:
        KeyboardInterrupt: nobody listens any more.
    """
    output = _wordline.simulate(resolved, audit, goes_on)
    result = Result(output, resolved.toml, tuple(resolved.warnings))
    if result.is_interrupted:
        raise KeyboardInterrupt
    return resolved.get("seed"), result


@dataclass(frozen=True)
class SeedJob:
    """A run that can be done in any process that has the same build of Wordline."""

    config: str
    """The complete configuration."""
    files: tuple[File, ...]
    """The files that it names."""
    audit: bool
    """Whether every operation is checked."""
    label: str
    """Its seed, for messages."""

    def run(
        self, goes_on: Callable[[], bool], places: Mapping[str, Path] | None = None
    ) -> tuple[int, Result]:
        """The seed and the result; see `wordline.executor.Job`."""
        moved = overrides_of(self.files, places or {})
        resolved = resolve_named(self.config, moved, is_text=True)
        seed, result = simulated(resolved, self.audit, lambda *_: goes_on())
        # as it is configured here
        own = resolve_named(self.config, is_text=True)
        return seed, Result(Kept.of(result), own.toml, tuple(own.warnings))

    def lost(self, text: str) -> tuple[int, Result]:
        """Refuse to go on.

        Raises:
            ClusterError: always.
        """
        raise ClusterError(f"the run with {self.label} {text}")


def seeds_on(
    cluster: str,
    resolved: _wordline.Resolved,
    seeds: int,
    *,
    jobs: int | None,
    audit: bool,
    progress: bool,
) -> Iterator[tuple[int, Result]]:
    """The run of each seed on the workers of a cluster, as each is finished."""
    refuse_python(resolved, ELSEWHERE)
    files = files_of(resolved.toml)
    every = [with_seed(resolved, number) for number in range(seeds)]
    runs = [SeedJob(each.toml, files, audit, f"seed {each.get('seed')}") for each in every]
    with points_bar(seeds, shown=progress) as advance, executor_on(cluster, jobs) as executor:
        for _, found in executor.run(runs):
            yield found
            advance()


def with_seed(resolved: _wordline.Resolved, number: int) -> _wordline.Resolved:
    """The same configuration with every seed `number` higher."""
    higher = tuple(
        (path, str(seed + number)) for path, seed in seeds_of(tomllib.loads(resolved.toml))
    )
    return resolve_named(resolved.toml, higher, is_text=True)


def seeds_of(config: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Every seed of a configuration and its dotted path: of the drive and of each workload."""
    yield "seed", config["seed"]
    workloads = {"workload": config.get("workload", {})}
    for name, tenant in config.get("tenants", {}).items():
        workloads[f"tenants.{name}.workload"] = tenant.get("workload", {})
    for path, workload in workloads.items():
        if "seed" in workload:
            yield f"{path}.seed", workload["seed"]


def metrics(summaries: Summaries) -> dict[str, Estimate]:
    """The mean of every figure over the seeds that have it, with its interval."""
    samples: dict[str, list[float]] = {}
    for _, summary in sorted(summaries.items()):
        for key, value in figures(summary).items():
            samples.setdefault(key, []).append(value)
    return {key: estimate(sample) for key, sample in samples.items()}


def figures(summary: Mapping[str, Scalar]) -> dict[str, float]:
    """The numbers of a summary that the configuration decides: no flags, seeds or wall-clock times."""
    return {
        key: value
        for key, value in summary.items()
        if isinstance(value, int | float)
        and not isinstance(value, bool)
        and not key.startswith("run.")
        and key != "sim.seed"
    }


def first(of: Mapping[int, T]) -> T:
    """What the lowest seed has."""
    return of[min(of)]


def seeds_json(summaries: Summaries, *, interrupted: bool = False) -> str:
    """The figures over the seeds as a JSON object."""
    return (
        json.dumps(seeds_tree(summaries, interrupted=interrupted), indent=2, allow_nan=False) + "\n"
    )


def seeds_tree(summaries: Summaries, *, interrupted: bool = False) -> dict[str, Any]:
    """The figures over the seeds, and whether further seeds were stopped."""
    ordered = dict(sorted(summaries.items()))
    table = {
        key: asdict(found) | {"values": [figures(summary).get(key) for summary in ordered.values()]}
        for key, found in metrics(ordered).items()
    }
    return {
        "seeds": list(ordered),
        "interrupted": interrupted,
        "confidence": CONFIDENCE,
        "metrics": table,
    }


def seed_name(seed: int) -> str:
    """What the directory of a seed's run is called."""
    return f"seed-{seed}"
