"""D7: what the source leaves open of the choice of modes."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure, Variant
from wordline_studies.wu2013_diffecc.drives import (
    BASELINE,
    CHOSEN,
    QUEUE,
    READ,
    Keys,
    variant,
)
from wordline_studies.wu2013_diffecc.loads import SURROGATES

READINGS: dict[str, Keys] = {
    "DiffECC": {},
    "load of the drive": {"ftl.modes.load_scope": "drive"},
    "every 1 s": {"ftl.modes.sample_period": "1 s"},
    "every 20 s": {"ftl.modes.sample_period": "20 s"},
    "four modes": {"ftl.modes.choices": ["normal", "n2", "n4", "n8"]},
    "slow first": {"ftl.modes.plan_order": "slow_first"},
    "modes preserved": {"ftl.modes.copies": "preserve"},
}
"""Readings of the source, laid over the preset."""


def reading(name: str, keys: Keys) -> Variant:
    """DiffECC with one key of its own."""
    return variant(name, "64 MB", keys, preset=CHOSEN, panel="")


FIGURE = GridFigure(
    heading="What the source leaves open",
    text=(
        "DiffECC with 64 MB: load and idle time of the drive instead of the chip, idle time sampled more or less often, four modes instead of two, slow programs first within a plan, "
        "and collection that keeps the mode of what it moves."
    ),
    title="Readings of the source over the baseline",
    variants=[
        variant("baseline", "64 MB", preset=BASELINE, panel=""),
        *(reading(name, keys) for name, keys in READINGS.items()),
    ],
    loads=SURROGATES[:3],
    metrics=[READ, QUEUE],
    baseline="baseline",
    chart=charts.bars,
    claims=[
        ordering(
            "Mean read latency is lower than in the baseline with the load of the drive instead of the chip too, under every load",
            "D7",
            metric=READ.name,
            of="load of the drive",
            than="baseline",
            relation="below",
        ),
        ordering(
            "Mean read latency with four modes is that of DiffECC with two within 5 %, under every load",
            "D7",
            metric=READ.name,
            of="four modes",
            than="DiffECC",
            relation="equal to",
            margin=0.05,
        ),
    ],
)
