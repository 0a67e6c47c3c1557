"""The page of a sweep: lines over the keys, a heat map, parallel coordinates, and every point."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

import altair as alt

from wordline.formatting import counted, display
from wordline.points.remarks import HEADING
from wordline.report.html import Page
from wordline.report.section import Figure, Fold, Row, Section
from wordline.report.theme import (
    AMOUNTS,
    CONTENDER_COLOURS,
    WIDTH,
    colours,
    data,
    fade,
    picked,
    specification,
)
from wordline.sweeps.chosen import chosen_figures, figure_name, heading

if TYPE_CHECKING:
    import polars as pl

    from wordline.sweeps.sweep import Sweep

MOST_COLOURS = len(CONTENDER_COLOURS)
"""Values of a key that are told apart by colour."""
MOST_LINES = 2_000
"""Points that parallel coordinates show."""
MOST_CELLS = 60
"""Values of a key along an edge of a heat map."""
MOST_ROWS = 1_000
"""Points in the table of the page."""
HEAT: Final = "viridis"
"""Colours of amounts, which readers who are colour-blind tell apart too."""


def render(found: Sweep) -> str:
    """The sweep as a self-contained HTML page."""
    about = found.about
    failures = f", {found.failed:,} of them failed" if found.failed else ""
    figures = chosen_figures(found)
    means = found.means(*figures)
    return Page(
        heading=f"Sweep over {', '.join(found.keys)}",
        subtitle=f"{counted(about['points'], 'point')}, {counted(about['runs'], 'run')}{failures}",
        boxes=[(note.severity, note.text) for note in found.told],
        sections=[
            Section(
                "By key",
                list(by_key(found, means, figures)),
                absent="No run has figures, or no key has two values.",
            ),
            Section(
                "Two keys",
                list(heat_maps(found, means, figures)),
                absent="There are no two keys that span a map of at least two by two values.",
            ),
            Section(
                "All keys",
                list(parallel(found, means, figures)),
                absent="There are fewer than two points.",
            ),
            points(found, means, figures),
        ],
    ).html()


def varied(found: Sweep, means: pl.DataFrame) -> list[str]:
    """Keys that have two values at least, numbers first, those with most values first."""
    counts = {key: means[key].n_unique() for key in found.keys}
    several = [key for key in found.keys if counts[key] > 1]
    return sorted(several, key=lambda key: (not means[key].dtype.is_numeric(), -counts[key]))


def is_sampled(found: Sweep, means: pl.DataFrame) -> bool:
    """Whether points are scattered, so that no line leads from one to the next."""
    combinations = 1
    for key in found.keys:
        combinations *= means[key].n_unique()
    return combinations > 2 * max(means.height, 1)


def by_key(found: Sweep, means: pl.DataFrame, figures: Sequence[str]) -> Iterator[Figure]:
    """Each figure over the key with most values; colour is the next key."""
    keys = varied(found, means)
    if not keys or means.is_empty():
        return
    x, by, others = told_apart(means, keys)
    for figure in figures:
        if is_sampled(found, means):
            for key in keys:
                yield scattered(found, means, key, figure)
        else:
            yield lines(found, means, x, by, others, figure)


def told_apart(means: pl.DataFrame, keys: Sequence[str]) -> tuple[str, list[str], list[str]]:
    """The key of the horizontal axis, those that colours tell apart, and those that are averaged over.

    Policies are told apart before numbers are.
    """
    x, *rest = keys
    by: list[str] = []
    for key in sorted(rest, key=lambda key: bool(means[key].dtype.is_numeric())):
        if means.select(*by, key).n_unique() <= MOST_COLOURS:
            by.append(key)
    return x, by, [key for key in rest if key not in by]


def lines(
    found: Sweep, means: pl.DataFrame, x: str, by: Sequence[str], others: Sequence[str], figure: str
) -> Figure:
    """A figure over a key, a line for each value of another, means over all others."""
    import polars as pl

    width = f"{figure} ±"
    # the mean over other keys has no interval of seeds
    spread = pl.col(width).first() if not others else pl.lit(None, pl.Float64).alias(width)
    table = (
        means.group_by(x, *by, maintain_order=True)
        .agg(pl.col(figure).mean(), spread)
        .drop_nulls(figure)
    )
    rows = [
        {
            "x": row[x],
            "by": ", ".join(display(row[key]) for key in by) or "all",
            "y": row[figure],
            "low": row[figure] - (row[width] or 0.0),
            "high": row[figure] + (row[width] or 0.0),
        }
        for row in table.iter_rows(named=True)
    ]
    names = list(dict.fromkeys(row["by"] for row in rows))
    chosen = picked("by")
    numeric = means[x].dtype.is_numeric()
    across = axis_of("x", heading(x, found.units.get(x, "")), means[x].to_list(), numeric=numeric)
    base = alt.Chart(data(rows)).encode(
        x=across,
        color=colours("by", names, list(CONTENDER_COLOURS[: len(names)]), legend=bool(by)),
        opacity=fade(chosen),
    )
    y = alt.Y(
        "y:Q",
        title=figure_name(figure),
        scale=alt.Scale(zero=False),
        axis=alt.Axis(labelExpr=AMOUNTS),
    )
    tooltip = [
        alt.Tooltip("x:N", title=x),
        alt.Tooltip("by:N", title=", ".join(by)),
        alt.Tooltip("y:Q", title=figure, format=".4~g"),
    ]
    drawn = (
        base.mark_line(point=True, strokeWidth=2).encode(y=y, tooltip=tooltip).add_params(chosen)
    )
    bars = base.mark_rule().encode(y=alt.Y("low:Q"), y2="high:Q")
    shown = alt.layer(bars, drawn) if any(row["low"] != row["y"] for row in rows) else drawn
    told = [f"{figure_name(figure)} by {x}"]
    if by:
        told.append(f"colour: {', '.join(by)}")
    remark = "Bars are 95 % confidence intervals over the seeds. " if shown is not drawn else ""
    if others:
        remark += f"Means over {', '.join(others)}."
    chart = specification(shown.properties(width=WIDTH - 160, height=260))
    columns = {
        heading(x, found.units.get(x, "")): "x",
        **({", ".join(by): "by"} if by else {}),
        figure: "y",
    }
    return Figure(
        "; ".join(told),
        chart,
        [{name: row[field] for name, field in columns.items()} for row in rows],
        remark.strip(),
    )


def axis_of(field: str, title: str, values: Sequence[Any], *, numeric: bool) -> alt.X:
    """A horizontal axis of a key: logarithmic where values are spaced by ratios."""
    if not numeric:
        order = list(dict.fromkeys(map(str, values)))
        return alt.X(f"{field}:N", title=title, sort=order, axis=alt.Axis(labelAngle=0))
    return alt.X(
        f"{field}:Q",
        title=title,
        scale=alt.Scale(type=scale_of(values), zero=False, nice=False),
        axis=alt.Axis(labelExpr=AMOUNTS, tickCount=8),
    )


def scale_of(values: Sequence[Any]) -> Literal["linear", "log"]:
    """`log` where the middle value is nearer to the ends by ratio than by difference, and there are three."""
    ordered = sorted(set(values))
    if len(ordered) < 3 or ordered[0] <= 0:
        return "linear"
    low, middle, high = ordered[0], ordered[len(ordered) // 2], ordered[-1]
    by_difference = abs((middle - low) / (high - low) - 0.5)
    ratio = (middle / low) ** 2 / (high / low)
    return (
        "log"
        if high / low >= 8 and max(ratio, 1 / ratio) < 4 and by_difference > 0.15
        else "linear"
    )


def scattered(found: Sweep, means: pl.DataFrame, key: str, figure: str) -> Figure:
    """A figure over a key, a mark for each point of a sample."""
    title = heading(key, found.units.get(key, ""))
    rows = [
        {"x": row[key], "y": row[figure], "point": row["point"]}
        for row in means.drop_nulls(figure).head(MOST_LINES).iter_rows(named=True)
    ]
    numeric = means[key].dtype.is_numeric()
    chart = (
        alt.Chart(data(rows))
        .mark_point(filled=True, opacity=0.6, color=CONTENDER_COLOURS[0])
        .encode(
            x=axis_of("x", title, means[key].to_list(), numeric=numeric),
            y=alt.Y(
                "y:Q",
                title=figure_name(figure),
                scale=alt.Scale(zero=False),
                axis=alt.Axis(labelExpr=AMOUNTS),
            ),
            tooltip=[
                "point:Q",
                alt.Tooltip("x:N", title=key),
                alt.Tooltip("y:Q", title=figure, format=".4~g"),
            ],
        )
        .properties(width=WIDTH - 160, height=200)
    )
    table = [{"point": row["point"], title: row["x"], figure: row["y"]} for row in rows]
    return Figure(
        f"{figure_name(figure)} by {key}",
        specification(chart),
        table,
        "Each mark is a point of the sample.",
    )


def heat_maps(found: Sweep, means: pl.DataFrame, figures: Sequence[str]) -> Iterator[Figure]:
    """Each figure over the first two keys of a grid."""
    import polars as pl

    keys = [key for key in varied(found, means) if means[key].n_unique() <= MOST_CELLS]
    if len(keys) < 2 or is_sampled(found, means):
        return
    x, y, others = keys[0], keys[1], [key for key in varied(found, means) if key not in keys[:2]]
    for figure in figures:
        table = (
            means.group_by(x, y, maintain_order=True).agg(pl.col(figure).mean()).drop_nulls(figure)
        )
        rows = [
            {"x": row[x], "y": row[y], "value": row[figure]} for row in table.iter_rows(named=True)
        ]
        values = [row["value"] for row in rows]
        if len(set(values)) < 2:
            continue
        titles = [heading(key, found.units.get(key, "")) for key in (x, y)]
        across = alt.X("x:O", title=titles[0], sort=ordered(means[x]), axis=alt.Axis(labelAngle=0))
        up = alt.Y("y:O", title=titles[1], sort=ordered(means[y]))
        scale = alt.Scale(scheme=HEAT, type=scale_of(values))
        colour = alt.Color(
            "value:Q",
            scale=scale,
            legend=alt.Legend(title=figure_name(figure), gradientLength=300, labelExpr=AMOUNTS),
        )
        base = alt.Chart(data(rows)).encode(x=across, y=up)
        cells = base.mark_rect().encode(
            color=colour,
            tooltip=[
                alt.Tooltip("x:N", title=x),
                alt.Tooltip("y:N", title=y),
                alt.Tooltip("value:Q", title=figure, format=".4~g"),
            ],
        )
        remark = f"Means over {', '.join(others)}." if others else ""
        chart = specification(
            cells.properties(width=WIDTH - 200, height=max(120, 34 * table[y].n_unique()))
        )
        cells_of = [{x: row["x"], y: row["y"], figure: row["value"]} for row in rows]
        yield Figure(f"{figure_name(figure)} by {x} and {y}", chart, cells_of, remark)


def ordered(series: pl.Series) -> list[Any]:
    """The values of a key: numbers by size, text as it was given."""
    values = list(dict.fromkeys(series.to_list()))
    return sorted(values) if series.dtype.is_numeric() else values


def parallel(found: Sweep, means: pl.DataFrame, figures: Sequence[str]) -> Iterator[Figure]:
    """Every point as a line through all keys and figures."""
    table = means.drop_nulls(list(figures)).head(MOST_LINES)
    if table.height < 2 or not figures:
        return
    keys = [key for key in varied(found, means) if key not in figures]
    columns = [*keys, *figures]
    names = [heading(key, found.units.get(key, "")) for key in keys]
    names += [figure_name(figure) for figure in figures]
    rows, labels = [], []
    for name, column in zip(names, columns, strict=True):
        places, ends = placed(table[column])
        labels += [
            {"axis": name, "place": float(end), "label": text} for end, text in enumerate(ends)
        ]
        rows += [
            {
                "axis": name,
                "place": place,
                "point": point,
                "value": display(value),
                "colour": colour,
            }
            for place, point, value, colour in zip(
                places, table["point"], table[column], table[figures[0]], strict=True
            )
        ]
    x = alt.X(
        "axis:N",
        sort=names,
        title=None,
        axis=alt.Axis(
            labelAngle=0,
            labelLimit=130,
            grid=True,
            labelExpr="split(replace(datum.label, /([._])/g, '$1 '), ' ')",
        ),
    )
    y = alt.Y("place:Q", title=None, axis=None, scale=alt.Scale(domain=[-0.06, 1.06]))
    colour = alt.Color(
        "colour:Q",
        scale=alt.Scale(scheme=HEAT),
        legend=alt.Legend(title=figure_name(figures[0]), gradientLength=300, labelExpr=AMOUNTS),
    )
    near = alt.selection_point(fields=["point"], on="pointerover", empty=False, name="near")
    drawn = (
        alt.Chart(data(rows))
        .mark_line(strokeWidth=1.2)
        .encode(
            x=x,
            y=y,
            color=colour,
            detail="point:N",
            opacity=alt.when(near).then(alt.value(1.0)).otherwise(alt.value(0.5)),
            strokeWidth=alt.when(near).then(alt.value(3.5)).otherwise(alt.value(1.2)),
            tooltip=["point:N", "axis:N", "value:N"],
        )
        .add_params(near)
    )
    texts = [
        alt.Chart(data([each for each in labels if each["place"] == end]))
        .mark_text(fontSize=11, dy=12 if end == 0.0 else -10)
        .encode(x=x, y=y, text="label:N")
        for end in (0.0, 1.0)
    ]
    chart = specification(alt.layer(drawn, *texts).properties(width=WIDTH - 60, height=320))
    remark = "Each axis runs from the least value at the bottom to the largest at the top; text in the order given. Colour: the first figure. "
    if means.height > MOST_LINES:
        remark += f"The first {MOST_LINES:,} of {means.height:,} points."
    shown = [
        dict(row) for row in table.select("point", *columns).head(MOST_ROWS).iter_rows(named=True)
    ]
    yield Figure("Every point as a line through all keys and figures", chart, shown, remark.strip())


def placed(series: pl.Series) -> tuple[list[float], tuple[str, str]]:
    """Where values lie on an axis from 0 to 1, and what stands at its ends."""
    values: list[Any] = series.to_list()
    if not series.dtype.is_numeric():
        order = list(dict.fromkeys(values))
        places = {value: place / max(len(order) - 1, 1) for place, value in enumerate(order)}
        return [places[value] for value in values], (str(order[0]), str(order[-1]))
    low, high = min(values), max(values)
    span = high - low
    return [(value - low) / span if span else 0.5 for value in values], (
        display(low),
        display(high),
    )


def points(found: Sweep, means: pl.DataFrame, figures: Sequence[str]) -> Section:
    """Every point, and those that failed."""
    import polars as pl

    rows: list[Row] = [
        {**named(row, found), HEADING: found.marks(row["point"])}
        for row in means.drop(cs for cs in means.columns if means[cs].null_count() == means.height)
        .head(MOST_ROWS)
        .iter_rows(named=True)
    ]
    failures = found.table.filter(pl.col("error").is_not_null()).select(
        *dict.fromkeys(("point", *found.keys, "seed", "error"))
    )
    folds = []
    if failures.height:
        failed = [named(row, found) for row in failures.head(MOST_ROWS).iter_rows(named=True)]
        folds.append(Fold(f"{counted(failures.height, 'run')} that failed", rows=failed))
    commands = [each for each in itertools.islice(found.commands, MOST_ROWS) if each]
    if commands:
        text = "\n".join(commands)
        folds.append(
            Fold("The command of each point, in order: it writes the report of its run", text=text)
        )
    more = f" The first {MOST_ROWS:,} of {means.height:,}." if means.height > MOST_ROWS else ""
    return Section(f"Every point{more}", rows=rows, absent="No run has figures.", folds=folds)


def named(row: Mapping[str, Any], found: Sweep) -> Row:
    """A row with the units of keys in its headings."""
    return {heading(key, found.units.get(key, "")): value for key, value in row.items()}
