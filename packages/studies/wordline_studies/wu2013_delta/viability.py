"""Section 4.3: for which ratios deltas do not slow writes down, by the clock of the controller."""

from __future__ import annotations

import altair as alt
import numpy as np

from wordline.content import Encoding
from wordline.report.section import Figure, Row
from wordline.report.theme import data, specification
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict

PUBLISHED = {304: 0.55, 619: 0.78, 934: 0.80}
"""Largest viable ratio by clock in MHz, as printed."""
SHOWN = 0.005
"""What two printed digits stand for."""


def rows(clocks: list[float]) -> list[Row]:
    """Stages and largest ratio by clock."""
    return [
        {
            "MHz": clock,
            "encode (µs)": round(encoding.encode_us, 3),
            "longest stage (µs)": round(encoding.longest_us, 3),
            "largest ratio": round(encoding.largest_ratio, 4),
        }
        for clock in clocks
        for encoding in [Encoding(cpu_mhz=clock)]
    ]


def viability(quick: bool) -> Part:
    """The table and its claim."""
    curve = rows([float(clock) for clock in np.linspace(150, 1200, 22 if quick else 106)])
    chart = (
        alt.Chart(data(curve))
        .mark_line()
        .encode(
            x=alt.X("MHz:Q", title="clock of the controller (MHz)"),
            y=alt.Y(
                field="largest ratio",
                type="quantitative",
                title="largest ratio that does not slow writes down",
            ),
        )
        .properties(width=420, height=220)
    )
    found = {clock: Encoding(cpu_mhz=clock).largest_ratio for clock in PUBLISHED}
    held = sum(abs(found[clock] - value) <= SHOWN for clock, value in PUBLISHED.items())
    claim = Claim(
        "Deltas do not slow writes down below ratios of 0.55, 0.78 and 0.80 at 304, 619 and 934 MHz",
        "section 4.3, equation 4.2",
        f"largest viable ratio at {', '.join(map(str, found))} MHz (ratio): {', '.join(f'{value:.4f}' for value in found.values())}",
        Verdict(held, len(PUBLISHED)),
    )
    return Part(
        "Which ratios are viable",
        "Encoding reads the older page (25 µs), transfers it (40 µs) and computes the compressed difference (27,212 cycles). As long as the longest stage takes less time than the programs that deltas save, equation 4.2 calls them viable.",
        Figure(
            "Largest viable ratio by clock", specification(chart), rows([*map(float, PUBLISHED)])
        ),
        [claim],
    )
