"""The reliability tables behind the source: its table I, error rates by age, and the thresholds of the levels (E4 to E6)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import altair as alt
import numpy as np

from wordline.cell import Cells
from wordline.ecc import Ldpc
from wordline.report.section import Figure, Row
from wordline.report.theme import data, specification
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict
from wordline_studies.cui2018_dlv.drives import PRESET

CELLS = "mlc_late_life"
"""Constants of the cells of the preset."""
PRINTED = {"A": (867.0, 0.0104, 150.0), "B": (1300.0, 0.0076, 75.0), "C": (5000.0, 0.0044, 38.0)}
"""Table I: program time (µs), raw bit error rate, read time (µs)."""
STEP_B, PROGRAM_B = 0.146, 1300.0
"""Program step of case B in gaps between states, and its program time; the others follow in inverse proportion."""
REFERENCE_US = 37.5
"""Read time of a reference in table I."""
CLOSE = 0.03
SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Quantiles of the blocks, the strongest first."""
CYCLES, WEEK = 3000, 7.0
NEAR = 0.14
"""How far the thresholds by mutual information may be from those of the table."""


def fitted() -> dict[str, float]:
    """The error rate of each case of table I, with the spread of the cells that case B has."""
    cells = Cells.from_toml(CELLS, **{"cell.ber_reading": "page_average"})
    sigma = cells.sigma_for_rber(STEP_B, PRINTED["B"][1])
    steps = {name: STEP_B * PROGRAM_B / time for name, (time, *_) in PRINTED.items()}
    return {name: float(cells.rates(step, sigma)["page_average"]) for name, step in steps.items()}


def levels(rates: Sequence[float]) -> list[int]:
    """References that pages of these error rates need; 8 where none is enough."""
    found = Ldpc().read(np.asarray(rates, dtype=np.float64))
    return [
        int(level) if corrected else 8
        for level, corrected in zip(found["last_level"], found["corrected"], strict=True)
    ]


def table_one(quick: bool) -> Part:
    """E4."""
    del quick
    rates = fitted()
    needed = dict(zip(PRINTED, levels([rate for _, rate, _ in PRINTED.values()]), strict=True))
    rows: list[Row] = [
        {
            "case": name,
            "program, µs": time,
            "error rate, published": rate,
            "error rate": round(rates[name], 5),
            "read, published, µs": read,
            "references": needed[name],
            "read, µs": REFERENCE_US * needed[name],
        }
        for name, (time, rate, read) in PRINTED.items()
    ]
    points = [
        {"program": time, "rate": value, "of": of}
        for name, (time, rate, _) in PRINTED.items()
        for of, value in (("published", rate), ("Wordline", rates[name]))
    ]
    chart = (
        alt.Chart(data(points))
        .mark_line(point=True)
        .encode(
            x=alt.X("program:Q", title="program (µs)", scale=alt.Scale(type="log")),
            y=alt.Y("rate:Q", title="raw bit error rate"),
            color=alt.Color("of:N", title=None),
        )
        .properties(width=480, height=240)
    )
    close = [abs(rates[name] / rate - 1) <= CLOSE for name, (_, rate, _) in PRINTED.items()]
    return Part(
        "Slow programs and fast reads",
        "Table I of the source: three program times, the raw bit error rates of the pages, and the times of their reads. Ours come from the cells with the spread that gives case B its rate, program steps in inverse proportion "
        "to the times. Reads are those of the published rates: as many references as the table of levels wants, of 37.5 µs each.",
        Figure("Error rate by program time", specification(chart), rows),
        [
            Claim(
                "Error rates of programs of 867, 1300 and 5000 µs are those of table I within 3 %",
                "E4, table I",
                "error rate: "
                + ", ".join(f"{rates[name]:.5f}" for name in rates)
                + f"; in {sum(close)} of {len(close)} cases",
                Verdict.of_cases(close),
                number=f"error rate: in {sum(close)} of {len(close)} cases",
            ),
        ],
        open_table=True,
    )


def by_age(quick: bool) -> Part:
    """E5."""
    cells = Cells.from_toml(CELLS)
    ages = np.linspace(0, 14, 15 if quick else 113)
    factors = cells.quantile(list(SHARES))
    points: list[Row] = []
    rows: list[Row] = []
    strong, normal = cells.classes([0.25])
    for share, factor in zip(SHARES, factors, strict=True):
        rates = cells.rber(cycles=CYCLES, age_days=ages, factor=float(factor))
        name = f"{100 * share:.0f} %"
        points += [
            {"age": float(age), "rate": float(rate), "blocks": name}
            for age, rate in zip(ages, rates, strict=True)
        ]
        own = cells.rber(cycles=CYCLES, age_days=[0.0, 1.0, 3.0, WEEK], factor=float(factor))
        row: dict[str, object] = {"blocks": name, "factor": round(float(factor), 4)}
        for age, rate, level in zip((0, 1, 3, 7), own, levels(list(own)), strict=True):
            row[f"{age} d"] = f"{rate:.5f} (level {level if level < 8 else '–'})"
        rows.append(row)
    for name, kind in (("strong, at the class bound", strong), ("the weakest", normal)):
        own = cells.rber(
            cycles=CYCLES, age_days=[0.0, 1.0, 3.0, WEEK], factor=kind.factor, step=kind.step
        )
        row = {"blocks": name, "factor": round(kind.factor, 4)}
        for age, rate, level in zip((0, 1, 3, 7), own, levels(list(own)), strict=True):
            row[f"{age} d"] = f"{rate:.5f} (level {level if level < 8 else '–'})"
        rows.append(row)
    chart = (
        alt.Chart(data(points))
        .mark_line()
        .encode(
            x=alt.X("age:Q", title="age of the data (days)"),
            y=alt.Y("rate:Q", title="raw bit error rate"),
            color=alt.Color("blocks:N", title="blocks", sort=None),
        )
        .properties(width=480, height=260)
    )
    program = strong.slowdown * 600
    by_quantile = cells.rber(cycles=CYCLES, age_days=WEEK, factor=factors)
    ordered = [bool(after > before) for before, after in pairwise(by_quantile)]
    return Part(
        "Error rates by age and block",
        f"Raw bit error rate and required level by the age of the data, at {CYCLES} cycles, for quantiles of the blocks; below, pages of strong blocks in their own step at the bound of their class, and the weakest blocks. "
        f"The program of the strong class, {program:.1f} µs instead of 600, follows from the rule that its weakest block has no more errors after a week than the weakest of all: a fast page needs more levels than a normal one of the same block.",
        Figure("Error rate by age of the data", specification(chart), rows),
        [
            Claim(
                "After a week the weaker a block is, the more errors it has, from the 5th to the 95th percentile of the blocks",
                "E5, figure 2",
                f"pairs of neighbouring quantiles: in {sum(ordered)} of {len(ordered)} cases",
                Verdict.of_cases(ordered),
                number=f"error rate: in {sum(ordered)} of {len(ordered)} cases",
            ),
        ],
        open_table=True,
    )


def thresholds(quick: bool) -> Part:
    """E6."""
    del quick
    table, computed = Ldpc().thresholds, Ldpc(thresholds="mutual_information").thresholds
    rows: list[Row] = [
        {
            "references": level,
            "table": given,
            "mutual information": round(found, 6),
            "difference, %": round(100 * (found / given - 1), 1),
        }
        for level, (given, found) in enumerate(zip(table, computed, strict=True), start=1)
    ]
    points = [
        {"level": level, "rate": value, "of": of}
        for of, values in (("table", table), ("mutual information", computed))
        for level, value in enumerate(values, start=1)
    ]
    chart = (
        alt.Chart(data(points))
        .mark_line(point=True)
        .encode(
            x=alt.X("level:O", title="references per boundary of states"),
            y=alt.Y("rate:Q", title="raw bit error rate", scale=alt.Scale(zero=False)),
            color=alt.Color("of:N", title=None),
        )
        .properties(width=420, height=220)
    )
    near = [abs(found / given - 1) <= NEAR for given, found in zip(table, computed, strict=True)]
    return Part(
        "Thresholds of the levels",
        f"Up to which error rate each number of references is enough: the table of the preset [`{PRESET}`](../reference/presets.md), whose first, second and fourth entries are read from table I and whose others are filled in, and what follows from "
        "the mutual information of a channel with Gaussian noise that one reference just decodes at 0.0044.",
        Figure("Thresholds by number of references", specification(chart), rows),
        [
            Claim(
                "Thresholds by mutual information are those of the table within 14 %, for 1 to 7 references",
                "E6, table I",
                f"threshold: in {sum(near)} of {len(near)} cases",
                Verdict.of_cases(near),
                number=f"threshold: in {sum(near)} of {len(near)} cases",
            ),
        ],
        open_table=True,
    )
