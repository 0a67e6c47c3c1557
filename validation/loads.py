"""Load points: what the host does in a measurement, as settings of a run.

Each is recognised by the condition that the table of measurements gives, so that no figure of it is repeated here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .measured import Conditions

KNEE = 1.2
"""A closed loop counts as saturated where twice the depth brings less than this many times the requests a second."""
LAST = 0.99
"""Writes at a given rate count as saturated where a smaller share of them is achieved."""
SIZE = 4096
BUFFER = 3 << 20
"""Bytes that a run which begins with an empty buffer writes before it is measured: more than the buffer holds."""
FILLED = 0.75
"""The share of a drive with zones that is written before (`age.fill`), which is read."""

Settings = dict[str, Any]
NEW: Settings = {"age.method": "overwritten", "age.random_factor": 0.0, "age.fill": 1.0}
"""A drive that was written once, in order."""
FEW: Settings = {"geometry.blocks_per_plane": 64}
"""Enough where nothing is collected."""


@dataclass(frozen=True)
class Point:
    """A load, and where its figures are."""

    label: str
    condition: str
    """That of the table of measurements."""
    held: bool
    """Whether it is below saturation, where figures are held to the bounds."""
    settings: Settings
    """Overrides of the drive."""
    figures: Mapping[str, str]
    """The key of the summary that has a measured quantity."""
    job: str | None = None
    """A job file of fio, in place of a workload among the settings."""


def latencies(client: str) -> dict[str, str]:
    """Quantities of the table that are latencies of a client, whose keys of the summary begin like this."""
    return {
        f"{kind} latency {name}": f"{client}.{kind}.latency.{key}_us"
        for kind in ("read", "write")
        for name, key in (
            ("p50", "p50"),
            ("p99", "p99"),
            ("p99.9", "p999"),
            ("mean", "mean"),
        )
    }


def points(conditions: Conditions) -> list[Point]:
    """The load points of a drive that are simulated."""
    kinds = (open_loop, saturated, *SHEET.values(), amplification, mixes, beside)
    return [point for kind in kinds for point in kind(conditions)]


def client(settings: Settings, **space: Any) -> dict[str, Any]:
    """A tenant: a workload with a queue of its own."""
    return {**space, "workload": settings}


def at_random(rate: float, reads: float, seconds: float, seed: int) -> Settings:
    """Requests of 4 KiB at random times and places."""
    return {
        "kind": "random",
        "read_fraction": reads,
        "request_size": "4 KiB",
        "interarrival": f"{1e9 / rate:.0f} ns",
        "arrival": "poisson",
        "duration": f"{seconds} s",
        "seed": seed,
    }


OPEN_LOOP = re.compile(r"open loop, (\d+) writes/s offered in all")
THREADS = 6
WATCHED = 10_000
"""Requests a second of the thread that is watched, half of them writes."""
MEASURED, WARM_UP = 3.0, 0.5
"""Seconds."""


def open_loop(conditions: Conditions) -> Iterator[Point]:
    """Writes that are offered at a rate below what the drive takes, beside a thread that reads and writes.

    Arrivals are at random (assumed: the source does not say).
    """
    for condition in conditions:
        if found := OPEN_LOOP.search(condition):
            rate = int(found[1])
            time = MEASURED + WARM_UP
            others = {
                f"writer-{i}": client(
                    at_random((rate - WATCHED // 2) / THREADS, 0.01, time, seed=i + 2)
                )
                for i in range(THREADS)
            }
            tenants = {"watched": client(at_random(WATCHED, 0.5, time, seed=1)), **others}
            settings = {"tenants": tenants, "run.warm_up": f"{WARM_UP} s"}
            figures = {"write IOPS achieved": "host.write.iops", **latencies("tenants.watched")}
            yield Point(f"{rate:,} writes/s", condition, True, settings, figures)


JOB = """[global]
filename=/dev/nvme0n1
direct=1
ioengine=libaio
iodepth={depth}
bs=4k
rw=randrw
norandommap=1
time_based
ramp_time={warm_up}ms
runtime={time}ms

[watched]
rwmixread=50
rate_iops={half},{half}
rate_process=poisson

[writers]
numjobs={threads}
rwmixread=1
"""


def saturated(conditions: Conditions) -> Iterator[Point]:
    """Threads that write as fast as they can, beside the thread that is watched.

    A job of fio, whose watched thread has no more commands outstanding than the others (assumed), and whose latencies count from when they are sent.
    """
    for condition in conditions:
        if found := re.search(r"saturated: offered more .* of depth (\d+) each", condition):
            job = JOB.format(
                depth=found[1],
                half=WATCHED // 2,
                threads=THREADS,
                warm_up=int(1000 * WARM_UP),
                time=int(1000 * (MEASURED - 1)),
            )
            figures = {"write IOPS achieved": "host.write.iops", **latencies("tenants.watched")}
            yield Point("saturated", condition, False, {}, figures, job)


def sheet(
    name: str, settings: Settings, key: str = "host.all.bandwidth_mb_s"
) -> Callable[[Conditions], Iterator[Point]]:
    """A figure of the data sheet, if the maker gives it."""

    def found(conditions: Conditions) -> Iterator[Point]:
        for condition, measured in conditions.items():
            if name in measured:
                workload = {f"workload.{each}": value for each, value in settings.items()}
                aged = NEW | FEW if settings["kind"] == "sequential" or "read" in name else {}
                if name == "sequential write":
                    aged = {"age.method": "fresh", **FEW}
                run = {**aged, **workload, "run.warm_up": f"{settings['requests'] // 4} requests"}
                yield Point(name, condition, False, run, {name: key})

    return found


def loop(kind: str, reads: float, size: str, depth: int, requests: int) -> Settings:
    """A closed loop."""
    return {
        "kind": kind,
        "read_fraction": reads,
        "request_size": size,
        "queue_depth": depth,
        "requests": requests,
    }


SHEET = {
    "sequential read": sheet("sequential read", loop("sequential", 1.0, "128 KiB", 32, 20_000)),
    "sequential write": sheet("sequential write", loop("sequential", 0.0, "128 KiB", 32, 20_000)),
    "random read": sheet(
        "random read 4 KiB", loop("random", 1.0, "4 KiB", 256, 200_000), "host.read.iops"
    ),
    "random write": sheet(
        "random write 4 KiB", loop("random", 0.0, "4 KiB", 128, 300_000), "host.write.iops"
    ),
    "lone read": sheet(
        "read latency typical",
        loop("random", 1.0, "4 KiB", 1, 20_000),
        "host.read.latency.p50_us",
    ),
}
"""Depths are assumed: makers do not report them."""


def amplification(conditions: Conditions) -> Iterator[Point]:
    """Write amplification of uniform random writes to a full drive."""
    for condition, measured in conditions.items():
        if (name := "write amplification steady") in measured:
            workload = loop("random", 0.0, "4 KiB", 128, 300_000)
            settings = {f"workload.{key}": value for key, value in workload.items()}
            yield Point(name, condition, False, settings, {name: "ftl.write_amplification"})


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
        held = depth == 1 or rate >= KNEE * rates[share, depth // 2]
        yield Point(f"{share} % reads, depth {depth}", condition, held, settings, figures)


def total(measured: Mapping[str, Any]) -> float:
    """Requests a second, of all kinds."""
    return sum(
        float(measured[name].value)
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
        (int(found[2]), int(found[1])): measured["read IOPS achieved"].value
        for condition, measured in conditions.items()
        if (found := BESIDE.match(condition))
    }
    for condition in conditions:
        if not (found := BESIDE.match(condition)):
            continue
        depth, rate = int(found[1]), int(found[2])
        if depth not in BESIDE_DEPTHS:
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
        held = achieved is None or achieved.value >= LAST * rate * 2**20 / 1e6
        smaller = [each for each in BESIDE_DEPTHS if each < depth]
        if smaller:
            doublings = math.log2(depth / smaller[-1])
            held &= reads[rate, depth] >= KNEE**doublings * reads[rate, smaller[-1]]
        figures = {
            "read IOPS achieved": "host.read.iops",
            **latencies("tenants.reader" if rate else "host"),
        }
        label = f"{rate:,} MB/s of writes, reads of depth {depth}"
        yield Point(label, condition, held, settings, figures)
