"""What the runs behind a table had to say: each finding once, under a letter that marks the rows which it concerns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from string import ascii_lowercase

from wordline.notes import Note

GRAVEST = ("warning", "info")
"""Severities, the gravest first."""
HEADING = "notes"
"""The heading of the column of letters."""


@dataclass(frozen=True)
class Remarks:
    """The findings of several runs."""

    notes: tuple[Note, ...] = ()
    """Each finding once, warnings first, then those of most runs; the text says how many runs have it."""

    @classmethod
    def of(
        cls,
        runs: Sequence[Mapping[str, Note]],
        told: Callable[[Sequence[int], Note], str] | None = None,
    ) -> Remarks:
        """From the findings of each run, by their keys.

        Args:
            runs: the findings of each run.
            told: a text for the places of the runs that have a note, and the first of these notes.
        """
        places: dict[str, list[int]] = {}
        for place, own in enumerate(runs):
            for key in own:
                places.setdefault(key, []).append(place)
        found = []
        for key, where in places.items():
            notes = [runs[place][key] for place in where]
            gravest = min((note.severity for note in notes), key=GRAVEST.index)
            same = len({note.text for note in notes}) == 1
            text = told(where, notes[0]) if told else in_runs(notes[0], len(where), len(runs), same)
            found.append((len(where), Note(gravest, key, text)))
        found.sort(key=lambda each: (GRAVEST.index(each[1].severity), -each[0]))
        return cls(tuple(note for _, note in found))

    @property
    def lettered(self) -> tuple[Note, ...]:
        """The notes, each with its letter before the text."""
        return tuple(
            replace(note, text=f"({letter}) {note.text}")
            for letter, note in zip(letters(len(self.notes)), self.notes, strict=True)
        )

    def marks(self, keys: Iterable[str]) -> str:
        """The letters of the notes of these keys."""
        there = set(keys)
        own = zip(letters(len(self.notes)), self.notes, strict=True)
        return " ".join(letter for letter, note in own if note.key in there)


def in_runs(note: Note, count: int, runs: int, same: bool) -> str:
    """The text of a note that some of the runs have; where there is one run, the note speaks for itself."""
    if runs == 1:
        return note.text
    told = f"{count:,} of {runs:,} runs"
    return f"{note.text} (in {told})" if same else f"{note.text} (the first of its kind in {told})"


def letters(count: int) -> list[str]:
    """`a` to `z`, then `aa`, `ab` and so on."""
    two = map("".join, product(ascii_lowercase, repeat=2))
    return [*ascii_lowercase, *two][:count]
