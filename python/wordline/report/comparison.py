"""The page that shows results side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import altair as alt
import polars as pl

from wordline.columns import BANDS
from wordline.comparison import SCALED, START, Comparison, Contender, Metric, relative_change
from wordline.errors import ResultError
from wordline.formatting import display, duration_us, percentage, quantity
from wordline.headlines import HEADLINES
from wordline.parts import KINDS, of_class, share_of, words
from wordline.report.attribution import REST, notable, palette_of, stacked
from wordline.report.html import Page
from wordline.report.latency import body_chart, curve, percentile_row, remark, sentence, tail_chart
from wordline.report.section import Figure, Row, Section
from wordline.report.theme import (
    DURATIONS,
    WIDTH,
    contender_colour,
    data,
    fade,
    picked,
    specification,
)

POINTS = 160
"""Points of a curve where there is one for each of several seeds."""


def render(comparison: Comparison) -> str:
    """The comparison as a self-contained HTML page."""
    names = [each.name for each in comparison.contenders]
    kinds = [kind for kind in KINDS if all(occurs(each, kind) for each in comparison.contenders)]
    sections = [
        changes(comparison),
        settings(comparison),
        Section(
            "Latency",
            [figure for kind in kinds for figure in latencies(comparison, kind)],
            absent="There are no requests of one class, or no distributions of them, on every side.",
        ),
        Section(
            "Where the time went",
            [figure for kind in kinds if (figure := times(comparison, kind))],
            absent="Not all of the runs recorded attribution (`output.attribution`).",
        ),
    ]
    if comparison.lacking:
        columns = ("figure", "unit", *names)
        rows: list[Row] = [
            dict(zip(columns, each.shown, strict=True)) for each in comparison.lacking
        ]
        sections.append(Section("Figures that only some have", rows=rows))
    return Page(
        heading=f"{names[0]} against {', '.join(names[1:])}",
        boxes=[(note.severity, note.text) for note in comparison.notes],
        sections=sections,
    ).html()


def settings(comparison: Comparison) -> Section:
    """The differences of configuration."""
    names = [each.name for each in comparison.contenders]
    rows = [
        {"key": each.key} | dict(zip(names, each.shown, strict=True))
        for each in comparison.settings
    ]
    starts = {each.name: each.start for each in comparison.contenders}
    if len(set(starts.values())) == 1:
        rows.append({"key": f"{START} (the same)"} | starts)
    return Section("What was configured differently", rows=rows)


def changes(comparison: Comparison) -> Section:
    """The figures that differ."""
    names = [each.name for each in comparison.contenders]
    if not comparison.metrics:
        text = f"All {comparison.same} figures of {' and '.join(names)} are the same."
        return Section("What changed", absent=text)
    headlines = {key: name for key, name, _ in HEADLINES}
    chosen = [metric for metric in comparison.metrics if metric.key in headlines]
    points = [
        point for metric in chosen for point in ratios(metric, headlines[metric.key], names[1:])
    ]
    if not points:
        points = [
            point
            for metric in comparison.metrics[:12]
            for point in ratios(metric, metric.key, names[1:])
        ]
    order = list(dict.fromkeys(point["figure"] for point in points))
    has_seeds = any(len(each.results) > 1 for each in comparison.contenders)
    bar = "; a bar is its 95 % confidence interval over the seeds" if has_seeds else ""
    last = ", what may be chance last" if has_seeds else ""
    how_to_read = (
        f"Each point is a figure as a multiple of what it is in the first result{bar}. The table has every figure that differs: "
        f"what changed most first{last}."
    )
    chart = ratio_chart(points, order, names)
    rows = [row(comparison, metric.readable) for metric in comparison.metrics]
    figure = Figure(told(comparison, chosen or comparison.metrics), chart, rows, how_to_read)
    return Section("What changed", [figure])


def ratios(metric: Metric, name: str, others: Sequence[str]) -> Iterator[dict[str, Any]]:
    """A figure of each of the others as a multiple of the first's."""
    base = metric.values[0].mean
    for other, each, value in zip(others, metric.differences, metric.values[1:], strict=True):
        if base > 0 and value.mean > 0:  # a ratio has a place on a log axis
            half_width = each.half_width
            ratio = value.mean / base
            yield {
                "figure": name,
                "run": other,
                "ratio": ratio,
                "low": ratio if half_width is None else max(ratio - half_width / base, ratio / 100),
                "high": ratio if half_width is None else ratio + half_width / base,
            }


def ratio_chart(
    points: Sequence[Mapping[str, Any]], order: Sequence[str], names: Sequence[str]
) -> dict[str, Any]:
    """Ratios of figures on a log axis."""
    chosen = picked("run")
    ends = (
        min(1.0, *(point["low"] for point in points)),
        max(1.0, *(point["high"] for point in points)),
    )
    x = alt.X(
        "ratio:Q",
        title=f"multiple of {names[0]} (log scale)",
        scale=alt.Scale(type="log", nice=False, domain=[ends[0] / 1.05, ends[1] * 1.05]),
        axis=alt.Axis(format="~g", tickCount=8),
    )
    y = alt.Y("figure:N", title=None, sort=list(order), axis=alt.Axis(labelLimit=240))
    offset = alt.YOffset("run:N", sort=list(names[1:]))
    base = alt.Chart(data(points)).encode(
        y=y, yOffset=offset, color=contender_colour(names[1:]), opacity=fade(chosen)
    )
    bars = (
        base.mark_rule(strokeWidth=2)
        .encode(x=x, x2="high:Q")
        .transform_calculate(ratio="datum.low")
    )
    dots = (
        base.mark_point(filled=True, size=70)
        .encode(
            x=x,
            tooltip=[
                "figure:N",
                "run:N",
                alt.Tooltip("ratio:Q", title="multiple", format=".4~g"),
            ],
        )
        .add_params(chosen)
    )
    one = (
        alt.Chart(data([{"one": 1}]))
        .mark_rule(color="#6b7280", strokeDash=[4, 3])
        .encode(x="one:Q")
    )
    height = max(120, (10 + 12 * (len(names) - 1)) * len(order))
    return dict(
        specification(alt.layer(one, bars, dots).properties(width=WIDTH - 160, height=height))
    )


def row(comparison: Comparison, metric: Metric) -> Row:
    """A figure's line of the table."""
    names = [each.name for each in comparison.contenders]
    cells: dict[str, object] = {"figure": metric.key, "unit": metric.unit}
    for contender, value in zip(comparison.contenders, metric.values, strict=True):
        cells[contender.name] = value.mean
        # every row has the same columns, also where only one of several seeds has the figure
        if len(contender.results) > 1:
            cells[f"{contender.name}, ±"] = value.half_width
    for name, each, relative in zip(names[1:], metric.differences, metric.relative, strict=True):
        cells[f"{name}: difference"] = each.mean
        cells[f"{name}: ±"] = each.half_width
        cells[f"{name}: relative"] = relative_change(relative)
        cells[f"{name}: chance?"] = {None: "–", True: "no", False: "may be"}[each.is_significant]
    return cells


def told(comparison: Comparison, chosen: Sequence[Metric]) -> str:
    """What changed most, in a sentence."""
    headlines = {key: (name, unit) for key, name, unit in HEADLINES}
    most = chosen[0]
    name, unit = headlines.get(most.key, (most.key, most.unit))
    place = max(range(len(most.differences)), key=lambda place: abs(most.differences[place].mean))
    first, other = comparison.contenders[0].name, comparison.contenders[place + 1].name
    before, after = most.values[0].mean, most.values[place + 1].mean
    if most.is_chance:
        return (
            f"No headline figure differs by more than chance; the largest difference is in {name}"
        )
    return (
        f"What changed most is the {name}: {in_unit(before, unit)} in {first}, {in_unit(after, unit)} in {other} "
        f"({relative_change(most.relative[place])})"
    )


def in_unit(value: float, unit: str) -> str:
    """A value with its unit."""
    if unit == "µs":
        return duration_us(value)
    return quantity(value, unit) if unit in SCALED else f"{display(value)} {unit}".strip()


def occurs(contender: Contender, kind: str) -> bool:
    """Whether requests of a class occurred in every run, and their distribution is at hand."""
    try:
        return all(
            run.summary.get(f"host.{kind}.count") and run.latency[kind] for run in contender.results
        )
    except (ResultError, KeyError):  # saved by a version that knew no such table
        return False


def latencies(comparison: Comparison, kind: str) -> Iterator[Figure]:
    """Body and tail of one class's distributions, over each other."""
    contenders = comparison.contenders
    points: list[Row] = [
        {"run": each.name, "curve": f"{each.name} {number}", **point}
        for each in contenders
        for number, run in enumerate(each.results)
        for point in (
            curve(run.latency[kind]) if len(each.results) == 1 else curve(run.latency[kind], POINTS)
        )
    ]
    colour = contender_colour(each.name for each in contenders)
    rows: list[Row] = [
        {
            "result": each.name,
            "seed": run.summary.get("sim.seed"),
            **percentile_row(run.summary, kind),
        }
        for each in contenders
        for run in each.results
    ]
    said_of_seeds = (
        "Every seed has a curve of its own."
        if any(len(each.results) > 1 for each in contenders)
        else ""
    )
    for build, point, words_ in (
        (body_chart, "p50", f"half of the {kind}s end within {{}}"),
        (tail_chart, "p999", f"the slowest 0.1 % of {kind}s take more than {{}}"),
    ):
        said = (
            f"{words_.format(time_of(each, kind, point))} in {each.name}" for each in contenders
        )
        chart = specification(build(points, colour, "run"))
        yield Figure(sentence(said), chart, rows, remark(points, said_of_seeds))


def time_of(contender: Contender, kind: str, point: str) -> str:
    """A percentile of a contender, in words: the mean over its seeds."""
    values = contender.figures.get(f"host.{kind}.latency.{point}_us")
    return duration_us(sum(values) / len(values)) if values else "an unknown time"


def times(comparison: Comparison, kind: str) -> Figure | None:
    """The parts of one class's latency, band by band; nothing where one side did not record them."""
    tables = [attribution_of(each, kind) for each in comparison.contenders]
    if not all(table is not None and table.height for table in tables):
        return None
    known = [table for table in tables if table is not None]
    parts = notable(known)
    names = [each.name for each in comparison.contenders]
    points: dict[tuple[str, str, str], dict[str, Any]] = {}
    rows: list[Row] = []
    for name, table in zip(names, known, strict=True):
        for each in table.iter_rows(named=True):
            part = words(each["part"]) if each["part"] in parts else REST
            point = points.setdefault(
                (each["band"], name, part),
                {"band": each["band"], "run": name, "part": part, "time": 0.0, "share": 0.0},
            )
            share = share_of(each)
            point["time"] += each["part_mean_us"]
            point["share"] += share
            rows.append(
                {
                    "band": each["band"],
                    "result": name,
                    "mean latency (µs)": each["latency_mean_us"],
                    "part": words(each["part"]),
                    "mean (µs)": each["part_mean_us"],
                    "share": percentage(share, ".1f"),
                }
            )
    present = {part for _, _, part in points}
    palette = {name: hue for name, hue in palette_of(parts).items() if name in present}
    x = alt.X("time:Q", title=None, axis=alt.Axis(labelExpr=DURATIONS, tickCount=8))
    y = alt.Y("run:N", title=None, sort=names)
    bands = [band for band in BANDS if any(band == key[0] for key in points)]
    chart = (
        stacked(points.values(), palette, x, y)
        .properties(width=WIDTH - 180, height=26 * len(names))
        .facet(
            row=alt.Row(
                "band:N",
                sort=bands,
                header=alt.Header(title=None, labelAngle=0, labelAlign="left", labelFontSize=12),
            ),
            spacing=6,
        )
        .resolve_scale(x="independent")
    )
    return Figure(
        title=slowest(names, known, kind),
        chart=specification(chart),
        rows=rows,
        remark="Mean time in bands of latency, the fastest half on top; each band has an axis of its own.",
    )


def attribution_of(contender: Contender, kind: str) -> pl.DataFrame | None:
    """The mean time in each part over all seeds, with the columns of `Result.attribution`."""
    try:
        frames = [of_class(run, kind) for run in contender.results]
    except ResultError:
        return None
    requests = pl.col("requests")
    every = pl.concat(frames)
    # a part that took no time has no row, so that means are sums over the requests of the band
    bands = (
        pl.concat(frame.unique("band", keep="first", maintain_order=True) for frame in frames)
        .group_by("band")
        .agg(
            requests.sum(),
            ((pl.col("latency_mean_us") * requests).sum() / requests.sum()),
        )
    )
    return (
        every.group_by("band", "part")
        .agg((pl.col("part_mean_us") * requests).sum().alias("time"))
        .join(bands, on="band")
        .select(
            "band",
            "part",
            "requests",
            "latency_mean_us",
            (pl.col("time") / requests).alias("part_mean_us"),
        )
        .sort("band", "part")
    )


def slowest(names: Sequence[str], tables: Sequence[pl.DataFrame], kind: str) -> str:
    """What the slowest requests of each waited for, in a sentence."""
    said = []
    for name, table in zip(names, tables, strict=True):
        band = table.filter(pl.col("band") == table["band"][-1])
        top = band.sort("part_mean_us", descending=True).row(0, named=True)
        share = share_of(top)
        said.append(
            f"{duration_us(top['latency_mean_us'])} in {name} (band {top['band']}; {percentage(share)} of it is "
            f"{words(top['part'])})"
        )
    return f"The slowest {kind}s take {', '.join(said)}"
