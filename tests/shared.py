"""What the tests of the Python packages share; the fixtures come by the `conftest.py` of the repository."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import settings

import wordline as wl
from forked import Forked
from report_reader import Page
from wordline import studies
from wordline.report import render

# A shell starts what it puts into the background with Ctrl-C ignored, and whoever is started by it inherits that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("fast", max_examples=50, deadline=None, derandomize=True)
settings.register_profile("long", max_examples=5_000, deadline=None)
settings.load_profile(os.environ.get("WORDLINE_HYPOTHESIS", "fast"))

ROOT = Path(__file__).parents[1]
"""The repository."""
CHAPTERS = ROOT / "docs" / "studies"
"""What the studies wrote, as it is committed."""
SMALL = {"workload.requests": 3_000}
"""Overrides that keep a run of the `tiny` preset well below a second."""

Command: TypeAlias = Callable[..., subprocess.CompletedProcess[str]]
Printed: TypeAlias = Callable[..., list[list[str]]]


def wordline(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command line in a forked process, or in one that is started for it where more is asked for."""
    if options.keys() <= {"cwd", "env"}:
        return forked().run([str(argument) for argument in arguments], **options)
    command = [sys.executable, "-m", "wordline.cli", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=1200, check=False, **options
    )


def refused(*arguments: object, cwd: Path | None = None) -> str:
    """Run a command that must be refused; what it said."""
    done = wordline(*arguments, cwd=cwd)
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    said = done.stderr.strip()
    assert said.startswith("error: ")
    assert len(said.splitlines()) == 1, said
    return said


@cache
def forked() -> Forked:
    """The process that forks commands."""
    return Forked()


def pytest_sessionfinish() -> None:
    """End it."""
    if forked.cache_info().currsize:
        forked().close()


def small_run(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """`wordline run tiny`, with few requests."""
    overrides = [part for key, value in SMALL.items() for part in ("--set", f"{key}={value}")]
    return wordline("run", "tiny", *overrides, *arguments, **options)


def reproducible(summary: str) -> dict[str, Any]:
    """A summary without the figures that depend on the machine."""
    return {key: value for key, value in json.loads(summary).items() if not key.startswith("run.")}


@pytest.fixture(scope="session")
def result() -> wl.Result:
    """A small run, audited."""
    recorded = {"output.attribution": True, "output.timeline": True}
    drive = wl.Drive.from_toml("tiny", **SMALL, **recorded)
    return wl.simulate(drive, audit=True)


@pytest.fixture(scope="session")
def saved(result: wl.Result, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a small run."""
    return result.save(tmp_path_factory.mktemp("results") / "small")


@pytest.fixture(scope="session")
def whole() -> wl.Result:
    """A small run of which every span and every request is recorded, in more windows than a chart has points."""
    drive = wl.Drive.from_toml(
        "tiny",
        **SMALL,
        **{"workload.trim_fraction": 0.02, "seed": 8},
        output={
            "attribution": True,
            "timeline": True,
            "timeline_from": "0 s",
            "timeline_to": "10 s",
            "timeline_spans": 100_000,
            "window": "0.5 ms",
        },
    )
    return wl.simulate(drive, progress=False)


@pytest.fixture(scope="session")
def page(whole: wl.Result) -> Page:
    """The report of that run."""
    return Page(render(whole))


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    """What a function prints: the cells of each line."""

    def call(function: Callable[..., None], *arguments: object) -> list[list[str]]:
        function(*arguments)
        lines = capsys.readouterr().out.splitlines()
        return [re.split(r" {2,}", line.strip()) for line in lines if line.strip()]

    return call


@pytest.fixture
def only_mini(monkeypatch: pytest.MonkeyPatch) -> None:
    """The small study, in the place of those that are installed."""
    mini = EntryPoint("mini", "small_study:STUDY", studies.GROUP)
    monkeypatch.setattr(studies, "offered", lambda: {"mini": mini})
