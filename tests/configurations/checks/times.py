"""Where time went, and what happened over time, against the totals."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from configurations.checks.requests import CLASSES
from configurations.checks.run import Run, number, unequal

PARTS = 1e-6
"""Share by which sums of rounded means may differ from a mean."""


def parts_sum_to_latencies(run: Run) -> Iterator[str]:
    table = run.result.attribution
    bands = table.group_by("class", "band").agg(
        pl.col("requests", "latency_mean_us").first(), pl.col("part_mean_us").sum()
    )
    for name, band, _, latency, parts in bands.rows():
        yield from unequal(f"attribution of {name} {band}", parts, latency, PARTS)
    for name in CLASSES:
        rows = bands.filter(pl.col("class") == name)
        if rows.is_empty():
            continue
        requests = int(rows["requests"].sum())
        # requests that took no time have no parts
        latency = float((rows["requests"] * rows["latency_mean_us"]).sum())
        total = run[f"host.{name}.latency.mean_us"] * run[f"host.{name}.count"]
        yield from unequal(f"attribution of {name}", latency, total, PARTS)
        parts = run.family(f"attribution.{name}.", "_us")
        yield from unequal(
            f"attribution.{name}.*", sum(parts.values()), run[f"host.{name}.latency.mean_us"], PARTS
        )
        if requests > run[f"host.{name}.count"]:
            yield f"attribution of {name}: {requests} requests"


SUMS = {
    "reads": "host.read.count",
    "writes": "host.write.count",
    "others": "host.other.count",
    "read_bytes": "host.read.bytes",
    "written_bytes": "host.write.bytes",
    "pages_programmed_host": "ftl.pages_programmed.host",
    "pages_programmed_gc": "ftl.pages_programmed.gc",
    "pages_read": "ftl.pages_read",
    "blocks_erased": "ftl.blocks_erased",
}
"""Figures of the summary that columns of the time series sum to."""


def windows_sum_to_totals(run: Run) -> Iterator[str]:
    table = run.result.time_series
    for column, key in SUMS.items():
        yield from unequal(f"time_series.{column}", float(table[column].sum()), run[key])
    programs = sum(
        int(table[f"pages_programmed_{cause}"].sum()) for cause in ("host", "gc", "other")
    )
    yield from unequal("time_series.pages_programmed_*", programs, run["ftl.pages_programmed"])
    # the one window of a run without time is 1 ns wide
    width = max(run["sim.time_s"] * 1e9, 1.0)
    yield from unequal("time_series.width_ns", float(table["width_ns"].sum()), width)
    for count, mean in (("reads", "read"), ("writes", "write"), ("others", "other")):
        total = number((table[count] * table[f"{mean}_mean_us"]).sum())
        name = f"host.{mean}.latency.mean_us"
        yield from unequal(
            f"time_series.{mean}_mean_us", total, run[name] * run[f"host.{mean}.count"]
        )
        most = number(table[f"{mean}_max_us"].max())
        yield from unequal(
            f"time_series.{mean}_max_us",
            most,
            run[f"host.{mean}.latency.max_us"],
        )
    inside = float((table["outstanding_mean"] * table["width_ns"]).sum())
    expected = run["host.queue.mean_depth"] * run["sim.window_s"] * 1e9
    if run.has("host.queue.mean_depth"):
        yield from unequal("time_series.outstanding_mean", inside, expected)


def utilisation_averages_to_the_summary(run: Run) -> Iterator[str]:
    table = run.result.utilisation
    for name in ("die", "channel"):
        rows = table.filter(pl.col("track") == name)
        if rows.is_empty():
            continue
        most = number(rows["busy"].max())
        if most > 1 + 1e-9:
            yield f"utilisation.busy of a {name}: {most}"
        if not rows.filter(pl.col("background") > pl.col("busy") + 1e-9).is_empty():
            yield f"utilisation.background of a {name}: more than busy"
        busy = float((rows["busy"] * rows["width_ns"]).sum())
        whole = run["sim.time_s"] * 1e9 * rows["unit"].n_unique()
        key = f"nand.{name}_utilization"
        if whole:
            yield from unequal(f"utilisation of {name}s and {key}", busy / whole, run[key], PARTS)


def distribution_rises_to_one(run: Run) -> Iterator[str]:
    table = run.result.distribution
    for name in ("read", "write", "all"):
        rows = table.filter(pl.col("class") == name)
        if rows.is_empty() != (run[f"host.{name}.count"] == 0):
            yield f"distribution of {name}: {rows.height} points"
        if rows.is_empty():
            continue
        if not (rows["latency_us"].is_sorted() and rows["share"].is_sorted()):
            yield f"distribution of {name}: it falls"
        yield from unequal(f"distribution.share of {name}", rows["share"][-1], 1)
        most = f"host.{name}.latency.max_us"
        yield from unequal(f"distribution.latency_us of {name}", rows["latency_us"][-1], run[most])
