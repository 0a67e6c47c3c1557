"""`wordline serve`: a drive as a block device that any program can use."""

from pathlib import Path
from typing import Annotated

import typer

from wordline import _wordline
from wordline.cli.common import (
    DriveName,
    OneSet,
    app,
    complain,
    exit_status,
    keys_and_values,
    say,
)
from wordline.config import resolve_named
from wordline.live import Serving, figures_of_the_machine, size_of
from wordline.outputs import refuse_unwritable, refuse_unwritable_directory
from wordline.progress import progress_bar
from wordline.saving import refuse_to_replace

PACES = ("real", "virtual")


@app.command()
def serve(
    drive: DriveName,
    set_: OneSet = None,
    socket: Annotated[
        str,
        typer.Option(
            help="Where clients come in: the path of a Unix socket, or HOST:PORT.",
            metavar="ADDRESS",
        ),
    ] = "wordline.sock",
    control: Annotated[
        str | None,
        typer.Option(
            help="Where `wordline live` comes in; by default the socket's path with `.control` behind it, none at a port.",
            metavar="ADDRESS",
            show_default=False,
        ),
    ] = None,
    anyone: Annotated[
        bool,
        typer.Option(
            "--anyone",
            help="Allow addresses that other machines reach: whoever reaches them can read and write the drive.",
        ),
    ] = False,
    pace: Annotated[
        str,
        typer.Option(
            help="real: answers leave when the drive gives them; virtual: as fast as possible, only simulated times count.",
        ),
    ] = "real",
    slow: Annotated[
        float,
        typer.Option(
            help="Let a second of the drive take so many seconds, so that a fast drive is exact on a busy machine.",
            min=1.0,
            max=1e6,
        ),
    ] = 1.0,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Refuse everything that would change data.")
    ] = False,
    size: Annotated[
        str | None,
        typer.Option(
            help="Export so many bytes (512, 64MiB, 2GB); by default all that the drive has.",
            metavar="SIZE",
            show_default=False,
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="Keep the data in this file, which is sparse, instead of in memory.",
            metavar="FILE",
        ),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            help="Write what was asked to this trace at the end, for `wordline run --trace`.",
            metavar="FILE.wlt",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write summary, tables, report.html and configuration here at the end."),
    ] = None,
    save_state: Annotated[
        Path | None,
        typer.Option(help="Save the drive's state at the end, for age.method=snapshot."),
    ] = None,
    power_cuts: Annotated[
        bool,
        typer.Option(
            "--power-cuts",
            help="Keep what is on flash, so that `wordline live SOCKET cut` can cut the power.",
        ),
    ] = False,
    cut: Annotated[
        list[str] | None,
        typer.Option(
            help="Cut the power: event:N, random:N (one event in N), collection, flush, recovery; may be repeated.",
            metavar="WHEN",
        ),
    ] = None,
    volatile_buffer: Annotated[
        bool,
        typer.Option(
            "--volatile-buffer",
            help="A power cut takes with it what is in the buffer, capacitor or not.",
        ),
    ] = False,
    lie_about_flush: Annotated[
        bool,
        typer.Option(
            "--lie-about-flush",
            help="Answer flushes and forced unit access without carrying them out, as some drives do.",
        ),
    ] = False,
    seed: Annotated[int, typer.Option(help="What is drawn is drawn from this.", min=0)] = 1,
    json_: Annotated[
        bool,
        typer.Option("--json", help="Print the summary at the end as JSON, and nothing else."),
    ] = False,
) -> None:
    """Serve a drive as a block device that any program can use (NBD).

    Whatever speaks NBD can use it: fio, qemu, nbdfuse and others.

    It is served until Ctrl-C or SIGTERM, which is its usual end: what is under way is completed, and the results are written.
    The workload of the drive has no effect: clients are the workload.

    Examples:
    * `wordline serve onfi5-tlc --socket /tmp/drive.sock --out result`

    * `nbdinfo 'nbd+unix:///?socket=/tmp/drive.sock'` asks what it is

    * `fio --name=reads --ioengine=nbd --uri='nbd+unix:///?socket=/tmp/drive.sock' --rw=randread --size=1G`

    * `wordline serve onfi5-tlc-journal --pace virtual --power-cuts --cut random:100000`

    * `wordline serve onfi5-tlc --slow 10 --trace asked.wlt` keeps what was asked; `wordline run onfi5-tlc --trace asked.wlt` repeats it
    """
    with exit_status():
        if pace not in PACES:
            raise _wordline.ConfigError(f"--pace {pace}: accepted are {' and '.join(PACES)}")
        if slow != 1.0 and pace != "real":
            raise _wordline.ConfigError("--slow: there is no --pace real for it")
        overrides = keys_and_values(set_)
        resolved = resolve_named(drive, overrides)
        if volatile_buffer:
            if resolved.get("buffer.policy") in (None, "none"):
                raise _wordline.ConfigError(
                    "--volatile-buffer: the drive has no buffer; accepted with one (--set buffer.policy=lru)"
                )
            resolved = resolve_named(drive, (*overrides, ("buffer.capacitor", "false")))
        for warning in resolved.warnings:
            complain(f"warning: {warning}")
        for file in (trace, save_state):
            refuse_unwritable(file)
        refuse_unwritable_directory(out)
        if out:
            refuse_to_replace(out)
        options = {
            "name": Path(drive).stem,
            "description": f"Wordline {_wordline.__version__}: {drive}",
            "socket": socket,
            "control": control
            or (None if ":" in socket and "/" not in socket else f"{socket}.control"),
            "anyone": anyone,
            "read_only": read_only,
            "size": size_of(size),
            "data": data,
            "trace": trace,
            "slow": slow if pace == "real" else None,
            "power_cuts": power_cuts,
            "keeps_stream": False,
            "cuts": cut or [],
            "lies_about_flush": lie_about_flush,
            "seed": seed,
        }
        with progress_bar(shown=not json_) as report:
            serving = Serving(resolved, options, report)
        if not json_:
            say(f"{serving.uri} serves {serving.size:,} bytes of {drive}; Ctrl-C ends it")
            if power_cuts or cut:
                unit = serving.live.atomic_write_unit
                say(f"writes up to {unit:,} bytes are all old or all new after a power cut")
        result, status = serving.until_stopped(save_state=save_state, out=out)
        if json_:
            from wordline.cli.common import answer

            answer(result.summary, result.notes)
        else:
            from wordline.terminal.runs import print_result

            print_result(result, out)
        for remark in figures_of_the_machine(status, slow):
            complain(remark)


@app.command()
def live(
    socket: Annotated[
        str,
        typer.Argument(
            help="The control socket of `wordline serve`, or the socket that it has with `.control` behind it.",
            metavar="SOCKET",
        ),
    ],
    what: Annotated[
        str,
        typer.Argument(
            help="status, watch, report, save, cut, heat, mark, or stop.",
            metavar="WHAT",
        ),
    ],
    to: Annotated[
        str | None,
        typer.Argument(
            help="Of watch the seconds between two looks, of report the directory, of save the file, of heat the temperature of the air in degrees Celsius, of mark any text.",
            metavar="TO",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Ask a drive that is served: status, results so far, a power cut.

    The answer is JSON. `watch` shows a page of latency, IOPS, write amplification, free blocks and temperature until q or Ctrl-C; where standard output is no terminal, a line a second.

    Examples:
    * `wordline live /tmp/drive.sock status` says how it is doing

    * `wordline live /tmp/drive.sock watch` shows how it is doing, second by second

    * `wordline live /tmp/drive.sock report result` writes the results so far

    * `wordline live /tmp/drive.sock save drive.state` saves the drive's state, and its data in `drive.state.data`

    * `wordline live /tmp/drive.sock cut` cuts its power: it recovers, and shows what a drive would show

    * `wordline live /tmp/drive.sock heat 55` warms the air around it
    """
    from wordline.live import ask, watched

    with exit_status():
        if what == "watch":
            watched(socket, to)
        else:
            say(ask(socket, what, to))
