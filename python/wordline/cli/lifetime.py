"""`wordline lifetime`: how long a drive keeps its data under a workload."""

from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordline import _wordline
from wordline.cli.answer import deliver, show_with_notes
from wordline.cli.common import (
    ClusterAddress,
    CompressTime,
    DriveName,
    OneSet,
    TraceFormat,
    TraceTimeUnit,
    app,
    complain,
    exit_status,
    keys_and_values,
    stopped,
)
from wordline.cli.lives import asked_lives, several_lives
from wordline.cli.phases import climate, present_only
from wordline.cli.run import interrupted_after, left_of, trace_overrides
from wordline.config import Workload, resolve_named
from wordline.notes import about_configuration
from wordline.outputs import output_directory, refuse_unwritable, refuse_unwritable_directory
from wordline.progress import lifetime_bar
from wordline.saving import holds_whole, refuse_another_configuration

if TYPE_CHECKING:
    from wordline.lifetimes import LifetimeStudy

NAME = "replicas.json"
"""The answer of studies with several seeds."""


@app.command()
def lifetime(
    drive: DriveName,
    workload: Annotated[
        Path | None,
        typer.Option(help="TOML file with a `[workload]` table that replaces the drive's own."),
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(help="Replay this block trace again and again.")
    ] = None,
    format: TraceFormat = None,
    time_unit: TraceTimeUnit = None,
    compress_time: CompressTime = None,
    set_: OneSet = None,
    cell: Annotated[
        str,
        typer.Option(
            help="auto: the drive's own, with its code; slc, mlc or the voltage between two levels, such as '1.2 V': FENCE, without a code; or cells by name or file (`wordline cell`)."
        ),
    ] = "auto",
    require: Annotated[str, typer.Option(help="Required retention.", metavar="TIME")] = "1 y",
    horizon: Annotated[str, typer.Option(help="Time to simulate.", metavar="TIME")] = "5 y",
    every: Annotated[str, typer.Option(help="Time between snapshots.", metavar="TIME")] = "15 d",
    writes_per_day: Annotated[
        float | None,
        typer.Option(
            help="Drive writes per day (writes of the exported capacity). By default, the arrival times of the workload are used.",
            metavar="N",
        ),
    ] = None,
    temperature: Annotated[
        str,
        typer.Option(help="Temperature, or a profile such as '30 degC for 1 y, 55 degC for 4 y'."),
    ] = "30 degC",
    heat_heals: Annotated[
        bool,
        typer.Option(
            "--heat-heals",
            help="Heat speeds up recovery in idle intervals (an extension of the model).",
        ),
    ] = False,
    tolerance: Annotated[
        float,
        typer.Option(help="Target for the relative error of retention caused by skipping time."),
    ] = 0.02,
    exact: Annotated[bool, typer.Option("--exact", help="Simulate every write; slow.")] = False,
    all_dies: Annotated[
        bool,
        typer.Option(
            "--all-dies",
            help="Simulate every die of a large drive; by default some of them, as all do the same.",
        ),
    ] = False,
    fleet: Annotated[
        int | None,
        typer.Option(
            help="Also study this number of drives whose cells vary from block to block.",
            min=1,
            metavar="N",
        ),
    ] = None,
    varied_blocks: Annotated[
        bool,
        typer.Option(
            "--varied-blocks",
            help="Cells vary from block to block in the drive itself too, and refresh goes by them.",
        ),
    ] = False,
    rest_cycles: Annotated[
        int,
        typer.Option(
            help="Of how many of its last cycles the idle intervals are that stand for a block.",
            min=1,
            max=16,
            metavar="N",
        ),
    ] = 1,
    sigma_traps: Annotated[
        float | None,
        typer.Option(
            help="Standard deviation of the logarithm of trap generation in --fleet and --varied-blocks; by default 0.05."
        ),
    ] = None,
    sigma_leak: Annotated[
        float | None,
        typer.Option(
            help="Standard deviation of the logarithm of leakage in --fleet and --varied-blocks; by default 0.1."
        ),
    ] = None,
    sigma_gap: Annotated[
        float | None,
        typer.Option(
            help="Standard deviation of the level gap in --fleet and --varied-blocks, in volts; by default 0.01."
        ),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(
            help="At every N-th snapshot, run the workload with response times on a copy of the drive.",
            min=1,
            metavar="N",
        ),
    ] = None,
    sample_length: Annotated[
        str | None,
        typer.Option(help="Time of each of the --samples; by default 1 h.", metavar="TIME"),
    ] = None,
    end_ratio: Annotated[
        float | None,
        typer.Option(
            help="The life ends where the 80th percentile of response times in --samples is so many times that of the start; by default 3."
        ),
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(
            help="Also study a life in which this is different, and compare: keys, or drive, temperature, cell, require, writes-per-day; may be repeated.",
            metavar="KEY=VALUE[; ...]",
        ),
    ] = None,
    replicas: Annotated[
        int | None,
        typer.Option(
            help="Repeat the study with this number of seeds, for a mean life with its confidence interval.",
            min=2,
            metavar="N",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            help="Lives of --replicas or --also that run at the same time; by default one per core.",
            min=1,
            metavar="N",
        ),
    ] = None,
    cluster: ClusterAddress = None,
    state: Annotated[
        Path | None,
        typer.Option(help="Save the state of the study in this file from time to time."),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Continue from the file of --state, if it exists."),
    ] = False,
    snapshot_files: Annotated[
        int | None,
        typer.Option(
            help="Write every block of every N-th snapshot to snapshots/ in --out, as Parquet.",
            min=1,
            metavar="N",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write report.html, lifetime.json, snapshots.csv, blocks.csv and config.toml here."
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Let --out replace the study of another configuration."),
    ] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")] = False,
) -> None:
    """Simulate how long a drive keeps its data over months and years of a workload.

    Blocks keep data until they have more errors than the drive's code corrects, or, with --cell slc or mlc, as FENCE says (`wordline retention`). Where the
    mapping is in a steady state time is skipped, and what was skipped is checked against what follows. The life of the
    drive ends when less is left of the retention of a tenth of its blocks than --require, with and without refresh.

    Of a large drive some dies are simulated, so that a study takes minutes. What takes longer says so first, and writes a line about its progress now
    and then where there is no terminal for a bar.

    After Ctrl-C or SIGTERM the studies of --replicas that are finished are kept and marked as interrupted; a single study
    can be continued from its --state.

    Examples:
    * `wordline lifetime datacenter-tlc --writes-per-day 1 --temperature '40 degC' --require '3 mo'`

    * `wordline lifetime bench --writes-per-day 10 --require '3 mo' --out lifetime`

    * `wordline lifetime onfi3-mlc --trace server.csv.gz --compress-time 10 --json`

    * `wordline lifetime bench --writes-per-day 1 --replicas 5`

    * `wordline lifetime bench --writes-per-day 10 --also ftl.refresh.policy=remaining --also 'temperature=55 degC' --out lives`

    * `wordline lifetime bench --writes-per-day 1 --fleet 100 --sigma-leak 0.2`

    * `wordline lifetime mohan-m-ssd --set geometry.blocks_per_plane=16 --writes-per-day 5 --varied-blocks --rest-cycles 8`

    * `wordline lifetime bench --writes-per-day 1 --temperature '30 degC for 2 y, 45 degC for 3 y'`

    * `wordline lifetime bench --writes-per-day 1 --exact --state study.state --resume`, again after Ctrl-C

    * `wordline lifetime bench --writes-per-day 1 --out lifetime --snapshot-files 4`

    * `wordline lifetime bench --set workload.interarrival='1 ms' --samples 8 --sample-length '1 min'`
    """
    from wordline import lifetimes as engine
    from wordline.lifetime_forecast import say_forecast
    from wordline.report import lifetime as page

    snapshots = out / "snapshots" if out and snapshot_files else None
    varies = fleet or varied_blocks
    alike = "there is no --fleet, and there are no --varied-blocks"
    sigmas = present_only(traps=sigma_traps, leak=sigma_leak, gap=sigma_gap)
    with exit_status(partial(left_behind, state, snapshots)):
        for option, given, reason in (
            (
                "--jobs",
                jobs and not (replicas or also),
                "there are no lives to run at a time (--replicas, --also)",
            ),
            (
                "--also",
                also and replicas,
                "--replicas repeats one life; accepted is one of the two",
            ),
            ("--state", state and also, "each of the lives of --also would have its own"),
            ("--snapshot-files", snapshot_files and also, "only one study can have them"),
            ("--cluster", cluster and not replicas, "there are no --replicas to run on it"),
            ("--state", state and replicas, "each of the --replicas would have its own"),
            ("--snapshot-files", snapshot_files and replicas, "only one study can have them"),
            ("--resume", resume and not state, "there is no --state to go on from"),
            ("--fleet", fleet and replicas, "only one study can have it"),
            ("--sigma-traps", sigma_traps is not None and not varies, alike),
            ("--sigma-leak", sigma_leak is not None and not varies, alike),
            ("--sigma-gap", sigma_gap is not None and not varies, alike),
            ("--samples", samples and replicas, "only one study can have them"),
            ("--sample-length", sample_length and not samples, "there are no --samples"),
            ("--end-ratio", end_ratio is not None and not samples, "there are no --samples"),
            ("--snapshot-files", snapshot_files and not out, "there is no --out for them"),
            ("--force", force and not out, "there is no --out for it"),
        ):
            if given:
                raise _wordline.ConfigError(f"{option}: {reason}")
        overrides = [
            *trace_overrides(trace, format, time_unit, compress_time),
            *keys_and_values(set_),
        ]
        load = Workload(workload) if workload else None
        resolved = resolve_named(drive, tuple(overrides), load)
        for warning in () if also else resolved.warnings:
            complain(f"warning: {warning}")
        refuse_unwritable(state)
        refuse_unwritable_directory(out)
        if out and not force and not also:
            refuse_another_configuration(out, resolved.toml)
        asked = engine.LifetimeStudy(
            cell=cell,
            required=_wordline.seconds(require),
            horizon=_wordline.seconds(horizon),
            every=_wordline.seconds(every),
            writes_per_day=writes_per_day,
            temperature=climate(temperature),
            heat_heals=heat_heals,
            tolerance=None if exact else tolerance,
            all_dies=all_dies,
            variation=engine.CellVariation(fleet, **sigmas) if fleet else None,
            inside=engine.BlockVariation(**sigmas) if varied_blocks else None,
            rest_cycles=rest_cycles,
            samples=engine.TimedSamples(
                samples,
                **present_only(
                    length=_wordline.seconds(sample_length) if sample_length else None,
                    end_ratio=end_ratio,
                ),
            )
            if samples
            else None,
        )
        say_forecast(
            engine.simulated(resolved, asked).drive,
            horizon=asked.horizon,
            writes_per_day=writes_per_day,
            exact=exact,
            replicas=replicas or 1 + len(also or ()),
            state=state,
        )
        if also:
            lives = asked_lives(also, drive, tuple(overrides), load, asked, climate)
            several_lives(lives, jobs, out, force=force, for_program=json_)
            return
        if replicas:
            several(resolved, asked, replicas, jobs, cluster, out, force=force, for_program=json_)
            return
        files = engine.LifetimeFiles(
            snapshots=snapshots,
            snapshots_every=snapshot_files or 1,
            state=state,
            resume=resume,
        )
        with output_directory(out) if out else nullcontext():
            with lifetime_bar(shown=True) as bar:
                found = engine.study(resolved, asked, files, bar)

            def written() -> dict[str, str]:
                return {
                    "report.html": page.render(found, asked),
                    "snapshots.csv": found.snapshots.write_csv(),
                    "blocks.csv": found.blocks.write_csv(),
                    "config.toml": found.config,
                }

            def shown() -> None:
                tell(page.subject(found, asked))
                show_with_notes(page.tables(found, asked), out, found.notes)

            deliver(
                page.answer(found, asked),
                out=out,
                name="lifetime.json",
                files=written,
                for_program=json_,
                show=shown,
                notes=(*about_configuration(resolved.warnings), *found.notes),
            )


def several(
    resolved: _wordline.Resolved,
    asked: "LifetimeStudy",
    replicas: int,
    jobs: int | None,
    cluster: str | None,
    out: Path | None,
    *,
    force: bool,
    for_program: bool,
) -> None:
    """Study a drive with several seeds, and print the mean life."""
    from wordline.replicas import replicate
    from wordline.report import replicas as page
    from wordline.report.lifetime import subject

    with output_directory(out) if out else nullcontext():
        found = replicate(resolved, asked, replicas, jobs, cluster=cluster, progress=True)
        said = tuple(dict.fromkeys(note for study in found.found.values() for note in study.notes))
        notes = (*about_configuration(resolved.warnings), *said)
        done = f"the {len(found.found)} of {replicas} studies that are done"
        kept = out
        if found.is_interrupted:
            notes = (*notes, interrupted_after(done))
            if out and holds_whole(out, NAME) and not force:
                kept = None

        def shown() -> None:
            tell(subject(next(iter(found.found.values())), asked))
            show_with_notes(page.tables(found, asked), kept, said)

        def files() -> dict[str, str]:
            return {
                "report.html": page.render(found, asked),
                "snapshots.csv": page.snapshots(found).write_csv(),
                "config.toml": resolved.toml,
            }

        deliver(
            page.answer(found, asked),
            out=kept,
            name=NAME,
            files=files,
            for_program=for_program,
            show=shown,
            notes=notes,
        )
    if found.is_interrupted:
        raise stopped(left_of(done, out, kept is not None))


def tell(sentence: str) -> None:
    """Print a sentence, in lines as wide as the terminal."""
    from rich.text import Text

    from wordline.terminal.console import Terminal

    Terminal(highlight=False).tell(Text(sentence))


def left_behind(state: Path | None, snapshots: Path | None) -> str:
    """What an interrupted study leaves: its state as last saved, and the snapshots so far."""
    left = []
    if state and state.exists():
        left.append(f"{state} stays, for --resume")
    if snapshots and any(snapshots.glob("*.parquet")):
        left.append(f"the files in {snapshots} stay")
    return ", and ".join(left) or "nothing was written"
