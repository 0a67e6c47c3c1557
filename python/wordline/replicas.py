"""Lifetime studies that differ in nothing but their seed: how much of a life is chance."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from os import PathLike
from threading import Event
from typing import Any

from wordline import _wordline
from wordline.config import Drive, Workload
from wordline.lifetimes import Lifetime, LifetimeFiles, LifetimeStudy, counted, study
from wordline.progress import replicas_bar
from wordline.seeds import cores, with_seed
from wordline.simulation import configuration
from wordline.statistics import Estimate, estimate

MOST = 10_000
"""Replicas, and studies at a time."""
LOOK = 0.2
"""Seconds between two looks for Ctrl-C, which does not end a wait everywhere."""


@dataclass(frozen=True)
class LifetimeReplicas:
    """What lifetime studies under several seeds found."""

    found: Mapping[int, Lifetime]
    """The study of each seed, in their order."""

    @property
    def lives(self) -> list[float | None]:
        """Life of each replica in seconds, `None` beyond the horizon."""
        return [found.summary["life_s"] for found in self.found.values()]

    @property
    def life(self) -> Estimate | None:
        """Mean life in seconds with its 95 % confidence interval; `None` where one goes beyond the horizon."""
        ended = [life for life in self.lives if life is not None]
        return estimate(ended) if len(ended) == len(self.found) else None


def lifetime_replicas(
    drive: Drive | str | PathLike[str],
    workload: Workload | Mapping[str, Any] | str | PathLike[str] | None = None,
    asked: LifetimeStudy | None = None,
    *,
    replicas: int = 5,
    jobs: int | None = None,
    progress: bool = True,
) -> LifetimeReplicas:
    """Study how long `drive` keeps its data with several seeds, in parallel.

    The first study is that of `lifetime`; in each further one, `seed` and the seed of the workload are one higher. The
    results do not depend on how many run at a time.

    Args:
        drive: as for `lifetime`.
        workload: as for `lifetime`.
        asked: as for `lifetime`.
        replicas: how many studies.
        jobs: how many run at a time; as many as there are cores when not given. Each needs the memory of a drive.
        progress: as for `lifetime`.

    Raises:
        ConfigError: a key or value that is not accepted.
        TraceError: a trace that cannot be read.
    """
    resolved = configuration(drive, workload)
    return replicate(resolved, asked or LifetimeStudy(), replicas, jobs, progress=progress)


def replicate(
    resolved: _wordline.Resolved,
    asked: LifetimeStudy,
    replicas: int,
    jobs: int | None,
    *,
    progress: bool,
) -> LifetimeReplicas:
    """Study a resolved configuration with consecutive seeds; when one study fails, the others are stopped."""
    jobs = jobs or cores()
    counted("replicas", replicas, MOST)
    counted("jobs", jobs, MOST)
    drives = [with_seed(resolved, number) for number in range(replicas)]
    stopped = Event()
    with replicas_bar(replicas, shown=progress) as report_of, ThreadPoolExecutor(jobs) as pool:

        def one(number: int) -> Lifetime:
            report = report_of(number)

            def goes_on(phase: str, share: float, programmed: int) -> bool:
                return report(phase, share, programmed) and not stopped.is_set()

            return study(drives[number], asked, LifetimeFiles(), goes_on)

        try:
            tasks = [pool.submit(one, number) for number in range(replicas)]
            # what failed of its own accord: those that are stopped below end as if by Ctrl-C
            ended, others = wait(tasks, LOOK, FIRST_EXCEPTION)
            while others and not any(task.exception() for task in ended):
                ended, others = wait(tasks, LOOK, FIRST_EXCEPTION)
            found = [task.result() for task in tasks if task in ended]
        finally:
            stopped.set()
            pool.shutdown(cancel_futures=True)
    return LifetimeReplicas(
        {own.get("seed"): life for own, life in zip(drives, found, strict=True)}
    )
