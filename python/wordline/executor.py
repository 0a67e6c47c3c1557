"""Several runs at a time: on threads, as the engine releases the interpreter lock while it runs, or on a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import TYPE_CHECKING, ParamSpec, Protocol, Self, TypeVar

from wordline.config import counted

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from wordline.points.files import File

T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R")
Given = TypeVar("Given", covariant=True)

MOST = 10_000
"""Most functions at a time."""
LOOK = 0.2
"""Seconds between two looks for Ctrl-C, which does not end a wait everywhere."""


class Job(Protocol[Given]):
    """What runs anywhere: plain data that travels to other processes."""

    @property
    def label(self) -> str:
        """What it is, for messages."""

    @property
    def files(self) -> Sequence[File]:
        """The files that it reads."""

    def run(self, goes_on: Callable[[], bool], places: Mapping[str, Path] | None = None) -> Given:
        """Do it, as long as `goes_on` says so; `places` are files at other places than here, by digest."""

    def lost(self, text: str) -> Given:
        """What stands for the result of a job that ended the process it ran in, again and again; `text` says so."""


class Runner(Protocol):
    """Runs jobs, several at a time."""

    def run(self, jobs: Iterable[Job[R]]) -> Iterator[tuple[int, R]]:
        """Run jobs; yield the number of each and its result as soon as it is done."""


class Executor:
    """Runs functions on threads; `goes_on` tells them when nobody waits for them any more."""

    def __init__(self, workers: int | None = None) -> None:
        """Start an executor.

        Args:
            workers: how many functions run at a time; as many as there are cores without any.

        Raises:
            ConfigError: no whole number from 1 to 10,000.
        """
        self.workers = cores() if workers is None else counted("jobs", workers, MOST)
        self._pool = ThreadPoolExecutor(self.workers)
        self._stopped = Event()

    def goes_on(self) -> bool:
        """Whether what runs is to go on; false once the executor is closed."""
        return not self._stopped.is_set()

    def submit(
        self, function: Callable[P, T], /, *arguments: P.args, **keywords: P.kwargs
    ) -> Future[T]:
        """Have a function run when a thread is free."""
        return self._pool.submit(function, *arguments, **keywords)

    def gather(self, calls: Iterable[Callable[[], T]]) -> Iterator[Future[T]]:
        """Run the calls; yield each as soon as it is finished.

        Only a few are taken up ahead, one more than can run, so that no thread waits while a result is dealt with and
        only a few results wait at any time.
        """
        submitted = map(self.submit, calls)
        waiting = set(islice(submitted, self.workers + 1))
        while waiting:
            finished, waiting = wait(waiting, LOOK, FIRST_COMPLETED)
            # what did not fail first: it can be kept, whatever happened to the others
            yield from sorted(finished, key=lambda task: task.exception() is not None)
            waiting |= set(islice(submitted, len(finished)))

    def run(self, jobs: Iterable[Job[R]]) -> Iterator[tuple[int, R]]:
        """Run jobs; yield the number of each and its result as soon as it is done.

        Raises:
            Exception: what a job raises; the others are stopped once the executor is closed.
        """
        for ended in self.gather(partial(self._numbered, *each) for each in enumerate(jobs)):
            yield ended.result()

    def _numbered(self, number: int, job: Job[R]) -> tuple[int, R]:
        return number, job.run(self.goes_on)

    def close(self) -> None:
        """Stop what runs, drop what does not yet, and wait for the threads."""
        self._stopped.set()
        self._pool.shutdown(cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def executor_on(cluster: str | None, jobs: int | None) -> AbstractContextManager[Runner]:
    """What runs jobs: threads of this process, or the workers of a cluster.

    Args:
        cluster: address of a Dask scheduler; `"local"` for processes on this machine; threads without one.
        jobs: how many run at a time, on threads and processes of this machine; as many as there are cores without any.

    Raises:
        ConfigError: Dask is not installed, or a number of jobs that makes no sense.
        ClusterError: the cluster cannot be used.
    """
    if cluster is None:
        return Executor(jobs)
    from wordline.cluster import Cluster  # slow, and part of an extra

    return Cluster(cluster, jobs)


class Shared:
    """What runs jobs, started when the first are run and kept for all that follow."""

    def __init__(self, cluster: str | None, jobs: int | None) -> None:
        """Name it, as for `executor_on`."""
        self._made = partial(executor_on, cluster, jobs)
        self._resources = ExitStack()
        self._runner: Runner | None = None

    def run(self, jobs: Iterable[Job[R]]) -> Iterator[tuple[int, R]]:
        """Run jobs; yield the number of each and its result as soon as it is done.

        Raises:
            ConfigError, ClusterError: as `executor_on`, with the first jobs.
            Exception: what a job raises.
        """
        if self._runner is None:
            self._runner = self._resources.enter_context(self._made())
        return self._runner.run(jobs)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._resources.close()


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
