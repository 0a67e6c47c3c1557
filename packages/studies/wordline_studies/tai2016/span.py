"""How many blocks a superblock has, and what parity over them costs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from wordline.points.outcome import Outcome
from wordline.studies import charts
from wordline.studies.claims import ordering, rising
from wordline.studies.grid import GridFigure, Metric, Variant
from wordline.studies.measured import Measured
from wordline_studies.ftl_family import sources
from wordline_studies.ftl_family.cleaning import closed_form
from wordline_studies.tai2016.drives import (
    AMPLIFICATION,
    HOT_COLD,
    MEMORY,
    PAGES_PER_BLOCK,
    PRESET,
    THROUGHPUT,
    UNIFORM,
    UTILISATION,
    Keys,
    layered,
    number,
)
from wordline_studies.tai2016.judges import NEAR, near

GEOMETRY: Keys = {
    "geometry.channels": 4,
    "geometry.chips_per_channel": 2,
    "geometry.planes_per_die": 2,
    "geometry.blocks_per_plane": 64,
}
"""As many blocks as the other drives have, in eight dies of two planes, so that superblocks can have 2 to 16 of them."""
SPANS: Mapping[str, tuple[str, int]] = {
    "2 blocks": ("P", 2),
    "4 blocks": ("C", 4),
    "8 blocks": ("CW", 8),
    "16 blocks": ("CWP", 16),
}
"""The levels that a superblock extends over, and its blocks."""
PANELS: Mapping[str, Keys] = {
    "without parity": {},
    "with parity": {"ftl.parity": "rotating"},
}
SPARE = 0.28
"""Spare space of the preset, beyond what is exported."""


def spare(members: int) -> Keys:
    """Keys that leave superblocks of so many blocks, a page of each superpage of which holds parity, the spare space of the preset beside that."""
    return {"ftl.over_provisioning": (1 + SPARE) * members / (members - 1) - 1}


def parity(outcome: Outcome) -> float | None:
    """Pages with parity for each page of data that was programmed."""
    of_parity = number(outcome, "ftl.pages_programmed.parity")
    data = number(outcome, "ftl.pages_programmed.host") + number(outcome, "ftl.pages_programmed.gc")
    return of_parity / data if data else None


PARITY = Metric("pages with parity", parity, "pages", relative=False)
EXPORTED = Metric("pages exported", "ftl.user_pages", "pages", relative=False)
CLOSE = 0.01
"""Superpages that are not complete at either end of a run have their parity later, or had it before."""


def greedy(measured: Measured, panel: str, variant: str, load: str) -> float | None:
    """The closed form for blocks as large as a superblock, at the utilisation that the run had beside free and open blocks."""
    beside = measured.value(UTILISATION.name, panel, variant, load)
    pages = PAGES_PER_BLOCK * SPANS[variant][1]
    return closed_form("greedy", 1, beside.mean, pages) if beside else None


def one_of_the_others(measured: Measured, panel: str, variant: str, load: str) -> float:
    """A page with parity for the other pages of its superpage."""
    del measured, panel, load
    return 1 / (SPANS[variant][1] - 1)


WIDTHS = list(SPANS)
FIGURE = GridFigure(
    heading="The span of superblocks, and parity",
    text=(
        "Superblocks of 2 to 16 blocks (`ftl.span`) of a drive with eight dies of two planes: planes of a die, channels, channels and chips, or all of them. The larger the unit of collection, the more valid pages it holds; the wider it is, "
        "the more dies a sequence of writes keeps busy. With parity one page of each superpage of k holds that of the others, so that narrow superblocks pay more for it; what the drive exports is pages without parity over 1.28, "
        "so that both panels have the same spare space beside it."
    ),
    title="Write amplification, bandwidth and memory by span and parity",
    variants=[
        Variant(
            name,
            PRESET,
            {
                **layered({"ftl.mapping": "striped", "ftl.span": span}),
                **GEOMETRY,
                **keys,
                **(spare(members) if keys else {}),
            },
            panel,
        )
        for panel, keys in PANELS.items()
        for name, (span, members) in SPANS.items()
    ],
    loads=[UNIFORM, HOT_COLD[0]],
    metrics=[AMPLIFICATION, THROUGHPUT, PARITY, MEMORY, EXPORTED, UTILISATION],
    chart=partial(charts.lines),
    variants_are="blocks of a superblock",
    claims=[
        rising(
            "Write amplification rises with the span of superblocks, under every load",
            f"{sources.OWN}, from the closed form of greedy ({sources.CHOICES}; {sources.GREEDY})",
            metric=AMPLIFICATION.name,
            variants=WIDTHS,
            panels=["without parity"],
            why=(
                "Beside the size of the unit counts what is free and open: drives with superblocks of 4 and 8 blocks have a utilisation of 0.821 beside that, those of 2 and 16 blocks one of 0.816. The closed form rises at each step where "
                "utilisation is the same, and every drive is within 3 % of the form at its own"
            ),
        ),
        near(
            f"Write amplification is that of the closed form for blocks as large as a superblock, within {100 * NEAR:.0f} %, under uniform writes, at every span",
            f"{sources.OWN}, from the closed form of greedy ({sources.CHOICES}; {sources.GREEDY})",
            metric=AMPLIFICATION.name,
            cells=[("without parity", name, UNIFORM.name) for name in SPANS],
            expected=greedy,
        ),
        ordering(
            "The workload writes faster with superblocks over all dies than over the planes of one, under every load",
            "Tai 2016: superblocks across channels",
            metric=THROUGHPUT.name,
            of=WIDTHS[-1],
            than=WIDTHS[0],
            relation="above",
            panels=["without parity"],
            why=(
                "Each group of dies that a superblock extends over has open ones of its own, so that eight outstanding writes keep all dies at work at any span; what is left is the difference in write amplification, 1 %. "
                "Where a single open block takes all writes, as with zones, the span decides ([objectives](#designs))"
            ),
        ),
        near(
            f"Superblocks of k blocks program 1 / (k - 1) pages with parity for each page of data, within {100 * CLOSE:.0f} %, under every load",
            f"{sources.OWN}: one page of each superpage has the parity of the others",
            metric=PARITY.name,
            cells=[
                ("with parity", name, load.name)
                for name in SPANS
                for load in (UNIFORM, HOT_COLD[0])
            ],
            expected=one_of_the_others,
            margin=CLOSE,
        ),
        rising(
            "With parity write amplification falls with the span of superblocks, parity counted, under every load",
            f"{sources.OWN}: of more pages fewer hold parity",
            metric=AMPLIFICATION.name,
            variants=WIDTHS[::-1],
            panels=["with parity"],
        ),
    ],
)
