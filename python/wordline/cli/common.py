"""What every command of the command line shares: the application, exit statuses, options, completion.

Whatever is slow to import (data frames, charts) is imported by the command that needs it, so that
`wordline --help` and shell completion answer at once.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from wordline import _wordline
from wordline.cli.ending import BAD_INPUT, DEFECT, STATUSES, Stop
from wordline.config import Overrides
from wordline.errors import ConfigError, RunError, WordlineError
from wordline.formatting import nearer, printable
from wordline.notes import CONFIGURATION, Note, as_json, with_notes
from wordline.spoken import wrapped


class Application(typer.Typer):
    """An application whose commands all tell their exit statuses."""

    def command(self, name: str | None = None, **options: Any) -> Callable[..., Any]:
        """A decorator that adds a command."""
        return super().command(name, epilog=STATUSES, **options)


app = Application(
    name="wordline",
    help="Simulate NAND-flash solid state drives.",
    epilog=STATUSES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@contextmanager
def exit_status(
    interrupted: str | Callable[[], str] = "nothing was written",
) -> Iterator[None]:
    """Turn what can go wrong into one paragraph on standard error and the exit status.

    Args:
        interrupted: what Ctrl-C leaves behind, or what tells that once it has happened.
    """
    try:
        yield
    except RunError as error:
        complain(f"defect: {error}\nThis is a defect of Wordline; please report it.")
        raise typer.Exit(DEFECT) from error
    except WordlineError as error:
        complain(f"error: {error}")
        raise typer.Exit(BAD_INPUT) from error
    except KeyboardInterrupt as error:
        raise stopped(interrupted if isinstance(interrupted, str) else interrupted()) from error


def stopped(left: str) -> typer.Exit:
    """Say that the command was stopped and what that leaves; what ends it."""
    complain(f"{Stop.word()}; {left}")
    return typer.Exit(Stop.status())


def complain(text: str) -> None:
    """Say something on standard error."""
    typer.echo(printable(wrapped(nearer(text))), err=True)


def say(text: str) -> None:
    """Say something on standard output."""
    typer.echo(printable(text))


def answer(figures: Mapping[str, Any], notes: Sequence[Note]) -> None:
    """Print figures for a program, with notes beside them, which are said on standard error too."""
    for note in notes:
        if note.key != CONFIGURATION:  # said before the work began
            complain(f"{note.severity}: {note.text}")
    typer.echo(as_json(with_notes(figures, notes)))


def preset_names() -> list[str]:
    """Names of the presets, for shell completion."""
    return [preset["name"] for preset in _wordline.presets()]


def format_names() -> list[str]:
    """Names of the trace formats, for shell completion."""
    return [form["name"] for form in _wordline.formats()]


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
    """What every command understands."""


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
            raise ConfigError(f"--set {text}: accepted is KEY=VALUE, such as {example}")
        pairs.append((key.strip(), value.strip()))
    return tuple(pairs)


def numbers(option: str, text: str) -> list[int]:
    """Whole numbers between commas.

    Raises:
        ConfigError: they are none.
    """
    try:
        return [int(part) for part in text.split(",")]
    except ValueError as error:
        raise ConfigError(f"{option} {text}: accepted are whole numbers, as in 1,16,256") from error


DriveName: TypeAlias = Annotated[
    str,
    typer.Argument(
        help="A preset (`wordline presets`) or a TOML file.",
        metavar="DRIVE",
        autocompletion=preset_names,
    ),
]
OneSet: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", help="Override one key; may be repeated.", metavar="KEY=VALUE"),
]
CompressTime: TypeAlias = Annotated[
    float | None,
    typer.Option(help="Divide the times of the trace by this factor.", metavar="FACTOR"),
]
Policies: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option(
        help="Run this Python file first, which registers policies; may be repeated.",
        metavar="FILE.py",
    ),
]
TraceFormat: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Format of the trace (`wordline formats`); by default recognised from the file.",
        autocompletion=format_names,
    ),
]
TraceTimeUnit: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--time-unit",
        help="Unit of the trace's times: s, ms, us, 100ns or ns; by default that of its format.",
        metavar="UNIT",
    ),
]
ClusterAddress: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Run on the workers of this Dask scheduler, or on processes of this machine: `local`.",
        metavar="ADDRESS",
        show_default="threads of this process",
    ),
]
