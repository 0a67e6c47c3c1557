"""The claims of a study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.markup import escape

from wordline.studies.chapter import QUICK
from wordline.studies.verdict import tally
from wordline.terminal.console import Terminal

if TYPE_CHECKING:
    from wordline.studies.study import Part


def print_claims(parts: Mapping[str, Part], *, quick: bool = False) -> None:
    """Print the claims of a study, each with its verdict, after what was left out of the figure that they are about; then how many hold."""
    console = Terminal(highlight=False)
    if quick:
        console.tell(f"[bold]{QUICK}[/]")
    form = " (quick form)" if quick else ""
    for part in parts.values():
        for remark in part.remarks:
            console.tell(f"{escape(part.heading)}: {escape(remark)}")
        for claim in part.claims:
            console.tell(
                f"[{'green' if claim.verdict.outright else 'yellow'}]{claim.verdict}{form}[/]: {escape(claim.text)} "
                f"({escape(claim.where)}): {escape(claim.ours)}"
            )
    claims = [claim for part in parts.values() for claim in part.claims]
    if claims:
        console.tell(f"[bold]Total{form}: {escape(tally(claims))}.[/]")
