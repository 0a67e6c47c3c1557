"""How sequential a trace is."""

from __future__ import annotations

import altair as alt

from wordline.formatting import binary_size, display
from wordline.report.section import Figure, Row, Section
from wordline.report.theme import WIDTH, data, specification
from wordline.traces import Tree


def section(stats: Tree) -> Section:
    """Runs of requests that follow each other without a gap."""
    runs = stats["sequential"]
    total = sum(bucket["count"] for bucket in runs["run_histogram"])
    rows: list[Row] = [
        {
            "requests from": f"{bucket['from']:,}",
            "runs": bucket["count"],
            "share": bucket["count"] / total,
        }
        for bucket in runs["run_histogram"]
    ]
    chart = (
        alt.Chart(data(rows))
        .mark_bar(color="#0072b2")
        .encode(
            x=alt.X("requests from:O", sort=None, axis=alt.Axis(labelAngle=-45)),
            y=alt.Y("share:Q", title="share of runs", axis=alt.Axis(format="%")),
            tooltip=["requests from:O", "runs:Q", alt.Tooltip("share:Q", format=".2%")],
        )
        .properties(width=WIDTH, height=180)
    )
    longest = binary_size(float(f"{runs['longest_run_bytes']:.3g}"))
    title = (
        f"{stats['sequential_percent']:.1f} % of the requests start where the one before on their "
        f"device ended; the longest run has {longest}"
    )
    shares = ", ".join(
        f"{runs[f'{kind}_percent']:.1f} % of the {kind}s"
        for kind in ("read", "write")
        if runs[f"{kind}_percent"] is not None
    )
    remark = (
        f"A run has {display(runs['mean_run_requests'])} requests on average. Sequential are {shares}, "
        f"and {runs['streams_percent']:.1f} % of all requests if one may go on where any of the last 32 "
        "requests of its device ended."
    )
    return Section("Runs", [Figure(title, specification(chart), rows, remark)])
