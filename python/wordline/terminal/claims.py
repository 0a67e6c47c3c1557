"""The claims of a study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.markup import escape

from wordline.studies.chapter import QUICK
from wordline.terminal.console import Terminal

if TYPE_CHECKING:
    from wordline.studies.study import Part


def print_claims(parts: Mapping[str, Part], *, quick: bool = False) -> None:
    """Print the claims of a study, each with its verdict, after what was left out of the figure that they are about."""
    console = Terminal(highlight=False)
    # words are kept whole on a terminal, lines in a file
    soft_wrap = not console.is_terminal
    if quick:
        console.print(f"[bold]{QUICK}[/]", soft_wrap=soft_wrap)
    form = " (quick form)" if quick else ""
    for part in parts.values():
        for remark in part.remarks:
            console.print(f"{escape(part.heading)}: {escape(remark)}", soft_wrap=soft_wrap)
        for claim in part.claims:
            console.print(
                f"[{'green' if claim.verdict.outright else 'yellow'}]{claim.verdict}{form}[/]: {escape(claim.text)} "
                f"({escape(claim.where)}): {escape(claim.ours)}",
                soft_wrap=soft_wrap,
            )
