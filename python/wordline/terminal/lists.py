"""Lists of what comes with Wordline: a name in each row, and what it is."""

from __future__ import annotations

from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from wordline.terminal.console import Terminal, print_whole


def print_list(headings: Sequence[str], rows: Sequence[Sequence[str]], remark: str = "") -> None:
    """Print a list. The words of the last column are wrapped on a terminal, below their heading; a file has a line for each row.

    Args:
        headings: what each column holds; a file does without.
        rows: the names, and what they are in the last column.
        remark: a sentence below the list, on a terminal.
    """
    console = Terminal(highlight=False)
    if not console.is_terminal:
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = (f"{cell:<{width}}" for cell, width in zip(row[:-1], widths, strict=False))
            console.print("  ".join((*cells, row[-1])), markup=False, soft_wrap=True)
        return
    table = Table(box=None, pad_edge=False, show_header=False)
    for _ in headings:
        table.add_column()
    table.add_row(*(f"[bold]{escape(heading)}[/]" for heading in headings))
    for row in rows:
        table.add_row(*map(escape, row))
    print_whole(console, table)
    if remark:
        console.tell(remark)
