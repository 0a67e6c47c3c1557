"""The table in other memories, and smaller tables (section 13.3 of the specification)."""

from __future__ import annotations

from collections.abc import Mapping

from wordline.report.section import Figure, Row
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict
from wordline_fscale.drives import LargeDrive
from wordline_fscale.study.common import (
    CAPACITIES,
    HERE,
    drive,
    iops,
    lines,
    load,
    shown,
    today,
)

CAPACITY = ("TB", "capacity (TB)")
LARGE = (*CAPACITIES, 256, 512, 1024)
DRAM = {"memory": "dram", "size": "8 GiB"}
TABLES: Mapping[str, list[dict[str, str]]] = {
    "DRAM holds all": [{"memory": "dram", "size": "1 TiB"}],
    "DRAM, CXL": [DRAM, {"memory": "cxl", "size": "1 TiB"}],
    "DRAM, host memory": [DRAM, {"memory": "host", "size": "1 TiB"}],
    "DRAM, host memory withdrawn": [DRAM, {"memory": "host", "size": "0 B"}],
}
"""Memories of the table; what they do not hold is on flash."""
DEPTHS = (1, 8, 32, 128, 512)
WRONG = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)
"""Probabilities that a learned table names the wrong page."""


def placed(table: str, writes: float, depth: int, **keys: object) -> LargeDrive:
    """A drive of 128 TB whose table is in some memories."""
    return today(
        "conventional", 128, **load(writes, depth), **{"table.tiers": TABLES[table], **keys}
    )


def memories(quick: bool) -> Part:
    """Throughput by memory of the table."""
    found = {
        (table, writes, depth): iops(placed(table, writes, depth), quick)
        for table in TABLES
        for writes in (0.0, 1.0)
        for depth in DEPTHS
    }
    local = {key: value / found["DRAM holds all", key[1], key[2]] for key, value in found.items()}
    rows: list[Row] = [
        {
            "queue depth": depth,
            "table": table,
            "requests": "writes" if writes else "reads",
            "requests per second": value,
            "of DRAM for all": local[table, writes, depth],
        }
        for (table, writes, depth), value in found.items()
    ]
    far = ("DRAM, CXL", "DRAM, host memory")
    claims = [
        Claim(
            "Writes with the table behind a CXL link or in host memory are within 3 % of those with local memory",
            HERE,
            f"host memory: {shown([local[far[1], 1.0, depth] for depth in DEPTHS], 3)} times",
            Verdict.of_cases(
                [local[table, 1.0, depth] > 0.97 for table in far for depth in DEPTHS]
            ),
            "the direction of Wang et al. (2024)",
        ),
        Claim(
            "Reads lose visibly, 3 % or more, with the table behind a CXL link or in host memory",
            HERE,
            f"CXL {shown([local[far[0], 0.0, depth] for depth in DEPTHS], 3)}, host memory {shown([local[far[1], 0.0, depth] for depth in DEPTHS], 3)} times",
            Verdict.of_cases(
                [local[table, 0.0, depth] < 0.97 for table in far for depth in DEPTHS]
            ),
            "the direction of Wang et al. (2024), whose drive has flash that is several times faster: a read of 50 us hides 1 us",
        ),
        Claim(
            "When the host withdraws its memory, reads one at a time take half as long again or more",
            HERE,
            f"{local['DRAM, host memory withdrawn', 0.0, 1]:.2f} times the throughput",
            Verdict(local["DRAM, host memory withdrawn", 0.0, 1] < 1 / 1.5),
        ),
    ]
    return Part(
        "The table in other memories",
        "A conventional drive of 128 TB with a controller of today, a table of 144 GB: all of it in local memory, or 8 GB there and the rest behind a CXL link (250 ns), "
        "in memory of the host (1 us, over the line that data cross), or, when the host withdraws it, on flash. All times are assumed.",
        Figure(
            "Only flash is far away",
            lines(
                [row for row in rows if row["requests"] == "reads"],
                ("queue depth", "queue depth"),
                ("of DRAM for all", "reads, of local memory for all"),
                "table",
            ),
            rows,
        ),
        claims,
    )


def link(quick: bool) -> Part:
    """Look-ups in host memory and data on one line."""
    del quick
    sizes = (512, 1024, 2048, 4096)
    found = {}
    for size in sizes:
        for table in ("DRAM holds all", "DRAM, host memory"):
            one = placed(table, 0.0, 4096, **{"workload.host_bytes": f"{size} B"})
            limits = {limit["unit"]: limit["iops_bound"] for limit in one.outlook()["limits"]}
            found[size, table] = limits["host"]
    memory = placed("DRAM, host memory", 0.0, 4096).outlook()
    of_memory = next(row["iops_bound"] for row in memory["limits"] if row["unit"] == "host_memory")
    share = 1 - 8 / 144
    rows: list[Row] = [
        {
            "bytes read": size,
            "table": table,
            "million requests per second": value / 1e6,
            "million look-ups on the line": value * (share if "host" in table else 0) / 1e6,
        }
        for (size, table), value in found.items()
    ]
    loss = [1 - found[size, "DRAM, host memory"] / found[size, "DRAM holds all"] for size in sizes]
    claims = [
        Claim(
            "Look-ups of 64 bytes take less than 3 % of a line that carries pages of 4 KiB",
            HERE,
            f"{shown([100 * value for value in loss], 1)} % with reads of 512 to 4,096 bytes",
            Verdict(loss[-1] < 0.03),
        ),
        Claim(
            "The line, not the accesses at once, limits reads whose entries are in host memory: 64 in flight of 1 us are enough",
            HERE,
            f"{of_memory / 1e6:.0f} million requests a second against {found[512, 'DRAM, host memory'] / 1e6:.0f} million of the line with reads of 512 bytes",
            Verdict(of_memory > found[512, "DRAM, host memory"]),
        ),
    ]
    return Part(
        "When look-ups fill the line",
        "The same drive with its line of 14 GB/s: reads a second at which it is full. A look-up in host memory sends 64 bytes and 24 bytes of headers.",
        Figure(
            "Look-ups take little of the line",
            lines(
                rows,
                ("bytes read", "bytes of a read"),
                ("million requests per second", "million requests per second"),
                "table",
            ),
            rows,
        ),
        claims,
    )


def learned(quick: bool) -> Part:
    """Learned tables: smaller, and sometimes wrong."""
    keys: dict[str, object] = {"workload.queue_depth": 32, "dram.size": "8 GiB"}
    plain = {tb: iops(today("conventional", tb, **keys), quick) for tb in (16, 128)}
    found = {
        (tb, wrong): iops(
            today(
                "conventional",
                tb,
                **keys,
                **{"table.compression": 2.9, "table.misprediction": wrong},
            ),
            quick,
        )
        / plain[tb]
        for tb in (16, 128)
        for wrong in WRONG
    }
    rows: list[Row] = [
        {"misprediction": wrong, "capacity": f"{tb} TB", "of a plain table": value}
        for (tb, wrong), value in found.items()
    ]
    claims = [
        Claim(
            "A table that is 2.9 times smaller and never wrong is faster",
            HERE,
            f"{found[16, 0.0]:.2f} times at 16 TB, {found[128, 0.0]:.2f} times at 128 TB",
            Verdict.of_cases([found[tb, 0.0] > 1.01 for tb in (16, 128)]),
            "LeaFTL (2023) reports tables that are 2.9 times smaller on average",
        ),
        Claim(
            "At 128 TB it is no longer faster when it is wrong as often as it saves misses",
            HERE,
            f"5, 10, 20 %: {shown([found[128, wrong] for wrong in (0.05, 0.1, 0.2)], 3)} times",
            Verdict(found[128, 0.2] < 1.0),
        ),
    ]
    return Part(
        "Learned tables",
        "Reads, 32 outstanding, a controller of today with 8 GB of memory. A learned table is 2.9 times smaller; a wrong page costs one more read of flash.",
        Figure(
            "What a wrong page costs",
            lines(
                rows,
                ("misprediction", "probability of a wrong page"),
                ("of a plain table", "throughput, of a plain table"),
                "capacity",
                log=False,
            ),
            rows,
        ),
        claims,
    )


def recovery(quick: bool) -> Part:
    """How long it takes to find the table again, or to do without a package."""
    del quick
    found = {tb: drive("conventional", tb).outlook()["recovery"] for tb in LARGE}
    rows: list[Row] = [
        {
            "TB": tb,
            "what": what,
            "minutes": found[tb][key] / 60,
            "spare flash without a package (%)": 100 * found[tb]["over_provisioning_left"],
        }
        for tb in LARGE
        for what, key in (
            ("scan of all spare areas", "scan_seconds"),
            ("table from flash", "table_seconds"),
            ("rebuild of a package", "rebuild_seconds"),
        )
    ]
    claims = [
        Claim(
            "From 128 TB a table that is lost with the host's memory takes minutes to find again",
            HERE,
            f"{shown([found[tb]['scan_seconds'] / 60 for tb in (8, 128, 1024)], 1)} minutes at 8, 128 and 1024 TB",
            Verdict.of_cases([found[tb]["scan_seconds"] > 60 for tb in (128, 256, 512, 1024)]),
        ),
        Claim(
            "Where a local controller fails the drive keeps its capacity: the spare flash holds what its package held",
            HERE,
            f"{shown([100 * found[tb]['over_provisioning_left'] for tb in LARGE], 1)} % left of 12 %",
            Verdict.of_cases([found[tb]["over_provisioning_left"] > 0 for tb in LARGE]),
        ),
    ]
    return Part(
        "Recovery",
        "With nothing else to do. A scan reads the spare area of every page, 64 bytes. A package is computed from the 15 others of its parity stripes, whose data cross the channels. Dies have 32 GiB up to 128 TB, 128 GiB above.",
        Figure(
            "The larger the drive, the longer the scan",
            lines(rows, CAPACITY, ("minutes", "minutes"), "what"),
            rows,
        ),
        claims,
    )
