"""What is written for the integrity of data, beside the data."""

from __future__ import annotations

from collections.abc import Mapping

from wordline.points.outcome import Outcome
from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure, Metric, Variant
from wordline.studies.measured import Measured
from wordline_studies.ftl_family import sources
from wordline_studies.tai2016.drives import (
    HOT_COLD,
    PAGES_PER_BLOCK,
    PRESET,
    THROUGHPUT,
    UNIFORM,
    Keys,
    layered,
    number,
)
from wordline_studies.tai2016.judges import near
from wordline_studies.tai2016.span import spare

KEPT: Mapping[str, Keys] = {
    "nothing": {},
    "summary pages": {"ftl.recovery.kind": "summary_scan"},
    "checkpoint and journal": {"ftl.recovery.kind": "checkpoint_journal"},
    "checkpoint every 4,000 writes": {
        "ftl.recovery.kind": "checkpoint_journal",
        "ftl.recovery.checkpoint_interval": 4_000,
    },
}
PANELS: Mapping[str, Keys] = {
    "page-level mapping": {},
    "superblocks with parity": {
        "ftl.mapping": "striped",
        "ftl.span": "C",
        "ftl.parity": "rotating",
        **spare(4),
        "ftl.gc.reserve_blocks": 2,
    },
}


def integrity(outcome: Outcome) -> float | None:
    """Pages of metadata and parity for each page of data that was programmed."""
    data = number(outcome, "ftl.pages_programmed.host") + number(outcome, "ftl.pages_programmed.gc")
    own = ("metadata", "parity")
    return (
        sum(number(outcome, f"ftl.pages_programmed.{cause}") for cause in own) / data
        if data
        else None
    )


INTEGRITY = Metric("writes for integrity", integrity, "pages", relative=False)
TOTAL = Metric(
    "write amplification in all", "ftl.write_amplification_total", "pages", relative=False
)
CLOSE = 0.01


def one_of_a_block(measured: Measured, panel: str, variant: str, load: str) -> float:
    """The last page of each block lists the others."""
    del measured, panel, variant, load
    return 1 / (PAGES_PER_BLOCK - 1)


LOADS = [UNIFORM, HOT_COLD[0]]
FIGURE = GridFigure(
    heading="Writes for the integrity of data",
    text=(
        "What the talk calls writes for the integrity of data, for each page of data that is programmed: what the drive keeps to find its data again after a power cut ([recovery](power-cuts.md)), and parity over superblocks of four blocks. "
        "A journal has a page before each erase at the latest. What the drive exports is the share that `ftl.over_provisioning` leaves of what is left."
    ),
    title="Pages for integrity, and all pages that are programmed for a page of the host",
    variants=[
        Variant(name, PRESET, layered({**design, **kept}), panel)
        for panel, design in PANELS.items()
        for name, kept in KEPT.items()
    ],
    loads=LOADS,
    metrics=[INTEGRITY, TOTAL, THROUGHPUT],
    chart=charts.bars,
    claims=[
        near(
            f"Summary pages are one for the other pages of a block, within {100 * CLOSE:.0f} %, under every load",
            f"{sources.OWN}: the last page of each block lists the others",
            metric=INTEGRITY.name,
            cells=[("page-level mapping", "summary pages", load.name) for load in LOADS],
            expected=one_of_a_block,
            margin=CLOSE,
        ),
        *(
            ordering(
                f"With {name} more is programmed for a page of the host than with nothing kept, under every load",
                "Tai 2016",
                metric=TOTAL.name,
                of=name,
                than="nothing",
                relation="above",
            )
            for name in KEPT
            if name != "nothing"
        ),
    ],
)
