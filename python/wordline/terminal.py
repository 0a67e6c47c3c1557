"""Results as text on a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from wordline.formatting import display
from wordline.results import Result, Scalar

STYLES = {"warning": "yellow", "info": "cyan"}


def print_result(result: Result, out: Path | None) -> None:
    """Print what most readers look for first, the notes, and where the rest is."""
    console = Console(highlight=False)
    console.print(latency_table(result.summary))
    console.print(totals_table(result.summary))
    for note in result.notes:
        style = STYLES.get(note.severity, "bold")
        console.print(f"[{style}]{escape(note.severity)}[/]: {escape(note.text)}", soft_wrap=True)
    if out:
        console.print(Text(f"report: {out / 'report.html'}"), soft_wrap=True)


def latency_table(summary: Mapping[str, Scalar]) -> Table:
    """Latencies by class of request."""
    columns = ("mean", "p50", "p95", "p99", "p999", "max")
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("latency (us)")
    for name in ("requests", *columns):
        table.add_column(name, justify="right")
    for kind in ("read", "write", "all"):
        count = summary[f"host.{kind}.count"]
        if count:
            cells = [display(summary[f"host.{kind}.latency.{column}_us"]) for column in columns]
            table.add_row(kind, display(count), *cells)
    return table


TOTALS = (
    ("sim.time_s", "simulated time", "s"),
    ("host.iops", "throughput", "requests/s"),
    ("host.bandwidth_mb_s", "bandwidth", "MB/s"),
    ("ftl.write_amplification", "write amplification", ""),
    ("ftl.blocks_erased", "blocks erased", ""),
    ("nand.die_utilization", "die utilization", ""),
    ("nand.channel_utilization", "channel utilization", ""),
    ("run.wall_s", "wall clock time of the run", "s"),
)
"""Totals that are shown on the terminal: key, name, unit."""


def totals_table(summary: Mapping[str, Scalar]) -> Table:
    """The totals that matter in every run."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    for key, name, unit in TOTALS:
        if summary.get(key) is not None:
            table.add_row(name, display(summary[key]), unit)
    return table


HISTOGRAMS = {
    "size_histogram": ("requests from size (B)", 1),
    "interarrival_histogram": ("gaps from (us)", 1000),
}
"""Histograms of a trace: what their rows are called, and what the bounds are divided by."""


def print_trace_stats(stats: Mapping[str, Scalar]) -> None:
    """Print what a trace is like: figures, histograms without their empty rows, notes."""
    console = Console(highlight=False)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for key, value in stats.items():
        name, _, bound = key.partition(".")
        if name in HISTOGRAMS:
            label, scale = HISTOGRAMS[name]
            if value:
                table.add_row(f"{label} {display(int(bound) // scale)}", display(value))
        elif key != "notes":
            table.add_row(key, display(value))
    console.print(table)
    if stats.get("notes"):
        console.print(Text(str(stats["notes"])), soft_wrap=True)
