"""Over which range of load claims hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from small_study import FIGURE, FULL, QUICK, an_engine
from wordline.studies.claims import ordering
from wordline.studies.grid import Load
from wordline.studies.load_range import LoadRange, span, told
from wordline.studies.verdict import Claim, Verdict

SURROGATE = Load(
    "F1 surrogate",
    {"kind": "profile", "profile": "financial1", "requests": 9_000, "compress_time": 3},
    {"requests": 60},
)
RANGE = LoadRange(
    heading="Range",
    text="Text.",
    figures={"channels": replace(FIGURE, loads=[*FIGURE.loads, SURROGATE])},
    speeds=(0.5, 2),
    quick=(1, 8),
    requests=100,
)


def test_surrogates_alone_are_played_faster(tmp_path: Path) -> None:
    for form, speeds, requests in ((FULL, (1.5, 6.0), 100), (QUICK, (3.0, 24.0), 60)):
        points = RANGE.points(form)
        # two drives at two speeds, with one seed
        assert len(points) == 4
        found = [point.resolved.get("workload.compress_time") for point in points]
        assert found == [speeds[0]] * 2 + [speeds[1]] * 2
        assert {point.resolved.get("workload.requests") for point in points} == {requests}
        assert {point.resolved.get("workload.profile") for point in points} == {"financial1"}
    part = RANGE.part(QUICK, an_engine(tmp_path).run(RANGE.points(QUICK)))
    busy, claim = part.figure.rows
    assert list(busy) == list(claim) == ["claim", "×1", "×8", "holds"]
    assert claim["claim"] == "two channels are no slower"
    assert claim["×1"] in ("✓", "✗")
    assert (part.runs, part.done) == (4, 4)

    def least(cell: object) -> float:
        return float(str(cell).split()[0])

    # the drive is busier with faster requests
    assert least(busy["×8"]) > 3 * least(busy["×1"]) > 0


def test_claims_about_other_loads_than_surrogates_have_no_row(tmp_path: Path) -> None:
    about = ordering(
        "two channels are no slower under it",
        "section 1",
        metric="response",
        of="two",
        than="one",
        relation="not above",
        loads=["writes"],
    )
    figure = replace(RANGE.figures["channels"], claims=[*FIGURE.claims, about])
    both = replace(RANGE, figures={"channels": figure})
    part = both.part(QUICK, an_engine(tmp_path).run(both.points(QUICK)))
    assert [row["claim"] for row in part.figure.rows[1:]] == ["two channels are no slower"]


@pytest.mark.parametrize(
    ("verdicts", "holds", "cells"),
    [
        ({1: (2, 2), 4: (2, 2)}, "at all", ["✓", "✓"]),
        ({1: (0, 2), 4: (0, 0)}, "at none", ["✗", "○"]),
        ({1: (2, 2), 2: (2, 2), 4: (1, 2), 8: (3, 3)}, "×1 to ×2, ×8", ["✓", "✓", "◐ 1/2", "✓"]),
        ({0.5: (1, 3), 1: (3, 3), 2: (0, 3)}, "×1", ["◐ 1/3", "✓", "✗"]),
    ],
)
def test_ranges_in_words(
    verdicts: dict[float, tuple[int, int]], holds: str, cells: list[str]
) -> None:
    claims = {
        speed: Claim("it is so", "", "", Verdict(held, of))
        for speed, (held, of) in verdicts.items()
    }
    assert span(claims) == holds
    assert [told(claim) for claim in claims.values()] == cells
