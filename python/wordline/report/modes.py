"""Modes of pages: what was read and programmed in each, over time, and how long units were idle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from wordline.formatting import duration_us, percent, unit_of
from wordline.report.section import Figure, Row, Section
from wordline.report.theme import (
    WIDTH,
    colours,
    data,
    duration_axis,
    fade,
    picked,
    specification,
    time_axis,
)

if TYPE_CHECKING:
    from wordline.results import Result, Scalar

PANELS = {"programmed": "programmed", "read": "read"}
"""Work of the host that is shown by mode, and the title of its axis."""
COLOURS = ("#9ca3af", "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9")
"""Of the modes in their order; further ones repeat them."""
IDLE = {"idle_mean_us": "that ended", "expected_idle_us": "expected"}
"""Lengths of idle intervals, and how the legend calls them."""
REMARK = (
    "The upper panels show the share of the host's pages that were programmed in each mode, and of those that it read; "
    "the lowest one how long dies were without work of the host: the mean of the times that ended, and what the policy "
    "of modes expected when it decided. The pages that garbage collection moves are not in the chart."
)


def section(result: Result) -> Section | None:
    """Shares of each mode over time, and idle intervals; nothing where the drive has one mode only."""
    names = mode_names(result.summary)
    if not names:
        return None
    table = result.modes
    absent = "The host read and programmed no page."
    is_used = any(table[f"host_pages_{panel}"].sum() for panel in PANELS)
    figures = [over_time(result.summary, names, table)] if is_used else []
    return Section("Modes of pages", figures, absent=absent)


def mode_names(summary: Mapping[str, Scalar]) -> list[str]:
    """The modes of a drive in their order, the normal one first; none where there is no other."""
    end = ".pages_read"
    return [
        key.removeprefix("modes.").removesuffix(end)
        for key in summary
        if key.startswith("modes.") and key.endswith(end)
    ]


def over_time(summary: Mapping[str, Scalar], names: list[str], table: pl.DataFrame) -> Figure:
    """Panels above one time axis."""
    table = table.with_columns(
        start=pl.col("start_ns") / 1e9,
        end=(pl.col("start_ns") + pl.col("width_ns")) / 1e9,
        name=pl.col("mode").map_elements(lambda mode: names[mode], return_dtype=pl.String),
    )
    chosen = picked("mode")
    shown = [panel for panel in PANELS if table[f"host_pages_{panel}"].sum()]
    idle = idle_points(table)
    until = float(table.select(pl.col("end").max()).item() or 0)
    panels = [
        shares(
            table,
            names,
            panel,
            chosen,
            until=until if not idle and panel == shown[-1] else None,
            first=panel == shown[0],
        )
        for panel in shown
    ]
    if idle:
        panels.append(idle_lengths(idle, until))
    chart = alt.vconcat(*panels, spacing=12).resolve_scale(x="shared", color="independent")
    return Figure(
        told(summary, names),
        specification(chart),
        [
            {**row(summary, name), **energy}
            for name, energy in zip(names, energies(summary, names), strict=True)
        ],
        REMARK,
        "modes",
    )


def axis(until: float | None) -> alt.X:
    """The axis that all panels share; the lowest has labels, `until` so many seconds."""
    shown = alt.Axis(labels=False, title=None) if until is None else time_axis(until)
    return alt.X("start:Q", scale=alt.Scale(nice=False), axis=shown)


def shares(
    table: pl.DataFrame,
    names: list[str],
    panel: str,
    chosen: alt.Parameter,
    *,
    until: float | None,
    first: bool,
) -> alt.Chart:
    """The share of each mode in the pages of the host over time."""
    column = f"host_pages_{panel}"
    all_modes = pl.col(column).sum().over("start_ns")
    # shares stand on one another in the order of the modes
    points = (
        table.with_columns(share=pl.col(column) / all_modes)
        .filter(all_modes > 0)
        .with_columns(top=pl.col("share").cum_sum().over("start_ns"))
        .filter(pl.col("share") > 0)
        .select(
            *("start", "end", "share", "top"),
            pl.col("name").alias("mode"),
            (pl.col("top") - pl.col("share")).alias("bottom"),
            pl.col(column).alias("pages"),
        )
        .to_dicts()
    )
    palette = [COLOURS[place % len(COLOURS)] for place in range(len(names))]
    chart: alt.Chart = (
        alt.Chart(data(points))
        .mark_rect()
        .encode(
            x=axis(until),
            x2="end:Q",
            y2="top:Q",
            y=alt.Y(
                "bottom:Q",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(title=PANELS[panel], format="~%", tickCount=3),
            ),
            color=colours("mode", names, palette, legend=first),
            opacity=fade(chosen, 0.9),
            tooltip=[
                alt.Tooltip("mode:N"),
                alt.Tooltip("start:Q", title="from (s)", format=".4~g"),
                alt.Tooltip("share:Q", format=".3~p"),
                alt.Tooltip("pages:Q", format=","),
            ],
        )
        .properties(width=WIDTH, height=90)
    )
    # the panel with the legend picks for all
    return chart.add_params(chosen) if first else chart


def idle_points(table: pl.DataFrame) -> list[dict[str, Any]]:
    """Lengths of idle intervals over time, as points."""
    rows = table.filter(pl.col("mode") == 0).iter_rows(named=True)
    return [
        {"start": row["start"], "idle": name, "length": row[column]}
        for row in rows
        for column, name in IDLE.items()
        # zero, which nothing expected is at first, has no place on a log axis
        if row[column]
    ]


def idle_lengths(points: list[dict[str, Any]], until: float) -> alt.Chart:
    """How long units were idle, and were expected to be."""
    lengths = [point["length"] for point in points]
    names = [name for name in IDLE.values() if any(point["idle"] == name for point in points)]
    chart: alt.Chart = (
        alt.Chart(data(points))
        .mark_line(strokeWidth=1.5, point=alt.OverlayMarkDef(size=14))
        .encode(
            x=axis(until),
            y=alt.Y(
                "length:Q",
                scale=alt.Scale(type="log", nice=False),
                axis=duration_axis(min(lengths), max(lengths), title="idle (log scale)"),
            ),
            color=colours("idle", names, ["#374151", "#d55e00"]),
            tooltip=[
                alt.Tooltip("idle:N", title="idle times"),
                alt.Tooltip("start:Q", title="from (s)", format=".4~g"),
                alt.Tooltip("length:Q", title="mean (µs)", format=",.4~g"),
            ],
        )
        .properties(width=WIDTH, height=110)
    )
    return chart


def number(summary: Mapping[str, Scalar], key: str) -> float | None:
    """A number of the summary; none where it is missing."""
    value = summary.get(key)
    return float(value) if isinstance(value, int | float) else None


def row(summary: Mapping[str, Scalar], name: str) -> Row:
    """A mode's line of the table."""
    of = {
        "pages read": "pages_read",
        "pages programmed": "pages_programmed",
        "pages held": "pages_held",
        "share of the host's reads": "host_read_share",
        "share of the host's programs": "host_program_share",
        "mean read (µs)": "read_us",
        "mean program (µs)": "program_us",
    }
    known = {title: summary.get(f"modes.{name}.{key}") for title, key in of.items()}
    return {"mode": name, **known}


def energies(summary: Mapping[str, Scalar], names: Sequence[str]) -> list[Row]:
    """The energy of each mode, in one unit; nothing where none is known."""
    found = [number(summary, f"modes.{name}.energy_mj") for name in names]
    known = [energy for energy in found if energy is not None]
    if not known:
        return [{} for _ in names]
    unit, scale = unit_of(known, "mJ")
    return [{f"energy ({unit})": None if energy is None else energy * scale} for energy in found]


def told(summary: Mapping[str, Scalar], names: list[str]) -> str:
    """What the modes came to, in one sentence."""
    parts = []
    for key, what in (("host_program_share", "programs"), ("host_read_share", "reads")):
        others = [number(summary, f"modes.{name}.{key}") for name in names[1:]]
        known = [share for share in others if share is not None]
        if known:
            parts.append(f"{percent(sum(known))} of the host's {what}")
    text = f"{' and '.join(parts)} were of other modes than the normal one"
    idle = number(summary, "units.idle.mean_us")
    return text if idle is None else f"{text}; a die was idle for {duration_us(idle)} at a time"
