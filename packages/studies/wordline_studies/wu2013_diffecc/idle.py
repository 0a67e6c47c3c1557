"""D1: idle times of the drive at the rates of the traces."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.grid import GridFigure
from wordline_studies.wu2013_diffecc.causes import BURSTS
from wordline_studies.wu2013_diffecc.drives import IDLE, LONG_SLOTS, SLOT, drives
from wordline_studies.wu2013_diffecc.judges import at_least
from wordline_studies.wu2013_diffecc.loads import EXCEPT_DAP, ORIGINAL

SUBSTANTIAL = 0.40
"""Share of the idle slots above 5 ms: what the source shows of all traces but one."""

SLOTS = GridFigure(
    heading="How long the drive is idle",
    text=(
        "Baseline, 64 MB, at the rates of the traces (no compression of time): times in which the host wants nothing of any chip, no operation of it waiting or in execution. "
        "Collection does not count as work here; in the last row, the time without any flash operation, it does. Rates at compression 1 are those of the traces, so that the claim is judged under all loads; their burstiness is the fitted one. One seed."
    ),
    title="Idle slots of the drive at the rates of the traces",
    variants=drives(["baseline"], ["64 MB"]),
    loads=ORIGINAL,
    metrics=[LONG_SLOTS, SLOT, IDLE],
    chart=charts.bars,
    seeds=(1,),
    claims=[
        at_least(
            "At the rates of the traces at least 40 % of the idle slots of the drive are longer than 5 ms, under F1, F2, C3, C8 and MSN",
            "D1, figure 2.5",
            metric=LONG_SLOTS.name,
            of="baseline",
            limit=SUBSTANTIAL,
            loads=EXCEPT_DAP,
            judged=EXCEPT_DAP,
            why=BURSTS,
        )
    ],
)
