"""What a study finds, on a terminal."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.text import Text

from wordline.studies.chapter import QUICK, claims_in_short, findings, legend
from wordline.studies.verdict import CONTRADICTS, HOLDS, tally
from wordline.terminal.console import Terminal

if TYPE_CHECKING:
    from wordline.studies.study import Part, Study

COLOURS = {HOLDS: "green", CONTRADICTS: "red"}
"""Colours of marks; others are yellow."""
LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
"""A link of Markdown, whose text is shown."""


def print_study(study: Study, parts: Mapping[str, Part], *, quick: bool = False) -> None:
    """Print what a study finds: sentences for a designer, claims or families of claims figure by figure with what was left out of each, and how many hold."""
    console = Terminal(highlight=False)
    print_form(console, quick=quick)
    if lessons := findings(study, parts):
        console.tell("[bold]For a designer[/]")
        for lesson in lessons:
            console.tell(Text(f"* {LINK.sub(lambda link: link[1], lesson)}"))
        console.print()
    rows = claims_in_short(parts)
    if rows:
        console.tell(f"{legend()}. `--figure NAME` tells the claims of a figure in full.")
    for name, part in parts.items():
        print_heading(console, f"{part.heading} ({name})", part)
        for row in rows:
            if row.figure == name:
                colour = COLOURS.get(row.mark, "yellow")
                console.tell(f"[{colour}]{row.mark}[/] {escape(row.text)}: {escape(row.found)}")
    print_tally(console, parts, quick=quick)


def print_figure(parts: Mapping[str, Part], *, quick: bool = False) -> None:
    """Print the claims of one figure in full, each with its verdict and who makes it; then how many hold."""
    console = Terminal(highlight=False)
    print_form(console, quick=quick)
    form = " (quick form)" if quick else ""
    for part in parts.values():
        print_heading(console, part.heading, part)
        for claim in part.claims:
            colour = COLOURS.get(claim.verdict.mark, "yellow")
            console.tell(
                f"[{colour}]{claim.verdict}{form}[/]: {escape(claim.text)} ({escape(claim.where)}): {escape(claim.ours)}"
            )
    print_tally(console, parts, quick=quick)


def print_form(console: Terminal, *, quick: bool) -> None:
    """Print that runs were fewer and shorter."""
    if quick:
        console.tell(f"[bold]{QUICK}[/]")


def print_heading(console: Terminal, heading: str, part: Part) -> None:
    """Print the heading of a figure, and what was left out of it."""
    console.print()
    console.tell(f"[bold]{escape(heading)}[/]")
    for remark in part.remarks:
        console.tell(escape(remark))


def print_tally(console: Terminal, parts: Mapping[str, Part], *, quick: bool) -> None:
    """Print how many claims hold."""
    claims = [claim for part in parts.values() for claim in part.claims]
    if claims:
        console.print()
        console.tell(f"[bold]Total{' (quick form)' if quick else ''}: {escape(tally(claims))}.[/]")
