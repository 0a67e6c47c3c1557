"""Progress: what is going on is shown, on a terminal and in a notebook, and nowhere else."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from types import SimpleNamespace
from typing import Any

import pytest

import wordline as wl
from wordline import progress
from wordline.progress import SIMULATING, in_notebook, lifetime_bar, progress_bar, seeds_bar
from wordline.simulation import configuration

OVERWRITTEN = {"age.method": "overwritten", "age.random_factor": 400.0}


def test_a_run_says_what_it_is_doing() -> None:
    seen: list[tuple[str, float]] = []

    def report(phase: str, share: float, requests: int, _: float) -> bool:
        assert requests == 0 or phase == SIMULATING
        seen.append((phase, share))
        return True

    drive = wl.Drive.from_toml("tiny", **OVERWRITTEN, **{"workload.requests": 1_000_000})
    wl._wordline.simulate(configuration(drive, None), False, report)
    assert list(dict.fromkeys(phase for phase, _ in seen)) == ["ageing the drive", SIMULATING]
    for phase in ("ageing the drive", SIMULATING):
        shares = [share for name, share in seen if name == phase]
        assert shares == sorted(shares)
        assert 0 < shares[-1] <= 1


def test_a_lifetime_study_says_that_its_drive_ages() -> None:
    seen: list[str] = []
    drive = wl.Drive.from_toml("tiny", **OVERWRITTEN)
    asked = wl.LifetimeStudy(horizon=30 * 86_400.0)

    def report(phase: str, *_: float) -> bool:
        seen.append(phase)
        return True

    from wordline.lifetimes import study

    study(configuration(drive, None), asked, wl.LifetimeFiles(), report)
    assert seen[0] == "ageing the drive"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_the_bar_on_a_terminal() -> None:
    import pty

    ours, theirs = pty.openpty()
    settings = [f"--set={key}={value}" for key, value in OVERWRITTEN.items()]
    command = [sys.executable, "-m", "wordline.cli", "run", "tiny", *settings]
    with subprocess.Popen(
        [*command, "--set", "workload.requests=300_000"],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    ) as process:
        os.close(theirs)
        shown = b""
        while chunk := read(ours):
            shown += chunk
        assert process.wait() == 0
    os.close(ours)
    text = shown.decode(errors="replace")
    assert text.index("ageing the drive") < text.index(SIMULATING)
    assert "requests" in text


def read(terminal: int) -> bytes:
    """What a pseudo-terminal has to say; nothing once the other side is closed."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


class Handle:
    """Stands for a display that can be changed."""

    def __init__(self, shown: list[str]) -> None:
        self.shown = shown

    def update(self, content: dict[str, str], *, raw: bool) -> None:
        assert raw
        self.shown.append(content["text/plain"])


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a notebook shows, one text after the other in the same place."""
    texts: list[str] = []

    def display(content: dict[str, str], *, raw: bool, display_id: bool) -> Handle:
        assert raw
        assert display_id
        assert not texts, "a second line"
        texts.append(content["text/plain"])
        return Handle(texts)

    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    monkeypatch.setattr(progress, "PACE", 0.01)
    return texts


def test_a_notebook_shows_one_line_that_goes_away(shown: list[str]) -> None:
    assert in_notebook()
    with progress_bar(shown=True) as report:
        assert report
        for phase, share in (("ageing the drive", 0.5), (SIMULATING, 0.0), (SIMULATING, 0.25)):
            time.sleep(0.02)
            report(phase, share, 1_000, 0.5)
            report(phase, share, 2_000, 0.5)  # too soon
    assert shown == [
        "ageing the drive 50 %",
        "simulating, 1,000 requests, 0.5 s simulated",
        "simulating 25 %, 1,000 requests, 0.5 s simulated",
        "",
    ]


def test_what_ends_at_once_shows_nothing(shown: list[str]) -> None:
    with lifetime_bar(shown=True) as report:
        assert report
        report("years", 1.0, 100)
    assert shown == []


def test_seeds_share_a_line(shown: list[str]) -> None:
    with seeds_bar(4, shown=True) as report_of:
        for number, phase in ((0, SIMULATING), (1, "ageing the drive")):
            report = report_of(number)
            assert report
            time.sleep(0.02)
            report(phase, 0.5, 10, 1.0)
    assert shown == ["simulating (4 seeds) 12 %, 1 s simulated"] * 2 + [""]


def test_nobody_sees_it_elsewhere(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    assert not in_notebook()
    with progress_bar(shown=True) as report:
        assert report is None
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert not in_notebook()  # IPython is loaded, but no notebook runs
    assert capsys.readouterr() == ("", "")
