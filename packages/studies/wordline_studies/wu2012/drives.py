"""The drives of the study: the presets, smaller; policies laid over them; what is looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wordline.studies.grid import Metric, Variant
from wordline_studies.wu2012.baselines import BUFFERS, chosen, region

Keys = Mapping[str, object]

CELLS: Mapping[str, str] = {"SLC": "wu2013-pes-slc", "MLC": "wu2013-pes-mlc"}
"""Presets by the names of their panels."""

BLOCKS = 4096
BUFFER = 64
"""Blocks of a plane, and MiB of the buffer, of the presets."""
SMALLER = 64
"""By how much the drives of the study are smaller."""


def size(smaller: int) -> Keys:
    """A smaller drive: fewer blocks, and a buffer of the same share."""
    return {
        "geometry.blocks_per_plane": BLOCKS // smaller,
        "buffer.size": f"{BUFFER // smaller} MiB",
    }


STATE: Keys = {"age.random_factor": 0, "run.warm_up": "0.45 drive writes"}
"""The simulator behind the source begins with a full drive whose spare blocks are erased. A third of a drive write later these are used and cleaning begins; what is measured
comes after that, as the source has cleaning in all runs (assumed).
"""
ONE_EVENT: Keys = {"scheduler.collection_first": True}
"""The cleaning of a block is one event, which nothing interrupts, where nothing is suspended."""
NOTHING: Keys = {**ONE_EVENT, "nand.suspend": "none"}
FIFO: Keys = {**NOTHING, "scheduler.policy": "out_of_order"}
RPS: Keys = {**NOTHING, "scheduler.policy": "reads_first"}
PER: Keys = {**RPS, "scheduler.reference": "per"}
PE0: Keys = {**RPS, "scheduler.reference": "pe0"}
IPC: Keys = {}
IPS: Keys = {"scheduler.suspension.program_suspend": "ips"}
WRITES_TOO: Keys = {"scheduler.suspension.write_suspend_erase": True}

POLICIES: Mapping[str, Keys] = {
    "FIFO": FIFO,
    "RPS": RPS,
    "PER": PER,
    "PE0": PE0,
    "IPC": IPC,
    "IPS": IPS,
    "IPC, writes too": WRITES_TOO,
}
"""What the source compares, laid over a preset, which is IPC."""


SPELLED: Mapping[str, str] = {
    "FIFO": "the oldest operation first",
    "RPS": "reads first",
    "PER": "programs and erases as short as a read",
    "PE0": "programs and erases without array time",
    "IPC": "suspension inside phases",
    "IPS": "suspension between phases",
}
"""Policies in words, for those who do not know their abbreviations."""


def spelled(policy: str) -> str:
    """A policy in words, with its abbreviation."""
    return f"{SPELLED[policy]} ({policy})"


def variant(name: str, panel: str, cell: str, *layers: Keys, smaller: int = SMALLER) -> Variant:
    """A drive of the study with keys laid over it: with the buffer, or without, as the baseline says."""
    keys = {**size(smaller), **STATE, **BUFFERS[chosen().buffer]}
    for layer in layers:
        keys |= layer
    return Variant(name, CELLS[cell], without_size(keys), panel, region(smaller), aged=True)


def without_size(keys: Keys) -> Keys:
    """Keys of a drive: the size of a buffer only where there is one."""
    has_none = keys.get("buffer.policy") == "none"
    return {key: value for key, value in keys.items() if not (has_none and key == "buffer.size")}


def policies(*names: str, layer: Keys | None = None) -> Sequence[Variant]:
    """Policies on both kinds of cell, which are the panels."""
    return [
        variant(name, cell, cell, POLICIES[name], layer or {}) for cell in CELLS for name in names
    ]


def over_ipc(values: Mapping[str, Keys]) -> Sequence[Variant]:
    """Drives with IPC and further keys, on both kinds of cell."""
    return [variant(name, cell, cell, keys) for cell in CELLS for name, keys in values.items()]


READ = Metric("read latency", "host.read.latency.mean_us")
P95 = Metric("read latency, p95", "host.read.latency.p95_us")
P99 = Metric("read latency, p99", "host.read.latency.p99_us")
P999 = Metric("read latency, p99.9", "host.read.latency.p999_us")
WRITE = Metric("write latency", "host.write.latency.mean_us")
