"""The page of a run by sampling: estimates with intervals, whether the load can be sampled, and the windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from wordline.formatting import counted, display
from wordline.report.html import Cards, Page
from wordline.report.section import Figure, Row, Section
from wordline.report.theme import WIDTH, data, specification

if TYPE_CHECKING:
    from wordline.sampled.intervals import SampledFigure
    from wordline.sampled.result import SampledResult

SHOWN = {
    "host.all.latency.mean_us": "mean response time (µs)",
    "host.all.latency.p99_us": "99th percentile (µs)",
    "host.iops": "requests/s",
    "ftl.write_amplification": "write amplification",
}
"""Figures that the page begins with."""


def verdict(result: SampledResult) -> str:
    """Whether the load can be sampled, in a sentence."""
    of = f"{counted(result.windows, 'window')} of {counted(result.sampling.requests, 'request')}, of {counted(result.requests, 'request')}"
    if result.can_be_sampled:
        return f"{of}: nothing speaks against sampling this load"
    return f"{of}: THIS LOAD CANNOT BE SAMPLED, the figures do not stand for the run"


def rows(result: SampledResult) -> list[Row]:
    """The estimates."""
    percent = f"{result.sampling.confidence:.0%}"
    return [
        {
            "figure": key,
            "estimate": estimate.value,
            f"{percent} from": estimate.low,
            "to": estimate.high,
        }
        for key, estimate in result.figures.items()
    ]


def render(result: SampledResult) -> str:
    """The page."""
    sections = [
        Section("Estimates", rows=rows(result)),
        Section("Windows", [over_the_run(result)]),
    ]
    return Page(
        "A run by sampling",
        sections,
        subtitle=f"{counted(result.windows, 'window')} in {counted(result.requests, 'request')}",
        lead=[verdict(result)],
        boxes=[(note.severity, note.text) for note in result.notes],
        cards=cards(result),
    ).html()


def cards(result: SampledResult) -> Cards:
    """The figures that the page begins with."""
    found = {name: result.figures[key] for key, name in SHOWN.items() if key in result.figures}
    return [(name, display(estimate.value), interval(estimate)) for name, estimate in found.items()]


def interval(estimate: SampledFigure) -> str:
    """The interval of an estimate in words."""
    if estimate.low is None:
        return "no interval: this load cannot be sampled"
    if estimate.high is None:
        return f"at least {display(estimate.low)}"
    return f"{display(estimate.low)} to {display(estimate.high)}"


def over_the_run(result: SampledResult) -> Figure:
    """The mean response time of each window."""
    windows = result.window_rows
    chart = (
        alt.Chart(data(windows))
        .mark_line(point=True)
        .encode(
            x=alt.X("first_request:Q", title="first request that was measured"),
            y=alt.Y("mean_us:Q", title="mean response time (µs)"),
            tooltip=["window:Q", alt.Tooltip("mean_us:Q", format=",.1f")],
        )
        .properties(width=WIDTH - 80, height=240)
    )
    means = [float(str(row["mean_us"])) for row in windows]
    title = (
        f"Response times of windows lie between {display(min(means))} and {display(max(means))} µs"
    )
    remark = "Windows that differ by chance alone have no trend, and neighbours are not alike."
    return Figure(title, specification(chart), windows, remark, name="windows")
