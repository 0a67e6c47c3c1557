"""The chips of the source's validation."""

from __future__ import annotations

from wordline.formatting import display
from wordline.power import Chip
from wordline.report.section import Figure, Row
from wordline.report.theme import specification
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict
from wordline_studies.mohan_flashpower.energies import panels

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
        "validate nothing. Nor can the error of the source's model be put beside them: its abstracts call model and measurement comparable and give "
        "no figure, and the charts that show both could not be read.",
        figure,
        [
            Claim(
                "The five chips of the validation have the published capacities",
                "table 2.4",
                ", ".join(
                    f"{row['chip']} {display(row['capacity (Gibit)'])} Gibit" for row in rows
                ),
                Verdict.of_cases(right),
            )
        ],
    )
