"""The runs of a sweep, and the designs that a search found."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from wordline.formatting import counted, display, percent, setting
from wordline.points.remarks import HEADING
from wordline.sweeps.chosen import chosen_figures, heading
from wordline.terminal.console import Terminal, print_notes, print_whole

if TYPE_CHECKING:
    import polars as pl

    from wordline.searching.search import Search
    from wordline.sweeps.sweep import Sweep

MOST_ROWS = 60
"""Points that fit a terminal; the Parquet file, the report and the JSON have all."""
MOST_FIGURES = 6
"""Figures that fit a terminal."""
MOST_ERRORS = 5
"""Errors that are shown."""


def print_sweep(found: Sweep, figures: Sequence[str], out: Path | None) -> None:
    """Print a row for each point, what failed, the notes, and where the rest is."""
    console = Terminal(highlight=False)
    shown = list(figures) or chosen_figures(found)[:MOST_FIGURES]
    means = found.means(*shown)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for key in found.keys:
        table.add_column(escape(heading(key, found.units.get(key, ""))))
    for figure in shown:
        table.add_column(escape(figure), justify="right")
    is_marked = any(map(found.marks, means["point"]))
    if is_marked:
        table.add_column(HEADING)
    unordered = {figure: overlapping(means, figure) for figure in shown}
    for place, row in enumerate(means.head(MOST_ROWS).iter_rows(named=True)):
        cells = [setting(row[key]) for key in found.keys]
        for figure in shown:
            half_width = row[f"{figure} ±"]
            width = "" if half_width is None else f" ± {display(half_width)}"
            sign = "~ " if place in unordered[figure] else ""
            cells.append(sign + display(row[figure]) + width)
        cells += [found.marks(row["point"])] * is_marked
        table.add_row(*map(escape, cells))
    print_whole(console, table)
    if means.height > MOST_ROWS:
        console.print(f"{means.height - MOST_ROWS:,} more points (--out, --json)")
    if any(unordered.values()):
        console.print(
            "~: the 95 % interval overlaps that of another point: their order may be chance"
        )
    print_failures(console, found.table, found.keys)
    print_notes(console, found.told)
    if out:
        console.print(Text(f"report: {out / 'report.html'}"), soft_wrap=True)


def print_failures(console: Terminal, table: pl.DataFrame, keys: Sequence[str]) -> None:
    """Print why points failed, each reason once with the settings of the first."""
    import polars as pl

    failures = table.filter(pl.col("error").is_not_null())
    reasons = failures.group_by("error", maintain_order=True).agg(
        pl.len(), *(pl.col(key).first() for key in keys)
    )
    for row in reasons.head(MOST_ERRORS).iter_rows(named=True):
        settings = ", ".join(f"{key} = {setting(row[key])}" for key in keys)
        count = "1 run" if row["len"] == 1 else f"{row['len']:,} runs, the first"
        console.tell(Text(f"failed: {count} ({settings}): {row['error']}"))
    if reasons.height > MOST_ERRORS:
        console.print(f"{reasons.height - MOST_ERRORS:,} more errors (--out, --json)")


def overlapping(means: pl.DataFrame, figure: str) -> set[int]:
    """The places of rows whose interval of a figure overlaps that of another row."""
    width = f"{figure} ±"
    rows = enumerate(means.select(figure, width).iter_rows())
    ordered = sorted((mean, half, place) for place, (mean, half) in rows if half is not None)
    found: set[int] = set()
    for (low, half, one), (high, other_half, other) in pairwise(ordered):
        if low + half >= high - other_half:
            found |= {one, other}
    return found


def print_search(found: Search, out: Path | None) -> None:
    """Print the best designs, which key matters, and where the rest is."""
    console = Terminal(highlight=False)
    counts = sorted(
        found.table["state"].value_counts().rows(), key=lambda each: (-each[1], each[0])
    )
    told = ", ".join(f"{count:,} {state}" for state, count in counts)
    console.tell(Text(f"{counted(found.table.height, 'point')}: {told}"))
    print_best(console, found)
    for name, shares in found.importance.items():
        ordered = sorted(shares.items(), key=lambda each: -each[1])
        listed = ", ".join(f"{key} {percent(share)}" for key, share in ordered)
        console.tell(Text(f"what matters for {name}: {listed}"))
    print_failures(console, found.table, found.sweep.keys)
    print_notes(console, found.sweep.notes)
    if out:
        console.print(Text(f"report: {out / 'report.html'}"), soft_wrap=True)


def print_best(console: Terminal, found: Search) -> None:
    """Print the best designs, or what the points came to where none keeps the constraints."""
    best = found.best
    if best.is_empty():
        console.print("no point keeps the constraints")
        for constraint in found.constraints:
            name = str(constraint.weighed)
            values = found.table[name].drop_nulls()
            if not values.is_empty():
                least, most = map(display, (values.min(), values.max()))
                console.tell(Text(f"{constraint.text}: the points have {least} to {most}"))
        return
    names = [name for name in found.shown if name not in found.sweep.keys]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for key in found.sweep.keys:
        table.add_column(escape(heading(key, found.sweep.units.get(key, ""))))
    for name in names:
        table.add_column(escape(name), justify="right")
    for row in best.head(MOST_ROWS).iter_rows(named=True):
        settings = (setting(row[key]) for key in found.sweep.keys)
        table.add_row(*map(escape, (*settings, *(display(row[name]) for name in names))))
    print_whole(console, table)
    if best.height > MOST_ROWS:
        console.print(f"{best.height - MOST_ROWS:,} more designs (--out, --json)")
