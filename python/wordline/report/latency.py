"""How long requests take: the distribution, and its tail."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import altair as alt

from wordline.formatting import duration_us
from wordline.report.section import Figure, Row, Section
from wordline.report.theme import WIDTH, class_colour, data, specification

if TYPE_CHECKING:
    from wordline.results import Distribution, Result, Scalar

POINTS = 400
"""Points per curve; more cannot be seen."""
PERCENTILES = {
    "median": "p50",
    "95 %": "p95",
    "99 %": "p99",
    "99.9 %": "p999",
    "99.99 %": "p9999",
    "slowest": "max",
}
"""Columns of the table, and their figures in the summary."""
KINDS = ("read", "write")


def section(result: Result) -> Section:
    """Latency of reads and of writes."""
    summary = result.summary
    kinds = [kind for kind in KINDS if summary[f"host.{kind}.count"]]
    if not kinds:
        return Section("Latency", absent="The run held no reads and no writes.")
    points = [point for kind in kinds for point in curve(kind, result.latency[kind])]
    rows = [percentile_row(summary, kind) for kind in (*kinds, "all")]
    figures = [distribution(summary, kinds, points, rows), tail(summary, kinds, points, rows)]
    return Section("Latency", figures)


def distribution(
    summary: Mapping[str, Scalar], kinds: list[str], points: list[Row], rows: list[Row]
) -> Figure:
    """The cumulative distribution."""
    chart = (
        alt.Chart(data(points))
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(
            x=latency_axis(),
            y=alt.Y("share:Q", title="share of requests", axis=alt.Axis(format="%")),
            color=class_colour(kinds),
            tooltip=tooltip("share:Q", "no slower", ".2%"),
        )
        .properties(width=WIDTH, height=260)
    )
    halves = (
        f"half of the {kind}s end within {percentile(summary, kind, 'p50')}" for kind in kinds
    )
    return Figure(sentence(halves), specification(chart), rows)


def tail(
    summary: Mapping[str, Scalar], kinds: list[str], points: list[Row], rows: list[Row]
) -> Figure:
    """The share of requests slower than a latency, on two log axes."""
    chart = (
        # nothing is slower than the slowest, and zero has no place on a log axis
        alt.Chart(data(point for point in points if point["slower"] != 0))
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(
            x=latency_axis(),
            y=alt.Y(
                "slower:Q",
                title="share of requests that are slower",
                scale=alt.Scale(type="log"),
                axis=alt.Axis(format="~%", tickCount=6),
            ),
            color=class_colour(kinds),
            tooltip=tooltip("slower:Q", "slower", ".3~%"),
        )
        .properties(width=WIDTH, height=260)
    )
    tails = (
        f"one {kind} in a thousand takes longer than {percentile(summary, kind, 'p999')}"
        for kind in kinds
    )
    remark = (
        "Each line down is ten times rarer. A shelf in the curve is a second, slower population."
    )
    return Figure(sentence(tails), specification(chart), rows, remark)


def latency_axis() -> alt.X:
    """The logarithmic latency axis that both charts share."""
    return alt.X(
        "latency:Q",
        title="latency (µs, log scale)",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(format="~s", tickCount=8),
    )


def tooltip(share: str, title: str, form: str) -> list[alt.Tooltip]:
    """What the pointer shows on a curve."""
    return [
        alt.Tooltip("class:N"),
        alt.Tooltip("latency:Q", title="latency (µs)", format=",.4~g"),
        alt.Tooltip(share, title=title, format=form),
    ]


def curve(kind: str, latencies: Distribution) -> list[Row]:
    """At most `POINTS` points of one class's distribution.

    The simulator spaces its points evenly in the logarithm of the tail, so that every n-th one keeps
    the shape of body and tail alike.
    """
    values, shares = latencies.value_us.tolist(), latencies.fraction.tolist()
    step = -(-len(values) // POINTS)
    kept = {*range(0, len(values), max(step, 1)), len(values) - 1}
    return [
        {
            "class": kind,
            "latency": float(f"{values[index]:.5g}"),
            "share": float(f"{shares[index]:.7g}"),
            "slower": float(f"{1 - shares[index]:.5g}"),
        }
        for index in sorted(kept)
        if values[index] > 0
    ]


def percentile_row(summary: Mapping[str, Scalar], kind: str) -> Row:
    """One line of the percentile table."""
    latency = f"host.{kind}.latency"
    return {
        "class": kind,
        "requests": summary[f"host.{kind}.count"],
        "mean (µs)": summary[f"{latency}.mean_us"],
        **{f"{name} (µs)": summary[f"{latency}.{key}_us"] for name, key in PERCENTILES.items()},
    }


def percentile(summary: Mapping[str, Scalar], kind: str, name: str) -> str:
    """A percentile, in words."""
    value = summary[f"host.{kind}.latency.{name}_us"]
    return duration_us(value) if isinstance(value, int | float) else "an unknown time"


def sentence(parts: Iterable[str]) -> str:
    """Clauses as one sentence."""
    text = ", ".join(parts)
    return text[0].upper() + text[1:]
