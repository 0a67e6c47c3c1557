"""Terminals that are narrower than what is printed: no figure is cut, no line is longer, words are whole."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from rich.table import Table
from rich.text import Text

from wordline.cli.common import complain
from wordline.terminal.console import Terminal, print_whole
from wordline.terminal.lists import print_list
from wordline.terminal.models import is_name


def shown(table: Table, width: int, *, is_terminal: bool = True) -> list[str]:
    """The lines of a table on a terminal, or in a file."""
    file = io.StringIO()
    console = Terminal(
        highlight=False, width=width, file=file, force_terminal=is_terminal, color_system=None
    )
    print_whole(console, table)
    return [line.rstrip() for line in file.getvalue().splitlines()]


def a_table() -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("drive")
    for name in ("requests", "mean", "longest"):
        table.add_column(name, justify="right")
    table.add_row("old", "1,000", "12.5 µs", "1.25 ms")
    table.add_row("new", "2,000", "11.5 µs", "1.15 ms")
    return table


def test_columns_that_do_not_fit_follow_below() -> None:
    assert shown(a_table(), 25) == [
        "drive  requests     mean",
        "old       1,000  12.5 µs",
        "new       2,000  11.5 µs",
        "",
        "drive  longest",
        "old    1.25 ms",
        "new    1.15 ms",
    ]
    assert len(shown(a_table(), 60)) == 3


def test_columns_move_together_where_all_fit_then() -> None:
    # 5, 8, 7 and 7 characters with two or with one between them
    assert shown(a_table(), 33)[1] == "old       1,000  12.5 µs  1.25 ms"
    assert shown(a_table(), 32) == [
        "drive requests    mean longest",
        "old      1,000 12.5 µs 1.25 ms",
        "new      2,000 11.5 µs 1.15 ms",
    ]
    assert len(shown(a_table(), 29)) > 3


def test_a_column_that_is_too_wide_stands_alone_and_whole() -> None:
    lines = shown(a_table(), 8)
    assert [line.split()[-1] for line in lines if line.startswith("new")] == ["2,000", "µs", "ms"]
    assert "new    11.5 µs" in lines


def test_a_file_gets_the_table_as_wide_as_it_is() -> None:
    assert len(shown(a_table(), 25, is_terminal=False)) == 3


def test_names_of_rows_that_leave_no_room_are_shortened() -> None:
    table = Table(box=None, pad_edge=False)
    for name in ("load", "state of the drive"):
        table.add_column(name)
    table.add_column("IOPS", justify="right")
    table.add_row("read", "filled in order", "1,000")
    assert shown(table, 26) == [
        "load  state of the drive",
        "read  filled in order",
        "",
        "load   IOPS",
        "read  1,000",
    ]


def test_remarks_of_a_table_without_headings_are_wrapped() -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_row("steady state", "yes", "five rounds differ by 5.2 %")
    lines = shown(table, 34)
    assert lines[0].startswith("steady state  yes  five rounds")
    assert len(lines) > 1
    assert all(len(line) <= 34 for line in lines)


def test_words_beside_names_of_rows_are_wrapped() -> None:
    table = Table(box=None, pad_edge=False)
    for name in ("key", "value", "what is said of it"):
        table.add_column(name, justify="right" if name == "value" else "left")
    table.add_row("power.idle", "35 mW", "a usual value of data sheets of such parts")
    lines = shown(table, 34)
    assert max(map(len, lines)) <= 34
    at = lines.index("key         what is said of it")
    assert lines[at + 1 :] == [
        "power.idle  a usual value of data",
        "            sheets of such parts",
    ]


def test_a_list_is_wrapped_on_a_terminal_and_has_a_line_for_each_row_in_a_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [("tiny", "aged", "a drive to try things on [128 MiB]"), ("b", "fresh", "another")]
    print_list(("preset", "start", "what it is"), rows, "Aged is old.")
    assert capsys.readouterr().out.splitlines() == [
        "tiny  aged   a drive to try things on [128 MiB]",
        "b     fresh  another",
    ]
    monkeypatch.setattr(Terminal, "is_terminal", True)
    monkeypatch.setenv("COLUMNS", "40")
    print_list(("preset", "start", "what it is"), rows, "Aged is old.")
    assert [line.rstrip() for line in plain(capsys.readouterr().out).splitlines()] == [
        "preset  start  what it is",
        "tiny    aged   a drive to try things on",
        "               [128 MiB]",
        "b       fresh  another",
        "Aged is old.",
    ]


@pytest.mark.parametrize(
    ("values", "wanted"),
    [(["read", "write"], True), (["4 KiB"], False), ([1, 2], False), (["read", None], False)],
)
def test_words_stand_on_the_left_and_figures_on_the_right(
    values: list[object], wanted: bool
) -> None:
    assert is_name(values) is wanted


COMMANDS = {
    "run": ("tiny", "--set", "workload.requests=3000"),
    "check": ("tiny",),
    "sweep": ("tiny", "--vary", "ftl.gc.victim=greedy,fifo", "--set", "workload.requests=300"),
    "spec": ("tiny", "--depths", "1,8", "--requests", "400"),
    "lifetime": ("tiny", "--writes-per-day", "5", "--horizon", "60 d"),
    "power": ("tiny", "--depths", "1,8", "--requests", "400"),
    "presets": (),
    "chips": (),
    "profiles": (),
}
KEPT = {"sweep", "spec", "power"}
UNIT = re.compile(r"(%|°C|[nµm]?s|[mM]?[WJ]|[KMGT]i?B)(?![A-Za-z])")
"""The units that a line may not begin with where the one before ends with a number."""


def test_a_number_and_its_unit_stand_in_one_line() -> None:
    file = io.StringIO()
    console = Terminal(width=24, file=file, force_terminal=True, color_system=None)
    console.tell("the rounds differ by 25 % of [bold]the[/] mean of 3 s, 20 % allowed")
    console.tell(Text("the two dies took 12,500 µs and 4 seconds, or 16 MB/s"))
    assert [line.rstrip() for line in file.getvalue().splitlines()] == [
        "the rounds differ by",
        "25 % of the mean of 3 s,",
        "20 % allowed",
        "the two dies took",
        "12,500 µs and 4 seconds,",
        "or 16 MB/s",
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("name", COMMANDS)
def test_no_line_of_a_command_is_wider_than_the_terminal(
    name: str, width: int, tmp_path: Path
) -> None:
    import pty

    ours, theirs = pty.openpty()
    cache = ("--cache", str(tmp_path)) if name in KEPT else ()
    with subprocess.Popen(
        [sys.executable, "-m", "wordline.cli", name, *COMMANDS[name], *cache],
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm", "COLUMNS": str(width)},
    ) as process:
        os.close(theirs)
        text = b""
        while chunk := read(ours):
            text += chunk
        assert process.wait() == 0
    os.close(ours)
    lines = plain(text.decode()).splitlines()
    assert len(lines) > 2
    assert [line for line in lines if len(line) > width] == []
    assert "…" not in text.decode()
    texts = [line.strip() for line in lines]
    split = [pair for pair in pairwise(texts) if re.search(r"\d$", pair[0]) and UNIT.match(pair[1])]
    assert split == []


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("command", ["run", "lifetime", "infer", "serve"])
def test_help_cuts_no_name_off(command: str, width: int) -> None:
    import pty

    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "wordline.cli", command, "--help"],
        stdout=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": str(width)},
    ) as process:
        os.close(theirs)
        text = b""
        while chunk := read(ours):
            text += chunk
        assert process.wait() == 0
    os.close(ours)
    assert "…" not in text.decode()
    assert "--help" in plain(text.decode())


def test_complaints_keep_words_whole_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "error: a message of some words about /a/path/that/is/longer\nand a line"
    complain(text)
    assert capsys.readouterr().err == f"{text}\n"
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    complain(text)
    assert capsys.readouterr().err.splitlines() == [
        "error: a message of",
        "some words about",
        "/a/path/that/is/longer",
        "and a line",
    ]


def plain(text: str) -> str:
    """A text without its colours."""
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text)


def read(terminal: int) -> bytes:
    """What a pseudo-terminal has to say; nothing once the other side is closed."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""
