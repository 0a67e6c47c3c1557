"""What the reader of figures should know, and how it goes into JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from wordline.errors import RunError

CONFIGURATION = "configuration"
"""Key of what is odd about a configuration."""
INCONSISTENT = "inconsistent"
"""Key of the note of a run whose totals do not add up (`check.conservation` is false)."""


@dataclass(frozen=True)
class Note:
    """Something to know before trusting the numbers of a run."""

    severity: str
    """`warning` or `info`."""
    key: str
    """Its stable name, for scripts: `gc_never_ran`, `no_flash`, ..."""
    text: str
    """The note itself, in one or two sentences."""


CONDITIONS = ("age", "window")
"""Keys of the notes that every run has, or most runs have: they say how it was measured, and are no findings."""


def is_condition(note: Note) -> bool:
    """Whether a note says how a run was measured: from which state, over what time, and which far percentiles are indicative."""
    return note.key in CONDITIONS or (note.key == "too_short" and note.severity == "info")


def conditions(notes: Iterable[Note]) -> str:
    """How a run was measured, in a paragraph."""
    found = sorted(filter(is_condition, notes), key=lambda note: note.key)
    return " ".join(note.text for note in found)


def findings(notes: Iterable[Note]) -> tuple[Note, ...]:
    """The notes that not every run has."""
    return tuple(note for note in notes if not is_condition(note))


def notes_from(key: str, texts: Iterable[str], severity: str = "info") -> tuple[Note, ...]:
    """Texts about one thing as notes."""
    return tuple(Note(severity, key, text) for text in texts)


def about_configuration(warnings: Iterable[str]) -> tuple[Note, ...]:
    """Warnings about a configuration as notes."""
    return notes_from(CONFIGURATION, warnings, "warning")


def refuse_inconsistent(notes: Iterable[Note]) -> None:
    """Refuse the figures of a run whose totals do not add up.

    Raises:
        RunError: one of the notes says that they do not.
    """
    for note in notes:
        if note.key == INCONSISTENT:
            raise RunError(note.text)


def with_notes(figures: Mapping[str, Any], notes: Iterable[Note]) -> dict[str, Any]:
    """Figures, and under `notes` what their reader should know."""
    return {**figures, "notes": [asdict(note) for note in notes]}


def as_json(answer: Mapping[str, Any]) -> str:
    """What a command prints for a program."""
    return json.dumps(answer, indent=2, allow_nan=False)
