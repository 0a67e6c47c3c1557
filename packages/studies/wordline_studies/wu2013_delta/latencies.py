"""M6 and M8: response times."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.claims import rising
from wordline.studies.grid import GridFigure, Judge
from wordline_studies.cui2018_dlv.judges import sized
from wordline_studies.wu2013_delta.causes import BEHIND_READS, SERIAL
from wordline_studies.wu2013_delta.drives import BASELINE, DRIVES, RATIOS, RAW, READ, UPWARDS, WRITE
from wordline_studies.wu2013_delta.judges import slight
from wordline_studies.wu2013_delta.loads import AS_TRACED, SURROGATES


def lower(name: str, start: str = "") -> Judge:
    """The claim that writes are faster with deltas of a ratio."""
    text = f"{start}mean write latency is lower with {name} than in the baseline, under every load"
    return sized(
        text[0].upper() + text[1:],
        "claim 7",
        metric=WRITE.name,
        of=name,
        than=BASELINE,
        relation="below",
        why=SERIAL,
    )


BUSY = GridFigure(
    heading="Response times of a busy drive",
    text=(
        "Mean write and read latency of the host's requests at rates that keep the drive of DiffECC, of the same author, as busy as its tables say."
    ),
    title="Latencies over those of the baseline, busy drive",
    variants=DRIVES,
    loads=SURROGATES,
    metrics=[WRITE, READ],
    baseline=BASELINE,
    chart=charts.bars,
    claims=[
        *(lower(name) for name in RATIOS),
        rising(
            "Mean write latency never falls from ratio 0.20 over ratio 0.35 to ratio 0.50, under every load",
            "claim 7",
            metric=WRITE.name,
            variants=UPWARDS,
        ),
        sized(
            "Mean read latency is lower with ratio 0.35 than in the baseline, under every load",
            "claim 9",
            metric=READ.name,
            of="ratio 0.35",
            than=BASELINE,
            relation="below",
            why=BEHIND_READS,
        ),
    ],
    seeds=(1,),
)

RARE = GridFigure(
    heading="Response times at the rates of the traces",
    text=(
        "The same at the rates of the traces themselves, where hardly anything waits, and by how much a read takes longer on flash alone because a page of deltas is read too, counted as the source counts it: without queueing and decompression, "
        "and not where the delta is still in the controller."
    ),
    title="Latencies over those of the baseline, and further reads",
    variants=DRIVES,
    loads=AS_TRACED,
    metrics=[WRITE, READ, RAW],
    baseline=BASELINE,
    chart=charts.bars,
    claims=[
        *(lower(name, "at the rates of the traces, ") for name in RATIOS),
        slight(
            "Pages of deltas add at most 15 % to the reads of pages with ratio 0.50, ratio 0.35 and ratio 0.20, under every load",
            "claim 9",
        ),
    ],
    seeds=(1,),
    whole_only=True,
)
