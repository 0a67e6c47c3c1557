"""Terminal, notes and whole tables: what every command prints with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table

from wordline.formatting import printable
from wordline.notes import Note

STYLES = {"warning": "yellow", "info": "cyan"}


class Terminal(Console):
    """A console that shows the control characters of a text, such as the name of a file, and sends none of them."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """As Rich does, with every text made printable."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


def print_notes(console: Terminal, notes: Sequence[Note]) -> None:
    """Print what the reader of the numbers should know."""
    for note in notes:
        style = STYLES.get(note.severity, "bold")
        console.print(f"[{style}]{escape(note.severity)}[/]: {escape(note.text)}", soft_wrap=True)


def print_whole(console: Terminal, table: Table) -> None:
    """Print a table as wide as it is: numbers that are cut off are none."""
    unbounded = console.options.update(max_width=10_000)
    width = Measurement.get(console, unbounded, table).maximum
    Terminal(highlight=False, width=max(width, console.width)).print(table)
