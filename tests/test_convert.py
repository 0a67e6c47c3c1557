"""Traces in other forms: `wordline convert` and `wl.convert`."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import wordline as wl

ROWS = "0,8,4096,r,0.5\n3,16,512,w,0.6\n0,24,1024,r,0.7\n"


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "wordline.cli", "convert", *map(str, arguments)]


def test_a_trace_goes_to_binary_and_back(tmp_path: Path) -> None:
    text, binary, back = tmp_path / "a.spc", tmp_path / "a.wlt.zst", tmp_path / "a.csv"
    text.write_text(ROWS)
    done = wl.convert(text, binary)
    assert done.requests == 3
    assert "read as SPC text" in done.notes[0]
    assert wl.convert(binary, back) == wl.Converted(3, ())
    assert back.read_text().splitlines()[1] == "6000000,host0,3,Write,8192,512,0"
    stats = wl.trace_stats(binary)
    assert (stats["requests"], stats["format"], stats["time_unit"]) == (3, "wordline", "ns")


def test_the_command_says_what_it_did(tmp_path: Path) -> None:
    text, binary = tmp_path / "a.txt", tmp_path / "a.wlt"
    text.write_text("5 0 8 8 1\n7 0 16 8 0\n")
    arguments = ("--format", "ssdsim", "--time-unit", "us")
    done = subprocess.run(
        command(*arguments, text, binary), capture_output=True, text=True, check=True
    )
    assert "2 requests" in done.stdout
    assert wl.trace_stats(binary)["span_s"] == pytest.approx(2e-6)


def test_what_is_wrong_is_said_in_one_paragraph(tmp_path: Path) -> None:
    text, good = tmp_path / "a.spc", tmp_path / "good.spc"
    text.write_text(ROWS + "0,8,4096,q,0.8\n")
    good.write_text(ROWS)
    for arguments, word in (
        ((text, tmp_path / "a.wlt"), "row 4"),
        ((good, tmp_path / "a.doc"), ".wlt"),
        (("--time-unit", "h", text, tmp_path / "a.wlt"), "ns"),
    ):
        done = subprocess.run(command(*arguments), capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert word in done.stderr
        assert "Traceback" not in done.stderr
    assert sorted(tmp_path.iterdir()) == [text, good]
    with pytest.raises(wl.TraceError, match="row 4"):
        wl.convert(text, tmp_path / "a.wlt")
    with pytest.raises(wl.ConfigError, match="100ns"):
        wl.convert(text, tmp_path / "a.wlt", time_unit="h")


def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    text = tmp_path / "a.mqsim"
    text.write_text("".join(f"{row * 1000} 0 {row * 8} 8 1\n" for row in range(3_000_000)))
    with subprocess.Popen(
        command(text, tmp_path / "a.csv"), stderr=subprocess.PIPE, text=True
    ) as process:
        # as soon as its temporary file is there it is under way
        while len(list(tmp_path.iterdir())) == 1 and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=600)
    assert process.returncode == 130, errors
    assert "interrupted" in errors
    assert list(tmp_path.iterdir()) == [text]
