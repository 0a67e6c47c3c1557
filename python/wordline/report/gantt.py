"""What every die and channel did around the slowest request, as a Gantt chart to move about in."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from wordline.formatting import counted, duration_us, percentage
from wordline.parts import words
from wordline.report.attribution import COLOURS, HOLDER_COLOURS, SPARE_COLOUR
from wordline.report.section import Figure, Row
from wordline.report.theme import WIDTH, data, fade, picked, specification
from wordline.stories import ACTIVITIES, CAUSES

if TYPE_CHECKING:
    from wordline.results import Result

MOST_LANES = 40
"""Lanes that are drawn: first those of the request, then the others in their order."""
LANE = 18
"""Height of a lane in pixels."""
REMARK = (
    "Drag to pan, Ctrl+wheel to zoom, double-click to reset. Click a bar to highlight operations of the same request, or "
    "background work of the same die; click again to clear. Dashed lines mark arrival and completion."
)
NOT_RECORDED = " Grey: not recorded (output.timeline_spans sets how much is)."
"""What is said where a part of the picture is unknown."""
Span = dict[str, Any]


def gantt(result: Result) -> Figure | None:
    """The chart of the timeline; nothing where there is none."""
    spans = result.timeline
    if spans.is_empty():
        return None
    request = shown_request(result, spans)
    pages = pages_per_die(result.config)
    bars = [bar for span in spans.to_dicts() if (bar := drawn(span, request, pages))]
    if not bars:
        return None
    lanes = lanes_of(bars, request)
    shown = [bar for bar in bars if bar["lane"] in lanes]
    rows = [row(bar) for bar in shown]
    unknown = not_recorded(shown, request, lanes) if is_full(spans, result.config) else []
    return Figure(
        title(result, request, spans),
        specification(chart(shown, lanes, request, unknown)),
        rows,
        REMARK + (NOT_RECORDED if unknown else "") + left_out(bars, lanes),
        "timeline",
    )


def is_full(spans: pl.DataFrame, config: str) -> bool:
    """Whether as many spans were recorded as the text of a resolved configuration has room for, so that others were left out."""
    most = tomllib.loads(config).get("output", {}).get("timeline_spans")
    return isinstance(most, int) and spans.height >= most


def not_recorded(bars: Sequence[Span], request: Span | None, lanes: Sequence[str]) -> list[Span]:
    """For each lane but those of the request the stretch of its life of which nothing was recorded: what ends nearest to its completion is kept."""
    if request is None:
        return []
    own = own_lanes(request)
    # a background job that is kept may have begun long before
    kept = [
        bar["from"]
        for bar in bars
        if bar["lane"].startswith(("die", "channel")) and bar["lane"] not in own
    ]
    start, end = window(bars, request)
    known_from = min(kept, default=end)
    if known_from - start < (end - start) / 50:
        return []
    return [{"lane": lane, "from": start, "to": known_from} for lane in lanes if lane not in own]


def shown_request(result: Result, spans: pl.DataFrame) -> Span | None:
    """The slowest request, where the timeline has its whole life."""
    if result.slowest.is_empty():
        return None
    request = result.slowest.row(0, named=True)
    start, end = extent(spans)
    inside = start <= request["completed_ns"] and request["arrival_ns"] <= end
    return request if inside else None


def extent(spans: pl.DataFrame) -> tuple[int, int]:
    """From when to when some spans are, ns."""
    start, end = spans.select(pl.col("from_ns").min(), pl.col("to_ns").max()).row(0)
    return start, end


def pages_per_die(config: str) -> int:
    """Pages of a die, from the text of a resolved configuration."""
    geometry = tomllib.loads(config)["geometry"]
    return int(
        geometry["planes_per_die"] * geometry["blocks_per_plane"] * geometry["pages_per_block"]
    )


def drawn(span: Span, request: Span | None, pages: int) -> Span | None:
    """A span as a bar: where, when, what, for whom; nothing for other requests of the host."""
    track, unit, cause, activity = (span[key] for key in ("track", "unit", "cause", "activity"))
    number = span["request"]
    is_request = request is not None and number == request["number"]
    bar = {
        "from": span["from_ns"] / 1e6,
        "to": span["to_ns"] / 1e6,
        "took": duration_us((span["to_ns"] - span["from_ns"]) / 1e3),
        "what": f"{ACTIVITIES.get(activity, activity)} for {CAUSES[cause]}",
        "count": span["count"],
    }
    if track == "host":
        if not is_request:
            return None
        return bar | {
            "lane": "the request",
            "kind": "the slowest request",
            "what": f"request {number:,}",
            "owner": f"request {number:,}",
        }
    if track == "background":
        return bar | {
            "lane": f"background of die {unit}",
            "kind": f"a block is emptied ({CAUSES[cause]})",
            "what": f"block of die {unit} is emptied: {counted(span['count'], 'page')} moved",
            "owner": f"{CAUSES[cause]} on die {unit}",
        }
    return bar | {
        "lane": f"{track} {unit}",
        "kind": f"{ACTIVITIES.get(activity, activity)} for {CAUSES[cause]}",
        "owner": f"{CAUSES[cause]} on die {span['address'] // pages}"
        if number is None
        else f"request {number:,}",
    }


def lanes_of(bars: Sequence[Span], request: Span | None) -> list[str]:
    """The lanes in their order: those of the request first, then dies, then channels."""
    present = {bar["lane"] for bar in bars}
    own = own_lanes(request)
    rank = {"die": 0, "channel": 1, "background": 2}

    def order(lane: str) -> tuple[int, int]:
        return rank[lane.split()[0]], int(lane.split()[-1])

    others = sorted(present.difference(own), key=order)
    return [lane for lane in (*own, *others) if lane in present][:MOST_LANES]


def own_lanes(request: Span | None) -> list[str]:
    """The lanes of a request."""
    own = ["the request"]
    if request and request["die"] is not None:
        die = f"die {request['die']}"
        own += [f"background of {die}", die, f"channel {request['channel']}"]
    return own


def left_out(bars: Sequence[Span], lanes: Sequence[str]) -> str:
    """How many lanes of each kind there is no room for, as a sentence; empty where all are drawn."""
    names = {"die": "dies", "channel": "channels", "background": "background work of dies"}
    kinds = Counter(lane.split()[0] for lane in {bar["lane"] for bar in bars}.difference(lanes))
    counts = [f"{names[kind]} ({kinds[kind]})" for kind in names if kinds[kind]]
    return (
        f" Showing {counted(len(lanes), 'lane')}. Not drawn: {', '.join(counts)}." if counts else ""
    )


def colour(kind: str) -> str:
    """The colour of a kind of bar, that of waiting for it where it is an attribution's holder."""
    if kind == "the slowest request":
        return "#111827"
    if kind.startswith("a block is emptied"):
        return "#f0c3dd"
    for cause, told in CAUSES.items():
        for activity, named in ACTIVITIES.items():
            if kind != f"{named} for {told}":
                continue
            on_bus = activity.endswith("_data")
            verb = "read" if activity.startswith("read") else "program"
            holder = {"host": "host_write" if verb == "program" else "host_read"}.get(
                cause, "gc_erase" if activity == "erase" else f"gc_{verb}"
            )
            holder = holder if cause in ("host", "gc") else cause
            return HOLDER_COLOURS.get(holder, (COLOURS.get(cause, SPARE_COLOUR),) * 2)[on_bus]
    return SPARE_COLOUR


def chart(
    bars: Sequence[Span], lanes: Sequence[str], request: Span | None, unknown: Sequence[Span]
) -> alt.TopLevelMixin:
    """Bars in lanes over time, and the stretches of which nothing is known."""
    kinds = sorted({bar["kind"] for bar in bars}, key=kind_order)
    owner = alt.selection_point(name="picked_owner", fields=["owner"], toggle="true")
    kind = picked("kind")
    zoom = alt.selection_interval(
        name="zoom", bind="scales", encodings=["x"], zoom="wheel![event.ctrlKey]"
    )
    start, end = window(bars, request)
    x = alt.X(
        "from:Q",
        title="simulated time (ms)",
        scale=alt.Scale(domain=[start, end], nice=False, zero=False),
        axis=alt.Axis(format=",.11~r", tickCount=9),
    )
    scale = alt.Scale(domain=kinds, range=[colour(each) for each in kinds])
    drawn_bars = (
        alt.Chart(data(bars))
        .mark_rect(clip=True)
        .encode(
            x=x,
            x2="to:Q",
            y=alt.Y(
                "lane:N",
                title=None,
                sort=list(lanes),
                scale=alt.Scale(paddingInner=0.15),
                axis=alt.Axis(labelLimit=160),
            ),
            color=alt.Color(
                "kind:N",
                scale=scale,
                legend=alt.Legend(orient="bottom", columns=3, labelLimit=300),
            ),
            opacity=fade(kind & owner),
            tooltip=[
                alt.Tooltip("what:N"),
                alt.Tooltip("owner:N", title="for"),
                alt.Tooltip("took:N", title="lasted"),
                alt.Tooltip("from:Q", title="from (ms)", format=",.3f"),
                alt.Tooltip("to:Q", title="to (ms)", format=",.3f"),
                alt.Tooltip("count:Q", title="pages or sectors"),
            ],
        )
        .add_params(owner, kind, zoom)
    )
    layers = [drawn_bars]
    if unknown:
        layers.insert(
            0,
            alt.Chart(data(unknown))
            .mark_rect(clip=True, color="#9ca3af", opacity=0.25)
            .encode(
                x=x,
                x2="to:Q",
                y=alt.Y("lane:N", sort=list(lanes)),
                tooltip=[alt.Tooltip("lane:N", title="not recorded")],
            ),
        )
    if request:
        marks = [{"at": request[key] / 1e6} for key in ("arrival_ns", "completed_ns")]
        layers.append(
            alt.Chart(data(marks))
            .mark_rule(clip=True, color="#111827", strokeDash=[4, 3])
            .encode(x="at:Q")
        )
    return alt.layer(*layers, width=WIDTH - 120, height=LANE * len(lanes))


def window(bars: Sequence[Span], request: Span | None) -> tuple[float, float]:
    """The stretch that is shown at first: the life of the request with a tenth on each side."""
    if request is None:
        return min(bar["from"] for bar in bars), max(bar["to"] for bar in bars)
    start, end = request["arrival_ns"] / 1e6, request["completed_ns"] / 1e6
    margin = (end - start) / 10
    return max(start - margin, 0.0), end + margin


def kind_order(kind: str) -> tuple[int, str]:
    """The request and episodes first, then the host's work, then that of others."""
    if kind == "the slowest request":
        return 0, kind
    if kind.startswith("a block is emptied"):
        return 1, kind
    return (2 if kind.endswith("for the host") else 3), kind


def title(result: Result, request: Span | None, spans: pl.DataFrame) -> str:
    """What the chart shows, in a sentence."""
    if request is None:
        start, end = extent(spans)
        return f"What the drive did in {duration_us((end - start) / 1e3)} of the run"
    latency = request["completed_ns"] - request["arrival_ns"]
    place = "" if request["die"] is None else f" on die {request['die']}"
    told = f"The slowest request, {request['number']:,}, took {duration_us(latency / 1e3)}{place}"
    return told + "".join(largest_part(result, latency))


def largest_part(result: Result, latency: int) -> Iterator[str]:
    """What most of the time of the slowest request went into."""
    parts: Mapping[str, int] = dict(
        result.slowest_parts.filter(pl.col("row") == 0).select("part", "ns").iter_rows()
    )
    if parts:
        part = max(parts, key=lambda part: parts[part])
        yield f"; {percentage(parts[part] / latency)} of it is {words(part)}"


def row(bar: Span) -> Row:
    """A bar's line of the table."""
    return {
        "where": bar["lane"],
        "what": bar["what"],
        "for": bar["owner"],
        "from (ms)": f"{bar['from']:,.6f}",
        "to (ms)": f"{bar['to']:,.6f}",
        "lasted": bar["took"],
        "pages or sectors": bar["count"],
    }
