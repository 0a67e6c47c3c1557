"""Mapping units, writes and memory of one petabyte (section 13.2 of the specification)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from wordline.report.section import Figure, Row
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict
from wordline_fscale.study.common import GB, HERE, lines, load, shown, today, unit

UNITS = (4, 16, 32, 64)
"""Mapping units in KiB."""
WRITES = (4, 16, 64)
"""Writes of the host in KiB."""
RATIOS = (1000, 4000, 8000, 16000)
"""Bytes of capacity for each byte of memory."""
WINDOWS = (0, 256, 1024, 4096, 16384)
"""Mapping units whose parts gather before they are programmed."""


@dataclass(frozen=True)
class Choice:
    """A design of one petabyte under writes of one size."""

    unit: int
    write: int
    ratio: int
    rate: float
    """MB of the host per second."""
    memory: float
    """GB of memory."""
    endurance: float
    """PB that the host can write."""
    watts: float

    def better(self, other: Choice) -> bool:
        """Whether it is nowhere worse than another, and better somewhere."""
        mine = (self.rate, -self.memory, self.endurance, -self.watts)
        theirs = (other.rate, -other.memory, other.endurance, -other.watts)
        return all(a >= b for a, b in zip(mine, theirs, strict=True)) and mine != theirs


def choice(kib: int, write: int, ratio: int) -> Choice:
    """A conventional drive of one petabyte. A write larger than the unit is several operations."""
    one = today(
        "conventional",
        1024,
        **load(1.0, 256 * max(1, write // kib)),
        **unit(kib),
        **{
            "workload.host_bytes": f"{min(kib, write)} KiB",
            "dram.size": f"{2**50 // ratio} B",
        },
    )
    outlook = one.outlook()
    return Choice(
        kib,
        write,
        ratio,
        outlook["iops_bound"] * min(kib, write) * 1024 / 1e6,
        2**50 / ratio / GB,
        outlook["endurance_bytes"] / 2**50,
        one.power(outlook["iops_bound"])["total"],
    )


def pareto(quick: bool) -> Part:
    """Which choices no other one is better than."""
    del quick
    all_ = [choice(unit, write, ratio) for write in WRITES for unit in UNITS for ratio in RATIOS]
    best = {
        (c.write, c.unit, c.ratio): not any(o.better(c) for o in all_ if o.write == c.write)
        for c in all_
    }
    at = {(c.write, c.unit, c.ratio): c for c in all_}
    rows: list[Row] = [
        {
            "writes (KiB)": c.write,
            "unit": f"{c.unit} KiB",
            "memory (GB)": c.memory,
            "host writes (MB/s)": c.rate,
            "can be written (PB)": c.endurance,
            "power (W)": c.watts,
            "no other is better": "yes" if best[c.write, c.unit, c.ratio] else "no",
        }
        for c in all_
    ]
    claims = [
        Claim(
            "With writes of 4 KiB a larger unit costs endurance in proportion",
            HERE,
            f"1 : 1000: {shown([at[4, unit, 1000].endurance for unit in UNITS], 0)} PB",
            Verdict.of_cases(
                [
                    abs(at[4, 4, ratio].endurance / at[4, unit, ratio].endurance - unit / 4) < 0.01
                    for unit in UNITS
                    for ratio in RATIOS
                ]
            ),
        ),
        Claim(
            "With writes of 4 KiB a larger unit is slower, although more of its table fits",
            HERE,
            f"1 : 16000: {shown([at[4, unit, 16000].rate for unit in UNITS], 0)} MB/s",
            Verdict.of_cases(
                [
                    at[4, b, ratio].rate < at[4, a, ratio].rate
                    for a, b in pairwise(UNITS)
                    for ratio in RATIOS
                ]
            ),
            "as drives that are sold: 38,000 writes a second with 61 TB, 25,000 with 122 TB and a larger unit",
        ),
        Claim(
            "With writes of 64 KiB larger units are faster, and lose no endurance",
            HERE,
            f"1 : 4000: {shown([at[64, unit, 4000].rate for unit in UNITS], 0)} MB/s",
            Verdict.of_cases(
                [
                    at[64, b, ratio].rate > at[64, a, ratio].rate
                    and at[64, b, ratio].endurance == at[64, a, ratio].endurance
                    for a, b in pairwise(UNITS)
                    for ratio in RATIOS
                ]
            ),
        ),
        Claim(
            "With writes as large as the unit a sixteenth of the usual memory costs less than a tenth of the throughput",
            HERE,
            f"64 KiB, 1 : 1000 to 1 : 16000: {shown([at[64, 64, ratio].rate for ratio in RATIOS], 0)} MB/s",
            Verdict.of_cases([at[w, w, 16000].rate >= 0.9 * at[w, w, 1000].rate for w in (16, 64)]),
        ),
    ]
    return Part(
        "Units, writes and memory of one petabyte",
        "A conventional drive of 1 PB with a controller of today, only writes, 256 requests outstanding, from closed forms. A write smaller than the unit reads and "
        "rewrites it; a larger one is several operations. Endurance is that of 3,000 erases. The best choices are those than which no other is at least as "
        "good in throughput, memory, endurance and power, and better in one.",
        Figure(
            "A larger unit pays where writes are as large",
            lines(
                [row for row in rows if row["writes (KiB)"] == 4],
                ("memory (GB)", "memory (GB)"),
                ("host writes (MB/s)", "writes of 4 KiB (MB/s)"),
                "unit",
            ),
            rows,
        ),
        claims,
    )


def gathering(quick: bool) -> Part:
    """Parts of units that gather in a buffer."""
    del quick
    found = {}
    for hot in (0.0, 0.9):
        for window in WINDOWS:
            one = today(
                "conventional",
                1024,
                **load(1.0, 256),
                **unit(16),
                **{
                    "workload.host_bytes": "4 KiB",
                    "dram.size": "256 GiB",
                    "host.buffer": "1 GiB",
                    "workload.coalesce_window": window,
                    # 20,000 units take nine tenths of the writes
                    "workload.hot_pages": 20_000 / 2**36 if hot else 0.0,
                    "workload.hot_accesses": hot,
                },
            )
            outlook = one.outlook()
            found[hot, window] = (outlook["iops_bound"], outlook["waf_total"])
    rows: list[Row] = [
        {
            "units that gather": window,
            "addresses": "nine tenths to 20,000 units" if hot else "uniform",
            "requests per second": speed,
            "bytes programmed for each byte": waf,
        }
        for (hot, window), (speed, waf) in found.items()
    ]
    most = WINDOWS[-1]
    claims = [
        Claim(
            "Where addresses are uniform over a petabyte, gathering parts of units saves nothing",
            HERE,
            f"{found[0.0, 0][1]:.2f} and {found[0.0, most][1]:.2f} bytes programmed for each byte",
            Verdict(found[0.0, most][1] > 0.99 * found[0.0, 0][1]),
        ),
        Claim(
            "Where most writes go to few units, a buffer of 256 MiB saves half of the programs",
            HERE,
            f"{found[0.9, 0][1]:.1f} and {found[0.9, most][1]:.1f} bytes programmed for each byte",
            Verdict(found[0.9, most][1] < 0.5 * found[0.9, 0][1]),
        ),
    ]
    return Part(
        "Parts of units that gather",
        "The drive of before with units of 16 KiB, writes of 4 KiB, and a write buffer that survives a loss of power and holds the parts of so many units.",
        Figure(
            "A buffer helps as far as writes come back",
            lines(
                rows,
                ("units that gather", "mapping units that gather"),
                ("bytes programmed for each byte", "bytes programmed for each byte"),
                "addresses",
                log=False,
            ),
            rows,
        ),
        claims,
    )
