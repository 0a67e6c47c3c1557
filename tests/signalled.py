"""Commands that are sent a signal while they run."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path


def started(folder: Path) -> bool:
    """Whether a run has made its directory."""
    return any(folder.iterdir())


def stopped(
    *arguments: object,
    folder: Path,
    number: signal.Signals = signal.SIGINT,
    when: Callable[[Path], bool] = started,
    after: float = 1.0,
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder and send it a signal some time after it has come so far."""
    command = [sys.executable, "-m", "wordline.cli", *map(str, arguments)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder
    ) as process:
        while not when(folder) and process.poll() is None:
            time.sleep(0.02)
        time.sleep(after)
        process.send_signal(number)
        output, complaint = process.communicate(timeout=600)
    return subprocess.CompletedProcess(command, process.returncode, output, complaint)
