"""How busy dies and channels were, each over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from wordline.formatting import percent
from wordline.report.section import Figure, Row, Section
from wordline.report.theme import WIDTH, data, specification, time_axis

if TYPE_CHECKING:
    from wordline.results import Result

ROWS = 64
"""Rows of a heat map; with more dies, neighbours are merged."""
TRACKS = {"die": "dies", "channel": "channels"}
PANELS = {"busy": "busy", "background": "busy with background work"}
READING = " A bright row is a unit that is busy throughout, a bright column a moment in which many are. The scale ends at the largest share."
REMARK = (
    "Left: the share of the time in which the arrays worked or the bus was held. Right: the part of it that no request of "
    f"the host asked for.{READING}"
)
ALONE = f"The share of the time in which the arrays worked or the bus was held, all of it for the host.{READING}"


def section(result: Result) -> Section:
    """Heat maps of dies and of channels."""
    table = result.utilisation
    figures = [heat_map(track, own) for track in TRACKS if (own := of_track(table, track)).height]
    return Section(
        "Dies and channels",
        figures,
        absent="The run kept no timeline (`output.timeline`), so that busy shares over time are not known.",
    )


def of_track(table: pl.DataFrame, track: str) -> pl.DataFrame:
    """The busy shares of dies or of channels."""
    return table.filter(pl.col("track") == track)


def heat_map(track: str, table: pl.DataFrame) -> Figure:
    """Busy shares by unit and time: all work, and background work."""
    per_row = -(-table["unit"].n_unique() // ROWS)
    cells = (
        table.group_by((pl.col("unit") // per_row * per_row).alias("unit"), "start_ns", "width_ns")
        .agg(pl.col(*PANELS).mean().round(7))
        .sort("unit", "start_ns")
        .select(
            "unit",
            (pl.col("start_ns") / 1e9).alias("start"),
            ((pl.col("start_ns") + pl.col("width_ns")) / 1e9).alias("end"),
            *PANELS,
        )
        .to_dicts()
    )
    height = min(max(100, 14 * (table["unit"].n_unique() // per_row)), 420)
    shown = [column for column in PANELS if column == "busy" or table[column].sum() > 0]
    width = WIDTH - 60 if len(shown) == 1 else WIDTH // 2 - 60
    panels = [
        panel(cells, track, column).properties(width=width, height=height) for column in shown
    ]
    chart = alt.hconcat(*panels, spacing=24).resolve_scale(color="shared")
    remark = REMARK if len(shown) > 1 else ALONE
    name = f"{track}-utilisation"
    merged = f" Each row is the mean of {per_row} {TRACKS[track]}." if per_row > 1 else ""
    return Figure(
        told(track, table), specification(chart), by_unit(track, table), remark + merged, name
    )


def panel(cells: Sequence[Mapping[str, Any]], track: str, column: str) -> alt.Chart:
    """One share by unit and time; the brightest colour is the largest busy share."""
    most = max(cell["busy"] for cell in cells)
    end = max(cell["end"] for cell in cells)
    chart: alt.Chart = (
        alt.Chart(data(cells), title=PANELS[column])
        .mark_rect()
        .encode(
            x=alt.X("start:Q", axis=time_axis(end), scale=alt.Scale(nice=False)),
            x2="end:Q",
            y=alt.Y(
                "unit:O",
                title=track,
                scale=alt.Scale(padding=0),
                axis=alt.Axis(labelOverlap="greedy", labelAngle=0),
            ),
            color=alt.Color(
                f"{column}:Q",
                title="share of the time",
                scale=alt.Scale(scheme="viridis", domain=[0, most or 1]),
                legend=alt.Legend(title="share of the time", format="~%", gradientLength=200),
            ),
            tooltip=[
                alt.Tooltip("unit:O", title=track),
                alt.Tooltip("start:Q", title="from (s)", format=".4~g"),
                alt.Tooltip("end:Q", title="to (s)", format=".4~g"),
                *(
                    alt.Tooltip(f"{key}:Q", title=name, format=".3~p")
                    for key, name in PANELS.items()
                ),
            ],
        )
    )
    return chart


def by_unit(track: str, table: pl.DataFrame) -> list[Row]:
    """Busy shares of each unit over the whole run."""
    width = pl.col("width_ns")
    means = ((pl.col(column) * width).sum() / width.sum() for column in PANELS)
    rows = (
        table.group_by("unit")
        .agg(*means, pl.col("busy").max().alias("most"))
        .sort("unit")
        .iter_rows(named=True)
    )
    return [
        {
            track: each["unit"],
            "busy": percent(each["busy"]),
            "with background work": percent(each["background"]),
            "busiest stretch": percent(each["most"]),
        }
        for each in rows
    ]


def told(track: str, table: pl.DataFrame) -> str:
    """Which units were busiest, in a sentence."""
    width = pl.col("width_ns")
    means = (
        table.group_by("unit")
        .agg(*((pl.col(column) * width).sum() / width.sum() for column in PANELS))
        .sort("busy", "unit", descending=[True, False])
    )
    most, least = means.row(0, named=True), means.row(-1, named=True)
    aside = percent(most["background"])
    background = f", {aside} with background work" if most["background"] else ""
    if means.height == 1:
        return f"The {track} was busy {percent(most['busy'])} of the time{background}"
    if percent(most["busy"]) == percent(least["busy"]):
        return f"All {TRACKS[track]} were busy {percent(most['busy'])} of the time{background}"
    return (
        f"{track.capitalize()} {most['unit']} was busiest: {percent(most['busy'])} of the time{background}; "
        f"{track} {least['unit']} least, {percent(least['busy'])}"
    )
