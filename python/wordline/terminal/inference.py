"""What measurements say about unknown keys."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from wordline.formatting import counted, display, duration_us, percent
from wordline.inferring.told import misfit, ties
from wordline.notes import Note
from wordline.terminal.console import Terminal, print_notes, print_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wordline.inferring.infer import Inference


def print_inference(found: Inference, out: Path | None) -> None:
    """Print what is known of each key, how the targets are met and predicted, and where the rest is."""
    console = Terminal(highlight=False)
    about = found.about
    failures = f", {found.failed:,} of them failed" if found.failed else ""
    console.print(
        Text(f"{counted(about['points'], 'point')}{failures}, {counted(about['runs'], 'run')}")
    )
    printed(
        console,
        ("key", "best", "95 % likely", "of the range", ""),
        [
            (each.name, each.best.replace('"', ""), each.text, percent(each.width), each.state)
            for each in found.keys
        ],
    )
    for sentence in ties(found):
        console.tell(Text(sentence))
    printed(
        console,
        ("target", "measured", "best settings", "95 % set", "predicted by the others"),
        [
            (
                each.target.figure,
                f"{display(each.target.value)} ± {display(each.target.tolerance)}",
                display(each.best),
                f"{display(each.low)} to {display(each.high)}",
                left.get(each.target.figure, "–"),
            )
            for left in [{row.target.figure: row.text for row in found.predicted}]
            for each in found.targets
        ],
    )
    if found.held:
        printed(
            console,
            ("second half of the trace", "measured", "best settings", "error", "95 % set"),
            [
                (
                    f"{each.name} p{each.percent}",
                    duration_us(each.measured),
                    duration_us(each.best),
                    each.told,
                    f"{duration_us(each.low)} to {duration_us(each.high)}",
                )
                for each in found.held.errors
            ],
        )
    print_notes(
        console,
        [
            *(Note("warning", "infer.misfit", text) for text in misfit(found)),
            *found.sweep.notes,
        ],
    )
    if found.command:
        console.print(Text(f"best settings: {found.command}"), soft_wrap=True)
    if out:
        console.print(Text(f"report: {out / 'report.html'}"), soft_wrap=True)


def printed(console: Terminal, names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table of text."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in names:
        table.add_column(escape(name))
    for row in rows:
        table.add_row(*map(escape, row))
    print_whole(console, table)
