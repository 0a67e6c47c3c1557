"""The drives of the study, the loads, and what is looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wordline.points.outcome import Outcome
from wordline.studies.grid import Load, Metric, Variant

Keys = Mapping[str, object]

PRESET = "ftl-family"
LOGICAL = 51_200
"""Pages that the workload sees: 65,536 with 28 % beyond."""
PAGES = 65_536
"""Pages of the drives."""
PAGES_PER_BLOCK = 64
FILLED: Keys = {
    "age.method": "overwritten",
    "age.random_factor": 0.0,
    "run.warm_up": "3 drive writes",
}
"""All pages were written once, in order; three drive writes are not measured."""

ZONES: Keys = {
    "ftl.mapping": "zoned",
    "ftl.over_provisioning": 0.0,
    "age.method": "fresh",
    "workload.zones.fill": True,
    "run.warm_up": "4 drive writes",
    "workload.translation": "zones",
    "workload.zones.over_provisioning": 0.28,
}
"""All blocks belong to zones; the spare space is the host's, which fills them first."""
DESIGNS: Mapping[str, Keys] = {
    "none": {},
    "classifier": {"ftl.hot.classifier": "dac"},
    "streams": {"ftl.placement.directive": "streams", "ftl.gc.frontier": "separate"},
    "FDP, initially isolated": {
        "ftl.placement.directive": "fdp",
        "ftl.placement.handle_type": "initially_isolated",
        "ftl.gc.frontier": "separate",
    },
    "FDP, persistently isolated": {
        "ftl.placement.directive": "fdp",
        "ftl.placement.handle_type": "persistently_isolated",
        "ftl.gc.frontier": "separate",
    },
    "superblocks": {"ftl.mapping": "striped", "ftl.span": "C"},
    "zones": {**ZONES, "ftl.zones.blocks": 4},
    "zones of a block": {**ZONES, "ftl.zones.blocks": 1},
}
"""Every design: a further one is a row."""
HOST = ("streams", "FDP, initially isolated", "FDP, persistently isolated", "zones")
"""Designs that heed what the host says."""


def layered(keys: Keys) -> Keys:
    """A design on a drive that is full; only the host fills zones."""
    filled = {} if "workload.translation" in keys else FILLED
    return {**filled, **keys}


def variants(panel: str = "") -> Sequence[Variant]:
    """All designs."""
    return [Variant(name, PRESET, layered(keys), panel) for name, keys in DESIGNS.items()]


SKEWS: Mapping[str, tuple[float, float]] = {
    "18-82": (0.18, 0.82),
    "20-80": (0.2, 0.8),
    "10-90": (0.1, 0.9),
}
"""Share of the pages that is hot, and of the writes that go there."""
REQUESTS, QUICK = 420_000, 240_000
"""Writes of a load, eight times the pages; in the quick form half of that."""


def load(name: str, **keys: object) -> Load:
    """Writes of 4 KiB, eight outstanding."""
    whole = {"read_fraction": 0.0, "request_size": "4 KiB", "queue_depth": 8, "placement": 1}
    return Load(name, {**whole, **keys, "requests": REQUESTS}, {"requests": QUICK})


UNIFORM = load("uniform", kind="random")
HOT_COLD = [
    load(name, kind="hot_cold", hot_space=hot, hot_requests=writes, hot_placement=2)
    for name, (hot, writes) in SKEWS.items()
]
STORE_KEYS: Keys = {
    "kind": "log_structured",
    "read_fraction": 0.0,
    "request_size": "4 KiB",
    "queue_depth": 8,
    "store.data": 0.3,
    "store.memtable": "512 KiB",
    "store.segment": "128 KiB",
    "store.extent": "64 KiB",
}
"""A store whose files fill a drive of this size."""
STORE = Load(
    "store",
    {**STORE_KEYS, "store.placement": "multi_data", "requests": 2 * REQUESTS},
    {"requests": 2 * QUICK},
)


def number(outcome: Outcome, key: str) -> float:
    """A figure of the summary; 0 where it has none."""
    return outcome.number(key) or 0.0


def written(outcome: Outcome) -> float:
    """Pages that the workload wrote."""
    return outcome.number("workload.zones.user_pages") or number(outcome, "host.page_writes")


def amplification(outcome: Outcome) -> float | None:
    """Pages programmed for each page that the workload wrote, by the drive or on behalf of a host that collects."""
    pages = written(outcome)
    return number(outcome, "ftl.pages_programmed") / pages if pages else None


def throughput(outcome: Outcome) -> float | None:
    """Pages that the workload wrote in a second."""
    seconds = outcome.number("sim.window_s")
    return written(outcome) / seconds if seconds else None


def efficiency(outcome: Outcome) -> float | None:
    """Share of the pages of erased blocks that had not to be moved."""
    erased = number(outcome, "ftl.blocks_erased") * PAGES_PER_BLOCK
    moved = number(outcome, "workload.zones.moved_pages") + number(outcome, "ftl.gc.pages_moved")
    return 1 - moved / erased if erased else None


def host_memory(outcome: Outcome) -> float:
    """Bytes of the host's map, four for each page."""
    return 4 * number(outcome, "workload.zones.logical_pages")


AMPLIFICATION = Metric("write amplification", amplification, "pages", relative=False)
THROUGHPUT = Metric("writes of the workload", throughput, "1/s", relative=False)
LATENCY = Metric("mean write latency", "host.write.latency.mean_us", relative=False)
TAIL = Metric("p99 of write latency", "host.write.latency.p99_us", relative=False)
PARALLEL = Metric("dies at work", "nand.die_utilization", "share", relative=False)
EFFICIENCY = Metric("efficiency of collection", efficiency, "share", relative=False)
WEAR = Metric("variation of erase counts", "ftl.erase_count.variation", "share", relative=False)
MEMORY = Metric("memory of the controller", "ftl.table.memory_bytes", relative=False)
HOST_MEMORY = Metric("memory of the host", host_memory, "B", relative=False)
RECOVERY = Metric("recovery", "ftl.table.recovery_time_s", relative=False)
UTILISATION = Metric("utilisation", "ftl.gc.rho_effective", "share", relative=False)
