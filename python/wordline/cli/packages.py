"""Commands of packages beside Wordline, found by the entry points of the group `wordline.commands`."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import entry_points
from typing import Any

from wordline.cli.common import app, exit_status
from wordline.errors import ConfigError

GROUP = "wordline.commands"
ANYTHING: dict[str, Any] = {
    "help_option_names": [],
    "ignore_unknown_options": True,
    "allow_extra_args": True,
}
"""What stands behind a command that is not there has no meaning, `--help` neither."""


def add(file: str, commands: Iterable[tuple[str, str]], package: str) -> None:
    """Add the commands of a package to the application; where it is not installed, commands that say so.

    Args:
        file: the name of its entry point, whose module adds the commands as it is imported.
        commands: the names of the commands, and what each is for.
        package: the name of the package.
    """
    found = entry_points(group=GROUP, name=file)
    for each in found:
        each.load()
    if not found:
        for name, summary in commands:
            add_missing(name, summary, package)


def add_missing(name: str, summary: str, package: str) -> None:
    """Add a command that says which package it comes with."""

    @app.command(name, help=summary, context_settings=ANYTHING)
    def missing() -> None:
        extra = package.removeprefix("wordline-")
        with exit_status():
            raise ConfigError(
                f"`wordline {name}` comes with the package {package}, which is not installed: pip install 'wordline[{extra}]'"
            )
