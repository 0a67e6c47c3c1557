"""What commands that answer a question do with the answer."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from wordline.cli.common import answer, say
from wordline.notes import Note, as_json
from wordline.saving import write_all


def deliver(
    figures: Mapping[str, Any],
    *,
    out: Path | None,
    name: str,
    files: Callable[[], Mapping[str, str]],
    for_program: bool,
    show: Callable[[], None],
    notes: Sequence[Note] | None = None,
) -> None:
    """Write an answer to files, and print it: as JSON for programs, else for people.

    Args:
        figures: the answer as values that JSON has.
        out: directory for the files; none are written without one.
        name: name of the JSON file.
        files: gives the text of the other files, by name.
        for_program: whether to print JSON.
        show: prints the answer for people.
        notes: what to say beside the JSON that is printed; there is no such key without any.

    Raises:
        OutputError: the directory cannot be written.
    """
    if out:
        write_all(out, {name: as_json(figures) + "\n", **files()})
    if not for_program:
        show()
    elif notes is None:
        say(as_json(figures))
    else:
        answer(figures, notes)


def show_tables(
    tables: Sequence[tuple[str, Sequence[Mapping[str, object]]]], out: Path | None
) -> None:
    """Print tables with their headings for people, and where the report is."""
    from wordline.terminal.models import print_retention  # slow, and programs are printed JSON

    print_retention(tables, out)


def show_with_notes(
    tables: Sequence[tuple[str, Sequence[Mapping[str, object]]]],
    out: Path | None,
    notes: Sequence[Note],
) -> None:
    """Print tables for people, and below them what to know of their numbers."""
    show_tables(tables, out)
    from wordline.terminal.console import Terminal, print_notes  # as slow as the tables

    print_notes(Terminal(highlight=False), notes)


def csv_of(rows: Sequence[Mapping[str, object]]) -> str:
    """Rows with the same columns as CSV."""
    import polars as pl  # slow, and only --out writes tables

    return pl.DataFrame(rows, infer_schema_length=None).write_csv()
