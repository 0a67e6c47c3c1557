"""The page of a search: the Pareto set, how it was found, which key matters, and every design."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import altair as alt

from wordline.formatting import counted, percent
from wordline.report.html import Page
from wordline.report.section import Figure, Fold, Section
from wordline.report.sweep import MOST_ROWS, named, parallel
from wordline.report.theme import AMOUNTS, WIDTH, colours, data, specification

if TYPE_CHECKING:
    import polars as pl

    from wordline.searching.search import Search

KINDS = ("Pareto set", "other", "breaks a constraint")
PALETTE = ["#d55e00", "#0072b2", "#9ca3af"]
"""Colours of the kinds of designs."""
MOST_PAIRS = 6
"""Pairs of objectives that are drawn."""


def render(found: Search) -> str:
    """The search as a self-contained HTML page."""
    goals = ", ".join(f"{each.direction} {each.name}" for each in found.objectives)
    done = found.table.filter(found.table["state"] == "complete").height
    bounds = "".join(f"; {each.text}" for each in found.constraints)
    best = [named(row, found.sweep) for row in shown(found, found.best)]
    return Page(
        heading=f"Search: {goals}{bounds}",
        subtitle=f"{counted(found.table.height, 'point')} tried, {done:,} of them run in full; {found.best.height:,} in the Pareto set",
        boxes=[(note.severity, note.text) for note in found.sweep.notes],
        sections=[
            Section("The best designs", rows=best, absent="No point keeps the constraints."),
            Section("Trade-offs", list(pairs(found))),
            Section(
                "Which key matters",
                list(importances(found)),
                absent="There are too few points, or their objectives are all the same.",
            ),
            Section(
                "Over the search",
                [progress(found, place) for place in range(len(found.objectives))],
            ),
            Section(
                "All keys",
                list(
                    parallel(
                        found.sweep, of_designs(found), [each.name for each in found.objectives]
                    )
                ),
                absent="There are fewer than two points.",
            ),
            everything(found),
        ],
    ).html()


def shown(found: Search, table: pl.DataFrame) -> list[dict[str, Any]]:
    """Rows of designs as they are shown."""
    return list(table.select("trial", *quantities(found)).head(MOST_ROWS).iter_rows(named=True))


def quantities(found: Search) -> list[str]:
    """The varied keys, the objectives and what constraints bound, each once."""
    return list(found.shown)


def of_designs(found: Search) -> pl.DataFrame:
    """The points that were run in full, as rows of a sweep."""
    return found.table.filter(found.table["state"] == "complete").rename({"trial": "point"})


def marked(found: Search) -> list[dict[str, Any]]:
    """The points that were run in full, with what they are."""
    return [
        {**row, "kind": KINDS[0] if row["pareto"] else KINDS[1] if row["feasible"] else KINDS[2]}
        for row in of_designs(found).iter_rows(named=True)
    ]


def pairs(found: Search) -> Iterator[Figure]:
    """Every two objectives against each other; of one alone its values over the most important key."""
    names = [each.name for each in found.objectives]
    if len(names) == 1:
        shares = found.importance.get(names[0], {})
        key = max(shares, key=lambda each: shares[each]) if shares else found.sweep.keys[0]
        # keys that change together are named together; the first stands for them
        yield pair(found, key.split(" and ")[0], names[0])
        return
    for one, other in itertools.islice(itertools.combinations(names, 2), MOST_PAIRS):
        yield pair(found, one, other)


def pair(found: Search, across: str, up: str) -> Figure:
    """One quantity of every design against another."""
    rows = [
        {"x": row[across], "y": row[up], "kind": row["kind"], "trial": row["point"]}
        for row in marked(found)
    ]
    numeric = all(isinstance(row["x"], int | float) for row in rows)
    x: dict[str, Any] = {"scale": alt.Scale(zero=False), "axis": alt.Axis(labelExpr=AMOUNTS)}
    chart = (
        alt.Chart(data(rows))
        .mark_point(filled=True, size=60)
        .encode(
            x=alt.X("x:Q", title=across, **x) if numeric else alt.X("x:N", title=across),
            y=alt.Y("y:Q", title=up, scale=alt.Scale(zero=False), axis=alt.Axis(labelExpr=AMOUNTS)),
            color=colours("kind", list(KINDS), PALETTE),
            tooltip=[
                "trial:Q",
                alt.Tooltip("x:N", title=across),
                alt.Tooltip("y:Q", title=up, format=".4~g"),
            ],
        )
        .properties(width=WIDTH - 160, height=320)
    )
    table = [
        {"trial": row["trial"], across: row["x"], up: row["y"], "design": row["kind"]}
        for row in rows
    ]
    return Figure(
        f"{up} against {across}",
        specification(chart),
        table,
        "Each mark is a design that was run in full.",
    )


def importances(found: Search) -> Iterator[Figure]:
    """For each objective, what each key explains."""
    for name, shares in found.importance.items():
        rows = [
            {"key": key, "share": share}
            for key, share in sorted(shares.items(), key=lambda each: -each[1])
        ]
        chart = (
            alt.Chart(data(rows))
            .mark_bar(color=PALETTE[1])
            .encode(
                x=alt.X("share:Q", title="share", axis=alt.Axis(format=".0%")),
                y=alt.Y("key:N", sort=None, title=None, axis=alt.Axis(labelLimit=260)),
                tooltip=["key:N", alt.Tooltip("share:Q", format=".1%")],
            )
            .properties(width=WIDTH - 300, height=max(60, 28 * len(rows)))
        )
        first = rows[0]
        title = f"What tells the best quarter by {name} from the others: {first['key']}, {percent(float(str(first['share'])))}"
        remark = "PED-ANOVA over the points that were run in full. A search visits good designs more often than others, so these shares are a hint."
        yield Figure(title, specification(chart), rows, remark)


def progress(found: Search, place: int) -> Figure:
    """An objective in the order of the trials, and the best so far."""
    objective = found.objectives[place]
    best: float | None = None
    rows = []
    for row in marked(found):
        value = row[objective.name]
        if row["feasible"] and (best is None or objective.sign * value < objective.sign * best):
            best = value
        rows.append({"trial": row["point"], "value": value, "best": best, "kind": row["kind"]})
    base = alt.Chart(data(rows)).encode(
        x=alt.X("trial:Q", title="trial", axis=alt.Axis(tickMinStep=1))
    )
    scale, axis = alt.Scale(zero=False), alt.Axis(labelExpr=AMOUNTS)
    dots = base.mark_point(filled=True, size=40).encode(
        y=alt.Y("value:Q", title=objective.name, scale=scale, axis=axis),
        color=colours("kind", list(KINDS), PALETTE),
        tooltip=["trial:Q", alt.Tooltip("value:Q", format=".4~g")],
    )
    line = base.mark_line(interpolate="step-after", color=PALETTE[0]).encode(y="best:Q")
    chart = specification(alt.layer(line, dots).properties(width=WIDTH - 160, height=220))
    return Figure(f"{objective.name} of each design, and the best so far", chart, rows)


def everything(found: Search) -> Section:
    """Every point, and the command of each."""
    table = found.table.select("trial", *quantities(found), "state", "feasible", "error")
    rows = [named(row, found.sweep) for row in table.head(MOST_ROWS).iter_rows(named=True)]
    folds = [Fold(f"All {found.table.height:,} points", rows=rows)]
    commands = [each for each in found.sweep.commands[:MOST_ROWS] if each]
    if commands:
        text = "\n".join(commands)
        folds.append(
            Fold(
                "The command of each design that was run in full: it writes the report of its run",
                text=text,
            )
        )
    return Section("Every point", folds=folds)
