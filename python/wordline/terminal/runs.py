"""Results of a run and of several seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from wordline.explaining import lead
from wordline.formatting import display, duration, nearer
from wordline.headlines import HEADLINES, OF_SOME, TOTALS, classes_of, steadiness
from wordline.notes import Note, findings
from wordline.results import Result, Scalar
from wordline.saving import SEEDS
from wordline.seeds import Summaries, metrics
from wordline.tenants import rows_of, tenant_names
from wordline.terminal.console import Terminal, print_notes, print_whole


def print_result(result: Result, out: Path | None) -> None:
    """Print what most readers look for first, the notes, and where the rest is."""
    console = Terminal(highlight=False)
    latencies = latency_table(result.summary)
    if latencies.row_count:
        print_whole(console, latencies)
    else:
        console.print("no request was completed")
    print_whole(console, totals_table(result.summary))
    if tenant_names(result.summary):
        console.print()
        print_whole(console, tenants_table(result.summary))
    for paragraph in lead(result):
        console.tell(Text(nearer(paragraph)))
    print_notes(console, findings(result.notes))
    if out:
        console.print(Text(f"report: {out / 'report.html'}"), soft_wrap=True)


def latency_table(summary: Mapping[str, Scalar]) -> Table:
    """Latencies by class of request."""
    columns = ("mean", "p50", "p95", "p99", "p99.9", "p99.99", "max")
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("latency")
    for name in ("requests", *columns):
        table.add_column(name, justify="right")
    for kind in classes_of(summary):
        points = [column.replace(".", "") for column in columns]
        cells = [duration(summary[f"host.{kind}.latency.{point}_us"]) for point in points]
        table.add_row(kind, display(summary[f"host.{kind}.count"]), *cells)
    return table


def tenants_table(summary: Mapping[str, Scalar]) -> Table:
    """What each tenant, or each job or reporting group of a fio file, got."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("tenant or job")
    latencies = [(kind, point) for kind in ("read", "write") for point in ("mean", "p99")]
    figures = [f"{kind}.latency.{point}_us" for kind, point in latencies]
    names = (
        "requests",
        "requests/s",
        "MB/s",
        *(f"{kind} {point} (µs)" for kind, point in latencies),
    )
    for name in names:
        table.add_column(name, justify="right")
    for prefix, name in rows_of(summary):
        keys = ("all.count", "iops", "bandwidth_mb_s", *figures)
        cells = (summary[f"{prefix}.{key}"] for key in keys)
        table.add_row(escape(name), *map(display, cells))
    return table


def totals_table(summary: Mapping[str, Scalar]) -> Table:
    """The totals that matter in every run."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    for key, name, unit in (*TOTALS, *OF_SOME, ("run.wall_s", "wall clock time of the run", "s")):
        if summary.get(key) is not None:
            table.add_row(name, display(summary[key]), unit)
    table.add_row("steady state", *steadiness(summary))
    return table


def print_seeds(summaries: Summaries, notes: Sequence[Note], out: Path | None) -> None:
    """Print the means over several seeds, how far they spread, and the notes of one of them."""
    console = Terminal(highlight=False)
    found = metrics(summaries)
    table = Table(box=None, pad_edge=False, header_style="bold")
    # the unit beside the name: where the columns do not fit, each part of the table has both
    for name in (f"{len(summaries)} seeds", ""):
        table.add_column(name)
    for name in ("mean", "95 % interval", "standard deviation"):
        table.add_column(name, justify="right")
    for key, name, unit in HEADLINES:
        if key in found:
            each = found[key]
            half_width = None if each.half_width is None else f"± {display(each.half_width)}"
            cells = (display(each.mean), half_width or display(None), display(each.deviation))
            table.add_row(name, unit, *cells)
    print_whole(console, table)
    print_notes(console, notes)
    if out:
        console.print(Text(f"seeds: {out / SEEDS}"), soft_wrap=True)
