"""What a trace is like, and how near its surrogate comes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.table import Table
from rich.text import Text

from wordline.fitting import Fit
from wordline.formatting import display
from wordline.terminal.console import Terminal
from wordline.traces import Tree, flat

TRACE_TOTALS = (
    ("requests", "requests", ""),
    ("read_percent", "reads", "%"),
    ("trims", "trims", ""),
    ("zero_length", "without length", ""),
    ("span_s", "span", "s"),
    ("mean_interarrival_ms", "mean gap", "ms"),
    ("interarrival.cv", "coefficient of variation of the gaps", ""),
    ("interarrival.burst_bias", "burst bias", ""),
    ("interarrival.p50_us", "median gap", "µs"),
    ("interarrival.p99_us", "gap, 99 %", "µs"),
    ("out_of_order", "rows out of order", ""),
    ("devices", "devices", ""),
    ("highest_byte", "highest byte of a device", "B"),
    ("laid_out_bytes", "devices side by side", "B"),
    ("pages_touched", "different 4-KiB pages", ""),
    ("pages_sampled_share", "share of the pages that is measured", ""),
    ("aligned_start_percent", "start at 4 KiB", "%"),
    ("aligned_percent", "start and end at 4 KiB", "%"),
    ("sequential_percent", "sequential", "%"),
    ("sequential.streams_percent", "sequential to one of 32 requests", "%"),
    ("sequential.mean_run_requests", "requests in a run", ""),
)
"""Figures of a whole trace: key, name, unit."""


TRACE_CLASSES = (
    ("requests", "{kind}s", 1),
    ("mean size (KiB)", "mean_{kind}_bytes", 1024),
    ("sequential (%)", "sequential.{kind}_percent", 1),
    ("different pages (MiB)", "pages_{past}", 256),
    ("hottest page (%)", "{kind}_popularity.hottest_percent", 1),
    ("top 1 % of pages (%)", "{kind}_popularity.top_1_percent", 1),
    ("top 10 % of pages (%)", "{kind}_popularity.top_10_percent", 1),
    ("top 20 % of pages (%)", "{kind}_popularity.top_20_percent", 1),
    ("pages used once (%)", "{kind}_popularity.once_percent", 1),
    ("Zipf exponent", "{kind}_popularity.zipf_exponent", 1),
    ("first touches of pages", "{kind}_reuse.first_touches", 1),
    ("median reuse distance (pages)", "{kind}_reuse.median_pages", 1),
)
"""Figures of reads and of writes: name, key, what the figure is divided by."""


PAST = {"read": "read", "write": "written"}


def print_trace_stats(stats: Tree, report: Path | None) -> None:
    """Print what a trace is like, a table per aspect, and where the charts are."""
    console = Terminal(highlight=False)
    for table in (totals_of_trace(stats), classes_of_trace(stats), *histograms_of_trace(stats)):
        console.print(table)
        console.print()
    for note in stats["notes"]:
        console.tell(Text(f"note: {note}"))
    if report:
        console.print(Text(f"report: {report}"), soft_wrap=True)


def totals_of_trace(stats: Tree) -> Table:
    """The figures of the trace as a whole."""
    figures = flat(stats)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    table.add_row("format", str(stats["format"]), f"times in {stats['time_unit']}")
    for key, name, unit in TRACE_TOTALS:
        if figures.get(key) is not None:
            table.add_row(name, display(figures[key]), unit)
    return table


def classes_of_trace(stats: Tree) -> Table:
    """The figures of reads and of writes."""
    figures = flat(stats)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("", *PAST):
        table.add_column(name, justify="right" if name else "left")
    for name, pattern, scale in TRACE_CLASSES:
        values = [figures.get(pattern.format(kind=kind, past=past)) for kind, past in PAST.items()]
        shown = [value if value is None or scale == 1 else value / scale for value in values]
        if any(value is not None for value in shown):
            table.add_row(name, *map(display, shown))
    return table


def histograms_of_trace(stats: Tree) -> Iterator[Table]:
    """Sizes, gaps and burstiness."""
    sizes = histogram("size from (B)", "requests")
    for bucket in stats["size_histogram"]:
        sizes.add_row(display(bucket["from"]), display(bucket["count"]))
    gaps = histogram("gap from (µs)", "gaps")
    for bucket in stats["interarrival_histogram"]:
        if bucket["count"]:
            gaps.add_row(display(bucket["from"] / 1e3), display(bucket["count"]))
    bursts = histogram("window (s)", "index of dispersion", "busiest over mean")
    for row in stats["dispersion"]:
        bursts.add_row(*(display(row[key]) for key in ("window_s", "index", "peak_to_mean")))
    yield from (table for table in (sizes, gaps, bursts) if table.row_count)


def histogram(*columns: str) -> Table:
    """An empty table of numbers."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(name, justify="right")
    return table


def print_fit(found: Fit, out: Path | None) -> None:
    """Print a trace and its surrogate side by side."""
    console = Terminal(highlight=False)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("figure")
    for name in ("unit", "trace", "surrogate", "difference"):
        table.add_column(name, justify="left" if name == "unit" else "right")
    for row in found.comparison:
        difference = row["difference"]
        unit = "points" if row["unit"] == "%" else "%"
        shown = "" if difference is None else f"{difference:+.2f} {unit}"
        table.add_row(
            row["figure"], row["unit"], display(row["trace"]), display(row["surrogate"]), shown
        )
    console.print(table)
    for note in found.trace["notes"]:
        console.tell(Text(f"note: {note}"))
    if out:
        console.print(Text(f"profile: {out}"), soft_wrap=True)
