"""Aerospike's ACT: reads of 1.5 kB at a rate beside reads and writes of 128 KiB, and which share of them is slow."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..drives import Entry
from ..measured import Conditions
from .common import Point, client

ACT = re.compile(
    r"(\d+) random reads of 1\.5 kB/s beside (\d+) writes and (\d+) reads of 128 KiB/s .*?; (?:no spare space added|([\d.]+) GiB used)"
)
SHARE = re.compile(r"share of reads below (\d+) us")
SECONDS, WARM_UP = 6.0, 1.0


def act(drive: Entry, conditions: Conditions) -> Iterator[Point]:
    """Arrivals are at random (assumed)."""
    for condition, figures in conditions.items():
        if not (found := ACT.match(condition)):
            continue
        reads, writes, large = (int(found[i]) for i in (1, 2, 3))
        if not (reads and writes and large):
            continue
        fill = min(1.0, float(found[4]) * 2**30 / drive.parts.user_bytes) if found[4] else 1.0
        answers = {
            (condition, name): f"share_below:{limit[1]}:3"
            for name in figures
            if (limit := SHARE.match(name))
        }
        tenants = {
            name: client(
                {
                    "kind": "random",
                    "read_fraction": share,
                    "request_size": size,
                    "interarrival": f"{1e9 / rate:.0f} ns",
                    "arrival": "poisson",
                    "duration": f"{SECONDS} s",
                    "region": round(fill, 4),
                    "seed": seed,
                }
            )
            for seed, (name, share, size, rate) in enumerate(
                (
                    ("watched", 1.0, "1.5 KiB", reads),
                    ("writer", 0.0, "128 KiB", writes),
                    ("reader", 1.0, "128 KiB", large),
                ),
                1,
            )
        }
        settings = {
            "tenants": tenants,
            "age.fill": round(fill, 4),
            "output.request_log": int(SECONDS * (reads + writes + large) * 1.1),
            "run.warm_up": f"{WARM_UP} s",
        }
        used = f", {found[4]} GiB used" if found[4] else ""
        yield Point("histogram", f"{reads:,} reads/s{used}", False, settings, answers)
