"""What the source prints of its baseline, beside ours by what it leaves open."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wordline.studies import charts
from wordline.studies.grid import GridFigure
from wordline.studies.published import Found, Printed, PublishedFigure
from wordline_studies.wu2013_delta.drives import CLOSED, GAIN, Keys, variant
from wordline_studies.wu2013_delta.loads import FEW

C8 = "C8 surrogate"
READINGS: Mapping[str, Keys] = {
    "64 pages a block": {},
    "32 pages a block": {"geometry.pages_per_block": 32, "geometry.blocks_per_plane": 2048},
    "128 pages a block": {"geometry.pages_per_block": 128, "geometry.blocks_per_plane": 512},
    "30 % of user space": {"ftl.over_provisioning_basis": "user"},
}
"""Pages of a block, of which the source says nothing, and of what its 30 % of spare space are."""
GRID = GridFigure(
    heading="Published and ours",
    text="",
    title="",
    variants=[variant(name, CLOSED, keys) for name, keys in READINGS.items()],
    loads=[load for load in FEW if load.name == C8],
    metrics=[GAIN],
    chart=charts.bars,
    claims=[],
    seeds=(1,),
)


def gain(reading: str) -> Callable[[Found], float | None]:
    """Pages that a collection gains in the baseline under C8."""

    def ours(found: Found) -> float | None:
        value = found["baseline"].value(GAIN.name, "", reading, C8)
        return value.mean if value else None

    return ours


FIGURE = PublishedFigure(
    heading="Published and ours",
    text="The one number of the baseline that is known to us, and ours with blocks of other sizes, and with spare space of 30 % of the exported space instead of the raw. No other figure depends on it.",
    title="Published and ours",
    grids={"baseline": GRID},
    printed=[
        Printed(
            "C8: pages gained by a collection in the baseline",
            "section 4.5",
            14.0,
            {reading: gain(reading) for reading in READINGS},
            unit="pages",
        )
    ],
    columns=[*READINGS],
    deviations="What of the drive is full, how long its blocks are and how it was filled decide on this number, and the source tells none of them: it cannot say which reading is its own.",
)
