"""Random reads by size and depth, and lone reads beside random writes, of a client drive that is full."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..measured import Conditions
from .common import Point, Settings, asked, at_random, client, latencies, loop, workload

DEPTH = re.compile(
    r"(\d+)k random reads depth (\d+), whole drive, after sequential and random fill"
)
BESIDE = re.compile(
    r"4 KiB random read, one outstanding over 8 drives, while (\d+) jobs .*\((\d+) writes/s a drive\)"
)
FULL: Settings = {"age.method": "steady_state", "age.fill": 1.0}
"""A drive that was filled in order, then at random for long enough (assumed)."""
OF_THE_CORE = 373_000
"""Reads a second that the host's one core sends."""
SECONDS = 1.0


def by_depth(conditions: Conditions) -> Iterator[Point]:
    """Random reads in a closed loop; saturated where the core that sends them is, or the drive."""
    for condition in conditions:
        if not (found := DEPTH.match(condition)):
            continue
        size, depth = int(found[1]), int(found[2])
        run = loop("random", 1.0, f"{size} KiB", depth, 60_000 if size < 64 else 20_000)
        settings = {**FULL, **workload(run), "run.warm_up": "5000 requests"}
        keys = {"read IOPS achieved": "host.read.iops", **latencies("host")}
        # from there on twice the depth brings nothing
        held = depth <= {4: 32, 16: 32}.get(size, 8)
        label = f"{size} KiB, depth {depth}"
        kind = "reads by depth" if held else "reads by depth, saturated"
        yield Point(kind, label, held, settings, asked(conditions, condition, keys))


def beside_writes(conditions: Conditions) -> Iterator[Point]:
    """A lone read of a drive while writes are offered at random places."""
    for condition in conditions:
        if not (found := BESIDE.match(condition)):
            continue
        rate = int(found[2])
        answers = asked(conditions, condition, latencies("tenants.reader" if rate else "host"))
        if rate:
            reads = loop("random", 1.0, "4 KiB", 1, 1_000_000)
            tenants = {
                "reader": client(reads),
                "writer": client(at_random(rate, 0.0, SECONDS, 2)),
            }
            tenants["reader"]["workload"]["requests"] = int(4_000 * SECONDS)
            settings = {**FULL, "tenants": tenants, "run.warm_up": "0.1 s"}
        else:
            settings = {**FULL, **workload(loop("random", 1.0, "4 KiB", 1, 20_000))}
        label = f"beside {rate:,} writes/s"
        yield Point("reads beside writes", label, False, settings, answers, rate=rate)
