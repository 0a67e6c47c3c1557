"""E1, E3, E5, E8 and the buffer: what the source leaves open, and what it says hardly matters."""

from __future__ import annotations

from collections.abc import Mapping

from wordline.studies import charts
from wordline.studies.claims import ordering, rising
from wordline.studies.grid import GridFigure
from wordline.studies.verdict import BEYOND
from wordline_studies.wu2013_delta.causes import TAKEN_FIRST
from wordline_studies.wu2013_delta.drives import (
    AMPLIFICATION,
    BASELINE,
    COLLECTIONS,
    DELTA_SHARE,
    PAGES,
    PAGES_PER_DELTA,
    WRITE,
    Keys,
    beside_baselines,
    variant,
    with_baseline,
)
from wordline_studies.wu2013_delta.judges import near_panels
from wordline_studies.wu2013_delta.loads import FEW

PACKINGS: Mapping[str, Keys] = {
    "one page": {},
    "two pages": {"ftl.delta.temp_buffers": 2},
    "four pages": {"ftl.delta.temp_buffers": 4},
    "bytes": {"ftl.delta.packing": "fractional"},
}
"""Pages of deltas that are filled at a time, and deltas that may be divided."""
PACKING = GridFigure(
    heading="Packing",
    text=(
        "Ratio 0.35: one, two and four pages of deltas filled at a time, and bytes counted without a limit of pages as in the formulas of the source."
    ),
    title="Pages for each delta, collections and write amplification",
    variants=[variant(name, keys) for name, keys in PACKINGS.items()],
    loads=FEW,
    metrics=[PAGES_PER_DELTA, COLLECTIONS, AMPLIFICATION],
    baseline="one page",
    chart=charts.bars,
    claims=[
        ordering(
            "Pages for each delta are fewer with four pages than with one page, under every load",
            BEYOND,
            metric=PAGES_PER_DELTA.name,
            of="four pages",
            than="one page",
            relation="below",
        ),
        ordering(
            "Pages for each delta are fewer with bytes than with four pages, under every load",
            BEYOND,
            metric=PAGES_PER_DELTA.name,
            of="bytes",
            than="four pages",
            relation="below",
        ),
    ],
    seeds=(1,),
    whole_only=True,
)

THRESHOLDS: Mapping[str, Keys] = {
    "threshold 1": {"ftl.delta.hot_threshold": 1},
    "threshold 2": {},
    "threshold 4": {"ftl.delta.hot_threshold": 4},
    "every 512 writes": {"ftl.delta.scan_interval_writes": 512},
    "every 32,768 writes": {"ftl.delta.scan_interval_writes": 32_768},
    "a sixteenth counted": {"ftl.delta.counted_pages": PAGES // 16},
    "a sixty-fourth counted": {"ftl.delta.counted_pages": PAGES // 64},
}
"""From how many writes on a page is write-hot, how often counts are halved, and of how many pages accesses are counted."""
CANDIDATES = GridFigure(
    heading="Which writes are encoded",
    text="Ratio 0.35: pages are write-hot from 1, 2 or 4 writes on, counts are halved every 512 or 32,768 writes of the host instead of 2,048, and accesses of a sixteenth or a sixty-fourth of the pages are counted. The source prints the threshold, which is 2, and not how often it looks for cold pages: that decides which share of the writes becomes deltas.",
    title="Writes kept as deltas, collections and write latency",
    variants=with_baseline(*(variant(name, keys) for name, keys in THRESHOLDS.items())),
    loads=FEW,
    metrics=[DELTA_SHARE, COLLECTIONS, WRITE],
    baseline=BASELINE,
    chart=charts.bars,
    claims=[
        rising(
            "The share of writes kept as deltas never falls from threshold 4 over threshold 2 to threshold 1, under every load",
            BEYOND,
            metric=DELTA_SHARE.name,
            variants=["threshold 4", "threshold 2", "threshold 1"],
        ),
        rising(
            "The share of writes kept as deltas never falls from a sixty-fourth counted over a sixteenth counted to threshold 2, under every load",
            BEYOND,
            metric=DELTA_SHARE.name,
            variants=["a sixty-fourth counted", "a sixteenth counted", "threshold 2"],
        ),
        rising(
            "The share of writes kept as deltas never falls from every 512 writes over threshold 2 to every 32,768 writes, under every load",
            BEYOND,
            metric=DELTA_SHARE.name,
            variants=["every 512 writes", "threshold 2", "every 32,768 writes"],
        ),
    ],
    seeds=(1,),
    whole_only=True,
)

SPARE: Mapping[str, Keys] = {
    f"{per_cent} % spare": {"ftl.over_provisioning": per_cent / 100}
    for per_cent in (15, 20, 30, 40)
} | {"30 % of user space": {"ftl.over_provisioning_basis": "user"}}
"""Shares of spare space, which are the panels; the source does not say of what its 30 % are. The host writes as much of the drive in each."""
SPARE_SPACE = GridFigure(
    heading="Spare space",
    text="Ratio 0.35 against the baseline with less and more spare space: deltas take a part of it.",
    title="Collections over those of the baseline",
    variants=beside_baselines(SPARE, {"ratio 0.35": {}}),
    loads=FEW,
    metrics=[COLLECTIONS, AMPLIFICATION],
    baseline=BASELINE,
    chart=charts.bars,
    claims=[
        ordering(
            "Collections are fewer with ratio 0.35 than in the baseline, at each spare space, under every load",
            "claim 1",
            metric=COLLECTIONS.name,
            of="ratio 0.35",
            than=BASELINE,
            relation="below",
            why="with little spare space pages of deltas take what collection needs to find blocks with few current pages",
        ),
    ],
    seeds=(1,),
    whole_only=True,
)

BUFFERS: Mapping[str, Keys] = {
    panel: {"buffer.size": size}
    for panel, size in (("16 MB", "512 KiB"), ("64 MB", "2 MiB"), ("256 MB", "8 MiB"))
}
"""Buffers of the source's drive, which are the panels; ours is 32 times smaller."""
CLOSE = 0.05
"""By how much the ratio to the baseline may differ and hardly does."""
BUFFER = GridFigure(
    heading="The buffer",
    text="Ratio 0.35 against the baseline with a quarter and four times the buffer.",
    title="Collections and write latency over those of the baseline",
    variants=beside_baselines(BUFFERS, {"ratio 0.35": {}}),
    loads=FEW,
    metrics=[COLLECTIONS, WRITE, DELTA_SHARE],
    baseline=BASELINE,
    chart=charts.bars,
    claims=[
        near_panels(
            "Collections with ratio 0.35 relative to the baseline differ by at most 5 % between the buffers, under every load",
            "section 4.5",
            metric=COLLECTIONS.name,
            of="ratio 0.35",
            than=BASELINE,
            margin=CLOSE,
            why=TAKEN_FIRST,
        ),
    ],
    seeds=(1,),
    whole_only=True,
)
