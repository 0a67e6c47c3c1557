"""What the size of the drive does: the block that is open for deltas in each plane is one of 64 here, and one of 4096 in the source's drive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure, Variant
from wordline.studies.wu2012.judges import larger_for
from wordline.studies.wu2013_delta.drives import (
    AMPLIFICATION,
    BASELINE,
    COLLECTIONS,
    PAGES,
    variant,
    with_baseline,
)
from wordline.studies.wu2013_delta.gate import CONTENTS, GATED
from wordline.studies.wu2013_delta.loads import FEW

BLOCKS: Mapping[str, int] = {"64 blocks": 64, "256 blocks": 256}
"""Blocks of a plane: the panels."""


def drives() -> Sequence[Variant]:
    """The gate against content that does not pay, deltas, and the baseline, at each size."""
    found: list[Variant] = []
    for panel, blocks in BLOCKS.items():
        keys = {
            "geometry.blocks_per_plane": blocks,
            "ftl.delta.counted_pages": PAGES * blocks // 64,
            "buffer.size": f"{blocks // 64} MiB",
        }
        found += with_baseline(
            variant(GATED, keys, CONTENTS["ratio 0.60 at 304 MHz"], panel=panel),
            variant("ratio 0.35", keys, panel=panel),
            panel=panel,
            keys=keys,
        )
    return found


FIGURE = GridFigure(
    heading="The size of the drive",
    text=(
        "Every plane has a block that is open for pages of deltas as soon as there is one. In a plane of 64 blocks, of which 19 are spare, it takes a twentieth of the spare space, which a baseline does not need. Beside them planes of 256 blocks, with four times the buffer: "
        "content that the gate turns away but for one candidate in 128, and ratio 0.35."
    ),
    title="Collections and write amplification over those of the baseline, by blocks of a plane",
    variants=drives(),
    loads=FEW,
    metrics=[COLLECTIONS, AMPLIFICATION],
    baseline=BASELINE,
    chart=charts.bars,
    claims=[
        ordering(
            "Collections with the gate are those of the baseline within 2 % with 256 blocks, under every load",
            "ours",
            metric=COLLECTIONS.name,
            of=GATED,
            than=BASELINE,
            relation="equal to",
            margin=0.02,
            panels=["256 blocks"],
        ),
        larger_for(
            "Collections with the gate relative to the baseline are more with 64 blocks than with 256 blocks, under every load",
            "ours",
            metric=COLLECTIONS.name,
            of=GATED,
            than=BASELINE,
            panels=("64 blocks", "256 blocks"),
        ),
        larger_for(
            "Collections with ratio 0.35 relative to the baseline are more with 64 blocks than with 256 blocks, under every load",
            "ours",
            metric=COLLECTIONS.name,
            of="ratio 0.35",
            than=BASELINE,
            panels=("64 blocks", "256 blocks"),
        ),
    ],
    whole_only=True,
)
