"""The page of cells: their states, how error rates grow, how blocks differ, what a program step costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt
import numpy as np

from wordline import _wordline
from wordline.cell import READINGS, Cells, page_name
from wordline.formatting import counted, display, percentage
from wordline.report.html import Page
from wordline.report.section import Figure, Fold, Row, Section
from wordline.report.theme import WIDTH, data, specification

AGES = (0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 14.0, 30.0)
"""Ages of data in the tables, in days."""
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Quantiles of the block factor in tables and charts."""
CLASSES = (0.25, 0.5, 0.75)
"""Quantiles that part the classes of blocks."""
POINTS = 121
"""Points of a curve."""
FAINTEST = 1e-6
"""Densities below this share of the highest are not drawn."""

OF_VOLTS = (
    " The picture shows fresh states one gap apart. Error rates follow the states in volts at the design age, the "
    "first of which is further from the erased one."
)
"""What to know of states where rates follow voltages that shift."""


def answer(cells: Cells) -> dict[str, Any]:
    """Everything about cells as JSON."""
    return {
        "bits_per_cell": cells.bits,
        "cycles": cells.cycles,
        "states": states(cells),
        "rber": rates_by_age(cells),
        "variation": cells.variation,
        "classes": classes(cells),
    }


def sigma_of(cells: Cells) -> float | None:
    """Deviation of programmed states; none where the error rate at the design age has none."""
    try:
        return cells.sigma
    except _wordline.ConfigError:
        return None


def states(cells: Cells) -> dict[str, Any]:
    """The states of a nominal block at the design age: deviation, references, error rates by page and reading."""
    sigma = sigma_of(cells)
    shape = {
        "step": cells.step,
        "reference_step": cells.reference_step,
        "step_mv": 1e3 * cells.step * cells.gap_volts,
        "sigma": sigma,
    }
    if sigma is None:
        return shape
    rates = cells.page_rates(age_days=cells.design_days)
    return {
        **shape,
        "references": cells.references(sigma=sigma),
        "pages": {page: float(rates[page]) for page in cells.pages},
        "readings": {reading: float(rates[reading]) for reading in READINGS},
    }


def rates_by_age(cells: Cells) -> list[dict[str, float | str]]:
    """The error rate of normal pages by page, age and quantile of the block factor."""
    factors = cells.quantile(QUANTILES)
    return [
        {
            "page": name,
            "age_days": age,
            "quantile": quantile,
            "factor": float(factor),
            "rber": float(cells.rber(age_days=age, factor=factor, page=page)),
        }
        for name, page in cells.rated.items()
        for age in AGES
        for quantile, factor in zip(QUANTILES, factors, strict=True)
    ]


def classes(cells: Cells) -> list[dict[str, float | None]]:
    """Classes of blocks; none where no step keeps the error rate of the weakest class."""
    try:
        found = cells.classes(CLASSES)
    except _wordline.ConfigError:
        return []
    return [
        {
            "quantile": each.quantile,
            "factor": each.factor,
            "step": each.step,
            "slowdown": each.slowdown,
            "t_prog_us": None if cells.t_prog_us is None else cells.t_prog_us * each.slowdown,
        }
        for each in found
    ]


def render(cells: Cells, name: str) -> str:
    """The page of cells."""
    sections = [
        Section(
            "Threshold voltages",
            list(of_states(cells)),
            "No deviation of the programmed "
            "states gives the error rate of a nominal block at the design age.",
        )
    ]
    grown = [figure(cells, page) for page in cells.rated for figure in (by_age, by_cycles)]
    sections.append(Section("Raw bit error rate", grown))
    sections.append(Section("Blocks", list(of_blocks(cells)), "All blocks are alike."))
    fold = Fold("Description: `wordline cell cell.toml` repeats this page", text=cells.toml)
    sections.append(Section("Cells", folds=[fold]))
    return Page(f"How reliable the cells of {name} are", sections).html()


def of_states(cells: Cells) -> Iterator[Figure]:
    """Densities with references, and error rates by program step."""
    sigma = sigma_of(cells)
    if sigma is None:
        return
    x = np.linspace(-0.75, 2**cells.bits + 0.25, 60 * 2**cells.bits + 61)
    points: list[Row] = []
    highest = max(float(cells.density(state, state, sigma=sigma)) for state in (0, 1))
    for state in range(2**cells.bits):
        for place, density in zip(x, cells.density(state, x, sigma=sigma), strict=True):
            if density > FAINTEST * highest:
                points.append({"x": place, "density": density, "state": state_name(state)})
    references = cells.references(sigma=sigma)
    curves = (
        alt.Chart(data(points))
        .mark_line()
        .encode(
            x=alt.X("x:Q", title="threshold voltage (gaps between states)"),
            y=alt.Y("density:Q", title="density (log scale)", scale=alt.Scale(type="log")),
            color=alt.Color("state:N", sort=None, scale=alt.Scale(scheme="tableau10")),
            tooltip=[
                "state:N",
                alt.Tooltip("x:Q", format=".3f"),
                alt.Tooltip("density:Q", format=".3~g"),
            ],
        )
    )
    rules = (
        alt.Chart(data({"reference": place} for place in references))
        .mark_rule(strokeDash=[4, 4], color="#374151")
        .encode(x="reference:Q", tooltip=[alt.Tooltip("reference:Q", format=".4f")])
    )
    rates = cells.page_rates(age_days=cells.design_days)
    worst = max(cells.pages, key=lambda page: float(rates[page]))
    rows: list[Row] = [{"page": page, "bit error rate": float(rates[page])} for page in cells.pages]
    rows += [
        {"page": reading.replace("_", " "), "bit error rate": float(rates[reading])}
        for reading in READINGS
    ]
    yield Figure(
        f"With a deviation of {display(sigma)} the {worst} page has {display(float(rates[worst]))} errors per bit",
        specification((curves + rules).properties(width=WIDTH - 120, height=260)),
        rows,
        f"Programmed with a step of {display(cells.step)} "
        f"({display(1e3 * cells.step * cells.gap_volts)} mV). Dashed: where reads compare."
        + (OF_VOLTS if cells.model == "vth_shift" else ""),
    )
    yield by_step(cells)


def by_step(cells: Cells) -> Figure:
    """Error rates of the pages at the design age and program time, by step."""
    steps = np.linspace(0.05, min(1.0, 2 * cells.step), POINTS)
    rates = cells.page_rates(step=steps, age_days=cells.design_days)
    slowdown = cells.slowdown(steps)
    points: list[Row] = [
        {"step": step, "rate": rate, "page": page}
        for page in cells.pages
        for step, rate in zip(steps, rates[page], strict=True)
    ]
    rows: list[Row] = [
        {
            "step": float(steps[at]),
            "program time by that at the reference": float(slowdown[at]),
            **{f"{page}: bit error rate": float(rates[page][at]) for page in cells.pages},
        }
        for at in range(0, POINTS, 10)
    ]
    half, whole = cells.page_rates(step=[0.5 * cells.step, cells.step], age_days=cells.design_days)[
        "worst_page"
    ]
    return Figure(
        f"Half the step takes {float(cells.slowdown(0.5 * cells.step)):.3g} times the reference time and leaves "
        f"{percentage(half / whole)} of the errors",
        specification(lines(points, "step", "program step (gaps)", "page")),
        rows,
        "Time is that of a program at the reference step, which is 1.",
    )


def by_age(cells: Cells, page: str) -> Figure:
    """Error rate of a page by age and quantile of the block factor."""
    number = cells.rated[page]
    ages = np.linspace(0.0, max(2 * cells.design_days, 1.0), POINTS)
    factors = cells.quantile(QUANTILES)
    points = [
        {"age": age, "rate": rate, "blocks": percentage(quantile)}
        for quantile, factor in zip(QUANTILES, factors, strict=True)
        for age, rate in zip(
            ages, cells.rber(age_days=ages, factor=factor, page=number), strict=True
        )
    ]
    rows: list[Row] = [
        {
            "age (days)": age,
            **{
                f"{percentage(quantile)} of the blocks": float(
                    cells.rber(age_days=age, factor=factor, page=number)
                )
                for quantile, factor in zip(QUANTILES, factors, strict=True)
            },
        }
        for age in AGES
    ]
    young, old = cells.rber(age_days=[0.0, cells.design_days], page=number)
    return Figure(
        f"After {counted(cells.cycles, 'cycle')} a nominal block goes from {display(float(young))} to {display(float(old))} "
        f"errors per bit in {cells.design_days:g} days ({page_name(page)})",
        specification(lines(points, "age", "age (days)", "blocks")),
        rows,
        "By the share of all blocks that have fewer errors.",
    )


def by_cycles(cells: Cells, page: str) -> Figure:
    """Error rate of a page by cycles and age."""
    number = cells.rated[page]
    cycles = np.rint(np.linspace(0, max(2 * cells.cycles, 1000), POINTS))
    ages = sorted({0.0, 1.0, cells.design_days})
    points = [
        {"cycles": n, "rate": rate, "age": f"{age:g} days"}
        for age in ages
        for n, rate in zip(
            cycles, cells.rber(cycles=cycles, age_days=age, page=number), strict=True
        )
    ]
    rows: list[Row] = [
        {
            "cycles": int(cycles[at]),
            **{
                f"after {age:g} days": float(
                    cells.rber(cycles=cycles[at], age_days=age, page=number)
                )
                for age in ages
            },
        }
        for at in range(0, POINTS, 10)
    ]
    most = int(cycles[-1])
    rate = float(cells.rber(cycles=most, age_days=cells.design_days, page=number))
    return Figure(
        f"A nominal block of {counted(most, 'cycle')} has {display(rate)} errors per bit after "
        f"{cells.design_days:g} days ({page_name(page)})",
        specification(lines(points, "cycles", "program/erase cycles", "age")),
        rows,
    )


def of_blocks(cells: Cells) -> Iterator[Figure]:
    """The law of the block factors, and the classes."""
    low, high = cells.variation["low"], cells.variation["high"]
    if low == high:
        return
    factors = np.linspace(low, high, POINTS)
    points: list[Row] = [
        {"factor": factor, "share": share}
        for factor, share in zip(factors, cells.share_below(factors), strict=True)
    ]
    chart = (
        alt.Chart(data(points))
        .mark_line()
        .encode(
            x=alt.X("factor:Q", title="block factor", scale=alt.Scale(zero=False)),
            y=alt.Y("share:Q", title="share of blocks below", axis=alt.Axis(format="%")),
            tooltip=[alt.Tooltip("factor:Q", format=".3f"), alt.Tooltip("share:Q", format=".1%")],
        )
        .properties(width=WIDTH - 120, height=220)
    )
    rows: list[Row] = [
        {"share of blocks": percentage(quantile), "block factor": float(factor)}
        for quantile, factor in zip(QUANTILES, cells.quantile(QUANTILES), strict=True)
    ]
    yield Figure(
        f"The weakest blocks have {display(high / low)} times the errors of the strongest",
        specification(chart),
        rows,
    )
    if found := classes(cells):
        yield of_classes(found)


def of_classes(found: Sequence[dict[str, float | None]]) -> Figure:
    """How much faster strong blocks may be programmed."""
    rows: list[Row] = [
        {
            "blocks up to": percentage(each["quantile"] or 0.0),
            "largest factor": each["factor"],
            "program step": each["step"],
            "program time by that at the reference": each["slowdown"],
            "program time (µs)": each["t_prog_us"],
        }
        for each in found
    ]
    chart = (
        alt.Chart(
            data(
                {
                    "blocks": row["blocks up to"],
                    "time": row["program time by that at the reference"],
                }
                for row in rows
            )
        )
        .mark_bar()
        .encode(
            x=alt.X("time:Q", title="program time by that at the reference step"),
            y=alt.Y("blocks:N", title="blocks up to", sort=None),
            tooltip=["blocks:N", alt.Tooltip("time:Q", format=".3f")],
        )
        .properties(width=WIDTH - 120, height=30 * len(rows) + 20)
    )
    gain = (found[-1]["slowdown"] or 1.0) / (found[0]["slowdown"] or 1.0) - 1.0
    return Figure(
        f"The strongest quarter of the blocks may be programmed {percentage(gain)} faster",
        specification(chart),
        rows,
        "At the design age every class then has the error rate of the weakest block; before it, fast pages have more "
        "errors than normal ones of the same block.",
    )


def lines(points: Sequence[Row], x: str, title: str, colour: str) -> alt.Chart:
    """Error rates as lines."""
    positive = [point for point in points if float(str(point["rate"])) > 0.0]
    chart: alt.Chart = (
        alt.Chart(data(positive))
        .mark_line()
        .encode(
            x=alt.X(f"{x}:Q", title=title),
            y=alt.Y("rate:Q", title="bit error rate (log scale)", scale=alt.Scale(type="log")),
            color=alt.Color(f"{colour}:N", sort=None, scale=alt.Scale(scheme="tableau10")),
            tooltip=[
                f"{colour}:N",
                alt.Tooltip(f"{x}:Q", format=".4~g"),
                alt.Tooltip("rate:Q", format=".4~g"),
            ],
        )
        .properties(width=WIDTH - 120, height=260)
    )
    return chart


def state_name(state: int) -> str:
    """A state in words."""
    return "erased" if state == 0 else f"state {state}"
