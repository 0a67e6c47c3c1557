"""How every chart looks, and the few building blocks that they share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import altair as alt

CLASS_COLOURS = {"read": "#0072b2", "write": "#d55e00"}
"""Colours of the request classes, told apart by colour-blind readers too (Okabe and Ito)."""

CAUSE_COLOURS = ("#0072b2", "#cc79a7", "#009e73", "#e69f00", "#56b4e9", "#d55e00", "#6b7280")
"""Colours of the causes of flash operations: host, garbage collection, and the rarer ones."""

WIDTH = 900
"""Width of a chart in pixels; the page scales it down where there is less room."""

CONFIG: Mapping[str, Any] = {
    "font": "system-ui, sans-serif",
    "axis": {
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "gridColor": "#e5e7eb",
        "domainColor": "#9ca3af",
        "tickColor": "#9ca3af",
        "labelColor": "#374151",
        "titleColor": "#374151",
    },
    "legend": {"labelFontSize": 12, "titleFontSize": 12, "orient": "top", "title": None},
    "view": {"stroke": None},
}


def data(rows: Iterable[Mapping[str, object]]) -> alt.InlineData:
    """Rows to plot; they are part of the page."""
    return alt.InlineData(values=[dict(row) for row in rows])


def specification(chart: alt.TopLevelMixin) -> Mapping[str, Any]:
    """A chart as a Vega-Lite specification in the common style."""
    spec: dict[str, Any] = chart.to_dict()
    spec["config"] = CONFIG
    return spec


def class_colour(present: Iterable[str], *, legend: bool = True) -> alt.Color:
    """Colour by class of request."""
    names = list(present)
    scale = alt.Scale(domain=names, range=[CLASS_COLOURS[name] for name in names])
    return alt.Color("class:N", scale=scale, legend=alt.Undefined if legend else None)
