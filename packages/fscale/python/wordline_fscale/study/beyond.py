"""Other questions: write amplification, cells, controllers per die, tails, a hot package, no directory (sections 13.6 and 13.7 of the specification)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from wordline.report.section import Figure, Row
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict
from wordline_fscale.drives import LargeDrive
from wordline_fscale.study.common import (
    HERE,
    bound,
    drive,
    falling,
    iops,
    lines,
    load,
    requests,
    shown,
)

CAPACITY = ("TB", "capacity (TB)")
AMPLIFICATIONS = (1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0)
QLC: dict[str, object] = {"nand.read": "125 us", "nand.program": "2.5 ms"}
"""Times of four bits per cell (assumed)."""


def amplification(quick: bool) -> Part:
    """Hosts that make collection rare."""
    del quick
    gain = {}
    for tb in (8, 32, 128):
        for waf in AMPLIFICATIONS:
            keys = {**load(1.0, 256), "workload.waf": waf}
            both = [bound(drive(d, tb, **keys)) for d in ("fscale", "conventional")]
            gain[tb, waf] = both[0] / both[1]
    rows: list[Row] = [
        {"write amplification": waf, "capacity": f"{tb} TB", "FScale, of conventional": value}
        for (tb, waf), value in gain.items()
    ]
    even = {
        tb: next((waf for waf in AMPLIFICATIONS if gain[tb, waf] > 1.02), None)
        for tb in (8, 32, 128)
    }
    claims = [
        Claim(
            "FScale gains less the less is moved: its advantage grows with the write amplification",
            HERE,
            f"128 TB, 1 to 6: {shown([gain[128, waf] for waf in AMPLIFICATIONS])} times",
            Verdict.of_cases(
                [
                    gain[tb, a] <= gain[tb, b] * 1.001
                    for tb in (8, 32, 128)
                    for a, b in pairwise(AMPLIFICATIONS)
                ]
            ),
        ),
        Claim(
            "With a write amplification of 1, as of zones, FScale is no faster than the conventional drive at 8 TB, where both tables fit",
            HERE,
            f"{gain[8, 1.0]:.2f} times; more than 2 % faster from {even[8]} at 8 TB, {even[32]} at 32 TB, {even[128]} at 128 TB",
            Verdict(gain[8, 1.0] <= 1.02),
        ),
    ]
    return Part(
        "Less to collect",
        "Only writes, 256 outstanding, from closed forms. Hosts that write zones, or tell what belongs together, bring the write amplification towards 1.",
        Figure(
            "What is not moved cannot be offloaded",
            lines(
                rows,
                ("write amplification", "write amplification"),
                ("FScale, of conventional", "throughput, of conventional"),
                "capacity",
                log=False,
            ),
            rows,
        ),
        claims,
    )


def cells(quick: bool) -> Part:
    """Four bits per cell, and a controller for each die."""
    kinds: dict[str, dict[str, object]] = {
        "two bits, a controller per package": {},
        "two bits, a controller per die": {"nand.dies_per_package": 1},
        "four bits, a controller per package": QLC,
    }
    found = {
        (kind, writes, design): iops(drive(design, 128, **load(writes, 256), **keys), quick)
        for kind, keys in kinds.items()
        for writes in (0.0, 0.5, 1.0)
        for design in ("conventional", "fscale")
    }
    gain = {
        (kind, writes): found[kind, writes, "fscale"] / found[kind, writes, "conventional"]
        for kind in kinds
        for writes in (0.0, 0.5, 1.0)
    }
    names = list(kinds)
    alone = {
        name: {
            design: drive(design, 128, **load(0.0, 1), **kinds[name]).outlook()["latency"]["read"]
            for design in ("conventional", "fscale")
        }
        for name in names
    }
    slower = {name: alone[name]["fscale"] - alone[name]["conventional"] for name in names}
    per_die = LargeDrive("fscale-128tb", **{"nand.dies_per_package": 1})
    one = per_die.changed(**{"local.memory": "256 KiB"})
    watts = {
        name: drive("fscale", 128, **load(0.5), **kinds[name]).power(1e4)["local"]
        for name in names[:2]
    }
    rows: list[Row] = [
        {
            "cells and controllers": kind,
            "writes": writes,
            "FScale, of conventional": value,
            "FScale's read, later by (us)": slower[kind] / 1e3,
        }
        for (kind, writes), value in gain.items()
    ]
    claims = [
        Claim(
            "With four bits per cell three nodes make reads of FScale later by more",
            HERE,
            f"{slower[names[0]] / 1e3:.0f} and {slower[names[2]] / 1e3:.0f} µs in an idle drive",
            Verdict(slower[names[2]] > slower[names[0]]),
        ),
        Claim(
            "With four bits per cell FScale gains more in writes",
            HERE,
            f"{gain[names[0], 1.0]:.2f} and {gain[names[2], 1.0]:.2f} times",
            Verdict(gain[names[2], 1.0] > 1.01 * gain[names[0], 1.0]),
            "the processor of the conventional drive is the limit with both",
        ),
        Claim(
            "A controller for each die makes no drive of 128 TB faster, as no controller is the limit",
            HERE,
            f"writes only {found[names[0], 1.0, 'fscale']:.0f} and {found[names[1], 1.0, 'fscale']:.0f} per second; local controllers take {watts[names[0]]:.1f} and {watts[names[1]]:.1f} W",
            Verdict(
                abs(found[names[1], 1.0, "fscale"] / found[names[0], 1.0, "fscale"] - 1) < 0.03
            ),
            f"a die with a controller and 256 KiB costs {one.die_cost():.2f} times as much, with 4 MiB {per_die.die_cost():.2f} times",
        ),
    ]
    return Part(
        "Other cells, other controllers",
        "128 TB, 256 outstanding. Four bits per cell read in 125 us and program in 2.5 ms (assumed).",
        Figure(
            "Slow programs leave less to gain",
            lines(
                rows,
                ("writes", "share of writes"),
                ("FScale, of conventional", "throughput, of conventional"),
                "cells and controllers",
                log=False,
            ),
            rows,
        ),
        claims,
    )


def tails(quick: bool) -> Part:
    """The slowest reads."""
    found: dict[tuple[str, str, float], dict[str, Any]] = {}
    rates = (2_000.0, 5_000.0, 10_000.0, 15_000.0)
    for design in ("conventional", "fscale"):
        for scheduling in ("fifo", "priority"):
            for rate in rates:
                run = drive(design, 128, **load(0.5)).simulate(
                    requests(quick), scheduling=scheduling, arrivals={"open": rate}
                )
                found[design, scheduling, rate] = next(
                    row for row in run["latencies"] if not row["writes"]
                )
    rows: list[Row] = [
        {
            "requests per second": rate,
            "design": f"{design}, {scheduling}",
            "mean (us)": row["mean_us"],
            "99.9th percentile (us)": row["p999_us"],
        }
        for (design, scheduling, rate), row in found.items()
    ]
    claims = [
        Claim(
            "Priority of the host shortens the slowest reads of FScale",
            HERE,
            f"5,000 a second: {found['fscale', 'fifo', 5000.0]['p999_us']:.0f} and {found['fscale', 'priority', 5000.0]['p999_us']:.0f} µs",
            Verdict.of_cases(
                [
                    found["fscale", "priority", rate]["p999_us"]
                    < found["fscale", "fifo", rate]["p999_us"]
                    for rate in rates
                ]
            ),
        ),
        Claim(
            "Programs and erases make the slowest reads, in both designs: they take at least as long as a program",
            HERE,
            f"with priority, 2,000 a second: {found['conventional', 'priority', 2000.0]['p999_us']:.0f} µs and {found['fscale', 'priority', 2000.0]['p999_us']:.0f} µs in FScale",
            Verdict.of_cases([row["p999_us"] > 900 for row in found.values()]),
        ),
    ]
    return Part(
        "The slowest reads",
        "128 TB, half of the requests write, random arrivals. First come, first served, or the host before pages of the table before collection; what runs is not interrupted.",
        Figure(
            "The tail of reads",
            lines(
                rows,
                ("requests per second", "requests per second"),
                ("99.9th percentile (us)", "99.9th percentile of reads (us)"),
                "design",
                log=False,
            ),
            rows,
        ),
        claims,
    )


def hot_package(quick: bool) -> Part:
    """One package that everybody wants."""
    shares = (0.0, 0.05, 0.1, 0.2, 0.4)
    found = {
        (design, share): drive(
            design, 128, **load(0.0, 64), **{"workload.hot_package": share}
        ).simulate(requests(quick), backend="permuted")
        for design in ("conventional", "fscale")
        for share in shares
    }

    def p99(design: str, share: float, hot: bool) -> float:
        rows = found[design, share]["latencies"]
        value: float = next(row["p99_us"] for row in rows if row["hot_package"] == hot)
        return value

    rows: list[Row] = [
        {
            "hot share": share,
            "requests": f"{design}, {'the hot package' if row['hot_package'] else 'others'}",
            "99th percentile (us)": row["p99_us"],
            "mean (us)": row["mean_us"],
            "requests per second": run["iops"],
        }
        for (design, share), run in found.items()
        for row in run["latencies"]
    ]
    claims = [
        Claim(
            "A hot package makes its own requests wait in FScale, whose local controller is alone",
            HERE,
            f"40 % of reads: {p99('fscale', 0.4, True):.0f} µs at the 99th percentile, others {p99('fscale', 0.4, False):.0f} µs",
            Verdict.of_cases(
                [p99("fscale", s, True) > 1.2 * p99("fscale", s, False) for s in shares[2:]]
            ),
        ),
        Claim(
            "A hot package costs FScale throughput",
            HERE,
            f"{shown([found['fscale', s]['iops'] for s in shares], 0)} per second",
            Verdict(found["fscale", 0.4]["iops"] < 0.98 * found["fscale", 0.0]["iops"]),
        ),
        Claim(
            "It costs the conventional drive, whose dies are free of node reads, less",
            HERE,
            f"{shown([found['conventional', s]['iops'] for s in shares], 0)} per second",
            Verdict(
                found["conventional", 0.4]["iops"] / found["conventional", 0.0]["iops"]
                > found["fscale", 0.4]["iops"] / found["fscale", 0.0]["iops"]
            ),
        ),
    ]
    return Part(
        "A hot package",
        "128 TB, reads, 64 outstanding, of which a share goes to pages of one of 287 packages; every page is where a permutation puts it.",
        Figure(
            "One package for many",
            lines(
                rows,
                ("hot share", "share of reads that go to one package"),
                ("99th percentile (us)", "99th percentile (us)"),
                "requests",
                log=False,
            ),
            rows,
        ),
        claims,
    )


def no_directory(quick: bool) -> Part:
    """Places by hash: no directory, but an uneven load."""
    laws = {
        "uniform": {},
        "Zipf 0.9": {"workload.zipf": 0.9},
        "Zipf 1.1": {"workload.zipf": 1.1},
    }
    ways: dict[str, dict[str, object]] = {
        "directory": {},
        "hash": {"table.directory": "hash", "local.stale": "sticky"},
    }
    found = {
        (law, way, tb): drive(
            "fscale", tb, **load(0.5, 256), **{"table.hit": "che"}, **laws[law], **ways[way]
        ).simulate(requests(quick), backend="permuted")
        for law in laws
        for way in ways
        for tb in (32, 128)
    }

    def uneven(law: str, way: str, tb: int) -> float:
        use = next(row for row in found[law, way, tb]["units"] if row["unit"] == "die")
        value: float = use["greatest"] / use["utilization"]
        return value

    rows: list[Row] = [
        {
            "TB": tb,
            "addresses and places": f"{law}, {way}",
            "requests per second": run["iops"],
            "99.9th percentile (us)": run["p999_us"],
            "busiest die, of the mean": uneven(law, way, tb),
        }
        for (law, way, tb), run in found.items()
    ]
    gain = {
        (law, tb): found[law, "hash", tb]["iops"] / found[law, "directory", tb]["iops"]
        for law in laws
        for tb in (32, 128)
    }
    claims = [
        Claim(
            "With uniform addresses places by hash are faster, as nothing of a directory is read",
            HERE,
            f"{gain['uniform', 32]:.2f} times at 32 TB, {gain['uniform', 128]:.2f} times at 128 TB",
            Verdict.of_cases([gain["uniform", tb] > 1.02 for tb in (32, 128)]),
        ),
        Claim(
            "With Zipf addresses places by hash are slower: popular pages are written on the same die again and again",
            HERE,
            f"exponent 1.1: {gain['Zipf 1.1', 32]:.2f} times at 32 TB, {gain['Zipf 1.1', 128]:.2f} times at 128 TB",
            Verdict.of_cases([gain["Zipf 1.1", tb] < 0.98 for tb in (32, 128)]),
        ),
        Claim(
            "The busiest die is busier with places by hash, the more so the more addresses are skewed",
            HERE,
            f"128 TB: {shown([uneven(law, 'hash', 128) for law in laws], 1)} times the mean; with a directory {shown([uneven(law, 'directory', 128) for law in laws], 1)}",
            Verdict.of_cases(
                [
                    not falling([uneven(law, "hash", tb) for law in laws])
                    and uneven("Zipf 1.1", "hash", tb) > uneven("Zipf 1.1", "directory", tb)
                    for tb in (32, 128)
                ]
            ),
        ),
    ]
    return Part(
        "No directory",
        "FScale, half writes, 256 outstanding. A page stays on the die that a hash of its address names, so that no directory is needed; or it goes to any die, and the directory remembers. Hit rates of the directory follow Che's approximation.",
        Figure(
            "A hash saves the directory where the load is even",
            lines(
                rows,
                CAPACITY,
                ("requests per second", "requests per second"),
                "addresses and places",
            ),
            rows,
        ),
        claims,
    )
