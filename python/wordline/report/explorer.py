"""The page on which the points of a sweep or search are explored: scatter plot and parallel coordinates with one filter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from wordline import _wordline
from wordline.report.html import template
from wordline.report.sweep import scale_of, varied
from wordline.sweeps.chosen import chosen_figures, figure_name, heading

if TYPE_CHECKING:
    import polars as pl

    from wordline.searching.search import Search
    from wordline.sweeps.sweep import Sweep

MOST_NUMBERS = 300_000
"""Numbers in a page; beyond, only the headline figures are in it."""
MOST_AXES = 12
"""Parallel axes."""
MOST_POINTS = 5_000
"""Points that a browser draws in time."""


def of_sweep(found: Sweep, reports: Mapping[int, str]) -> str:
    """The explorer of a sweep; `reports` are addresses of the reports of points."""
    figures = chosen_figures(found)
    means = found.means()
    titles = {figure: figure_name(figure) for figure in differing(found.figures, means, figures)}
    return page(
        f"Explore the sweep over {', '.join(found.keys)}", found, means, titles, figures, reports
    )


def of_search(found: Search) -> str:
    """The explorer of a search: objectives first, and the Pareto set marked."""
    import polars as pl

    names = [each.name for each in found.objectives]
    means = found.sweep.means()
    own = [name for name in names if name not in means.columns]
    designs = found.table.select(pl.col("trial").alias("point"), *own, "pareto")
    means = means.join(designs, on="point", how="left", maintain_order="left")
    figures = differing(found.sweep.figures, means, chosen_figures(found.sweep))
    titles = {name: name for name in names} | {each: figure_name(each) for each in figures}
    return page(
        f"Explore the search over {', '.join(found.sweep.keys)}",
        found.sweep,
        means,
        titles,
        names,
        {},
    )


def differing(figures: Sequence[str], means: pl.DataFrame, first: Sequence[str]) -> list[str]:
    """The figures that differ between points, the headline figures first."""
    several = [each for each in figures if means[each].n_unique() > 1 and each not in first]
    chosen = [each for each in first if each in means.columns]
    return [*chosen, *several] if means.height * len(several) <= MOST_NUMBERS else chosen


def page(
    title: str,
    found: Sweep,
    means: pl.DataFrame,
    figures: Mapping[str, str],
    first: Sequence[str],
    reports: Mapping[int, str],
) -> str:
    """The page for points with their means; axes begin with the keys that vary and the first figures."""
    from markupsafe import Markup

    table = means.head(MOST_POINTS)
    keys = [key for key in found.keys if key in varied(found, means)] or list(found.keys)
    titles = {key: heading(key, found.units.get(key, "")) for key in keys} | dict(figures)
    columns = {
        name: {
            "title": shown,
            "numeric": table[name].dtype.is_numeric(),
            "log": table[name].dtype.is_numeric()
            and scale_of(table[name].drop_nulls().to_list()) == "log",
            "values": table[name].to_list(),
        }
        for name, shown in titles.items()
    }
    marks = table["pareto"].to_list() if "pareto" in table.columns else [False] * table.height
    commands = dict(zip(dict.fromkeys(found.table["point"]), found.commands, strict=True))
    rows = [
        {
            "point": point,
            "marked": bool(marked),
            "command": commands.get(point, ""),
            "report": reports.get(point, ""),
        }
        for point, marked in zip(table["point"], marks, strict=True)
    ]
    wanted = [each for each in first if each in columns] or list(figures) or keys
    axes = {
        "x": wanted[1] if len(wanted) > 1 else keys[0],
        "y": wanted[0],
        "colour": keys[0],
        "parallel": [*keys, *wanted][:MOST_AXES],
    }
    script = files("wordline.report").joinpath("explorer.js").read_text("utf-8")
    text: str = template("explorer.html").render(
        heading=title,
        version=_wordline.__version__,
        marked="the Pareto set" if any(marks) else "",
        space=plain({"columns": columns, "rows": rows, "axes": axes}),
        script=Markup(script),
    )
    return text


def plain(space: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same without numbers that JSON has not."""
    for column in space["columns"].values():
        column["values"] = [
            None if isinstance(each, float) and each != each else each for each in column["values"]
        ]
    return space
