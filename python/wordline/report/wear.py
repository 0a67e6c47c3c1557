"""Which blocks were erased how often."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from wordline.formatting import counted, display
from wordline.report.erases import erase_histogram
from wordline.report.section import Figure, Row, Section
from wordline.report.theme import PAPER, WIDTH, data, specification

if TYPE_CHECKING:
    from wordline.results import Result

ROWS = 64
"""Rows of the wear map; with more planes, neighbours are merged."""
COLUMNS = 96
"""Columns of the wear map; with more blocks per plane, neighbours are merged."""
PLANE = ["channel", "chip", "die", "plane"]


def section(result: Result) -> Section:
    """Erase counts by place, and their distribution."""
    blocks = result.blocks
    if blocks.is_empty():
        return Section("Wear", absent="The drive keeps no state per block.")
    if blocks["erase_count"].n_unique() == 1:
        count = blocks["erase_count"][0]
        alike = f"Every one of the {blocks.height:,} blocks was erased {counted(count, 'time')}."
        return Section("Wear", absent=alike if count else f"{title(blocks)}.")
    return Section("Wear", [wear_map(blocks), histogram(blocks)])


def wear_map(blocks: pl.DataFrame) -> Figure:
    """Mean erase count by plane and block."""
    placed = blocks.with_columns(row=pl.struct(PLANE).rank("dense") - 1)
    planes_per_row = -(-placed["row"].n_unique() // ROWS)
    places = placed.group_by("row").agg(pl.col(PLANE).first()).sort("row").to_dicts()
    blocks_per_cell = -(-placed["index"].n_unique() // COLUMNS)
    cells = (
        placed.group_by(
            pl.col("row") // planes_per_row * planes_per_row,
            pl.col("index").alias("block") // blocks_per_cell * blocks_per_cell,
        )
        .agg(erases=pl.col("erase_count").mean().round(3))
        .sort("row", "block")
        .with_columns(
            row_end=pl.col("row") + planes_per_row, block_end=pl.col("block") + blocks_per_cell
        )
    )
    points = ({**cell, "place": place(places[cell["row"]])} for cell in cells.iter_rows(named=True))
    merged = planes_per_row * blocks_per_cell
    chart = (
        alt.Chart(data(points))
        .mark_rect()
        .encode(
            x=alt.X(
                "block:Q",
                title="block of the plane",
                scale=alt.Scale(nice=False),
                axis=alt.Axis(tickMinStep=1),
            ),
            x2="block_end",
            y=alt.Y(
                "row:Q",
                title="plane, by channel, chip and die",
                scale=alt.Scale(nice=False, reverse=True),
                axis=channels(places),
            ),
            y2="row_end",
            color=alt.Color(
                "erases:Q",
                title="erases per block",
                scale=alt.Scale(scheme="viridis", zero=False),
                legend=alt.Legend(
                    title="erases per block",
                    gradientLength=300,
                    tickMinStep=1 if merged == 1 else alt.Undefined,
                    format="~g",
                ),
            ),
            tooltip=[
                alt.Tooltip("place:N", title="plane" if planes_per_row == 1 else "planes from"),
                alt.Tooltip("block:Q"),
                alt.Tooltip("erases:Q", title="erases (mean)"),
            ],
        )
        .properties(width=WIDTH, height=max(120, 5 * cells["row"].n_unique()))
    )
    remark = f"Each cell is the mean of up to {merged:,} blocks." if merged > 1 else ""
    return Figure(title(blocks), specification(chart), by_plane(blocks), remark.strip(), "wear")


def place(plane: Mapping[str, int]) -> str:
    """A plane in words."""
    return ", ".join(f"{name} {plane[name]}" for name in PLANE)


def channels(places: Sequence[Mapping[str, int]]) -> alt.Axis:
    """An axis of planes with a mark where each channel begins."""
    first: dict[int, int] = {}
    for row, plane in enumerate(places):
        first.setdefault(plane["channel"], row)
    labels = {row: f"channel {channel}" for channel, row in first.items()}
    return alt.Axis(
        values=list(labels),
        labelExpr=f"({json.dumps(labels)})[datum.value]",
        labelBaseline="top",
        labelOverlap="greedy",
        grid=True,
        gridColor=PAPER,
        gridWidth=2,
        zindex=1,
    )


def title(blocks: pl.DataFrame) -> str:
    """The spread of the wear, in words."""
    count = pl.col("erase_count")
    mean, low, high, deviation = blocks.select(
        count.mean().alias("mean"),
        count.min().alias("low"),
        count.max().alias("high"),
        count.std(ddof=0).alias("deviation"),
    ).row(0)
    if not high:
        return "No block was ever erased"
    return (
        f"Blocks were erased {display(mean)} times on average, between {low:,} and {high:,} "
        f"(standard deviation {display(deviation)})"
    )


def by_plane(blocks: pl.DataFrame) -> Sequence[Row]:
    """Wear of each plane."""
    count = pl.col("erase_count")
    return (
        blocks.group_by(PLANE)
        .agg(
            pl.len().alias("blocks"),
            count.sum().alias("erases"),
            count.min().alias("fewest"),
            count.mean().alias("mean"),
            count.max().alias("most"),
            count.std(ddof=0).alias("standard deviation"),
        )
        .sort(PLANE)
        .to_dicts()
    )


def histogram(blocks: pl.DataFrame) -> Figure:
    """How many blocks have seen how many erases."""
    chart, rows = erase_histogram(blocks["erase_count"])
    most = max(rows, key=lambda row: row["blocks"])
    span = f"{most['from']}" if most["from"] == most["to"] else f"{most['from']} to {most['to']}"
    heading = (
        f"The commonest number of erases is {span}: {most['blocks']:,} of {blocks.height:,} blocks"
    )
    return Figure(heading, chart, rows, name="wear-histogram")
