"""The page of a drive that is served: redrawn on a terminal, lines elsewhere."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import time
from pathlib import Path

import pytest

from live_clients import LONG, WORDLINE, needs, run, served
from wordline.terminal.watching import line, rate

STATUS = {
    "seconds": 2.0,
    "clients": 1,
    "under_way": 3,
    "read": {"requests": 1500, "mean_us": 90.0},
    "write": {"requests": 0, "mean_us": None},
    "recent": {
        "read": {"mean_us": 95.5, "p99_us": 120.25},
        "write": {"mean_us": None, "p99_us": None},
    },
    "write_amplification": None,
    "free_blocks": 77,
    "celsius": 41.23,
    "power_cuts": [{}],
    "late": {"share": None, "is_paced": False},
}


def test_rates_are_of_the_drives_own_time() -> None:
    before = {**STATUS, "seconds": 1.5, "read": {"requests": 500, "mean_us": 1.0}}
    assert rate(STATUS, before, "read") == 2000
    assert rate(STATUS, before, "write") == 0
    assert rate(STATUS, None, "read") is None
    # at the virtual pace no time passes while nobody asks
    assert rate(STATUS, STATUS, "read") is None
    assert line(STATUS, before) == (
        "2.000 s: reads 2,000/s, mean 95.50 µs, p99 120.2 µs; writes 0/s, mean – µs, p99 – µs; "
        "write amplification –, 77 free blocks, 41.2 °C, 1 power cuts"
    )


@needs("qemu-io")
def test_lines_come_until_the_drive_is_not_served_any_more(tmp_path: Path) -> None:
    with served(tmp_path, "tiny") as drive:
        watching = subprocess.Popen(
            [*WORDLINE, "live", str(drive.socket), "watch", "0.2"],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert watching.stdout is not None
            watching.stdout.readline()
            run(["qemu-io", "-f", "raw", "-c", "write 0 1M", "-c", "flush", drive.uri])
            lines = [watching.stdout.readline() for _ in range(2)]
            drive.stop()
            rest, _ = watching.communicate(timeout=LONG)
        finally:
            watching.kill()
    assert watching.returncode == 0
    found = [re.search(r"writes ([\d,.]+)/s", each) for each in [*lines, *rest.splitlines()]]
    assert any(each and float(each[1].replace(",", "")) > 0 for each in found)
    assert all("free blocks" in each for each in lines)


@pytest.mark.parametrize("leave", ["q", "Ctrl-C"])
def test_a_page_is_left_with_a_key(tmp_path: Path, leave: str) -> None:
    with served(tmp_path, "tiny") as drive:
        here, there = pty.openpty()
        watching = subprocess.Popen(
            [*WORDLINE, "live", str(drive.socket), "watch", "0.2"],
            stdin=there,
            stdout=there,
            stderr=there,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "40"},
        )
        try:
            shown = b""
            end = time.monotonic() + LONG
            # a second page: it is drawn again
            while shown.count(b"free blocks") < 2 and time.monotonic() < end:
                if select.select([here], [], [], 1)[0]:
                    shown += os.read(here, 65536)
            assert shown.count(b"free blocks") >= 2
            if leave == "q":
                os.write(here, b"q")
            else:
                watching.send_signal(signal.SIGINT)
            assert watching.wait(LONG) == 0
        finally:
            watching.kill()
            os.close(here)
            os.close(there)
        # the drive goes on
        assert drive.live("status")["clients"] == 0


def test_a_page_of_nothing_is_refused(tmp_path: Path) -> None:
    def said(*arguments: str) -> str:
        return run([*WORDLINE, "live", tmp_path / "none", *arguments], status=2).stderr

    assert "is `wordline serve` there?" in said("watch")
    assert "seconds from 0.1 to 3600" in said("watch", "often")
    assert "seconds from 0.1 to 3600" in said("watch", "0")
    assert "watch" in said("fly")
