"""Runs cases in a process of their own, which a case may break."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from select import select
from types import TracebackType
from typing import IO, Self

from configurations.case import Case
from configurations.judge import SECONDS, Verdict

MOST_BYTES = 3 << 30
"""Memory that a run of a small drive may take."""
MOST_SECONDS = 200.0
"""Wall-clock time after which a process that uses no CPU time counts as stuck."""
LOOK = 0.2
"""Seconds between two looks at the memory of the process."""


class Runner:
    """A process that judges cases; another one takes over where it was ended."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        """Where the files of the current case are."""
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._end()

    def judge(self, case: Case) -> Verdict:
        """What becomes of a case; that it ended the process is a finding."""
        process = self._process = self._process or self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        asked = {"case": asdict(case), "folder": str(self.folder)}
        process.stdin.write(json.dumps(asked) + "\n")
        process.stdin.flush()
        if killed := watch(process.pid, process.stdout):
            self._end()
            return failed(case, killed)
        answer = process.stdout.readline()
        if not answer:
            status = process.wait()
            self._end()
            return failed(case, ended(status))
        verdict = json.loads(answer)
        return Verdict(**verdict | {"case": Case(**verdict["case"])})

    def _started(self) -> subprocess.Popen[str]:
        tests = Path(__file__).parents[1]
        return subprocess.Popen(
            [sys.executable, "-m", "configurations.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(tests), "POLARS_MAX_THREADS": "1"},
            text=True,
            encoding="utf-8",
        )

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


def watch(process: int, answers: IO[str]) -> str:
    """Wait for an answer or the end of a process; why it is to be killed, if it is."""
    latest = time.monotonic() + MOST_SECONDS
    while not select([answers], [], [], LOOK)[0]:
        if time.monotonic() > latest:
            return f"hang: no answer within {MOST_SECONDS:.0f} s"
        if (taken := memory(process)) > MOST_BYTES:
            return f"memory: {taken / 1e9:.1f} GB"
    return ""


def memory(process: int) -> int:
    """Resident bytes of a process; 0 where the system does not tell."""
    try:
        pages = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def ended(status: int) -> str:
    """What it means that the process ended."""
    if -status == signal.SIGXCPU:
        return f"hang: more than {SECONDS:.0f} CPU seconds"
    return f"abort: the process ended with status {status}"


def failed(case: Case, finding: str) -> Verdict:
    """The verdict on a case that ended the process. What was asked stands for what ran: it may have been repaired."""
    return Verdict(case, [finding], has_run=False, refusals=[])
