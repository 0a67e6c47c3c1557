"""What differs between results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from wordline.comparison import SCALED, START, equal_figures, relative_change
from wordline.formatting import display
from wordline.headlines import HEADLINES
from wordline.terminal.console import Terminal, print_notes, print_whole

if TYPE_CHECKING:
    from wordline.comparison import Comparison, Lacking, Metric

MOST_SETTINGS = 20


MOST_METRICS = 20
"""Rows of a comparison that fit a terminal; the page and the JSON have all."""


def print_comparison(found: Comparison, out: Path | None) -> None:
    """Print what differs between results, what changed most first."""
    console = Terminal(highlight=False)
    names = [each.name for each in found.contenders]
    print_whole(console, settings_table(found, names))
    headlines = {key: (name, unit) for key, name, unit in HEADLINES}
    chosen = [metric for metric in found.metrics if metric.key in headlines]
    rest = [metric for metric in found.metrics if metric.key not in headlines]
    for metrics_, title in ((chosen, "figure"), (rest[:MOST_METRICS], "further figures")):
        if metrics_:
            console.print()
            table = metrics_table(names, title)
            for metric in metrics_:
                shown = metric.readable
                name, unit = headlines.get(metric.key, (shown.key, metric.unit.strip("1")))
                unit = shown.unit if metric.unit in SCALED else unit
                table.add_row(name, unit, *differences(shown))
            print_whole(console, table)
    if times := found.times_of_some:
        console.print()
        print_whole(console, lacking_table(names, times))
    console.print()
    hidden = len(rest) - MOST_METRICS
    more = f"; {hidden} more differ (--json, --out)" if hidden > 0 else ""
    console.tell(Text(f"{equal_figures(found.same)}{more}"))
    if any(metric.is_chance for metric in found.metrics):
        console.tell("~: may be chance (zero lies within the 95 % interval of the difference)")
    print_notes(console, found.notes)
    if out:
        console.print(Text(f"report: {out}"), soft_wrap=True)


def settings_table(found: Comparison, names: Sequence[str]) -> Table:
    """What is configured differently."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("configuration" if found.settings else "the configurations are the same", *names):
        table.add_column(escape(name))
    # what a drive has been through is always worth knowing, and first of all
    settings = sorted(found.settings, key=lambda setting: setting.key != START)
    for setting in settings[:MOST_SETTINGS]:
        table.add_row(setting.key, *map(escape, setting.shown))
    if len(found.settings) > MOST_SETTINGS:
        table.add_row(f"{len(found.settings) - MOST_SETTINGS} more keys (--json, --out)")
    if all(setting.key != START for setting in found.settings):
        table.add_row(f"{START} (the same)", *(escape(each.start) for each in found.contenders))
    return table


def metrics_table(names: Sequence[str], title: str) -> Table:
    """An empty table of figures: the first result, then each other with its difference."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(title)
    table.add_column("")
    table.add_column(escape(names[0]), justify="right")
    for name in names[1:]:
        table.add_column(escape(name), justify="right")
        table.add_column("", justify="right")
    return table


def lacking_table(names: Sequence[str], lacking: Sequence[Lacking]) -> Table:
    """Times that only some of the results have."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("times that only some have")
    table.add_column("")
    for name in names:
        table.add_column(escape(name), justify="right")
    for each in lacking[:MOST_METRICS]:
        table.add_row(*each.shown)
    if len(lacking) > MOST_METRICS:
        table.add_row(f"{len(lacking) - MOST_METRICS} more (--json, --out)")
    return table


def differences(metric: Metric) -> Iterator[str]:
    """The cells of a figure."""
    first, *others = metric.values
    yield display(first.mean)
    for value, each, share in zip(others, metric.differences, metric.relative, strict=True):
        yield display(value.mean)
        sign = "~ " if each.is_significant is False else ""
        yield f"{sign}{relative_change(share)}"
