"""The runs of a sweep, and the designs that a search found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from wordline.formatting import display, percent
from wordline.notes import Note
from wordline.sweeps.chosen import chosen_figures, heading
from wordline.terminal.console import Terminal, print_notes, print_whole

if TYPE_CHECKING:
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
    import polars as pl

    console = Terminal(highlight=False)
    shown = list(figures) or chosen_figures(found)[:MOST_FIGURES]
    means = found.means(*shown)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for key in found.keys:
        table.add_column(escape(heading(key, found.units.get(key, ""))))
    for figure in shown:
        table.add_column(escape(figure), justify="right")
    for row in means.head(MOST_ROWS).iter_rows(named=True):
        cells = [display(row[key]) for key in found.keys]
        for figure in shown:
            half_width = row[f"{figure} ±"]
            width = "" if half_width is None else f" ± {display(half_width)}"
            cells.append(display(row[figure]) + width)
        table.add_row(*map(escape, cells))
    print_whole(console, table)
    if means.height > MOST_ROWS:
        console.print(f"{means.height - MOST_ROWS:,} more points (--out, --json)")
    failures = found.table.filter(pl.col("error").is_not_null())
    reasons = failures.group_by("error", maintain_order=True).agg(
        pl.len(), *(pl.col(key).first() for key in found.keys)
    )
    for row in reasons.head(MOST_ERRORS).iter_rows(named=True):
        settings = ", ".join(f"{key} = {row[key]}" for key in found.keys)
        count = "1 run" if row["len"] == 1 else f"{row['len']:,} runs, the first"
        console.print(Text(f"failed: {count} ({settings}): {row['error']}"), soft_wrap=True)
    if reasons.height > MOST_ERRORS:
        console.print(f"{reasons.height - MOST_ERRORS:,} more errors (--out, --json)")
    print_notes(console, [Note("info", key, text) for key, text in found.notes.items()])
    if out:
        console.print(Text(f"report: {out / 'report.html'}"), soft_wrap=True)


def print_search(found: Search, out: Path | None) -> None:
    """Print the best designs, which key matters, and where the rest is."""
    console = Terminal(highlight=False)
    counts = found.table["state"].value_counts(sort=True).rows()
    told = ", ".join(f"{count:,} {state}" for state, count in counts)
    console.print(Text(f"{found.table.height:,} points: {told}"), soft_wrap=True)
    best = found.best
    if best.is_empty():
        console.print("no point keeps the constraints")
    names = [each.name for each in found.objectives if each.name not in found.sweep.keys]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for key in found.sweep.keys:
        table.add_column(escape(heading(key, found.sweep.units.get(key, ""))))
    for name in names:
        table.add_column(escape(name), justify="right")
    for row in best.head(MOST_ROWS).iter_rows(named=True):
        table.add_row(*(escape(display(row[key])) for key in (*found.sweep.keys, *names)))
    print_whole(console, table)
    if best.height > MOST_ROWS:
        console.print(f"{best.height - MOST_ROWS:,} more designs (--out, --json)")
    for name, shares in found.importance.items():
        ordered = sorted(shares.items(), key=lambda each: -each[1])
        listed = ", ".join(f"{key} {percent(share)}" for key, share in ordered)
        console.print(Text(f"what matters for {name}: {listed}"), soft_wrap=True)
    print_notes(console, [Note("info", key, text) for key, text in found.sweep.notes.items()])
    if out:
        console.print(Text(f"report: {out / 'report.html'}"), soft_wrap=True)
