"""The page of the validation: tables of figures measured and simulated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .compare import BOUNDS, Comparison, score
from .drives import Entry
from .loads import Point
from .measured import Conditions
from .reasons import REASONS

Row = tuple[Point, list[Comparison]]
"""A load point and its figures."""
Found = Mapping[Entry, Sequence[Row]]

OF_WRITES = (
    "write latency p50",
    "write latency mean",
    "write latency p99",
    "write IOPS achieved",
    "read IOPS achieved",
)
"""Figures of load points that have no bound."""


def page(found: Found, conditions: Mapping[Entry, Conditions]) -> Iterator[str]:
    """The text of the page."""
    bounds = ", ".join(
        f"{name.removeprefix('read latency ')} {bound:g}" for name, bound in BOUNDS.items()
    )
    yield (
        "<!-- Written by `make validate`. -->\n\n# Beside measured drives\n\nDrives that were sold, [assembled from parts](../explanations/validation.md) and simulated at the loads "
        "at which they were measured. **Ratio** is simulated over measured. Read latencies below saturation are to lie within a factor of each other "
        f"({bounds}); ratios outside are bold. What is saturated, throughput, and latencies of writes are shown without a bound. Latencies are in microseconds.\n\n"
        "| drive | load points below saturation | read latencies within their bound |\n|---|---|---|\n"
    )
    for drive, rows in found.items():
        within, held = score([each for _, compared in rows for each in compared])
        points = sum(point.held for point, _ in rows)
        yield f"| {drive.title} | {points} | {within} of {held} |\n"
    for drive, rows in found.items():
        yield f"\n## {drive.title}\n"
        loads = [row for row in rows if any(each.quantity in BOUNDS for each in row[1])]
        yield from table("Latencies of reads", loads, tuple(BOUNDS))
        yield from table("Writes and throughput", loads, OF_WRITES)
        yield from other([row for row in rows if row not in loads])
        yield from why(drive)
    yield from sources(conditions)


def table(title: str, rows: Sequence[Row], quantities: Sequence[str]) -> Iterator[str]:
    """Quantities side by side, by load point; those that no row has are left out."""
    known = [
        name for name in quantities if any(each.quantity == name for _, row in rows for each in row)
    ]
    if "write latency p50" in known and "write latency mean" in known:
        known.remove("write latency mean")
    if not known:
        return
    names = " | ".join(
        f"{name.replace(' latency', '')} measured | simulated | ratio" for name in known
    )
    yield f"\n### {title}\n\n| load | {names} |\n|---|{'---|' * 3 * len(known)}\n"
    for point, compared in rows:
        of = {each.quantity: each for each in compared}
        cells = " | ".join(figures(of[name]) if name in of else " |  | " for name in known)
        held = "" if point.held or point.label == "saturated" else ", saturated"
        yield f"| {point.label}{held} | {cells} |\n"


def other(rows: Sequence[Row]) -> Iterator[str]:
    """Figures of data sheets and others that are a load each."""
    if rows:
        yield "\n### Other figures\n\n| figure | measured or printed | simulated | ratio |\n|---|---|---|---|\n"
    for point, compared in rows:
        for each in compared:
            yield f"| {point.label} | {figures(each)} |\n"


def figures(compared: Comparison) -> str:
    """Three cells."""
    ratio = f"{compared.ratio:.2f}"
    ratio = f"**{ratio}**" if compared.within is False else ratio
    return f"{shown(compared.measured)} | {shown(compared.simulated)} | {ratio}"


def shown(value: float) -> str:
    """A figure with three digits, or all before its point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def why(drive: Entry) -> Iterator[str]:
    """What differs, and what a trace of the run shows of it."""
    if reasons := REASONS.get(drive.file):
        yield "\n### What differs, and why\n\n"
        yield from (f"* {reason}\n" for reason in reasons)


def sources(conditions: Mapping[Entry, Conditions]) -> Iterator[str]:
    """Where the measurements are from, without the single files of a repository."""
    yield "\n## Sources of the measurements\n\n"
    for drive, measured in conditions.items():
        known = {
            each.source.split(" data/")[0] for row in measured.values() for each in row.values()
        }
        yield f"* {drive.title}: {'; '.join(sorted(known))}.\n"
