"""A forked command does what one that is started does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from forked import Forked

SHORT = ("--set", "workload.requests=300", "--json")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has no fork")


@pytest.fixture(scope="module")
def forked() -> Iterator[Forked]:
    """The process that forks commands."""
    server = Forked()
    yield server
    server.close()


@pytest.mark.parametrize(
    "arguments",
    [("run", "mine.toml", "--out", "out", *SHORT), ("run", "nosuch"), ("--help",)],
)
def test_it_prints_and_ends_in_the_same_way(
    arguments: tuple[str, ...], forked: Forked, tmp_path: Path
) -> None:
    found = []
    environment = {**os.environ, "COLUMNS": "77"}
    for name in ("forked", "started"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "mine.toml").write_text('base = "tiny"\n')
        if name == "forked":
            done = forked.run(arguments, cwd=folder, env=environment)
        else:
            done = subprocess.run(
                [Path(sys.executable).parent / "wordline", *arguments],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
        files = sorted(file.name for file in folder.rglob("*"))
        # the time that the run took is that of the machine
        printed = [line for line in done.stdout.splitlines() if '"run.' not in line]
        found.append((done.returncode, printed, done.stderr, files))
    assert found[0] == found[1]


def test_one_command_leaves_the_next_alone(forked: Forked, tmp_path: Path) -> None:
    here = Path.cwd()
    first = forked.run(["run", "tiny", *SHORT], cwd=tmp_path, env={**os.environ, "COLUMNS": "40"})
    assert first.returncode == 0
    assert Path.cwd() == here
    assert forked.run(["run"]).returncode == 2
    assert forked.run(["presets"]).returncode == 0
