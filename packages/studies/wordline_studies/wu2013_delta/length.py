"""Whether longer runs would say anything else, and what the excerpt itself says."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.grid import GridFigure
from wordline.studies.verdict import BEYOND
from wordline_studies.cui2018_dlv.judges import sized
from wordline_studies.wu2013_delta.causes import FEW_TWICE
from wordline_studies.wu2013_delta.drives import (
    BASELINE,
    COLLECTIONS,
    DELTA_SHARE,
    DRIVES,
    FOREGROUND,
    GAIN,
    RATIOS,
    WRITE,
    variant,
    with_baseline,
)
from wordline_studies.wu2013_delta.judges import near_loads
from wordline_studies.wu2013_delta.loads import EXCERPT, REQUESTS, SHORT, surrogate

LENGTHS = (SHORT, REQUESTS, 2 * REQUESTS)
"""Requests of a run."""
FIGURE = GridFigure(
    heading="Longer runs",
    text=f"Ratio 0.35 under F1 with {SHORT:,} requests, as where the drive is varied, with {REQUESTS:,}, as in the other figures, and with {2 * REQUESTS:,}.",
    title="Collections over those of the baseline, by requests of a run",
    variants=with_baseline(variant("ratio 0.35")),
    loads=[
        surrogate("F1", requests, f"F1 surrogate, {requests:,} requests") for requests in LENGTHS
    ],
    metrics=[COLLECTIONS, DELTA_SHARE, WRITE],
    baseline=BASELINE,
    chart=charts.bars,
    claims=[
        near_loads(
            "Collections with ratio 0.35 relative to the baseline differ by at most 5 % between runs of a quarter of a million, half a million and a million requests, under every load",
            BEYOND,
            metric=COLLECTIONS.name,
            of="ratio 0.35",
            than=BASELINE,
            margin=0.05,
        )
    ],
    seeds=(1,),
    whole_only=True,
)

REPEATED = GridFigure(
    heading="The excerpt of Financial 1",
    text="The first 10,000 requests of Financial 1, 60 times at the rate of the trace. It writes 3,700 pages again and again, nearly all of them in part only, and the buffer takes repeated writes first: few pages leave it twice between two looks for cold pages ([other intervals](#candidates)), so that few writes become deltas.",
    title="Collections and programs over those of the baseline, excerpt",
    variants=DRIVES,
    loads=[EXCERPT],
    metrics=[COLLECTIONS, FOREGROUND, DELTA_SHARE, GAIN],
    baseline=BASELINE,
    chart=charts.bars,
    claims=[
        sized(
            f"Collections are fewer with {name} than in the baseline, under the excerpt of F1, repeated",
            "claim 1",
            metric=COLLECTIONS.name,
            of=name,
            than=BASELINE,
            relation="below",
            why=FEW_TWICE,
        )
        for name in RATIOS
    ],
    seeds=(1,),
    whole_only=True,
)
