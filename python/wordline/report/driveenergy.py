"""What a drive takes, for people: energies of operations, power by load, where the numbers come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from wordline.driveenergy import PARTS, DriveEnergy, OperationEnergy
from wordline.formatting import binary_size, display, part_of, quantity, unit_of
from wordline.points.remarks import HEADING
from wordline.report.html import Page
from wordline.report.section import Figure, Fold, Row, Section
from wordline.report.theme import WIDTH, data, specification

COLOURS = {
    "flash": "#0072b2",
    "controller": "#e69f00",
    "dram": "#009e73",
    "channel_io": "#56b4e9",
    "idle": "#9ca3af",
    "codec": "#cc79a7",
    "idle_states": "#d6cbb4",
}
"""Colours of the parts of a drive, told apart by colour-blind readers too (Okabe and Ito)."""
REMARK = (
    "The mean over the load. The controller counts while a request is in the drive, `power.idle` the rest of the time; the DRAM always, but in idle states; a "
    "channel while its bus works. Programs and erases are held back for the share of the time that is told, where `power.cap` or `power.peak` bind."
)


def operations(found: DriveEnergy) -> list[Row]:
    """A row for each operation."""
    unit, scale = unit_of((row.joules for row in found.operations), "J")
    return [
        {
            "operation": row.operation,
            "mode": row.mode,
            "page type": row.page_type or "block",
            "time": quantity(row.seconds, "s"),
            f"energy ({unit})": row.joules * scale,
            "pJ per bit": row.joules_per_bit * 1e12,
            "power": quantity(row.watts, "W"),
        }
        for row in found.operations
    ]


def loads(found: DriveEnergy) -> list[Row]:
    """A row for each load, with the parts that take anything under any of them."""
    takes = [part for part in PARTS if any(row[f"{part}_w"] for row in found.loads)]
    is_limited = any(row["limited_share"] is not None for row in found.loads)
    has_cache = any(row["slc_cache_share"] is not None for row in found.loads)
    return [
        {
            "load": row["load"],
            "state": row["state"],
            "depth": row["depth"] or None,
            "IOPS": row["iops"],
            "MB/s": row["bandwidth_mb_s"],
            "mean power": quantity(row["mean_w"], "W"),
            "highest window": quantity(row["highest_window_w"], "W"),
            "pJ per host bit": row["pj_per_host_bit"],
            **({"held back by the limit": share_of(row["limited_share"])} if is_limited else {}),
            **({"in SLC cache": share_of(row["slc_cache_share"])} if has_cache else {}),
            **{name_of(part): quantity(row[f"{part}_w"], "W") for part in takes},
            HEADING: row[HEADING],
        }
        for row in found.loads
    ]


def sources(found: DriveEnergy) -> list[Row]:
    """A row for each key that the numbers depend on."""
    origins = {
        "drive": "the drive",
        "option": "--set",
        "default": "default",
        "assumed": "assumed",
    }
    return [
        {
            "key": each.key,
            "value": each.value,
            "from": origins[each.origin],
            "what is said of it": each.remark,
        }
        for each in found.sources
    ]


def sentence(found: DriveEnergy) -> str:
    """What a program, a read and an erase cost, in words."""
    normal = [row for row in found.operations if row.mode == "normal"]
    size = binary_size(next(row.data_bits for row in normal if row.page_type) / 8)
    programs = costs([row for row in normal if row.operation == "program"])
    reads = costs([row for row in normal if row.operation == "read"])
    (erase,) = [row for row in normal if row.operation == "erase"]
    text = f"Programming a page of {size} takes {programs}"
    modes = dict.fromkeys(row.mode for row in found.operations if row.mode != "normal")
    for mode in modes:
        own = [row for row in found.operations if row.mode == mode and row.operation == "program"]
        text += f"; in mode {mode} {costs(own)}"
    erased = f"{quantity(erase.joules, 'J')} ({quantity_per_bit(erase)} of the block)"
    return f"{text}. Reading one takes {reads}. Erasing a block takes {erased}."


def costs(rows: Sequence[OperationEnergy]) -> str:
    """One energy, or the least and the largest with the mean over page types; per bit too."""
    mean = sum(row.joules for row in rows) / len(rows)
    per_bit = f"{display(float(f'{1e12 * mean / rows[0].data_bits:.4g}'))} pJ per bit"
    least, most = (quantity(choose(row.joules for row in rows), "J") for choose in (min, max))
    if least == most:
        return f"{most} ({per_bit})"
    return f"{least} to {most} by page type, {quantity(mean, 'J')} in the mean ({per_bit})"


def quantity_per_bit(row: OperationEnergy) -> str:
    """Energy for each data bit."""
    return f"{display(float(f'{1e12 * row.joules_per_bit:.4g}'))} pJ per bit"


def render(found: DriveEnergy) -> str:
    """The page."""
    sections = [Section("Energy of flash operations", rows=operations(found))]
    if found.loads:
        sections.append(Section("Power by load", [power_figure(found)]))
    fold = Fold("Drive: `config.toml`", text=found.toml)
    sections.append(Section("Where the numbers come from", rows=sources(found), folds=[fold]))
    boxes = [(note.severity, note.text) for note in found.notes]
    heading = f"Energy and power of {found.name}"
    return Page(heading, sections, lead=[sentence(found), f"{found.origin}."], boxes=boxes).html()


def power_figure(found: DriveEnergy) -> Figure:
    """Mean power of each load, divided by part."""
    points = [
        {"load": label(row), "part": name_of(part), "watts": row[f"{part}_w"], "order": place}
        for row in found.loads
        for place, part in enumerate(PARTS)
        if row[f"{part}_w"]
    ]
    names = [name_of(part) for part in PARTS]
    chart = (
        alt.Chart(data(points))
        .mark_bar()
        .encode(
            x=alt.X("watts:Q", title="mean power (W)"),
            y=alt.Y("load:N", title=None, sort=None, axis=alt.Axis(labelLimit=300)),
            color=alt.Color(
                "part:N", scale=alt.Scale(domain=names, range=[COLOURS[part] for part in PARTS])
            ),
            order=alt.Order("order:Q"),
            tooltip=["load:N", "part:N", alt.Tooltip("watts:Q", format=",.4~g")],
        )
        .properties(width=WIDTH - 200, height=30 * len(found.loads) + 20)
    )
    return Figure(title(found.loads), specification(chart), loads(found), REMARK)


def share_of(value: object) -> str:
    """A share in words; a dash for none."""
    return part_of(value) if isinstance(value, float) else "–"


def title(rows: Sequence[Row]) -> str:
    """The load that takes most, and what the idle drive takes."""
    most = max(rows, key=lambda row: number(row["mean_w"]))
    resting = next(row for row in rows if row["load"] == "idle")
    idle = quantity(resting["mean_w"], "W")
    return f"{label(most)} takes most, {quantity(most['mean_w'], 'W')}; the idle drive {idle}"


def label(row: Row) -> str:
    """A load in words."""
    if not row["depth"]:
        return str(row["load"])
    return f"{row['load']}, {row['state']}, depth {row['depth']}"


def name_of(part: str) -> str:
    """A part of the drive in words."""
    return {"dram": "DRAM", "channel_io": "channels", "idle_states": "idle states"}.get(part, part)


def number(value: object) -> float:
    """A figure of a row; 0 for none."""
    return float(value) if isinstance(value, (int, float)) else 0.0


def operation_rows(found: DriveEnergy) -> list[dict[str, Any]]:
    """Operations as a table for programs."""
    rows: list[dict[str, Any]] = found.answer()["operations"]
    return rows
