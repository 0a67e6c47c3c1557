"""How warm the drive was over time, and when it throttled."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from wordline.formatting import display, percentage, unit_of
from wordline.report.section import Figure, Row, Section
from wordline.report.theme import WIDTH, data, specification, time_axis

if TYPE_CHECKING:
    from wordline.results import Result

POINTS = 400
"""Stretches that are drawn; with more, neighbours are merged."""
STATES = {
    "does not throttle": "#9ca3af",
    "throttles lightly (TMT1)": "#e69f00",
    "throttles heavily (TMT2)": "#d55e00",
    "takes up no command (CCTEMP)": "#7f0000",
}
"""States in their order, and their colours."""
REMARK = (
    "One temperature stands for the whole drive: it follows its power by one thermal resistance and one heat capacity "
    "(thermal.resistance, thermal.capacity). Lines are the thresholds of the configuration."
)


def section(result: Result) -> Section | None:
    """Temperature over time; nothing where the drive has none."""
    if "thermal.temperature.max_c" not in result.summary:
        return None
    figures = [over_time(result)] if result.temperature.height > 1 else []
    return Section(
        "Temperature", figures, absent="The run is too short for a course of the temperature."
    )


def over_time(result: Result) -> Figure:
    """Temperature in each stretch, by what the drive did about it, and the thresholds."""
    table = merged(result.temperature)
    names = list(STATES)
    unit, factor = unit_of(table["power_mw"], "mW")
    rows = [
        {
            "start (s)": row["start_s"],
            "temperature (°C)": row["temperature_c"],
            f"power ({unit})": row["power_mw"] * factor,
            "drive": names[row["state"]],
        }
        for row in table.iter_rows(named=True)
    ]
    points = [
        {"time": row["start_s"], "temperature": row["temperature_c"], "drive": names[row["state"]]}
        for row in table.iter_rows(named=True)
    ]
    last = result.temperature.row(-1, named=True)
    end = (last["start_ns"] + last["width_ns"]) / 1e9
    thermal = tomllib.loads(result.config)["thermal"]
    limits = {
        name.upper(): float(str(thermal[name]).removesuffix("degC"))
        for name in ("tmt1", "tmt2", "cctemp")
    }
    used = [name for name in names if any(point["drive"] == name for point in points)]
    scale = alt.Scale(domain=used, range=[STATES[name] for name in used])
    base = alt.Chart(data(points)).encode(
        x=alt.X("time:Q", axis=time_axis(end), scale=alt.Scale(nice=False)),
        y=alt.Y("temperature:Q", title="temperature (°C)", scale=alt.Scale(zero=False)),
    )
    course = base.mark_line(color="#9ca3af") + base.mark_circle(size=14).encode(
        color=alt.Color(
            "drive:N", scale=scale, title="the drive", legend=alt.Legend(orient="bottom")
        ),
        tooltip=["drive:N", alt.Tooltip("temperature:Q", format=".1f")],
    )
    most = result.number("thermal.temperature.max_c")
    reached: list[Row] = [{"name": name, "at": at} for name, at in limits.items() if at <= most]
    shown = alt.layer(course, *thresholds(reached)) if reached else course
    chart = shown.properties(width=WIDTH, height=200)
    return Figure(told(result), specification(chart), rows, REMARK, "temperature")


def thresholds(limits: list[Row]) -> tuple[alt.Chart, alt.Chart]:
    """A line for each threshold that was reached, and its name."""
    base = alt.Chart(data(limits)).encode(y="at:Q")
    line = base.mark_rule(strokeDash=[4, 3], color="#6b7280")
    text = base.mark_text(align="left", dx=4, dy=-5, color="#6b7280")
    return line, text.encode(text="name:N", x=alt.value(0))


def told(result: Result) -> str:
    """The temperature of the run in a sentence."""
    share = result.number("thermal.throttled_share")
    said = f"The drive became {display(result.number('thermal.temperature.max_c'))} °C warm"
    if not share:
        return f"{said} and did not throttle"
    return f"{said} and throttled for {percentage(share)} of the time"


def merged(table: pl.DataFrame) -> pl.DataFrame:
    """At most `POINTS` stretches, with mean temperature and power and the warmest state."""
    per_point = max(-(-table.height // POINTS), 1)
    width = pl.col("width_ns")
    means = pl.col("temperature_c", "power_mw")
    return (
        table.group_by(pl.int_range(pl.len()).alias("point") // per_point, maintain_order=True)
        .agg(
            (pl.col("start_ns").first() / 1e9).alias("start_s"),
            (means * width).sum() / width.sum(),
            pl.col("state").max(),
        )
        .drop("point")
    )
