"""The page of a data sheet: what a drive does, at which depth, how long it lasts, and what it needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import altair as alt

from wordline.datasheets.sheet import LIMITED_SHARE
from wordline.formatting import (
    binary_size,
    display,
    duration,
    duration_us,
    part_of,
    percentage,
    quantity,
)
from wordline.report.html import Cards, Page
from wordline.report.section import Figure, Row, Section
from wordline.report.theme import WIDTH, data, specification

if TYPE_CHECKING:
    from wordline.datasheets.sheet import DataSheet

NO_POWER = "The drive's file says nothing of power: `power.chip` or `power.supply`, `power.controller`, `power.idle`."
"""Why there is no table of power."""
SHARES = ("busy", "SLC cache")
"""Columns of shares."""


def tables(sheet: DataSheet) -> list[tuple[str, Sequence[Row]]]:
    """What is printed: headings and tables."""
    found: list[tuple[str, Sequence[Row]]] = [
        ("Throughput and latency", [with_units(row) for row in shown(sheet)]),
        (
            f"\nEndurance: bytes that the host may write until blocks, which wear alike, have had {sheet.cycles:,} program/erase cycles each",
            sheet.endurance,
        ),
        ("\nPower", powers(sheet)),
        ("\nMemory", memory(sheet)),
    ]
    return [(heading, rows) for heading, rows in found if rows]


def shown(sheet: DataSheet) -> list[Row]:
    """Throughput and latencies, shares as percentages."""
    return [
        {
            key: percentage(value) if key in SHARES and isinstance(value, float) else value
            for key, value in row.items()
        }
        for row in sheet.rows
    ]


def with_units(row: Row) -> Row:
    """A row whose latencies have the unit that reads best: that of a queue of large requests is a thousand times that of a lone one."""
    suffix = " (µs)"
    return {
        name.removesuffix(suffix): duration(value) if name.endswith(suffix) else value
        for name, value in row.items()
    }


def memory(sheet: DataSheet) -> list[Row]:
    """Memory of the controller, in the unit that reads best."""
    return [
        {"memory": row["memory"], "size": binary_size(number(row["bytes"]))} for row in sheet.memory
    ]


def powers(sheet: DataSheet) -> list[Row]:
    """Mean powers and energies, each with its unit: an idle drive takes a thousandth of what a busy one takes. Beside them what a limit of power held back, where it held anything back."""
    is_limited = any(row[LIMITED_SHARE] for row in sheet.power)
    return [
        {
            "load": row["load"],
            "depth": row["depth"],
            "mean power": quantity(row["mean power (mW)"], "mW"),
            "energy per byte of the host": quantity(row["nJ per byte of the host"], "nJ"),
            **({LIMITED_SHARE: part_of(number(row[LIMITED_SHARE]))} if is_limited else {}),
        }
        for row in sheet.power
    ]


def render(sheet: DataSheet) -> str:
    """The page."""
    sections = [
        Section("Random requests", [throughput(sheet), latencies(sheet)]),
        Section("All loads", rows=shown(sheet)),
        Section("Endurance", rows=sheet.endurance),
        Section("Power", rows=powers(sheet), absent="" if sheet.power else NO_POWER),
        Section("Memory", rows=memory(sheet)),
    ]
    name = sheet.config.get("name") or "a drive"
    raw, user = binary_size(sheet.raw_bytes), binary_size(sheet.user_bytes)
    return Page(
        f"Data sheet of {name}",
        sections,
        subtitle=f"{user} for the host, of {raw} of flash",
        lead=[
            f"All figures are simulated or derived. Assumes {sheet.cycles:,} program/erase cycles per block and even wear."
        ],
        boxes=[(note.severity, note.text) for note in sheet.remarks.lettered],
        cards=cards(sheet),
    ).html()


def cards(sheet: DataSheet) -> Cards:
    """The figures that a sheet begins with."""
    best: dict[str, tuple[str, str, str]] = {}
    for row in sheet.rows:
        sequential = str(row["load"]).startswith("sequential")
        unit = "MB/s" if sequential else "IOPS"
        value = display(whole(row["bandwidth (MB/s)" if sequential else "IOPS"]))
        title = f"{row['load']}, {row['state']}"
        # the last row of a load is that of its greatest depth
        best[title] = (title, f"{value} {unit}", f"{row['size']}, depth {row['depth']}")
    return list(best.values())


def whole(value: object) -> object:
    """A figure without decimals."""
    return round(value) if isinstance(value, float) else value


def points(sheet: DataSheet) -> list[dict[str, object]]:
    """A point for each random load and depth."""
    return [
        {**row, "curve": f"{row['load']}, {row['state']}"}
        for row, load in zip(sheet.rows, sheet.loads, strict=True)
        if not load.sequential
    ]


def throughput(sheet: DataSheet) -> Figure:
    """Requests per second by queue depth."""
    chart = (
        alt.Chart(data(points(sheet)))
        .mark_line(point=True)
        .encode(
            x=alt.X("depth:Q", title="queue depth", scale=alt.Scale(type="log", base=2)),
            y=alt.Y("IOPS:Q", title="requests per second", scale=alt.Scale(type="log")),
            color=alt.Color("curve:N", title=None, sort=None, scale=alt.Scale(scheme="tableau10")),
            tooltip=["curve:N", "depth:Q", alt.Tooltip("IOPS:Q", format=",.0f"), "busiest:N"],
        )
        .properties(width=WIDTH - 240, height=320)
    )
    most = max(points(sheet), key=lambda row: number(row["IOPS"]))
    title = (
        f"Up to {display(whole(most['IOPS']))} requests per second, {most['curve']}, "
        f"at depth {most['depth']}"
    )
    remark = "A curve becomes flat where a part of the drive is busy all the time: the table of all loads names it."
    return Figure(title, specification(chart), shown(sheet), remark, name="throughput")


def latencies(sheet: DataSheet) -> Figure:
    """Latency percentiles by queue depth."""
    rows = [
        {"curve": row["curve"], "depth": row["depth"], "latency": name, "us": row[f"{name} (µs)"]}
        for row in points(sheet)
        for name in ("p50", "p99", "p99.9")
    ]
    base = alt.Chart(data(rows)).encode(
        x=alt.X("depth:Q", title="queue depth", scale=alt.Scale(type="log", base=2)),
        y=alt.Y("us:Q", title="latency (µs)", scale=alt.Scale(type="log")),
        color=alt.Color("curve:N", title=None, sort=None, scale=alt.Scale(scheme="tableau10")),
        detail="latency:N",
        tooltip=["curve:N", "latency:N", "depth:Q", alt.Tooltip("us:Q", format=",.1f")],
    )
    # a legend of points would have the same one for every percentile: their lines differ
    legend = alt.Legend(symbolStrokeWidth=2, symbolSize=600)
    dash = alt.StrokeDash("latency:N", title=None, sort=None, legend=legend)
    chart = alt.layer(
        base.mark_line().encode(strokeDash=dash), base.mark_point(filled=True, opacity=1)
    ).properties(width=WIDTH - 240, height=320)
    worst = max(points(sheet), key=lambda row: number(row["p99.9 (µs)"]))
    title = (
        f"One request in a thousand takes {duration_us(number(worst['p99.9 (µs)']))} or longer, "
        f"{worst['curve']}, at depth {worst['depth']}"
    )
    return Figure(title, specification(chart), rows, name="latency")


def number(value: object) -> float:
    """A figure; 0 for none."""
    return float(value) if isinstance(value, (int, float)) else 0.0
