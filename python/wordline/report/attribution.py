"""Where the time went: the parts of response times, from the fastest requests to the slowest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

from wordline.formatting import duration_us
from wordline.parts import words
from wordline.report.section import Figure, Row, Section
from wordline.report.theme import WIDTH, data, fade, picked, specification

if TYPE_CHECKING:
    import polars as pl

    from wordline.results import Result

KINDS = ("read", "write")
MOST_PARTS = 11
"""Parts with a colour of their own; the rest together are one more."""
REST = "other parts"
COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
    "#7f3c8d", "#11a579", "#80ba5a", "#a5614e", "#4b4b8f", "#9ca3af",
)  # fmt: skip
"""Okabe and Ito's colours first, then others that stay apart from them."""


def section(result: Result) -> Section:
    """The parts of read and of write latency."""
    figures = [parts(kind, own) for kind in KINDS if (own := of_class(result, kind)).height]
    return Section(
        "Where the time went",
        figures,
        absent="The run recorded no attribution (`output.attribution`), or no request took any time.",
    )


def of_class(result: Result, kind: str) -> pl.DataFrame:
    """The attribution of one class of requests."""
    import polars as pl

    return result.attribution.filter(pl.col("class") == kind)


def parts(kind: str, table: pl.DataFrame) -> Figure:
    """Shares of each part in the mean latency of each band."""
    shown = notable([table])
    rows: list[Row] = []
    points: dict[tuple[str, str], dict[str, Any]] = {}
    for row in table.iter_rows(named=True):
        share = row["part_mean_us"] / row["latency_mean_us"]
        rows.append(
            {
                "band": row["band"],
                "requests": row["requests"],
                "mean latency (µs)": row["latency_mean_us"],
                "part": words(row["part"]),
                "mean (µs)": row["part_mean_us"],
                "share": f"{share:.1%}",
            }
        )
        name = words(row["part"]) if row["part"] in shown else REST
        mean = duration_us(row["latency_mean_us"])
        point = points.setdefault(
            (row["band"], name),
            {"band": f"{row['band']} ({mean})", "part": name, "time": 0.0, "share": 0.0},
        )
        point["time"] += row["part_mean_us"]
        point["share"] += share
    bands = list(dict.fromkeys(point["band"] for point in points.values()))
    names = [name for name in (*map(words, shown), REST) if any(name == key[1] for key in points)]
    x = alt.X(
        "share:Q",
        title="share of the mean latency",
        axis=alt.Axis(format="%"),
        scale=alt.Scale(domain=[0, 1]),
    )
    chart = stacked(points.values(), names, x, alt.Y("band:N", title=None, sort=bands))
    return Figure(
        title=told(kind, table),
        chart=specification(chart.properties(width=WIDTH - 140, height=34 * len(bands))),
        rows=rows,
        remark="Each bar is a band of requests, the fastest half on top, with its mean latency.",
    )


def notable(tables: Sequence[pl.DataFrame]) -> list[str]:
    """The parts that have a colour of their own: the largest in any band, the most time first."""
    totals: dict[str, float] = {}
    # the largest in any band must be seen, however few requests the band has
    largest: dict[str, float] = {}
    for table in tables:
        for row in table.iter_rows(named=True):
            part, time = row["part"], row["part_mean_us"]
            totals[part] = totals.get(part, 0.0) + time * row["requests"]
            largest[part] = max(largest.get(part, 0.0), time / row["latency_mean_us"])
    shown = sorted(largest, key=lambda part: -largest[part])[:MOST_PARTS]
    return sorted(shown, key=lambda part: -totals[part])


def stacked(points: Iterable[Row], names: list[str], x: alt.X, y: alt.Y) -> alt.Chart:
    """Bars divided into the named parts; a click on the legend singles one out."""
    chosen = picked("part")
    legend = alt.Legend(orient="bottom", columns=2, labelLimit=420)
    palette = [*COLOURS[: len(names) - (REST in names)], *([COLOURS[-1]] if REST in names else [])]
    scale = alt.Scale(domain=names, range=palette)
    chart: alt.Chart = (
        alt.Chart(data(points))
        .mark_bar()
        .encode(
            x=x,
            y=y,
            color=alt.Color("part:N", scale=scale, legend=legend),
            opacity=fade(chosen),
            order=alt.Order("rank:Q"),
            tooltip=[
                "part:N",
                alt.Tooltip("time:Q", title="mean (µs)", format=",.1f"),
                alt.Tooltip("share:Q", format=".1%"),
            ],
        )
        .transform_calculate(rank=f"indexof({names!r}, datum.part)")
        .add_params(chosen)
    )
    return chart


def told(kind: str, table: pl.DataFrame) -> str:
    """What the slowest requests waited for, in a sentence."""
    import polars as pl

    slowest = table.filter(pl.col("band") == table["band"][-1])
    top = slowest.sort("part_mean_us", descending=True).row(0, named=True)
    share = top["part_mean_us"] / top["latency_mean_us"]
    return (
        f"The slowest {kind}s (band {top['band']}, {top['requests']} of them) take "
        f"{duration_us(top['latency_mean_us'])} in the mean; {share:.0%} of it is {words(top['part'])}"
    )
