"""What the public SSDsim does beside the paper, and what the paper leaves open: copy-back by live data, collection that holds
its channel, data placed as they are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt

from wordline.report.theme import data, specification
from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure, Load, Variant
from wordline.studies.measured import Measured
from wordline.studies.verdict import BEYOND
from wordline_studies.hu2011.drives import (
    AGED,
    ERASES,
    READ,
    RESPONSE,
    UNAGED,
    WHOLE,
    WRITE,
    Keys,
    dynamic,
    variant,
)
from wordline_studies.hu2011.loads import SIX, loads

COPIES: Mapping[str, Keys] = {
    "basic": {},
    "blind": {"commands.copyback": "blind"},
    "wise": {"commands.copyback": "wise"},
}
"""Ways to move a page within its plane."""

LIVE = (0.3, 0.4, 0.5, 0.55, 0.6, 0.64, 0.66)
"""Shares of the raw space that hold valid data."""
IN_USE = 0.9
"""Share of the pages that hold data, valid or not, at the watermark of collection (0.1 of the pages free)."""
BOUND = 2 / 3 * IN_USE
"""Live share from which blind copy-back frees nothing: of a victim with q of b pages valid it moves q and gives up q / 2 on the way, so that b - 3 q / 2 are
gained; a victim like the mean has b times the live share over that of the pages in use."""
SMALL = 128
"""Blocks of a plane, so that a drive write is short."""
DRIVE_WRITE = 4 * 2 * 2 * SMALL * 64
"""Pages of that drive of one channel."""


def with_live(share: float, name: str, commands: Keys) -> Variant:
    """An aged drive of one channel with so much valid data; the user space is 0.9 of the raw one."""
    fill = share / 0.9
    keys = {
        **AGED,
        "age.fill": fill,
        "geometry.channels": 1,
        "geometry.blocks_per_plane": SMALL,
        **dynamic("CWDP"),
        **commands,
    }
    return Variant(name, "hu2011", keys, f"{share:g} live", fill, aged=True)


def with_bound(measured: Measured) -> Mapping[str, Any]:
    """A line for each way to move a page along the share of live data, and a rule where blind copy-back gains nothing."""
    names = list(COPIES)
    colour = alt.Color(
        "variant:N",
        sort=names,
        scale=alt.Scale(domain=names, range=list(charts.COLOURS[: len(names)])),
        legend=charts.LEGEND,
        title=None,
    )
    x = alt.X("live:Q", title="live share of the pages", scale=alt.Scale(domain=[LIVE[0], 0.7]))
    rule = alt.Chart(data([{"live": BOUND}])).mark_rule(strokeDash=[4, 4]).encode(x=x)
    drawn = []
    for metric in measured.figure.metrics:
        points = [
            {**point, "live": float(point["panel"].split()[0])}
            for point in measured.points
            if point["metric"] == metric.name
        ]
        y = alt.Y(
            "value:Q", title=charts.heading(metric, ""), scale=alt.Scale(type="log", nice=False)
        )
        line = alt.Chart(data(points)).mark_line(point=True, strokeWidth=2)
        drawn.append((line.encode(x=x, y=y, color=colour) + rule).properties(width=330, height=200))
    return specification(alt.hconcat(*drawn))


BY_LIVE_DATA = GridFigure(
    heading="Copy-back by live data",
    text=(
        f"One channel with {SMALL} blocks a plane, aged, dynamic allocation: random writes of a page, twice as many as the drive has and 4 ms apart, by the share of its pages that hold valid data. A blind copy-back gives up a page in every second case, so that "
        f"a victim that holds as much as the mean gives nothing back from {BOUND:.2f} live on (two thirds of the pages in use); greedy victims hold less."
    ),
    title="Mean response and erases over those with basic commands, by live data; the dashed line is where blind copy-back frees nothing",
    variants=[
        with_live(share, name, commands) for share in LIVE for name, commands in COPIES.items()
    ],
    loads=[
        Load(
            "two drive writes",
            {
                "kind": "random",
                "read_fraction": 0.0,
                "request_size": "2 KiB",
                "align": "2 KiB",
                "arrival": "poisson",
                "interarrival": "4 ms",
                "requests": 2 * DRIVE_WRITE,
            },
            {"requests": 8_000},
        )
    ],
    metrics=[RESPONSE, ERASES],
    baseline="basic",
    chart=with_bound,
    seeds=(1,),
    claims=[
        ordering(
            "More blocks are erased with blind copy-back than with basic commands, at every share of live data, under two drive writes",
            f"{BEYOND}: figure 14 by live data",
            metric="erased blocks",
            of="blind",
            than="basic",
            relation="above",
        ),
    ],
)

HOLDS: Mapping[str, Keys] = {
    "shared": {},
    "held": {
        "scheduler.collection_first": True,
        "scheduler.collection_holds_channel": True,
    },
}
"""Whether collection shares its channel or holds it for all moves of a block."""

HELD = GridFigure(
    heading="Collection that holds its channel",
    text=(
        "One channel, aged, dynamic allocation: moves of a block share the channel with requests, or hold it from the first to the last, arrays included, as in SSDsim."
    ),
    title="Mean response over that with basic commands and a shared channel",
    variants=[
        variant(
            name if held == "shared" else f"{name}, held",
            dynamic("CWDP"),
            commands,
            keys,
            channels=1,
            aged=True,
        )
        for held, keys in HOLDS.items()
        for name, commands in COPIES.items()
    ],
    loads=loads("Dev", "MSN", "Ex"),
    metrics=[RESPONSE, ERASES],
    baseline="basic",
    chart=charts.bars,
    claims=[],
    whole_only=True,
)

PLACES: Mapping[str, Keys] = {
    "by the allocation": UNAGED,
    "channel after channel": {**UNAGED, "age.place_reads": "channel_first"},
    "whole pages": WHOLE,
}
"""How the data that are read got to their places."""

PLACED = GridFigure(
    heading="Data placed before the run",
    text=(
        "What a load reads is written before the run, of each page the sectors that are read: in the order of the allocation, as in all figures of drives that are not aged, or channel after channel, as the public SSDsim does whatever the order; or a third of the user space holds "
        "whole pages. Eight channels: orders of levels with the channel last (SSD1) and first (SSD2)."
    ),
    title="Mean response over that of SSD2",
    variants=[
        variant(
            name,
            panel=place,
            preset=f"hu2011-{name.lower()}",
            channels=8,
            state=state,
        )
        for place, state in PLACES.items()
        for name in ("SSD2", "SSD1")
    ],
    loads=loads(*SIX),
    metrics=[READ, WRITE, RESPONSE],
    baseline="SSD2",
    chart=charts.bars,
    claims=[],
    whole_only=True,
)
