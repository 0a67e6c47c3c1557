"""What the flash did, and on whose behalf."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import altair as alt

from wordline.report.section import Figure, Row, Section
from wordline.report.theme import CAUSE_COLOURS, WIDTH, data, specification

if TYPE_CHECKING:
    from wordline.results import Result, Scalar

KINDS = {
    "pages programmed": "ftl.pages_programmed.",
    "pages read": "ftl.pages_read.",
    "blocks erased": "ftl.blocks_erased.",
}
"""Operations that are counted by cause, and their keys."""


def section(result: Result) -> Section:
    """Flash operations by cause."""
    counts = {name: counted(result.summary, prefix) for name, prefix in KINDS.items()}
    if not any(counts.values()):
        return Section("Flash operations", absent="No request touched the flash.")
    return Section("Flash operations", [figure(result.summary, counts)])


def counted(summary: Mapping[str, Scalar], prefix: str) -> dict[str, int]:
    """The causes of one kind of operation that occurred, and how often."""
    return {
        key.removeprefix(prefix): value
        for key, value in summary.items()
        if key.startswith(prefix) and isinstance(value, int) and value > 0
    }


def figure(summary: Mapping[str, Scalar], counts: Mapping[str, Mapping[str, int]]) -> Figure:
    """A bar per kind of operation, divided by cause."""
    # every cause once, in the order of the key table, so that its colour does not move about
    causes = list(dict.fromkeys(cause for by_cause in counts.values() for cause in by_cause))
    colours = [CAUSE_COLOURS[index % len(CAUSE_COLOURS)] for index in range(len(causes))]
    rows: list[Row] = [
        {"operation": name, "cause": cause, "count": count, "share": count / sum(by_cause.values())}
        for name, by_cause in counts.items()
        for cause, count in by_cause.items()
    ]
    labels = {name: f"{sum(by_cause.values()):,} {name}" for name, by_cause in counts.items()}
    points = (
        {**row, "label": labels[str(row["operation"])], "order": causes.index(str(row["cause"]))}
        for row in rows
    )
    chart = (
        alt.Chart(data(points))
        .mark_bar()
        .encode(
            x=alt.X(
                "share:Q",
                title="share of the operations",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format="%"),
            ),
            y=alt.Y(
                "label:N", title=None, sort=list(labels.values()), axis=alt.Axis(labelLimit=240)
            ),
            color=alt.Color("cause:N", scale=alt.Scale(domain=causes, range=colours)),
            order=alt.Order("order:Q"),
            tooltip=[
                alt.Tooltip("operation:N"),
                alt.Tooltip("cause:N"),
                alt.Tooltip("count:Q", format=","),
                alt.Tooltip("share:Q", format=".2%"),
            ],
        )
        .properties(width=WIDTH - 120, height=120)
    )
    return Figure(title(summary), specification(chart), rows)


def title(summary: Mapping[str, Scalar]) -> str:
    """Write amplification and erases, in words."""
    amplification = summary["ftl.write_amplification"]
    erased = f"{summary['ftl.blocks_erased']:,} blocks were erased"
    if not isinstance(amplification, int | float):
        return f"The host wrote nothing; {erased}"
    return (
        f"Each page that the host wrote cost {amplification:.3f} page programs "
        f"(write amplification); {erased}"
    )
