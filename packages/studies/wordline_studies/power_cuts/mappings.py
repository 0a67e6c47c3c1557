"""Every kind of recovery with superblocks, beside drives that collect block by block."""

from __future__ import annotations

from collections.abc import Mapping

from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure, Load, Variant
from wordline_studies.ftl_family import sources
from wordline_studies.power_cuts.intervals import (
    LOADS,
    METADATA,
    PRESET,
    SERVED,
    TIME,
)

Keys = Mapping[str, object]

CUTS = 8_000
"""Requests of which one has the power fail."""
KINDS: Mapping[str, Keys] = {
    "spare areas": {"ftl.recovery.kind": "oob_scan"},
    "summary pages": {"ftl.recovery.kind": "summary_scan"},
    "journal": {
        "ftl.recovery.kind": "checkpoint_journal",
        "ftl.recovery.checkpoint_interval": 4_000,
    },
    "delayed checkpoint": {
        "ftl.recovery.kind": "delayed",
        "ftl.recovery.checkpoint_interval": 4_000,
    },
}
DESIGNS: Mapping[str, Keys] = {
    "pages": {},
    "superblocks": {"ftl.mapping": "striped", "ftl.span": "C"},
    "superblocks with parity": {
        "ftl.mapping": "striped",
        "ftl.span": "C",
        "ftl.parity": "rotating",
        # a page of four holds parity, beside the same spare space
        "ftl.over_provisioning": 1.28 * 4 / 3 - 1,
    },
}
AGED: Keys = {
    "age.method": "steady_state",
    "run.warm_up": "0.5 drive writes",
    "ftl.gc.reserve_blocks": 2,
    "output.recovery_every": CUTS,
}
"""Overwritten at random before the run; two blocks in reserve, as superblocks need them."""
REQUESTS, QUICK = 120_000, 60_000
LOAD = Load(LOADS[0].name, {**LOADS[0].keys, "requests": REQUESTS}, {"requests": QUICK})
TENTH = 0.1

FIGURE = GridFigure(
    heading="Superblocks",
    text=(
        "Each kind with superblocks, on drives that were overwritten at random to their steady state before the run, and begin with a checkpoint of what they hold. The blocks of a superblock are erased one by one, so that a power cut may leave some of them erased. "
        'Refused are: zones with any kind; `ftl.mapping = "dftl"` with a journal, as its map is on flash; a reserve of one block with superblocks; failing blocks where recovery is timed.'
    ),
    title="Time until the host is served, by what is kept on flash",
    variants=[
        Variant(name, PRESET, {**AGED, **design, **kept}, panel)
        for panel, design in DESIGNS.items()
        for name, kept in KINDS.items()
    ],
    loads=[LOAD],
    metrics=[SERVED, TIME, METADATA],
    chart=charts.bars,
    observers=(),
    claims=[
        *(
            ordering(
                f"The host is served sooner with {name} than with spare areas, with and without superblocks",
                f"{sources.OWN}: {why}",
                metric=SERVED.name,
                of=name,
                than="spare areas",
                relation="below",
            )
            for name, why in (
                ("summary pages", "a block has one summary page"),
                ("journal", "a checkpoint is the whole map"),
                ("delayed checkpoint", "a checkpoint is the whole map"),
            )
        ),
        ordering(
            "The host is served sooner where the checkpoint is delayed, with and without superblocks",
            f"{sources.OWN}: pages of the journal are programmed in place of a checkpoint",
            metric=SERVED.name,
            of="delayed checkpoint",
            than="journal",
            relation="below",
        ),
        ordering(
            "What is read is the same whether the checkpoint is delayed or not, within a tenth",
            f"{sources.OWN}: it is read before, in both",
            metric=TIME.name,
            of="delayed checkpoint",
            than="journal",
            relation="equal to",
            margin=TENTH,
        ),
    ],
)
