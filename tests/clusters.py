"""Real Dask schedulers and workers for tests, each in a process of its own; and jobs that end their process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).parent
PATIENCE_S = 60.0


@dataclass
class Processes:
    """A scheduler and its workers."""

    directory: Path
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, module: str, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start a command of Dask."""
        command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
        # workers import the jobs of tests
        paths = {"PYTHONPATH": str(TESTS), **environment}
        process = subprocess.Popen(
            command,
            env=os.environ | paths,
            cwd=self.directory,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # a group of its own, for its end
            start_new_session=True,
        )
        self.running.append(process)
        return process

    @property
    def file(self) -> Path:
        """Where the scheduler writes its address."""
        return self.directory / "scheduler.json"

    def scheduler(self) -> str:
        """Start a scheduler; its address."""
        self.start(
            "dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(self.file)
        )
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            try:
                address: str = json.loads(self.file.read_text())["address"]
            except (OSError, ValueError):
                time.sleep(0.05)
            else:
                return address
        raise AssertionError("the scheduler did not start")

    def worker(self, *options: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start a worker with one thread."""
        common = ("--scheduler-file", str(self.file), "--nthreads", "1", "--no-dashboard")
        return self.start("dask_worker", *common, "--memory-limit", "0", *options, **environment)

    def close(self) -> None:
        """End what was started, and what that started."""
        for process in self.running:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        for process in self.running:
            process.wait()


@contextmanager
def processes(directory: Path) -> Iterator[Processes]:
    """A scheduler and workers that end with the block."""
    found = Processes(directory)
    try:
        yield found
    finally:
        found.close()


@dataclass(frozen=True)
class Ending:
    """A job that ends the process that it runs in, or gives its number."""

    number: int
    is_poison: bool
    label: str = "a job"
    files: tuple[()] = ()

    def run(
        self, goes_on: Callable[[], bool], places: Mapping[str, Path] | None = None
    ) -> int | str:
        if self.is_poison:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.05)
        return self.number

    def lost(self, text: str) -> int | str:
        return text


@dataclass(frozen=True)
class Waiting:
    """A job that takes its time, and says so in a file."""

    number: int
    started: Path
    label: str = "a job"
    files: tuple[()] = ()

    def run(self, goes_on: Callable[[], bool], places: Mapping[str, Path] | None = None) -> int:
        self.started.write_text(str(os.getpid()))
        for _ in range(10):
            if not goes_on():
                raise KeyboardInterrupt
            time.sleep(0.1)
        return self.number

    def lost(self, text: str) -> int:
        raise AssertionError(text)
