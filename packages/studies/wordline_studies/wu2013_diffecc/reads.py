"""D4 to D6: what slow programs bring reads, and what they cost."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure
from wordline_studies.wu2012.judges import most
from wordline_studies.wu2013_diffecc.drives import (
    BUFFERS,
    P95,
    P99,
    QUEUE,
    READ,
    SLOW_READS,
    SLOW_WRITES,
    WRITE,
    drives,
)
from wordline_studies.wu2013_diffecc.judges import along_panels, least_of_bound
from wordline_studies.wu2013_diffecc.loads import CELLO, SURROGATES, TRACES

WAITING = (
    "under loads that keep the drive as busy as printed, reads wait for programs and collection for several times as long as they take (107 µs with one codeword), and the longer programs "
    "delay them by more than short codes save, which at most a quarter of the page reads find. Traced in one run of F1 with 32 MB (`output.attribution`, seed 1): always slow adds 114 µs to a mean read of 497 µs; reads wait for 97 µs "
    "more behind programs of the host in execution, and for 44 µs more until an earlier write of their page is programmed, of which the buffer holds other sectors; transfers and decoding save 11 µs, and 15 µs are due to less waiting for "
    "collection and reads. The ten slowest reads of either drive wait for such a write, behind 38 to 56 programs; the source does not say what a read does of whose page the buffer holds a part. At the source's compression of time (below) reads gain under C3, C8 and DAP"
)
"""Why reads do not gain."""
ABSORBED = "what was written lately is read from the buffer: the larger it is, the fewer reads find a page that was programmed during the run"
SMALL = 0.10
"""By how much a queue may grow and count as hardly longer; the source gives no number."""
NAMES = [load.name for load in SURROGATES]
EXCEPT_C8 = [name for name in NAMES if not name.startswith("C8")]
EXCEPT_MSN = [name for name in NAMES if not name.startswith("MSN")]
ALL = ", ".join(list(TRACES)[:-1]) + " and MSN"

ALWAYS = GridFigure(
    heading="Always slow",
    text="Every page that the host writes in eight codewords, against one; 32 MB.",
    title="Always slow over the baseline",
    variants=drives(["baseline", "always slow"], ["32 MB"]),
    loads=SURROGATES,
    metrics=[READ, WRITE, QUEUE],
    baseline="baseline",
    chart=charts.bars,
    claims=[
        ordering(
            "Mean read latency is lower with writes always slow than in the baseline, with 32 MB, under every load",
            "D4, figure 2.9",
            metric=READ.name,
            of="always slow",
            than="baseline",
            relation="below",
            why=WAITING,
        ),
        ordering(
            "More writes are outstanding with writes always slow than in the baseline, with 32 MB, under every load",
            "D4, figure 2.9",
            metric=QUEUE.name,
            of="always slow",
            than="baseline",
            relation="above",
        ),
        most(
            f"With writes always slow instead of the baseline, writes outstanding grow most under C3 and C8, of {ALL}",
            "D4, figure 2.9",
            metric=QUEUE.name,
            of="always slow",
            than="baseline",
            winners=CELLO,
            loads=NAMES,
        ),
    ],
)

CHOSEN = GridFigure(
    heading="Slow as far as idle time allows",
    text="DiffECC with one and eight codewords, the baseline, and always slow, with the source's three buffers.",
    title="Latencies over those of the baseline",
    variants=drives(["baseline", "DiffECC", "always slow"], list(BUFFERS)),
    loads=SURROGATES,
    metrics=[READ, P95, P99, WRITE, QUEUE],
    baseline="baseline",
    chart=charts.bars,
    claims=[
        ordering(
            "Mean read latency is lower with DiffECC than in the baseline, under every load",
            "D5, figure 2.10",
            metric=READ.name,
            of="DiffECC",
            than="baseline",
            relation="below",
            why=WAITING,
        ),
        ordering(
            "Mean read latency with DiffECC is not below that with writes always slow, under every load",
            "D5, figure 2.10",
            metric=READ.name,
            of="DiffECC",
            than="always slow",
            relation="not below",
            why=WAITING,
        ),
        along_panels(
            "The larger the buffer, the lower is the mean read latency with DiffECC relative to the baseline, under every load",
            "D5, figure 2.10",
            metric=READ.name,
            of="DiffECC",
            than="baseline",
            loads=NAMES,
            falling=True,
        ),
        ordering(
            "At most 10 % more writes are outstanding with DiffECC than in the baseline, under F1, F2, C3, DAP and MSN",
            "D5, figure 2.10",
            metric=QUEUE.name,
            of="DiffECC",
            than="baseline",
            relation="not above",
            margin=SMALL,
            loads=EXCEPT_C8,
        ),
        ordering(
            "With 32 MB over 10 % more writes are outstanding with DiffECC than in the baseline, under C8",
            "D5, figure 2.10",
            metric=QUEUE.name,
            of="DiffECC",
            than="baseline",
            relation="above",
            margin=SMALL,
            panels=["32 MB"],
            loads=["C8 surrogate"],
        ),
        least_of_bound(
            "Of what writes always slow gain over the baseline in mean read latency, DiffECC has the smallest part under F2 and DAP, "
            f"of {ALL}",
            "D5, figure 2.10",
            metric=READ.name,
            of="DiffECC",
            bound="always slow",
            than="baseline",
            losers=["F2 surrogate", "DAP surrogate"],
            why=WAITING,
        ),
    ],
)

SHARES = GridFigure(
    heading="Which pages are slow",
    text="DiffECC: the share of the host's programs in eight codewords, and of the page reads that find such pages.",
    title="Shares of slow programs and of reads of slow pages",
    variants=drives(["DiffECC"], list(BUFFERS)),
    loads=SURROGATES,
    metrics=[SLOW_WRITES, SLOW_READS],
    chart=charts.bars,
    claims=[
        along_panels(
            "The larger the buffer, the more of the host's programs are slow with DiffECC, under every load",
            "D6, figure 2.11",
            metric=SLOW_WRITES.name,
            of="DiffECC",
            loads=NAMES,
        ),
        along_panels(
            "The larger the buffer, the more reads find slow pages with DiffECC, under F1, F2, C3, C8 and DAP",
            "D6, figure 2.12",
            metric=SLOW_READS.name,
            of="DiffECC",
            loads=EXCEPT_MSN,
            why=ABSORBED,
        ),
    ],
)
