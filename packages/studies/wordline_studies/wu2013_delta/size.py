"""What the size of the drive does: the block that is open for deltas in each plane is one of 1,024 here, and one of 4,096 in the source's drive."""

from __future__ import annotations

from collections.abc import Mapping

from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure
from wordline.studies.verdict import BEYOND
from wordline_studies.wu2012.judges import larger_for
from wordline_studies.wu2013_delta.drives import (
    AMPLIFICATION,
    BASELINE,
    COLLECTIONS,
    PAGES,
    Keys,
    beside_baselines,
)
from wordline_studies.wu2013_delta.gate import CONTENTS, GATED
from wordline_studies.wu2013_delta.loads import FEW

BLOCKS: Mapping[str, Keys] = {
    f"{1024 // parts} blocks": {
        "geometry.blocks_per_plane": 1024 // parts,
        "ftl.delta.counted_pages": PAGES // parts,
        "buffer.size": f"{2048 // parts} KiB",
    }
    for parts in (16, 4, 1)
}
"""Blocks of a plane, which are the panels."""

FIGURE = GridFigure(
    heading="The size of the drive",
    text=(
        "Every plane has a block that is open for pages of deltas as soon as there is one. In a plane of 64 blocks, of which 19 are spare, it takes a twentieth of the spare space, which a baseline does not need. Beside planes of 1,024 blocks, as in the other figures, smaller ones with smaller buffers: "
        "content that the gate turns away but for one candidate in 128, and ratio 0.35. The same 10,000 pages are written on each, which are more of a smaller drive, so that ratio 0.35 is not the same load there; the gate shows what the block costs."
    ),
    title="Collections and write amplification over those of the baseline, by blocks of a plane",
    variants=beside_baselines(BLOCKS, {GATED: CONTENTS["ratio 0.60 at 304 MHz"], "ratio 0.35": {}}),
    loads=FEW,
    metrics=[COLLECTIONS, AMPLIFICATION],
    baseline=BASELINE,
    chart=charts.bars,
    claims=[
        ordering(
            "Collections with the gate are those of the baseline within 2 % with 1024 blocks, under every load",
            BEYOND,
            metric=COLLECTIONS.name,
            of=GATED,
            than=BASELINE,
            relation="equal to",
            margin=0.02,
            panels=["1024 blocks"],
        ),
        larger_for(
            "Collections with the gate relative to the baseline are more with 64 blocks than with 1024 blocks, under every load",
            BEYOND,
            metric=COLLECTIONS.name,
            of=GATED,
            than=BASELINE,
            panels=("64 blocks", "1024 blocks"),
        ),
    ],
    seeds=(1,),
    whole_only=True,
)
