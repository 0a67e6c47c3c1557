"""C5: the advanced commands together."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure
from wordline.studies.hu2011.drives import (
    BLIND,
    ERASES,
    RESPONSE,
    WISE,
    dynamic,
    static,
    variant,
)
from wordline.studies.hu2011.loads import SIX, loads

BASIC, FIRST, SECOND = "basic", "approach 1", "approach 2"

QUEUES = "where reads queue, as in the excerpts of Dev and MSN, an interleaved read holds the chip until the data of both dies have left"

FIGURE = GridFigure(
    heading="Combinations of commands",
    text=(
        "One channel, aged: static s6 and dynamic allocation (channel > die > plane > chip). Approach 1 takes every advanced command where no page is lost, "
        "approach 2 multi-plane writes wherever possible."
    ),
    title="Mean response and erases over those with basic commands",
    variants=[
        variant(name, keys, commands, panel=panel, channels=1, aged=True)
        for panel, keys in (("dynamic", dynamic("CDPW")), ("static s6", static("CDPW")))
        for name, commands in ((BASIC, {}), (FIRST, WISE), (SECOND, BLIND))
    ],
    loads=loads(*SIX),
    metrics=[RESPONSE, ERASES],
    baseline=BASIC,
    chart=charts.bars,
    claims=[
        ordering(
            "approach 2 responds earlier than basic commands",
            "figure 18",
            metric="response",
            of=SECOND,
            than=BASIC,
            relation="below",
            why=QUEUES,
        ),
        ordering(
            "approach 2 responds earlier than approach 1",
            "figure 18",
            metric="response",
            of=SECOND,
            than=FIRST,
            relation="below",
            why=(
                "wise multi-plane writes open free blocks of the same index until they find a pair, so approach 1 combines "
                "nearly as many writes. Approach 2 combines a few more, but must skip pages and erase blocks earlier"
            ),
        ),
        ordering(
            "approach 2 erases more than basic commands",
            "figure 18",
            metric="erases",
            of=SECOND,
            than=BASIC,
            relation="above",
        ),
        ordering(
            "approach 1 responds earlier than basic commands",
            "figure 18",
            metric="response",
            of=FIRST,
            than=BASIC,
            relation="below",
            why=QUEUES,
        ),
        ordering(
            "approach 1 adds no erases (+1 %)",
            "figure 18",
            metric="erases",
            of=FIRST,
            than=BASIC,
            relation="not above",
            margin=0.01,
            why="as with wise multi-plane writes alone: partly written blocks stay open, and more blocks must be erased for the same pages",
        ),
    ],
)
