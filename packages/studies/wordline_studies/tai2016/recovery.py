"""How long a drive is away after a power cut, by design and by what it keeps on flash."""

from __future__ import annotations

from collections.abc import Mapping

from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure, Load, Variant
from wordline.studies.measured import Measured
from wordline_studies.ftl_family import sources
from wordline_studies.power_cuts.intervals import METADATA, milliseconds
from wordline_studies.tai2016.drives import (
    DESIGNS,
    HOT_COLD,
    PRESET,
    Keys,
)
from wordline_studies.tai2016.judges import lower_across, near

SCAN, SUMMARIES, JOURNAL = "spare areas", "summary pages", "checkpoint and journal"
INTERVAL = 16_000
"""Host writes from one checkpoint to the next."""
KINDS: Mapping[str, Keys] = {
    SCAN: {"ftl.recovery.kind": "oob_scan"},
    SUMMARIES: {"ftl.recovery.kind": "summary_scan"},
    JOURNAL: {
        "ftl.recovery.kind": "checkpoint_journal",
        "ftl.recovery.checkpoint_interval": INTERVAL,
    },
}
AGED: Keys = {"age.method": "steady_state", "run.warm_up": "1 drive writes"}
"""Overwritten at random to the steady state before the run; a drive write of the load is not measured."""
CUTS = 8_000
"""Requests of which one has the power fail."""
BUILT_ANEW = ("none", "classifier", "streams", "superblocks")
"""Designs whose map is built anew after power cuts."""
REQUESTS, QUICK = 150_000, 80_000
LOAD = Load(HOT_COLD[0].name, {**HOT_COLD[0].keys, "requests": REQUESTS}, {"requests": QUICK})
"""The load of the talk."""


def variants() -> list[Variant]:
    """Each design with each way to keep data findable, on drives that were in use before; zones, whose recovery is worked out only, beside the first."""
    spare = {"ftl.gc.reserve_blocks": 2}
    built = [
        Variant(
            name,
            PRESET,
            {**AGED, **DESIGNS[name], **kept, **spare, "output.recovery_every": CUTS},
            panel,
        )
        for panel, kept in KINDS.items()
        for name in BUILT_ANEW
    ]
    zones = {**DESIGNS["zones"], "run.warm_up": "1 drive writes"}
    return [*built, Variant("zones", PRESET, zones, SCAN)]


READ = milliseconds("recovery time", "ftl.recovery.time.mean_s")
SERVED = milliseconds("time until the host is served", "ftl.recovery.until_served.mean_s")
LONGEST = milliseconds("longest time until the host is served", "ftl.recovery.until_served.max_s")
WORKED_OUT = milliseconds("scan of spare areas, worked out", "ftl.table.recovery_time_s")
CLOSE = 0.03


def worked_out(measured: Measured, panel: str, variant: str, load: str) -> float | None:
    """The closed form of the scan of the same drive at the end of its run, ms."""
    found = measured.value(WORKED_OUT.name, panel, variant, load)
    return found.mean if found else None


FIGURE = GridFigure(
    heading="Recovery by design",
    text=(
        "The objective of little recovery time, and of little that is written for it. Once in "
        f"{CUTS:,} requests, at one drawn at random, the flash is taken as a power cut would leave it, and the dies of the drive execute what recovery reads, erases and programs before the host is served ([how](../explanations/power-cuts.md#how-long-recovery-takes)). "
        f"Drives were overwritten at random to their steady state before the run, and begin with a checkpoint of what they hold; then one is due every {INTERVAL:,} host writes. "
        "Zones are not built anew (`ftl.recovery.kind` is refused with them): what finding their write pointers takes is worked out."
    ),
    title="Time until the host is served after a power cut, 18 % hot data",
    variants=variants(),
    loads=[LOAD],
    metrics=[SERVED, LONGEST, READ, WORKED_OUT, METADATA],
    chart=charts.bars,
    claims=[
        *(
            lower_across(
                f"With {panel} the host is served sooner than with {SCAN}, with {name}",
                f"{sources.OWN}: a page says where a whole block is, or a whole map",
                metric=SERVED.name,
                of=(panel, name),
                than=(SCAN, name),
                loads=[LOAD.name],
            )
            for panel in (SUMMARIES, JOURNAL)
            for name in BUILT_ANEW
        ),
        near(
            f"Spare areas are read in the time of the closed form, within {100 * CLOSE:.0f} %, with every design",
            f"{sources.OWN}: FTL of the talk, times of reading worked out",
            metric=READ.name,
            cells=[(SCAN, name, LOAD.name) for name in BUILT_ANEW],
            expected=worked_out,
            margin=CLOSE,
        ),
        ordering(
            "With checkpoint and journal recovery reads longer with streams than with none",
            f"{sources.OWN}: each stream has open blocks of its own, whose spare areas are read",
            metric=READ.name,
            of="streams",
            than="none",
            relation="above",
            panels=[JOURNAL],
        ),
        ordering(
            "Less is written for recovery with streams than with none, with checkpoint and journal",
            f"{sources.OWN}: fewer pages are moved and fewer blocks erased",
            metric=METADATA.name,
            of="streams",
            than="none",
            relation="below",
            panels=[JOURNAL],
        ),
    ],
)
