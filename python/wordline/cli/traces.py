"""`wordline trace-stats`, `convert`, `formats`, `profiles` and `fit`: where requests come from."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from wordline import _wordline
from wordline.cli.common import (
    TraceFormat,
    TraceTimeUnit,
    answer,
    app,
    complain,
    exit_status,
    keys_and_values,
    say,
)
from wordline.config import resolve_trace
from wordline.formatting import counted
from wordline.notes import notes_from
from wordline.outputs import refuse_unwritable
from wordline.saving import write_text
from wordline.traces import converted, describe, flat, reading

TraceKeys: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Set how the trace is read: `workload.format`, `workload.time_unit`, `workload.action`, "
        "`workload.csv.time` and so on, as in `run`; may be repeated.",
        metavar="KEY=VALUE",
    ),
]


def profile_names() -> list[str]:
    """Names of the profiles, for shell completion."""
    return [profile["name"] for profile in _wordline.profiles()]


def as_told(
    file: Path, format: str | None, set_: list[str] | None, time_unit: str | None = None
) -> _wordline.Trace:
    """A trace that is read as the options say."""
    keys = keys_and_values(set_, "workload.time_unit=us or workload.csv.offset=lba")
    return resolve_trace(file, (*reading(format=format, time_unit=time_unit), *keys))


@app.command("trace-stats")
def trace_stats(
    file: Annotated[
        Path, typer.Argument(help="The trace, plain, .gz, .zst, .bz2 or .xz; Parquet or Arrow.")
    ],
    format: TraceFormat = None,
    time_unit: TraceTimeUnit = None,
    set_: TraceKeys = None,
    report: Annotated[
        Path | None, typer.Option(help="Write an HTML page with charts here.", metavar="FILE.html")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")] = False,
) -> None:
    """Describe a block trace: mix, sizes, arrivals, runs, footprint, popularity, reuse.

    Examples:
    * `wordline trace-stats financial.spc.gz`

    * `wordline trace-stats financial.spc.gz --report financial.html`

    * `wordline trace-stats my.csv --format csv --set workload.csv.op=rw --set workload.csv.offset=lba
      --set workload.csv.size=bytes`
    """
    with exit_status():
        refuse_unwritable(report)
        tree = describe(as_told(file, format, set_, time_unit))
        if report:
            from wordline.report.trace import render

            write_text(report, render(tree, file.name))
        if json_:
            answer(flat(tree), notes_from("trace", tree["notes"]))
        else:
            from wordline.terminal.traces import print_trace_stats

            print_trace_stats(tree, report)


@app.command()
def convert(
    input: Annotated[
        Path,
        typer.Argument(
            help="The trace, plain, .gz, .zst, .bz2 or .xz; Parquet or Arrow.", metavar="INPUT"
        ),
    ],
    output: Annotated[
        Path,
        typer.Argument(
            help="The file to write; its name says the form: .wlt (Wordline binary, holds everything), "
            ".parquet (a table of requests, holds everything), .iolog (fio iolog version 3) or .blkparse (blkparse "
            "text), which hold reads, writes, trims and flushes, .csv or .msr (MSR Cambridge CSV, holds reads and "
            "writes); .gz, .zst, .bz2 or .xz after that compresses, except Parquet.",
            metavar="OUTPUT",
        ),
    ],
    format: TraceFormat = None,
    time_unit: TraceTimeUnit = None,
    set_: TraceKeys = None,
) -> None:
    """Convert a block trace to another format.

    Wordline's binary format is read several times faster than text, and once instead of twice.

    Examples:
    * `wordline convert hm_0.csv.gz hm_0.wlt`

    * `wordline convert --format ssdsim --time-unit us dtrs.txt dtrs.wlt.zst`

    * `wordline convert hm_0.wlt hm_0.csv`

    * `wordline convert hm_0.wlt hm_0.iolog`, then on a real drive
      `fio --name=replay --ioengine=libaio --direct=1 --read_iolog=hm_0.iolog --replay_redirect=/dev/nvme1n1`
    """
    with exit_status():
        refuse_unwritable(output)
        done = converted(as_told(input, format, set_, time_unit), output)
        for note in done.notes:
            complain(f"note: {note}")
        say(
            f"{output}: {counted(done.requests, 'request')}, {counted(output.stat().st_size, 'byte')}"
        )


@app.command()
def profiles(
    name: Annotated[
        str | None,
        typer.Argument(help="Print this profile's TOML.", autocompletion=profile_names),
    ] = None,
) -> None:
    """List the built-in workload profiles, or print one.

    Examples:
    * `wordline profiles`

    * `wordline run onfi3-mlc --set workload.kind=profile --set workload.profile=financial1`

    * `wordline profiles msr_hm_0 > my-profile.toml`
    """
    known = _wordline.profiles()
    if name is None:
        from wordline.terminal.lists import print_list  # slow

        rows = [(profile["name"], profile["title"]) for profile in known]
        print_list(("profile", "what it is"), rows)
        return
    with exit_status():
        for profile in known:
            if profile["name"] == name:
                typer.echo(profile["text"].rstrip("\n"))
                return
        hint = _wordline.did_you_mean(name, profile_names())
        raise _wordline.ConfigError(f"{name}: not a profile; {hint}`wordline profiles` lists them")


@app.command()
def fit(
    trace: Annotated[
        Path, typer.Argument(help="The trace, plain, .gz, .zst, .bz2 or .xz; Parquet or Arrow.")
    ],
    format: TraceFormat = None,
    set_: TraceKeys = None,
    seed: Annotated[
        int, typer.Option(help="Seed of the surrogate that is compared with the trace.", min=0)
    ] = 1,
    out: Annotated[
        Path | None, typer.Option(help="Write the profile here.", metavar="PROFILE.toml")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")] = False,
) -> None:
    """Derive a profile from a trace, and compare requests drawn from it with the trace.

    A surrogate as long as the trace is drawn from the profile and described as the trace is; both
    are shown side by side.

    Examples:
    * `wordline fit my.trace.gz --out my-profile.toml`

    * `wordline run onfi5-tlc --set workload.kind=profile --set workload.profile_file=my-profile.toml`
    """
    from wordline.fitting import fitted

    with exit_status():
        refuse_unwritable(out)
        found = fitted(as_told(trace, format, set_), seed)
        if out:
            found.save(out)
        if json_:
            answer(found.as_dict(), notes_from("trace", found.trace["notes"]))
        else:
            from wordline.terminal.traces import print_fit

            print_fit(found, out)


@app.command()
def formats() -> None:
    """List the trace formats, with an example row of each."""
    from rich.padding import Padding  # slow
    from rich.text import Text

    from wordline.terminal.console import Terminal

    console = Terminal(highlight=False)
    for form in _wordline.formats():
        typer.echo(form["name"])
        description = Text(form["description"])
        if console.is_terminal:
            console.print(Padding(description, (0, 0, 0, 2)))
        else:
            console.print("  ", description, sep="", soft_wrap=True)
        for row in form["example"].splitlines():
            typer.echo(f"    {row}")  # as it stands in a file, tabs too
