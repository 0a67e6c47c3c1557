"""What the run cost in energy: by cause and part, and as power over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from wordline.formatting import percentage, quantity, unit_of
from wordline.powerlimits import limits_told
from wordline.report.power import PART_COLOURS
from wordline.report.section import Figure, Row, Section
from wordline.report.theme import AMOUNTS, WIDTH, data, specification, time_axis

if TYPE_CHECKING:
    from wordline.results import Result, Scalar

POINTS = 300
"""Windows that are drawn; with more, neighbours are merged."""
CAUSE = "energy.cause."
BESIDE = {
    "controller": "the controller",
    "dram": "the DRAM",
    "channel_io": "the channels",
    "idle": "idle time",
    "idle_states": "idle states",
    "codec": "codecs",
}
"""Parts that no flash operation causes, in words."""
COLOURS = PART_COLOURS | {
    "controller": "#7f3c8d",
    "dram": "#11a579",
    "channel_io": "#80ba5a",
    "idle": "#a5614e",
    "idle_states": "#cfb5a8",
    "codec": "#66a61e",
    "supply": "#0072b2",
}
"""Colours of the parts."""
POWERS = {
    "host": ("power_flash_host_mw", "#0072b2"),
    "garbage collection": ("power_flash_gc_mw", "#cc79a7"),
    "other flash operations": ("power_flash_other_mw", "#e69f00"),
    "beside the flash": ("power_beside_mw", "#9ca3af"),
}
"""What power is drawn by: column and colour."""
OF_SUPPLY = "Flash energy = supply voltage x current x array time (power.supply). "
OF_CHIP = (
    "Flash energy follows FlashPower's model of the chip (power.chip), a planar one with floating gates, whose tunnelling "
    "current is a fit. "
)
OF_REST = "Controller, DRAM, channels, idle time and idle states take what [power] says, nothing by default."
"""Where the figures come from."""


def section(result: Result) -> Section | None:
    """Energy and power; nothing where the drive names no chip."""
    if "energy.total_mj" not in result.summary:
        return None
    figures = [figure for figure in (by_cause(result.summary), over_time(result)) if figure]
    return Section("Energy", figures, absent="The run took no energy that is counted.")


def number(summary: Mapping[str, Scalar], key: str) -> float:
    """An energy or power of the summary; one that is missing counts as zero."""
    value = summary.get(key)
    return float(value) if isinstance(value, int | float) else 0.0


def entries(summary: Mapping[str, Scalar]) -> list[tuple[str, str, float]]:
    """Cause, part and millijoules."""
    found = []
    for key in summary:
        cause, _, part = key.removeprefix(CAUSE).partition(".")
        if key.startswith(CAUSE) and part:
            found.append((cause, part.removesuffix("_mj"), number(summary, key)))
    for part, name in BESIDE.items():
        if joules := number(summary, f"energy.{part}_mj"):
            found.append((name, part, joules))
    return found


def by_cause(summary: Mapping[str, Scalar]) -> Figure | None:
    """A bar for each cause, divided by part."""
    found = entries(summary)
    total = number(summary, "energy.total_mj")
    if not found or not total:
        return None
    parts: dict[str, float] = {}
    for _, part, joules in found:
        parts[part] = parts.get(part, 0.0) + joules
    names = sorted(parts, key=lambda part: -parts[part])
    unit, scale = unit_of((joules for *_, joules in found), "mJ")
    rows: list[Row] = [
        {
            "cause": cause,
            "part": part.replace("_", " "),
            f"energy ({unit})": joules * scale,
            "share": joules / total,
        }
        for cause, part, joules in found
    ]
    points = [
        {
            "cause": cause,
            "part": part.replace("_", " "),
            "energy": joules * scale,
            "order": names.index(part),
        }
        for cause, part, joules in found
    ]
    words = [part.replace("_", " ") for part in names]
    causes = list(dict.fromkeys(cause for cause, _, _ in found))
    colours = [COLOURS[part] for part in names]
    chart = (
        alt.Chart(data(points))
        .mark_bar()
        .encode(
            x=alt.X("energy:Q", title=f"energy ({unit})", axis=alt.Axis(labelExpr=AMOUNTS)),
            y=alt.Y("cause:N", title=None, sort=causes, axis=alt.Axis(labelLimit=160)),
            color=alt.Color(
                "part:N",
                scale=alt.Scale(domain=words, range=colours),
                legend=alt.Legend(orient="bottom", columns=5),
            ),
            order=alt.Order("order:Q"),
            tooltip=["cause:N", "part:N", alt.Tooltip("energy:Q", format=",.4~g")],
        )
        .properties(width=WIDTH - 120, height=34 * len(causes))
    )
    remark = (OF_SUPPLY if "supply" in names else OF_CHIP) + OF_REST
    return Figure(told(summary, parts, names[0]), specification(chart), rows, remark, "energy")


def told(summary: Mapping[str, Scalar], parts: Mapping[str, float], largest: str) -> str:
    """The energy of the run in a sentence."""
    total = number(summary, "energy.total_mj")
    per_byte = number(summary, "energy.per_host_byte_nj")
    each = "" if not per_byte else f", {quantity(per_byte, 'nJ')} for each byte of the host"
    return (
        f"The run took {quantity(total, 'mJ')}{each}; the largest part is {largest.replace('_', ' ')} "
        f"({percentage(parts[largest] / total)})"
    )


def over_time(result: Result) -> Figure | None:
    """Power in each window of simulated time."""
    series = result.time_series.drop_nulls("power_mw")
    if series.height < 2:
        return None
    windows = merged(series)
    unit, scale = unit_of(windows["power_mw"], "mW")
    last = series.row(-1, named=True)
    end = (last["start_ns"] + last["width_ns"]) / 1e9
    points = [
        {"time": row["start_s"], "for": name, "power": row[column] * scale}
        for row in windows.iter_rows(named=True)
        for name, (column, _) in POWERS.items()
    ]
    colours = alt.Scale(domain=list(POWERS), range=[colour for _, colour in POWERS.values()])
    chart = (
        alt.Chart(data(points))
        .mark_area(opacity=0.85, interpolate="step-after")
        .encode(
            x=alt.X("time:Q", axis=time_axis(end), scale=alt.Scale(nice=False)),
            y=alt.Y("power:Q", title=f"mean power ({unit})", axis=alt.Axis(labelExpr=AMOUNTS)),
            color=alt.Color("for:N", scale=colours),
            order=alt.Order("rank:Q"),
        )
        .transform_calculate(rank=f"indexof({list(POWERS)!r}, datum['for'])")
        .properties(width=WIDTH, height=200)
    )
    named = {"power": "power_mw"} | {name: column for name, (column, _) in POWERS.items()}
    rows = windows.select(
        pl.col("start_s").alias("start (s)"),
        *((pl.col(column) * scale).alias(f"{name} ({unit})") for name, column in named.items()),
    ).to_dicts()
    return Figure(
        powers_told(result.summary), specification(chart), rows, limits_told(result), "power"
    )


def powers_told(summary: Mapping[str, Scalar]) -> str:
    """Mean power, the highest of a second where the run is that long, and of a window."""
    mean, second, window = (
        quantity(number(summary, f"power.{key}_mw"), "mW")
        for key in ("mean", "max_second", "max_window")
    )
    if number(summary, "sim.time_s") < 1:
        return f"Mean power was {mean}, and {window} in the highest window"
    return (
        f"Mean power was {mean}, {second} in the highest second and {window} in the highest window"
    )


def merged(series: pl.DataFrame) -> pl.DataFrame:
    """At most `POINTS` windows, with their mean powers."""
    per_point = max(-(-series.height // POINTS), 1)
    flash = [column for column, _ in POWERS.values() if column in series.columns]
    beside = (pl.col("power_mw") - pl.sum_horizontal(flash)).clip(lower_bound=0)
    width = pl.col("width_ns")
    powers = pl.col("power_mw", "power_beside_mw", *flash)
    return (
        series.with_columns(beside.alias("power_beside_mw"))
        .group_by(pl.int_range(pl.len()).alias("point") // per_point, maintain_order=True)
        .agg(
            (pl.col("start_ns").first() / 1e9).alias("start_s"),
            (powers * width).sum() / width.sum(),
        )
        .drop("point")
    )
