"""What tests of command-line options share: a runner within the process, and a list of what they cover."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

import typer
from typer.testing import CliRunner

from wordline.cli import COMMANDS, PACKAGES, app

Test = TypeVar("Test", bound=Callable[..., None])

COVERED: set[tuple[str, str]] = set()
"""Every command and option, or argument, of which a test shows the effect."""

BESIDE = {name for file in PACKAGES for name in COMMANDS[file]}
"""The commands of packages beside the product, which are tested there."""
HELP = {"--install-completion", "--show-completion"}
"""Options that Typer adds itself."""


def effect(command: str, *names: str) -> Callable[[Test], Test]:
    """Mark a test that fails where these options of a command are accepted and then ignored."""

    def mark(test: Test) -> Test:
        COVERED.update((command, name) for name in names)
        return test

    return mark


def offered() -> set[tuple[str, str]]:
    """Every command with each of its options and arguments, as Typer builds them."""
    group = typer.main.get_command(app)
    assert hasattr(group, "commands")
    found = {("", option) for each in group.params for option in each.opts} - {
        ("", name) for name in HELP
    }
    for name, command in group.commands.items():
        for each in command.params:
            is_option = each.param_type_name == "option"
            found.add(
                (
                    name,
                    next(part for part in each.opts if part.startswith("--"))
                    if is_option
                    else each.name,
                )
            )
    return found


@dataclass(frozen=True)
class Done:
    """What a command printed."""

    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        """Standard output, which is to be JSON and nothing else."""
        return json.loads(self.stdout)


def call(*arguments: object, status: int = 0) -> Done:
    """Call a command in this process."""
    done = CliRunner().invoke(app, [*map(str, arguments)])
    assert done.exit_code == status, (done.exception, done.stdout, done.stderr)
    return Done(done.stdout, done.stderr)


def sets(**values: object) -> list[str]:
    """`--set` options; two underscores stand for a dot."""
    return [
        part
        for key, value in values.items()
        for part in ("--set", f"{key.replace('__', '.')}={value}")
    ]


class AtOnce:
    """Stands in for a function and counts how many of its calls run at the same time."""

    def __init__(self, function: Callable[..., Any], together: int) -> None:
        self.most = 0
        self._function = function
        self._running = 0
        self._lock = threading.Lock()
        # calls wait for each other, or give up after a moment
        self._barrier = threading.Barrier(together)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        with self._lock:
            self._running += 1
            self.most = max(self.most, self._running)
        with suppress(threading.BrokenBarrierError):
            self._barrier.wait(timeout=0.3)
        try:
            return self._function(*arguments, **options)
        finally:
            with self._lock:
                self._running -= 1
