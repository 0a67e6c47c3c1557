"""FScale against the conventional drive (F7, F8, F9)."""

from __future__ import annotations

from wordline.report.section import Figure, Row
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict
from wordline_fscale.study.common import (
    CAPACITIES,
    MIXES,
    drive,
    falling,
    iops,
    lines,
    load,
    rising,
    shown,
)

CAPACITY = ("TB", "capacity (TB)")
DEPTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
LOOK_UPS = {"min": 0, "typ": 3, "max": 7}
"""Nodes of a tree that a look-up reads."""


def throughput(quick: bool) -> Part:
    """All mixes at all capacities."""
    found = {
        (design, tb, writes): iops(drive(design, tb, **load(writes)), quick)
        for design in ("conventional", "fscale")
        for tb in CAPACITIES
        for writes in MIXES
    }
    rows: list[Row] = [
        {
            "TB": tb,
            "design": design,
            "writes": f"{writes:.0%}",
            "requests per second": value,
            "of conventional, 8 TB": value / found["conventional", 8, writes],
        }
        for (design, tb, writes), value in found.items()
    ]
    wins = {
        (tb, w): found["fscale", tb, w] / found["conventional", tb, w]
        for tb in CAPACITIES
        for w in MIXES
    }
    curve = {w: [found["fscale", tb, w] for tb in CAPACITIES] for w in MIXES}
    many = (0.5, 0.75, 1.0)
    claims = [
        Claim(
            "With 50 % writes or more FScale is faster than the conventional drive at every capacity from 16 TB",
            "section 5.5",
            f"writes only: {shown([wins[tb, 1.0] for tb in CAPACITIES])} times",
            Verdict.of_cases([wins[tb, w] > 1 for tb in CAPACITIES[1:] for w in many]),
        ),
        Claim(
            "With 50 % writes or more throughput of FScale rises or holds as the capacity grows",
            "section 5.5",
            f"writes only: {shown(curve[1.0], 0)} per second",
            Verdict.of_cases([curve[w][-1] >= 0.97 * curve[w][0] for w in many]),
            "judged between 8 and 128 TB",
        ),
        Claim(
            "With 50 % writes or more the advantage of FScale is greatest at 128 TB",
            "section 5.5",
            f"50 % writes: {shown([wins[tb, 0.5] for tb in CAPACITIES])} times",
            Verdict.of_cases([wins[128, w] == max(wins[tb, w] for tb in CAPACITIES) for w in many]),
        ),
        Claim(
            "With 25 % writes FScale is faster than the conventional drive, and flat",
            "section 5.5",
            f"{shown([wins[tb, 0.25] for tb in CAPACITIES])} times; {shown(curve[0.25], 0)} per second",
            Verdict.of_cases(
                [
                    *(wins[tb, 0.25] > 1 for tb in CAPACITIES[1:]),
                    max(curve[0.25]) < 1.25 * min(curve[0.25]),
                ]
            ),
            "flat is taken as within 25 %",
        ),
        Claim(
            "Only read, at queue depth 32, FScale is no faster than the conventional drive",
            "section 5.5",
            f"{shown([wins[tb, 0.0] for tb in CAPACITIES])} times",
            Verdict.of_cases([wins[tb, 0.0] <= 1.02 for tb in CAPACITIES]),
        ),
        Claim(
            "Only read, FScale slows down as the capacity grows",
            "section 5.5",
            f"{shown(curve[0.0], 0)} per second",
            Verdict(curve[0.0][-1] < 0.99 * curve[0.0][0]),
        ),
    ]
    return Part(
        "FScale and the conventional drive",
        "32 requests outstanding. The controller is the same; FScale adds a local controller of 100 MHz, a codec and a bus to each package. Look-ups read 3 nodes of a tree.",
        Figure(
            "FScale keeps its throughput of writes",
            lines(
                rows,
                CAPACITY,
                ("of conventional, 8 TB", "throughput, of conventional at 8 TB"),
                "writes",
                strokeDash="design:N",
            ),
            rows,
            "Solid lines are the conventional drive, dashed ones FScale.",
        ),
        claims,
    )


def queue_depth(quick: bool) -> Part:
    """Reads at queue depths from 1 to 256."""
    found = {
        (design, tb, depth): iops(drive(design, tb, **load(0, depth)), quick)
        for design in ("conventional", "fscale")
        for tb in CAPACITIES
        for depth in DEPTHS
    }
    rows: list[Row] = [
        {
            "queue depth": depth,
            "TB": tb,
            "design": design,
            "requests per second": value,
            "of conventional, depth 1": value / found["conventional", tb, 1],
        }
        for (design, tb, depth), value in found.items()
    ]
    ratio = {
        (tb, depth): found["fscale", tb, depth] / found["conventional", tb, depth]
        for tb in CAPACITIES
        for depth in DEPTHS
    }
    claims = [
        Claim(
            "At low queue depths FScale is clearly slower, as a look-up reads its nodes one after the other",
            "section 5.5",
            f"depth 1: {shown([ratio[tb, 1] for tb in CAPACITIES])} times",
            Verdict.of_cases([ratio[tb, depth] < 0.8 for tb in CAPACITIES for depth in (1, 2, 4)]),
        ),
        Claim(
            "The conventional drive saturates on its processor",
            "section 5.5",
            f"depth 256 against 32: {shown([found['conventional', tb, 256] / found['conventional', tb, 32] for tb in CAPACITIES])} times",
            Verdict.of_cases(
                [
                    found["conventional", tb, 256] < 1.05 * found["conventional", tb, 64]
                    for tb in CAPACITIES
                ]
            ),
        ),
        Claim(
            "FScale keeps rising, and meets or passes the conventional drive at high queue depths",
            "section 5.5",
            f"depth 256: {shown([ratio[tb, 256] for tb in CAPACITIES])} times",
            Verdict.of_cases(
                [
                    ratio[tb, 256] >= 0.98
                    and rising([found["fscale", tb, depth] for depth in DEPTHS])
                    for tb in CAPACITIES
                ]
            ),
        ),
    ]
    few = [row for row in rows if row["TB"] in (8, 32, 128)]
    return Part(
        "Reads by queue depth",
        "Only reads. The chart shows 8, 32 and 128 TB, the table all capacities.",
        Figure(
            "FScale needs requests to hide its look-ups",
            lines(
                [{**row, "TB": f"{row['TB']} TB"} for row in few],
                ("queue depth", "queue depth"),
                ("requests per second", "requests per second"),
                "TB",
                strokeDash="design:N",
            ),
            rows,
            "Solid lines are the conventional drive, dashed ones FScale.",
        ),
        claims,
    )


def look_ups(quick: bool) -> Part:
    """Between no node and seven."""
    found = {
        (name, tb): iops(drive("fscale", tb, **load(0), **{"local.look_up": name}), quick)
        for name in LOOK_UPS
        for tb in CAPACITIES
    }
    rows: list[Row] = [
        {"TB": tb, "nodes read": f"{LOOK_UPS[name]} ({name})", "requests per second": value}
        for (name, tb), value in found.items()
    ]
    claims = [
        Claim(
            "Reads with three nodes for each look-up lie between those with none and those with seven",
            "section 5.5",
            f"128 TB: {shown([found[name, 128] for name in LOOK_UPS], 0)} per second",
            Verdict.of_cases(
                [falling([found[name, tb] for name in LOOK_UPS], 0) for tb in CAPACITIES]
            ),
        )
    ]
    return Part(
        "How long a look-up is",
        "Only reads, 32 outstanding. No node is read where the local controller has it in memory, three of a tree of height 3, and seven is the bound of the source.",
        Figure(
            "Each node read costs throughput",
            lines(rows, CAPACITY, ("requests per second", "requests per second"), "nodes read"),
            rows,
        ),
        claims,
    )
