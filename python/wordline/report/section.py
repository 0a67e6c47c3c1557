"""The parts a report is made of: sections, figures, the tables behind them, and what is folded away.

Words in backticks are code in every text but names of columns, values of cells, and what a fold shows as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Row: TypeAlias = Mapping[str, object]


@dataclass(frozen=True)
class Figure:
    """A chart, the sentence that says what to see in it, and the numbers behind it."""

    title: str
    """What the reader should see, in plain words with the figures of this run."""
    chart: Mapping[str, Any]
    """A Vega-Lite specification."""
    rows: Sequence[Row]
    """The numbers behind the chart; the keys are column headings and carry the unit."""
    remark: str = ""
    """How to read the chart, where that is not obvious."""
    name: str = ""
    """What links to the figure and Python's `plot` call it."""


@dataclass(frozen=True)
class Fold:
    """Details that a click shows: a table or a text."""

    summary: str
    """What there is to see; words in backticks are code."""
    rows: Sequence[Row] = ()
    """A table."""
    text: str = ""
    """A text, shown as it is."""


@dataclass(frozen=True)
class Story:
    """What happened to one request."""

    heading: str
    """The request in a few words."""
    text: str
    """What it waited for."""


@dataclass(frozen=True)
class Stories:
    """The stories of one class of requests, the slowest first."""

    title: str
    """Name of the class."""
    shown: Sequence[Story]
    """Stories that are read at once."""
    folded: Sequence[Story] = ()
    """Stories that a click shows."""


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it; if that is nothing, why."""

    title: str
    figures: Sequence[Figure] = field(default_factory=tuple)
    absent: str = ""
    """Why there is nothing to see."""
    stories: Sequence[Stories] = ()
    """Stories of requests, before the figures."""
    rows: Sequence[Row] = ()
    """A table."""
    folds: Sequence[Fold] = ()
    """Details, after everything else."""
