"""One codec for each channel, as equation 4.1 counts, or one for the drive."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure, Metric
from wordline.studies.verdict import BEYOND
from wordline_studies.wu2013_delta.causes import BEHIND_READS
from wordline_studies.wu2013_delta.drives import BASELINE, READ, WRITE, variant, with_baseline
from wordline_studies.wu2013_delta.loads import FEW

EACH, SHARED = "a codec a channel", "a codec of the drive"
USE = Metric("use of the codecs", "ftl.delta.codec_utilization", "share", relative=False)
FIGURE = GridFigure(
    heading="Codecs",
    text="Ratio 0.35 with a codec of each of the two channels, as in the other figures, and with one for the drive. What the host reads is decoded before anything else that waits.",
    title="Latencies over those of the baseline, by codecs",
    variants=with_baseline(variant(EACH), variant(SHARED, {"ftl.delta.codec_scope": "drive"})),
    loads=FEW,
    metrics=[READ, WRITE, USE],
    baseline=BASELINE,
    chart=charts.bars,
    claims=[
        ordering(
            "Mean read latency with a codec a channel is not above that of the baseline by more than 5 %, under every load",
            "claim 9",
            metric=READ.name,
            of=EACH,
            than=BASELINE,
            relation="not above",
            margin=0.05,
            why=BEHIND_READS,
        ),
        ordering(
            "Mean read latency is with a codec of the drive that with a codec a channel, within 5 %, under every load",
            BEYOND,
            metric=READ.name,
            of=SHARED,
            than=EACH,
            relation="equal to",
            margin=0.05,
        ),
    ],
    seeds=(1,),
    whole_only=True,
)
