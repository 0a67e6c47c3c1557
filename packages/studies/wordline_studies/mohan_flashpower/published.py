"""Every published number of the case studies, beside ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wordline.formatting import percentage
from wordline.power import Chip
from wordline.studies.published import WORDLINE, Printed, PublishedFigure, computed
from wordline_studies.mohan_flashpower.energies import microjoules
from wordline_studies.mohan_flashpower.organisation import TABLE_2_6
from wordline_studies.mohan_flashpower.patterns import DISCHARGED, TABLE_2_7

CALIBRATED = {
    ("table 2.6", "program", "X1"),
    ("table 2.7", "program", "50 % ones"),
    ("table 2.7", "program", "0 % ones"),
    ("table 2.7", "read", "0 % ones"),
}
"""Numbers on which values of the chip were calibrated."""
SKIPPED = 2.566
"""Published energy in µJ of the optimised erase of a block of ones."""
TIMES = 46.0
"""How many times less that is than an erase, as the text says."""
MEASURED_TIMES = 5.0
"""How many times less the source measured for the erase of an erased block, on E-MLC64."""


def energy(
    chip: str, operation: str, ones: float, *, discharged: bool = False
) -> Callable[[], float]:
    """The energy of an operation in µJ, computed when it is asked for."""

    def ours() -> float:
        keys = DISCHARGED if discharged else {}
        return microjoules(Chip.from_toml(chip, **keys), ones)[operation]

    return ours


def erasing(chip: str, *, skips: bool, **keys: str) -> float:
    """The energy in µJ of the erase of an erased block, by a chip that recognises it as such or not."""
    made = Chip.from_toml(chip, policy={"optimize_erase": skips}, **keys)
    return made.erase(programmed=0.0).total * 1e6


def times_less(chip: str, **keys: str) -> float:
    """How many times less it takes if the chip recognises it."""
    return erasing(chip, skips=False, **keys) / erasing(chip, skips=True, **keys)


def printed() -> Sequence[Printed]:
    """Both tables, and what the text says of erases."""
    found = []
    for table, rows in (("table 2.6", TABLE_2_6), ("table 2.7", TABLE_2_7)):
        for at, row in rows.items():
            for operation, value in row.items():
                if isinstance(at, str):
                    name, ours = at.removeprefix("mohan-").upper(), energy(at, operation, 0.0)
                else:
                    name = f"{percentage(at)} ones"
                    ours = energy("mohan-x1", operation, at, discharged=True)
                known = "calibrated" if (table, operation, name) in CALIBRATED else ""
                found.append(
                    computed(f"{operation}, {name}", table, value, ours, unit="µJ", known=known)
                )
    return [
        *found,
        computed(
            "optimised erase of a block of ones, X1",
            "case study 2",
            SKIPPED,
            lambda: erasing("mohan-x1", skips=True, **DISCHARGED),
            unit="µJ",
        ),
        computed(
            "how many times less than an erase that is, X1",
            "case study 2",
            TIMES,
            lambda: times_less("mohan-x1", **DISCHARGED),
            unit="times",
        ),
        computed(
            "how many times less the erase of an erased block takes, E-MLC64, measured",
            "validation",
            MEASURED_TIMES,
            lambda: times_less("e-mlc64"),
            unit="times",
        ),
    ]


FIGURE = PublishedFigure(
    heading="Published and ours",
    text="Every energy that the source prints of the two case studies, and what it says of the erase of a block that is erased already.",
    title="Published energies and those of Wordline",
    grids={},
    printed=printed(),
    columns=(WORDLINE,),
    deviations=(
        "Where they deviate by more than 3 %: the **read of X5**, for which the source has 18 % more than for X1; planes enter no operation of a single plane "
        "here, and the source does not say what twice the planes charge in a read and hardly in a program (0.9 %) or an erase (nothing). The **optimised erase**: here it is "
        "a verify for each bit of a cell, which takes a sixth less than the source prints; how its chip knows that a block is erased is not described. "
        "**E-MLC64**: the source measured an erase of an erased block that takes a fifth of another one; one that only verifies, as the model has it, takes less than a sixtieth, so the measured chip "
        "does more than verify, and its supply, times and pulses, which are not published, are those of B-MLC8 here."
    ),
)
