"""The page of a cell: how long it keeps data, and what it may be put through."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt
import numpy as np

from wordline import _wordline
from wordline.formatting import display
from wordline.notes import Note
from wordline.rated import CYCLES
from wordline.report.html import Page
from wordline.report.section import Figure, Row, Section
from wordline.report.theme import WIDTH, data, specification
from wordline.retention import DAY, MONTH, YEAR, RetentionModel

PER_DECADE = 24
"""Points of a curve."""
COLDEST, HOTTEST = 30.0, 55.0
"""Temperatures that the source looks at, in degrees Celsius (chapter 3 of the dissertation)."""
REMARK = "FENCE: the mean cell of 80 nm planar NAND, without error correction."


@dataclass(frozen=True)
class Asked:
    """What is asked of a cell."""

    cell: str
    """Kind of cell, or its gap."""
    rests: Sequence[float]
    """Rests in seconds."""
    temperatures: Sequence[float]
    """Temperatures in degrees Celsius."""
    cycles: tuple[float, float]
    """Range of the curves."""
    required: float | None = None
    """Retention that is required, in seconds."""
    after: float | None = None
    """Cycles after which retention is told."""
    heat_heals: bool = False
    """Whether heat speeds recovery."""
    constants: Mapping[str, float] = field(default_factory=dict)
    """Constants of the cell that differ."""


def cycles_between(text: str) -> tuple[float, float]:
    """Read `from:to`.

    Raises:
        ConfigError: it is not a range of cycles.
    """
    low, _, high = text.partition(":")
    try:
        found = float(low), float(high)
    except ValueError:
        found = math.nan, math.nan
    if not 0 < found[0] < found[1] < 1e12:
        raise _wordline.ConfigError(
            f"--cycles {text}: accepted are two numbers above 0 and below 1e12, such as 100:1e6"
        )
    return found


def numbers(pairs: Sequence[tuple[str, str]]) -> dict[str, float]:
    """Constants from text.

    Raises:
        ConfigError: a value is no number.
    """
    found = {}
    for name, text in pairs:
        try:
            found[name] = float(text)
        except ValueError as error:
            raise _wordline.ConfigError(
                f"{name} = {text}: accepted is a number in SI units"
            ) from error
    return found


def answer(asked: Asked) -> dict[str, Any]:
    """Everything that was asked, as JSON."""
    model = RetentionModel(asked.cell, heat_heals=asked.heat_heals, constants=asked.constants)
    low, high = asked.cycles
    count = 1 + math.ceil(PER_DECADE * math.log10(high / low))
    cycles = np.geomspace(low, high, count)
    places = [(rest, celsius) for celsius in asked.temperatures for rest in asked.rests]
    found: dict[str, Any] = {
        "cell": asked.cell,
        "level_gap_v": model.level_gap,
        "heat_heals": asked.heat_heals,
        "constants": dict(asked.constants),
        "curves": [
            {
                "rest_s": rest,
                "temperature_degc": celsius,
                "pe_cycles": cycles.tolist(),
                "retention_years": (model.retention_curve(rest, celsius, cycles) / YEAR).tolist(),
            }
            for rest, celsius in places
        ],
    }
    if asked.required is not None:
        found["required_s"] = asked.required
        found["endurance"] = [
            {"rest_s": rest, "temperature_degc": celsius, "pe_cycles": number(limit)}
            for (rest, celsius) in places
            for limit in model.cycles_to_retention([asked.required], rest, celsius)
        ]
    if asked.after is not None:
        found["after_cycles"] = asked.after
        found["after"] = [after(model, asked.after, asked.required, *place) for place in places]
    return found


def after(
    model: RetentionModel, cycles: float, required: float | None, rest: float, celsius: float
) -> dict[str, float | None]:
    """What holds after so many cycles."""
    retention = float(model.retention_curve(rest, celsius, [cycles])[0])
    row: dict[str, float | None] = {
        "rest_s": rest,
        "temperature_degc": celsius,
        "retention_years": retention / YEAR,
    }
    if required is not None:
        row["shortest_rest_s"] = model.shortest_rest(cycles, required, celsius)
        row["highest_temperature_degc"] = model.highest_temperature(cycles, required, rest)
    return row


def number(value: float) -> float | None:
    """A number, or nothing where there is none."""
    return None if math.isnan(value) else float(value)


def point_rows(answer: Mapping[str, Any]) -> list[dict[str, float]]:
    """The curves, a row for each point."""
    return [
        {
            "rest_s": curve["rest_s"],
            "temperature_degc": curve["temperature_degc"],
            "pe_cycles": cycles,
            "retention_years": years,
        }
        for curve in answer["curves"]
        for cycles, years in zip(curve["pe_cycles"], curve["retention_years"], strict=True)
    ]


def tables(answer: Mapping[str, Any]) -> list[tuple[str, list[Row]]]:
    """What is shown in a terminal: a heading and rows each."""
    found = []
    if "endurance" in answer:
        heading = f"program/erase cycles until data last less than {span(answer['required_s'])}"
        found.append((heading, endurance_rows(answer)))
    if "after" in answer:
        found.append((f"after {display(answer['after_cycles'])} cycles", after_rows(answer)))
    if not found:
        heading = "program/erase cycles until data last less than"
        found.append((heading, curve_rows(answer)))
    return found


def notes(answer: Mapping[str, Any]) -> list[Note]:
    """Where the answer lies outside of what the source looked at."""
    found = []
    degrees = sorted({curve["temperature_degc"] for curve in answer["curves"]})
    outside = [celsius for celsius in degrees if not COLDEST <= celsius <= HOTTEST]
    if outside:
        told = ", ".join(f"{celsius:g}" for celsius in outside)
        found.append(
            Note(
                "warning",
                "outside_temperatures",
                f"The source looked at {COLDEST:g} to {HOTTEST:g} °C; what is said of {told} °C extrapolates its law of Arrhenius.",
            )
        )
    rated = CYCLES.get(answer["cell"])
    asked = [row["pe_cycles"] for row in answer.get("endurance", ())]
    most = max((cycles for cycles in [*asked, answer.get("after_cycles")] if cycles), default=0)
    if rated and most > rated:
        found.append(
            Note(
                "warning",
                "beyond_rated_cycles",
                f"Cells of this kind are rated for {rated:,} cycles; what is said of up to {most:,.0f} is the model's, "
                "of a mean cell without other ways to fail.",
            )
        )
    return found


def place(row: Mapping[str, Any]) -> Row:
    """Rest and temperature of a row."""
    return {"rest": span(row["rest_s"]), "temperature (°C)": row["temperature_degc"]}


def endurance_rows(answer: Mapping[str, Any]) -> list[Row]:
    """Endurance by rest and temperature."""
    return [{**place(row), "P/E cycles": row["pe_cycles"]} for row in answer["endurance"]]


def after_rows(answer: Mapping[str, Any]) -> list[Row]:
    """What holds after some cycles, by rest and temperature."""
    rows: list[Row] = []
    for row in answer["after"]:
        shown: dict[str, object] = {**place(row), "retention": span(row["retention_years"] * YEAR)}
        if "shortest_rest_s" in row:
            shortest = row["shortest_rest_s"]
            shown["shortest rest"] = None if shortest is None else span(shortest)
            shown["highest temperature (°C)"] = row["highest_temperature_degc"]
        rows.append(shown)
    return rows


THRESHOLDS = (YEAR / 4, YEAR, 5 * YEAR, 10 * YEAR)


def curve_rows(answer: Mapping[str, Any]) -> list[Row]:
    """Cycles to a few retentions, by rest and temperature."""
    model = RetentionModel(
        answer["level_gap_v"], heat_heals=answer["heat_heals"], constants=answer["constants"]
    )
    rows: list[Row] = []
    for curve in answer["curves"]:
        limits = model.cycles_to_retention(THRESHOLDS, curve["rest_s"], curve["temperature_degc"])
        named = {
            span(years): number(limit) for years, limit in zip(THRESHOLDS, limits, strict=True)
        }
        rows.append({**place(curve), **named})
    return rows


def span(seconds: float) -> str:
    """A span of time in the unit that reads best."""
    for least, scale, unit in (
        (YEAR, YEAR, "years"),
        (MONTH, MONTH, "months"),
        (DAY, DAY, "days"),
        (3600.0, 3600.0, "h"),
    ):
        if seconds >= least:
            shown = f"{seconds / scale:.4g}"
            return f"{shown} {unit.removesuffix('s') if shown == '1' else unit}"
    return f"{seconds:.4g} s"


def render(answer: Mapping[str, Any]) -> str:
    """The page of a cell."""
    sections = [Section("Retention", [curves(answer)])]
    if "endurance" in answer:
        title = f"Program/erase cycles until data last less than {span(answer['required_s'])}"
        sections.append(
            Section(
                "Endurance",
                [Figure(title, specification(endurance(answer)), endurance_rows(answer), REMARK)],
            )
        )
    return Page(f"How long {answer['cell'].upper()} cells keep data", sections).html()


def curves(answer: Mapping[str, Any]) -> Figure:
    """Retention against cycles."""
    several = len({curve["temperature_degc"] for curve in answer["curves"]}) > 1
    points = [
        {
            "cycles": cycles,
            "years": years,
            "rest": span(curve["rest_s"]),
            "temperature": f"{curve['temperature_degc']:g} °C",
        }
        for curve in answer["curves"]
        for cycles, years in zip(curve["pe_cycles"], curve["retention_years"], strict=True)
        if years > 0
    ]
    encoding: dict[str, Any] = {
        "x": alt.X("cycles:Q", title="program/erase cycles", scale=alt.Scale(type="log")),
        "y": alt.Y(
            "years:Q", title="retention (years)", scale=alt.Scale(type="log", domainMin=1e-3)
        ),
        "color": alt.Color("rest:N", sort=None, scale=alt.Scale(scheme="viridis")),
        "tooltip": [
            "rest:N",
            "temperature:N",
            alt.Tooltip("cycles:Q", format=",.4~g"),
            alt.Tooltip("years:Q", format=",.4~g"),
        ],
    }
    if several:
        encoding["strokeDash"] = alt.StrokeDash("temperature:N", sort=None)
    chart = (
        alt.Chart(data(points))
        .mark_line(clip=True)
        .encode(**encoding)
        .properties(width=WIDTH - 60, height=400)
    )
    first, last = answer["curves"][0], answer["curves"][-1]
    title = (
        f"{display(first['retention_years'][0])} years after {display(first['pe_cycles'][0])} cycles with "
        f"{span(first['rest_s'])} of rest, {display(last['retention_years'][0])} years with {span(last['rest_s'])}"
    )
    return Figure(
        title,
        specification(chart),
        curve_rows(answer),
        f"{REMARK} Table: cycles until data last less than so long.",
    )


def endurance(answer: Mapping[str, Any]) -> alt.Chart:
    """Endurance against rest."""
    points = [
        {**row, "temperature": f"{row['temperature_degc']:g} °C", "rest": span(row["rest_s"])}
        for row in answer["endurance"]
        if row["pe_cycles"] is not None
    ]
    chart: alt.Chart = (
        alt.Chart(data(points))
        .mark_point(filled=True, size=70)
        .encode(
            x=alt.X("pe_cycles:Q", title="program/erase cycles", scale=alt.Scale(type="log")),
            y=alt.Y("rest:N", sort=None, title="rest before every event"),
            color=alt.Color("temperature:N", sort=None),
            tooltip=["rest:N", "temperature:N", alt.Tooltip("pe_cycles:Q", format=",.4~g")],
        )
        .properties(width=WIDTH - 140, height=max(120, 30 * len(points)))
    )
    return chart
