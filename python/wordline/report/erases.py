"""How many blocks were erased how often."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from wordline.report.theme import CLASS_COLOURS, PAPER, WIDTH, counts, data, specification

BARS = 60
"""Bars of the histogram."""
MARKS = 12
"""Marks of its axis."""


def erase_histogram(erases: pl.Series) -> tuple[Mapping[str, Any], list[dict[str, int]]]:
    """The specification of the histogram of erase counts, and its bars: `from`, `to` (inclusive), `blocks`."""
    count = pl.col("erases")
    table = pl.DataFrame({"erases": erases.cast(pl.Int64)})
    lowest, highest = table.select(count.min().alias("low"), count.max().alias("high")).row(0)
    width = -(-(highest - lowest + 1) // BARS)
    bars = (
        table.group_by(((count - lowest) // width * width + lowest).alias("from"))
        .agg(pl.len().alias("blocks"))
        .sort("from")
        .with_columns(to=pl.col("from") + width - 1)
        .select("from", "to", "blocks")
        .to_dicts()
    )
    step = width * -(-((highest - lowest) // width + 1) // MARKS)
    # a bar has its number in its middle: that of 3 reaches from 2.5 to 3.5
    points = ({**bar, "left": bar["from"] - 0.5, "right": bar["to"] + 0.5} for bar in bars)
    chart = (
        alt.Chart(data(points))
        .mark_rect(color=CLASS_COLOURS["read"], stroke=PAPER, strokeWidth=0.5)
        .encode(
            x=alt.X(
                "left:Q",
                title="erases of a block",
                scale=alt.Scale(zero=False, nice=False),
                axis=alt.Axis(
                    values=list(range(lowest, highest + 1, step)), format=",d", grid=False
                ),
            ),
            x2="right",
            y=alt.Y("blocks:Q", title="blocks", axis=counts(), scale=alt.Scale(zero=True)),
            y2=alt.Y2Datum(0),
            tooltip=["from:Q", "to:Q", "blocks:Q"],
        )
        .properties(width=WIDTH, height=180)
    )
    return specification(chart), bars
