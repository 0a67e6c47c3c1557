"""What tests of live drives share: a server in a process of its own, and clients that speak NBD."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

WORDLINE = [sys.executable, "-m", "wordline.cli"]
LONG = 120
"""Seconds that nothing here takes on the slowest machine."""


def needs(*programs: str) -> pytest.MarkDecorator:
    """Skips a test where a client is not installed."""
    missing = [program for program in programs if shutil.which(program) is None]
    packages = "fio nbdkit libnbd-bin nbdfuse python3-libnbd qemu-utils qemu-system-x86 fuse2fs rocksdb-tools"
    reason = f"no {', '.join(missing)}: apt-get install {packages}"
    return pytest.mark.skipif(bool(missing), reason=reason)


@dataclass
class Served:
    """A drive that is served."""

    process: subprocess.Popen[str]
    socket: Path

    @property
    def uri(self) -> str:
        """Where it is."""
        return f"nbd+unix:///?socket={self.socket}"

    def live(self, *arguments: object) -> Any:
        """Asks it something over its control socket."""
        return json.loads(run([*WORDLINE, "live", self.socket, *arguments]).stdout)

    def stop(self, number: signal.Signals = signal.SIGINT) -> dict[str, Any]:
        """Ends it; its summary."""
        self.process.send_signal(number)
        stdout, stderr = self.process.communicate(timeout=LONG)
        assert self.process.returncode == 0, stderr
        found: dict[str, Any] = json.loads(stdout)
        return found


@contextmanager
def served(folder: Path, drive: str, *options: object, pace: str = "virtual") -> Iterator[Served]:
    """Serves a drive while the block lasts."""
    place = folder / "drive.sock"
    command = [*WORDLINE, "serve", drive, "--json", "--socket", place, "--pace", pace, *options]
    process = subprocess.Popen(
        [*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder
    )
    try:
        end = time.monotonic() + LONG
        while not listens(place):
            assert process.poll() is None, process.communicate()[1]
            assert time.monotonic() < end
            time.sleep(0.02)
        yield Served(process, place)
    finally:
        process.kill()
        process.communicate()


def listens(place: Path) -> bool:
    """Whether a server is there and at work; a socket that one has left is none, and before it is at work Ctrl-C leaves no result."""
    with suppress(OSError), raw(place) as stream:
        return stream.recv(8) == b"NBDMAGIC"
    return False


def run(
    command: Sequence[object], status: int = 0, timeout: float = LONG, **more: Any
) -> subprocess.CompletedProcess[str]:
    """Runs a program, which ends with this status."""
    environment = {**os.environ, **more.pop("env", {})}
    done = subprocess.run(
        [*map(str, command)],
        capture_output=True,
        text=True,
        timeout=timeout,
        env=environment,
        **more,
    )
    assert done.returncode == status, (done.stdout, done.stderr)
    return done


def refused(folder: Path, *options: object) -> str:
    """What `wordline serve tiny` says that it does not accept."""
    command = [*WORDLINE, "serve", "tiny", "--socket", folder / "refused.sock", *options]
    return run(command, status=2).stderr


def raw(place: Path) -> socket.socket:
    """A connection that says whatever it likes."""
    stream = socket.socket(socket.AF_UNIX)
    stream.settimeout(LONG)
    try:
        stream.connect(str(place))
    except OSError:
        stream.close()
        raise
    return stream
