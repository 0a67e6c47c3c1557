"""`wordline run`: simulate a drive under a workload."""

from collections.abc import Mapping
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Annotated

import typer

from wordline import _wordline
from wordline.cli import jobs as jobs_of_fio
from wordline.cli import sampled as sampling
from wordline.cli.common import (
    ClusterAddress,
    CompressTime,
    DriveName,
    OneSet,
    Policies,
    TraceFormat,
    TraceTimeUnit,
    answer,
    app,
    complain,
    exit_status,
    keys_and_values,
    stopped,
)
from wordline.config import Overrides, present, resolve_named
from wordline.errors import Interrupted
from wordline.notes import Note, about_configuration, refuse_inconsistent
from wordline.outputs import refuse_unwritable, refuse_unwritable_directory
from wordline.results import Result, Scalar
from wordline.saving import SEEDS, ResultDirectory

SHOWN = ("output.attribution", "output.timeline")
"""What a run with a report records unless it is told not to."""
OPTIONS = {"paced": "fast"}
"""Options of `--sample` that are called otherwise than in `Sampling`."""


@app.command()
def run(
    drive: DriveName,
    command: Annotated[
        list[str] | None,
        typer.Argument(
            help="A command line of fio behind `--`, which replaces the drive's own workload.",
            metavar="[-- fio OPTIONS]",
        ),
    ] = None,
    workload: Annotated[
        Path | None,
        typer.Option(
            help="TOML file with a `[workload]` table, or a fio job file, which "
            "replaces the drive's own workload."
        ),
    ] = None,
    trace: Annotated[Path | None, typer.Option(help="Replay this block trace.")] = None,
    format: TraceFormat = None,
    time_unit: TraceTimeUnit = None,
    compress_time: CompressTime = None,
    policies: Policies = None,
    define: Annotated[
        list[str] | None,
        typer.Option(
            "--define",
            help="Give `${NAME}` in a fio job file a value, in place of that of the environment; may be repeated.",
            metavar="NAME=VALUE",
        ),
    ] = None,
    set_: OneSet = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write summary, tables, report.html and configuration here."),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Let --out replace the result of another configuration."),
    ] = False,
    json_: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print the summary and, under `notes`, the notes as JSON, and nothing else.",
        ),
    ] = False,
    audit: Annotated[
        bool,
        typer.Option(
            "--audit", help="Check every operation against the rules of the medium and the FTL."
        ),
    ] = False,
    save_state: Annotated[
        Path | None,
        typer.Option(help="Save the drive's state after the run, for age.method=snapshot."),
    ] = None,
    timeline: Annotated[
        Path | None,
        typer.Option(
            help="Write what every die, channel and request did over time, for Perfetto or chrome://tracing; "
            "`--set output.timeline_from='1 s' --set output.timeline_to='1.1 s'` choose an interval.",
            metavar="FILE.json[.gz]",
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(
            help="Run with this number of seeds, for means with confidence intervals.",
            min=2,
            metavar="N",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            help="Seeds that run at the same time; by default one per core.", min=1, metavar="N"
        ),
    ] = None,
    cluster: ClusterAddress = None,
    sample: sampling.Flag = False,
    sample_windows: sampling.Windows = None,
    sample_requests: sampling.Requests = None,
    sample_warm_up: sampling.WarmUp = None,
    sample_error: sampling.Error = None,
    sample_seed: sampling.Seed = None,
    sample_fast: sampling.Fast = False,
) -> None:
    """Simulate a drive under a workload.

    After Ctrl-C or SIGTERM the results so far are kept and marked as interrupted: those of the requests sent until
    then or, with --seeds, those of the seeds that are finished.

    Examples:
    * `wordline run onfi5-tlc --out result`

    * `wordline run onfi5-tlc --set workload.queue_depth=64 --set ftl.gc.victim=fifo`

    * `wordline run hu2011 --trace financial.spc.gz --compress-time 10 --out result`

    * `wordline run my-drive.toml --workload my-jobs.toml --json`

    * `wordline run onfi5-tlc --workload job.fio --define BS=4k`

    * `wordline run onfi5-tlc -- fio --name=a --rw=randread --bs=4k --size=1g --iodepth=32 --ioengine=libaio`

    * `wordline run result/config.toml` repeats an earlier run

    * `wordline run onfi5-tlc --seeds 5 --out result`

    * `wordline run onfi5-tlc --timeline timeline.json.gz`

    * `wordline run tiny --policies mine.py --set ftl.gc.victim=mine`

    * `wordline run bench --set workload.requests=1 --save-state aged.state` ages a drive once; `wordline run bench
      --set age.method=snapshot --set age.snapshot=aged.state` starts from it

    * `wordline run tiny --set workload.requests=10000000 --sample --sample-error 0.02`
    """
    from wordline.policies import load_policies
    from wordline.simulation import run as run_resolved

    of_windows = {
        "windows": sample_windows,
        "requests": sample_requests,
        "warm_up": sample_warm_up,
        "error": sample_error,
        "seed": sample_seed,
        "paced": False if sample_fast else None,
    }
    with exit_status():
        for option, given, reason in (
            ("--jobs", jobs and not seeds, "there are no --seeds to run at a time"),
            ("--cluster", cluster and not seeds, "there are no --seeds to run on it"),
            ("--save-state", save_state and seeds, "each of the --seeds would have its own"),
            ("--timeline", timeline and seeds, "each of the --seeds would have its own"),
            ("--force", force and not out, "there is no --out for it"),
            ("--sample", sample and seeds, "it is one run, and --seeds are several"),
            ("--workload", command and workload, "there is a command line of fio for it"),
            ("--trace", command and trace, "there is a command line of fio for it"),
            ("--save-state", save_state and sample, "a run that is sampled saves none"),
            ("--timeline", timeline and sample, "a run that is sampled has none"),
            *(
                (
                    f"--sample-{OPTIONS.get(name, name).replace('_', '-')}",
                    value is not None and not sample,
                    "there is no --sample",
                )
                for name, value in of_windows.items()
            ),
        ):
            if given:
                raise _wordline.ConfigError(f"{option}: {reason}")
        for file in policies or []:
            load_policies(file)
        overrides = [
            *trace_overrides(trace, format, time_unit, compress_time),
            *jobs_of_fio.defined(define or []),
            *keys_and_values(set_),
        ]
        with jobs_of_fio.workload_of(command, workload) as load:
            resolved = resolve_named(drive, tuple(overrides), load)
            # the report shows them
            unsaid = [key for key in SHOWN if resolved.get(key) is None]
            if out and unsaid and not sample:
                overrides.extend((key, "true") for key in unsaid)
                resolved = resolve_named(drive, tuple(overrides), load)
        for warning in resolved.warnings:
            complain(f"warning: {warning}")
        refuse_unwritable(save_state)
        refuse_unwritable(timeline)
        if sample:
            refuse_unwritable_directory(out)
            sampling.sampled(resolved, of_windows, out, audit=audit, as_json=json_)
            if not json_:
                hint(out)
            return
        if seeds:
            several(resolved, seeds, jobs, cluster, out, force=force, audit=audit, as_json=json_)
            return
        with (
            ResultDirectory(out, resolved.toml, force=force) if out else nullcontext() as directory
        ):
            try:
                result = run_resolved(
                    resolved, audit=audit, progress=True, save_state=save_state, timeline=timeline
                )
            except Interrupted as stop:
                if not isinstance(stop.result, Result):
                    raise
                result = stop.result
            kept = published(directory, interrupted=result.is_interrupted)
            if directory and kept:
                directory.publish(result)
        if json_:
            answer(result.summary, (*about_configuration(result.warnings), *result.notes))
        else:
            from wordline.terminal.runs import print_result

            print_result(result, out if kept else None)
            hint(out)
        refuse_inconsistent(result.notes)
        if result.is_interrupted:
            raise stopped(left_of("the run so far", out, kept))


def hint(out: Path | None) -> None:
    """Say how to keep a report where none was asked for."""
    if out is None:
        from wordline.terminal.console import Terminal

        text = "no files were written; --out DIRECTORY keeps a report with charts, the tables and the configuration"
        Terminal(highlight=False).tell(text)


def published(directory: ResultDirectory | None, *, interrupted: bool) -> bool:
    """Whether a result is written: one that was interrupted replaces none that is whole."""
    return directory is not None and not (
        interrupted and directory.holds_whole_result and not directory.force
    )


def interrupted_after(done: str) -> Note:
    """The note that a command of several runs was stopped when these were done."""
    text = f"the command was interrupted: the figures are those of {done}"
    return Note("warning", "interrupted", text)


def left_of(what: str, out: Path | None, kept: bool) -> str:
    """What an interrupted command leaves."""
    if out is None:
        return f"shown is {what}"
    return f"{out} holds {what}" if kept else f"{out} keeps the whole result that it held before"


def several(
    resolved: _wordline.Resolved,
    seeds: int,
    jobs: int | None,
    cluster: str | None,
    out: Path | None,
    *,
    force: bool,
    audit: bool,
    as_json: bool,
) -> None:
    """Simulate a configuration with several seeds, keep the runs, and print their means."""
    from wordline.seeds import first, run_seeds, seed_name, seeds_json, seeds_tree

    summaries: dict[int, Mapping[str, Scalar]] = {}
    remarks: dict[int, tuple[Note, ...]] = {}
    interrupted = False
    with ResultDirectory(out, resolved.toml, force=force) if out else nullcontext() as directory:
        runs = run_seeds(resolved, seeds, jobs=jobs, cluster=cluster, audit=audit, progress=True)
        try:
            with closing(runs):
                for seed, result in runs:
                    if directory:
                        directory.add(result, seed_name(seed))
                    summaries[seed], remarks[seed] = result.summary, result.notes
        except KeyboardInterrupt:
            if not summaries:
                raise
            interrupted = True
        kept = published(directory, interrupted=interrupted)
        if directory and kept:
            directory.keep_only({seed_name(seed) for seed in summaries})
            directory.add_text(SEEDS, seeds_json(summaries, interrupted=interrupted))
            directory.finish()
    notes = first(remarks)
    done = f"the {len(summaries)} of {seeds} seeds that are done"
    if interrupted:
        notes = (interrupted_after(done), *notes)
    if as_json:
        figures = seeds_tree(summaries, interrupted=interrupted)
        answer(figures, (*about_configuration(resolved.warnings), *notes))
    else:
        from wordline.terminal.runs import print_seeds

        print_seeds(summaries, notes, out if kept else None)
        hint(out)
    for of_one in remarks.values():
        refuse_inconsistent(of_one)
    if interrupted:
        raise stopped(left_of(done, out, kept))


def trace_overrides(
    trace: Path | None, format: str | None, time_unit: str | None, compress_time: float | None
) -> Overrides:
    """The options that concern a trace, as the keys they stand for."""
    if trace is None:
        given = (
            ("--format", format),
            ("--time-unit", time_unit),
            ("--compress-time", compress_time),
        )
        for option, value in given:
            if value is not None:
                raise _wordline.ConfigError(f"{option} {value}: there is no --trace for it")
        return ()
    return present(
        {
            "workload.kind": "trace",
            "workload.path": trace,
            "workload.format": format,
            "workload.time_unit": time_unit,
            "workload.compress_time": compress_time,
        }
    )
