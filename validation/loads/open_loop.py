"""Writes that are offered at a rate, beside a thread that reads and writes and is watched."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..measured import Conditions
from .common import Point, asked, at_random, client, latencies

OPEN_LOOP = re.compile(r"open loop, (\d+) writes/s offered in all")
SATURATED = re.compile(r"saturated: offered more .* of depth (\d+) each")
THREADS = 6
WATCHED = 10_000
"""Requests a second of the thread that is watched, half of them writes."""
MEASURED, WARM_UP = 3.0, 0.5
"""Seconds."""
BELOW = 0.97
"""A rate above this share of what the drive takes when saturated counts as more than it takes."""
FIGURES = {
    "write IOPS achieved": "host.write.iops",
    "read IOPS achieved": "host.read.iops",
    **latencies("tenants.watched"),
}

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
io_submit_mode=offload
rwmixread=50
rate_iops={half},{half}
rate_process=poisson

[writers]
numjobs={threads}
rwmixread=1
"""


def saturated(conditions: Conditions) -> Iterator[Point]:
    """Threads that write as fast as they can, beside the thread that is watched.

    A job of fio, whose watched thread has no more commands outstanding than the others (assumed), and whose latencies count from when they are sent. It sends what is due whatever is outstanding, as the tool of the measurement does
    and not as fio by itself does, which waits for all of it first.
    """
    for condition in conditions:
        if found := SATURATED.search(condition):
            answers = asked(conditions, condition, FIGURES)
            yield Point("saturated", "saturated", False, {}, answers, job(int(found[1])))


def job(depth: int) -> str:
    """The job of the saturated drive."""
    return JOB.format(
        depth=depth,
        half=WATCHED // 2,
        threads=THREADS,
        warm_up=int(1000 * WARM_UP),
        time=int(1000 * (MEASURED - 1)),
    )


def offered(conditions: Conditions, limit: float) -> Iterator[Point]:
    """Writes at a rate; where that is more than the drive takes, as saturated.

    Arrivals are at random (assumed: the source does not say).

    Args:
        conditions: those of the drive.
        limit: writes per second of the saturated drive.
    """
    for condition in conditions:
        if not (found := OPEN_LOOP.search(condition)):
            continue
        rate = int(found[1])
        answers = asked(conditions, condition, FIGURES)
        if rate > BELOW * limit:
            label = f"{rate:,} writes/s, more than it takes"
            yield Point("saturated", label, False, {}, answers, job(64), rate=rate)
            continue
        if rate <= WATCHED // 2:
            # the thread that is watched writes as many
            continue
        time = MEASURED + WARM_UP
        others = {
            f"writer-{i}": client(
                at_random((rate - WATCHED // 2) / THREADS, 0.01, time, seed=i + 2)
            )
            for i in range(THREADS)
        }
        tenants = {"watched": client(at_random(WATCHED, 0.5, time, seed=1)), **others}
        settings = {"tenants": tenants, "run.warm_up": f"{WARM_UP} s"}
        yield Point("open loop", f"{rate:,} writes/s", True, settings, answers, rate=rate)
