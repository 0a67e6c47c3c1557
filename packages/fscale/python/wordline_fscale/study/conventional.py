"""The conventional drive as it grows (F2, F3, F4, F10)."""

from __future__ import annotations

from itertools import pairwise

import altair as alt

from wordline.report.section import Figure, Row
from wordline.report.theme import data, specification
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict
from wordline_fscale.study.common import (
    CAPACITIES,
    MIXES,
    WIDTH,
    drive,
    falling,
    iops,
    lines,
    load,
    requests,
    rising,
    shown,
)

CAPACITY = ("TB", "capacity (TB)")
FREQUENCIES = (400, 800, 1600, 3200, 5000)
"""MHz; the source names 400 MHz to 5 GHz."""
CORES = (1, 2, 4, 8, 16)


def read_only(quick: bool) -> Part:
    """Reads only."""
    found = [iops(drive("conventional", tb, **load(0)), quick) for tb in CAPACITIES]
    relative = [value / found[0] for value in found]
    rows: list[Row] = [
        {"TB": tb, "requests per second": value, "of 8 TB": share, "load": "reads"}
        for tb, value, share in zip(CAPACITIES, found, relative, strict=True)
    ]
    losses = [before - after for before, after in pairwise(relative)]
    claims = [
        Claim(
            "Throughput of a conventional drive that is only read falls steadily as the capacity grows",
            "section 5.2",
            f"{shown(relative)} times that at 8 TB",
            Verdict.of_cases([after < before for before, after in pairwise(relative)]),
        ),
        Claim(
            "Each doubling costs less than the one before, as the hit rate nears 0",
            "section 5.2",
            f"losses of {shown([100 * loss for loss in losses], 1)} points",
            Verdict.of_cases([after < before for before, after in pairwise(losses)]),
        ),
    ]
    return Part(
        "Reads, with 8 GB of memory",
        "32 requests are outstanding. Look-ups that miss read a page of the table.",
        Figure(
            "Reads slow down as the table outgrows the memory",
            lines(rows, CAPACITY, ("of 8 TB", "throughput, of that at 8 TB"), "load"),
            rows,
        ),
        claims,
    )


def write_mixes(quick: bool) -> Part:
    """Mixes with writes, each of its own throughput at 8 TB."""
    relative = {}
    rows: list[Row] = []
    for writes in MIXES[1:]:
        found = [iops(drive("conventional", tb, **load(writes)), quick) for tb in CAPACITIES]
        relative[writes] = [value / found[0] for value in found]
        rows += [
            {
                "TB": tb,
                "writes": f"{writes:.0%}",
                "requests per second": value,
                "of 8 TB": value / found[0],
            }
            for tb, value in zip(CAPACITIES, found, strict=True)
        ]
    spread = [
        max(line[place] for line in relative.values())
        - min(line[place] for line in relative.values())
        for place in range(len(CAPACITIES))
    ]
    claims = [
        Claim(
            "With 25 to 100 % writes throughput of the conventional drive falls as the capacity grows",
            "section 5.2",
            f"writes only: {shown(relative[1.0])} times that at 8 TB",
            Verdict.of_cases([falling(line, 0) for line in relative.values()]),
        ),
        Claim(
            "The curves of all mixes have a similar shape",
            "section 5.2",
            f"they differ by at most {100 * max(spread):.0f} points of their throughput at 8 TB",
            Verdict(max(spread) < 0.15),
            "similar is taken as within 15 points",
        ),
    ]
    return Part(
        "Writes, with 8 GB of memory",
        "Write amplification is 5. Moved pages look their entries up as well, so that collection pays for misses too.",
        Figure(
            "Mixes with writes slow down alike",
            lines(rows, CAPACITY, ("of 8 TB", "throughput, of that at 8 TB"), "writes"),
            rows,
        ),
        claims,
    )


def cycles(quick: bool) -> Part:
    """For whom the processor works."""
    share: dict[tuple[int, float], dict[str, float]] = {}
    for tb in CAPACITIES:
        for writes in MIXES:
            spent = drive("conventional", tb, **load(writes)).simulate(requests(quick))["cycles"]
            total = sum(spent.values())
            share[tb, writes] = {name: value / total for name, value in spent.items()}
    rows: list[Row] = [
        {"TB": tb, "writes": f"{writes:.0%}", "for": name, "share": value}
        for (tb, writes), parts in share.items()
        for name, value in parts.items()
    ]
    chart = (
        alt.Chart(data(rows))
        .mark_bar()
        .encode(
            x=alt.X("TB:O", title="capacity (TB)"),
            y=alt.Y("share:Q", title="share of cycles"),
            color=alt.Color("for:N", sort=None, title="cycles for"),
            column=alt.Column("writes:N", sort=None),
        )
        .properties(width=WIDTH / 6, height=220)
    )
    host = {key: parts["host"] for key, parts in share.items()}
    table = {key: parts["table"] for key, parts in share.items()}
    half = [host[tb, writes] < 0.5 for tb in CAPACITIES for writes in MIXES[1:]]
    claims = [
        Claim(
            "The host's share of processor cycles falls with the capacity",
            "section 5.2",
            f"reads: {shown([100 * host[tb, 0.0] for tb in CAPACITIES], 0)} %",
            Verdict.of_cases([falling([host[tb, w] for tb in CAPACITIES], 0) for w in MIXES]),
        ),
        Claim(
            "The host's share of processor cycles falls with the share of writes",
            "section 5.2",
            f"8 TB: {shown([100 * host[8, w] for w in MIXES], 0)} %; 128 TB: {shown([100 * host[128, w] for w in MIXES], 0)} %",
            Verdict.of_cases([falling([host[tb, w] for w in MIXES], 0) for tb in CAPACITIES]),
        ),
        Claim(
            "Pages of the table take next to nothing at 8 TB and ever more above",
            "section 5.2",
            f"writes only: {shown([100 * table[tb, 1.0] for tb in CAPACITIES], 0)} %",
            Verdict.of_cases(
                [
                    table[8, w] < 0.01 and rising([table[tb, w] for tb in CAPACITIES], 0)
                    for w in MIXES
                ]
            ),
        ),
        Claim(
            "Collection takes nothing when the drive is only read",
            "section 5.2",
            f"{100 * max(share[tb, 0.0]['collection'] for tb in CAPACITIES):g} %",
            Verdict.of_cases([share[tb, 0.0]["collection"] == 0 for tb in CAPACITIES]),
        ),
        Claim(
            "With most mixes of writes the host has less than half of the processor",
            "section 5.2",
            f"in {sum(half)} of {len(half)} cases",
            Verdict(sum(half) > len(half) / 2),
        ),
    ]
    return Part(
        "Processor cycles by class",
        "Shares are of busy cycles, measured in the simulation.",
        Figure("Collection and the table take over the processor", specification(chart), rows),
        claims,
    )


def processor(quick: bool) -> Part:
    """Faster and more cores."""
    writes = 0.5
    points: dict[tuple[str, float], float] = {}
    limited: dict[tuple[str, float], str | None] = {}
    for name, key, values in (
        ("frequency", "processor.frequency", FREQUENCIES),
        ("cores", "processor.cores", CORES),
    ):
        for value in values:
            changed = drive(
                "conventional",
                128,
                **load(writes),
                **{key: f"{value} MHz" if name == "frequency" else value},
            )
            cycles_per_second = value * 2 if name == "frequency" else value * 400
            points[name, cycles_per_second] = iops(changed, quick)
            limited[name, cycles_per_second] = changed.outlook()["limited_by"]
    rows: list[Row] = [
        {
            "varied": name,
            "million cycles per second": at,
            "requests per second": value,
            "closed form limited by": limited[name, at] or "queue depth",
        }
        for (name, at), value in points.items()
    ]
    by = {
        name: [value for (varied, _), value in points.items() if varied == name]
        for name in ("frequency", "cores")
    }
    gains = {
        name: [after / before for before, after in pairwise(values)] for name, values in by.items()
    }
    claims = [
        Claim(
            "A conventional drive of 128 TB recovers with a faster processor or more cores",
            "section 5.2",
            f"16 instead of 1 core: {by['cores'][-1] / by['cores'][0]:.1f} times; 5 GHz instead of 400 MHz: "
            f"{by['frequency'][-1] / by['frequency'][0]:.1f} times",
            Verdict.of_cases([rising(values) for values in by.values()]),
        ),
        Claim(
            "It recovers until flash, channels or the queue depth bind: the last doubling gains less than the first",
            "section 5.2",
            f"each step of cores: {shown(gains['cores'])} times",
            Verdict.of_cases([steps[-1] < steps[0] for steps in gains.values()]),
        ),
    ]
    return Part(
        "More or faster cores",
        f"128 TB, {writes:.0%} writes, 32 requests outstanding; 2 cores of 400 MHz to 5 GHz, and 1 to 16 cores of 400 MHz.",
        Figure(
            "The conventional drive recovers until something else binds",
            lines(
                rows,
                ("million cycles per second", "million processor cycles per second"),
                ("requests per second", "requests per second"),
                "varied",
            ),
            rows,
        ),
        claims,
    )
