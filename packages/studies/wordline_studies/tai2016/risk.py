"""What a power cut takes of data that were acknowledged, by design."""

from __future__ import annotations

from collections.abc import Mapping

from wordline.points.outcome import Outcome
from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure, Load, Metric, Variant
from wordline_studies.ftl_family import sources
from wordline_studies.tai2016.drives import (
    DESIGNS,
    HOT_COLD,
    LATENCY,
    PRESET,
    THROUGHPUT,
    Keys,
    layered,
    number,
)
from wordline_studies.tai2016.judges import lower_across, near, nothing

SIZE = 1_024
"""Size of the buffer, KiB."""
BUFFER: Keys = {"buffer.policy": "lru", "buffer.size": f"{SIZE} KiB"}
NO_BUFFER, WHEN_FULL, EARLY = "no buffer", "written back when it is full", "written back early"
PANELS: Mapping[str, Keys] = {
    NO_BUFFER: {},
    WHEN_FULL: BUFFER,
    EARLY: {**BUFFER, "buffer.dirty_high": 0.1},
}
IN_DRIVE = ("none", "classifier", "streams", "superblocks")
"""Designs whose drive collects."""
GAP = "400 us"
"""Mean gap between two writes: none of the designs falls behind."""
REQUESTS, QUICK = 260_000, 220_000
OPEN = {key: value for key, value in HOT_COLD[0].keys.items() if key != "queue_depth"}
LOAD = Load(
    HOT_COLD[0].name,
    {**OPEN, "arrival": "poisson", "interarrival": GAP, "requests": REQUESTS},
    {"requests": QUICK},
)
"""The load of the talk, at a rate of its own."""


def at_risk(outcome: Outcome) -> float:
    """Data that the drive has acknowledged and that are not on flash, in the mean over time, KiB."""
    return SIZE * number(outcome, "buffer.dirty_share.mean")


AT_RISK = Metric("acknowledged and lost", at_risk, "KiB", relative=False)
CLOSE = 0.03

FIGURE = GridFigure(
    heading="Data at risk",
    text=(
        "The objective of little loss of data: what a power cut without a capacitor takes of data that the host has been told of, in the mean over time. A drive without a buffer answers when data are on flash, whatever its design. "
        f"With one, of {SIZE:,} KiB (LRU), what is in it and not on flash is lost; it is written back when room is needed, or as soon as more than a tenth of it is not on flash (`buffer.dirty_high`). "
        f"The writes of the talk come at random, one in {GAP} in the mean, which every design keeps up with; three drive writes are not measured, and no flush is sent. Zones, which the host writes in order, are beside the drives without a buffer."
    ),
    title="Data acknowledged and lost at a power cut, 18 % hot data",
    variants=[
        *(
            Variant(name, PRESET, layered({**DESIGNS[name], **keys}), panel)
            for panel, keys in PANELS.items()
            for name in IN_DRIVE
        ),
        Variant("zones", PRESET, layered(DESIGNS["zones"]), NO_BUFFER),
    ],
    loads=[LOAD],
    metrics=[AT_RISK, LATENCY, THROUGHPUT],
    chart=charts.bars,
    claims=[
        nothing(
            "Without a buffer nothing that was acknowledged is lost, with every design",
            f"{sources.OWN}: a write is answered when it is on flash",
            metric=AT_RISK.name,
            cells=[(NO_BUFFER, name, LOAD.name) for name in (*IN_DRIVE, "zones")],
        ),
        near(
            f"What is lost is the whole buffer where it is written back when it is full, within {100 * CLOSE:.0f} %, with every design",
            f"{sources.OWN}: what leaves it makes room for one page",
            metric=AT_RISK.name,
            cells=[(WHEN_FULL, name, LOAD.name) for name in IN_DRIVE],
            expected=lambda *_: SIZE,
            margin=CLOSE,
        ),
        ordering(
            "Written back early, less is lost with streams than with none",
            f"{sources.OWN}: less collection is in the way of what is written back",
            metric=AT_RISK.name,
            of="streams",
            than="none",
            relation="below",
            panels=[EARLY],
            why=(
                "A write may go to any die, and waits for collection only while all four collect. With streams they do so at the same time more often: without a buffer a write waits 186 µs in the mean for what collection has dies do, and 43 ms at most; with none 8 µs and 5 ms, "
                "though it collects 4,560 blocks where streams take 4,108 (traced, one run each). What waits stays in the buffer."
            ),
        ),
        *(
            lower_across(
                f"With a buffer that is {panel} mean write latency is lower than without one, with {name}",
                f"{sources.OWN}: that is what the risk is taken for",
                metric=LATENCY.name,
                of=(panel, name),
                than=(NO_BUFFER, name),
                loads=[LOAD.name],
            )
            for panel in (WHEN_FULL, EARLY)
            for name in IN_DRIVE
        ),
    ],
)
