"""Every option of `wordline fscale` has a test of its effect, and the product knows of the command what its help shows."""

from __future__ import annotations

import subprocess
import sys

import test_fscale
from options import COVERED, call, offered
from wordline.cli import COMMANDS, app


def test_every_option_has_a_test_of_its_effect() -> None:
    assert test_fscale.__doc__
    ours = {(command, option) for command, option in offered() if command == "fscale"}
    assert len(ours) == 10
    missing = ours - COVERED
    assert not missing, (
        f"options without a test of their effect (see tests/options.py): {sorted(missing)}"
    )
    assert not {(command, option) for command, option in COVERED if command == "fscale"} - ours


def test_the_command_is_that_of_the_package() -> None:
    found = {
        command.callback.__name__: command.callback
        for command in app.registered_commands
        if command.callback and command.callback.__module__ == "wordline_fscale.cli"
    }
    assert found.keys() == COMMANDS["fscale"].keys()
    for name, summary in COMMANDS["fscale"].items():
        assert (found[name].__doc__ or "").partition("\n")[0] == summary


def test_help_tells_the_exit_statuses() -> None:
    told = " ".join(call("fscale", "--help").stdout.split())
    assert "Exit status: 0 done, 1 a defect" in told
    assert "143 terminated (SIGTERM)" in told


def test_nothing_is_imported_without_need() -> None:
    script = """
import sys
from wordline.cli import main
try:
    main()
except SystemExit as end:
    print(end.code, [name for name in sys.modules if name.startswith("wordline_fscale")])
"""
    for arguments in (["--help"], ["formats"]):
        done = subprocess.run(
            [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True
        )
        assert done.stdout.splitlines()[-1] == "0 []"
