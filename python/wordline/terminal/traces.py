"""What a trace is like, and how near its surrogate comes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from wordline.fitting import Fit
from wordline.formatting import binary_size, decimal_size, display, duration, nearer, unit_of
from wordline.terminal.console import Terminal
from wordline.traces import Tree, flat

TRACE_TOTALS = (
    ("requests", "requests", ""),
    ("read_percent", "reads", "%"),
    ("trims", "trims", ""),
    ("zero_length", "requests without a length", ""),
    ("span_s", "time from first to last request", "s"),
    ("mean_interarrival_ms", "time between requests, mean", "ms"),
    ("interarrival.cv", "time between requests, deviation over mean", ""),
    ("interarrival.burst_bias", "burstiness (0.5 none, 1 most)", ""),
    ("interarrival.p50_us", "time between requests, median", "µs"),
    ("interarrival.p99_us", "time between requests, p99", "µs"),
    ("out_of_order", "rows earlier than the row before", ""),
    ("devices", "devices", ""),
    ("highest_byte", "highest address of a device", "B"),
    ("laid_out_bytes", "highest address, devices one after another", "B"),
    ("pages_touched", "footprint in pages of 4 KiB", ""),
    ("pages_sampled_percent", "pages that were measured", "%"),
    ("aligned_start_percent", "offset aligned to 4 KiB", "%"),
    ("aligned_percent", "offset and size aligned to 4 KiB", "%"),
    ("sequential_percent", "sequential to the last request", "%"),
    ("sequential.streams_percent", "sequential to one of the last 32 requests", "%"),
    ("sequential.mean_run_requests", "requests of a sequential run, mean", ""),
)
"""Figures of a whole trace: key, name, unit."""


TRACE_CLASSES = (
    ("requests", "{kind}s", 1),
    ("mean size (KiB)", "mean_{kind}_bytes", 1024),
    ("sequential (%)", "sequential.{kind}_percent", 1),
    ("footprint (MiB)", "pages_{past}", 256),
    ("accesses to the hottest page (%)", "{kind}_popularity.hottest_percent", 1),
    ("accesses to the hottest 1 % of pages (%)", "{kind}_popularity.top_1_percent", 1),
    ("accesses to the hottest 10 % of pages (%)", "{kind}_popularity.top_10_percent", 1),
    ("accesses to the hottest 20 % of pages (%)", "{kind}_popularity.top_20_percent", 1),
    ("pages accessed once (%)", "{kind}_popularity.once_percent", 1),
    ("Zipf exponent (theta of fio)", "{kind}_popularity.zipf_exponent", 1),
    ("first accesses to a page", "{kind}_reuse.first_touches", 1),
    ("median reuse distance (pages)", "{kind}_reuse.median_pages", 1),
)
"""Figures of reads and of writes: name, key, what the figure is divided by."""


TIMES = ("s", "ms", "µs")
"""Units of times among the figures."""


PAST = {"read": "read", "write": "written"}


def print_trace_stats(stats: Tree, report: Path | None) -> None:
    """Print what a trace is like, a table per aspect, and where the charts are."""
    console = Terminal(highlight=False)
    for table in (totals_of_trace(stats), classes_of_trace(stats), *histograms_of_trace(stats)):
        console.print(table)
        console.print()
    for note in stats["notes"]:
        console.tell(Text(nearer(f"note: {note}")))
    if report:
        console.print(Text(f"report: {report}"), soft_wrap=True)


def totals_of_trace(stats: Tree) -> Table:
    """The figures of the trace as a whole."""
    figures = flat(stats) | {"pages_sampled_percent": 100 * stats["pages_sampled_share"]}
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    table.add_row("format", str(stats["format"]), f"times in {stats['time_unit']}")
    for key, name, unit in TRACE_TOTALS:
        if figures.get(key) is not None:
            table.add_row(name, *scaled(figures[key], unit))
    return table


def scaled(value: Any, unit: str) -> tuple[str, str]:
    """A figure and its unit, times and sizes in the one that reads best."""
    if unit == "B":
        text, _, of_size = decimal_size(value).rpartition(" ")
        return text, of_size
    if unit in TIMES:
        better, factor = unit_of([value], unit)
        return display(value * factor), better
    return display(value), unit


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
    sizes = histogram("request size from", "requests")
    for bucket in stats["size_histogram"]:
        sizes.add_row(binary_size(bucket["from"]), display(bucket["count"]))
    gaps = histogram("time between requests from", "gaps")
    for bucket in stats["interarrival_histogram"]:
        if bucket["count"]:
            gaps.add_row(duration(bucket["from"] / 1e3), display(bucket["count"]))
    bursts = histogram("window", "variance over mean of the requests", "busiest window over mean")
    for row in stats["dispersion"]:
        figures = (display(row[key]) for key in ("index", "peak_to_mean"))
        bursts.add_row(duration(row["window_s"] * 1e6), *figures)
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
        console.tell(Text(nearer(f"note: {note}")))
    if out:
        console.print(Text(f"profile: {out}"), soft_wrap=True)
