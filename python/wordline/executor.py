"""Several runs at a time, on threads: the engine releases the interpreter lock while it runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from threading import Event
from types import TracebackType
from typing import ParamSpec, Self, TypeVar

from wordline.config import counted

T = TypeVar("T")
P = ParamSpec("P")

MOST = 10_000
"""Most functions at a time."""
LOOK = 0.2
"""Seconds between two looks for Ctrl-C, which does not end a wait everywhere."""


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


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
