"""The parts a report is made of: sections, figures, and the tables behind them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, TypeAlias

from wordline.formatting import display

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
class Section:
    """A heading and the figures below it; without figures, why there are none."""

    title: str
    figures: Sequence[Figure] = field(default_factory=tuple)
    absent: str = ""
    before: str = ""
    """HTML before the figures."""


def section_html(section: Section) -> str:
    """A section as HTML."""
    figures = "".join(figure_html(figure) for figure in section.figures)
    body = section.before + figures or f"<p>{escape(section.absent)}</p>"
    return f"<section><h2>{escape(section.title)}</h2>{body}</section>"


def figure_html(figure: Figure) -> str:
    """A figure as HTML; the page's script draws the chart in place of the sentence inside it."""
    # "<" cannot close the script element early when it is escaped
    spec = json.dumps(figure.chart, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    anchor = f' id="{escape(figure.name)}"' if figure.name else ""
    remark = f"<p class=remark>{escape(figure.remark)}</p>" if figure.remark else ""
    return (
        f"<figure{anchor}><figcaption>{escape(figure.title)}</figcaption>"
        "<div class=chart><p>The chart needs JavaScript; its numbers are in the table below.</p></div>"
        f'<script type="application/json">{spec}</script>{remark}'
        f"<details><summary>Table</summary>{table_html(figure.rows)}</details></figure>"
    )


def table_html(rows: Sequence[Row]) -> str:
    """Rows as an HTML table: numbers to the right, text to the left."""
    if not rows:
        return "<p>No rows.</p>"
    head = "".join(f"<th>{escape(name)}</th>" for name in rows[0])
    body = "".join(f"<tr>{''.join(map(cell_html, row.values()))}</tr>" for row in rows)
    return (
        f"<div class=wide><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def cell_html(value: object) -> str:
    """One cell."""
    kind = "" if isinstance(value, str) else " class=n"
    return f"<td{kind}>{escape(display(value))}</td>"
