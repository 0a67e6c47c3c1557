"""A drive that is served: until it is stopped, with results at any time."""

from __future__ import annotations

import json
import os
import socket as sockets
import sys
from collections.abc import Mapping
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any

from wordline import _wordline
from wordline.errors import ConfigError, OutputError, WordlineError
from wordline.outputs import refuse_unwritable
from wordline.progress import Report
from wordline.results import Result
from wordline.saving import ResultDirectory

UNITS = {"": 1, "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}

LATE = 0.05
"""Share of late answers from which on the figures are the machine's."""


class Serving:
    """A drive that clients can come to, and what becomes of what they did."""

    def __init__(
        self,
        resolved: _wordline.Resolved,
        options: Mapping[str, Any],
        progress: Report | None = None,
    ) -> None:
        """Ages the drive, which `progress` is told of, and listens; clients are heard in `until_stopped`.

        Raises:
            ConfigError: an option or key that does not go with it.
            OutputError: a socket or file that is taken, or refused by the machine.
            KeyboardInterrupt: Ctrl-C while the drive was aged.
        """
        self.resolved = resolved
        self.live = _wordline.Live(resolved, dict(options), progress)

    @property
    def address(self) -> str:
        """Where clients come in: a path, or HOST:PORT."""
        return self.live.address

    @property
    def uri(self) -> str:
        """The same as clients of NBD want it."""
        if "/" in self.address or ":" not in self.address:
            return f"nbd+unix:///?socket={self.address}"
        return f"nbd://{self.address}"

    @property
    def size(self) -> int:
        """Bytes that are exported."""
        return self.live.size

    def until_stopped(
        self, *, save_state: str | PathLike[str] | None = None, out: Path | None = None
    ) -> tuple[Result, dict[str, Any]]:
        """Serve until Ctrl-C, SIGTERM or `wordline live SOCKET stop`; the result, and the last status.

        A second Ctrl-C while the results are written gives them up.
        """
        self.serve()
        status: dict[str, Any] = json.loads(self.live.status())
        result = self.result(self.live.finish(save_state))
        if out:
            publish(result, out)
        return result, status

    def serve(self) -> None:
        """Serve until Ctrl-C or a request to stop, both of which are the usual end."""
        copy: _wordline.Asked | None = None
        copies: list[int] = []

        def look(what: object) -> bool:
            nonlocal copy
            copies[:] = [pid for pid in copies if os.waitpid(pid, os.WNOHANG)[0] == 0]
            if isinstance(what, _wordline.Asked):
                # a copy of the process completes what is under way and writes; the drive itself goes on
                sys.stdout.flush()
                sys.stderr.flush()
                pid = os.fork()
                if pid == 0:
                    copy = what
                    return False
                copies.append(pid)
            return True

        with suppress(KeyboardInterrupt):
            self.live.serve(look)
        if copy is not None:
            self.answer(copy)
        for pid in copies:
            os.waitpid(pid, 0)

    def result(self, output: _wordline.Output) -> Result:
        """What the drive measured, as the result of a run."""
        return Result(output, self.resolved.toml, tuple(self.resolved.warnings))

    def answer(self, asked: _wordline.Asked) -> None:
        """Write what was asked for and answer, in a copy of the process, which ends here."""
        status = 1
        try:
            asker = self.live.asker(asked)
            line = json.dumps(self.written(asked)) + "\n"
            if asker is not None:
                os.write(asker, line.encode())
            status = 0
        finally:
            os._exit(status)

    def written(self, asked: _wordline.Asked) -> dict[str, Any]:
        """Write what was asked for; what to answer."""
        target = Path(asked.to)
        try:
            if asked.what == "report":
                result = self.result(self.live.finish(copied=True))
                publish(result, target)
                return {"report": str(target)}
            refuse_unwritable(target)
            data = Path(f"{target}.data")
            self.live.finish(target, data, copied=True)
            return {"save": str(target), "data": str(data)}
        except WordlineError as error:
            return {"error": str(error)}


def publish(result: Result, out: Path) -> None:
    """Write a result into a directory.

    Raises:
        OutputError: it cannot be written.
    """
    with ResultDirectory(out, result.config) as directory:
        directory.publish(result)


def figures_of_the_machine(status: Mapping[str, Any], slow: float) -> list[str]:
    """What is to be said of answers that were late, if anything, with a second of the drive in `slow` of the machine."""
    late = status["late"]
    share = late["share"]
    if not late["is_paced"] or share is None:
        return []
    words = f"{share:.1%} of the answers were late by more than {LATE:.0%} of their response times"
    if share <= LATE:
        return [f"info: {words}"]
    return [
        f"warning: {words}: what clients measured is the machine's, not the drive's; --slow {10 * slow:g} gives the machine ten times as long"
    ]


def size_of(text: str | None) -> int | None:
    """Bytes of a size as it is written: 512, 64MiB, 2GB.

    Raises:
        ConfigError: it is none.
    """
    if text is None:
        return None
    number = text.rstrip("BiKkMGT").strip()
    unit = text[len(text.rstrip("BiKkMGT")) :]
    if not number.isascii() or not number.isdigit() or unit not in UNITS:
        raise ConfigError(f"--size {text}: accepted are bytes, as 512, 64MiB or 2GB")
    return int(number) * UNITS[unit]


def ask(path: str, what: str, to: str | None) -> str:
    """Ask a drive that is served something; its answer, a line of JSON.

    Raises:
        ConfigError: it is not understood.
        OutputError: nobody is there, or it could not be done.
    """
    wants: dict[str, str | None] = {
        "status": None,
        "report": "to",
        "save": "to",
        "cut": None,
        "heat": "celsius",
    }
    wants |= {"mark": "text", "stop": None}
    if what not in wants:
        raise ConfigError(f"{what}: accepted are {', '.join([*wants, 'watch'])}")
    key = wants[what]
    if (key is None) != (to is None):
        raise ConfigError(
            f"{what}: it takes nothing behind it"
            if key is None
            else f"{what}: accepted with a {key} behind it"
        )
    question: dict[str, Any] = {"do": what}
    if key == "to" and to is not None:
        question[key] = str(Path(to).absolute())
    elif key == "text":
        question[key] = to
    elif key == "celsius" and to is not None:
        try:
            question[key] = float(to)
        except ValueError as error:
            raise ConfigError(f"heat {to}: accepted are degrees Celsius, as 55") from error
    answer = exchanged(path, json.dumps(question))
    try:
        complaint = json.loads(answer).get("error")
    except (ValueError, AttributeError) as error:
        raise OutputError(
            f"{path}: what answers there is no control socket; a drive has it where `wordline serve --control` says"
        ) from error
    if complaint:
        raise OutputError(f"{what}: {complaint}")
    return answer


def watched(path: str, to: str | None) -> None:
    """Show a drive that is served on a page, once a second or every `to` seconds, until somebody has seen enough or the drive is not served any more.

    Raises:
        ConfigError: no number of seconds.
        OutputError: nobody is there.
    """
    from wordline.terminal.watching import watch

    seconds = 1.0
    if to is not None:
        try:
            seconds = float(to)
        except ValueError:
            seconds = 0.0
        if not 0.1 <= seconds <= 3600:
            raise ConfigError(f"watch {to}: accepted are seconds from 0.1 to 3600, as 5")
    asked = 0

    def look() -> dict[str, Any] | None:
        nonlocal asked
        try:
            status: dict[str, Any] = json.loads(ask(path, "status", None))
        except OutputError:
            if asked == 0:
                raise
            return None
        asked += 1
        return status

    with suppress(KeyboardInterrupt):
        watch(look, seconds)


def exchanged(path: str, line: str) -> str:
    """Send a line to a control socket; the line that comes back.

    Raises:
        OutputError: nobody answers.
    """
    places = [path, f"{path}.control"]
    place = next((place for place in reversed(places) if Path(place).is_socket()), None)
    try:
        if place is None:
            host, colon, port = path.rpartition(":")
            if not colon or not port.isdigit():
                raise FileNotFoundError(2, "no socket is there", path)
            stream = sockets.create_connection((host, int(port)))
        else:
            stream = sockets.socket(sockets.AF_UNIX)
            stream.connect(place)
        with stream, stream.makefile("rw", encoding="utf-8", errors="replace") as both:
            both.write(line + "\n")
            both.flush()
            answer = both.readline()
    except OSError as error:
        raise OutputError(
            f"{path}: {error.strerror or error}; is `wordline serve` there? It opens its sockets once the drive is aged"
        ) from error
    if not answer:
        raise OutputError(f"{path}: the server has ended without an answer")
    return answer.strip()
