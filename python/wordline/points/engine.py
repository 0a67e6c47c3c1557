"""Runs points, several at a time, and keeps what is finished."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TypeVar

from wordline.executor import Shared, cores, executor_on
from wordline.points.forecast import Expected, say_forecast
from wordline.points.job import Failure, PointJob
from wordline.points.outcome import Outcome
from wordline.points.point import Point
from wordline.points.store import Store, default_directory
from wordline.policies import ELSEWHERE, refuse_python
from wordline.progress import points_bar
from wordline.spoken import speak

P = TypeVar("P", bound=Point)

CHECKED = 500
"""Points whose check takes seconds, which is said."""
SHOWN = 5
"""Failed points that a message lists."""


@dataclass(frozen=True)
class Engine:
    """How points are run."""

    store: Store = field(default_factory=lambda: Store(default_directory()))
    """Where finished points are kept."""
    jobs: int | None = None
    """Points that run at once, as many as there are cores without any; the interpreter lock is released while one runs."""
    progress: bool = True
    """Whether to show a progress bar, if standard error is a terminal."""
    kept_only: bool = False
    """Whether to take what is kept and run nothing: points that are not kept have no outcome then."""
    cluster: str | None = None
    """Address of a Dask scheduler whose workers run the points, or `"local"` for processes on this machine; threads of
    this process without one."""
    runner: Shared | None = field(default=None, compare=False, repr=False)
    """What runs the points of several batches; without one each batch starts its own."""

    expected: Expected | None = None
    """Runs of all batches, for a forecast; none is said of a batch without it."""

    @contextmanager
    def for_batches(self) -> Iterator[Engine]:
        """The engine with processes, or threads, that are started once and run every batch."""
        with Shared(self.cluster, self.jobs) as runner:
            yield replace(self, runner=runner)

    def run(self, points: Sequence[Point]) -> Mapping[Point, Outcome]:
        """The outcome of every point, taken from the store where it is there (or of those in it, with `kept_only`).

        Every configuration is checked before anything runs. Where points fail the others still
        run, and are kept; Ctrl-C stops those that run and leaves only whole points behind.

        Raises:
            ConfigError, TraceError, RunError: points that failed, which and why.
            OutputError: the store cannot be written.
            ClusterError: the cluster cannot be used.
            KeyboardInterrupt: Ctrl-C.
        """
        if self.progress and len(points) >= CHECKED:
            speak(f"{len(points):,} configurations are checked before the first run begins.")
        for point in points:
            _ = point.key
        found = self.each(points)
        refuse([got.error(point.label) for point, got in found.items() if isinstance(got, Failure)])
        return {point: got for point, got in found.items() if isinstance(got, Outcome)}

    def each(self, points: Sequence[P]) -> dict[P, Outcome | Failure]:
        """The outcome of every point, or why it has none, in the order given; a failure is not kept, and stops no other point.

        Raises:
            OutputError: the store cannot be written.
            ClusterError: the cluster cannot be used.
            KeyboardInterrupt: Ctrl-C.
        """
        found: dict[P, Outcome | Failure] = {}
        kept: dict[str, Outcome | Failure] = {}
        missing: dict[str, PointJob] = {}
        for point in points:
            try:
                job = point.job
                if self.cluster:
                    refuse_python(point.resolved, ELSEWHERE)
            except Exception as error:
                found[point] = Failure.of(error)
                continue
            if job.key not in kept and job.key not in missing:
                outcome = self.store.load(job.key)
                if outcome is None:
                    missing[job.key] = job
                else:
                    kept[job.key] = outcome
        if kept and self.progress and (self.expected or not self.runner):
            speak(kept_in_words(len(kept), len(kept) + len(missing)))
        if not self.kept_only:
            kept.update(self.simulate(missing, len(kept)))
        return {
            point: found[point] if point in found else kept[point.key]
            for point in points
            if point in found or point.key in kept
        }

    def simulate(
        self, jobs: Mapping[str, PointJob], already: int = 0
    ) -> dict[str, Outcome | Failure]:
        """Run points and keep each as soon as it is done; `already` others were in the store."""
        finished: dict[str, Outcome | Failure] = {}
        if not jobs:
            return finished
        ordered = list(jobs.values())
        if self.progress and (self.expected or not self.runner):
            at_once = None if self.cluster else self.jobs or cores()
            say_forecast(ordered, at_once, self.expected)
        with (
            points_bar(len(jobs) + already, already, shown=self.progress) as advance,
            nullcontext(self.runner)
            if self.runner
            else executor_on(self.cluster, self.jobs) as runner,
        ):
            for number, outcome in runner.run(ordered):
                key = ordered[number].key
                finished[key] = outcome
                if isinstance(outcome, Outcome):
                    self.store.save(key, outcome)
                advance()
        return finished


def kept_in_words(kept: int, runs: int) -> str:
    """How many of so many different runs an earlier command has left."""
    if kept == runs:
        return (
            f"All {runs:,} runs were kept by earlier commands."
            if runs > 1
            else "The run was kept by an earlier command."
        )
    return f"{kept:,} of {runs:,} runs were kept by earlier commands; the others run now."


def refuse(failures: Sequence[Exception]) -> None:
    """Raise what went wrong, if anything did, in one message."""
    if not failures:
        return
    lines = [str(failure) for failure in failures[:SHOWN]]
    if len(failures) > SHOWN:
        lines.append(f"and {len(failures) - SHOWN} more")
    raise type(failures[0])("\n".join(lines))
