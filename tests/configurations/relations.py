"""What must change in a drive, and by how much at least, when something about it or its load does.

No closed form gives the figures of these drives; how two of them compare follows from what a drive is. Each relation is judged by the noise of
its own figure: means over seeds, and the standard error of their difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import fmean, variance

import wordline as wl
from configurations.case import Keys

SEEDS = (1, 2, 3, 4)
ERRORS = 3.7
"""Standard errors within which a difference may be chance: Student's t of six degrees of freedom, two-sided 99 %."""

LOAD: Keys = {
    "workload.kind": "random",
    "workload.requests": 3_000,
    "workload.request_size": "4 KiB",
    "workload.read_fraction": 0.5,
    "workload.queue_depth": 8,
    "output.timeline": False,
}

DRIVES: Mapping[str, Keys] = {
    "page": {},
    "units": {"geometry.page_size": "16 KiB", "ftl.mapping_unit": "4 KiB"},
    "dftl": {"ftl.mapping": "dftl", "ftl.cached_entries": 2048},
    "striped": {"ftl.mapping": "striped", "ftl.span": "CP"},
    "buffer": {"buffer.policy": "lru", "buffer.size": "256 KiB", "host.interface": "nvme"},
    "background": {"ftl.gc.mode": "background", "ftl.gc.low": 3, "ftl.gc.high": 4},
}
"""Drives that a relation is looked at with."""


@dataclass(frozen=True)
class Relation:
    """Two runs, and how a figure of the second compares with that of the first."""

    before: Keys
    after: Keys
    figure: str
    least: float
    """The figure of the second over that of the first is this at least,"""
    most: float
    """and this at most."""
    drives: tuple[str, ...] = tuple(DRIVES)


READS: Keys = {"workload.read_fraction": 1.0}
WRITES: Keys = {"workload.read_fraction": 0.0, "workload.requests": 6_000}
SLOW_BUS: Keys = {**READS, "timing.transfer_rate": "10 MT/s", "workload.queue_depth": 64}
OPEN: Keys = {"workload.queue_depth": None, "workload.arrival": "poisson"}
PROGRAM_ERASE: Keys = {"nand.suspend": "program_erase", "scheduler.policy": "pes"}
WITHOUT_BUFFER = ("page", "units", "background")

RELATIONS: Mapping[str, Relation] = {
    "twice the channels move twice the data where the bus is what limits": Relation(
        {**SLOW_BUS, "geometry.channels": 2},
        {**SLOW_BUS, "geometry.channels": 4},
        "host.iops",
        1.5,
        2.2,
    ),
    "reads of cells that take longer take longer": Relation(
        {**READS, "timing.t_r": "20 us", "workload.queue_depth": 1},
        {**READS, "timing.t_r": "120 us", "workload.queue_depth": 1},
        "host.read.latency.mean_us",
        1.3,
        6.0,
        ("page", "units", "striped", "background"),
    ),
    "more spare space has less to move": Relation(
        {**WRITES, "ftl.over_provisioning": 0.2, "ftl.over_provisioning_basis": "user"},
        {**WRITES, "ftl.over_provisioning": 0.6, "ftl.over_provisioning_basis": "user"},
        "ftl.write_amplification",
        0.2,
        0.85,
        ("page", "units", "dftl", "striped"),
    ),
    "requests further apart wait no longer": Relation(
        {**OPEN, "workload.interarrival": "400 us"},
        {**OPEN, "workload.interarrival": "4 ms"},
        "host.all.latency.mean_us",
        0.0,
        1.0,
    ),
    "which addresses are used is of no account": Relation(
        {"workload.region": [0.0, 0.3]},
        {"workload.region": [0.5, 0.8]},
        "host.iops",
        1.0,
        1.0,
        ("page", "background"),
    ),
    "suspension lets reads go first": Relation(
        {"scheduler.policy": "reads_first", "workload.queue_depth": 16},
        {**PROGRAM_ERASE, "workload.queue_depth": 16},
        "host.read.latency.mean_us",
        0.0,
        1.0,
        WITHOUT_BUFFER,
    ),
    "a longer queue does not do less": Relation(
        {"workload.queue_depth": 2},
        {"workload.queue_depth": 16},
        "host.iops",
        1.0,
        8.0,
    ),
}


def values(keys: Keys, figure: str) -> list[float]:
    """A figure of runs with several seeds."""
    given = {key: value for key, value in {**LOAD, **keys}.items() if value is not None}
    runs = (
        wl.simulate(wl.Drive("tiny", **given, seed=seed, **{"workload.seed": seed}), progress=False)
        for seed in SEEDS
    )
    return [run.number(figure) for run in runs]


def broken(relation: Relation, drive: Keys, of: Callable[[Keys, str], list[float]] = values) -> str:
    """Where a relation does not hold: what was found."""
    before, after = (
        of({**drive, **keys}, relation.figure) for keys in (relation.before, relation.after)
    )
    first, second = fmean(before), fmean(after)

    def is_beyond(factor: float, sign: int) -> bool:
        error = math.sqrt((variance(before) * factor**2 + variance(after)) / len(SEEDS))
        return sign * (second - factor * first) > ERRORS * error + 1e-9 * first

    if is_beyond(relation.least, -1) or is_beyond(relation.most, 1):
        return (
            f"{relation.figure} is {second:.6g} after {first:.6g}: a factor of {second / first:.3f}, "
            f"not {relation.least} to {relation.most}"
        )
    return ""
