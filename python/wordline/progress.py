"""Progress bars: on a terminal or in a notebook; elsewhere a command writes a line now and then, and a program nothing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from wordline.formatting import counted, percentage
from wordline.spoken import Spoken, Update, lines

Report: TypeAlias = Callable[[str, float, int, float], bool]
"""Told what a run is doing, the share of it that is done, requests completed, simulated seconds."""


LifetimeReport: TypeAlias = Callable[[str, float, int], bool]
"""Told what a study is doing, the share of it that is done, pages programmed."""


ConversionReport: TypeAlias = Callable[[float, int], None]

STARTING = "starting"
"""Before the first report says more."""
SIMULATING = "simulating"
"""The phase of a run in which requests are served; those before it prepare the drive and the workload."""


@contextmanager
def progress_bar(*, shown: bool) -> Iterator[Report | None]:
    """Yield what the simulator calls with its progress, or `None` where nobody would see it."""
    with bar(STARTING, shown=shown) as update:
        if update is None:
            yield None
            return

        def report(phase: str, fraction: float, requests: int, simulated: float) -> bool:
            served = f"{counted(requests, 'request')}, {simulated:.3g} s simulated"
            # no share is known for a workload whose length is not: the bar then only moves
            update(phase, fraction or None, served if phase == SIMULATING else "")
            return True

        yield report


@contextmanager
def seeds_bar(seeds: int, *, shown: bool) -> Iterator[Callable[[int], Report | None]]:
    """Yield what gives each of several runs what it calls with its progress; one bar shows all."""
    with bar(STARTING, shown=shown) as update:
        state: dict[int, tuple[str, float, float]] = {}

        def report_of(number: int) -> Report | None:
            if update is None:
                return None

            def report(phase: str, fraction: float, requests: int, simulated: float) -> bool:
                state[number] = phase, fraction, simulated
                runs = list(state.values())
                served = [run for run in runs if run[0] == SIMULATING]
                share = sum(fraction for _, fraction, _ in served) / seeds
                simulated = sum(simulated for *_, simulated in served)
                name = SIMULATING if served else phase
                text = f"{simulated:.3g} s simulated" if served else ""
                update(f"{name} ({seeds} seeds)", share or None, text)
                return True

            return report

        yield report_of


@contextmanager
def conversion_bar(*, shown: bool) -> Iterator[ConversionReport | None]:
    """Yield what a conversion calls with its progress, or `None` where nobody would see it."""
    with bar("converting", shown=shown) as update:
        if update is None:
            yield None
            return

        def report(fraction: float, requests: int) -> None:
            update("converting", fraction, counted(requests, "request"))

        yield report


@contextmanager
def lifetime_bar(*, shown: bool) -> Iterator[LifetimeReport | None]:
    """Yield what a lifetime study calls with its progress, or `None` where nobody would see it."""
    # time is skipped, the more the longer a study lasts
    with bar(STARTING, shown=shown, is_steady=False) as update:
        if update is None:
            yield None
            return

        def report(phase: str, share: float, programmed: int) -> bool:
            update(phase, share, f"{programmed:,} pages programmed" if programmed else "")
            return True

        yield report


@contextmanager
def replicas_bar(replicas: int, *, shown: bool) -> Iterator[Callable[[int], LifetimeReport]]:
    """Yield what gives each of several lifetime studies what it calls with its progress; one bar shows all."""
    with bar(STARTING, shown=shown, is_steady=False) as update:
        state: dict[int, tuple[float, int]] = {}

        def report_of(number: int) -> LifetimeReport:
            def report(phase: str, share: float, programmed: int) -> bool:
                if update is not None:
                    # the ageing before a study takes no share of its years
                    state[number] = share if programmed else 0.0, programmed
                    done, pages = map(sum, zip(*list(state.values()), strict=True))
                    name = f"{phase} ({replicas} drives)"
                    update(name, done / replicas, f"{pages:,} pages programmed")
                return True

            return report

        yield report_of


@contextmanager
def points_bar(points: int, already: int = 0, *, shown: bool) -> Iterator[Callable[[], None]]:
    """Yield what is called with each finished point; `already` of the points were kept from earlier."""
    with bar("points", shown=shown) as update:
        done = 0

        def advance() -> None:
            nonlocal done
            done += 1
            if update is not None:
                # the time left follows from points that are run, not from those that were kept
                kept = f", {already:,} of them kept" if already else ""
                update(
                    "points", done / (points - already), f"{done + already:,} of {points:,}{kept}"
                )

        yield advance


@contextmanager
def bar(name: str, *, shown: bool, is_steady: bool = True) -> Iterator[Update | None]:
    """Show a bar, and yield what updates it; `None` where nobody would see it.

    Args:
        name: what is done first.
        shown: whether to show it at all.
        is_steady: whether the time left follows from the share that is done.
    """
    if not shown:
        yield None
    elif sys.stderr is not None and sys.stderr.isatty():
        with terminal_bar(name, is_steady=is_steady) as update:
            yield update
    elif in_notebook():
        with notebook_bar() as update:
            yield update
    elif Spoken.is_on:
        with lines(is_steady=is_steady) as update:
            yield update
    else:
        yield None


@contextmanager
def terminal_bar(name: str, *, is_steady: bool) -> Iterator[Update]:
    """A bar on standard error, which is gone when all is done."""
    # a slow import, and most runs (pipes, tests) never need it
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[text]}"),
        *((TimeRemainingColumn(),) if is_steady else ()),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(name, total=None, text="")
        current = name

        def update(name: str, share: float | None, text: str) -> None:
            nonlocal current
            if name != current:  # or the time left would follow from another kind of work
                current = name
                progress.reset(task, description=name)
            total = None if share is None else 1.0
            progress.update(task, total=total, completed=share or 0.0, text=text)

        yield update


def in_notebook() -> bool:
    """Whether a notebook runs this: its kernel then shows what is displayed, and can change it."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return getattr(shell, "kernel", None) is not None


PACE = 0.5
"""Seconds between two changes of what a notebook shows: each is a message to the browser, and may be kept in the file."""


@contextmanager
def notebook_bar() -> Iterator[Update]:
    """A line below the cell, which is empty when all is done. It needs no widgets."""
    from IPython.display import display

    def content(text: str) -> dict[str, str]:
        return {"text/plain": text}

    handle = None
    last = time.monotonic()  # what ends at once shows nothing

    def update(name: str, share: float | None, text: str) -> None:
        nonlocal handle, last
        if time.monotonic() - last < PACE:
            return
        last = time.monotonic()
        done = "" if share is None else percentage(share)
        line = content(", ".join(filter(None, (f"{name} {done}".rstrip(), text))))
        if handle is None:
            handle = display(line, raw=True, display_id=True)
        else:
            handle.update(line, raw=True)

    try:
        yield update
    finally:
        if handle is not None:
            handle.update(content(""), raw=True)
