"""C5: the advanced commands together."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure
from wordline_studies.hu2011 import causes
from wordline_studies.hu2011.drives import (
    BLIND,
    ERASES,
    RESPONSE,
    WISE,
    dynamic,
    static,
    variant,
)
from wordline_studies.hu2011.loads import SIX, loads

BASIC, FIRST, SECOND = "basic", "approach 1", "approach 2"

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
            "Mean response time is shorter with approach 2 than with basic commands, on aged drives, under every load",
            "figure 18",
            metric="response time",
            of=SECOND,
            than=BASIC,
            relation="below",
            why=causes.HOLDS_CHIP,
        ),
        ordering(
            "Mean response time is shorter with approach 2 than with approach 1, on aged drives, under every load",
            "figure 18",
            metric="response time",
            of=SECOND,
            than=FIRST,
            relation="below",
            why=causes.INTERLEAVE_IS_ENOUGH,
        ),
        ordering(
            "More blocks are erased with approach 2 than with basic commands, on aged drives, under every load",
            "figure 18",
            metric="erased blocks",
            of=SECOND,
            than=BASIC,
            relation="above",
        ),
        ordering(
            "Mean response time is shorter with approach 1 than with basic commands, on aged drives, under every load",
            "figure 18",
            metric="response time",
            of=FIRST,
            than=BASIC,
            relation="below",
            why=causes.HOLDS_CHIP,
        ),
        ordering(
            "At most 1 % more blocks are erased with approach 1 than with basic commands, on aged drives, under every load",
            "figure 18",
            metric="erased blocks",
            of=FIRST,
            than=BASIC,
            relation="not above",
            margin=0.01,
        ),
    ],
)
