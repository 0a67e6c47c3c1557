"""The table of predictions: all that is asked, with intervals that may be called predictions."""

from __future__ import annotations

import csv
import io

import pytest

from validation import intervals, measured, predictions
from validation.drives import DRIVES

present = pytest.mark.skipif(not measured.ASKED.is_file(), reason=measured.ABSENT)


@present
def test_every_row_that_is_asked_is_predicted_or_has_a_reason() -> None:
    rows = list(csv.DictReader(io.StringIO(measured.ASKED.read_text(encoding="utf-8"))))
    blind = {drive.name for drive in DRIVES if drive.blind}
    made = {
        (row["drive"], row["condition"], row["quantity"], row["unit"], row["class"]): row
        for row in csv.DictReader(io.StringIO(predictions.FILE.read_text(encoding="utf-8")))
    }
    for row in rows:
        if row["drive"] in blind:
            found = made[row["drive"], row["condition"], row["quantity"], row["unit"], row["class"]]
            assert bool(found["value"]) != bool(found["why"])


def test_intervals_hold_their_value_and_are_no_wider_than_they_may_be() -> None:
    rows = list(csv.DictReader(io.StringIO(predictions.FILE.read_text(encoding="utf-8"))))
    assert len({row["drive"] for row in rows}) == len(DRIVES)
    some = [row for row in rows if row["value"]]
    assert some
    for row in some:
        low, value, high = (float(row[each]) for each in ("low", "value", "high"))
        assert 0 < low <= value <= high
        # four digits are written
        assert high / low <= intervals.WIDEST * 1.002
    assert all(row["why"] for row in rows if not row["value"])
