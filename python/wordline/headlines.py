"""The figures that most readers look for first: their keys, names and units."""

from __future__ import annotations

from collections.abc import Mapping

from wordline.formatting import percent

CLASSES = ("read", "write")
OTHERS = ("trim", "zeroes", "flush", "zone")
"""Requests that move no data."""
BUSY = 0.5
"""Share of the time with a request in the drive from which throughput tells of the drive, as in the note `mostly_idle`."""
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
    ("ftl.recovery.until_served.mean_s", "host served after a power cut, mean", "s"),
)
"""Totals of runs that have something to count: zones that the host collects, power cuts at which recovery was timed."""

HEADLINES = (*LATENCIES, *TOTALS)


def steadiness(summary: Mapping[str, object]) -> tuple[str, str]:
    """Whether throughput met SNIA's criterion of a steady state, in a word, and how far its rounds are from it."""
    active = summary.get("host.queue.active_share")
    if isinstance(active, int | float) and active < BUSY:
        share = percent(active)
        return (
            "not judged",
            f"a request was in the drive for {share} of the time: the host sets the rate",
        )
    steady = summary.get("sim.snia_steady")
    spread, slope = summary.get("sim.snia_spread"), summary.get("sim.snia_slope")
    if not (isinstance(spread, int | float) and isinstance(slope, int | float)):
        return "unknown", "the run is too short to tell, or was saved by an earlier version"
    found = f"five rounds differ by {percent(spread)}, slope {percent(slope)}"
    if not isinstance(steady, bool):
        said = "the drive keeps up with the arrivals, so this is the rate of the workload"
        return "not judged", f"{found}: {said}"
    return "yes" if steady else "no", f"{found} (SNIA allows 20 % and 10 %)"


def classes_of(summary: Mapping[str, object]) -> list[str]:
    """Classes of requests that a table of latencies has a row for: those that were served, never all of them together."""
    kinds = (*CLASSES, *OTHERS)
    found = [kind for kind in kinds if summary.get(f"host.{kind}.count")]
    told_apart = any(kind in OTHERS for kind in found)
    # a result of an earlier version does not tell them apart
    return found if told_apart or not summary.get("host.other.count") else [*found, "other"]
