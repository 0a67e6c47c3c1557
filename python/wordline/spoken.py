"""Lines on standard error that say how long a command takes, before it begins and where no bar can be shown."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from textwrap import fill
from time import monotonic
from typing import Protocol

from wordline.formatting import about, joined, parted, percent, printable

FIRST = 10.0
"""Seconds after which the first line is written; the next ones after twice as long each."""
GOES_ON = "Ctrl-C keeps finished runs, and the same command goes on from there."
"""What commands of several runs say beside their time."""


class Spoken:
    """Whether such lines are written: the command line asks for them, a program that uses the package does not."""

    is_on = False


def speak(text: str) -> None:
    """Write a line on standard error, where the command line runs."""
    if Spoken.is_on and sys.stderr is not None:
        print(printable(wrapped(text)), file=sys.stderr, flush=True)


def wrapped(text: str) -> str:
    """A text for standard error: on a terminal its words are kept whole, and so are words that are longer than a line; elsewhere as it is."""
    if sys.stderr is None or not sys.stderr.isatty():
        return text
    width = get_terminal_size().columns
    folded = (
        parted(fill(joined(line), width, break_long_words=False, break_on_hyphens=False))
        for line in text.split("\n")
    )
    return "\n".join(folded)


class Update(Protocol):
    """What changes a bar."""

    def __call__(self, name: str, share: float | None, text: str) -> None:
        """Show what is being done, the share done (`None` while it is unknown), and a text beside it."""


@contextmanager
def lines(*, is_steady: bool) -> Iterator[Update]:
    """Yield what is told of progress as a bar is, and writes a line now and then.

    Args:
        is_steady: whether the same share takes the same time, so that the time left follows from it.
    """
    begun, due, current = monotonic(), FIRST, ""
    since, before = 0.0, 0.0

    def update(name: str, share: float | None, text: str) -> None:
        nonlocal due, current, since, before
        elapsed = monotonic() - begun
        if name != current:  # the time left follows from one kind of work
            current, since, before = name, elapsed, share or 0.0
        if elapsed < due:
            return
        due = 2 * elapsed
        parts = [name if share is None else f"{name} {percent(share)}", text]
        if is_steady and share is not None and share > before:
            left = (elapsed - since) * (1 - share) / (share - before)
            parts.append(f"{about(left)} left")
        speak(f"after {elapsed:.0f} s: {', '.join(filter(None, parts))}")

    yield update
