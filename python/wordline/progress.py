"""The progress bar of a run: on a terminal, and silent otherwise."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Report: TypeAlias = Callable[[float, int, float], bool]


@contextmanager
def progress_bar(*, shown: bool) -> Iterator[Report | None]:
    """Yield what the simulator calls with its progress, or `None` where nobody would see it."""
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
        TextColumn("simulating"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[requests]:,} requests"),
        TextColumn("{task.fields[simulated]:.3g} s simulated"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, requests=0, simulated=0.0)

        def report(fraction: float, requests: int, simulated: float) -> bool:
            # no share is known for a workload whose length is not: the bar then only moves
            total = 1.0 if fraction else None
            bar.update(
                task, total=total, completed=fraction, requests=requests, simulated=simulated
            )
            return True

        yield report
