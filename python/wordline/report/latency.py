"""How long requests take: the distribution, and its tail."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

from wordline.explaining import RARE, is_longest
from wordline.formatting import duration_us
from wordline.headlines import classes_of
from wordline.report.section import Figure, Row, Section
from wordline.report.theme import (
    WIDTH,
    class_colour,
    data,
    duration_axis,
    fade,
    picked,
    specification,
)

if TYPE_CHECKING:
    from wordline.results import Distribution, Result, Scalar

FIRST = 1e-3
"""Share of the requests at which the axis of latencies begins: the few that are faster, most often answered from memory, would take much of
its length."""
CUT = "The axis begins where 0.1 % of the requests have ended; a few are faster."
"""What is said of an axis that does."""
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
PERCENTILES_BELOW = {
    "1": "all",
    "0.5": "50 %: median",
    "0.1": "10 %: p90",
    "0.01": "1 %: p99",
    "0.001": "0.1 %: p99.9",
    "0.0001": "0.01 %: p99.99",
    "0.00001": "0.001 %: p99.999",
    "0.000001": "one in a million",
}
"""Ticks of the tail's axis as JavaScript writes them, each with the percentile that it is."""
TAIL_REMARK = (
    "Each gridline down is ten times rarer. A plateau means a second, slower group of requests."
)


def section(result: Result) -> Section:
    """Latency of reads and of writes."""
    if not kinds_of(result):
        return Section("Latency", absent="The run held no reads and no writes.")
    return Section("Latency", [distribution(result), tail(result)])


def kinds_of(result: Result) -> list[str]:
    """The classes that occurred."""
    return [kind for kind in KINDS if result.summary[f"host.{kind}.count"]]


def distribution(result: Result) -> Figure:
    """The cumulative distribution."""
    kinds = kinds_of(result)
    points = curves(result)
    chart = body_chart(points, class_colour(kinds), "class")
    halves = (
        f"half of the {kind}s end within {percentile(result.summary, kind, 'p50')}"
        for kind in kinds
    )
    rows = percentile_rows(result)
    return Figure(sentence(halves), specification(chart), rows, remark(points), name="latency")


def tail(result: Result) -> Figure:
    """The share of requests slower than a latency, on two log axes."""
    kinds = kinds_of(result)
    points = curves(result)
    chart = tail_chart(points, class_colour(kinds), "class")
    tails = (slowest(result.summary, kind) for kind in kinds)
    rows = percentile_rows(result)
    said = remark(points, TAIL_REMARK)
    return Figure(sentence(tails), specification(chart), rows, said, "percentiles")


def body_chart(points: Sequence[Row], colour: alt.Color, field: str) -> alt.Chart:
    """Cumulative distributions, one for each value of `field`."""
    chosen = picked(field)
    chart: alt.Chart = (
        alt.Chart(data(points))
        .mark_line(interpolate="step-after", strokeWidth=2, clip=True)
        .encode(
            x=latency_axis(points),
            y=alt.Y("share:Q", title="share of requests", axis=alt.Axis(format="%")),
            color=colour,
            opacity=fade(chosen),
            detail="curve:N",
            tooltip=tooltip(field, "share:Q", "no slower", ".2%"),
        )
        .add_params(chosen)
        .properties(width=WIDTH, height=260)
    )
    return chart


def tail_chart(points: Sequence[Row], colour: alt.Color, field: str) -> alt.Chart:
    """Shares of requests that are slower, one curve for each value of `field`."""
    chosen = picked(field)
    shares = [float(str(point["slower"])) for point in points]
    rarest = 10 ** math.floor(
        math.log10(min((share for share in shares if share), default=1.0)) - 1e-9
    )
    # nothing is slower than the slowest, and zero has no place on a log axis: there the curve falls to its end
    beyond = [
        point if share else {**point, "slower": rarest}
        for point, share in zip(points, shares, strict=True)
    ]
    chart: alt.Chart = (
        alt.Chart(data(beyond))
        .mark_line(interpolate="step-after", strokeWidth=2, clip=True)
        .encode(
            x=latency_axis(points),
            y=alt.Y(
                "slower:Q",
                title="share of requests that are slower",
                scale=alt.Scale(type="log", domain=[rarest, 1], nice=False),
                axis=alt.Axis(
                    values=list(map(float, PERCENTILES_BELOW)),
                    labelExpr=f"({json.dumps(PERCENTILES_BELOW)})[datum.value]",
                ),
            ),
            color=colour,
            opacity=fade(chosen),
            detail="curve:N",
            tooltip=tooltip(field, "slower:Q", "slower", ".3~%"),
        )
        .add_params(chosen)
        .properties(width=WIDTH, height=260)
    )
    return chart


def curves(result: Result) -> list[Row]:
    """The distributions of the classes that occurred, as points."""
    return [
        {"class": kind, "curve": kind, **point}
        for kind in kinds_of(result)
        for point in curve(result.latency[kind])
    ]


def latency_axis(points: Sequence[Mapping[str, Any]]) -> alt.X:
    """The logarithmic latency axis that both charts share: from where one request in a thousand has ended."""
    # where no request took any time there is no point on a logarithmic axis
    high = max((point["latency"] for point in points), default=1.0)
    low = beginning(points, high)
    margin = 1.02 if high > 1.1 * low else 1.1
    return alt.X(
        "latency:Q",
        title="latency (log scale)",
        scale=alt.Scale(type="log", nice=False, domain=[low / margin, high * margin]),
        axis=duration_axis(low / margin, high * margin),
    )


def beginning(points: Sequence[Mapping[str, Any]], otherwise: float = 1.0) -> float:
    """The latency at which the axis begins."""
    found = (point["latency"] for point in points if point["share"] >= FIRST)
    return float(min(found, default=otherwise))


def remark(points: Sequence[Mapping[str, Any]], said: str = "") -> str:
    """How to read a chart of these points, beside what is `said` anyway."""
    is_cut = any(point["latency"] < beginning(points) for point in points)
    return f"{said} {CUT}".strip() if is_cut else said


def tooltip(field: str, share: str, title: str, form: str) -> list[alt.Tooltip]:
    """What the pointer shows on a curve."""
    return [
        alt.Tooltip(f"{field}:N"),
        alt.Tooltip("latency:Q", title="latency (µs)", format=",.4~g"),
        alt.Tooltip(share, title=title, format=form),
    ]


def curve(latencies: Distribution, points: int = POINTS) -> list[Row]:
    """At most about `points` points of one distribution.

    The simulator spaces its points evenly in the logarithm of the tail, so that every n-th one keeps
    the shape of body and tail alike.
    """
    values, shares = latencies.value_us.tolist(), latencies.fraction.tolist()
    step = -(-len(values) // points)
    kept = [
        place
        for place in sorted({*range(0, len(values), max(step, 1)), len(values) - 1})
        if values[place] > 0
    ]
    # the curve rises from the least latency
    start: list[Row] = [
        {"latency": float(f"{values[place]:.5g}"), "share": 0.0, "slower": 1.0}
        for place in kept[:1]
    ]
    return start + [
        {
            "latency": float(f"{values[index]:.5g}"),
            "share": float(f"{shares[index]:.7g}"),
            "slower": float(f"{1 - shares[index]:.5g}"),
        }
        for index in kept
    ]


def percentile_rows(result: Result) -> list[Row]:
    """The percentile table."""
    return [percentile_row(result.summary, kind) for kind in classes_of(result.summary)]


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


def slowest(summary: Mapping[str, Scalar], kind: str) -> str:
    """How long the slowest requests of a class take, as rare ones as there are."""
    count = summary[f"host.{kind}.count"]
    for least, who, point, _ in RARE:
        if isinstance(count, int) and count >= least and not is_longest(summary, kind, point):
            return f"the slowest {who} of {kind}s take more than {percentile(summary, kind, point)}"
    return f"the slowest {kind} takes {percentile(summary, kind, 'max')}"


def sentence(parts: Iterable[str]) -> str:
    """Clauses as one sentence."""
    text = ", ".join(parts)
    return text[0].upper() + text[1:]
