"""When requests arrive: gaps and burstiness."""

from __future__ import annotations

import altair as alt

from wordline.formatting import display, duration_us
from wordline.report.section import Figure, Section
from wordline.report.theme import WIDTH, data, specification
from wordline.report.trace.bars import time
from wordline.traces import Tree


def section(stats: Tree) -> Section:
    """Gaps between arrivals, and burstiness by time scale."""
    if not stats["interarrival"]["max_us"]:
        return Section("Arrivals", absent="All requests arrive at the same time.")
    figures = [gaps(stats)]
    if stats["dispersion"]:
        figures.append(dispersion(stats))
    return Section("Arrivals", figures)


def gaps(stats: Tree) -> Figure:
    """The distribution of the gaps."""
    buckets = stats["interarrival_histogram"]
    total = sum(bucket["count"] for bucket in buckets)
    rows, upto = [], 0
    for bucket in buckets:
        upto += bucket["count"]
        rows.append(
            {
                "gap from": time(bucket["from"]),
                "gaps": bucket["count"],
                "share": bucket["count"] / total,
                "no longer": upto / total,
            }
        )
    axis = alt.X("gap from:O", sort=None, axis=alt.Axis(labelAngle=-45))
    base = alt.Chart(data(rows))
    chart = (
        alt.layer(
            base.mark_bar(color="#0072b2").encode(
                x=axis,
                y=alt.Y("share:Q", title="share of gaps", axis=alt.Axis(format="%")),
                tooltip=["gap from:O", "gaps:Q", alt.Tooltip("share:Q", format=".2%")],
            ),
            base.mark_line(color="#d55e00", strokeWidth=2).encode(
                x=axis,
                y=alt.Y("no longer:Q", title="shorter than twice this", axis=alt.Axis(format="%")),
                tooltip=["gap from:O", alt.Tooltip("no longer:Q", format=".2%")],
            ),
        )
        .resolve_scale(y="independent")
        .properties(width=WIDTH, height=220)
    )
    gap = stats["interarrival"]
    title = (
        f"Half of the gaps are below {duration_us(gap['p50_us'])}, one in a hundred is above "
        f"{duration_us(gap['p99_us'])}"
    )
    remark = (
        f"The mean is {duration_us(stats['mean_interarrival_ms'] * 1e3)}, the coefficient of "
        f"variation {display(gap['cv'])}: 1 would be a Poisson process, more is bursty. "
        "A bar counts the gaps from its label to below twice that; the line adds them up."
    )
    return Figure(title, specification(chart), rows, remark)


def dispersion(stats: Tree) -> Figure:
    """The index of dispersion over the length of the window."""
    rows = [
        {
            "window (s)": row["window_s"],
            "windows": row["windows"],
            "index of dispersion": row["index"],
            "busiest over mean": row["peak_to_mean"],
        }
        for row in stats["dispersion"]
    ]
    points = [row for row in rows if row["index of dispersion"] > 0]
    chart = (
        alt.Chart(data(points))
        .mark_line(point=True, strokeWidth=2, color="#0072b2")
        .encode(
            x=alt.X("window (s):Q", scale=alt.Scale(type="log"), axis=alt.Axis(format="~g")),
            y=alt.Y(
                "index of dispersion:Q", scale=alt.Scale(type="log"), axis=alt.Axis(format="~g")
            ),
            tooltip=["window (s):Q", "index of dispersion:Q", "busiest over mean:Q"],
        )
        .properties(width=WIDTH, height=220)
    )
    worst = max(rows, key=lambda row: row["busiest over mean"])
    title = (
        f"The busiest {display(worst['window (s)'])} s hold {display(worst['busiest over mean'])} "
        "times the mean number of arrivals"
    )
    remark = (
        "Variance over mean of the arrivals in a window. A Poisson process is 1 at every length; a "
        "curve that goes on rising means bursts within bursts."
    )
    return Figure(title, specification(chart), rows, remark)
