"""What the flash did, and on whose behalf."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import altair as alt

from wordline.report.section import Figure, Row, Section
from wordline.report.theme import (
    CAUSE_COLOURS,
    WIDTH,
    colours,
    data,
    fade,
    picked,
    specification,
)

if TYPE_CHECKING:
    from wordline.results import Result, Scalar

KINDS = {
    "pages programmed": "ftl.pages_programmed.",
    "pages read": "ftl.pages_read.",
    "blocks erased": "ftl.blocks_erased.",
}
"""Operations that are counted by cause, and their keys."""
CAUSES = {
    "gc": "garbage collection",
    "fold": "folding of the SLC cache",
    "wear": "wear levelling",
    "mapping": "the mapping",
    "merge": "merges",
    "refresh": "refresh",
}
"""Causes in words."""


def section(result: Result) -> Section:
    """Flash operations by cause."""
    counts = {name: counted(result.summary, prefix) for name, prefix in KINDS.items()}
    if not any(counts.values()):
        return Section("Flash operations", absent="No request touched the flash.")
    figures = (by_cause(result.summary, counts), amplification(result.summary, counts))
    return Section("Flash operations", [figure for figure in figures if figure])


def counted(summary: Mapping[str, Scalar], prefix: str) -> dict[str, int]:
    """The causes of one kind of operation that occurred, and how often."""
    return {
        key.removeprefix(prefix): value
        for key, value in summary.items()
        if key.startswith(prefix) and isinstance(value, int) and value > 0
    }


def by_cause(summary: Mapping[str, Scalar], counts: Mapping[str, Mapping[str, int]]) -> Figure:
    """A bar per kind of operation, divided by cause."""
    causes = list(cause_colours(counts))
    rows: list[Row] = [
        {"operation": name, "cause": cause, "count": count, "share": count / sum(by_cause.values())}
        for name, by_cause in counts.items()
        for cause, count in by_cause.items()
    ]
    labels = {
        name: f"{name}: {sum(by_cause.values()):,}" for name, by_cause in counts.items() if by_cause
    }
    points = (
        {**row, "label": labels[str(row["operation"])], "order": causes.index(str(row["cause"]))}
        for row in rows
    )
    chosen = picked("cause")
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
            color=colours("cause", causes, list(cause_colours(counts).values())),
            opacity=fade(chosen),
            order=alt.Order("order:Q"),
            tooltip=[
                alt.Tooltip("operation:N"),
                alt.Tooltip("cause:N"),
                alt.Tooltip("count:Q", format=","),
                alt.Tooltip("share:Q", format=".2%"),
            ],
        )
        .add_params(chosen)
        .properties(width=WIDTH - 180, height=38 * len(labels))
    )
    return Figure(title(summary), specification(chart), rows, name="operations")


def cause_colours(counts: Mapping[str, Mapping[str, int]]) -> dict[str, str]:
    """Every cause once, in the order of the key table, so that its colour does not move about."""
    causes = dict.fromkeys(cause for by_cause in counts.values() for cause in by_cause)
    return {cause: CAUSE_COLOURS[index % len(CAUSE_COLOURS)] for index, cause in enumerate(causes)}


def amplification(
    summary: Mapping[str, Scalar], counts: Mapping[str, Mapping[str, int]]
) -> Figure | None:
    """Write amplification by cause; nothing where the host wrote nothing."""
    units, shared = summary["host.page_writes"], summary.get("ftl.units_per_page")
    programs = counts["pages programmed"]
    if not isinstance(units, int) or not units or not programs:
        return None
    # pages of flash on both sides, as in the figure that heads the report
    written = units / shared if isinstance(shared, int) else units
    palette = cause_colours(counts)
    rows: list[Row] = [
        {"cause": cause, "pages programmed": count, "per page of host writes": count / written}
        for cause, count in programs.items()
    ]
    points = (
        {"cause": cause, "programs": count / written, "bar": "", "order": order}
        for order, (cause, count) in enumerate(programs.items())
    )
    chosen = picked("cause")
    chart = (
        alt.Chart(data(points))
        .mark_bar()
        .encode(
            x=alt.X(
                "programs:Q",
                title="flash pages programmed per page of host writes",
                axis=alt.Axis(tickCount=10),
            ),
            y=alt.Y("bar:N", title=None, axis=None),
            color=colours("cause", list(programs), [palette[cause] for cause in programs]),
            opacity=fade(chosen),
            order=alt.Order("order:Q"),
            tooltip=[alt.Tooltip("cause:N"), alt.Tooltip("programs:Q", format=".4~g")],
        )
        .add_params(chosen)
        .properties(width=WIDTH - 20, height=44)
    )
    added = {cause: count for cause, count in programs.items() if cause != "host"}
    if not added:
        said = "Nothing but the host's own writes was programmed"
    else:
        most = max(added, key=lambda cause: added[cause])
        said = (
            f"Flash pages programmed per page of host writes: {programs.get('host', 0) / written:.3g} for host data, "
            f"{sum(added.values()) / written:.3g} for other causes, mostly {CAUSES.get(most, most)}"
        )
    remark = (
        "Less than one page for host data: the rest was overwritten in the buffer, or still in it at the end."
        if programs.get("host", 0) < 0.995 * written
        else ""
    )
    return Figure(said, specification(chart), rows, remark, "write-amplification")


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
