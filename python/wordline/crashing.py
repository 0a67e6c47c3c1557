"""Crash tests: a program works on a drive, and images of what power cuts leave are checked."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wordline import _wordline
from wordline.errors import ConfigError, OutputError
from wordline.live import Serving

KEPT_IMAGES = 10
"""Images of cuts that failed, of which no more are kept."""
STANDARD_ERROR = 2
CHECK_SECONDS = 300
"""After which a check counts as failed."""


@dataclass(frozen=True)
class Cut:
    """A power cut, and what the check said of its image."""

    event: int
    at_s: float
    torn: int
    reverted: int
    marks: int
    passed: bool
    said: str = ""


@dataclass
class Crashes:
    """All cuts of a stream."""

    events: int
    requests: int
    seed: int
    cuts: list[Cut] = field(default_factory=list)
    is_interrupted: bool = False

    @property
    def failed(self) -> list[Cut]:
        """Those whose images the check did not pass."""
        return [cut for cut in self.cuts if not cut.passed]

    def as_dict(self) -> dict[str, Any]:
        """Figures for a program."""
        return {
            "events": self.events,
            "requests": self.requests,
            "seed": self.seed,
            "cuts": len(self.cuts),
            "torn": sum(cut.torn > 0 for cut in self.cuts),
            "failed": len(self.failed),
            "failures": [
                {"event": cut.event, "at_s": cut.at_s, "marks": cut.marks, "said": cut.said}
                for cut in self.failed
            ],
            "interrupted": self.is_interrupted,
        }


def recorded(
    resolved: _wordline.Resolved, command: str, *, size: int | None, lies: bool, seed: int
) -> _wordline.Stream:
    """Run a program with a drive; what it asked of the drive.

    The program finds the drive by `$NBD_URI` and `$NBD_SOCKET`, and says what it knows with `wordline live "$NBD_SOCKET" mark TEXT`.

    Raises:
        OutputError: it failed.
    """
    with tempfile.TemporaryDirectory(prefix="wordline-") as folder:
        place = Path(folder) / "drive.sock"
        options = {
            "name": "crash-test",
            "description": "crash-test",
            "socket": str(place),
            "control": f"{place}.control",
            "anyone": False,
            "read_only": False,
            "size": size,
            "data": None,
            "trace": None,
            "slow": None,
            "power_cuts": False,
            "keeps_stream": True,
            "cuts": [],
            "lies_about_flush": lies,
            "seed": seed,
        }
        serving = Serving(resolved, options)
        failures: list[BaseException] = []
        is_over = threading.Event()

        def serve() -> None:
            try:
                serving.live.serve(lambda _: not is_over.is_set())
            except BaseException as error:  # told by the thread that waits
                failures.append(error)

        server = threading.Thread(target=serve, daemon=True)
        server.start()
        try:
            environment = {**os.environ, "NBD_URI": serving.uri, "NBD_SOCKET": str(place)}
            status = program(command, environment)
        finally:
            is_over.set()
            server.join()
        if failures:
            raise failures[0]
        if status != 0:
            raise OutputError(
                f"--command ended with status {status}, so there is nothing to cut; it finds the drive by $NBD_URI"
            )
        return serving.live.take_stream()


def program(command: str, environment: Mapping[str, str]) -> int:
    """Run a command of the shell; its status. What it has started and left ends with it, as it does after Ctrl-C."""
    with subprocess.Popen(
        ["sh", "-c", command],
        env=dict(environment),
        start_new_session=True,
        stdout=STANDARD_ERROR,  # standard output is for the figures
    ) as process:
        try:
            return process.wait()
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)


def crash(
    resolved: _wordline.Resolved,
    stream: _wordline.Stream,
    check: str,
    *,
    events: Sequence[int],
    cuts: int,
    during: str | None,
    again: bool,
    seed: int,
    keep: Path | None,
    progress: Callable[[Cut], None] = lambda _: None,
) -> Crashes:
    """Cut the power of a drive that is asked the same again, at drawn events or those that are named, and check every image.

    `during` has events drawn at which collection or a flush is under way.

    Ctrl-C ends it with the cuts so far.

    Raises:
        ConfigError: keys that do not go with power cuts, a stream without events.
    """
    with tempfile.TemporaryDirectory(prefix="wordline-", dir=memory()) as folder:
        image = Path(folder) / "image"
        marks = Path(folder) / "marks"
        count, among = stream.events(resolved, during)
        if count == 0:
            raise ConfigError(
                "--command: it asked nothing of the drive, so there is nothing to cut"
            )
        if during and not among:
            raise ConfigError(
                f"--during {during}: none of the {count:,} events is; accepted is a command that "
                + ("flushes" if during == "flush" else "writes until the drive collects")
            )
        if events:
            wanted = sorted(events)
        elif during:
            wanted = [among[place - 1] for place in _wordline.drawn_events(len(among), cuts, seed)]
        else:
            wanted = _wordline.drawn_events(count, cuts, seed)
        beyond = [event for event in wanted if not 1 <= event <= count]
        if beyond:
            raise ConfigError(
                f"--event {beyond[0]}: accepted are the events of the stream, 1 to {count}"
            )
        found = Crashes(count, stream.requests, seed)

        def see(event: int, text: str) -> bool:
            report = json.loads(text)
            marks.write_text("".join(f"{mark}\n" for mark in stream.marks(report["marks"])))
            passed, said = checked(check, image, marks)
            cut = Cut(
                event,
                report["at_s"],
                report["torn_programs"] + report["torn_erases"],
                report["pages_reverted"],
                report["marks"],
                passed,
                said,
            )
            found.cuts.append(cut)
            if not passed and keep and len(found.failed) <= KEPT_IMAGES:
                keep.mkdir(parents=True, exist_ok=True)
                run(["cp", "--sparse=always", str(image), str(keep / f"event-{event}.img")])
                shutil.copy(marks, keep / f"event-{event}.marks")
            progress(cut)
            return True

        try:
            stream.crash(resolved, (wanted, again, seed), image, see)
        except KeyboardInterrupt:
            found.is_interrupted = True
        return found


def run(command: list[str]) -> None:
    """Run a program that is to succeed.

    Raises:
        OutputError: it does not.
    """
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OutputError(f"{shlex.join(command)}: {done.stderr.strip()}")


def checked(check: str, image: Path, marks: Path) -> tuple[bool, str]:
    """Whether a check passes an image, and the last that it said."""
    environment = {**os.environ, "IMAGE": str(image), "MARKS": str(marks)}
    try:
        done = subprocess.run(
            ["sh", "-c", check],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=CHECK_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False, f"it did not end within {CHECK_SECONDS} s"
    said = done.stdout.decode(errors="replace").strip().splitlines()
    return done.returncode == 0, f"status {done.returncode}: {' | '.join(said[-3:])}"


def memory() -> Path | None:
    """A folder in memory, for images that live for a moment; none where the machine has none with room."""
    place = Path("/dev/shm")
    if os.access(place, os.W_OK) and shutil.disk_usage(place).free > 2 << 30:
        return place
    return None
