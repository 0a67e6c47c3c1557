"""The summary against the table of requests."""

from __future__ import annotations

import math
from collections.abc import Iterator

import polars as pl

from configurations.checks.run import Run, number, unequal

SECTOR = 512
CLASSES = ("read", "write", "other")
MOVING = CLASSES[:2]
"""Classes of requests that move data; the table tells the others apart."""


def of_class(requests: pl.DataFrame, name: str) -> pl.DataFrame:
    """The requests of a class of the summary."""
    moves = pl.col("class").is_in(MOVING)
    return requests.filter(~moves if name == "other" else pl.col("class") == name)


PERCENTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999, "p9999": 0.9999}
WITHIN = 1e-3
"""Share by which a percentile may be above the exact one."""


ADMIT_BY_END = {"dlv", "woo", "roo", "pv_reorder"}
"""Schedulers that admit the request that would end first."""


def requests_make_sense(run: Run) -> Iterator[str]:
    table = run.requests
    if not table.filter(pl.col("admitted_ns") < pl.col("arrival_ns")).is_empty():
        yield "requests: admitted before it arrived"
    if not table.filter(pl.col("completed_ns") < pl.col("admitted_ns")).is_empty():
        yield "requests: acknowledged before it was admitted"
    served = table["arrival_ns"] + table["waiting_ns"]
    if (served < table["admitted_ns"]).any():
        yield "requests: served before it was admitted"
    if (served + table["processing_ns"] != table["completed_ns"]).any():
        yield "requests: waiting and processing time are not the response time"
    if not table["completed_ns"].is_sorted():
        yield "requests: not in order of acknowledgement"
    if table["number"].n_unique() != table.height:
        yield "requests: a number stands twice"
    if not table.filter(pl.col("completed_ns") < run.start_ns).is_empty():
        yield "requests: acknowledged in the warm-up"
    whole = run.is_logged_in_full and not run.start_ns
    if whole and table.height and table["number"].max() != table.height - 1:
        yield f"requests: {table.height} are numbered up to {number(table['number'].max()):.0f}"
    if run.key("scheduler.policy") in ADMIT_BY_END:
        return
    # others pass the writes that wait at the door of a full queue of writes
    kept = ["queue", "class"] if run.key("scheduler.max_writes") else ["queue"]
    for _, queue in table.sort("number").group_by(kept):
        if not queue["admitted_ns"].is_sorted():
            yield "requests: a queue did not keep the order in which they were sent"


def summary_counts_the_requests(run: Run) -> Iterator[str]:
    if not run.is_logged_in_full or run.requests.is_empty():
        return
    first = max(number(run.requests["arrival_ns"].min()), run.start_ns)
    window = number(run.requests["completed_ns"].max()) - first
    yield from unequal("sim.window_s", run["sim.window_s"], window / 1e9)
    moved = 0
    for name in CLASSES:
        rows = of_class(run.requests, name)
        # those that ended with an error moved nothing
        done = rows.filter(pl.col("status") == "good")
        amount = int(done["sectors"].cast(pl.UInt64).sum()) * SECTOR
        moved += amount if name != "other" else 0
        yield from unequal(f"host.{name}.count", run[f"host.{name}.count"], rows.height)
        yield from unequal(f"host.{name}.bytes", run[f"host.{name}.bytes"], amount)
        if window:
            yield from unequal(
                f"host.{name}.iops", run[f"host.{name}.iops"], rows.height / window * 1e9
            )
    yield from unequal("host.all.count", run["host.all.count"], run.requests.height)
    yield from unequal("host.all.bytes", run["host.all.bytes"], moved)
    if window:
        yield from unequal("host.iops", run["host.iops"], run.requests.height / window * 1e9)
        yield from unequal("host.bandwidth_mb_s", run["host.bandwidth_mb_s"], moved / window * 1e3)
    if run["sim.time_s"] < run["sim.window_s"]:
        yield f"sim.time_s: {run['sim.time_s']} is less than the window of {run['sim.window_s']}"


def latencies_are_those_of_the_requests(run: Run) -> Iterator[str]:
    if run.is_logged_in_full:
        for name in CLASSES:
            rows = of_class(run.requests, name)
            yield from latencies(run, f"host.{name}", rows)
        yield from latencies(run, "host.all", run.requests)


def latencies(run: Run, prefix: str, rows: pl.DataFrame) -> Iterator[str]:
    """The figures of latency against rows of the table."""
    taken = (rows["completed_ns"] - rows["arrival_ns"]).sort()
    if taken.is_empty():
        return
    exact = {"mean": sum(taken) / len(taken), "min": taken[0], "max": taken[-1]}
    for name, value in exact.items():
        key = f"{prefix}.latency.{name}_us"
        yield from unequal(key, run[key], value / 1e3)
    for name, share in PERCENTILES.items():
        key = f"{prefix}.latency.{name}_us"
        value = taken[max(1, math.ceil(share * len(taken))) - 1] / 1e3
        if not value * (1 - 1e-12) <= run[key] <= value * (1 + WITHIN) + 1e-3:
            yield f"{key}: {run[key]}, worked out {value}"


def the_queue_is_that_of_the_requests(run: Run) -> Iterator[str]:
    table = run.requests
    if not run.is_logged_in_full or table.is_empty():
        return
    waited = table["admitted_ns"] - table["arrival_ns"]
    # what was before measuring began belongs to neither side of Little's law
    table = table.with_columns(pl.col("admitted_ns").clip(lower_bound=run.start_ns))
    inside = table["completed_ns"] - table["admitted_ns"]
    key = "host.queue.wait_mean_us"
    yield from unequal(key, run[key], sum(waited) / len(waited) / 1e3)
    key = "host.queue.wait_max_us"
    yield from unequal(key, run[key], number(waited.max()) / 1e3)
    window = run["sim.window_s"] * 1e9
    if window:
        key = "host.queue.mean_depth"
        yield from unequal(key, run[key], sum(inside) / window)
    # those that were in the drive for a while: at one instant, one may leave before another enters, or after
    least = deepest(table, leaving_first=True)
    most = deepest(table, leaving_first=False)
    if not least <= run["host.queue.max_depth"] <= most:
        yield f"host.queue.max_depth: {run['host.queue.max_depth']}, worked out {least} to {most}"


def deepest(table: pl.DataFrame, *, leaving_first: bool) -> int:
    """Most requests in the drive at once, worked out from their times."""
    enter, leave = (1, 0) if leaving_first else (0, 1)
    events = pl.concat(
        [
            table.select(at="admitted_ns", order=pl.lit(enter), step=pl.lit(1)),
            table.select(at="completed_ns", order=pl.lit(leave), step=pl.lit(-1)),
        ]
    ).sort("at", "order")
    return int(number(events["step"].cum_sum().max()))


def tenants_share_the_requests(run: Run) -> Iterator[str]:
    names = sorted({key.split(".")[1] for key in run.result.summary if key.startswith("tenants.")})
    if not names:
        return
    for name in (*CLASSES, "all"):
        counts = sum(run[f"tenants.{tenant}.{name}.count"] for tenant in names)
        yield from unequal(f"tenants.*.{name}.count", counts, run[f"host.{name}.count"])
    amounts = sum(run[f"tenants.{tenant}.bytes"] for tenant in names)
    yield from unequal("tenants.*.bytes", amounts, run["host.all.bytes"])
    if run.is_logged_in_full:
        own = {tenant: run[f"tenants.{tenant}.all.count"] for tenant in names}
        rows = sorted(run.requests.group_by("queue").len()["len"])
        if rows != sorted(int(count) for count in own.values() if count):
            yield f"tenants.*.all.count: {own}, by queue {rows}"


def slowest_requests_are_the_slowest(run: Run) -> Iterator[str]:
    slowest = run.result.slowest
    latency = pl.col("completed_ns") - pl.col("arrival_ns")
    for name in CLASSES:
        kept = slowest.filter(pl.col("class") == name).select(latency.alias("ns"))["ns"]
        if not run.is_logged_in_full or kept.is_empty():
            continue
        rows = of_class(run.requests, name)
        expected = rows.select(latency.alias("ns"))["ns"].sort(descending=True)[: len(kept)]
        if kept.sort(descending=True).to_list() != expected.to_list():
            yield f"slowest {name}: {kept.to_list()}, worked out {expected.to_list()}"
    parts = run.result.slowest_parts.group_by("row").agg(pl.col("ns").sum()).sort("row")
    taken = slowest.select(latency.alias("ns"))["ns"]
    for row, ns in parts.rows():
        yield from unequal("slowest_parts", ns, taken[row])
