"""M6 and M8: response times."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.claims import ordering, rising
from wordline.studies.grid import GridFigure, Judge
from wordline_studies.wu2013_delta.drives import BASELINE, DRIVES, RATIOS, RAW, READ, UPWARDS, WRITE
from wordline_studies.wu2013_delta.judges import slight
from wordline_studies.wu2013_delta.loads import AS_TRACED, SURROGATES

SERIAL = (
    "a delta is read, transferred and encoded before its page of deltas can be programmed: 25 + 40 + 44 µs one after the other, and in one of 1/(pages for each delta) writes 240 µs more. A write that nothing else delays "
    "so takes 280, 214 and 163 µs on average at ratios of 0.50, 0.35 and 0.20, where a whole page takes 240; and a request of several pages waits for the slowest of them. Equation 4.1 charges the longest "
    "of the three stages only, which is right for throughput, not for the latency of a write that waits for its page"
)


BEHIND_ENCODES = (
    "a read of a delta waits for the processor behind the encodes of bursts of writes. Traced in one run of C8 (`output.attribution`, seed 1, 32,768 requests): of 541 µs for a mean read, 311 µs in the baseline, 190 µs are spent waiting for the processor, which is in use for 9 % of the time; "
    "reads wait less behind programs (42 for 58 µs) and collection (28 for 37 µs), but also behind reads of older versions (57 µs). With four processors the mean is 314 µs ([processors](#codecs))"
)


def lower(name: str, where: str) -> Judge:
    """The claim that writes are faster with deltas of a ratio."""
    text = f"{where}mean write latency is lower with {name} than in the baseline, under every load"
    return ordering(
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
        *(lower(name, "") for name in RATIOS),
        rising(
            "Mean write latency never falls from ratio 0.20 over ratio 0.35 to ratio 0.50, under every load",
            "claim 7",
            metric=WRITE.name,
            variants=UPWARDS,
        ),
        ordering(
            "Mean read latency is lower with ratio 0.35 than in the baseline, under every load",
            "claim 9",
            metric=READ.name,
            of="ratio 0.35",
            than=BASELINE,
            relation="below",
            why=BEHIND_ENCODES,
        ),
    ],
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
        *(lower(name, "At the rates of the traces, ") for name in RATIOS),
        slight(
            "Pages of deltas add at most 15 % to the reads of pages with ratio 0.50, ratio 0.35 and ratio 0.20, under every load",
            "claim 9",
        ),
    ],
    whole_only=True,
)
