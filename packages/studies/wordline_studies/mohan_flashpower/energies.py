"""Energies of the three operations, in numbers and in panels, and their departures from published ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt

from wordline.formatting import percentage
from wordline.power import Chip
from wordline.report.section import Row
from wordline.report.theme import data
from wordline.studies.verdict import Claim, Verdict

TOLERANCE = 0.03
"""Departure within which a number counts as met."""

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
    ours = f"largest departure {percentage(found[worst], '+.2f')}, the {worst}"
    return Claim(
        text,
        where,
        ours.replace("mohan-x", "X"),
        Verdict.of_cases([abs(x) < TOLERANCE for x in found.values()]),
        why,
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
