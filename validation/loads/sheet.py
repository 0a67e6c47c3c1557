"""Figures of data sheets: loads that makers name only roughly."""

from __future__ import annotations

from collections.abc import Iterator

from ..drives import Entry
from ..measured import Conditions
from ..parts import CLIENT, HMB, QLC
from .common import NEW, Point, Settings, loop, workload

FEW: Settings = {"geometry.blocks_per_plane": 64}
"""Enough where nothing is collected."""
CACHED = (CLIENT, HMB, QLC)
"""Classes whose makers measure in the SLC cache."""
SPAN = 0.008
"""The share of such a drive that was written before it is read, 8 GB of 1 TB (assumed)."""
SHEETS = ("maker figure", "random", "fill after sanitize", "behind the SLC cache")
"""How conditions begin that are a data sheet's, or a plain fill."""

LOADS: dict[str, tuple[Settings, str]] = {
    "sequential read": (loop("sequential", 1.0, "128 KiB", 32, 20_000), "host.all.bandwidth_mb_s"),
    "sequential write": (loop("sequential", 0.0, "128 KiB", 32, 20_000), "host.all.bandwidth_mb_s"),
    "random read 4 KiB": (loop("random", 1.0, "4 KiB", 256, 200_000), "host.read.iops"),
    "random write 4 KiB": (loop("random", 0.0, "4 KiB", 128, 300_000), "host.write.iops"),
    "read latency typical": (loop("random", 1.0, "4 KiB", 1, 20_000), "host.read.latency.p50_us"),
    "write latency typical": (
        loop("random", 0.0, "4 KiB", 1, 20_000),
        "host.write.latency.p50_us",
    ),
    "random read 4 KiB depth 1": (loop("random", 1.0, "4 KiB", 1, 20_000), "host.read.iops"),
    "random write 4 KiB depth 1": (loop("random", 0.0, "4 KiB", 1, 20_000), "host.write.iops"),
    "sequential write 512 KiB, depth 1": (
        loop("sequential", 0.0, "512 KiB", 1, 10_000),
        "host.all.bandwidth_mb_s",
    ),
}
"""Depths are assumed where the quantity does not say: makers do not report them."""


def sheets(drive: Entry, conditions: Conditions) -> Iterator[Point]:
    """The figures of the data sheet that the maker gives."""
    for condition, figures in conditions.items():
        if not condition.startswith(SHEETS):
            continue
        for name in figures:
            if name in LOADS:
                settings, key = LOADS[name]
                run = {
                    **workload(settings),
                    "run.warm_up": f"{int(settings['requests']) // 4} requests",
                }
                before = None
                if drive.kind in CACHED:
                    run, before = cached(drive, name, run)
                else:
                    run = aged(name) | run
                kind = "lone" if "latency" in name or name.endswith("depth 1") else "sheet"
                kind = "sheet" if name.startswith("sequential") else kind
                yield Point(kind, name, False, run, {(condition, name): key}, before=before)


def aged(name: str) -> Settings:
    """The state of a data-centre drive: new where it is read or written in order, worn where it is written at random."""
    if name.startswith("sequential write"):
        return {"age.method": "fresh", **FEW}
    if "read" in name:
        return {**NEW, **FEW}
    return {}


def cached(drive: Entry, name: str, run: Settings) -> tuple[Settings, Settings | None]:
    """A client drive that was empty, and what was written before where it is read: its figures are of the SLC cache (assumed)."""
    if "random" in name:
        run["workload.region"] = SPAN
        depth = run["workload.queue_depth"]
        # a maker's depth of 32 is that of each of 16 threads (assumed)
        run["workload.queue_depth"] = 1 if depth == 1 else 512
        run["workload.requests"] = min(int(run["workload.requests"]), 200_000)
    if "read" in name:
        return run, span(drive, SPAN)
    return run, None


def span(drive: Entry, share: float) -> Settings:
    """A run that writes the first share of a drive in order."""
    size = 128 << 10
    requests = int(share * drive.parts.user_bytes * drive.share / size)
    return workload(loop("sequential", 0.0, "128 KiB", 32, max(1, requests)) | {"region": share})
