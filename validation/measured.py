"""What drives were measured or are specified to do, and what is asked of those that were not: tables that lie beside the repository and are no part of it."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT.parent / "shared" / "real-drives"
TABLE = FOLDER / "calibrate.csv"
ASKED = FOLDER / "asked.csv"
ABSENT = f"No measurements at {FOLDER}: they are not part of the repository, and the validation compares with nothing else."


@dataclass(frozen=True)
class Measured:
    """A figure of a drive, in the unit of the table."""

    value: float | None
    """None: it is asked, or is no number."""
    unit: str
    source: str
    of: str = ""
    """The class, as the table has it."""


Conditions = Mapping[str, Mapping[str, Measured]]
"""Of a drive: figures by what was measured, by the condition under which it was."""


def read(drive: str, table: Path = TABLE) -> Conditions:
    """The figures of a drive, or what is asked of it, where the table has no values.

    Raises:
        FileNotFoundError: the table is not there.
        KeyError: it has no figure of the drive.
    """
    if not table.is_file():
        raise FileNotFoundError(ABSENT)
    found: dict[str, dict[str, Measured]] = {}
    with table.open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            if row["drive"] == drive:
                figure = Measured(
                    number(row.get("value")), row["unit"], row.get("source") or "", row["class"]
                )
                found.setdefault(row["condition"], {})[row["quantity"]] = figure
    if not found:
        raise KeyError(drive)
    return found


def number(text: str | None) -> float | None:
    """A value of the table, where it is one number."""
    try:
        return float(text) if text else None
    except ValueError:
        return None


def others(drives: set[str], table: Path = ASKED) -> dict[str, int]:
    """Rows of the table that are of none of the drives, by drive."""
    counted: dict[str, int] = {}
    with table.open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            if row["drive"] not in drives:
                counted[row["drive"]] = counted.get(row["drive"], 0) + 1
    return counted
