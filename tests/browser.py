"""A headless Chromium, driven over its DevTools protocol.

`--remote-debugging-pipe` speaks the protocol over two file descriptors, so that nothing but the browser
is needed: no driver, no web socket, no port.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
MISSING = "needs Chromium (Debian: apt-get install chromium)"
PATIENCE_S = 60.0
FOR_BROWSER, FROM_BROWSER = 3, 4
"""The file descriptors that the browser reads and writes."""


class Browser:
    """A page in a browser that was started for it."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self._seen: set[str] = set()
        self.complaints: list[str] = []
        """Errors and warnings on the console, and exceptions that nobody caught."""
        self.loaded: list[str] = []
        """Addresses that the page asked for."""

    def open(self, file: Path) -> None:
        """Open a page and wait until it is loaded."""
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self._ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._ask(f"{domain}.enable")
        self._ask("Page.navigate", url=file.as_uri())
        self.wait_for("document.readyState == 'complete'")

    def evaluate(self, script: str) -> Any:
        """What an expression of JavaScript gives."""
        answer = self._ask(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait_for(self, condition: str) -> None:
        """Wait until an expression of JavaScript holds."""
        end = time.monotonic() + PATIENCE_S
        while not self.evaluate(condition):
            assert time.monotonic() < end, f"never came true: {condition}"
            time.sleep(0.05)

    def click(self, selector: str, index: int = 0) -> None:
        """Click the middle of an element that a selector finds, as a mouse does."""
        x, y = self._middle(selector, index)
        self._mouse("mouseMoved", x, y)
        self._mouse("mousePressed", x, y, held=True)
        self._mouse("mouseReleased", x, y, held=True)

    def drag(self, selector: str, right: float) -> None:
        """Drag the first element that a selector finds to the right."""
        x, y = self._middle(selector, 0)
        self._mouse("mouseMoved", x, y)
        self._mouse("mousePressed", x, y, held=True)
        for step in range(1, 11):
            self._mouse("mouseMoved", x + right * step / 10, y, held=True)
        self._mouse("mouseReleased", x + right, y, held=True)

    def resize(self, width: int, height: int) -> None:
        """Give the window another size."""
        self._ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def prefer(self, scheme: str) -> None:
        """Let the reader prefer `light` or `dark` pages."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._ask("Emulation.setEmulatedMedia", features=features)

    def _middle(self, selector: str, index: int) -> tuple[float, float]:
        x, y = self.evaluate(
            f"(() => {{ const e = document.querySelectorAll({json.dumps(selector)})[{index}];"
            "e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
            "return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        return x, y

    def _mouse(self, kind: str, x: float, y: float, *, held: bool = False) -> None:
        self._ask(
            "Input.dispatchMouseEvent",
            type=kind,
            x=x,
            y=y,
            button="left" if held else "none",
            buttons=int(held),
            clickCount=int(kind != "mouseMoved"),
        )

    def _ask(self, method: str, **parameters: object) -> dict[str, Any]:
        self._number += 1
        message: dict[str, object] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        text = json.dumps(message).encode() + b"\0"
        while text:
            text = text[os.write(self._commands, text) :]
        end = time.monotonic() + PATIENCE_S
        while True:
            answer = self._next(end)
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                result: dict[str, Any] = answer["result"]
                return result
            self._note(answer)

    def _next(self, end: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], max(end - time.monotonic(), 0))
            assert ready, "the browser does not answer"
            got = os.read(self._answers, 1 << 20)
            assert got, "the browser has gone"
            self._buffer += got
        message, _, self._buffer = self._buffer.partition(b"\0")
        answer: dict[str, Any] = json.loads(message)
        return answer

    def _note(self, event: dict[str, Any]) -> None:
        parameters = event.get("params", {})
        match event.get("method"):
            case "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(parameters["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if parameters["type"] in ("error", "warning", "assert"):
                self.complaints.append(json.dumps(parameters["args"]))
            case "Log.entryAdded" if parameters["entry"]["level"] in ("error", "warning"):
                self.complaints.append(parameters["entry"]["text"])
            case "Network.requestWillBeSent":
                self.loaded.append(parameters["request"]["url"])


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """Start a browser with a profile directory of its own; end it afterwards."""
    assert CHROMIUM is not None
    # beyond the two numbers that the browser expects, so that none of them is taken
    pipes = [end for pipe in (os.pipe(), os.pipe()) for end in pipe]
    reads, commands, answers, writes = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in pipes]
    for end in pipes:  # one that stays open would keep the browser waiting for more
        os.close(end)

    def numbered() -> None:
        os.dup2(reads, FOR_BROWSER)
        os.dup2(writes, FROM_BROWSER)

    process = subprocess.Popen(
        [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--remote-debugging-pipe",
            "--window-size=1200,1000",
            f"--user-data-dir={profile}",
        ],
        preexec_fn=numbered,
        pass_fds=(FOR_BROWSER, FROM_BROWSER),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(reads)
    os.close(writes)
    try:
        yield Browser(commands, answers)
    finally:
        os.close(commands)  # the browser ends when nobody speaks to it
        try:
            process.wait(timeout=200)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
        with suppress(OSError):
            os.close(answers)
