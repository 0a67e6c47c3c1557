"""`wordline reproduce`: studies of the literature, done again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wordline.cli.common import app, exit_status
from wordline.saving import write_all


def study_names() -> list[str]:
    """Names of the studies, for shell completion."""
    from wordline.studies import STUDIES

    return list(STUDIES)


@app.command()
def reproduce(
    study: Annotated[
        str,
        typer.Argument(
            help="What to reproduce, such as `mohan-flashpower`.",
            metavar="STUDY",
            autocompletion=study_names,
        ),
    ],
    figure: Annotated[
        str | None, typer.Option(help="Compute this figure and its claims only.", metavar="NAME")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer points.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="Write the chapter and its figures here.")
    ] = None,
) -> None:
    """Do a study of the literature again, and judge its claims.

    Examples:
    * `wordline reproduce mohan-flashpower`

    * `wordline reproduce mohan-flashpower --out docs/studies`

    * `wordline reproduce mohan-flashpower --figure bit-patterns --quick`
    """
    from wordline import studies
    from wordline.studies.chapter import chapter

    with exit_status():
        found = studies.find(study)
        parts = found.run(figure, quick=quick)
        if out:
            write_all(out, chapter(found, parts))
        from wordline.terminal import print_claims

        print_claims(parts)
        if out:
            typer.echo(f"chapter: {out / f'{study}.md'}")
