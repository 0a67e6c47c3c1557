"""FENCE: what cycles, rest and temperature do to retention and endurance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import altair as alt
import numpy as np

from wordline.formatting import display
from wordline.report.section import Figure, Row
from wordline.report.theme import data, specification
from wordline.retention import YEAR, RetentionModel
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict

RESTS = {"0 s": 0.0, "10 s": 10.0, "100 s": 100.0, "10³ s": 1e3, "10⁴ s": 1e4, "10⁵ s": 1e5}
"""Rests before every program and erase."""
TEMPERATURES = (30.0, 35.0, 40.0, 45.0, 50.0, 55.0)
"""Degrees Celsius."""
HEAT_REST = 100.0
"""Rest of the comparison of temperatures, in seconds."""
CYCLES = (100.0, 1e3, 1e4, 3e4, 1e5)
"""Cycles at which temperatures are compared."""
THRESHOLDS = (1.0, 2.0, 5.0, 10.0, 20.0)
"""Retentions in years."""
WIDTH = 520
CALIBRATED = "a calibration anchor: constants of the model were chosen on it"


def curve(
    model: RetentionModel, cycles: Sequence[float], rest: float, celsius: float
) -> list[float]:
    """Retention in years."""
    years: list[float] = (model.retention_curve(rest, celsius, cycles) / YEAR).tolist()
    return years


def endurance(model: RetentionModel, years: float, rest: float) -> float:
    """Cycles to a retention in years."""
    return float(model.cycles_to_retention(years * YEAR, rest))


def exhausted(model: RetentionModel) -> float:
    """Cycles without rest after which no charge is left."""
    return float(model.equivalent_events_for(model.level_gap)) / 2


def within(value: float, low: float, high: float) -> Verdict:
    """Whether a number lies in a band."""
    return Verdict(low <= value <= high)


def lines(points: Sequence[Row], key: str) -> Mapping[str, object]:
    """Retention against cycles, a line for each value of a key."""
    chart = (
        alt.Chart(data(points))
        .mark_line(clip=True)
        .encode(
            x=alt.X("cycles:Q", title="program/erase cycles", scale=alt.Scale(type="log")),
            y=alt.Y(
                "years:Q",
                title="retention (years)",
                scale=alt.Scale(type="log", domain=[0.01, 200]),
            ),
            color=alt.Color(f"{key}:N", sort=None, scale=alt.Scale(scheme="viridis")),
        )
        .properties(width=WIDTH, height=280)
    )
    return specification(chart)


def sampled(low: float, high: float, *, quick: bool) -> list[float]:
    """Cycles of a curve."""
    count = 12 if quick else 97
    cycles: list[float] = np.geomspace(low, high, count).tolist()
    return cycles


def without_rest(quick: bool) -> Part:
    """SLC and MLC, cycled without rest."""
    models = {"SLC": RetentionModel("slc"), "MLC": RetentionModel("mlc")}
    cycles = sampled(100, 2e5, quick=quick)
    points: list[Row] = [
        {"cell": name, "cycles": at, "years": years}
        for name, model in models.items()
        for at, years in zip(cycles, curve(model, cycles, 0.0, 30.0), strict=True)
        if years > 0
    ]
    rows: list[Row] = [
        {
            "cell": name,
            "gap of a level (V)": model.level_gap,
            "new (years)": curve(model, [100.0], 0.0, 30.0)[0],
            **{f"cycles to {years:g} years": endurance(model, years, 0.0) for years in (10.0, 1.0)},
            "cycles to none": exhausted(model),
        }
        for name, model in models.items()
    ]
    slc, mlc = models["SLC"], models["MLC"]
    new, twenty = curve(slc, [100.0], 0.0, 30.0)[0], endurance(slc, 20.0, 0.0)
    ends = {name: exhausted(model) for name, model in models.items()}
    ratio = slc.level_gap / mlc.level_gap
    claims = [
        Claim(
            "A new SLC keeps data for about 65 years at 30 °C",
            "chapter 3",
            f"{display(new)} years",
            within(new, 60, 70),
            CALIBRATED,
        ),
        Claim(
            "Cycled without rest at 30 °C, SLC keeps data for only about 20 years after a few hundred cycles",
            "chapter 3",
            f"20 years after {display(twenty)} cycles",
            within(twenty, 300, 1000),
        ),
        Claim(
            "Cycled without rest at 30 °C, SLC keeps no data after around 100,000 cycles",
            "chapter 3",
            f"no retention after {display(ends['SLC'])} cycles",
            within(ends["SLC"], 85e3, 125e3),
            CALIBRATED,
        ),
        Claim(
            "Cycled without rest at 30 °C, MLC keeps no data after around 10,000 cycles",
            "chapter 3",
            f"no retention after {display(ends['MLC'])} cycles",
            within(ends["MLC"], 8e3, 12.5e3),
            CALIBRATED,
        ),
        Claim(
            "The voltage gap between two levels is 2.6 times smaller for MLC than for SLC",
            "chapter 3",
            f"{ratio:.3f} times",
            within(ratio, 2.55, 2.65),
            "both gaps are inputs",
        ),
        knees(slc),
    ]
    figure = Figure("Retention at 30 °C without rest", lines(points, "cell"), rows)
    return Part(
        "Cycling without rest",
        "Every program and every erase traps charge, and none of it escapes. A cell with fewer than 100 cycles counts as new.",
        figure,
        claims,
    )


def knees(model: RetentionModel) -> Claim:
    """The changes of slope of the leak."""

    def slope(events: float, factor: float) -> float:
        here, there = (float(model.silc_current(at)) for at in (events, events * factor))
        return float(np.log(there / here) / np.log(factor))

    shown = {events: (slope(events, 0.99), slope(events, 1.01)) for events in (1e3, 1e5)}
    text = ", ".join(
        f"{before:.2f} before and {after:.2f} after {display(int(events))} events"
        for events, (before, after) in shown.items()
    )
    return Claim(
        "The slope of retention over cycles changes near 10³ and 10⁵ programs and erases",
        "chapter 3",
        f"exponent of the leakage {text}",
        Verdict.of_cases([before > after for before, after in shown.values()]),
        "the knots of the barrier are inputs",
    )


def rest(quick: bool) -> Part:
    """What rest does to endurance."""
    models = {"SLC": RetentionModel("slc"), "MLC": RetentionModel("mlc")}
    cycles = sampled(100, 1e7, quick=quick)
    points: list[Row] = [
        {"rest": name, "cycles": at, "years": years}
        for name, seconds in RESTS.items()
        for at, years in zip(cycles, curve(models["SLC"], cycles, seconds, 30.0), strict=True)
        if years > 0
    ]
    found = {
        (cell, years): [endurance(model, years, seconds) for seconds in RESTS.values()]
        for cell, model in models.items()
        for years in THRESHOLDS
    }
    rows: list[Row] = [
        {
            "cell": cell,
            "rest": name,
            **{f"cycles to {years:g} years": found[cell, years][place] for years in THRESHOLDS},
        }
        for cell in models
        for place, name in enumerate(RESTS)
    ]
    grows = {
        key: all(after > before for before, after in pairwise(values))
        for key, values in found.items()
    }
    slc = [found["SLC", years] for years in THRESHOLDS]
    decades = [values[place + 1] / values[place] for values in slc for place in (1, 2)]
    multiples = [
        endurance(models["SLC"], 5.0, seconds) / endurance(models["SLC"], 10.0, seconds)
        for seconds in RESTS.values()
    ]
    ten = found["SLC", 10.0]
    claims = [
        Claim(
            "The longer SLC or MLC rests before every program and erase, the more cycles pass until retention falls to 1, 2, 5, 10 or 20 years",
            "chapter 3",
            f"SLC, 10 years: {' → '.join(map(display, ten))} cycles",
            Verdict.of_cases(list(grows.values())),
        ),
        Claim(
            "Each tenfold rest from 10 s to 10³ s multiplies the cycles of SLC until a retention at least by three",
            "chapter 3",
            f"SLC, 1 to 20 years: {min(decades):.1f} to {max(decades):.1f} times a decade",
            Verdict.of_cases([ratio >= 3 for ratio in decades]),
            "the source gives no numbers for the growth; beyond 10³ s it slows",
        ),
        Claim(
            "Asking for 5 years of retention instead of 10 multiplies the cycles of SLC by more than three, whatever the rest",
            "chapter 3",
            f"SLC, from 10 to 5 years: {min(multiples):.1f} to {max(multiples):.1f} times",
            Verdict.of_cases([ratio > 3 for ratio in multiples]),
        ),
    ]
    figure = Figure(
        "Retention of SLC at 30 °C, by the rest before every program and erase",
        lines(points, "rest"),
        rows,
    )
    return Part(
        "Rest between cycles",
        "In an idle interval (rest) part of the trapped charge escapes, in proportion to the logarithm of its length. "
        "Here the same rest precedes every program and every erase.",
        figure,
        claims,
    )


def temperature(quick: bool) -> Part:
    """Temperature without acceleration of rests."""
    return heat(quick, heals=False)


def self_healing(quick: bool) -> Part:
    """Temperature with acceleration of rests."""
    return heat(quick, heals=True)


def heat(quick: bool, *, heals: bool) -> Part:
    """Retention of both cells by temperature, in one of the thermal modes."""
    models = {name: RetentionModel(name.lower(), heat_heals=heals) for name in ("SLC", "MLC")}
    cycles = sampled(100, 3e5, quick=quick)
    points: list[Row] = [
        {"temperature": f"{celsius:g} °C", "cycles": at, "years": years}
        for celsius in TEMPERATURES
        for at, years in zip(cycles, curve(models["SLC"], cycles, HEAT_REST, celsius), strict=True)
        if years > 0
    ]
    found = {
        name: {celsius: curve(model, CYCLES, HEAT_REST, celsius) for celsius in TEMPERATURES}
        for name, model in models.items()
    }
    rows: list[Row] = [
        {
            "cell": name,
            "temperature (°C)": celsius,
            **{
                f"after {at:,.0f} cycles (years)": value
                for at, value in zip(CYCLES, years, strict=True)
            },
        }
        for name, by_heat in found.items()
        for celsius, years in by_heat.items()
    ]
    # a cell without retention says nothing
    falls = {
        (name, at): all(
            after < before
            for before, after in pairwise(by_heat[celsius][place] for celsius in TEMPERATURES)
        )
        if by_heat[30.0][place] > 0
        else None
        for name, by_heat in found.items()
        for place, at in enumerate(CYCLES)
    }
    not_falling = [
        f"{name} after {at:,.0f} cycles"
        for (name, at), falling in falls.items()
        if falling is False
    ]
    how = "with self-healing" if heals else "without self-healing"
    slc = found["SLC"]
    claims = [
        Claim(
            f"Each step from 30 to 55 °C shortens retention of SLC and MLC with {HEAT_REST:g} s of rest, {how}",
            "chapter 3",
            f"SLC after 10,000 cycles: {display(slc[30.0][2])} years at 30 °C, {display(slc[55.0][2])} years at 55 °C"
            + (f"; not {', '.join(not_falling)}" if not_falling else ""),
            Verdict.of_cases(list(falls.values())),
            "if heat speeds up recovery, the recovery during cycling outweighs the faster loss"
            if heals
            else "",
            f"SLC {display(slc[30.0][2])} → {display(slc[55.0][2])} years",
        )
    ]
    if heals:
        heading = "Temperature, with self-healing"
        text = (
            "An extension: the source names the activation energy of detrapping, 1.1 eV, but its simulator does not apply "
            "it to rests. Here every rest counts as the longer one at 30 °C that frees as much."
        )
    else:
        heading = "Temperature"
        text = "Retention follows the Arrhenius law with 0.3 eV; rests free as much at any temperature."
    figure = Figure(
        f"Retention of SLC with {HEAT_REST:g} s of rest, {how}", lines(points, "temperature"), rows
    )
    return Part(heading, text, figure, claims)
