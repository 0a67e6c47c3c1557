"""D3: from codes to program steps; and the read latency by equation 2.1."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import altair as alt
import numpy as np

from wordline.cell import Cells
from wordline.ecc import published_codes, segmented_read_us
from wordline.report.section import Figure, Row
from wordline.report.theme import data, specification
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict

TARGET = 1e-15
"""Failures of codewords that are accepted."""
CELLS = "mlc_wu2013"
STEPS = (0.40, 0.38, 0.36, 0.34)
"""Program steps of the curves, in gaps between states."""
SENSE_US, TRANSFER_US, PROGRAM_US = 25.0, 40.96, 500.0
PUBLISHED_US = {1: 500.0, 8: 754.0}
"""Program times that are printed."""
CLOSE = 0.02


def step_times() -> Mapping[int, tuple[float, float]]:
    """Program step and program time (µs) with which each code just meets the target, by codewords of the page."""
    cells, codes = Cells.from_toml(CELLS), published_codes()
    sigma = cells.sigma_for_rber(cells.reference_step, codes[1].p_max(TARGET))
    steps = {
        count: float(cells.step_for_rber(sigma, code.p_max(TARGET)))
        for count, code in codes.items()
    }
    return {
        count: (step, PROGRAM_US * cells.reference_step / step) for count, step in steps.items()
    }


def curves(quick: bool) -> list[Row]:
    """Failure probability of the long code by deviation, for several steps."""
    cells, code = Cells.from_toml(CELLS), published_codes()[1]
    sigmas = np.linspace(0.10, 0.14, 9 if quick else 41)
    found: list[Row] = []
    for step in STEPS:
        rates = cells.rates(np.full_like(sigmas, step), sigmas)["worst_page"]
        logs = code.ln_failure(rates) / np.log(10)
        found += [
            {"sigma": float(sigma), "step": f"{step:.2f}", "log10": float(log)}
            for sigma, log in zip(sigmas, logs, strict=True)
        ]
    return found


def read_us(codewords: int, wanted: int) -> float:
    """A read of some codewords on an idle channel."""
    decode = published_codes()[codewords].decode_us
    return segmented_read_us(
        wanted, sense_us=SENSE_US, transfer_us=TRANSFER_US / codewords, decode_us=decode
    )


def steps(quick: bool) -> Part:
    """D3."""
    points, found = curves(quick), step_times()
    chart = (
        alt.Chart(data(points))
        .mark_line()
        .encode(
            x=alt.X(
                "sigma:Q", title="deviation (gaps between states)", scale=alt.Scale(zero=False)
            ),
            y=alt.Y("log10:Q", title="codewords that fail (power of ten)"),
            color=alt.Color("step:N", title="program step"),
        )
        .properties(width=480, height=260)
    )
    rows: list[Row] = [
        {
            "codewords": count,
            "program step": round(step, 4),
            "program, µs": round(time, 1),
            "published, µs": PUBLISHED_US.get(count, "–"),
            "one sector, µs": round(read_us(count, 1), 2),
            "whole page, µs": round(read_us(count, count), 2),
        }
        for count, (step, time) in found.items()
    ]
    by_step = {
        step: [float(str(row["log10"])) for row in points if row["step"] == f"{step:.2f}"]
        for step in STEPS
    }
    ordered = [
        after < before
        for first, second in pairwise(STEPS)
        for before, after in zip(by_step[first], by_step[second], strict=True)
    ]
    times = [time for _, time in found.values()]
    eight = found[8][1]
    return Part(
        "From codes to program steps",
        "The code of one codeword, (34528, 32800), against the spread of the cells, for several program steps; below, the step with which each of the four codes just meets 10⁻¹⁵, and what a read costs on an idle channel.",
        Figure(
            "Failures of the long code by deviation and program step", specification(chart), rows
        ),
        [
            Claim(
                "A smaller program step makes fewer codewords fail, at every deviation of the cells",
                "D3, figure 2.2",
                f"pairs of neighbouring steps: fewer in {sum(ordered)} of {len(ordered)} cases",
                Verdict.of_cases(ordered),
            ),
            Claim(
                "The more codewords a page has, the longer its program takes, from 1 to 2, 4 and 8 codewords",
                "D3, figure 2.7",
                "program time: " + " → ".join(f"{time:.1f}" for time in times) + " µs",
                Verdict(int(all(after > before for before, after in pairwise(times)))),
            ),
            Claim(
                "With eight codewords a program takes 754 µs, within 2 %",
                "D3, section 2.3",
                f"program time: {eight:.1f} µs",
                Verdict(int(abs(eight / PUBLISHED_US[8] - 1) <= CLOSE)),
            ),
        ],
    )
