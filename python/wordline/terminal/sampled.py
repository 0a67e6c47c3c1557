"""Results of a run by sampling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.text import Text

from wordline.notes import Note
from wordline.terminal.console import Terminal, print_notes
from wordline.terminal.models import print_retention


def print_sampled(
    verdict: str, rows: Sequence[Mapping[str, object]], notes: Sequence[Note], out: Path | None
) -> None:
    """Print whether the load can be sampled, the estimates with their intervals, the notes, and where the rest is."""
    print_retention([(verdict, rows)], None)
    console = Terminal(highlight=False)
    print_notes(console, notes)
    if out:
        console.print(Text(f"report: {out / 'report.html'}"), soft_wrap=True)
