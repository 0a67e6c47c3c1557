"""D7 and what else the source leaves open: scope of the load, sampling, modes, and the state of the drive."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.grid import GridFigure, Variant
from wordline.studies.verdict import BEYOND
from wordline_studies.wu2013_diffecc.drives import (
    BASELINE,
    BLOCKS,
    CHOSEN,
    QUEUE,
    READ,
    SMALLER,
    Keys,
    of_modes,
    variant,
)
from wordline_studies.wu2013_diffecc.judges import direction
from wordline_studies.wu2013_diffecc.loads import JUDGED, SURROGATES

READINGS: dict[str, Keys] = {
    "DiffECC": {},
    "scope chip": {"ftl.modes.load_scope": "unit"},
    "drive, by chips": {"ftl.modes.load_scope": "drive_per_unit"},
    "every 1 s": {"ftl.modes.sample_period": "1 s"},
    "every 20 s": {"ftl.modes.sample_period": "20 s"},
    "two modes": {"ftl.modes.choices": ["normal", "n8"]},
    "slow first": {"ftl.modes.plan_order": "slow_first"},
    "modes preserved": {"ftl.modes.copies": "preserve"},
}
"""Readings of the source, laid over the preset."""

FEW = [load for load in SURROGATES if load.name in JUDGED]
"""The loads that are the source's."""


def reading(name: str, keys: Keys) -> Variant:
    """DiffECC with one key of its own."""
    return variant(name, "64 MB", keys, preset=CHOSEN, panel="")


FIGURE = GridFigure(
    heading="What the source leaves open",
    text=(
        "DiffECC with 64 MB: load and idle time of the chip, or those of the drive with its work divided by the chips, instead of the drive's undivided; idle time sampled more or less often; two modes instead of four; slow programs first within a plan; "
        "and collection that keeps the mode of what it moves. Under the loads that are the source's; one seed."
    ),
    title="Readings of the source over the baseline",
    variants=[
        variant("baseline", "64 MB", preset=BASELINE, panel=""),
        *(reading(name, keys) for name, keys in READINGS.items()),
    ],
    loads=FEW,
    metrics=[READ, QUEUE, of_modes("programs", "program")[-1]],
    baseline="baseline",
    chart=charts.bars,
    seeds=(1,),
    claims=[
        direction(
            "With DiffECC more writes are outstanding where the work of the drive is divided by its chips than where it is not, under every load",
            f"{BEYOND}: scopes",
            metric=QUEUE.name,
            of="drive, by chips",
            than="DiffECC",
            relation="not below",
            margin=0.02,
            judged=JUDGED,
            held_back=False,
        ),
        direction(
            "With DiffECC mean read latency with two modes is that with four within 5 %, under every load",
            f"{BEYOND}: number of modes",
            metric=READ.name,
            of="two modes",
            than="DiffECC",
            relation="equal to",
            margin=0.05,
            judged=JUDGED,
            held_back=False,
        ),
    ],
)

STATES: dict[str, Keys] = {
    "full": {},
    "half full": {"age.fill": 0.5},
    "nothing collected": {
        "age.method": "overwritten",
        "age.random_factor": 0.0,
        "age.fill": 0.5,
        "geometry.blocks_per_plane": 4 * BLOCKS // SMALLER,
    },
}
"""States of the drive at the start: in the steady state of random overwriting, all of it or half of it written; and four times as large, half of it written once, so that there is
room for the whole run."""


def state(name: str, keys: Keys, drive: str) -> Variant:
    """One of the drives in a state, which is a panel; requests fall in what is written."""
    written = keys.get("age.fill")
    space = float(str(written)) if written is not None else None
    found = variant(drive, "64 MB", keys, panel=name)
    return Variant(
        found.name, found.drive, found.keys, name, space, aged=name != "nothing collected"
    )


STATE = GridFigure(
    heading="State of the drive",
    text=(
        "Fill and collection are not printed. The drives with 64 MB, in the steady state of random overwriting and full (as elsewhere), the same half full, and with so much room that nothing is collected. Under the loads that are the source's; one seed."
    ),
    title="Over the baseline of the same state",
    variants=[
        state(name, keys, drive)
        for name, keys in STATES.items()
        for drive in ("baseline", "DiffECC", "always slow")
    ],
    loads=FEW,
    metrics=[READ, QUEUE, of_modes("programs", "program")[-1]],
    baseline="baseline",
    chart=charts.bars,
    seeds=(1,),
    claims=[],
)
