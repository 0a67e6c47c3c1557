"""`wordline lifetime`: how long a drive keeps its data under a workload."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from wordline import _wordline
from wordline.cli.common import (
    TraceFormat,
    app,
    complain,
    exit_status,
    keys_and_values,
    preset_names,
)
from wordline.cli.run import trace_overrides
from wordline.config import Drive, Workload, resolve
from wordline.saving import write_all


@app.command()
def lifetime(
    drive: Annotated[
        str,
        typer.Argument(
            help="A preset (`wordline presets`) or a TOML file.",
            metavar="DRIVE",
            autocompletion=preset_names,
        ),
    ],
    workload: Annotated[
        Path | None,
        typer.Option(help="TOML file with a `[workload]` table in place of the drive's own."),
    ] = None,
    trace: Annotated[Path | None, typer.Option(help="Repeat this block trace.")] = None,
    format: TraceFormat = None,
    compress_time: Annotated[
        float | None, typer.Option(help="Divide the trace's times by this.", metavar="FACTOR")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="Override one key; may be repeated.", metavar="KEY=VALUE"),
    ] = None,
    cell: Annotated[
        str, typer.Option(help="slc, mlc, or the gap of a level such as '1.2 V'.")
    ] = "mlc",
    require: Annotated[
        str, typer.Option(help="Retention that data must have.", metavar="TIME")
    ] = "1 y",
    horizon: Annotated[str, typer.Option(help="Time that is studied.", metavar="TIME")] = "5 y",
    every: Annotated[str, typer.Option(help="Time between snapshots.", metavar="TIME")] = "15 d",
    writes_per_day: Annotated[
        float | None,
        typer.Option(
            help="How often a day the exported capacity is written. Left out: as the workload's arrivals say.",
            metavar="N",
        ),
    ] = None,
    temperature: Annotated[str, typer.Option(help="Temperature in degC.")] = "30 degC",
    heat_heals: Annotated[
        bool,
        typer.Option("--heat-heals", help="Let heat speed recovery during rests: an extension."),
    ] = False,
    tolerance: Annotated[
        float, typer.Option(help="Relative error of retention that skipping aims at.")
    ] = 0.02,
    exact: Annotated[bool, typer.Option("--exact", help="Simulate every write; slow.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write report.html, lifetime.json, snapshots.csv, blocks.csv and config.toml here."
        ),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")] = False,
) -> None:
    """Tell how long a drive keeps its data over months and years of a workload.

    The wear of every block follows FENCE (`wordline retention`), with the rests that the workload gives it. Where the
    mapping is in a steady state time is skipped, and what was skipped is checked against what follows. The life of the
    drive ends when the tenth percentile of its blocks keeps data shorter than --require.

    Examples:
    * `wordline lifetime bench --writes-per-day 10 --require '3 mo' --out lifetime`

    * `wordline lifetime onfi3-mlc --trace server.csv.gz --compress-time 10 --json`
    """
    from wordline import lifetimes as engine
    from wordline.report import lifetime as page

    with exit_status():
        overrides = [*trace_overrides(trace, format, compress_time), *keys_and_values(set_)]
        load = Workload(workload) if workload else None
        resolved = resolve(Drive(drive, overrides=tuple(overrides)), load)
        for warning in resolved.warnings:
            complain(f"warning: {warning}")
        asked = engine.LifetimeStudy(
            cell=cell,
            required=_wordline.seconds(require),
            horizon=_wordline.seconds(horizon),
            every=_wordline.seconds(every),
            writes_per_day=writes_per_day,
            temperature=_wordline.celsius(temperature),
            heat_heals=heat_heals,
            tolerance=None if exact else tolerance,
        )
        found = engine.study(resolved, asked, progress=True)
        text = json.dumps(page.answer(found, asked), indent=2, allow_nan=False)
        if out:
            files = {
                "report.html": page.render(found, asked),
                "lifetime.json": text + "\n",
                "snapshots.csv": found.snapshots.write_csv(),
                "blocks.csv": found.blocks.write_csv(),
                "config.toml": found.config,
            }
            write_all(out, files)
        if json_:
            typer.echo(text)
        else:
            from wordline.terminal import print_retention

            print_retention(page.tables(found, asked), out)
