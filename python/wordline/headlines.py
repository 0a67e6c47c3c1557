"""The figures that most readers look for first: their keys, names and units."""

from __future__ import annotations

CLASSES = ("read", "write")
POINTS = {"mean": "mean", "p50": "median", "p99": "p99", "p999": "p99.9", "max": "longest"}

LATENCIES = tuple(
    (f"host.{kind}.latency.{point}_us", f"{kind} latency, {name}", "µs")
    for kind in CLASSES
    for point, name in POINTS.items()
)
"""Latencies by class of request."""

TOTALS = (
    ("sim.time_s", "simulated time", "s"),
    ("host.iops", "throughput", "requests/s"),
    ("host.bandwidth_mb_s", "bandwidth", "MB/s"),
    ("ftl.write_amplification", "write amplification", ""),
    ("ftl.blocks_erased", "blocks erased", ""),
    ("nand.die_utilization", "die utilisation", ""),
    ("nand.channel_utilization", "channel utilisation", ""),
)
"""Totals that matter in every run."""

HEADLINES = (*LATENCIES, *TOTALS)
