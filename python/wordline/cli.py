"""The `wordline` command.

Whatever is slow to import (data frames, charts) is imported by the command that needs it, so that
`wordline --help` and shell completion answer at once.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from wordline import _wordline
from wordline.config import Drive, Overrides, Workload, present, resolve, resolve_trace
from wordline.fitting import fitted
from wordline.saving import OutputError, ResultDirectory, summary_json, write_all, write_text
from wordline.simulation import run as run_resolved
from wordline.traces import converted, describe, flat, reading

DEFECT = 1
BAD_INPUT = 2
INTERRUPTED = 130

app = typer.Typer(
    name="wordline",
    help="Simulate NAND-flash solid state drives.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command line; the entry point of the `wordline` script."""
    try:
        app()
    except KeyboardInterrupt:  # before or after a command, which handle it themselves
        sys.exit(INTERRUPTED)


@contextmanager
def exit_status() -> Iterator[None]:
    """Turn what can go wrong into one paragraph on standard error and the exit status."""
    try:
        yield
    except (_wordline.ConfigError, _wordline.TraceError, OutputError) as error:
        complain(f"error: {error}")
        raise typer.Exit(BAD_INPUT) from error
    except _wordline.RunError as error:
        complain(f"defect: {error}\nThis is a defect of Wordline; please report it.")
        raise typer.Exit(DEFECT) from error
    except KeyboardInterrupt as error:
        complain("interrupted; nothing was written")
        raise typer.Exit(INTERRUPTED) from error


def complain(text: str) -> None:
    """Say something on standard error."""
    typer.echo(text, err=True)


def preset_names() -> list[str]:
    """Names of the presets, for shell completion."""
    return [preset["name"] for preset in _wordline.presets()]


def format_names() -> list[str]:
    """Names of the trace formats, for shell completion."""
    return [form["name"] for form in _wordline.formats()]


def chip_names() -> list[str]:
    """Names of the built-in chips, for shell completion."""
    return [chip["name"] for chip in _wordline.chips()]


def profile_names() -> list[str]:
    """Names of the profiles, for shell completion."""
    return [profile["name"] for profile in _wordline.profiles()]


def study_names() -> list[str]:
    """Names of the studies, for shell completion."""
    from wordline.studies import STUDIES

    return list(STUDIES)


def version(wanted: bool) -> None:
    """Print the version and stop."""
    if wanted:
        typer.echo(f"wordline {_wordline.__version__}")
        raise typer.Exit


@app.callback()
def options(
    show_version: Annotated[
        bool, typer.Option("--version", callback=version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Simulate NAND-flash solid state drives.

    A drive (a preset or a TOML file) and a workload (a block trace or a synthetic job) go in;
    latency, write amplification, wear, and the reasons for them come out.

    Exit status: 0 done, 1 a defect of Wordline, 2 bad input, 130 interrupted.
    """


TraceFormat: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Format of the trace (`wordline formats`); recognised when not given.",
        autocompletion=format_names,
    ),
]
TraceKeys: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Say how the trace is read: `workload.format`, `workload.time_unit`, `workload.action`, "
        "`workload.csv.time` and so on, as in `run`; may be repeated.",
        metavar="KEY=VALUE",
    ),
]


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
) -> None:
    """Simulate a drive under a workload.

    Examples:
    * `wordline run onfi5-tlc --out result`

    * `wordline run onfi5-tlc --set workload.queue_depth=64 --set ftl.gc.victim=fifo`

    * `wordline run hu2011 --trace financial.spc.gz --compress-time 10 --out result`

    * `wordline run my-drive.toml --workload my-jobs.toml --json`

    * `wordline run result/config.toml` repeats an earlier run
    """
    with exit_status():
        overrides = [
            *trace_overrides(trace, format, compress_time),
            *keys_and_values(set_),
        ]
        jobs = Workload(workload) if workload else None
        resolved = resolve(Drive(drive, overrides=tuple(overrides)), jobs)
        if out and resolved.get("output.attribution") is None:
            # the report shows it
            overrides.append(("output.attribution", "true"))
            resolved = resolve(Drive(drive, overrides=tuple(overrides)), jobs)
        for warning in resolved.warnings:
            complain(f"warning: {warning}")
        with ResultDirectory(out) if out else nullcontext() as directory:
            result = run_resolved(resolved, audit=audit, progress=True, save_state=save_state)
            if directory:
                directory.publish(result)
        if json_:
            typer.echo(summary_json(result), nl=False)
        else:
            from wordline.terminal import print_result

            print_result(result, out)


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


def keys_and_values(
    texts: list[str] | None, example: str = "ftl.gc.victim=greedy or timing.t_r='25 us'"
) -> Overrides:
    """Split each `key=value`.

    Raises:
        ConfigError: there is no equals sign.
    """
    pairs = []
    for text in texts or []:
        key, equals, value = text.partition("=")
        if not (equals and key.strip()):
            raise _wordline.ConfigError(f"--set {text}: accepted is KEY=VALUE, such as {example}")
        pairs.append((key.strip(), value.strip()))
    return tuple(pairs)


@app.command()
def presets(
    name: Annotated[
        str | None,
        typer.Argument(help="Print this preset's TOML.", autocompletion=preset_names),
    ] = None,
) -> None:
    """List the drives that come with Wordline, or print one.

    Examples:
    * `wordline presets`

    * `wordline presets onfi5-tlc > my-drive.toml`
    """
    known = _wordline.presets()
    if name is None:
        width = max(len(preset["name"]) for preset in known)
        for preset in known:
            typer.echo(f"{preset['name']:<{width}}  {preset['title']}")
        return
    with exit_status():
        for preset in known:
            if preset["name"] == name:
                typer.echo(preset["text"].rstrip("\n"))
                return
        # the loader's own refusal, which names the nearest preset
        _wordline.resolve(name, False, None, [])
        raise _wordline.ConfigError(f"{name}: is a file, not a preset")


@app.command()
def schema() -> None:
    """Print the JSON Schema of drive and workload files, for editors.

    Example: `wordline schema > wordline.schema.json`
    """
    typer.echo(_wordline.schema().rstrip("\n"))


@app.command()
def check(
    files: Annotated[list[Path], typer.Argument(help="TOML files.", metavar="FILE...")],
) -> None:
    """Check drive files without running them.

    Example: `wordline check my-drive.toml other.toml`
    """
    refused = False
    for file in files:
        try:
            resolved = _wordline.resolve(str(file), False, None, [])
        except _wordline.ConfigError as error:
            complain(f"error: {error}")
            refused = True
            continue
        for warning in resolved.warnings:
            complain(f"warning: {file}: {warning}")
        typer.echo(f"{file}: good")
    if refused:
        raise typer.Exit(BAD_INPUT)


def as_told(
    file: Path, format: str | None, set_: list[str] | None, time_unit: str | None = None
) -> _wordline.Trace:
    """A trace that is read as the options say."""
    keys = keys_and_values(set_, "workload.time_unit=us or workload.csv.offset=lba")
    return resolve_trace(file, (*reading(format=format, time_unit=time_unit), *keys))


@app.command("trace-stats")
def trace_stats(
    file: Annotated[Path, typer.Argument(help="The trace, plain, .gz or .zst.")],
    format: TraceFormat = None,
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
        tree = describe(as_told(file, format, set_))
        if report:
            from wordline.report.trace import render

            write_text(report, render(tree, file.name))
        if json_:
            typer.echo(json.dumps(flat(tree), indent=2, allow_nan=False))
        else:
            from wordline.terminal import print_trace_stats

            print_trace_stats(tree, report)


@app.command()
def convert(
    input: Annotated[Path, typer.Argument(help="The trace, plain, .gz or .zst.", metavar="INPUT")],
    output: Annotated[
        Path,
        typer.Argument(
            help="The file to write; its name says the form: .wlt (Wordline binary, holds everything), "
            ".csv or .msr (MSR Cambridge CSV, holds reads and writes); .gz or .zst after that compresses.",
            metavar="OUTPUT",
        ),
    ],
    format: TraceFormat = None,
    time_unit: Annotated[
        str | None,
        typer.Option(help="Unit of the input's times: s, ms, us, 100ns or ns.", metavar="UNIT"),
    ] = None,
    set_: TraceKeys = None,
) -> None:
    """Write a block trace in another form.

    Wordline's binary form is read several times faster than text, and once instead of twice.

    Examples:
    * `wordline convert hm_0.csv.gz hm_0.wlt`

    * `wordline convert --format ssdsim --time-unit us dtrs.txt dtrs.wlt.zst`

    * `wordline convert hm_0.wlt hm_0.csv`
    """
    with exit_status():
        done = converted(as_told(input, format, set_, time_unit), output)
        for note in done.notes:
            complain(f"note: {note}")
        typer.echo(f"{output}: {done.requests:,} requests, {output.stat().st_size:,} bytes")


@app.command()
def profiles(
    name: Annotated[
        str | None,
        typer.Argument(help="Print this profile's TOML.", autocompletion=profile_names),
    ] = None,
) -> None:
    """List the traces that a surrogate can stand in for, or print the law of one.

    Examples:
    * `wordline profiles`

    * `wordline run onfi3-mlc --set workload.kind=profile --set workload.profile=financial1`

    * `wordline profiles msr_hm_0 > my-profile.toml`
    """
    known = _wordline.profiles()
    if name is None:
        width = max(len(profile["name"]) for profile in known)
        for profile in known:
            typer.echo(f"{profile['name']:<{width}}  {profile['title']}")
        return
    with exit_status():
        for profile in known:
            if profile["name"] == name:
                typer.echo(profile["text"].rstrip("\n"))
                return
        raise _wordline.ConfigError(f"{name}: not a profile; `wordline profiles` lists them")


@app.command()
def fit(
    trace: Annotated[Path, typer.Argument(help="The trace, plain, .gz or .zst.")],
    format: TraceFormat = None,
    set_: TraceKeys = None,
    seed: Annotated[int, typer.Option(help="Seed of the surrogate that is compared.", min=0)] = 1,
    out: Annotated[
        Path | None, typer.Option(help="Write the profile here.", metavar="PROFILE.toml")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")] = False,
) -> None:
    """Derive a profile from a trace, and say how near requests drawn from it come.

    A surrogate as long as the trace is drawn from the profile and described as the trace is; both
    are shown side by side.

    Examples:
    * `wordline fit my.trace.gz --out my-profile.toml`

    * `wordline run onfi5-tlc --set workload.kind=profile --set workload.profile_file=my-profile.toml`
    """
    with exit_status():
        found = fitted(as_told(trace, format, set_), seed)
        if out:
            found.save(out)
        if json_:
            typer.echo(json.dumps(found.as_dict(), indent=2, allow_nan=False))
        else:
            from wordline.terminal import print_fit

            print_fit(found, out)


@app.command()
def formats() -> None:
    """List the trace formats, with an example row of each."""
    for form in _wordline.formats():
        typer.echo(f"{form['name']}\n  {form['description']}")
        for row in form["example"].splitlines():
            typer.echo(f"    {row}")


@app.command()
def chips(
    name: Annotated[
        str | None, typer.Argument(help="Print this chip's TOML.", autocompletion=chip_names)
    ] = None,
) -> None:
    """List the chips that come with Wordline, or print one.

    Examples:
    * `wordline chips`

    * `wordline chips b-mlc8 > my-chip.toml`
    """
    known = {chip["name"]: chip for chip in _wordline.chips()}
    if name is None:
        width = max(map(len, known))
        for chip in known.values():
            typer.echo(f"{chip['name']:<{width}}  {chip['title']}")
        return
    with exit_status():
        if name in known:
            typer.echo(known[name]["text"].rstrip("\n"))
            return
        # the loader's own refusal, which names the nearest chip
        _wordline.Chip(name, False, [])
        raise _wordline.ConfigError(f"{name}: is a file, not a built-in chip")


@app.command()
def power(
    chip: Annotated[
        str,
        typer.Argument(
            help="A built-in chip (`wordline chips`) or a TOML file.",
            metavar="CHIP",
            autocompletion=chip_names,
        ),
    ],
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="Override one key; may be repeated.", metavar="KEY=VALUE"),
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            help="Compare values of a key; with several, every combination.", metavar="KEY=A,B,C"
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write report.html, energies.json, energies.csv and chip.toml here."),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")] = False,
) -> None:
    """Tell what every read, program and erase of a chip costs in energy.

    The model is FlashPower, for planar NAND of 22 to 90 nm; it does not describe 3D NAND.

    Examples:
    * `wordline power b-mlc8`

    * `wordline power b-mlc8 --set bias.vpgm='18 V' --out energy`

    * `wordline power mohan-x1 --vary geometry.page_size='2,4,8 KiB' --vary geometry.pages_per_block=64,128`

    * `wordline power my-chip.toml --json`
    """
    from wordline import power as model
    from wordline.report import power as page

    with exit_status():
        overrides = keys_and_values(set_)
        axes = [model.Axis.parse(text) for text in vary or []]
        found = model.variants(chip, overrides, axes)
        answer = page.answer(found)
        text = json.dumps(answer, indent=2, allow_nan=False)
        if out:
            files = {
                "report.html": page.render(found),
                "energies.json": text + "\n",
                "energies.csv": page.as_csv(found),
            }
            if not axes:
                files["chip.toml"] = found[0][1].toml
            write_all(out, files)
        for advisory in dict.fromkeys(text for _, each in found for text in each.advisories):
            complain(f"advisory: {advisory}")
        if json_:
            typer.echo(text)
        else:
            from wordline.terminal import print_energies

            print_energies(found, out)


@app.command()
def reproduce(
    study: Annotated[
        str,
        typer.Argument(
            help="What to reproduce, such as `mohan-flashpower`.",
            metavar="STUDY",
            autocompletion=study_names,
        ),
    ],
    figure: Annotated[
        str | None, typer.Option(help="Compute this figure and its claims only.", metavar="NAME")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer points.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="Write the chapter and its figures here.")
    ] = None,
) -> None:
    """Do a study of the literature again, and judge its claims.

    Examples:
    * `wordline reproduce mohan-flashpower`

    * `wordline reproduce mohan-flashpower --out docs/studies`

    * `wordline reproduce mohan-flashpower --figure bit-patterns --quick`
    """
    from wordline import studies
    from wordline.studies.chapter import chapter

    with exit_status():
        found = studies.find(study)
        parts = found.run(figure, quick=quick)
        if out:
            write_all(out, chapter(found, parts))
        from wordline.terminal import print_claims

        print_claims(parts)
        if out:
            typer.echo(f"chapter: {out / f'{study}.md'}")


if __name__ == "__main__":
    main()
