"""How every chart looks, and the few building blocks that they share."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

import altair as alt
from altair.utils.schemapi import debug_mode

CLASS_COLOURS = {"read": "#0072b2", "write": "#d55e00"}
"""Colours of the request classes, told apart by colour-blind readers too (Okabe and Ito)."""

CAUSE_COLOURS = ("#0072b2", "#cc79a7", "#009e73", "#e69f00", "#56b4e9", "#d55e00", "#6b7280")
"""Colours of the causes of flash operations: host, garbage collection, and the rarer ones."""

CONTENDER_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#4b4b8f")
"""Colours of results that are compared."""

WIDTH = 900
"""Width of a chart in pixels; the page scales it down where there is less room."""

INK = "#111827"
"""Colour of marks that stand out from all data: the text's own."""
TEXT = "#374151"
"""Colour of labels."""
RULE = "#6b7280"
"""Colour of lines that mark a value."""
PAPER = "#ffffff"
"""Colour of what lies between marks: the background's own."""

CONFIG: Mapping[str, Any] = {
    "background": PAPER,
    "font": "system-ui, sans-serif",
    "axis": {
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "gridColor": "#e5e7eb",
        "domainColor": "#9ca3af",
        "tickColor": "#9ca3af",
        "labelColor": TEXT,
        "titleColor": TEXT,
    },
    "legend": {
        "labelFontSize": 12,
        "titleFontSize": 12,
        "labelColor": TEXT,
        "titleColor": TEXT,
        "orient": "top",
        "title": None,
    },
    "header": {"labelColor": TEXT, "titleColor": TEXT},
    "title": {"color": TEXT},
    "rule": {"color": RULE},
    "view": {"stroke": None},
}

DARK: Mapping[str, str] = {
    INK: "#f3f4f6",
    TEXT: "#d1d5db",
    RULE: "#9ca3af",
    PAPER: "#171b22",
    "#e5e7eb": "#2e3540",
    "#9ca3af": "#7b8494",
    "#0072b2": "#3c9bd6",
    "#d55e00": "#f0803c",
    "#009e73": "#22b88c",
    "#000000": "#e5e7eb",
    "#3b2a20": "#8f735f",
    "#4b4b8f": "#8a8ad0",
    "#4b5563": "#8d96a5",
    "#00573f": "#2f8f74",
    "#7d2e63": "#b35c97",
    "#3f6f52": "#649a79",
    "#7f3c8d": "#b06fc0",
    "#f0c3dd": "#7a5169",
}
"""Colours of charts that are too dark, or too light, on a dark page, and what stands in for each there."""


def dark_rules(scope: str = "") -> str:
    """A style sheet that puts the colours of a chart in SVG right on a dark page; `scope` precedes each selector."""
    rules = (
        f'{scope}[{attribute}="{light}"] {{ {attribute}: {dark}; }}'
        for light, dark in DARK.items()
        for attribute in ("fill", "stroke")
    )
    return "@media screen and (prefers-color-scheme: dark) {\n" + "\n".join(rules) + "\n}"


DURATIONS = (
    "datum.value >= 1e6 ? format(datum.value / 1e6, '~g') + ' s' : "
    "datum.value >= 1e3 ? format(datum.value / 1e3, '~g') + ' ms' : format(datum.value, '~g') + ' µs'"
)
"""Labels of an axis of microseconds, in the unit that reads best."""


def duration_axis(low: float, high: float, **options: Any) -> alt.Axis:
    """A logarithmic axis of microseconds from `low` to `high`: 1, 2, 5 of a decade, or decades only."""
    decades = math.log10(high / low)
    steps = (1, 2, 5) if decades < 4 else (1,)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    ticks = [step * 10.0**power for power in range(first, last + 1) for step in steps]
    shown = [tick for tick in ticks if low <= tick <= high]
    if len(shown) < 3:  # less than a decade: as many as there is room for
        return alt.Axis(labelExpr=DURATIONS, tickCount=6, **options)
    return alt.Axis(labelExpr=DURATIONS, values=shown, **options)


AMOUNTS = "abs(datum.value) >= 1e6 ? format(datum.value, '~s') : format(datum.value, ',.6~g')"
"""Labels of an axis of quantities: 0.5, 20, 3,000 and 3M; 1.28k microseconds would have two prefixes."""


def time_axis(seconds: float) -> alt.Axis:
    """An axis of simulated time, whose values are seconds up to so many, in the unit that reads best."""
    units = ((1.0, 1.0, "s"), (1e-3, 1e3, "ms"))
    scale, unit = next((unit[1:] for unit in units if seconds >= unit[0]), (1e6, "µs"))
    # a part of a long run is told by its last digits
    labels = f"format(datum.value * {scale:g}, ',.11~g')"
    return alt.Axis(title=f"simulated time ({unit})", labelExpr=labels)


def counts(**options: Any) -> alt.Axis:
    """An axis of whole numbers: no mark between two of them."""
    return alt.Axis(tickMinStep=1, format="~s", **options)


def data(rows: Iterable[Mapping[str, object]]) -> alt.InlineData:
    """Rows to plot; they are part of the page."""
    # rows are as they should be: to check thousands against a schema takes longer than all else
    with debug_mode(False):
        return alt.InlineData(values=tuple(dict(row) for row in rows))


def specification(chart: alt.TopLevelMixin) -> Mapping[str, Any]:
    """A chart as a Vega-Lite specification in the common style."""
    spec: dict[str, Any] = chart.to_dict(validate=False)
    spec["config"] = CONFIG
    # Altair numbers views over the life of the process; the same chart is to have the same text
    numbers: dict[str, str] = {}
    text = re.sub(
        r'"view_(\d+)',
        lambda match: f'"view_{numbers.setdefault(match[1], str(len(numbers) + 1))}',
        json.dumps(spec),
    )
    renumbered: dict[str, Any] = json.loads(text)
    return renumbered


def picked(field: str) -> alt.Parameter:
    """What the reader picks by clicking entries of a legend of `field`; a second click lets go."""
    return alt.selection_point(name=f"picked_{field}", fields=[field], bind="legend", toggle="true")


def fade(picked: alt.Parameter | alt.PredicateComposition, full: float = 1.0) -> Any:
    """Let what is not picked fade; all is picked at first."""
    return alt.when(picked).then(alt.value(full)).otherwise(alt.value(0.12))


def class_colour(present: Iterable[str], *, legend: bool = True) -> alt.Color:
    """Colour by class of request."""
    names = list(present)
    return colours("class", names, [CLASS_COLOURS[name] for name in names], legend=legend)


def contender_colour(names: Iterable[str]) -> alt.Color:
    """Colour by result, of several that are compared."""
    named = list(names)
    palette = [CONTENDER_COLOURS[place % len(CONTENDER_COLOURS)] for place in range(len(named))]
    return colours("run", named, palette)


def colours(field: str, names: list[str], palette: list[str], *, legend: bool = True) -> alt.Color:
    """Colour by `field`, whose values have colours of their own."""
    scale = alt.Scale(domain=names, range=palette)
    return alt.Color(f"{field}:N", scale=scale, legend=alt.Undefined if legend else None)
