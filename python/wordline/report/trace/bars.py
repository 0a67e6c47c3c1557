"""Histograms in powers of two as bars: what several sections share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import altair as alt

from wordline.report.section import Row
from wordline.report.theme import WIDTH, class_colour, data, specification

Bucket: TypeAlias = Mapping[str, int]
KINDS = ("read", "write")


def bars(
    by_class: Mapping[str, Sequence[Bucket]], label: Callable[[int], str], title: str, counted: str
) -> tuple[Mapping[str, Any], list[Row]]:
    """Bars by bucket and class: the specification and the rows behind it."""
    present = {name: buckets for name, buckets in by_class.items() if buckets}
    rows = [
        {
            "class": name,
            "from": bucket["from"],
            title: label(bucket["from"]),
            counted: bucket["count"],
            "share": bucket["count"] / sum(other["count"] for other in buckets),
        }
        for name, buckets in present.items()
        for bucket in buckets
    ]
    order = list(dict.fromkeys(label(start) for start in sorted(starts(present.values()))))
    chart = (
        alt.Chart(data(rows))
        .mark_bar()
        .encode(
            x=alt.X(f"{title}:O", sort=order, axis=alt.Axis(labelAngle=-45)),
            xOffset=alt.XOffset("class:N"),
            y=alt.Y("share:Q", title=f"share of {counted}", axis=alt.Axis(format="%")),
            color=class_colour(present),
            tooltip=["class:N", f"{title}:O", f"{counted}:Q", alt.Tooltip("share:Q", format=".2%")],
        )
        .properties(width=WIDTH, height=220)
    )
    return specification(chart), [drop(row, "from") for row in rows]


def starts(histograms: Iterable[Sequence[Bucket]]) -> set[int]:
    """Every lower bound that occurs."""
    return {bucket["from"] for buckets in histograms for bucket in buckets}


def drop(row: Row, key: str) -> Row:
    """A row without one of its cells."""
    return {name: value for name, value in row.items() if name != key}


def in_units(value: float, units: Sequence[tuple[float, str]]) -> str:
    """A value in the largest unit that it reaches; `units` rise."""
    scale, unit = next((pair for pair in reversed(units) if value >= pair[0]), units[0])
    return f"{float(f'{value / scale:.4g}'):g} {unit}"


def time(nanoseconds: float) -> str:
    """A time; powers of two of a nanosecond to three digits."""
    units = [(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")]
    return in_units(float(f"{nanoseconds:.3g}"), units)
