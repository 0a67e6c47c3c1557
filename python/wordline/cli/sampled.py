"""The options of `wordline run --sample`, and what it prints and writes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from wordline import _wordline
from wordline.cli.answer import csv_of, deliver

Flag: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--sample",
        help="Simulate windows of the run with a clock and everything else without one: estimates with confidence intervals.",
    ),
]
Windows: TypeAlias = Annotated[
    int | None,
    typer.Option(
        help="Windows of --sample.",
        metavar="N",
        show_default="400, or as many as there is room for",
    ),
]
Requests: TypeAlias = Annotated[
    int | None,
    typer.Option(
        help="Requests of each window that are measured.", metavar="N", show_default="250"
    ),
]
WarmUp: TypeAlias = Annotated[
    int | None,
    typer.Option(
        help="Requests of each window before those that are measured.",
        metavar="N",
        show_default="300, or four times the queue depth",
    ),
]
Error: TypeAlias = Annotated[
    float | None,
    typer.Option(
        help="Wanted half width of the interval of the mean response time, as a share of it: as many windows as that takes.",
        metavar="SHARE",
    ),
]
Fast: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--sample-fast",
        help="Have collection over at once between windows: four times as fast, and right where drives are rarely collected.",
    ),
]
Seed: TypeAlias = Annotated[
    int | None,
    typer.Option(help="Seed of the places of the windows.", metavar="N", show_default="1"),
]


def sampled(
    resolved: _wordline.Resolved,
    given: Mapping[str, Any],
    out: Path | None,
    *,
    audit: bool,
    as_json: bool,
) -> None:
    """Simulate a configuration by sampling, print the estimates and write them.

    Args:
        resolved: the configuration.
        given: options of the windows by their names in `Sampling`, `None` where the default holds.
        out: directory for `sample.json`, `report.html`, `windows.csv` and `config.toml`.
        audit: check every operation of the windows.
        as_json: print JSON, and nothing else.
    """
    from wordline.report import sampled as page
    from wordline.sampled.options import Sampling
    from wordline.sampled.running import run_sampled

    chosen = {name: value for name, value in given.items() if value is not None}
    result = run_sampled(resolved, Sampling(**chosen), audit=audit, progress=True)

    def show() -> None:
        from wordline.terminal.sampled import print_sampled  # slow, and programs are printed JSON

        print_sampled(page.verdict(result), page.rows(result), result.notes, out)

    deliver(
        result.answer(),
        out=out,
        name="sample.json",
        files=lambda: {
            "report.html": page.render(result),
            "windows.csv": csv_of(result.window_rows),
            "config.toml": result.config,
        },
        for_program=as_json,
        show=show,
        notes=result.notes,
    )
