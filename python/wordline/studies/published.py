"""Numbers that a source prints, side by side with what Wordline gives for the same quantities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import altair as alt

from wordline.formatting import display
from wordline.points.outcome import Outcome
from wordline.points.point import Point
from wordline.report.section import Figure, Row
from wordline.report.theme import data, specification
from wordline.studies.charts import COLOURS, LEGEND
from wordline.studies.grid import GridFigure
from wordline.studies.measured import Measured
from wordline.studies.study import Form, Part, Pickled

WIDTH, STEP = 420, 16
"""Width of a panel, and height of a row, in pixels."""
PUBLISHED = "published"
"""The column of the source."""
WORDLINE = "Wordline"
"""The column of ours where there is one."""
PERCENT = "%"
"""Unit of shares and differences, which are given as parts of 1."""

Found: TypeAlias = "Mapping[str, Measured]"
"""What was measured, by the name of the grid."""


@dataclass(frozen=True)
class Printed:
    """A number of the source, and how Wordline's is computed from runs."""

    quantity: str
    """What it is a number of."""
    where: str
    """Where the source prints it."""
    value: float
    """As printed; shares and differences as parts of 1."""
    ours: Mapping[str, Callable[[Found], float | None]]
    """The same of Wordline, by column; `None` where no run says anything."""
    unit: str = PERCENT
    """Its unit: `%`, or what the number is followed by."""
    difference: bool = False
    """Whether it is a difference, which is shown with its sign."""
    known: str = ""
    """How the settings depend on it, such as `baseline` or `calibrated`: what agrees then may do so by construction."""

    def shown(self, value: float | None) -> str:
        """A value of this quantity."""
        if value is None:
            return "void"
        if self.unit == PERCENT:
            return f"{100 * value:+.1f} %" if self.difference else f"{100 * value:.1f} %"
        return f"{display(value)} {self.unit}".rstrip()

    def deviation(self, value: float | None) -> str:
        """How far a value is from the printed one: in points of a share or difference, in per cent of anything else."""
        if value is None:
            return "–"
        if self.unit == PERCENT:
            return f"{100 * (value - self.value):+.1f} points"
        return f"{100 * (value / self.value - 1):+.1f} %" if self.value else "–"


def computed(
    quantity: str,
    where: str,
    value: float,
    ours: Callable[[], float | None],
    *,
    unit: str,
    difference: bool = False,
    known: str = "",
) -> Printed:
    """A number of the source beside one that needs no runs."""
    columns = {WORDLINE: lambda _: ours()}
    return Printed(quantity, where, value, columns, unit, difference, known)


@dataclass(frozen=True)
class PublishedFigure(Pickled):
    """A table of published numbers and ours, made of the runs of grids."""

    heading: str
    """Heading of its section."""
    text: str
    """What was run."""
    title: str
    """Caption of the chart."""
    grids: Mapping[str, GridFigure]
    """The runs that the numbers are computed from, by name."""
    printed: Sequence[Printed]
    """The numbers."""
    columns: Sequence[str]
    """Columns of ours, in order."""
    deviations: str = ""
    """Where ours differ, and what is known of why."""

    def points(self, form: Form) -> Sequence[Point]:
        """Every run of the grids."""
        return [point for grid in self.grids.values() for point in grid.points(form)]

    def part(self, form: Form, outcomes: Mapping[Point, Outcome]) -> Part:
        """The table and its chart."""
        found = {name: grid.measured(form, outcomes) for name, grid in self.grids.items()}
        values = [
            {column: each.ours[column](found) for column in self.columns if column in each.ours}
            for each in self.printed
        ]
        points = self.points(form)
        return Part(
            self.heading,
            "\n\n".join(filter(None, [self.text, self.deviations])),
            Figure(self.title, self.chart(values), self.rows(values)),
            runs=len(points),
            done=sum(point in outcomes for point in points),
            open_table=True,
        )

    def rows(self, values: Sequence[Mapping[str, float | None]]) -> list[Row]:
        """A row for each number."""
        return [
            {
                "quantity": each.quantity,
                "source": f"{each.where} ({each.known})" if each.known else each.where,
                PUBLISHED: each.shown(each.value),
                **{
                    column: each.shown(got[column]) if column in got else "–"
                    for column in self.columns
                },
                **(
                    {"deviation": each.deviation(got.get(self.columns[0]))}
                    if len(self.columns) == 1
                    else {}
                ),
            }
            for each, got in zip(self.printed, values, strict=True)
        ]

    def chart(self, values: Sequence[Mapping[str, float | None]]) -> Mapping[str, object]:
        """A panel for each unit, a line for each number: the source's point and ours."""
        names = [PUBLISHED, *self.columns]
        colour = alt.Color(
            "whose:N",
            sort=names,
            scale=alt.Scale(domain=names, range=list(COLOURS[: len(names)])),
            legend=LEGEND,
            title=None,
        )
        panels = []
        for unit in dict.fromkeys(each.unit for each in self.printed):
            factor = 100 if unit == PERCENT else 1
            chosen = [
                (each, {PUBLISHED: each.value, **got})
                for each, got in zip(self.printed, values, strict=True)
                if each.unit == unit
            ]
            drawn = [
                (each.quantity, whose, factor * value)
                for each, got in chosen
                for whose, value in got.items()
                if value is not None
            ]
            points = [
                {"quantity": quantity, "whose": whose, "value": value}
                for quantity, whose, value in drawn
            ]
            wide = unit != PERCENT and all(value > 0 for *_, value in drawn)
            x = alt.X(
                "value:Q",
                title=unit or "ratio",
                scale=alt.Scale(type="log") if wide else alt.Scale(),
            )
            y = alt.Y("quantity:N", sort=None, title=None, axis=alt.Axis(labelLimit=420))
            panels.append(
                alt.Chart(data(points))
                .mark_point(filled=True, size=60, opacity=0.9)
                .encode(x=x, y=y, color=colour, shape=alt.Shape("whose:N", sort=names, title=None))
                .properties(width=WIDTH, height=STEP * max(len(chosen), 2))
            )
        return specification(alt.vconcat(*panels).resolve_scale(x="independent"))
