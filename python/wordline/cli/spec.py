"""`wordline spec`: the data sheet of a drive."""

from pathlib import Path
from typing import Annotated

import typer

from wordline.cli import points as options
from wordline.cli.answer import csv_of, deliver, show_with_notes
from wordline.cli.common import (
    ClusterAddress,
    app,
    exit_status,
    keys_and_values,
    numbers,
    preset_names,
)
from wordline.outputs import refuse_unwritable_directory


@app.command()
def spec(
    drive: Annotated[
        str,
        typer.Argument(
            help="A preset (`wordline presets`) or a drive file.", autocompletion=preset_names
        ),
    ],
    set_: options.Sets = None,
    depths: Annotated[
        str, typer.Option(help="Queue depths of random requests, rising.", metavar="A,B,C")
    ] = "1,4,16,64,256",
    size: Annotated[str, typer.Option(help="Size of random requests.")] = "4 KiB",
    requests: Annotated[
        int | None,
        typer.Option(
            help="Requests of each run that count.",
            metavar="N",
            show_default="50,000, and more for sustained writes to a large drive",
        ),
    ] = None,
    cycles: Annotated[
        int | None,
        typer.Option(
            help="Program/erase cycles that blocks are rated for.",
            metavar="N",
            show_default="SLC 100,000, MLC 10,000, TLC 3,000, QLC 1,000",
        ),
    ] = None,
    years: Annotated[float, typer.Option(help="Years of the warranty.")] = 5.0,
    jobs: options.Jobs = None,
    cluster: ClusterAddress = None,
    cache: options.Cache = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write report.html, spec.json and loads.csv here.", metavar="DIR"),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")] = False,
) -> None:
    """Write the data sheet of a drive: throughput, latency, endurance, power, memory.

    Each line is a run of its own, on a drive that is fresh, filled in order, or overwritten until nothing changes any more. Finished runs are kept.

    Examples:
    * `wordline spec onfi5-tlc-4k`

    * `wordline spec tiny --depths 1,32 --requests 5000 --out sheet`

    * `wordline spec bench --set ftl.over_provisioning=28% --cycles 5000 --json`
    """
    from wordline.datasheets.sheet import data_sheet
    from wordline.report import datasheet as page

    with exit_status(options.KEPT):
        refuse_unwritable_directory(out)
        sheet = data_sheet(
            drive,
            keys_and_values(set_),
            depths=numbers("--depths", depths),
            size=size,
            requests=requests,
            cycles=cycles,
            years=years,
            engine=options.engine_of(jobs, cluster, cache),
        )
        deliver(
            sheet.answer(),
            out=out,
            name="spec.json",
            files=lambda: {"report.html": page.render(sheet), "loads.csv": csv_of(sheet.rows)},
            for_program=json_,
            show=lambda: show_with_notes(page.tables(sheet), out, sheet.remarks.lettered),
            notes=sheet.notes,
        )
