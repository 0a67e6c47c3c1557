"""The code blocks of documentation pages, and how they are run.

The blocks of a page build on each other: they share a directory and, in Python, a namespace. That is why a page is
run as a whole here, and not block by block as the pytest plugins for documentation do.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import wordline as wl

BLOCK = re.compile(
    r"(?:^<!-- (?P<marker>not run|slow): (?P<reason>[^\n]+) -->\n\n?)?"
    r"^```(?P<language>\w+)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
"""A fenced block, with a comment in front of it that says why it is not run, or only with the slow tests."""

SHOWN = {"text", "ini", "py"}
"""Languages of blocks that show something and run nothing; `py` is the signatures of the reference."""

OF_PACKAGES = {"docs/explanations/fscale.md"}
"""Pages of packages beside the product: their tests run the blocks and look the keys up."""

LIMIT = 1200
"""Seconds after which the commands of a block are taken to hang, on a machine with much else to do."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    title: str | None
    """The file that the block is the text of: it is written, and used by other blocks."""
    text: str
    line: int
    """The line of its first line of text, counted from 1."""
    marker: str | None
    """`not run`, `slow`, or none."""


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a page, in order."""
    for found in BLOCK.finditer(text):
        yield Block(
            language=found["language"],
            title=found["title"],
            text=found["text"],
            line=text.count("\n", 0, found.start("text")) + 1,
            marker=found["marker"],
        )


class Page:
    """A page whose blocks are run, in a directory of its own."""

    def __init__(self, path: Path, directory: Path, smaller: Mapping[str, str]) -> None:
        self.path = path
        self.directory = directory
        self.smaller = smaller
        """What to put in place of what, so that blocks run on a small drive."""
        self.names: dict[str, Any] = {"__name__": "page"}

    def run(self, *, slow: bool) -> None:
        """Write the files of the page, then run every other block; those that are marked as slow on demand only."""
        found = [*blocks(self.path.read_text(encoding="utf-8"))]
        for block in found:
            if block.title:
                (self.directory / block.title).write_text(
                    self.made_smaller(block), encoding="utf-8"
                )
        for block in found:
            wanted = block.marker is None or (block.marker == "slow" and slow)
            if wanted and block.title is None:
                RUNNERS.get(block.language, unknown)(self, self.made_smaller(block), block)

    def made_smaller(self, block: Block) -> str:
        """The text of a block, for a small drive where one is asked for."""
        text = block.text
        for written, used in self.smaller.items():
            text = text.replace(written, used)
        return text

    def place(self, block: Block) -> str:
        """Where a block is, for messages."""
        return f"{self.path}:{block.line}"


def run_shell(page: Page, text: str, block: Block) -> None:
    """Run commands as a reader types them, each of which must succeed."""
    beside_python = str(Path(sys.executable).parent)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", text],
        cwd=page.directory,
        env={**os.environ, "PATH": f"{beside_python}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == 0, f"{page.place(block)}:\n{done.stderr}"


def run_python(page: Page, text: str, block: Block) -> None:
    """Run a block in the namespace of the page, with the page's line numbers in tracebacks."""
    code = compile("\n" * (block.line - 1) + text, str(page.path), "exec")
    before = Path.cwd()
    os.chdir(page.directory)
    try:
        exec(code, page.names)
    finally:
        os.chdir(before)


def check_toml(page: Page, text: str, block: Block) -> None:
    """Check that a drive file, or a part of one, is accepted."""
    wl.Drive.from_text(text)


def show(page: Page, text: str, block: Block) -> None:
    """Do nothing with a block that only shows something."""


def unknown(page: Page, text: str, block: Block) -> None:
    """Refuse a language that would otherwise go without a test."""
    raise AssertionError(f"{page.place(block)}: nothing runs blocks of {block.language!r}")


RUNNERS: dict[str, Callable[[Page, str, Block], None]] = {
    "sh": run_shell,
    "python": run_python,
    "toml": check_toml,
    **dict.fromkeys(SHOWN, show),
}
