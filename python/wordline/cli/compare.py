"""`wordline compare`: what differs between results, of runs or of lifetime studies."""

from pathlib import Path
from typing import Annotated

import typer

from wordline.cli.common import answer, app, exit_status
from wordline.errors import ConfigError
from wordline.outputs import refuse_unwritable


@app.command()
def compare(
    results: Annotated[
        list[Path],
        typer.Argument(
            help="Two or more directories that `wordline run --out` wrote, or that `wordline lifetime --out` wrote; the others are "
            "compared with the first.",
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

    Of lifetime studies: life and why it ends, cycles, write amplification, and retention and cycles over time.

    Examples:
    * `wordline compare greedy fifo`

    * `wordline compare greedy fifo random --out policies.html`

    * `wordline compare life-at-30 life-at-55 --out lives.html`, after `wordline lifetime ... --out life-at-30` and so on
    """
    with exit_status():
        refuse_unwritable(out)
        from wordline import comparison
        from wordline.cli.lives import show_lives
        from wordline.lives import compare_lives, holds_life

        studies = [each for each in results if holds_life(each)]
        if studies and len(studies) < len(results):
            other = next(each for each in results if each not in studies)
            raise ConfigError(
                f"{other}: is no lifetime study, and {studies[0]} is one; accepted are results of one kind"
            )
        if studies:
            show_lives(compare_lives(*results), out, for_program=json_)
            return
        found = comparison.compare(*results)
        if out:
            found.save(out)
        if json_:
            answer(found.tree(), found.notes)
        else:
            from wordline.terminal.comparisons import print_comparison

            print_comparison(found, out)
