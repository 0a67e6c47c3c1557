"""The drives of the study: the preset, smaller, with each of the eight schemes; what is looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wordline.studies.grid import Metric, Variant

Keys = Mapping[str, object]

PRESET = "cui2018-dlv"
"""The preset of all drives."""
BLOCKS, PAGES = 512, 64
"""Blocks of a plane and pages of a block of the study; the source has 1024 and 256."""
DEPTH = 64
"""Requests in the drive at once."""

SIZE: Keys = {
    "geometry.blocks_per_plane": BLOCKS,
    "geometry.pages_per_block": PAGES,
    "host.queue_limit": DEPTH,
}
"""Smaller, with the queue of the source."""
FULL: Keys = {**SIZE, "age.time_per_write": "1500 ms"}
"""A full drive in the steady state of random overwriting, whose blocks are 0 to 6.3 days old, as many of each age."""
SMALL_BLOCKS = 128
"""Blocks of a plane where the number of chips varies."""
SMALL: Keys = {
    **SIZE,
    "geometry.blocks_per_plane": SMALL_BLOCKS,
    "age.time_per_write": "6000 ms",
}
"""The full drive with planes of fewer blocks, as old."""
HALF: Keys = {**SIZE, "age.fill": 0.5, "age.time_per_write": "180 ms"}
"""A drive half of whose space holds data, in the steady state of overwriting these, with blocks as old."""
ROOM: Keys = {
    **SIZE,
    "age.method": "overwritten",
    "age.random_factor": 0.0,
    "age.fill": 0.5,
    "age.time_per_write": "280 ms",
}
"""A drive that was half filled once over 6.3 days, so that nothing is collected."""
CLOSED: Keys = {key: value for key, value in ROOM.items() if key != "host.queue_limit"}
"""The same for a closed loop, which limits the requests in the drive by itself."""

ONE_CLASS: Keys = {"modes": []}
"""All blocks programmed in the normal step: the controller knows no classes."""
FIXED: Keys = {"ecc.ldpc.start": 7}
"""Every read is one attempt with seven references: the default drive of table II, which reads for 90 µs."""
SEARCH: Keys = {"ecc.ldpc.start": 1}
"""Every read starts with one reference and tries one more each time: the sensitivity."""

SCHEMES: Mapping[str, Keys] = {
    "baseline": {"scheduler.policy": "out_of_order", **FIXED, **ONE_CLASS},
    "WOO": {"scheduler.policy": "woo", **FIXED},
    "ROO": {"scheduler.policy": "roo", **ONE_CLASS},
    "DLV": {"scheduler.policy": "dlv"},
    "PV+reorder": {"scheduler.policy": "pv_reorder", **FIXED},
    "PV+Allocation": {"scheduler.policy": "pv_allocation", **FIXED},
    "LV-LDPC": {"scheduler.policy": "out_of_order", **ONE_CLASS},
    "LaLDPC": {
        "scheduler.policy": "out_of_order",
        "ecc.ldpc.start": "last_level",
        **ONE_CLASS,
    },
}
"""The eight schemes of the source, laid over the preset."""
MAIN = ("baseline", "WOO", "ROO", "DLV")
"""Those of most figures."""


def scheme(name: str, *layers: Keys, base: Keys = FULL, panel: str = "") -> Variant:
    """A drive with a scheme, and keys laid over it."""
    return variant(name, SCHEMES[name], *layers, base=base, panel=panel)


def variant(name: str, *layers: Keys, base: Keys = FULL, panel: str = "") -> Variant:
    """A drive of the study with keys laid over it."""
    keys = dict(base)
    for layer in layers:
        keys |= layer
    return Variant(name, PRESET, keys, panel)


def schemes(names: Sequence[str]) -> Sequence[Variant]:
    """Full drives with some schemes."""
    return [scheme(name) for name in names]


RESPONSE = Metric("response", "host.all.latency.mean_us")
P95 = Metric("response, p95", "host.all.latency.p95_us")
P99 = Metric("response, p99", "host.all.latency.p99_us")
MEDIAN_READ = Metric("read response, median", "host.read.latency.p50_us")
MEDIAN_WRITE = Metric("write response, median", "host.write.latency.p50_us")
READ = Metric("read response", "host.read.latency.mean_us")
WRITE = Metric("write response", "host.write.latency.mean_us")
BANDWIDTH = Metric("bandwidth", "host.bandwidth_mb_s")
IOPS = Metric("IOPS", "host.iops")
REORDERED_READS = Metric("reordered reads", "scheduler.reordered.read", "share", relative=False)
REORDERED_WRITES = Metric("reordered writes", "scheduler.reordered.write", "share", relative=False)
EXPIRED_READS = Metric("expired reads", "scheduler.expired.read", "share", relative=False)
EXPIRED_WRITES = Metric("expired writes", "scheduler.expired.write", "share", relative=False)
STRONG = Metric(
    "pages to strong blocks", "modes.strong.host_program_share", "share", relative=False
)
AMPLIFICATION = Metric("write amplification", "ftl.write_amplification", relative=False)
BUSY = Metric("share of the time that a plane works", "nand.die_utilization", relative=False)
ATTEMPTS = Metric("attempts of a read", "ecc.attempts.mean", "attempts", relative=False)
UNCORRECTABLE = Metric(
    "uncorrectable page reads", "ecc.uncorrectable_reads", "reads", relative=False
)
