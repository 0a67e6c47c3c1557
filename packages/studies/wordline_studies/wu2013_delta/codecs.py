"""How many processors encode and decode: what reads of deltas wait for."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure
from wordline_studies.wu2013_delta.drives import BASELINE, READ, WRITE, variant, with_baseline
from wordline_studies.wu2013_delta.loads import FEW

ONE, FOUR = "one processor", "four processors"
FIGURE = GridFigure(
    heading="Processors for deltas",
    text="Ratio 0.35 with one processor that encodes and decodes in the order of asking, and with four.",
    title="Latencies over those of the baseline, by processors",
    variants=with_baseline(variant(ONE), variant(FOUR, {"ftl.delta.codecs": 4})),
    loads=FEW,
    metrics=[READ, WRITE],
    baseline=BASELINE,
    chart=charts.bars,
    claims=[
        ordering(
            "Mean read latency is lower with four processors than with one processor, under every load",
            "ours",
            metric=READ.name,
            of=FOUR,
            than=ONE,
            relation="below",
        ),
        ordering(
            "Mean read latency with four processors is not above that of the baseline by more than 5 %, under every load",
            "claim 9",
            metric=READ.name,
            of=FOUR,
            than=BASELINE,
            relation="not above",
            margin=0.05,
        ),
    ],
    whole_only=True,
)
