"""The `wordline` command: one file for each group of commands, imported when one of them is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from importlib import import_module
from shutil import get_terminal_size
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typer import Typer

    app: Typer

__all__ = ["app", "main"]

COMMANDS = {
    "run": {
        "run": "Simulate a drive under a workload.",
    },
    "spec": {
        "spec": "Write the data sheet of a drive: throughput, latency, endurance, power, memory.",
    },
    "serve": {
        "serve": "Serve a drive as a block device that any program can use (NBD).",
        "live": "Ask a drive that is served: status, results so far, a power cut.",
    },
    "crash": {
        "crash-test": "Run a program on a drive, cut the power, and check what each cut leaves.",
    },
    "compare": {
        "compare": "Compare results: configuration, figures, distributions, where the time went.",
    },
    "sweep": {
        "sweep": "Simulate every combination of what is varied, or a sample of them.",
    },
    "search": {
        "search": "Look for the best designs of a space.",
    },
    "infer": {
        "infer": "Find the settings of unknown keys that explain what was measured.",
    },
    "drives": {
        "presets": "List the drives that come with Wordline, or print one.",
        "schema": "Print the JSON Schema of drive and workload files, for editors.",
        "check": "Check drives, and say how large they are and how long a run takes.",
    },
    "traces": {
        "trace-stats": "Describe a block trace: mix, sizes, arrivals, runs, footprint, popularity, reuse.",
        "convert": "Convert a block trace to another format.",
        "profiles": "List the built-in workload profiles, or print one.",
        "fit": "Derive a profile from a trace, and compare requests drawn from it with the trace.",
        "formats": "List the trace formats, with an example row of each.",
    },
    "importing": {
        "import": "Make a drive or a workload file of a configuration of another simulator.",
    },
    "power": {
        "chips": "List the chips that come with Wordline, or print one.",
        "power": "Compute what reads, programs and erases cost in energy, and what a drive takes at work.",
    },
    "cell": {
        "cell": "Compute how reliable cells are: threshold voltages, raw bit error rates, differences between blocks.",
    },
    "ecc": {
        "ecc": "Compute how likely codes fail, which code an error rate requires, and how long LDPC reads take.",
    },
    "content": {
        "content": "Compare two versions of a file, and compute what a drive saves that keeps the differences.",
    },
    "fscale": {
        "fscale": "Compute what limits drives of 8 TB to 1 PB, with and without controllers inside the packages.",
    },
    "retention": {
        "retention": "Compute how long cells keep data, by program/erase cycles, idle intervals and temperature.",
    },
    "lifetime": {
        "lifetime": "Simulate how long a drive keeps its data over months and years of a workload.",
    },
    "intensity": {
        "intensity": "Find how much faster a workload can be replayed before a drive is over-utilised.",
    },
    "reproduce": {
        "reproduce": "Reproduce a published study, and judge its claims.",
    },
}
"""The commands of each file, in the order of `wordline --help`, with what each is for."""

PACKAGES = {"fscale": "wordline-fscale"}
"""The files that come with a package beside this one."""

HELP = ("--help", "-h")
NARROW = 80
"""Columns of a terminal below which help is plain text: the table that it is otherwise cuts names of options off."""


def main() -> None:
    """Run the command line; the entry point of the `wordline` script."""
    from wordline.cli.ending import CTRL_C, Stop, standard_output, stop_on_signals
    from wordline.spoken import Spoken

    stop_on_signals()
    Spoken.is_on = True
    # Typer takes it for a number
    if not os.environ.get("TERMINAL_WIDTH", "0").isdecimal():
        del os.environ["TERMINAL_WIDTH"]
    first = sys.argv[1] if len(sys.argv) > 1 else None
    try:
        with standard_output():
            if first in HELP:
                run = with_summaries()
            else:
                # completion and complaints speak of all commands
                called = [file for file, commands in COMMANDS.items() if first in commands]
                run = with_commands(called or COMMANDS)
            if get_terminal_size().columns < NARROW:
                run.rich_markup_mode = None
            run()
    except KeyboardInterrupt:  # before or after a command, which handle it themselves
        sys.exit(Stop.status())
    except SystemExit as end:
        # Typer takes every signal between its own start and the command's for Ctrl-C
        if end.code == CTRL_C:
            sys.exit(Stop.status())
        raise


def with_summaries() -> Typer:
    """The application with what each command is for, and no more: all that its help shows."""
    from wordline.cli.common import app

    for commands in COMMANDS.values():
        for name, summary in commands.items():
            app.command(name, help=summary)(lambda: None)
    return app


def with_commands(files: Iterable[str]) -> Typer:
    """The application with the commands of these files: to import one adds them."""
    from wordline.cli.common import app

    for file in files:
        if file in PACKAGES:
            # only here, since it reads what every installed package says of itself
            from wordline.cli.packages import add

            add(file, COMMANDS[file].items(), PACKAGES[file])
        else:
            import_module(f"wordline.cli.{file}")
    return app


def __getattr__(name: str) -> Typer:
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return with_commands(COMMANDS)
