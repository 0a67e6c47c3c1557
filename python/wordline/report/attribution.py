"""Where the time went: the parts of response times, from the fastest requests to the slowest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

from wordline.formatting import duration_us, percentage
from wordline.parts import KINDS, of_class, share_of, words
from wordline.report.section import Figure, Row, Section
from wordline.report.theme import WIDTH, data, fade, picked, specification

if TYPE_CHECKING:
    import polars as pl

    from wordline.results import Result

MOST_PARTS = 11
"""Parts with a colour of their own; the rest together are one more."""
REST = "other parts"
HOLDER_COLOURS = {
    "host_read": ("#0072b2", "#7fb8d8"),
    "host_write": ("#d55e00", "#f0a774"),
    "gc_read": ("#e3a1c6", "#f3d3e4"),
    "gc_program": ("#c25f9b", "#e6bcd5"),
    "gc_erase": ("#7d2e63", "#c39ab5"),
    "fold": ("#6a4b2f", "#c0a080"),
    "wear": ("#4b4b8f", "#a3a3cd"),
    "mapping": ("#8c6d31", "#c9b58b"),
    "refresh": ("#3f6f52", "#9bbda8"),
    "other": ("#4b5563", "#a3aab5"),
    "sibling": ("#e69f00", "#f6d48c"),
}
"""Colours of waiting for a die and for a channel, by what held it: the host's as those of its classes, garbage
collection's in shades of one colour."""
COLOURS = {
    "array": "#009e73",
    "suspended": "#f3a5a5",
    "suspension_overhead": "#b5473c",
    "transfer": "#7fd1b9",
    "update_read": "#b5d99c",
    "ecc": "#00573f",
    "link": "#56b4e9",
    "throttle": "#d7301f",
    "wake": "#9e9ac8",
    "power_limit": "#fc8d59",
    "controller": "#5e4fa2",
    "memory": "#bfe3f7",
    "firmware": "#8073ac",
    "firmware_wait": "#c3bbdb",
    "buffer_wait": "#f0d43a",
    "buffer_space": "#8a7a00",
    "buffer_collection": "#c9b200",
    "buffer_host": "#f7e68a",
    "buffer_program": "#e0c92f",
    "same_page": "#b8a13a",
    "mapping_read": "#a5614e",
    "space": "#3b2a20",
    "order": "#d1d5db",
    "host_queue": "#6b7280",
}
"""Colours of the other parts: work of the flash is green."""
SPARE_COLOUR = "#9ca3af"


def colour(part: str) -> str:
    """The colour of a part, the same in every chart."""
    resource, _, holder = part.partition("_")
    if resource in ("die", "channel") and holder in HOLDER_COLOURS:
        return HOLDER_COLOURS[holder][resource == "channel"]
    return COLOURS.get(part, SPARE_COLOUR)


def section(result: Result) -> Section:
    """The parts of read and of write latency."""
    figures = [parts(kind, own) for kind in KINDS if (own := of_class(result, kind)).height]
    return Section(
        "Where the time went",
        figures,
        absent="The run recorded no attribution (`output.attribution`), or no request took any time.",
    )


def parts(kind: str, table: pl.DataFrame) -> Figure:
    """Shares of each part in the mean latency of each band."""
    shown = notable([table])
    rows: list[Row] = []
    points: dict[tuple[str, str], dict[str, Any]] = {}
    for row in table.iter_rows(named=True):
        share = share_of(row)
        rows.append(
            {
                "band": row["band"],
                "requests": row["requests"],
                "mean latency (µs)": row["latency_mean_us"],
                "part": words(row["part"]),
                "mean (µs)": row["part_mean_us"],
                "share": percentage(share, ".1f"),
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
    present = {part for _, part in points}
    palette = {name: hue for name, hue in palette_of(shown).items() if name in present}
    x = alt.X(
        "share:Q",
        title="share of the mean latency",
        axis=alt.Axis(format="%"),
        scale=alt.Scale(domain=[0, 1]),
    )
    chart = stacked(points.values(), palette, x, alt.Y("band:N", title=None, sort=bands))
    return Figure(
        title=told(kind, table),
        chart=specification(chart.properties(width=WIDTH - 140, height=34 * len(bands))),
        rows=rows,
        remark="Each bar is a band of requests, the fastest half on top, with its mean latency.",
        name=f"attribution-{kind}",
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
            largest[part] = max(largest.get(part, 0.0), share_of(row))
    shown = sorted(largest, key=lambda part: -largest[part])[:MOST_PARTS]
    return sorted(shown, key=lambda part: -totals[part])


def palette_of(parts: Sequence[str]) -> dict[str, str]:
    """Names of the parts and of what remains, each with its colour."""
    return {words(part): colour(part) for part in parts} | {REST: SPARE_COLOUR}


def stacked(points: Iterable[Row], palette: Mapping[str, str], x: alt.X, y: alt.Y) -> alt.Chart:
    """Bars divided into the parts of the palette; a click on the legend singles one out."""
    chosen = picked("part")
    names = list(palette)
    legend = alt.Legend(orient="bottom", columns=2, labelLimit=420)
    scale = alt.Scale(domain=names, range=list(palette.values()))
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
    share = share_of(top)
    return (
        f"The slowest {kind}s (band {top['band']}, {top['requests']:,} of them) take "
        f"{duration_us(top['latency_mean_us'])} on average; {percentage(share)} of it is {words(top['part'])}"
    )
