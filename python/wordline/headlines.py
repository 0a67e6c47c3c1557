"""The figures that most readers look for first: their keys, names and units."""

from __future__ import annotations

from collections.abc import Mapping

from wordline.formatting import percent

CLASSES = ("read", "write")
ALIKE = 2.0
"""Medians of reads and writes that differ by a larger factor are those of two populations (assumed)."""
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

OF_SOME = (
    ("workload.zones.write_amplification", "write amplification of the host", ""),
    ("workload.zones.resets", "zones reset by the host", ""),
    ("ftl.recovery.time.mean_s", "recovery after a power cut, mean", "s"),
    ("ftl.recovery.time.max_s", "recovery after a power cut, longest", "s"),
)
"""Totals of runs that have something to count: zones that the host collects, power cuts at which recovery was timed."""

HEADLINES = (*LATENCIES, *TOTALS)


def steadiness(summary: Mapping[str, object]) -> tuple[str, str]:
    """Whether throughput met SNIA's criterion of a steady state, in a word, and how far its rounds are from it."""
    steady = summary.get("sim.snia_steady")
    spread, slope = summary.get("sim.snia_spread"), summary.get("sim.snia_slope")
    if not isinstance(steady, bool):
        return "unknown", "the run is too short to tell, or was saved by an earlier version"
    if not (isinstance(spread, int | float) and isinstance(slope, int | float)):
        return "yes" if steady else "no", "by the SNIA criterion"
    found = f"five rounds differ by {percent(spread)}, slope {percent(slope)}"
    return "yes" if steady else "no", f"{found} (SNIA allows 20 % and 10 %)"


def classes_of(summary: Mapping[str, object]) -> list[str]:
    """Classes of requests that a table of latencies has: all together only where reads and writes are one population, or where there are
    requests of further classes.
    """
    kinds = [kind for kind in CLASSES if summary[f"host.{kind}.count"]]
    if len(kinds) == 1 and summary[f"host.{kinds[0]}.count"] == summary["host.all.count"]:
        return kinds
    medians = [summary[f"host.{kind}.latency.p50_us"] for kind in kinds]
    known = [float(median) for median in medians if isinstance(median, int | float)]
    is_one = len(known) == len(kinds) and max(known, default=0.0) <= ALIKE * min(known, default=0.0)
    return [*kinds, "all"] if is_one or len(kinds) < 2 else kinds
