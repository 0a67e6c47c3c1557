"""`wordline reproduce`: studies of the literature, done again."""

from pathlib import Path
from typing import Annotated

import typer

from wordline.cli.common import ClusterAddress, app, exit_status, say
from wordline.outputs import refuse_unwritable_directory
from wordline.saving import write_all

TRACES = Path("../shared/traces")
"""Where real traces are looked for if nothing else is said: beside the repository."""


def study_names() -> list[str]:
    """Names of the studies, for shell completion."""
    from wordline.studies import offered

    return list(offered())


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
    quick: Annotated[bool, typer.Option("--quick", help="Fewer and shorter runs.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="Write the chapter and its figures here.")
    ] = None,
    traces: Annotated[
        Path,
        typer.Option(
            help="Directory of the real traces; loads whose trace is missing are left out."
        ),
    ] = TRACES,
    cache: Annotated[
        Path | None,
        typer.Option(help="Keep finished runs here.", show_default="the cache of the user"),
    ] = None,
    kept_only: Annotated[
        bool,
        typer.Option(
            "--kept-only",
            help="Run nothing: write the page from the finished runs, and list what is missing.",
        ),
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Runs at the same time.", show_default="every core")
    ] = None,
    cluster: ClusterAddress = None,
) -> None:
    """Reproduce a published study, and judge its claims.

    Finished runs are kept: an interrupted study goes on where it was, an edited one runs only what
    changed.

    Examples:
    * `wordline reproduce mohan-flashpower`

    * `wordline reproduce mohan-flashpower --out docs/studies`

    * `wordline reproduce mohan-flashpower --figure bit-patterns --quick`
    """
    from wordline import studies
    from wordline.points.engine import Engine
    from wordline.points.store import Store, default_directory
    from wordline.studies.chapter import chapter, stem_of
    from wordline.studies.study import Form

    with exit_status("finished runs are kept, so the same command goes on from here"):
        refuse_unwritable_directory(out)
        refuse_unwritable_directory(cache)
        found = studies.find(study)
        store = Store(cache or default_directory())
        engine = Engine(store, jobs, kept_only=kept_only, cluster=cluster)
        parts = found.run(figure, Form(quick, traces), engine)
        if out:
            write_all(out, chapter(found, parts, quick=quick))
        from wordline.terminal.claims import print_figure, print_study

        if figure:
            print_figure(parts, quick=quick)
        else:
            print_study(found, parts, quick=quick)
        if out:
            say(f"chapter: {out / f'{stem_of(found, quick)}.md'}")
        else:
            say("no files were written; --out DIRECTORY keeps the chapter")
