"""What drives were measured or are specified to do: a table that lies beside the repository and is no part of it."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
TABLE = ROOT.parent / "shared" / "real-drives" / "calibrate.csv"
ABSENT = f"No measurements at {TABLE}: they are not part of the repository, and the validation compares with nothing else."


@dataclass(frozen=True)
class Measured:
    """A figure of a drive, in the unit of the table."""

    value: float
    unit: str
    source: str


Conditions = Mapping[str, Mapping[str, Measured]]
"""Of a drive: figures by what was measured, by the condition under which it was."""


def read(drive: str, table: Path = TABLE) -> Conditions:
    """The figures of a drive.

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
                figure = Measured(float(row["value"]), row["unit"], row["source"])
                found.setdefault(row["condition"], {})[row["quantity"]] = figure
    if not found:
        raise KeyError(drive)
    return found
