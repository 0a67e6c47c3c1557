"""The page of a chip: what its operations cost, by state and by component."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import altair as alt

from wordline.formatting import binary_size, counted, display, percentage, quantity, unit_of
from wordline.power import Chip, PageEnergy, StateEnergy
from wordline.report.html import Page
from wordline.report.section import Figure, Fold, Row, Section
from wordline.report.theme import WIDTH, data, specification

Found: TypeAlias = Sequence[tuple[Mapping[str, str], Chip]]
"""Chips, each with what was varied in it."""

PART_COLOURS = {
    "bit_lines": "#0072b2",
    "precharge_return": "#56b4e9",
    "tunnelling": "#d55e00",
    "pump": "#e69f00",
    "control": "#6b7280",
    "word_lines": "#009e73",
    "select_lines": "#cc79a7",
    "sense": "#f0e442",
    "decode": "#000000",
    "junction": "#9ca3af",
}
"""Colours of the components, told apart by colour-blind readers too (Okabe and Ito)."""

REMARK = "FlashPower for planar NAND; it does not describe 3D NAND."


def answer(found: Found) -> dict[str, Any]:
    """Everything about a chip, or about its variants, as JSON."""
    if any(varied for varied, _ in found):
        return {"variants": [{"set": dict(varied), **of_chip(chip)} for varied, chip in found]}
    return of_chip(found[0][1])


def of_chip(chip: Chip) -> dict[str, Any]:
    """A chip as JSON: energies in microjoules as in the CSV, everything else in SI units."""
    return {
        "chip": chip.name,
        "capacity_bits": chip.capacity_bits,
        "states": [
            {
                "operation": row.operation,
                "state": row.state,
                "time_s": row.seconds,
                "power_w": row.watts,
                "energy_uj": row.energy.total * 1e6,
                "tunnelling_share": row.energy.tunnelling_share,
                "parts_uj": {part: joules * 1e6 for part, joules in row.energy.parts.items()},
            }
            for row in chip.energies()
        ],
        "pages": page_figures(chip),
        "circuit": chip.circuit,
        "advisories": chip.advisories,
    }


def page_figures(chip: Chip) -> list[dict[str, Any]]:
    """Pages of half ones as JSON: microjoules, and picojoules for each data bit."""
    return [
        {
            "operation": row.operation,
            "page": row.state,
            "time_s": row.seconds,
            "power_w": row.watts,
            "energy_uj": row.energy.total * 1e6,
            "pj_per_bit": row.joules_per_bit * 1e12,
            "tunnelling_share": row.energy.tunnelling_share,
        }
        for row in chip.pages()
    ]


def page_rows(chip: Chip) -> list[Row]:
    """Pages of half ones for people."""
    pages = chip.pages()
    unit, scale = unit_of((row.energy.total for row in pages), "J")
    return [
        {
            "operation": row.operation,
            "page": row.state,
            "time": quantity(row.seconds, "s"),
            f"energy ({unit})": row.energy.total * scale,
            "pJ per bit": row.joules_per_bit * 1e12,
            "power": quantity(row.watts, "W"),
            "share of tunnelling": percentage(row.energy.tunnelling_share),
        }
        for row in pages
    ]


def sentence(chip: Chip) -> str:
    """What a program, a read and an erase of pages of half ones cost, in words."""
    pages = chip.pages()

    def of(operation: str) -> list[PageEnergy]:
        return [row for row in pages if row.operation == operation]

    programs = [row for row in of("program") if row.state != FULL_SEQUENCE]
    size = binary_size(programs[0].data_bits / 8)
    text = f"Programming a page of {size} that is half ones takes {costs(programs)}"
    for row in of("program"):
        if row.state == FULL_SEQUENCE:
            every = {2: "both", 3: "all three", 4: "all four"}[len(programs)]
            text += f"; {every} pages of a word line in one sequence take {cost(row)}"
    (erase,) = of("erase")
    return f"{text}. Reading one takes {costs(of('read'))}. Erasing a block takes {cost(erase)}."


FULL_SEQUENCE = "full sequence"
"""The state of a program of all pages of a word line in one sequence."""


def cost(row: PageEnergy) -> str:
    """An energy, and that of a data bit."""
    per_bit = display(float(f"{row.joules_per_bit * 1e12:.4g}"))
    return f"{quantity(row.energy.total, 'J')} ({per_bit} pJ per bit)"


def costs(rows: Sequence[PageEnergy]) -> str:
    """Energies by kind of page as a list in a sentence."""
    if len(rows) == 1:
        return cost(rows[0])
    article = {True: "an", False: "a"}
    texts = [f"{cost(row)} as {article[row.state[0] in 'aeiou']} {row.state} page" for row in rows]
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


def energy_rows(found: Found) -> list[dict[str, str | float]]:
    """Energies in microjoules: a row for each chip and power state."""
    return [
        {
            **varied,
            "operation": row.operation,
            "state": row.state,
            "time_s": row.seconds,
            "energy_uj": row.energy.total * 1e6,
            "tunnelling_share": row.energy.tunnelling_share,
            **{f"{part}_uj": joules * 1e6 for part, joules in row.energy.parts.items()},
        }
        for varied, chip in found
        for row in chip.energies()
    ]


def render(found: Found) -> str:
    """The page of a chip or of its variants."""
    lead: list[str] = []
    if any(varied for varied, _ in found):
        sections = [of_variants(found)]
    else:
        sections = [of_operation(found[0][1], kind) for kind in ("read", "program", "erase")]
        sections.append(Section("Pages of half ones", rows=page_rows(found[0][1])))
        lead = [sentence(found[0][1])]
    chip = found[0][1]
    fold = Fold("Description: `wordline power chip.toml` repeats this page", text=chip.toml)
    sections.append(Section("Chip", folds=[fold]))
    return Page(f"Energy of the flash operations of {chip.name}", sections, lead=lead).html()


def of_operation(chip: Chip, operation: str) -> Section:
    """One kind of operation, by state and component."""
    states = [row for row in chip.energies() if row.operation == operation]
    unit, scale = unit_of((row.energy.total for row in states), "J")
    of_power, per_watt = unit_of((row.watts for row in states), "W")
    rows: list[Row] = [
        {
            "state": row.state,
            f"energy ({unit})": row.energy.total * scale,
            f"mean power ({of_power})": row.watts * per_watt,
            "share of tunnelling": percentage(row.energy.tunnelling_share),
            **{
                f"{part.replace('_', ' ')} ({unit})": joules * scale
                for part, joules in row.energy.parts.items()
            },
        }
        for row in states
    ]
    points = [
        {"state": row.state, "component": part.replace("_", " "), "energy": joules * scale}
        for row in states
        for part, joules in row.energy.parts.items()
    ]
    figure = Figure(title(states), specification(bars(points, unit, len(states))), rows, REMARK)
    return Section(operation.capitalize(), [figure])


def bars(points: Sequence[Row], unit: str, states: int) -> alt.Chart:
    """Bars by state, divided by component."""
    names = [part.replace("_", " ") for part in PART_COLOURS]
    chart: alt.Chart = (
        alt.Chart(
            data({**point, "order": names.index(str(point["component"]))} for point in points)
        )
        .mark_bar()
        .encode(
            x=alt.X("energy:Q", title=f"energy ({unit})"),
            y=alt.Y("state:N", title=None, sort=None, axis=alt.Axis(labelLimit=240)),
            color=alt.Color(
                "component:N", scale=alt.Scale(domain=names, range=list(PART_COLOURS.values()))
            ),
            order=alt.Order("order:Q"),
            tooltip=["state:N", "component:N", alt.Tooltip("energy:Q", format=",.4~g")],
        )
        .properties(width=WIDTH - 120, height=30 * states + 20)
    )
    return chart


def title(states: Sequence[StateEnergy]) -> str:
    """The spread over states and the largest component of the dearest, in words."""
    dearest = max(states, key=lambda row: row.energy.total)
    part, joules = max(dearest.energy.parts.items(), key=lambda item: item[1])
    share = f"{percentage(joules / dearest.energy.total)} of it {part.replace('_', ' ')}"
    energy = quantity(dearest.energy.total, "J")
    if len(states) == 1:
        return f"{energy}, {share}"
    least = min(row.energy.total for row in states)
    return f"Between {quantity(least, 'J')} and {energy} ({dearest.state}), {share}"


def joules_of(chip: Chip) -> dict[str, float]:
    """Joules by operation and state, and of half ones in one sequence where cells have several bits."""
    found = {f"{row.operation} {row.state}": row.energy.total for row in chip.energies()}
    sequence = {
        f"program {row.state} of half ones": row.energy.total
        for row in chip.pages()
        if row.state == FULL_SEQUENCE
    }
    (erase,) = (key for key in found if key.startswith("erase "))
    return (
        {key: joules for key, joules in found.items() if key != erase}
        | sequence
        | {erase: found[erase]}
    )


def of_variants(found: Found) -> Section:
    """Variants beside each other, an operation below the other."""
    rows: list[Row] = []
    points: list[Row] = []
    every = [joules_of(chip) for _, chip in found]
    unit, scale = unit_of((joules for each in every for joules in each.values()), "J")
    for (varied, _), energies in zip(found, every, strict=True):
        name = ", ".join(f"{key.rpartition('.')[2]} {value}" for key, value in varied.items())
        rows.append(
            {**varied, **{f"{key} ({unit})": value * scale for key, value in energies.items()}}
        )
        points += [
            {"variant": name, "operation": key, "energy": value * scale}
            for key, value in energies.items()
        ]
    headings = dict.fromkeys(key for row in rows for key in row)
    table: list[Row] = [{key: row.get(key) for key in headings} for row in rows]
    chart = (
        alt.Chart(data(points))
        .mark_point(filled=True, size=60)
        .encode(
            x=alt.X("energy:Q", title=f"energy ({unit}, log scale)", scale=alt.Scale(type="log")),
            y=alt.Y("variant:N", title=None, sort=None, axis=alt.Axis(labelLimit=360)),
            color=alt.Color("operation:N", scale=alt.Scale(scheme="tableau20"), sort=None),
            tooltip=["variant:N", "operation:N", alt.Tooltip("energy:Q", format=",.4~g")],
        )
        .properties(width=WIDTH - 300, height=max(120, 24 * len(found)))
    )
    figure = Figure(counted(len(found), "variant"), specification(chart), table, REMARK)
    return Section("Variants", [figure])
