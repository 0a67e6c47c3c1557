"""Runs the points of a study, several at a time, and keeps what is finished."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from wordline import _wordline
from wordline.errors import ConfigError, RunError, TraceError
from wordline.executor import Executor
from wordline.notes import refuse_inconsistent
from wordline.progress import points_bar
from wordline.results import Result
from wordline.studies.outcome import Outcome
from wordline.studies.point import Point
from wordline.studies.store import Store, default_directory

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

    def run(self, points: Sequence[Point]) -> Mapping[Point, Outcome]:
        """The outcome of every point, taken from the store where it is there (or of those in it, with `kept_only`).

        Every configuration is checked before anything runs. Where points fail the others still
        run, and are kept; Ctrl-C stops those that run and leaves only whole points behind.

        Raises:
            ConfigError, TraceError, RunError: points that failed, which and why.
            OutputError: the store cannot be written.
            KeyboardInterrupt: Ctrl-C.
        """
        keys = {point: point.key for point in points}
        kept: dict[str, Outcome] = {}
        missing: dict[str, Point] = {}
        for point, key in keys.items():
            outcome = self.store.load(key)
            if outcome is None:
                missing.setdefault(key, point)
            else:
                kept[key] = outcome
        if not self.kept_only:
            kept.update(self.simulate(missing))
        return {point: kept[key] for point, key in keys.items() if key in kept}

    def simulate(self, points: Mapping[str, Point]) -> Mapping[str, Outcome]:
        """Run points and keep each as soon as it is done."""
        finished: dict[str, Outcome] = {}
        failures: list[Exception] = []
        with (
            points_bar(len(points), shown=self.progress and bool(points)) as advance,
            Executor(self.jobs) as executor,
        ):
            calls = (
                partial(keyed_outcome, key, point, executor.goes_on)
                for key, point in points.items()
            )
            for ended in executor.gather(calls):
                failure = ended.exception()
                if isinstance(failure, Exception):
                    failures.append(failure)
                else:
                    key, outcome = ended.result()
                    finished[key] = outcome
                    self.store.save(key, outcome)
                advance()
        refuse(failures)
        return finished


def keyed_outcome(key: str, point: Point, goes_on: Callable[[], bool]) -> tuple[str, Outcome]:
    """The outcome of a point, with its key."""
    return key, outcome_of(point, goes_on)


def outcome_of(point: Point, goes_on: Callable[[], bool]) -> Outcome:
    """Run one point, as long as `goes_on` says so.

    Raises:
        ConfigError, TraceError, RunError: why it failed; the message begins with the label.
        KeyboardInterrupt: it was stopped.
    """
    try:
        output = _wordline.simulate(point.resolved, False, lambda *_: goes_on())
        result = Result(output, point.resolved.toml)
        refuse_inconsistent(result.notes)
    except (ConfigError, TraceError, RunError) as error:
        raise type(error)(f"{point.label}: {error}") from error
    if result.is_interrupted:
        raise KeyboardInterrupt
    return Outcome.of(result, point.observers)


def refuse(failures: Sequence[Exception]) -> None:
    """Raise what went wrong, if anything did, in one message."""
    if not failures:
        return
    lines = [str(failure) for failure in failures[:SHOWN]]
    if len(failures) > SHOWN:
        lines.append(f"and {len(failures) - SHOWN} more")
    raise type(failures[0])("\n".join(lines))
