"""`wordline run`: simulate a drive under a workload."""

from contextlib import closing, nullcontext
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
from wordline.config import Drive, Overrides, Workload, present, resolve
from wordline.saving import SEEDS, ResultDirectory, summary_json

SHOWN = ("output.attribution", "output.timeline")
"""What a run with a report records unless it is told not to."""


@app.command()
def run(
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
        typer.Option(
            help="TOML file with a `[workload]` table, or a fio job file (`.fio`, `.job`), in place "
            "of the drive's own workload."
        ),
    ] = None,
    trace: Annotated[Path | None, typer.Option(help="Replay this block trace.")] = None,
    format: TraceFormat = None,
    compress_time: Annotated[
        float | None,
        typer.Option(help="Divide the trace's times by this.", metavar="FACTOR"),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="Override one key; may be repeated.", metavar="KEY=VALUE"),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write summary, tables, report.html and configuration here."),
    ] = None,
    json_: Annotated[
        bool, typer.Option("--json", help="Print the summary as JSON, and nothing else.")
    ] = False,
    audit: Annotated[
        bool, typer.Option("--audit", help="Check every rule of the medium at every step.")
    ] = False,
    save_state: Annotated[
        Path | None,
        typer.Option(help="Save the drive's state after the run, for age.method=snapshot."),
    ] = None,
    timeline: Annotated[
        Path | None,
        typer.Option(
            help="Write what every die, channel and request did when, for Perfetto or chrome://tracing; "
            "`--set output.timeline_from='1 s' --set output.timeline_to='1.1 s'` choose a stretch.",
            metavar="FILE.json[.gz]",
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(
            help="Run this many times, each with the next seed, for means with confidence intervals.",
            min=2,
            metavar="N",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            help="Seeds that run at a time; one per core when not given.", min=1, metavar="N"
        ),
    ] = None,
) -> None:
    """Simulate a drive under a workload.

    Examples:
    * `wordline run onfi5-tlc --out result`

    * `wordline run onfi5-tlc --set workload.queue_depth=64 --set ftl.gc.victim=fifo`

    * `wordline run hu2011 --trace financial.spc.gz --compress-time 10 --out result`

    * `wordline run my-drive.toml --workload my-jobs.toml --json`

    * `wordline run result/config.toml` repeats an earlier run

    * `wordline run onfi5-tlc --seeds 5 --out result`

    * `wordline run onfi5-tlc --timeline timeline.json.gz`
    """
    from wordline.simulation import run as run_resolved

    with exit_status():
        for option, given, reason in (
            ("--jobs", jobs and not seeds, "there are no --seeds to run at a time"),
            ("--save-state", save_state and seeds, "each of the --seeds would have its own"),
            ("--timeline", timeline and seeds, "each of the --seeds would have its own"),
        ):
            if given:
                raise _wordline.ConfigError(f"{option}: {reason}")
        overrides = [
            *trace_overrides(trace, format, compress_time),
            *keys_and_values(set_),
        ]
        load = Workload(workload) if workload else None
        resolved = resolve(Drive(drive, overrides=tuple(overrides)), load)
        # the report shows them
        unsaid = [key for key in SHOWN if resolved.get(key) is None]
        if out and unsaid:
            overrides.extend((key, "true") for key in unsaid)
            resolved = resolve(Drive(drive, overrides=tuple(overrides)), load)
        for warning in resolved.warnings:
            complain(f"warning: {warning}")
        if seeds:
            several(resolved, seeds, jobs, out, audit=audit, as_json=json_)
            return
        with ResultDirectory(out) if out else nullcontext() as directory:
            result = run_resolved(
                resolved, audit=audit, progress=True, save_state=save_state, timeline=timeline
            )
            if directory:
                directory.publish(result)
        if json_:
            typer.echo(summary_json(result), nl=False)
        else:
            from wordline.terminal import print_result

            print_result(result, out)


def several(
    resolved: _wordline.Resolved,
    seeds: int,
    jobs: int | None,
    out: Path | None,
    *,
    audit: bool,
    as_json: bool,
) -> None:
    """Simulate a configuration with several seeds, keep the runs, and print their means."""
    from wordline.seeds import run_seeds, seed_name, seeds_json

    summaries = {}
    notes = {}
    with ResultDirectory(out) if out else nullcontext() as directory:
        runs = run_seeds(resolved, seeds, jobs=jobs, audit=audit, progress=True)
        with closing(runs):
            for seed, result in runs:
                summaries[seed], notes[seed] = result.summary, result.notes
                if directory:
                    directory.add(result, seed_name(seed))
        text = seeds_json(summaries)
        if directory:
            directory.add_text(SEEDS, text)
            directory.finish()
    if as_json:
        typer.echo(text, nl=False)
    else:
        from wordline.terminal import print_seeds

        print_seeds(summaries, notes[min(notes)], out)


def trace_overrides(
    trace: Path | None, format: str | None, compress_time: float | None
) -> Overrides:
    """The options that concern a trace, as the keys they stand for."""
    if trace is None:
        for option, value in (("--format", format), ("--compress-time", compress_time)):
            if value is not None:
                raise _wordline.ConfigError(f"{option} {value}: there is no --trace for it")
        return ()
    return present(
        {
            "workload.kind": "trace",
            "workload.path": trace,
            "workload.format": format,
            "workload.compress_time": compress_time,
        }
    )
