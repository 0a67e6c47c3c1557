"""Lifetime studies that differ in nothing but their seed: how much of a life is chance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from wordline import _wordline
from wordline.config import Drive, Workload, counted, resolve_named
from wordline.errors import ClusterError, Interrupted
from wordline.executor import Executor, executor_on
from wordline.lifetimes import Lifetime, LifetimeFiles, LifetimeStudy, study
from wordline.notebook import view
from wordline.points.files import File, files_of, overrides_of
from wordline.policies import ELSEWHERE, refuse_python
from wordline.progress import points_bar, replicas_bar
from wordline.seeds import with_seed
from wordline.simulation import configuration
from wordline.statistics import Estimate, estimate

MOST = 10_000
"""Most replicas."""


@dataclass(frozen=True, repr=False)
class LifetimeReplicas:
    """The results of lifetime studies with several seeds."""

    found: Mapping[int, Lifetime]
    """The study of each seed, in their order."""
    is_interrupted: bool = False
    """Whether Ctrl-C stopped further studies."""

    @property
    def lives(self) -> list[float | None]:
        """Life of each replica in seconds; `None` if longer than the study."""
        return [found.summary["life_s"] for found in self.found.values()]

    @property
    def life(self) -> Estimate | None:
        """Mean life in seconds with its 95 % confidence interval; `None` if a life is longer than the study."""
        ended = [life for life in self.lives if life is not None]
        return estimate(ended) if len(ended) == len(self.found) else None

    def _repr_html_(self) -> str:
        return view(self, [{"seed": seed, **own.summary} for seed, own in self.found.items()])

    def __repr__(self) -> str:
        return f"<LifetimeReplicas of seeds {', '.join(map(str, self.found))}>"


def lifetime_replicas(
    drive: Drive | str | PathLike[str],
    workload: Workload | Mapping[str, Any] | str | PathLike[str] | None = None,
    asked: LifetimeStudy | None = None,
    *,
    replicas: int = 5,
    jobs: int | None = None,
    cluster: str | None = None,
    progress: bool = True,
) -> LifetimeReplicas:
    """Simulate how long `drive` keeps its data with several seeds, in parallel.

    The first study is that of `lifetime`; in each further one, `seed` and the seed of the workload are one higher. The
    results do not depend on how many run at the same time.

    Args:
        drive: as for `lifetime`.
        workload: as for `lifetime`.
        asked: as for `lifetime`.
        replicas: number of studies.
        jobs: how many run at a time; as many as there are cores when not given. Each needs the memory of a drive.
        cluster: as for `sweep`.
        progress: as for `lifetime`.

    Raises:
        Interrupted: Ctrl-C, once a study is done; before that a plain `KeyboardInterrupt`.
        ConfigError: a key or value that is not accepted.
        TraceError: a trace that cannot be read.
        ClusterError: the cluster cannot be used.
    """
    resolved = configuration(drive, workload)
    found = replicate(
        resolved, asked or LifetimeStudy(), replicas, jobs, cluster=cluster, progress=progress
    )
    if found.is_interrupted:
        raise Interrupted(found)
    return found


def replicate(
    resolved: _wordline.Resolved,
    asked: LifetimeStudy,
    replicas: int,
    jobs: int | None,
    *,
    cluster: str | None,
    progress: bool,
) -> LifetimeReplicas:
    """Study a resolved configuration with consecutive seeds; when one study fails, the others are stopped.

    Raises:
        KeyboardInterrupt: Ctrl-C before the first study was done; after that the result holds those that were.
    """
    found: dict[int, Lifetime] = {}
    is_interrupted = False
    try:
        runs = studies(resolved, asked, replicas, jobs, cluster=cluster, progress=progress)
        found.update(runs)
    except KeyboardInterrupt:
        if not found:
            raise
        is_interrupted = True
    return LifetimeReplicas(dict(sorted(found.items())), is_interrupted)


def studies(
    resolved: _wordline.Resolved,
    asked: LifetimeStudy,
    replicas: int,
    jobs: int | None,
    *,
    cluster: str | None,
    progress: bool,
) -> Iterator[tuple[int, Lifetime]]:
    """The study of each seed, as each is finished."""
    counted("replicas", replicas, MOST)
    if cluster is not None:
        yield from studies_on(cluster, resolved, asked, replicas, jobs, progress=progress)
        return
    with replicas_bar(replicas, shown=progress) as report_of, Executor(jobs) as executor:

        def one(number: int) -> tuple[int, Lifetime]:
            report = report_of(number)

            def goes_on(phase: str, share: float, programmed: int) -> bool:
                return report(phase, share, programmed) and executor.goes_on()

            own = with_seed(resolved, number)
            return own.get("seed"), study(own, asked, LifetimeFiles(), goes_on)

        with_seed(resolved, replicas - 1)  # seeds beyond what is accepted are refused at once
        calls = (partial(one, number) for number in range(replicas))
        for finished in executor.gather(calls):
            yield finished.result()


@dataclass(frozen=True)
class ReplicaJob:
    """A study that can be done in any process that has the same build of Wordline."""

    config: str
    """The complete configuration."""
    files: tuple[File, ...]
    """The files that it names."""
    asked: LifetimeStudy
    """The options of the study."""
    label: str
    """Its seed, for messages."""

    def run(
        self, goes_on: Callable[[], bool], places: Mapping[str, Path] | None = None
    ) -> tuple[int, Lifetime]:
        """The seed and the study; see `wordline.executor.Job`."""
        moved = overrides_of(self.files, places or {})
        resolved = resolve_named(self.config, moved, is_text=True)
        found = study(resolved, self.asked, LifetimeFiles(), lambda *_: goes_on())
        return resolved.get("seed"), replace(found, config=self.config)

    def lost(self, text: str) -> tuple[int, Lifetime]:
        """Refuse to go on.

        Raises:
            ClusterError: always.
        """
        raise ClusterError(f"the study with {self.label} {text}")


def studies_on(
    cluster: str,
    resolved: _wordline.Resolved,
    asked: LifetimeStudy,
    replicas: int,
    jobs: int | None,
    *,
    progress: bool,
) -> Iterator[tuple[int, Lifetime]]:
    """The study of each seed on the workers of a cluster, as each is finished."""
    refuse_python(resolved, ELSEWHERE)
    files = files_of(resolved.toml)
    every = [with_seed(resolved, number) for number in range(replicas)]
    runs = [ReplicaJob(each.toml, files, asked, f"seed {each.get('seed')}") for each in every]
    with points_bar(replicas, shown=progress) as advance, executor_on(cluster, jobs) as executor:
        for _, found in executor.run(runs):
            yield found
            advance()
