"""Programs by the state that cells take and by the voltage of the first pulse."""

from __future__ import annotations

import altair as alt
import numpy as np

from wordline.formatting import display, percentage
from wordline.power import Chip, Energy
from wordline.report.section import Figure, Row
from wordline.report.theme import data, specification
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict
from wordline_studies.mohan_flashpower.energies import WIDTH


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
    halves = {
        f"{row.state}, half ones": row.energy for row in chip.pages() if row.operation == "program"
    }
    rows: list[Row] = [
        {
            "state": state,
            "energy (µJ)": energy.total * 1e6,
            **{f"{part} (µJ)": joules * 1e6 for part, joules in grouped(energy).items()},
            "tunnelling": percentage(energy.tunnelling_share),
        }
        for state, energy in (found | halves).items()
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
        "only the step. The last rows of the table are pages of half ones, as data are that are compressed or encrypted; in the full sequence "
        "both pages of the cells are programmed at once, with the pulses of a fast page (assumed: the source gives none).",
        figure,
        [
            Claim(
                "A program of a slow page takes B-MLC8 more energy than one of a fast page",
                "chapter 2",
                ", ".join(
                    f"{slow} {percentage(total[slow] / total[fast] - 1, '+.0f')} on {fast}"
                    for fast, slow in pairs
                ),
                Verdict.of_cases(dearer),
            ),
            Claim(
                "A program to the state slow 00 takes B-MLC8 over 10 % more energy than to fast 0, one to slow 01 over 10 % more than to slow 00",
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
                "The energy of word lines grows at most with the square of the voltage of the first program pulse, that of tunnelling exponentially",
                "chapter 2",
                f"from {low:.1f} V to {high:.1f} V word lines take {percentage(lines[last] / lines[0] - 1, '+.1f')}, tunnelling "
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
                "One volt more of the first program pulse adds more energy to programs of slow pages than to those of fast pages",
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
