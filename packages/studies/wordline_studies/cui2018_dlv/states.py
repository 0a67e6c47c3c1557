"""In which state the drive is: write amplification, and whether what DLV gains depends on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from wordline.points.outcome import Outcome
from wordline.points.point import Point
from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure
from wordline.studies.study import Form, Part
from wordline.studies.verdict import BEYOND
from wordline_studies.cui2018_dlv.drives import (
    AMPLIFICATION,
    BUSY,
    FULL,
    HALF,
    RESPONSE,
    ROOM,
    Keys,
    scheme,
)
from wordline_studies.cui2018_dlv.loads import FOUR, SHORT, busy


@dataclass(frozen=True)
class OpenFigure(GridFigure):
    """A figure whose table stands open on the page."""

    def part(self, form: Form, outcomes: Mapping[Point, Outcome]) -> Part:
        """The figure and its claims."""
        return replace(super().part(form, outcomes), open_table=True)


STATES: dict[str, Keys] = {"full": FULL, "half full": HALF, "collects nothing": ROOM}
"""States at the start of a run."""

FIGURE = OpenFigure(
    heading="The state of the drive",
    text=(
        "The source collects where fewer than 10 % of the blocks are free, on a drive with 7 % of spare space: on a full drive both cannot hold. The drive of the other figures is full, in the steady state of random overwriting, and collects at half of its spare space; a page of the host then costs ten to twelve programs (write amplification, below). "
        "Beside it stand a drive half of whose space holds data, in the steady state of overwriting these, and one that was half filled once and collects nothing."
    ),
    title="Write amplification, and response over that of the baseline, by the state of the drive",
    variants=[
        scheme(name, base=keys, panel=state)
        for state, keys in STATES.items()
        for name in ("baseline", "WOO", "ROO", "DLV")
    ],
    loads=busy(FOUR, SHORT),
    metrics=[AMPLIFICATION, BUSY, RESPONSE],
    baseline="baseline",
    chart=charts.bars,
    claims=[
        ordering(
            "Mean response is lower with DLV than in the baseline, whether the drive is full, half full or collects nothing, under every load",
            BEYOND,
            metric=RESPONSE.name,
            of="DLV",
            than="baseline",
            relation="below",
        ),
    ],
    seeds=(1, 2),
    whole_only=True,
)
