"""A drive with zones: random reads beside appends in one closed loop, and beside writes in sequence at a rate."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..measured import Conditions
from .common import Point, Settings, asked, client, latencies, loop

KNEE = 1.2
"""A closed loop counts as saturated where twice the depth brings less than this many times the requests a second."""
LAST = 0.99
"""Writes at a given rate count as saturated where a smaller share of them is achieved."""
SIZE = 4096
BUFFER = 3 << 20
"""Bytes that a run which begins with an empty buffer writes before it is measured: more than the buffer holds."""
FILLED = 0.75
"""The share of a drive with zones that is written before (`age.fill`), which is read."""

MIX = re.compile(r"4 KiB, (\d+) % random reads / \d+ % zone appends, depth (\d+)")
SHARES = (50, 75, 90, 100)
"""Shares of reads in percent; 95 and 99 lie between 90 and 100 in everything."""
DEPTHS = (1, 2, 4, 8, 16, 32, 64)
"""Twice as many are saturated, or nearly so, with each share."""


def mixes(conditions: Conditions) -> Iterator[Point]:
    """Random reads and zone appends in one closed loop.

    Where appends go does not matter to a drive that writes wherever there is room and moves nothing: they are writes at random places here.
    """
    rates = {
        (int(found[1]), int(found[2])): total(measured)
        for condition, measured in conditions.items()
        if (found := MIX.match(condition))
    }
    for condition, measured in conditions.items():
        if not (found := MIX.match(condition)):
            continue
        share, depth = int(found[1]), int(found[2])
        if share not in SHARES or depth not in DEPTHS:
            continue
        rate = total(measured)
        writes = 1 - share / 100
        warm_up = max(5_000, math.ceil(BUFFER / SIZE / writes)) if writes else 2_000
        requests = warm_up + max(100_000, int(rate))
        settings = {
            f"workload.{key}": value
            for key, value in {
                **loop("random", share / 100, "4 KiB", depth, requests),
                "region": FILLED,
            }.items()
        }
        settings["run.warm_up"] = f"{warm_up} requests"
        figures = {
            "read IOPS achieved": "host.read.iops",
            "write IOPS achieved": "host.write.iops",
            **latencies("host"),
        }
        held = depth == 1 or rate >= KNEE * rates.get((share, depth // 2), 0.0)
        answers = asked(conditions, condition, figures)
        yield Point("mix", f"{share} % reads, depth {depth}", held, settings, answers)


def total(measured: Mapping[str, Any]) -> float:
    """Requests a second, of all kinds."""
    return sum(
        float(measured[name].value or 0.0)
        for name in ("read IOPS achieved", "write IOPS achieved")
        if name in measured
    )


BESIDE = re.compile(r"4 KiB random reads depth (\d+) over .* are offered at (\d+) MB/s")
WRITES = (
    "128 KiB sequential zone writes depth 1 offered at {} MB/s beside 4 KiB random reads depth {}"
)
BESIDE_DEPTHS = (1, 8, 32)


def beside(conditions: Conditions) -> Iterator[Point]:
    """Random reads in a closed loop beside writes in sequence at a rate, which the source counts in MiB."""
    reads = {
        (int(found[2]), int(found[1])): measured["read IOPS achieved"].value or 0.0
        for condition, measured in conditions.items()
        if (found := BESIDE.match(condition)) and "read IOPS achieved" in measured
    }
    for condition in conditions:
        if not (found := BESIDE.match(condition)):
            continue
        depth, rate = int(found[1]), int(found[2])
        if depth not in BESIDE_DEPTHS or not reads.get((rate, depth)):
            continue
        achieved = conditions.get(WRITES.format(rate, depth), {}).get("sequential write achieved")
        warm_up = max(0.2, BUFFER / (rate * 2**20)) if rate else 0.1
        seconds = warm_up + (2.5 if 0 < rate <= 50 else 1.0)
        size = 128 << 10
        reader = loop("random", 1.0, "4 KiB", depth, int(seconds * reads[rate, depth]))
        settings: Settings = {"run.warm_up": f"{warm_up:.3f} s"}
        if rate:
            writer = client(
                {
                    "kind": "sequential",
                    "read_fraction": 0.0,
                    "request_size": "128 KiB",
                    "interarrival": f"{1e9 * size / (rate * 2**20):.0f} ns",
                    "duration": f"{seconds} s",
                },
                space=[FILLED, 1.0],
            )
            settings["tenants"] = {"reader": client(reader, space=[0.0, FILLED]), "writer": writer}
        else:
            settings |= {f"workload.{key}": value for key, value in reader.items()}
            settings["workload.region"] = FILLED
        held = achieved is None or (achieved.value or 0.0) >= LAST * rate * 2**20 / 1e6
        smaller = [each for each in BESIDE_DEPTHS if each < depth and (rate, each) in reads]
        if smaller:
            doublings = math.log2(depth / smaller[-1])
            held &= reads[rate, depth] >= KNEE**doublings * reads[rate, smaller[-1]]
        figures = {
            "read IOPS achieved": "host.read.iops",
            **latencies("tenants.reader" if rate else "host"),
        }
        label = f"{rate:,} MB/s of writes, reads of depth {depth}"
        yield Point("beside", label, held, settings, asked(conditions, condition, figures))
