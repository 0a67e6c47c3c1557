"""The page of an inference: what is known of each key, the consistent set, targets and predictions, and every run."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from wordline.formatting import counted, display, percent
from wordline.inferring.measured import LEVELS
from wordline.inferring.told import misfit, ties
from wordline.report.html import Page
from wordline.report.section import Figure, Fold, Section
from wordline.report.sweep import HEAT, MOST_ROWS, named
from wordline.report.theme import (
    AMOUNTS,
    CONTENDER_COLOURS,
    INK,
    RULE,
    WIDTH,
    data,
    duration_axis,
    specification,
)
from wordline.sweeps.values import shown

if TYPE_CHECKING:
    from wordline.inferring.infer import Inference
    from wordline.inferring.measured import Curve, HeldOut

BARS = 40
"""Bars of the distribution of a key."""
MOST_PAIRS = 6
"""Pairs of keys that are drawn."""


def render(found: Inference) -> str:
    """The inference as a self-contained HTML page."""
    about = found.about
    failures = f", {found.failed:,} of them failed" if found.failed else ""
    boxes = [("warning", text) for text in misfit(found)]
    boxes += [("info", text) for text in ties(found)]
    boxes += [(note.severity, note.text) for note in found.sweep.notes]
    return Page(
        heading=f"Inference of {', '.join(each.name for each in found.keys)}",
        subtitle=f"{counted(len(found.targets), 'target')}, {counted(about['points'], 'point')}{failures}, {counted(about['runs'], 'run')}",
        boxes=boxes,
        sections=[
            Section(
                "What is known of each key",
                [*intervals(found), *distributions(found)],
                rows=[each.row for each in found.keys],
            ),
            Section("The consistent set", list(pairs(found)), absent="There is one key only."),
            Section("Targets", [fit(found)], rows=[each.row for each in found.targets]),
            Section(
                "Each target, predicted by the others",
                list(predictions(found)),
                absent="There is one target only.",
            ),
            *second_half(found),
            everything(found),
        ],
    ).html()


def intervals(found: Inference) -> Iterator[Figure]:
    """The interval of each key within its range."""
    rows = []
    for place, (each, unknown) in enumerate(
        zip(found.keys, found.posterior.likelihood.unknowns.each, strict=True)
    ):
        if unknown.is_categorical:
            continue
        low, high = found.posterior.interval(place)
        rows.append(
            {"key": each.name, "low": low, "high": high, "text": each.text, "state": each.state}
        )
    if not rows:
        return
    base = alt.Chart(data(rows)).encode(
        y=alt.Y("key:N", sort=None, title=None, axis=alt.Axis(labelLimit=260))
    )
    x: dict[str, Any] = {"scale": alt.Scale(domain=[0, 1]), "axis": alt.Axis(format=".0%")}
    bars = base.mark_bar(color=CONTENDER_COLOURS[0], height=14).encode(
        x=alt.X("low:Q", title="part of the range", **x),
        x2="high:Q",
        tooltip=["key:N", "text:N", "state:N"],
    )
    texts = base.mark_text(align="left", dx=6, dy=-13, color=INK, fontSize=11).encode(
        x=alt.X("low:Q", **x), text="text:N"
    )
    chart = specification(
        alt.layer(bars, texts).properties(width=WIDTH - 300, height=44 * len(rows))
    )
    table = [{"key": row["key"], "95 % likely": row["text"], "state": row["state"]} for row in rows]
    open_ = [each.name for each in found.keys if each.state == "not determined"]
    title = (
        f"The targets say next to nothing of {', '.join(open_)}"
        if open_
        else "The shortest interval of each key that is 95 % likely, within its range"
    )
    yield Figure(title, chart, table, "Ranges with :log are divided by ratios.")


def distributions(found: Inference) -> Iterator[Figure]:
    """How likely the values of each key are."""
    unknowns = found.posterior.likelihood.unknowns
    for place, (each, unknown) in enumerate(zip(found.keys, unknowns.each, strict=True)):
        snapped = unknown.snapped(found.posterior.shares[:, place])
        weights = found.posterior.weights
        if unknown.steps is not None and unknown.steps <= BARS:
            levels = np.round(snapped * (unknown.steps - 1)).astype(int)
            likely = np.bincount(levels, weights, minlength=unknown.steps)
            values = [unknown.value(step / (unknown.steps - 1)) for step in range(unknown.steps)]
            prior = 1 / unknown.steps
        else:
            low, high = float(snapped.min()), float(snapped.max())
            likely, edges = np.histogram(snapped, BARS, (low, high), weights=weights)
            values = [unknown.value((one + other) / 2) for one, other in itertools.pairwise(edges)]
            prior = (high - low) / BARS
        rows = [
            {"value": value, "share": float(share), "before": prior}
            for value, share in zip(shown(values), likely, strict=True)
        ]
        base = alt.Chart(data(rows)).encode(
            x=alt.X("value:N", sort=None, title=each.name, axis=alt.Axis(labelOverlap=True))
        )
        bars = base.mark_bar(color=CONTENDER_COLOURS[0]).encode(
            y=alt.Y("share:Q", title="probability", axis=alt.Axis(format=".2~p")),
            tooltip=["value:N", alt.Tooltip("share:Q", format=".2%")],
        )
        line = base.mark_line(color=CONTENDER_COLOURS[1], strokeDash=[4, 3]).encode(y="before:Q")
        chart = specification(alt.layer(bars, line).properties(width=WIDTH - 200, height=150))
        table = [{each.name: row["value"], "probability": row["share"]} for row in rows]
        remark = "Dashed: before anything was measured. Values outside of the picture are excluded."
        yield Figure(f"{each.name}: {each.text}, {each.state}", chart, table, remark)


def pairs(found: Inference) -> Iterator[Figure]:
    """Points of the 95 % set, two keys at a time."""
    keys = [each for each in found.table.columns if each in found.sweep.keys]
    for one, other in itertools.islice(itertools.combinations(keys, 2), MOST_PAIRS):
        rows = [
            {"x": row[one], "y": row[other], "density": row["density"]}
            for row in found.table.reverse().iter_rows(named=True)
        ]
        titles = [
            f"{key} ({unit})" if (unit := found.sweep.units.get(key)) else key
            for key in (one, other)
        ]
        kinds = ["Q" if found.table[key].dtype.is_numeric() else "N" for key in (one, other)]
        scales: list[dict[str, Any]] = [
            {"scale": alt.Scale(zero=False), "axis": alt.Axis(labelExpr=AMOUNTS)}
            if kind == "Q"
            else {}
            for kind in kinds
        ]
        colour = alt.Color(
            "density:Q",
            scale=alt.Scale(scheme=HEAT, domain=[0, 1]),
            legend=alt.Legend(title="density", gradientLength=300),
        )
        chart = (
            alt.Chart(data(rows))
            .mark_circle(size=28, opacity=0.8)
            .encode(
                x=alt.X(f"x:{kinds[0]}", title=titles[0], **scales[0]),
                y=alt.Y(f"y:{kinds[1]}", title=titles[1], **scales[1]),
                color=colour,
                tooltip=[
                    alt.Tooltip("x:N", title=one),
                    alt.Tooltip("y:N", title=other),
                    alt.Tooltip("density:Q", format=".3~g"),
                ],
            )
            .properties(width=WIDTH - 260, height=300)
        )
        table = [{one: row["x"], other: row["y"], "density": row["density"]} for row in rows]
        yield Figure(
            f"Settings that the targets allow: {one} and {other}",
            specification(chart),
            table,
            "Each mark is a point of the 95 % set; density is relative to the most likely point.",
        )


def fit(found: Inference) -> Figure:
    """Each target beside the best settings and the set, relative to what was measured."""
    rows: list[dict[str, Any]] = []
    for each in found.targets:
        scale = abs(each.target.value) or 1.0
        rows.append(
            {
                "figure": each.target.figure,
                "low": (each.low - each.target.value) / scale,
                "high": (each.high - each.target.value) / scale,
                "best": (each.best - each.target.value) / scale,
                "under": -each.target.tolerance / scale,
                "over": each.target.tolerance / scale,
            }
        )
    worst = max(rows, key=lambda row: abs(row["best"]))
    title = f"The best settings differ most from what was measured in {worst['figure']}: by {percent(abs(float(worst['best'])))}"
    return Figure(
        title,
        deviations(rows),
        [
            {
                "target": row["figure"],
                "best settings differ by": row["best"],
                "tolerance": row["over"],
            }
            for row in rows
        ],
        "Grey: the tolerance. Blue: 95 % of the set, by the emulators. Mark: the best settings, simulated.",
    )


def predictions(found: Inference) -> Iterator[Figure]:
    """Each target beside what the others predict, relative to what was measured."""
    if not found.predicted:
        return
    rows: list[dict[str, Any]] = []
    for each in found.predicted:
        scale = abs(each.target.value) or 1.0
        rows.append(
            {
                "figure": each.target.figure,
                "low": (each.low - each.target.value) / scale,
                "high": (each.high - each.target.value) / scale,
                "best": (each.middle - each.target.value) / scale,
                "under": 0.0,
                "over": 0.0,
            }
        )
    held = sum(each.holds for each in found.predicted)
    yield Figure(
        f"{held} of {len(rows)} targets lie in the interval that the other targets predict",
        deviations(rows),
        [each.row for each in found.predicted],
        "Blue: 95 % of what the other targets allow, with tolerance and noise. Mark: its median.",
    )


def second_half(found: Inference) -> Iterator[Section]:
    """How the half of a trace is predicted that no setting was chosen by."""
    if found.held is None:
        return
    rows = [
        {
            "class": each.name,
            "percentile": f"p{each.percent}",
            "measured (µs)": each.measured,
            "best settings (µs)": each.best,
            "error": each.told,
            "95 % set (µs)": f"{display(each.low)} to {display(each.high)}",
        }
        for each in found.held.errors
    ]
    figures = [quantiles(curve, found.held) for curve in found.held.curves]
    absent = "The second half has too few requests with response times."
    yield Section("The second half of the trace, predicted", figures, absent, rows=rows)


def quantiles(curve: Curve, held: HeldOut) -> Figure:
    """Quantiles of the simulation over those that were measured."""
    rows = [
        {"share": share, "measured": measured, "best": best, "low": low, "high": high}
        for share, measured, best, low, high in zip(
            LEVELS, curve.measured, curve.best, curve.low, curve.high, strict=True
        )
    ]
    ends = [value for row in rows for value in (row["measured"], row["low"], row["high"])]
    low, high = min(ends), max(ends)
    scale = alt.Scale(type="log", domain=[low, high])
    axis = duration_axis(low, high)
    base = alt.Chart(data(rows)).encode(
        x=alt.X("measured:Q", title="measured", scale=scale, axis=axis)
    )
    y = alt.Y("best:Q", title="simulated", scale=scale, axis=axis)
    tooltip = [
        alt.Tooltip("share:Q", format=".1%"),
        alt.Tooltip("measured:Q", title="measured (µs)", format=".4~g"),
        alt.Tooltip("best:Q", title="best settings (µs)", format=".4~g"),
    ]
    band = base.mark_area(color=CONTENDER_COLOURS[0], opacity=0.25).encode(
        y=alt.Y("low:Q", scale=scale, axis=axis), y2="high:Q"
    )
    points = base.mark_line(color=CONTENDER_COLOURS[0], point=True).encode(y=y, tooltip=tooltip)
    same = (
        alt.Chart(data([{"at": low}, {"at": high}]))
        .mark_line(color=RULE, strokeDash=[4, 3])
        .encode(x=alt.X("at:Q", scale=scale, axis=axis), y=alt.Y("at:Q", scale=scale, axis=axis))
    )
    chart = specification(alt.layer(band, same, points).properties(width=420, height=420))
    errors = ", ".join(
        f"p{each.percent} {each.told}" for each in held.errors if each.name == curve.name
    )
    table = [
        {
            "share": row["share"],
            "measured (µs)": row["measured"],
            "best settings (µs)": row["best"],
            "least in the set (µs)": row["low"],
            "largest in the set (µs)": row["high"],
        }
        for row in rows
    ]
    remark = (
        f"Each mark is a quantile of the {curve.name}s of the second half, from which nothing was inferred. On the dashed line simulation and "
        f"measurement are the same. The band covers the {held.runs:,} runs whose settings belong to the 95 % set."
    )
    return Figure(
        f"Latency of {curve.name}s, simulated over measured: {errors}", chart, table, remark
    )


def deviations(rows: list[dict[str, Any]]) -> Mapping[str, Any]:
    """Intervals and marks for each figure around what was measured, which is 0."""
    base = alt.Chart(data(rows)).encode(
        y=alt.Y("figure:N", sort=None, title=None, axis=alt.Axis(labelLimit=300))
    )
    x = alt.Axis(format="+.0%")
    tolerance = base.mark_bar(height=16, color="#9ca3af", opacity=0.4).encode(
        x=alt.X("under:Q", axis=x), x2="over:Q"
    )
    bars = base.mark_bar(height=6, color=CONTENDER_COLOURS[0]).encode(
        x=alt.X("low:Q", title="difference from what was measured", axis=x), x2="high:Q"
    )
    marks = base.mark_point(filled=True, size=70, color=CONTENDER_COLOURS[1], opacity=1).encode(
        x=alt.X("best:Q", axis=x),
        tooltip=["figure:N", alt.Tooltip("best:Q", format="+.1%")],
    )
    chart = alt.layer(tolerance, bars, marks).properties(
        width=WIDTH - 340, height=max(70, 30 * len(rows))
    )
    return specification(chart)


def everything(found: Inference) -> Section:
    """Every run, and the command of the best settings."""
    columns = ["point", *found.sweep.keys, "seed", "error"]
    figures = [
        each.target.figure for each in found.targets if each.target.figure in found.sweep.figures
    ]
    table = found.sweep.table.select(*dict.fromkeys([*columns[:-1], *figures, "error"]))
    rows = [named(row, found.sweep) for row in table.head(MOST_ROWS).iter_rows(named=True)]
    folds = [Fold(f"All {table.height:,} runs", rows=rows)]
    if found.command:
        folds.append(
            Fold(
                "The command of the best settings: it writes the report of their run",
                text=found.command,
            )
        )
    return Section("Every run", folds=folds)
