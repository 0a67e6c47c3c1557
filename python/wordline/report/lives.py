"""The page of lives side by side: retention and cycles over time, ends, and what was different."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from wordline.lives import Life, LivesComparison, sentence
from wordline.report.html import Page
from wordline.report.retention import span
from wordline.report.section import Figure, Row, Section
from wordline.report.theme import WIDTH, contender_colour, data, specification
from wordline.retention import MONTH, YEAR

DASHES = ([1, 0], [10, 6], [4, 4], [14, 4, 2, 4])
"""Patterns of lines: that of the first life is drawn through."""
REMARK = (
    "Above: how long nine in ten blocks keep data that are written at the time; dashed: what is required. Below: mean erases of a block. A point is the "
    "end of a life. A month is a twelfth of a year."
)


def tables(found: LivesComparison) -> list[tuple[str, Sequence[Row]]]:
    """What is printed: headings and tables."""
    shown: list[tuple[str, Sequence[Row]]] = [(sentence(found.lives), found.rows)]
    if rows := differences(found):
        shown.append(("\nWhat was different", rows))
    return shown


def differences(found: LivesComparison) -> list[Row]:
    """Options and keys that differ."""
    names = [life.name for life in found.lives]
    return [
        {"key": each.key} | dict(zip(names, each.shown, strict=True)) for each in found.settings
    ]


def render(found: LivesComparison) -> str:
    """The page."""
    names = [life.name for life in found.lives]
    figure = Figure(sentence(found.lives), chart(found.lives), found.rows, REMARK)
    rows = differences(found)
    sections = [
        Section("Lives", [figure]),
        Section(
            "What was different",
            rows=rows,
            absent="" if rows else "Options, drives and workloads are the same.",
        ),
    ]
    boxes = [(note.severity, note.text) for note in found.notes]
    heading = f"{names[0]} against {', '.join(names[1:])}"
    return Page(heading, sections, boxes=boxes).html()


def chart(lives: Sequence[Life]) -> Mapping[str, Any]:
    """Retention and cycles over time, one above the other, a line for each life."""
    names = [life.name for life in lives]
    colour = contender_colour(names)
    # lives that coincide for a while are all seen
    patterns = [DASHES[place % len(DASHES)] for place in range(len(names))]
    dash = alt.StrokeDash("run:N", scale=alt.Scale(domain=names, range=patterns))
    x = alt.X("months:Q", title="months")
    points = [
        {
            "months": row["time_s"] / MONTH,
            "years": row["retention_p10_s"] / YEAR,
            "cycles": row["erase_count_mean"],
            "run": life.name,
        }
        for life in lives
        for row in life.answer["snapshots"]
    ]
    tooltip = ["run:N", alt.Tooltip("months:Q", format=",.4~g")]
    kept = (
        alt.Chart(data(point for point in points if point["years"] > 0))
        .mark_line()
        .encode(
            x=x,
            y=alt.Y(
                "years:Q", title="retention, p10 of blocks (years)", scale=alt.Scale(type="log")
            ),
            color=colour,
            strokeDash=dash,
            tooltip=[*tooltip, alt.Tooltip("years:Q", format=",.4~g")],
        )
    )
    required = sorted({float(life.answer["required_s"]) for life in lives})
    rules = (
        alt.Chart(data([{"years": each / YEAR, "required": span(each)} for each in required]))
        .mark_rule(strokeDash=[4, 4])
        .encode(y="years:Q", tooltip="required:N")
    )
    worn = (
        alt.Chart(data(points))
        .mark_line()
        .encode(
            x=x,
            y=alt.Y("cycles:Q", title="mean erases of a block"),
            color=colour,
            strokeDash=dash,
            tooltip=[*tooltip, alt.Tooltip("cycles:Q", format=",.4~g")],
        )
    )
    ends = [
        {
            "months": life.seconds / MONTH,
            "cycles": life.cycles,
            "run": life.name,
            "end": life.end,
        }
        for life in lives
        if life.seconds is not None
    ]
    layers = [worn]
    if ends:
        layers.append(
            alt.Chart(data(ends))
            .mark_point(filled=True, size=90, opacity=1)
            .encode(x=x, y="cycles:Q", color=colour, tooltip=[*tooltip, "end:N"])
        )
    width = WIDTH - 120
    upper = alt.layer(kept, rules).properties(width=width, height=260)
    lower = alt.layer(*layers).properties(width=width, height=200)
    return specification(alt.vconcat(upper, lower))
