"""Loads on a part of the drive: jobs with a file each, and files of client drives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..drives import Entry
from ..measured import Conditions
from .common import NEW, Asked, Point, Settings, asked, at_random, loop, workload
from .sheet import span

JOBS = re.compile(
    r"4 KiB random (read|write)s, (\d+) jobs of depth (\d+), each on its own (\d+) GB"
)
FILE = re.compile(r"(\d+) GB file")
AT_NINETY = "random read latency p95 at 90 % of that rate"
RANDOM = "random read 4 KiB"


def jobs(drive: Entry, conditions: Conditions) -> Iterator[Point]:
    """Jobs with a file of their own on a drive that is full, and not steady."""
    for condition in conditions:
        if not (found := JOBS.match(condition)):
            continue
        kind, number, depth, size = found[1], int(found[2]), int(found[3]), int(found[4])
        share = number * size * 1e9 / drive.parts.user_bytes
        if not 0 < share <= 1 or not depth:
            continue
        run = loop("random", float(kind == "read"), "4 KiB", number * depth, 300_000)
        settings = {
            **NEW,
            **workload(run | {"region": round(share, 5)}),
            "run.warm_up": "100000 requests",
        }
        keys = {
            f"{kind} IOPS achieved": f"host.{kind}.iops",
            f"{kind} latency mean": f"host.{kind}.latency.mean_us",
        }
        answers = asked(conditions, condition, keys)
        yield Point(f"{kind} jobs", f"{kind}s, {number} jobs", False, settings, answers)


def files(drive: Entry, conditions: Conditions) -> Iterator[Point]:
    """A file on a client drive that was trimmed before: reads and writes of it in the SLC cache."""
    for condition, figures in conditions.items():
        if not (found := FILE.match(condition)):
            continue
        share = round(int(found[1]) * 1e9 / drive.parts.user_bytes, 5)
        if not 0 < share <= 1:
            continue
        loads: Mapping[str, tuple[Settings, str]] = {
            RANDOM: (loop("random", 1.0, "4 KiB", 2048, 400_000), "host.read.iops"),
            "random write 4 KiB": (loop("random", 0.0, "4 KiB", 2048, 400_000), "host.write.iops"),
            # eight requests of 128 MiB, which the host splits (assumed)
            "sequential read": (
                loop("sequential", 1.0, "1 MiB", 64, 6_000),
                "host.read.bandwidth_mb_s",
            ),
            "sequential write": (
                loop("sequential", 0.0, "1 MiB", 64, 6_000),
                "host.write.bandwidth_mb_s",
            ),
        }
        for name in figures:
            if name in loads:
                run, key = loads[name]
                settings = workload(run | {"region": share})
                settings["run.warm_up"] = f"{int(run['requests']) // 4} requests"
                answers: dict[Asked, str] = {(condition, name): key}
                yield Point(
                    "sheet", f"{name}, a file", False, settings, answers, before=span(drive, share)
                )


def at_ninety(drive: Entry, conditions: Conditions, rate: float) -> Iterator[Point]:
    """Random reads of the file at nine tenths of the rate that the drive reaches."""
    for condition, figures in conditions.items():
        if AT_NINETY in figures:
            share = round(16e9 / drive.parts.user_bytes, 5)
            seconds = round(400_000 / rate, 3)
            settings = workload(at_random(0.9 * rate, 1.0, seconds, 1, region=share))
            settings["run.warm_up"] = f"{seconds / 4:.3f} s"
            answers = {(condition, AT_NINETY): "host.read.latency.p95_us"}
            yield Point(
                "lone", "reads at 90 %", False, settings, answers, before=span(drive, share)
            )
