"""Charts of grids, in the forms in which papers print them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from wordline.report.theme import data, specification
from wordline.studies.grid import Metric
from wordline.studies.measured import Measured

COLOURS = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#d55e00",
    "#cc79a7",
    "#56b4e9",
    "#6b7280",
    "#111827",
    "#882255",
    "#999933",
    "#44aa99",
)
"""Colours of variants or loads, told apart by colour-blind readers too (Okabe and Ito; the last three are Tol's)."""

LEGEND = alt.Legend(columnPadding=30, labelLimit=240)
"""Texts of pictures are measured in another font than browsers may draw them in, which can be wider."""

PANEL = 170
"""Height of a panel in pixels."""
STEP = 9
"""Width of a bar in pixels."""
NEAR = 0.25
"""Where no ratio of a metric is further from 1, its differences from the baseline are drawn, in per cent."""


def bars(measured: Measured) -> Mapping[str, Any]:
    """Groups of bars: a group for each load, a bar for each variant; metrics below each other, panels two by two."""
    names = list(dict.fromkeys(variant.name for variant in measured.figure.variants))
    x = alt.X("load:N", sort=list(measured.loads), title=None, axis=alt.Axis(labelAngle=-35))
    colour = alt.Color(
        "variant:N",
        sort=names,
        scale=alt.Scale(domain=names, range=list(COLOURS[: len(names)])),
        legend=LEGEND,
    )
    rows = []
    for metric in measured.figure.metrics:
        panels = []
        for panel in measured.panels:
            values = data(chosen(measured, metric, panel))
            places = alt.Scale(domain=list(measured.variants(panel)))
            base = alt.Chart(values).encode(x=x, xOffset=alt.XOffset("variant:N", scale=places))
            title = heading(metric, panel, differs(measured, metric))
            y = alt.Y("value:Q", title=title, scale=alt.Scale(zero=True))
            layers = alt.layer(
                base.mark_bar().encode(y=y, color=colour),
                base.mark_rule(color="#111827").encode(y=alt.Y("low:Q", title=title), y2="high:Q"),
            )
            panels.append(layers.properties(width=width(measured, panel), height=PANEL))
        rows += beside(panels)
    charts = alt.vconcat(*rows).resolve_scale(xOffset="independent")
    return specification(charts)


def beside(panels: Sequence[alt.LayerChart | alt.FacetChart]) -> list[alt.HConcatChart]:
    """Panels in rows of two."""
    return [alt.hconcat(*panels[first : first + 2]) for first in range(0, len(panels), 2)]


def width(measured: Measured, panel: str) -> int:
    """Width of a panel: room for every bar, and for the names below them."""
    bars_ = max(len(measured.variants(panel)), 2) + 1
    return max(STEP * bars_ * max(len(measured.loads), 1), 160)


def lines(measured: Measured, logarithmic: Sequence[str] = ()) -> Mapping[str, Any]:
    """A line for each load along the variants; metrics below each other, panels side by side. Axes of metrics that `logarithmic` names are so."""
    names = list(measured.loads)
    order = list(dict.fromkeys(variant.name for variant in measured.figure.variants))
    colour = alt.Color(
        "load:N",
        sort=names,
        scale=alt.Scale(domain=names, range=list(COLOURS[: len(names)])),
        legend=LEGEND,
    )
    rows = []
    for metric in measured.figure.metrics:
        panels = []
        for panel in measured.panels:
            title = heading(metric, panel, differs(measured, metric))
            scale = alt.Scale(type="log") if metric.name in logarithmic else alt.Undefined
            y = alt.Y("value:Q", title=title, scale=scale)
            base = alt.Chart(data(chosen(measured, metric, panel)))
            x = alt.X("variant:N", sort=order, title=measured.figure.variants_are or None)
            base = base.encode(x=x, color=colour)
            layers = alt.layer(
                base.mark_line(point=True, strokeWidth=2).encode(y=y),
                base.mark_rule().encode(y=alt.Y("low:Q", title=title), y2="high:Q"),
            )
            panels.append(layers.properties(width=330, height=200))
        rows += beside(panels)
    return specification(alt.vconcat(*rows))


def differs(measured: Measured, metric: Metric) -> bool:
    """Whether a chart shows by how much per cent a metric differs from the baseline: ratios near 1 would all look alike."""
    ratios = [point["value"] for point in measured.points if point["metric"] == metric.name]
    return metric.relative and all(abs(ratio - 1) <= NEAR for ratio in ratios)


def heading(metric: Metric, panel: str, difference: bool = False) -> list[str]:
    """What stands beside an axis, in lines."""
    unit = f" ({metric.unit_shown})" if metric.unit_shown else ""
    lines = [metric.name, "difference (%)"] if difference else [f"{metric.name}{unit}"]
    return [*lines, *([panel] if panel else [])]


def chosen(measured: Measured, metric: Metric, panel: str) -> list[Mapping[str, Any]]:
    """The values of one chart: as they are, or as differences from the baseline."""
    points = [
        point
        for point in measured.points
        if point["metric"] == metric.name and point["panel"] == panel
    ]
    if not differs(measured, metric):
        return points
    ends = ("value", "low", "high")
    return [{**point, **{end: 100 * (point[end] - 1) for end in ends}} for point in points]
