"""D1 and D2: idle times of the baseline, and reads of slow pages where all writes are slow."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.grid import GridFigure
from wordline_studies.wu2013_diffecc.drives import LONG_SLOTS, SLOT, SLOW_READS, SLOW_WRITES, drives
from wordline_studies.wu2013_diffecc.judges import at_least, extreme
from wordline_studies.wu2013_diffecc.loads import EXCEPT_DAP, SURROGATES

SUBSTANTIAL = 0.10
"""A share of the idle slots that counts as substantial: the source shows curves and gives no number."""

SLOTS = GridFigure(
    heading="How long chips are idle",
    text="Baseline, 64 MB: times in which the host wants nothing of a chip, nothing waiting and nothing in execution; collection does not count.",
    title="Idle slots of the chips",
    variants=drives(["baseline"], ["64 MB"]),
    loads=SURROGATES,
    metrics=[LONG_SLOTS, SLOT],
    chart=charts.bars,
    claims=[
        at_least(
            "At least a tenth of the idle slots of a chip is longer than 5 ms, under F1, F2, C3, C8 and MSN",
            "D1, figure 2.5",
            metric=LONG_SLOTS.name,
            of="baseline",
            limit=SUBSTANTIAL,
            loads=EXCEPT_DAP,
        )
    ],
)

BOUND = GridFigure(
    heading="Reads that can find slow pages",
    text=(
        "Always slow, 64 MB. Every page starts with one codeword, what the host writes gets eight: the share of the page reads that find the latter bounds what "
        "any choice of modes can speed up (WR_max of the source's table 2.1)."
    ),
    title="Share of the reads that find slow pages",
    variants=drives(["always slow"], ["64 MB"]),
    loads=SURROGATES,
    metrics=[SLOW_READS, SLOW_WRITES],
    chart=charts.bars,
    claims=[
        extreme(
            "With all writes slow, the share of reads that find slow pages is the highest under DAP, of F1, F2, C3, C8, DAP and MSN",
            "D2, table 2.1",
            metric=SLOW_READS.name,
            of="always slow",
            load="DAP surrogate",
            highest=True,
            why="which pages are read after they were written is assumed, the same for all surrogates: popular pages, drawn independently of what was written lately",
        ),
        extreme(
            "With all writes slow, the share of reads that find slow pages is the lowest under MSN, of F1, F2, C3, C8, DAP and MSN",
            "D2, table 2.1",
            metric=SLOW_READS.name,
            of="always slow",
            load="MSN surrogate",
            highest=False,
            why="likewise",
        ),
    ],
)
