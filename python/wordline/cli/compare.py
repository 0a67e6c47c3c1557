"""`wordline compare`: what differs between results."""

from pathlib import Path
from typing import Annotated

import typer

from wordline.cli.common import answer, app, exit_status


@app.command()
def compare(
    results: Annotated[
        list[Path],
        typer.Argument(
            help="Two or more directories that `wordline run --out` wrote; the others are compared with "
            "the first.",
            metavar="RESULT...",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(help="Write an HTML page with charts here.", metavar="FILE.html")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")] = False,
) -> None:
    """Compare results: configuration, figures, distributions, where the time went.

    Figures are ordered by how much they changed. If both sides ran several seeds, each difference
    has a 95 % confidence interval, and differences that may be chance come last.

    Examples:
    * `wordline compare greedy fifo`

    * `wordline compare greedy fifo random --out policies.html`
    """
    with exit_status():
        from wordline import comparison

        found = comparison.compare(*results)
        if out:
            found.save(out)
        if json_:
            answer(found.tree(), found.notes)
        else:
            from wordline.terminal.comparisons import print_comparison

            print_comparison(found, out)
