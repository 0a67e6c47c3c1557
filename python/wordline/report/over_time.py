"""How the run went: throughput, latency and background work over simulated time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from wordline.formatting import duration_us, percentage
from wordline.report.section import Figure, Row, Section
from wordline.report.theme import (
    AMOUNTS,
    DURATIONS,
    WIDTH,
    class_colour,
    counts,
    data,
    duration_axis,
    fade,
    picked,
    specification,
    time_axis,
)

if TYPE_CHECKING:
    from wordline.results import Result

POINTS = 300
"""Windows that are drawn; with more, neighbours are merged."""
BYTES = {"read": "read_bytes", "write": "written_bytes"}
"""Classes that are drawn, and the column of their bytes."""
GC_COLOUR = "#cc79a7"
MOVED = {"gc": "pages_programmed_gc", "other": "pages_programmed_other"}
"""Background programs that are drawn, and their columns."""
REMARK = (
    "Every point is one window of simulated time, shaded where garbage collection moved pages, the darker the more. A "
    "peak of latency where nothing is shaded has another cause. Where requests pile up in the drive, latency "
    "is waiting."
)


def section(result: Result) -> Section:
    """Throughput, latency and garbage collection over time."""
    windows = merged(result.time_series)
    full = result.summary.get("ftl.slc_cache.full_at_s")
    kinds = [kind for kind in BYTES if windows[f"{kind}s"].sum() > 0]
    if windows.height < 2 or not kinds:
        return Section("Over time", absent="The run is too short to be cut into windows of time.")
    found = figure(windows, kinds, full if isinstance(full, float) else None)
    return Section("Over time", [found])


def merged(series: pl.DataFrame) -> pl.DataFrame:
    """At most `POINTS` windows, in seconds and MB/s."""
    per_point = max(-(-series.height // POINTS), 1)
    width_s = pl.col("width_ns").sum() / 1e9
    columns = [
        pl.col("start_ns").first().alias("start_s") / 1e9,
        (pl.col("start_ns") + pl.col("width_ns")).last().alias("end_s") / 1e9,
    ]
    for kind, bytes_ in BYTES.items():
        requests, mean = pl.col(f"{kind}s"), pl.col(f"{kind}_mean_us")
        columns += [
            requests.sum(),
            (pl.col(bytes_).sum() / 1e6 / width_s).alias(f"{kind}_mb_s"),
            # a window without requests has no latency
            pl.when(requests.sum() > 0)
            .then((requests * mean).sum() / requests.sum())
            .alias(mean.meta.output_name()),
            pl.when(requests.sum() > 0)
            .then(pl.col(f"{kind}_max_us").max())
            .alias(f"{kind}_max_us"),
        ]
    columns += [pl.col("blocks_erased", *MOVED.values()).sum()]
    width = pl.col("width_ns")
    columns += [(pl.col("outstanding_mean") * width).sum() / width.sum()]
    return (
        series.group_by(pl.int_range(pl.len()).alias("point") // per_point, maintain_order=True)
        .agg(columns)
        .drop("point")
    )


def figure(windows: pl.DataFrame, kinds: list[str], full: float | None) -> Figure:
    """Panels above one time axis; `full` is the second at which the SLC cache was first full."""
    rows = list(windows.iter_rows(named=True))
    points = [point for row in rows for point in by_class(row, kinds)]
    moved = any(windows[column].sum() for column in MOVED.values())
    shade = [*collection(rows), *cliff(full)]
    panels = [
        alt.layer(*shade, panel(points, kinds, "throughput", "throughput (MB/s)", 150)),
        alt.layer(*shade, panel(points, kinds, "mean", "mean latency", 110)),
        alt.layer(*shade, panel(points, kinds, "slowest", "slowest (log scale)", 140, log=True)),
        depth(rows, is_above=moved),
        *([background(rows)] if moved else []),
    ]
    chart = alt.vconcat(*panels, spacing=12).resolve_scale(x="shared", color="independent")
    said, remark = title(windows, kinds), REMARK
    if full is not None:
        said = f"The SLC cache was full after {duration_us(1e6 * full)}. {said}"
        remark = f"{REMARK} Dashed: when the SLC cache had filled up."
    return Figure(said, specification(chart), table(windows, kinds), remark, "over-time")


def cliff(full: float | None) -> list[alt.Chart]:
    """A line at the moment when the SLC cache was first full; none where it never was."""
    if full is None:
        return []
    rule = alt.Chart(data([{"time": full}])).mark_rule(strokeDash=[5, 4], color="#374151")
    return [rule.encode(x=time())]


def collection(rows: list[dict[str, Any]]) -> list[alt.Chart]:
    """A shade behind the windows in which garbage collection moved pages; none where it never did."""
    most = max(row[MOVED["gc"]] for row in rows)
    points = [
        {"time": row["start_s"], "end": row["end_s"], "gc": row[MOVED["gc"]] / most}
        for row in rows
        if row[MOVED["gc"]]
    ]
    if not points:
        return []
    return [
        alt.Chart(data(points))
        .mark_rect(color=GC_COLOUR)
        .encode(
            x=time(),
            x2="end:Q",
            opacity=alt.Opacity(
                "gc:Q", scale=alt.Scale(domain=[0, 1], range=[0.05, 0.4]), legend=None
            ),
        )
    ]


def by_class(row: dict[str, Any], kinds: list[str]) -> list[dict[str, Any]]:
    """One window as a point per class of request."""
    return [
        {
            "time": row["start_s"],
            "class": kind,
            "throughput": row[f"{kind}_mb_s"],
            "mean": row[f"{kind}_mean_us"],
            # zero has no place on a log axis
            "slowest": row[f"{kind}_max_us"] or None,
        }
        for kind in kinds
    ]


def panel(
    points: list[dict[str, Any]],
    kinds: list[str],
    column: str,
    title: str,
    height: int,
    *,
    log: bool = False,
) -> alt.Chart:
    """One quantity of each class over time."""
    chosen = picked("class")
    scale = alt.Scale(type="log", nice=False) if log else alt.Scale(zero=True)
    first = column == "throughput"
    labels = AMOUNTS if first else DURATIONS
    axis = alt.Axis(title=title, tickCount=5, labelExpr=labels)
    values = [point[column] for point in points if point[column]]
    known = sum(point[column] is not None for point in points)
    # where most windows had no request, lines have gaps and single points must be seen
    dots = alt.OverlayMarkDef(size=16) if 2 * known < len(points) else False
    if log and values:
        axis = duration_axis(min(values), max(values), title=title)
    chart: alt.Chart = (
        alt.Chart(data(points))
        .mark_line(strokeWidth=1.5, strokeCap="round", point=dots)
        .encode(
            x=time(),
            y=alt.Y(f"{column}:Q", scale=scale, axis=axis),
            color=class_colour(kinds, legend=first),
            opacity=fade(chosen),
            tooltip=[
                alt.Tooltip("class:N"),
                alt.Tooltip("time:Q", title="time (s)", format=".4~g"),
                alt.Tooltip(f"{column}:Q", title=title, format=",.4~g"),
            ],
        )
        .properties(width=WIDTH, height=height)
    )
    # the panel with the legend picks for all
    return chart.add_params(chosen) if first else chart


def time(until: float | None = None) -> alt.X:
    """The axis that all panels share; the lowest has labels, `until` so many seconds."""
    axis = alt.Axis(labels=False, title=None) if until is None else time_axis(until)
    return alt.X("time:Q", scale=alt.Scale(nice=False), axis=axis)


def depth(rows: list[dict[str, Any]], *, is_above: bool) -> alt.Chart:
    """Requests in the drive over time; another panel may lie below."""
    points = ({"time": row["start_s"], "depth": row["outstanding_mean"]} for row in rows)
    chart: alt.Chart = (
        alt.Chart(data(points))
        .mark_line(strokeWidth=1.5, color="#374151")
        .encode(
            x=time(None if is_above else rows[-1]["end_s"]),
            y=alt.Y("depth:Q", axis=alt.Axis(title="mean in drive", tickCount=3, format=",.3~r")),
            tooltip=[
                alt.Tooltip("time:Q", title="time (s)", format=".4~g"),
                alt.Tooltip("depth:Q", title="requests in the drive", format=",.4~g"),
            ],
        )
        .properties(width=WIDTH, height=60)
    )
    return chart


def background(rows: list[dict[str, Any]]) -> alt.Chart:
    """Pages programmed for other reasons than the host's writes, over time."""
    points = [
        {"time": row["start_s"], "cause": cause, "pages": row[column]}
        for row in rows
        for cause, column in MOVED.items()
    ]
    scale = alt.Scale(domain=list(MOVED), range=[GC_COLOUR, "#9ca3af"])
    chart: alt.Chart = (
        alt.Chart(data(points))
        .mark_area(opacity=0.8, interpolate="step-after")
        .encode(
            x=time(rows[-1]["end_s"]),
            y=alt.Y(
                "pages:Q",
                axis=counts(title="programs", tickCount=3),
            ),
            color=alt.Color("cause:N", scale=scale),
        )
        .properties(width=WIDTH, height=80)
    )
    return chart


def title(windows: pl.DataFrame, kinds: list[str]) -> str:
    """What the time series says, in one sentence."""
    active = windows.filter(pl.col(MOVED["gc"]) > 0).height / windows.height
    gc = f"Garbage collection moved pages in {percentage(active)} of the windows"
    if not active:
        gc = "Garbage collection moved no page"
    slowest = pl.max_horizontal(*(f"{kind}_max_us" for kind in kinds))
    latency, start = (
        windows.select(slowest.alias("slowest"), "start_s")
        .sort("slowest", descending=True, nulls_last=True)
        .row(0)
    )
    return f"{gc}; the slowest request took {duration_us(latency)}, about {duration_us(1e6 * start)} into the run"


def table(windows: pl.DataFrame, kinds: list[str]) -> Sequence[Row]:
    """The windows drawn, as rows."""
    columns = {"start (s)": "start_s"}
    for kind in kinds:
        columns[f"{kind}s"] = f"{kind}s"
        columns[f"{kind} (MB/s)"] = f"{kind}_mb_s"
        columns[f"{kind} mean (µs)"] = f"{kind}_mean_us"
        columns[f"{kind} slowest (µs)"] = f"{kind}_max_us"
    columns |= {
        "requests in the drive": "outstanding_mean",
        "programs by GC": MOVED["gc"],
        "blocks erased": "blocks_erased",
    }
    return windows.select(**columns).to_dicts()
