"""Case study 2: the pattern of the bits."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from wordline.formatting import display, percentage
from wordline.power import Chip
from wordline.report.section import Figure, Row
from wordline.report.theme import specification
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict
from wordline_studies.mohan_flashpower.energies import (
    OPERATIONS,
    TOLERANCE,
    departures,
    microjoules,
    numbers_claim,
    panels,
)

TABLE_2_7 = {
    1.0: {"read": 1.182, "program": 8.385, "erase": 115.218},
    0.75: {"read": 1.023, "program": 10.144, "erase": 115.221},
    0.5: {"read": 0.863, "program": 11.902, "erase": 115.224},
    0.25: {"read": 0.703, "program": 13.660, "erase": 115.226},
    0.0: {"read": 0.543, "program": 15.418, "erase": 115.229},
}
"""Published energies of case study 2 in µJ, by share of ones."""
DISCHARGED = {"bias.bl_residual_1": "0 V", "bias.bl_residual_0": "1.8 V"}
"""Condition of case study 2: a one discharges its bit line fully, a zero not at all."""


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
            "ones": percentage(share),
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
    named = {f"{percentage(share)} ones": row for share, row in ours.items()}
    erases = [row["erase"] for row in ours.values()]
    optimised = Chip.from_toml("mohan-x1", policy={"optimize_erase": True}, **DISCHARGED)
    skipped = microjoules(optimised, 1.0)["erase"]
    claims = [
        numbers_claim(
            f"The energies of X1 for pages of no, a quarter, half, three quarters and all ones are the published ones, within {TOLERANCE * 100:.0f} %",
            "table 2.7",
            departures(
                named, {f"{percentage(share)} ones": row for share, row in TABLE_2_7.items()}
            ),
            "three of the fifteen are calibrated: the programs of half ones and of no ones, and the read of zeros",
        ),
        Claim(
            "A read takes X1 less energy the more zeros the page holds, along a straight line",
            "case study 2",
            slope_text(ours, "read"),
            straight(ours, "read", falling=True),
        ),
        Claim(
            "A program takes X1 more energy the more zeros the page gets, along a straight line",
            "case study 2",
            slope_text(ours, "program"),
            straight(ours, "program", falling=False),
        ),
        Claim(
            "The energy of an erase of X1 varies by less than 0.1 % with the bits of the pages",
            "case study 2",
            f"the largest energy is {percentage(max(erases) / min(erases) - 1, '.4f')} above the least",
            Verdict(max(erases) / min(erases) - 1 < 1e-3),
        ),
        Claim(
            "A chip that skips the erase of an erased block spends over ten times less energy on it than X1",
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
