"""Terminal, notes and whole tables: what every command prints with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from wordline.formatting import joined, nearer, parted, printable
from wordline.notes import Note

STYLES = {"warning": "yellow", "info": "cyan"}


CLOSE = (0, 1, 0, 0)
"""Padding of columns that are one space apart, where two are too many."""
NAMED = 2 / 3
"""Share of a terminal that the names of rows take at most, where columns follow below each other."""


class Terminal(Console):
    """A console that ends no line between a number and its unit.

    It shows the control characters of a text, such as the name of a file, and sends none of them.
    """

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """As Rich does, with every text made printable."""
        if isinstance(renderable, str):
            renderable = joined(renderable)
        elif isinstance(renderable, Text):
            renderable = renderable.copy()
            renderable.plain = joined(renderable.plain)
        for segment in super().render(renderable, options):
            text = printable(parted(segment.text))
            yield segment if segment.control else Segment(text, segment.style)

    def tell(self, sentence: RenderableType) -> None:
        """Print a sentence: words are kept whole on a terminal, lines in a file."""
        self.print(sentence, soft_wrap=not self.is_terminal)


def print_notes(console: Terminal, notes: Sequence[Note]) -> None:
    """Print what the reader of the numbers should know."""
    for note in notes:
        style = STYLES.get(note.severity, "bold")
        console.tell(f"[{style}]{escape(note.severity)}[/]: {escape(nearer(note.text))}")


def print_whole(console: Terminal, table: Table) -> None:
    """Print a table with all of its numbers: numbers that are cut off are none.

    On a terminal that is narrower, columns move together if all fit then; else those that do not fit follow below, behind the names of their rows; words that do not fit beside
    these are wrapped, as are those of the last column of a table without headings. A file gets every table as wide as it is.
    """
    width = width_of(console, table)
    if console.is_terminal and width > console.width and table.columns:
        if table.show_header and fits_closely(console, table):
            print_wide(console, table)
            return
        if not table.show_header:
            print_wrapped(console, table)
            return
        for place, part in enumerate(parts_of(console, table)):
            if place:
                console.print()
            if part.columns[-1].justify == "left" and len(part.columns) > 1:
                print_wrapped(console, part)
            else:
                print_wide(console, part)
        return
    print_wide(console, table)


def fits_closely(console: Terminal, table: Table) -> bool:
    """Whether a table fits with its columns moved together, as they then are."""
    before, table.padding = table.padding, CLOSE
    fits = width_of(console, table) <= console.width
    if not fits:
        table.padding = before
    return fits


def print_wrapped(console: Terminal, table: Table) -> None:
    """Print a table with the words of its last column wrapped."""
    for column in table.columns[:-1]:
        column.no_wrap = True
    console.print(table)


def print_wide(console: Terminal, table: Table) -> None:
    """Print a table as wide as it is."""
    width = max(width_of(console, table), console.width)
    Terminal(highlight=False, width=width, file=console.file).print(table)


def width_of(console: Terminal, table: Table) -> int:
    """Columns of the terminal that a table takes."""
    unbounded = console.options.update(max_width=10_000)
    return Measurement.get(console, unbounded, table).maximum


def parts_of(console: Terminal, table: Table) -> Iterator[Table]:
    """Tables that fit, each with the names of the rows and some of the other columns; a column that does not fit stands alone."""
    columns = range(len(table.columns))
    names = [*takewhile(lambda place: table.columns[place].justify == "left", columns)] or [0]
    while len(names) > 1 and width_of(console, with_columns(table, names)) > console.width * NAMED:
        names.pop()
    chosen: list[int] = []
    for place in columns[len(names) :]:
        if (
            chosen
            and width_of(console, with_columns(table, [*names, *chosen, place])) > console.width
        ):
            yield with_columns(table, [*names, *chosen])
            chosen = []
        chosen.append(place)
    yield with_columns(table, [*names, *chosen])


def with_columns(table: Table, places: Sequence[int]) -> Table:
    """A table with some of the columns of another."""
    part = Table(
        box=table.box,
        pad_edge=table.pad_edge,
        header_style=table.header_style,
        title=table.title,
        title_justify=table.title_justify,
    )
    chosen = [table.columns[place] for place in places]
    for column in chosen:
        part.add_column(column.header, justify=column.justify)
    for cells in zip(*(column.cells for column in chosen), strict=True):
        part.add_row(*cells)
    return part
