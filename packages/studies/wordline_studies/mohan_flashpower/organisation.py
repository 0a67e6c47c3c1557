"""Case study 1: the organisation of the array."""

from __future__ import annotations

from wordline.formatting import percentage
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

CONFIGURATIONS = ("mohan-x1", "mohan-x2", "mohan-x3", "mohan-x4", "mohan-x5")
TABLE_2_6 = {
    "mohan-x1": {"read": 1.085, "program": 15.418, "erase": 117.602},
    "mohan-x2": {"read": 1.629, "program": 18.297, "erase": 232.577},
    "mohan-x3": {"read": 1.632, "program": 29.747, "erase": 232.908},
    "mohan-x4": {"read": 1.590, "program": 18.205, "erase": 227.719},
    "mohan-x5": {"read": 1.277, "program": 15.562, "erase": 117.595},
}
"""Published energies of case study 1 in µJ."""


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
            f"The energies of a read, a program and an erase of X1 to X5 are the published ones, within {TOLERANCE * 100:.0f} %",
            "table 2.6",
            departures(ours, TABLE_2_6),
            "one of the fifteen, the program of X1, is calibrated; the erase level lies between this table's and the "
            "next's, which differ by 2 % for the same chip. Twice the planes cost X5 18 % more for a read in the source; here planes enter no operation of a single plane",
        ),
        Claim(
            "Of X1 to X5, X1 takes the least energy for a read and for a program",
            "case study 1",
            f"least or equal in {sum(lowest)} of {len(lowest)} comparisons",
            Verdict.of_cases(lowest),
            "X5 differs only in its planes, which enter no single-plane operation, so it ties",
        ),
        Claim(
            "An erase takes X5, with twice the planes, the same energy as X1, within 1 %",
            "case study 1",
            f"energy of an erase, X5 compared with X1: {percentage(x5['erase'] / x1['erase'] - 1, '+.2f')}",
            Verdict(abs(x5["erase"] / x1["erase"] - 1) < 0.01),
        ),
        Claim(
            "A read takes X3, with twice the page of X1, 50 % more energy (the table) or 60 % more (the text), and so less per byte",
            "case study 1",
            f"{percentage(ratio - 1, '+.1f')} per read, {percentage(ratio / 2 - 1, '+.1f')} per byte",
            Verdict.of_cases([abs(ratio - 1.5) < 0.05, abs(ratio - 1.6) < 0.05, ratio < 2.0]),
            "text and table of the source disagree, and the preset is calibrated on the tables",
        ),
    ]
    figure = Figure(
        "Energy of a read and a program of a fast page of zeros, and of an erase, by configuration",
        specification(panels(points, "configuration", "N", bar=True)),
        rows,
    )
    return Part(
        "Organisation of the array",
        "Five configurations with 2^31 data bytes each: X2 has twice the blocks of a plane, X3 twice the page, X4 twice the "
        "pages of a block, X5 twice the planes. Residual voltage of the bit lines 0.7 V after either bit.",
        figure,
        claims,
    )
