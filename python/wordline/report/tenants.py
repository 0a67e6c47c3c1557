"""Several workloads on one drive: what each of them got."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import altair as alt

from wordline.formatting import duration_us
from wordline.report.section import Figure, Row, Section
from wordline.report.theme import WIDTH, colours, data, duration_axis, fade, picked, specification
from wordline.tenants import figure_of, rows_of, tenant_names

if TYPE_CHECKING:
    from wordline.results import Result, Scalar

POINTS = {"mean": "mean", "median": "p50", "99 %": "p99", "99.9 %": "p999"}
"""Points of the chart, and their figures in the summary."""
POINT_COLOURS = ("#111827", "#56b4e9", "#e69f00", "#d55e00")
MOST_IN_CHART = 24
"""Tenants in the chart; the table has all."""


def section(result: Result) -> Section | None:
    """Throughput and latency of each tenant; nothing where there is only one workload."""
    summary = result.summary
    names = tenant_names(summary)
    if not names:
        return None
    rows = [row(summary, prefix, name) for prefix, name in rows_of(summary)]
    figure = latency(summary, names, rows)
    return Section("Tenants", [figure] if figure else [], absent="No tenant had a request served.")


def row(summary: Mapping[str, Scalar], prefix: str, name: str) -> Row:
    """The line of the table of a tenant, or of jobs that are reported together, whose figures stand below a prefix."""
    figures = {
        f"{kind} {point} (µs)": summary[f"{prefix}.{kind}.latency.{figure}_us"]
        for kind in ("read", "write")
        for point, figure in POINTS.items()
    }
    return {
        "tenant": name,
        "requests": summary[f"{prefix}.all.count"],
        "requests /s": summary[f"{prefix}.iops"],
        "MB/s": summary[f"{prefix}.bandwidth_mb_s"],
        **figures,
    }


def latency(summary: Mapping[str, Scalar], names: list[str], rows: list[Row]) -> Figure | None:
    """Mean and percentiles of every tenant's latency."""
    points: list[dict[str, Any]] = [
        {"tenant": name, "point": point, "latency": value}
        for name in names[:MOST_IN_CHART]
        for point, figure in POINTS.items()
        if (value := figure_of(summary, name, f"all.latency.{figure}_us"))
    ]
    if not points:
        return None
    latencies = [point["latency"] for point in points]
    low, high = min(latencies) / 1.2, max(latencies) * 1.2
    chosen = picked("point")
    chart = (
        alt.Chart(data(points))
        .mark_point(filled=True, size=90)
        .encode(
            x=alt.X(
                "latency:Q",
                title="latency (log scale)",
                scale=alt.Scale(type="log", nice=False, domain=[low, high]),
                axis=duration_axis(low, high),
            ),
            y=alt.Y("tenant:N", title=None, sort=names),
            color=colours("point", list(POINTS), list(POINT_COLOURS)),
            opacity=fade(chosen, 0.9),
            shape=alt.Shape("point:N", scale=alt.Scale(domain=list(POINTS))),
            tooltip=[
                "tenant:N",
                "point:N",
                alt.Tooltip("latency:Q", title="latency (µs)", format=",.4~g"),
            ],
        )
        .add_params(chosen)
        .properties(width=WIDTH, height=max(80, 28 * len(names[:MOST_IN_CHART])))
    )
    fairness = summary.get("host.fairness.bandwidth")
    shared = (
        f"{len(names)} tenants shared the drive with a fairness of {fairness:.2f} "
        "(Jain's index of their bandwidth; 1: all had the same)"
        if isinstance(fairness, float)
        else f"{len(names)} tenants that did not all run at one time"
    )
    means = {
        name: mean for name in names if (mean := figure_of(summary, name, "all.latency.mean_us"))
    }
    if means:
        slowest = max(means, key=lambda name: means[name])
        shared += f"; {slowest} waited longest, {duration_us(means[slowest])} on average"
    return Figure(title=shared, chart=specification(chart), rows=rows, name="tenants")
