"""Claim 10 and E2: content that deltas do not pay for."""

from __future__ import annotations

from collections.abc import Mapping

from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure
from wordline_studies.wu2013_delta.drives import (
    BASELINE,
    DELTA_SHARE,
    WRITE,
    Keys,
    variant,
    with_baseline,
)
from wordline_studies.wu2013_delta.loads import FEW

CONTENTS: Mapping[str, Keys] = {
    "ratio 1": {"ftl.delta.ratio": 1.0, "ftl.delta.sigma": 0.0},
    "ratio 0.60 at 304 MHz": {"ftl.delta.ratio": 0.60, "ftl.delta.cpu_mhz": 304},
}
"""Content that does not compress, and a ratio above the largest that is viable at that clock (0.552): the panels."""
OPEN: Keys = {"ftl.delta.gate": "open"}
GATED, UNGATED = "gate", "gate open"

FIGURE = GridFigure(
    heading="Content that does not compress",
    text="The gate closes when the mean ratio is too large for the codec, and lets one candidate in 128 through to see whether it has changed. Beside it the same content with the gate held open.",
    title="Write latency over that of the baseline, and writes kept as deltas",
    variants=[
        each
        for panel, keys in CONTENTS.items()
        for each in with_baseline(
            variant(GATED, keys, panel=panel),
            variant(UNGATED, keys, OPEN, panel=panel),
            panel=panel,
        )
    ],
    loads=FEW,
    metrics=[WRITE, DELTA_SHARE],
    baseline=BASELINE,
    chart=charts.bars,
    claims=[
        ordering(
            "Mean write latency with the gate is that of the baseline within 2 %, under every load",
            "claim 10",
            metric=WRITE.name,
            of=GATED,
            than=BASELINE,
            relation="equal to",
            margin=0.02,
        ),
        ordering(
            "Mean write latency with the gate open is higher than with the gate, under every load",
            "section 4.3",
            metric=WRITE.name,
            of=UNGATED,
            than=GATED,
            relation="above",
        ),
    ],
    seeds=(1,),
    whole_only=True,
)
