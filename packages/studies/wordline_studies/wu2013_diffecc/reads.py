"""D4 to D6: what slow programs bring reads, and what they cost."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.grid import GridFigure
from wordline.studies.verdict import BEYOND
from wordline_studies.wu2013_diffecc.causes import (
    LESS_THAN_THEY_WAIT,
    LONGER_QUEUE,
    MORE_SLOW_PROGRAMS,
    WAITING,
)
from wordline_studies.wu2013_diffecc.drives import (
    BUFFERS,
    P95,
    P99,
    QUEUE,
    READ,
    SLOW_READS,
    SLOW_WRITES,
    SLOWER_READS,
    SLOWER_WRITES,
    WRITE,
    drives,
    of_modes,
)
from wordline_studies.wu2013_diffecc.judges import along_panels, direction, ranked
from wordline_studies.wu2013_diffecc.loads import CELLO, NAMES, OF_SECTORS, SURROGATES

SMALL = 0.10
"""By how much a queue may grow and count as hardly longer, set beforehand; the source gives no number that may be read."""
EXCEPT_C8 = [name for name in NAMES if not name.startswith("C8")]
EXCEPT_MSN = [name for name in NAMES if not name.startswith("MSN")]
ALL = "F1, F2, C3, C8, DAP and MSN"

ALWAYS = GridFigure(
    heading="Always slow",
    text="Every page that the host writes in eight codewords, against one; 32 MB.",
    title="Always slow over the baseline",
    variants=drives(["baseline", "always slow"], ["32 MB"]),
    loads=SURROGATES,
    metrics=[READ, WRITE, QUEUE, SLOW_READS],
    baseline="baseline",
    chart=charts.bars,
    claims=[
        direction(
            "Mean read latency is lower with writes always slow than in the baseline, with 32 MB, under every load",
            "D4, figure 2.9",
            metric=READ.name,
            of="always slow",
            than="baseline",
            relation="below",
            why=WAITING,
        ),
        direction(
            "More writes are outstanding with writes always slow than in the baseline, with 32 MB, under every load",
            "D4, figure 2.9",
            metric=QUEUE.name,
            of="always slow",
            than="baseline",
            relation="above",
        ),
        ranked(
            f"With writes always slow instead of the baseline, writes outstanding grow most under C3 and C8, of {ALL}",
            "D4, figure 2.9",
            metric=QUEUE.name,
            of="always slow",
            than="baseline",
            first=CELLO,
        ),
    ],
)

CHOSEN = GridFigure(
    heading="Slow as far as idle time allows",
    text="DiffECC with one, two, four and eight codewords and the baseline, with the source's three buffers; always slow with 32 MB.",
    title="Latencies over those of the baseline",
    variants=[
        *drives(["baseline", "DiffECC", "always slow"], ["32 MB"]),
        *drives(["baseline", "DiffECC"], [name for name in BUFFERS if name != "32 MB"]),
    ],
    loads=SURROGATES,
    metrics=[READ, P95, P99, WRITE, QUEUE],
    baseline="baseline",
    chart=charts.bars,
    claims=[
        direction(
            "Mean read latency is lower with DiffECC than in the baseline, under every load",
            "D5, figure 2.10",
            metric=READ.name,
            of="DiffECC",
            than="baseline",
            relation="below",
            why=WAITING,
        ),
        direction(
            "With 32 MB mean read latency with DiffECC is not below that with writes always slow, under every load",
            "D5, figure 2.10",
            metric=READ.name,
            of="DiffECC",
            than="always slow",
            relation="not below",
            panels=["32 MB"],
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
            why=MORE_SLOW_PROGRAMS,
        ),
        direction(
            "At most 10 % more writes are outstanding with DiffECC than in the baseline, under F1, F2, C3, DAP and MSN",
            "D5, figure 2.10",
            metric=QUEUE.name,
            of="DiffECC",
            than="baseline",
            relation="not above",
            margin=SMALL,
            loads=EXCEPT_C8,
            why=LONGER_QUEUE,
        ),
        direction(
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
        ranked(
            "Of what writes always slow gain over the baseline in mean read latency with 32 MB, DiffECC has the smallest part under F2 and DAP, "
            f"of {ALL}",
            "D5, figure 2.10",
            metric=READ.name,
            of="DiffECC",
            bound="always slow",
            than="baseline",
            first=["F2 surrogate", "DAP surrogate"],
            panels=["32 MB"],
            why=WAITING,
        ),
    ],
)

SHARES = GridFigure(
    heading="Which pages are slow",
    text="DiffECC: the shares of the host's programs in two, four, eight, and in more than one codeword, and of the page reads that find such pages.",
    title="Shares of the modes among programs and reads",
    variants=drives(["DiffECC"], list(BUFFERS)),
    loads=SURROGATES,
    metrics=[
        *of_modes("programs", "program"),
        SLOW_WRITES,
        *of_modes("reads of pages", "read"),
        SLOW_READS,
    ],
    chart=charts.bars,
    claims=[
        along_panels(
            "The larger the buffer, the more of the host's programs are slower than in one codeword with DiffECC, under every load",
            "D6, figure 2.11",
            metric=SLOWER_WRITES,
            of="DiffECC",
            loads=NAMES,
        ),
        along_panels(
            "The larger the buffer, the more reads find pages in more than one codeword with DiffECC, under F1, F2, C3, C8 and DAP",
            "D6, figure 2.12",
            metric=SLOWER_READS,
            of="DiffECC",
            loads=EXCEPT_MSN,
        ),
    ],
)

SECTORS = GridFigure(
    heading="Reads of sectors",
    text=(
        "The other reading of the source's simulator, 32 MB: writes in whole pages as before, but a read has its own sectors, and of a page in eight codewords only those that it wants are transferred and decoded, as equation 2.1 has it."
    ),
    title="Over the baseline, reads of their own sectors",
    variants=drives(["baseline", "always slow"], ["32 MB"]),
    loads=OF_SECTORS,
    metrics=[READ, P99, QUEUE],
    baseline="baseline",
    chart=charts.bars,
    seeds=(1,),
    claims=[
        direction(
            "Where reads want their own sectors only, mean read latency is lower with writes always slow than in the baseline, under every load",
            f"{BEYOND}: the other reading of whole pages",
            metric=READ.name,
            of="always slow",
            than="baseline",
            relation="below",
            judged=NAMES,
            held_back=False,
            why=LESS_THAN_THEY_WAIT,
        ),
    ],
)
