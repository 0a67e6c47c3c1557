"""`wordline intensity`: how much faster a workload can be replayed before a drive is over-utilised."""

from pathlib import Path
from typing import Annotated

import typer

from wordline.cli.answer import deliver, show_with_notes
from wordline.cli.common import (
    DriveName,
    OneSet,
    TraceFormat,
    TraceTimeUnit,
    app,
    complain,
    exit_status,
    keys_and_values,
    say,
)
from wordline.cli.run import trace_overrides
from wordline.config import Drive, Workload, resolve_named


@app.command()
def intensity(
    drive: DriveName,
    workload: Annotated[
        Path | None,
        typer.Option(help="TOML file with a `[workload]` table that replaces the drive's own."),
    ] = None,
    trace: Annotated[Path | None, typer.Option(help="Replay this block trace.")] = None,
    format: TraceFormat = None,
    time_unit: TraceTimeUnit = None,
    set_: OneSet = None,
    cap: Annotated[int, typer.Option(help="Highest intensity that is tried.", metavar="N")] = 15,
    most: Annotated[
        float,
        typer.Option(
            help="Response time over that at intensity 1 above which the drive is over-utilised.",
            metavar="RATIO",
        ),
    ] = 3.0,
    percentile: Annotated[
        float,
        typer.Option(help="Percentile of response times that is compared.", metavar="PERCENT"),
    ] = 80.0,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")] = False,
) -> None:
    """Find how much faster a workload can be replayed before a drive is over-utilised.

    All times between requests are divided by 1, 2, 3 and so on, up to the first number at which a percentile of response times is --most times that
    at intensity 1, or the queue grows to the end of the workload.

    Examples:
    * `wordline intensity bench --set workload.interarrival='2 ms' --set workload.requests=5000`

    * `wordline intensity mohan-m-ssd --trace server.csv.gz --cap 20 --json`
    """
    from wordline.intensity import find_acceleration

    with exit_status():
        overrides = [*trace_overrides(trace, format, time_unit, None), *keys_and_values(set_)]
        load = Workload(workload) if workload else None
        resolved = resolve_named(drive, tuple(overrides), load)
        for warning in resolved.warnings:
            complain(f"warning: {warning}")
        found = find_acceleration(
            Drive.from_text(resolved.toml), cap=cap, most=most, percent=percentile
        )

        def show() -> None:
            show_with_notes([("intensities", found.curve.to_dicts())], None, found.notes)
            if found.is_capped:
                say(
                    f"highest sustainable speed-up: {found.factor} or more, the highest that was tried"
                )
            elif found.factor:
                say(f"highest sustainable speed-up: {found.factor}")
            else:
                say(
                    "highest sustainable speed-up: none, as the drive is over-utilised at intensity 1"
                )

        deliver(
            found.as_dict(),
            out=None,
            name="intensity.json",
            files=dict,
            for_program=json_,
            show=show,
            notes=found.notes,
        )
