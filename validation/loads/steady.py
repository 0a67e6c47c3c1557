"""Drives that are overwritten for long: steady writes by skew, amplification, the write cliff, the end of an SLC cache."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..drives import Entry, small
from ..measured import Conditions
from .common import NEW, Asked, Point, Settings, loop, workload

WRITES = "host.write.iops"
SKEWED = re.compile(
    r"random write 4 KiB, (?:zipf ([\d.]+)|(\d+) % of writes to (\d+) % of the drive)"
)
OVERWRITES = 3
"""How often the drive is written over after its fill, "several" in the table."""
CLIFF = re.compile(r"4 KiB uniform, depth 128 x 4, .*; (\d+)-(\d+) s$")


def skewed(drive: Entry, conditions: Conditions) -> Iterator[Point]:
    """Writes with skew, four threads of depth 128, from a drive that was filled in order."""
    by_load: dict[str, tuple[Settings, dict[Asked, str]]] = {}
    for condition, figures in conditions.items():
        for name in figures:
            if not (found := SKEWED.match(name)):
                continue
            load = found[0].removeprefix("random write 4 KiB, ")
            settings: Settings = (
                {"kind": "zipf", "theta": float(found[1])}
                if found[1]
                else {
                    "kind": "hot_cold",
                    "hot_requests": int(found[2]) / 100,
                    "hot_space": int(found[3]) / 100,
                }
            )
            part = "0:0.1" if "first tenth" in name else "0.8:1"
            answers = by_load.setdefault(load, (settings, {}))[1]
            answers[condition, name] = f"writes_share:{part}"
    fewer, _ = small(drive)
    for load, (settings, answers) in by_load.items():
        run = {**loop("random", 0.0, "4 KiB", 512, requests(drive)), **settings}
        yield Point("steady", load, False, {**fewer, **NEW, **workload(run)}, answers)


def requests(drive: Entry) -> int:
    """Writes of 4 KiB that go over the small drive several times."""
    _, share = small(drive)
    return int(OVERWRITES * share * drive.parts.user_bytes / 4096)


JOB = """[global]
filename=/dev/nvme0n1
direct=1
ioengine=libaio
bs=4k
rw=randwrite
norandommap=1
time_based

[writers]
numjobs=4
iodepth=128
runtime={time:.0f}ms
"""


def cliff(drive: Entry, conditions: Conditions) -> Iterator[Point]:
    """Uniform writes to a drive that was filled in order, by time, which passes as much sooner as the drive is smaller."""
    answers: dict[Asked, str] = {}
    fewer, share = small(drive)
    last = 0.0
    for condition, figures in conditions.items():
        if found := CLIFF.search(condition):
            begin, end = share * int(found[1]), share * int(found[2])
            last = max(last, end)
            for name in figures:
                if name.endswith("write cliff"):
                    answers[condition, name] = f"writes_during:{begin:.4f}:{end:.4f}"
    if answers:
        yield Point(
            "cliff",
            "after a fill in order",
            False,
            {**fewer, **NEW},
            answers,
            JOB.format(time=1000 * last),
        )


def amplification(conditions: Conditions) -> Iterator[Point]:
    """Write amplification of uniform random writes to a full drive."""
    name = "write amplification steady"
    for condition, figures in conditions.items():
        if name in figures:
            settings = workload(loop("random", 0.0, "4 KiB", 128, 300_000))
            settings["run.warm_up"] = "75000 requests"
            answers = {(condition, name): "ftl.write_amplification"}
            yield Point("amplification", name, False, settings, answers)


CACHE = {
    "write cliff, speed before": "cliff:before",
    "write cliff, speed after": "cliff:after",
    "sequential write after cache": "cliff:after",
}
LONG = 0.25
"""The share of the drive that is written to see the end of its SLC cache."""


def cache_end(drive: Entry, conditions: Conditions) -> Iterator[Point]:
    """Writes in order to an empty drive, beyond its SLC cache."""
    answers: dict[Asked, str] = {}
    for condition, figures in conditions.items():
        for name in figures:
            if name in CACHE:
                answers[condition, name] = CACHE[name]
            elif name == "write cliff, bytes until":
                answers[condition, name] = f"cliff:at:{drive.share:.6f}"
    if answers:
        number = int(LONG * drive.parts.user_bytes * drive.share / 2**20)
        settings = workload(loop("sequential", 0.0, "1 MiB", 8, number))
        yield Point("cache", "1 MiB in order, an empty drive", False, settings, answers)
