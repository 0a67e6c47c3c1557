"""`wordline retention`: how long cells keep data, and what they may be put through."""

from pathlib import Path
from typing import Annotated

import typer

from wordline import _wordline
from wordline.cli.answer import csv_of, deliver, show_with_notes
from wordline.cli.common import app, exit_status, keys_and_values
from wordline.outputs import refuse_unwritable_directory


@app.command()
def retention(
    cell: Annotated[
        str, typer.Option(help="slc, mlc, or the voltage between two levels, such as '1.2 V'.")
    ] = "slc",
    rest: Annotated[
        str,
        typer.Option(
            help="Idle intervals (rests) before every program and erase, with units.",
            metavar="A,B,C",
        ),
    ] = "0 s,10 s,100 s,1e3 s,1e4 s,1e5 s",
    temperature: Annotated[
        str, typer.Option(help="Temperatures in degC.", metavar="A,B,C")
    ] = "30 degC",
    cycles: Annotated[
        str, typer.Option(help="Range of program/erase cycles of the curves.", metavar="FROM:TO")
    ] = "100:1e6",
    require: Annotated[
        str | None,
        typer.Option(
            help="Required retention; gives the number of cycles up to which it is met.",
            metavar="TIME",
        ),
    ] = None,
    after: Annotated[
        float | None,
        typer.Option(
            help="Give the retention after this number of cycles; with --require also the shortest idle interval and the highest "
            "temperature that are sufficient.",
            metavar="CYCLES",
        ),
    ] = None,
    heat_heals: Annotated[
        bool,
        typer.Option(
            "--heat-heals",
            help="Heat speeds up recovery in idle intervals (an extension of the model).",
        ),
    ] = False,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="Change a constant of the cell, in SI units; may be repeated.",
            metavar="NAME=VALUE",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write report.html, retention.json and retention.csv here.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")] = False,
) -> None:
    """Compute how long cells keep data, by program/erase cycles, idle intervals and temperature.

    The model is FENCE, of 80 nm cells without error correction. Durations need a unit: s, min, h, d, mo (a twelfth of a year), y.

    Examples:
    * `wordline retention --cell mlc --out retention`

    * `wordline retention --rest '1e3 s' --temperature '30 degC,40 degC,55 degC' --require '1 y'`

    * `wordline retention --cell mlc --rest '1 h' --require '3 mo' --after 5000 --json`
    """
    from wordline.report import retention as page

    with exit_status():
        refuse_unwritable_directory(out)
        asked = page.Asked(
            cell=cell,
            rests=[_wordline.seconds(text) for text in rest.split(",")],
            temperatures=[_wordline.celsius(text) for text in temperature.split(",")],
            cycles=page.cycles_between(cycles),
            required=_wordline.seconds(require) if require else None,
            after=after,
            heat_heals=heat_heals,
            constants=page.numbers(keys_and_values(set_, "oxide=7e-9")),
        )
        answer = page.answer(asked)

        def files() -> dict[str, str]:
            return {
                "report.html": page.render(answer),
                "retention.csv": csv_of(page.point_rows(answer)),
            }

        deliver(
            answer,
            out=out,
            name="retention.json",
            files=files,
            for_program=json_,
            show=lambda: show_with_notes(page.tables(answer), out, page.notes(answer)),
            notes=page.notes(answer),
        )
