"""Progress bars: on a terminal, and silent otherwise."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TypeAlias

Report: TypeAlias = Callable[[float, int, float], bool]


LifetimeReport: TypeAlias = Callable[[float, int], bool]


ConversionReport: TypeAlias = Callable[[float, int], None]

REQUESTS = "{task.fields[requests]:,} requests"


@contextmanager
def progress_bar(*, shown: bool) -> Iterator[Report | None]:
    """Yield what the simulator calls with its progress, or `None` where nobody would see it."""
    simulated = "{task.fields[simulated]:.3g} s simulated"
    with bar("simulating", REQUESTS, simulated, shown=shown) as update:
        if update is None:
            yield None
            return

        def report(fraction: float, requests: int, simulated: float) -> bool:
            # no share is known for a workload whose length is not: the bar then only moves
            total = 1.0 if fraction else None
            update(total=total, completed=fraction, requests=requests, simulated=simulated)
            return True

        yield report


@contextmanager
def seeds_bar(seeds: int, *, shown: bool) -> Iterator[Callable[[int], Report | None]]:
    """Yield what gives each of several runs what it calls with its progress; one bar shows all."""
    name = f"simulating {seeds} seeds"
    with bar(name, "{task.fields[simulated]:.3g} s simulated", shown=shown) as update:
        state: dict[int, tuple[float, int, float]] = {}

        def report_of(number: int) -> Report | None:
            if update is None:
                return None

            def report(fraction: float, requests: int, simulated: float) -> bool:
                state[number] = fraction, requests, simulated
                share, done, time = map(sum, zip(*list(state.values()), strict=True))
                total = seeds if share else None
                update(total=total, completed=share, requests=done, simulated=time)
                return True

            return report

        yield report_of


@contextmanager
def conversion_bar(*, shown: bool) -> Iterator[ConversionReport | None]:
    """Yield what a conversion calls with its progress, or `None` where nobody would see it."""
    with bar("converting", REQUESTS, shown=shown) as update:
        if update is None:
            yield None
            return

        def report(fraction: float, requests: int) -> None:
            update(total=1.0, completed=fraction, requests=requests)

        yield report


@contextmanager
def lifetime_bar(*, shown: bool) -> Iterator[LifetimeReport | None]:
    """Yield what a lifetime study calls with its progress, or `None` where nobody would see it."""
    with bar("years", "{task.fields[requests]:,} pages programmed", shown=shown) as update:
        if update is None:
            yield None
            return

        def report(share: float, programmed: int) -> bool:
            update(total=1.0, completed=share, requests=programmed)
            return True

        yield report


@contextmanager
def replicas_bar(replicas: int, *, shown: bool) -> Iterator[Callable[[int], LifetimeReport]]:
    """Yield what gives each of several lifetime studies what it calls with its progress; one bar shows all."""
    name = f"years of {replicas} drives"
    with bar(name, "{task.fields[requests]:,} pages programmed", shown=shown) as update:
        state: dict[int, tuple[float, int]] = {}

        def report_of(number: int) -> LifetimeReport:
            def report(share: float, programmed: int) -> bool:
                if update is not None:
                    state[number] = share, programmed
                    done, pages = map(sum, zip(*list(state.values()), strict=True))
                    update(total=replicas, completed=done, requests=pages)
                return True

            return report

        yield report_of


@contextmanager
def points_bar(points: int, *, shown: bool) -> Iterator[Callable[[], None]]:
    """Yield what is called with each finished point of a study."""
    with bar("points", f"{{task.completed:,.0f}} of {points:,}", shown=shown) as update:

        def advance() -> None:
            if update is not None:
                update(total=points, advance=1)

        yield advance


@contextmanager
def bar(name: str, *texts: str, shown: bool) -> Iterator[Callable[..., None] | None]:
    """Show a bar, and yield what updates it."""
    if not (shown and sys.stderr.isatty()):
        yield None
        return

    # a slow import, and most runs (pipes, notebooks, tests) never need it
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn(name),
        BarColumn(),
        TaskProgressColumn(),
        *map(TextColumn, texts),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None, requests=0, simulated=0.0)
        yield partial(progress.update, task)
