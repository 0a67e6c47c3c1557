"""The table of predictions: a value and an interval for every figure that is asked, or why there is none."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from .drives import Entry
from .intervals import (
    NEAR_THE_LIMIT,
    WIDEST,
    Deviation,
    Kind,
    Prediction,
    deviation,
    kind_of,
    predict,
)
from .loads import Asked, Point
from .measured import Conditions
from .reasons import unanswered

FILE = Path(__file__).with_name("predictions.csv")
COLUMNS = ("drive", "class", "quantity", "unit", "condition", "value", "low", "high", "why")


@dataclass(frozen=True)
class Answer:
    """What a simulation says of a figure that is asked."""

    point: Point
    value: float
    load: str
    """The kind of load, as `intervals.load_of` has it."""


def predicted(
    drive: Entry, quantity: str, answer: Answer | None, known: Mapping[Kind, Deviation]
) -> Prediction | str:
    """The prediction of a figure, or why there is none."""
    if answer is None:
        return unanswered(quantity)
    found = deviation(known, kind_of(drive.kind, answer.load, quantity))
    if answer.load == NEAR_THE_LIMIT:
        return "so near to what the simulated drive takes that the real one may take less, or not yet be full"
    if found is None:
        return "no drive of this class was compared under such a load, so that no interval is known"
    if found.wide:
        return (
            f"figures of this kind ({answer.load}) were off too differently where they were compared: "
            f"the interval would be wider than a factor of {WIDEST:g}, {found.reach**2:.2f}"
        )
    return predict(answer.value, found)


def rows(
    drive: Entry,
    answers: Mapping[Asked, Answer],
    conditions: Conditions,
    known: Mapping[Kind, Deviation],
) -> Iterator[tuple[Asked, Prediction | str]]:
    """All that is asked of a drive, in the order of the table."""
    for condition, figures in conditions.items():
        for quantity in figures:
            asked = condition, quantity
            yield asked, predicted(drive, quantity, answers.get(asked), known)


def table(
    answers: Mapping[Entry, Mapping[Asked, Answer]],
    conditions: Mapping[Entry, Conditions],
    known: Mapping[Kind, Deviation],
) -> str:
    """The table as text: the blind drives first."""
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(COLUMNS)
    for drive in sorted(answers, key=lambda drive: not drive.blind):
        for (condition, quantity), found in rows(drive, answers[drive], conditions[drive], known):
            figure = conditions[drive][condition][quantity]
            ends = (
                ("", "", "", found)
                if isinstance(found, str)
                else (shown(found.value), shown(found.low), shown(found.high), "")
            )
            out.writerow((drive.name, figure.of, quantity, figure.unit, condition, *ends))
    return text.getvalue()


def shown(value: float) -> str:
    """A figure with four digits."""
    return f"{float(f'{value:.4g}'):.15g}"
