"""D4 and D5 once more, at the source's compression of time."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure
from wordline_studies.wu2013_diffecc.drives import QUEUE, READ, SLOW_READS, SLOW_WRITES, drives
from wordline_studies.wu2013_diffecc.loads import COMPRESSED

FEW = "most programs are slow here, and a read that comes behind one waits for longer; that outweighs what short codes save where few reads find slow pages or many come behind programs"
FULL = "a write that finds the buffer full waits for the program of one page, which is 1.5 times as long; hardly any waits for more"

FIGURE = GridFigure(
    heading="At the source's compression of time",
    text=(
        "The other reading of the source's contradictory table: the surrogates at the printed compression of time, as bursty as excerpts are, 64 MB. Requests are 3 to 63 times as rare as above, and the drives are idle for "
        "longer than printed."
    ),
    title="DiffECC and always slow over the baseline, rarer requests",
    variants=drives(["baseline", "DiffECC", "always slow"], ["64 MB"]),
    loads=COMPRESSED,
    metrics=[READ, QUEUE, SLOW_WRITES, SLOW_READS],
    baseline="baseline",
    chart=charts.bars,
    claims=[
        ordering(
            "At the source's compression of time, mean read latency is lower with writes always slow than in the baseline, under every load",
            "D4, figure 2.9",
            metric=READ.name,
            of="always slow",
            than="baseline",
            relation="below",
            why=FEW,
        ),
        ordering(
            "At the source's compression of time, more writes are outstanding with writes always slow than in the baseline, under every load",
            "D4, figure 2.9",
            metric=QUEUE.name,
            of="always slow",
            than="baseline",
            relation="above",
        ),
        ordering(
            "At the source's compression of time, mean read latency is lower with DiffECC than in the baseline, under every load",
            "D5, figure 2.10",
            metric=READ.name,
            of="DiffECC",
            than="baseline",
            relation="below",
            why=FEW,
        ),
        ordering(
            "At the source's compression of time, mean read latency with DiffECC is not below that with writes always slow, under every load",
            "D5, figure 2.10",
            metric=READ.name,
            of="DiffECC",
            than="always slow",
            relation="not below",
        ),
        ordering(
            "At the source's compression of time, at most 10 % more writes are outstanding with DiffECC than in the baseline, under every load",
            "D5, figure 2.10",
            metric=QUEUE.name,
            of="DiffECC",
            than="baseline",
            relation="not above",
            margin=0.10,
            why=FULL,
        ),
    ],
)
