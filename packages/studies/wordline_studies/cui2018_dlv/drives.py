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
    "scheduler.read_in_flight": "after_program",
}
"""Smaller, with the queue of the source, and without memory from which a page could be read before it is programmed."""
FULL: Keys = {**SIZE, "age.time_per_write": "1500 ms"}
"""A full drive in the steady state of random overwriting, whose blocks are 0 to 6.3 days old, as many of each age."""
HALF: Keys = {
    **{key: value for key, value in SIZE.items() if key != "host.queue_limit"},
    "age.method": "overwritten",
    "age.random_factor": 0.0,
    "age.fill": 0.5,
    "age.time_per_write": "280 ms",
}
"""A drive that was half filled over 6.3 days, so that nothing is collected."""

ONE_CLASS: Keys = {"modes": []}
"""All blocks programmed in the normal step: the controller knows no classes."""
SEARCH: Keys = {"ecc.ldpc.start": 1}
"""Every read starts with one reference and tries one more each time."""

SCHEMES: Mapping[str, Keys] = {
    "baseline": {"scheduler.policy": "out_of_order", **SEARCH, **ONE_CLASS},
    "WOO": {"scheduler.policy": "woo", **SEARCH},
    "ROO": {"scheduler.policy": "roo", **ONE_CLASS},
    "DLV": {"scheduler.policy": "dlv"},
    "PV+reorder": {"scheduler.policy": "pv_reorder", **SEARCH},
    "PV+Allocation": {"scheduler.policy": "pv_allocation", **SEARCH},
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
ATTEMPTS = Metric("attempts of a read", "ecc.attempts.mean", "attempts", relative=False)
UNCORRECTABLE = Metric(
    "uncorrectable page reads", "ecc.uncorrectable_reads", "reads", relative=False
)
