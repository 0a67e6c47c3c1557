"""Claims that say the same of several things, as one row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from wordline.studies.verdict import CONTRADICTS, HOLDS, IN_PART, VOID

LEAST = 3
"""Claims that make a family: two are read as well one below the other."""
LONGEST = 4
"""Words by which members of a family differ at most."""
ALIKE = 0.6
"""Share of the words of a claim that its family has in common."""


@dataclass(frozen=True)
class Row:
    """A claim as a row of the table: its mark, text and figure, and what Wordline finds."""

    mark: str
    text: str
    figure: str
    found: str


def grouped(rows: Sequence[Row]) -> list[Row]:
    """The rows, with each run of claims of one family as one."""
    found: list[Row] = []
    own: list[Row] = []
    for row in rows:
        if own and not is_family([*own, row]):
            found += merged(own)
            own = []
        own.append(row)
    return found + merged(own)


def is_family(rows: Sequence[Row]) -> bool:
    """Whether claims of one figure differ in a few words at one place only."""
    if len({row.figure for row in rows}) > 1:
        return False
    before, after = common(rows)
    for row in rows:
        words = row.text.split()
        middle = len(words) - before - after
        if not 0 < middle <= LONGEST or before + after < ALIKE * len(words):
            return False
    return True


def common(rows: Sequence[Row]) -> tuple[int, int]:
    """How many words all have in common at their beginning, and how many of the others at their end."""
    texts = [row.text.split() for row in rows]
    before = len([*takewhile(same, zip(*texts, strict=False))])
    rests = [reversed(words[before:]) for words in texts]
    return before, len([*takewhile(same, zip(*rests, strict=False))])


def same(words: Sequence[str]) -> bool:
    """Whether all words are one."""
    return len(set(words)) == 1


def merged(rows: Sequence[Row]) -> list[Row]:
    """A family as one row: what its members have in common, and the finding of each; the rows themselves where they are few."""
    if len(rows) < LEAST:
        return [*rows]
    before, after = common(rows)
    words = [row.text.split() for row in rows]
    middles = [" ".join(each[before : len(each) - after]) for each in words]
    names = [middle.rstrip(",") for middle in middles]
    listed = ("; " if any("," in name for name in names) else ", ").join(names)
    listed += "," if middles[-1].endswith(",") else ""
    text = " ".join([*words[0][:before], listed, *words[0][len(words[0]) - after :]])
    findings = [
        f"{name} {row.mark} {number_of(row.found)}" for name, row in zip(names, rows, strict=True)
    ]
    found = f"{quantity_of(rows)}{'; '.join(findings)}"
    return [Row(mark_of([row.mark for row in rows]), text, rows[0].figure, found)]


def quantity_of(rows: Sequence[Row]) -> str:
    """The quantity that all findings are about, before their values; nothing where they differ."""
    quantities = [
        quantity for row in rows for quantity in re.findall(r"(?:^|; )([^;:]+): ", row.found)
    ]
    names = {quantity.partition(",")[0] for quantity in quantities}
    if len(names) > 1 or len(quantities) != len(rows):
        return ""
    ratio = " (ratio)" if all(quantity.endswith("(ratio)") for quantity in quantities) else ""
    return f"{names.pop()}{ratio}: "


def number_of(found: str) -> str:
    """A finding without its quantity, which the family shares: the value, and of how many cases it is."""
    parts = found.split("; ")
    values = [part.rpartition(": ")[2] for part in parts if ": " in part]
    return ", ".join([*values, *(part for part in parts if ": " not in part)])


def mark_of(marks: Sequence[str]) -> str:
    """The mark of a family: what its members have in common, or that they differ."""
    judged = {mark for mark in marks if mark != VOID}
    if not judged:
        return VOID
    return judged.pop() if judged in ({HOLDS}, {CONTRADICTS}) else IN_PART
