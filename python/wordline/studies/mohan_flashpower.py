"""The case studies of FlashPower: what organisation, bit patterns and voltages do to energy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import numpy as np

from wordline.formatting import display
from wordline.power import Chip, Energy
from wordline.report.section import Figure, Row
from wordline.report.theme import data, specification
from wordline.studies.study import Computed, Part, Study
from wordline.studies.verdict import Claim, Verdict

TOLERANCE = 0.03
"""Departure within which a number counts as met."""

CONFIGURATIONS = ("mohan-x1", "mohan-x2", "mohan-x3", "mohan-x4", "mohan-x5")
TABLE_2_6 = {
    "mohan-x1": {"read": 1.085, "program": 15.418, "erase": 117.602},
    "mohan-x3": {"read": 1.632, "program": 29.747, "erase": 232.908},
}
"""Published energies of case study 1 in µJ, those that could be had."""
TABLE_2_7 = {
    0.5: {"read": 0.863, "program": 11.902, "erase": 115.224},
    0.0: {"read": 0.543, "program": 15.418, "erase": 115.229},
}
"""Published energies of case study 2 in µJ, by share of ones."""
DISCHARGED = {"bias.bl_residual_1": "0 V", "bias.bl_residual_0": "1.8 V"}
"""Condition of case study 2: a one discharges its bit line fully, a zero not at all."""

OPERATIONS = ("read", "program", "erase")
COLOURS = {"Wordline": "#0072b2", "published": "#d55e00"}
WIDTH = 230
"""Width of a panel; three stand beside each other."""


def microjoules(chip: Chip, ones: float) -> dict[str, float]:
    """Read and program of a fast page with a share of ones, erase of a block of such pages."""
    energies = {
        "read": chip.read("fast", ones=ones),
        "program": chip.program("fast", ones=ones),
        "erase": chip.erase(programmed=1.0 - ones),
    }
    return {operation: energy.total * 1e6 for operation, energy in energies.items()}


def departures(
    ours: Mapping[str, Mapping[str, float]], published: Mapping[str, Mapping[str, float]]
) -> dict[str, float]:
    """Ours by published less one, for each published number."""
    return {
        f"{operation} of {name}": ours[name][operation] / value - 1.0
        for name, row in published.items()
        for operation, value in row.items()
    }


def numbers_claim(text: str, where: str, found: Mapping[str, float], why: str) -> Claim:
    """The claim that published numbers are met."""
    worst = max(found, key=lambda name: abs(found[name]))
    ours = f"largest departure {found[worst]:+.2%}, the {worst}"
    return Claim(
        text,
        where,
        ours.replace("mohan-x", "X"),
        Verdict.of_cases([abs(x) < TOLERANCE for x in found.values()]),
        why,
    )


def organisation(quick: bool) -> Part:
    """Case study 1: five configurations of 16 Gibit."""
    del quick  # five chips take no time
    ours = {name: microjoules(Chip.from_toml(name), 0.0) for name in CONFIGURATIONS}
    rows: list[Row] = [
        {
            "configuration": name.removeprefix("mohan-").upper(),
            **{
                label: value
                for operation in OPERATIONS
                for label, value in (
                    (f"{operation} (µJ)", energies[operation]),
                    (f"{operation}, published (µJ)", TABLE_2_6.get(name, {}).get(operation)),
                )
            },
        }
        for name, energies in ours.items()
    ]
    points: list[Row] = [
        {
            "x": name.removeprefix("mohan-").upper(),
            "operation": op,
            "energy": row[op],
            "source": source,
        }
        for source, table in (("Wordline", ours), ("published", TABLE_2_6))
        for name, row in table.items()
        for op in OPERATIONS
    ]
    x1, x3, x5 = ours["mohan-x1"], ours["mohan-x3"], ours["mohan-x5"]
    ratio = x3["read"] / x1["read"]
    lowest = [
        x1[operation] <= other[operation] * (1 + 1e-9)
        for operation in ("read", "program")
        for name, other in ours.items()
        if name != "mohan-x1"
    ]
    claims = [
        numbers_claim(
            "the energies of X1 and X3",
            "table 2.6",
            departures(ours, TABLE_2_6),
            "one of the six, the program of X1, is calibrated; the erase level lies between this table's and the "
            "next's, which differ by 2 % for the same chip",
        ),
        Claim(
            "X1 takes the least for a read and for a program",
            "case study 1",
            f"least or equal in {sum(lowest)} of {len(lowest)} comparisons",
            Verdict.of_cases(lowest),
            "X5 differs only in its planes, which enter no single-plane operation, so it ties",
        ),
        Claim(
            "X1 and X5 erase alike",
            "case study 1",
            f"{x5['erase'] / x1['erase'] - 1:+.2%}",
            Verdict(abs(x5["erase"] / x1["erase"] - 1) < 0.01),
        ),
        Claim(
            "twice the page takes 50 % more for a read by the table, 60 % by the text, and so less per byte",
            "case study 1",
            f"{ratio - 1:+.1%} per read, {ratio / 2 - 1:+.1%} per byte",
            Verdict.of_cases([abs(ratio - 1.5) < 0.05, abs(ratio - 1.6) < 0.05, ratio < 2.0]),
            "text and table of the source disagree, and the preset is calibrated on the tables",
        ),
    ]
    figure = Figure(
        "Energy of a read and a program of a fast page of zeros, and of an erase, by configuration",
        specification(panels(points, "configuration", "N", bar=True)),
        rows,
        "Published numbers of X2, X4 and X5 could not be had.",
    )
    return Part(
        "Organisation of the array",
        "Five configurations with 2^31 data bytes each: X2 has twice the blocks of a plane, X3 twice the page, X4 twice the "
        "pages of a block, X5 twice the planes. Residual voltage of the bit lines 0.7 V after either bit.",
        figure,
        claims,
    )


def bit_patterns(quick: bool) -> Part:
    """Case study 2: X1 through bit patterns."""
    chip = Chip.from_toml("mohan-x1", **DISCHARGED)
    shares = np.linspace(0.0, 1.0, 5 if quick else 21).tolist()
    ours = {share: microjoules(chip, share) for share in shares}
    points: list[Row] = [
        {"x": share, "operation": op, "energy": row[op], "source": source}
        for source, table in (("Wordline", ours), ("published", TABLE_2_7))
        for share, row in table.items()
        for op in OPERATIONS
    ]
    shown = [share for share in shares if round(share * 4, 9).is_integer()]
    rows: list[Row] = [
        {
            "ones": f"{share:.0%}",
            **{
                label: value
                for operation in OPERATIONS
                for label, value in (
                    (f"{operation} (µJ)", ours[share][operation]),
                    (f"{operation}, published (µJ)", TABLE_2_7.get(share, {}).get(operation)),
                )
            },
        }
        for share in shown
    ]
    named = {f"{share:.0%} ones": row for share, row in ours.items()}
    erases = [row["erase"] for row in ours.values()]
    optimised = Chip.from_toml("mohan-x1", policy={"optimize_erase": True}, **DISCHARGED)
    skipped = microjoules(optimised, 1.0)["erase"]
    claims = [
        numbers_claim(
            "the energies of X1 with half and with no ones",
            "table 2.7",
            departures(named, {f"{share:.0%} ones": row for share, row in TABLE_2_7.items()}),
            "three of the six are calibrated: both programs and the read of zeros",
        ),
        Claim(
            "a read takes less the more zeros it finds, along a straight line",
            "case study 2",
            slope_text(ours, "read"),
            straight(ours, "read", falling=True),
        ),
        Claim(
            "a program takes more the more zeros it writes, along a straight line",
            "case study 2",
            slope_text(ours, "program"),
            straight(ours, "program", falling=False),
        ),
        Claim(
            "an erase hardly depends on the pattern (below 0.1 %)",
            "case study 2",
            f"{max(erases) / min(erases) - 1:.4%}",
            Verdict(max(erases) / min(erases) - 1 < 1e-3),
        ),
        Claim(
            "a chip that skips the erase of an erased block spends over ten times less on it",
            "chapter 2",
            f"{erases[-1] / skipped:.0f} times less ({display(skipped)} µJ)",
            Verdict(erases[-1] > 10 * skipped),
            "how the chip knows that the block is erased is assumed: a verify for each bit of a cell",
        ),
    ]
    figure = Figure(
        "Energy of X1 by the share of ones in a page",
        specification(panels(points, "share of ones", "Q", bar=False)),
        rows,
    )
    return Part(
        "Bit patterns",
        "X1 alone. A one discharges its bit line fully when it is read, a zero not at all. In an erase the ones "
        "stand for cells that are erased already.",
        figure,
        claims,
    )


def slope_text(ours: Mapping[float, Mapping[str, float]], operation: str) -> str:
    """The change from all ones to all zeros."""
    ones, zeros = ours[1.0][operation], ours[0.0][operation]
    return f"{display(ones)} µJ of ones, {display(zeros)} µJ of zeros"


def straight(
    ours: Mapping[float, Mapping[str, float]], operation: str, *, falling: bool
) -> Verdict:
    """Whether energy by share of zeros is a straight line of the right slope."""
    zeros, ones = ours[0.0][operation], ours[1.0][operation]
    line = [
        abs(row[operation] / (zeros + share * (ones - zeros)) - 1) < 1e-9
        for share, row in ours.items()
    ]
    return Verdict.of_cases([all(line), zeros < ones if falling else zeros > ones])


def states(quick: bool) -> Part:
    """Programs by state."""
    del quick  # six states take no time
    chip = Chip.from_toml("b-mlc8")
    found = {row.state: row.energy for row in chip.energies() if row.operation == "program"}
    total = {state: energy.total * 1e6 for state, energy in found.items()}
    points: list[Row] = [
        {"state": state, "component": part.replace("_", " "), "energy": joules * 1e6}
        for state, energy in found.items()
        for part, joules in grouped(energy).items()
    ]
    rows: list[Row] = [
        {
            "state": state,
            "energy (µJ)": energy.total * 1e6,
            **{f"{part} (µJ)": joules * 1e6 for part, joules in grouped(energy).items()},
            "tunnelling": f"{energy.parts['tunnelling'] / energy.total:.0%}",
        }
        for state, energy in found.items()
    ]
    pairs = [("fast 0", "slow 00"), ("fast 0", "slow 01"), ("fast 1", "slow 11")]
    dearer = [total[slow] > total[fast] for fast, slow in pairs]
    chart = (
        alt.Chart(data(points))
        .mark_bar()
        .encode(
            x=alt.X("energy:Q", title="energy (µJ)"),
            y=alt.Y("state:N", title=None, sort=None),
            color=alt.Color(
                "component:N",
                sort=None,
                scale=alt.Scale(
                    domain=["bit lines", "tunnelling", "pump and control", "rest"],
                    range=["#0072b2", "#d55e00", "#e69f00", "#9ca3af"],
                ),
            ),
        )
        .properties(width=3 * WIDTH, height=180)
    )
    figure = Figure(
        "Energy of a program by the state that every cell of the page takes",
        specification(chart),
        rows,
    )
    return Part(
        "Program states",
        "B-MLC8. Shifts of the threshold are assumed, a step of 0.9 V for each level passed: the source gives "
        "only the step.",
        figure,
        [
            Claim(
                "a slow page takes more than a fast one",
                "chapter 2",
                ", ".join(
                    f"{slow} {total[slow] / total[fast] - 1:+.0%} on {fast}" for fast, slow in pairs
                ),
                Verdict.of_cases(dearer),
            ),
            Claim(
                "Fast 0 differs clearly from Slow 00, and Slow 00 from Slow 01",
                "chapter 2",
                ", ".join(
                    f"{state} {display(total[state])} µJ"
                    for state in ("fast 0", "slow 00", "slow 01")
                ),
                Verdict.of_cases(
                    [
                        total["slow 00"] > 1.1 * total["fast 0"],
                        total["slow 01"] > 1.1 * total["slow 00"],
                    ]
                ),
            ),
        ],
    )


def grouped(energy: Energy) -> dict[str, float]:
    """Components, the small ones together."""
    parts = energy.parts
    large = {
        "bit lines": parts["bit_lines"],
        "tunnelling": parts["tunnelling"],
        "pump and control": parts["pump"] + parts["control"],
    }
    return {**large, "rest": max(energy.total - sum(large.values()), 0.0)}


def program_voltage(quick: bool) -> Part:
    """Programs by the voltage of the first pulse."""
    chip = Chip.from_toml("b-mlc8")
    volts = np.linspace(16.2, 18.2, 5 if quick else 41)
    columns = chip.sweep({"bias.vpgm": volts, "bias.vera": np.full_like(volts, 17.2)}, parts=True)
    named = ("fast 0", "slow 00", "slow 01")
    inhibited = "slow 11"
    points: list[Row] = [
        {"volts": float(volt), "state": state, "energy": float(joules) * 1e6}
        for state in (*named, inhibited)
        for volt, joules in zip(volts, columns[f"program.{state}"], strict=True)
    ]
    middle, last = len(volts) // 2, len(volts) - 1
    rise = {
        state: float(columns[f"program.{state}"][last] - columns[f"program.{state}"][middle]) * 1e6
        for state in (*named, inhibited)
    }
    lines = columns["program.fast 0.word_lines"]
    low, high = float(volts[0]), float(volts[last])
    tunnelling = columns["program.fast 0.tunnelling"]
    rows: list[Row] = [
        {
            "first pulse (V)": float(volts[index]),
            **{
                f"{state} (µJ)": float(columns[f"program.{state}"][index]) * 1e6
                for state in (*named, inhibited)
            },
        }
        for index in (0, middle // 2, middle, (middle + last) // 2, last)
    ]
    chart = (
        alt.Chart(data(points))
        .mark_line(strokeWidth=2)
        .encode(
            x=alt.X(
                "volts:Q", title="first program pulse (V)", scale=alt.Scale(zero=False, nice=False)
            ),
            y=alt.Y("energy:Q", title="energy of a program (µJ)"),
            color=alt.Color(
                "state:N",
                sort=None,
                scale=alt.Scale(
                    domain=[*named, inhibited], range=["#0072b2", "#009e73", "#d55e00", "#9ca3af"]
                ),
            ),
        )
        .properties(width=3 * WIDTH, height=220)
    )
    figure = Figure(
        "Energy of a program by the voltage of its first pulse",
        specification(chart),
        rows,
        "Tunnelling here is a calibrated fit, not physics: see the page of the model.",
    )
    grows = float(tunnelling[last] / tunnelling[0])
    return Part(
        "Program voltage",
        "B-MLC8, every cell of the page in one state; the steps between pulses stay.",
        figure,
        [
            Claim(
                "the voltage of the pulses enters squared in word lines and exponentially in tunnelling",
                "chapter 2",
                f"from {low:.1f} V to {high:.1f} V word lines take {lines[last] / lines[0] - 1:+.1%}, tunnelling "
                f"{grows:.1f} times as much",
                Verdict.of_cases(
                    [
                        1.0 < float(lines[last] / lines[0]) <= (high / low) ** 2,
                        grows > (high / low) ** 4,
                    ]
                ),
                "most of the energy of word lines is that of the unselected ones, which do not follow",
            ),
            Claim(
                "small changes of it move slow pages most",
                "chapter 2",
                ", ".join(f"{state} {joules:+.1f} µJ" for state, joules in rise.items())
                + " for one volt more",
                Verdict.of_cases(
                    [rise["slow 00"] > rise["fast 0"], rise["slow 01"] > rise["fast 0"]]
                ),
                "in the states in which slow pages are programmed at all: an inhibited page hardly notices",
            ),
        ],
    )


VALIDATION = {
    "b-mlc8": 8.25,
    "d-mlc32": 33.77,
    "e-mlc64": 66.00,
    "a-slc4": 4.13,
    "b-slc4": 4.13,
}
"""Chips of the source's validation, and their published capacities in Gibit, spare bytes included."""


def chips(quick: bool) -> Part:
    """The chips of the source's validation."""
    del quick  # five chips take no time
    rows: list[Row] = []
    points: list[Row] = []
    right = []
    for name, gibit in VALIDATION.items():
        chip = Chip.from_toml(name)
        capacity = chip.capacity_bits / 2**30
        # 4.125 is printed as 4.13
        right.append(int(capacity * 100 + 0.5) / 100 == gibit)
        first = chip.kinds[0]
        energies = {
            "read": chip.read(first, ones=0.5).total * 1e6,
            "program": chip.program(first, ones=0.5).total * 1e6,
            "erase": chip.erase(programmed=0.5).total * 1e6,
        }
        rows.append(
            {
                "chip": chip.name,
                "capacity (Gibit)": capacity,
                **{f"{operation} (µJ)": value for operation, value in energies.items()},
            }
        )
        points += [
            {"x": chip.name, "operation": op, "energy": value, "source": "Wordline"}
            for op, value in energies.items()
        ]
    figure = Figure(
        "Energy of the chips of the source's validation, half ones, first kind of page",
        specification(panels(points, "chip", "N", bar=True)),
        rows,
    )
    return Part(
        "The chips of the validation",
        "The source measured five chips and compared. Its measurements, and the supplies, times and pulse counts of the "
        "chips, could not be had: everything but their geometry is B-MLC8's here. These numbers illustrate; they "
        "validate nothing.",
        figure,
        [
            Claim(
                "the capacities of the five chips",
                "table 2.4",
                ", ".join(
                    f"{row['chip']} {display(row['capacity (Gibit)'])} Gibit" for row in rows
                ),
                Verdict.of_cases(right),
            )
        ],
    )


def panels(points: Sequence[Row], title: str, kind: str, *, bar: bool) -> alt.HConcatChart:
    """A panel for each operation: ours as bars or lines, published numbers as points."""

    def panel(operation: str) -> alt.LayerChart | alt.FacetChart:
        chosen = [point for point in points if point["operation"] == operation]
        ours = alt.Chart(data(point for point in chosen if point["source"] == "Wordline"))
        ours = ours.mark_bar(size=18) if bar else ours.mark_line(strokeWidth=2)
        theirs = alt.Chart(data(point for point in chosen if point["source"] == "published"))
        x = alt.X(f"x:{kind}", title=title, sort=None)
        y = alt.Y("energy:Q", title=f"{operation} (µJ)")
        colour = alt.Color(
            "source:N", scale=alt.Scale(domain=list(COLOURS), range=list(COLOURS.values()))
        )
        layers = alt.layer(
            ours.encode(x=x, y=y, color=colour),
            theirs.mark_point(filled=True, size=70, opacity=1).encode(x=x, y=y, color=colour),
        )
        return layers.properties(width=WIDTH, height=200)

    return alt.hconcat(*map(panel, OPERATIONS))


STUDY = Study(
    name="mohan-flashpower",
    title="FlashPower: energy of NAND flash operations",
    source=(
        "V. Mohan, *Towards Building Energy Efficient, Reliable, and Scalable NAND Flash Based Storage Systems*, PhD "
        "dissertation, University of Virginia, 2015, chapter 2; also DATE 2010 and IEEE TCAD 32(7), 2013."
    ),
    introduction=(
        "One preset serves every figure: the chip `b-mlc8`, of which the configurations X1 to X5 change the geometry only. "
        "Its supply, times and pulse counts were never published. Six of its values are calibrated on the "
        "published energies themselves, so part of the agreement is by construction: four of the twelve published "
        "energies below are met exactly for that reason, and the level of the erases is shared between two that differ. A "
        f"number counts as met within {TOLERANCE * 100:.0f} %. [The model](../explanations/energy.md) derives every equation and says which "
        "printed formulas were corrected, and where a constant is a fit and not physics."
    ),
    figures={
        "organisation": Computed(organisation),
        "bit-patterns": Computed(bit_patterns),
        "states": Computed(states),
        "program-voltage": Computed(program_voltage),
        "chips": Computed(chips),
    },
)
