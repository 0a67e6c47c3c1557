"""Beyond the source: one petabyte, more cores, larger mapping units, memory and power of local controllers."""

from __future__ import annotations

from wordline.report.section import Figure, Row
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict
from wordline_fscale.study.common import (
    CAPACITIES,
    GB,
    HERE,
    bound,
    drive,
    iops,
    lines,
    load,
    shown,
)

CAPACITY = ("TB", "capacity (TB)")
LARGE = (*CAPACITIES, 256, 512, 1024)
UNITS = (4, 16, 32, 64)
"""Mapping units in KiB."""
MEMORIES = (0, 1, 2, 3, 4, 5, 6, 8)
"""Memory of a local controller in MiB."""


def cores(quick: bool) -> Part:
    """The number of central cores at which FScale stops winning."""
    del quick
    found = {
        (tb, writes, depth): drive("fscale", tb, **load(writes, depth)).cores_to_match()
        for tb in LARGE
        for writes in (0.25, 0.5, 1.0)
        for depth in (32, 256)
    }
    rows: list[Row] = [
        {
            "TB": tb,
            "load": f"{writes:.0%} writes, depth {depth}",
            "central cores": even["cores"],
            "FScale, per second at most": even["fscale_iops_bound"],
            "conventional limited by": even["limited_by"] or "queue depth",
        }
        for (tb, writes, depth), even in found.items()
    ]
    writing = [found[tb, 1.0, 32]["cores"] for tb in CAPACITIES]
    grows = [
        None
        if found[8, writes, 32]["cores"] is None or found[128, writes, 32]["cores"] is None
        else found[128, writes, 32]["cores"] > found[8, writes, 32]["cores"]
        for writes in (0.25, 0.5, 1.0)
    ]
    claims = [
        Claim(
            "The number of central cores at which FScale stops winning grows with the capacity",
            HERE,
            f"writes only, depth 32, 8 to 128 TB: {' → '.join('none' if n is None else str(n) for n in writing)} cores (none: no number of them is enough)",
            Verdict.of_cases(grows),
        ),
    ]
    return Part(
        "Central cores against local controllers",
        "The least number of cores of 400 MHz with which a conventional drive is as fast as FScale with two, from the closed forms; cores share their work without loss. Where there is none, something else than the processor stops the conventional drive.",
        Figure(
            "Where FScale stops winning",
            lines(
                [row for row in rows if row["central cores"] is not None],
                CAPACITY,
                ("central cores", "central cores to match FScale"),
                "load",
            ),
            rows,
        ),
        claims,
    )


def mapping_unit(quick: bool) -> Part:
    """Larger mapping units at one petabyte."""
    result: dict[tuple[str, int], tuple[float, float, float]] = {}
    for kib in UNITS:
        keys = {
            **load(1.0, 256),
            "logical_page": f"{kib} KiB",
            "workload.host_bytes": "4 KiB",
            "processor.cores": 64,
            "dram.size": "256 GiB",
        }
        for design in ("conventional", "fscale"):
            one = drive(design, 1024, **keys)
            outlook = one.outlook()
            tables = outlook["tables"]
            result[design, kib] = (
                iops(one, quick),
                tables["conventional" if design == "conventional" else "directory"] / GB,
                outlook["waf"] * kib / 4,
            )
    rows: list[Row] = [
        {
            "unit (KiB)": kib,
            "design": design,
            "requests per second": speed,
            "table or directory (GB)": table,
            "bytes programmed for each byte": waf,
        }
        for (design, kib), (speed, table, waf) in result.items()
    ]
    tables = [result["conventional", kib][1] for kib in UNITS]
    claims = [
        Claim(
            "At 1 PB the table takes 1.22 TB with units of 4 KiB, and 296, 144 and 70 GB with 16, 32 and 64 KiB",
            HERE,
            f"{shown(tables, 0)} GB",
            Verdict.of_cases(
                [
                    abs(found / expected - 1) < 0.01
                    for found, expected in zip(tables, (1249, 296, 144, 70), strict=True)
                ]
            ),
            "follows from the bits of an entry",
        ),
        Claim(
            "Writes of 4 KiB program as many times more bytes as the unit is larger",
            HERE,
            f"{shown([result['conventional', kib][2] for kib in UNITS], 0)} bytes for each byte",
            Verdict(result["conventional", 64][2] == 16 * result["conventional", 4][2]),
            "write amplification of collection is given as 5",
        ),
    ]
    return Part(
        "Mapping units at one petabyte",
        "Writes of 4 KiB, 256 outstanding; 64 cores, 256 GB of memory. A smaller write reads its unit and writes it anew.",
        Figure(
            "A larger unit saves memory and costs endurance",
            lines(
                rows,
                ("unit (KiB)", "mapping unit (KiB)"),
                ("requests per second", "requests per second"),
                "design",
            ),
            rows,
        ),
        claims,
    )


def local_memory(quick: bool) -> Part:
    """Trees in the memory of the local controllers."""
    found = {}
    for mib in MEMORIES:
        for depth in (1, 32):
            one = drive(
                "fscale",
                128,
                **load(0, depth),
                **{"local.look_up": "btree", "local.memory": f"{mib} MiB"},
            )
            found[mib, depth] = (one.outlook()["node_reads"], iops(one, quick))
    conventional = {
        depth: iops(drive("conventional", 128, **load(0, depth)), quick) for depth in (1, 32)
    }
    rows: list[Row] = [
        {
            "MiB": mib,
            "queue depth": str(depth),
            "nodes read": nodes,
            "requests per second": speed,
            "of conventional": speed / conventional[depth],
        }
        for (mib, depth), (nodes, speed) in found.items()
    ]
    claims = [
        Claim(
            "With 4 MB a look-up reads two nodes, with 5 MB one, as all inner nodes of sixteen dies fit",
            HERE,
            f"{found[0, 1][0]}, {found[4, 1][0]} and {found[5, 1][0]} nodes with 0, 4 and 5 MiB",
            Verdict.of_cases([found[0, 1][0] == 3, found[4, 1][0] == 2, found[5, 1][0] == 1]),
        ),
        Claim(
            "Trees in memory remove most of what FScale loses at queue depth 1",
            HERE,
            f"{found[0, 1][1] / conventional[1]:.2f} times the conventional drive with 0 MiB, {found[5, 1][1] / conventional[1]:.2f} times with 5 MiB",
            Verdict(conventional[1] - found[5, 1][1] < 0.5 * (conventional[1] - found[0, 1][1])),
        ),
    ]
    return Part(
        "Memory of the local controllers",
        "128 TB, only reads. Whole levels of the trees of sixteen dies stay in memory from the root down; nodes of 4 KiB are filled to 70 %.",
        Figure(
            "A little memory shortens every look-up",
            lines(
                rows,
                ("MiB", "memory of a local controller (MiB)"),
                ("of conventional", "throughput, of conventional"),
                "queue depth",
                log=False,
            ),
            rows,
        ),
        claims,
    )


def power(quick: bool) -> Part:
    """What the local controllers take."""
    del quick
    rows: list[Row] = []
    shares = {}
    for tb in LARGE:
        for mib in (1, 4):
            one = drive("fscale", tb, **load(0.5), **{"local.memory": f"{mib} MiB"})
            watts = one.power(bound(one))
            shares[tb, mib] = watts["local_memory"] / watts["local"]
            rows.append(
                {
                    "TB": tb,
                    "memory": f"{mib} MiB",
                    "local controllers (W)": watts["local"],
                    "of it memory (W)": watts["local_memory"],
                    "codecs of packages (W)": watts["mini_ecc"],
                    "channels (W)": watts["channels"],
                    "dies (W)": watts["dies"],
                    "all (W)": watts["total"],
                    "µJ for each request": 1e6 * watts["joules_per_operation"],
                }
            )
    claims = [
        Claim(
            "Leakage of their memory, not their cores, is most of what local controllers with 4 MB take",
            HERE,
            f"{100 * shares[128, 4]:.0f} % at 128 TB; with 1 MB {100 * shares[128, 1]:.0f} %",
            Verdict.of_cases([shares[tb, 4] > 0.5 for tb in LARGE]),
            "energies are assumed",
        ),
    ]
    return Part(
        "Power of the local controllers",
        "50 % writes, 32 outstanding, at the throughput of the closed forms. The source does not evaluate power; all energies are assumed.",
        Figure(
            "Local controllers with 4 MB take watts, most of it for memory",
            lines(rows, CAPACITY, ("local controllers (W)", "local controllers (W)"), "memory"),
            rows,
        ),
        claims,
    )
