"""Drives that are served by a machine whose disk is full: what was promised is there, and nothing is half written."""

from __future__ import annotations

import resource
import signal
import subprocess
import time
from pathlib import Path

import pytest

from live_clients import LONG, WORDLINE, Served, listens, needs, run, served

MIB = 2**20


OWN_DISK = ("unshare", "--user", "--map-root-user", "--mount")
"""Runs a program that may mount a disk which it alone sees; where the machine lets users do that."""


def may_mount() -> bool:
    """Whether it does."""
    mounted = [*OWN_DISK, "mount", "-t", "tmpfs", "none", "/mnt"]
    return subprocess.run(mounted, capture_output=True, check=False).returncode == 0


@needs("qemu-io", "unshare")
@pytest.mark.skipif(not may_mount(), reason="users may not mount here (unshare --user --mount)")
def test_a_full_disk_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    """A disk of 1 MiB has the sparse file of a drive of 4 MiB, until more than that is written."""
    disk = tmp_path / "disk"
    disk.mkdir()
    place = tmp_path / "full.sock"
    options = ("--size", "4MiB", "--socket", place, "--pace", "virtual", "--data", disk / "data")
    command = [*WORDLINE, "serve", "tiny", "--json", *options]
    mounted = f"mount -t tmpfs -o size=1m none '{disk}' && exec \"$@\""
    with subprocess.Popen(
        [*OWN_DISK, "bash", "-c", mounted, "-", *map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            end = time.monotonic() + LONG
            while not listens(place):
                assert process.poll() is None, process.communicate()[1]
                assert time.monotonic() < end
                time.sleep(0.02)
            drive = Served(process, place)
            client = ["qemu-io", "-f", "raw", drive.uri]
            run([*client, "-c", "write -P 3 0 64k", "-c", "flush"])
            assert drive.live("status")["complaint"] is None
            failed = run([*client, "-c", "write -P 4 1M 2M"], status=1)
            assert "No space left on device" in failed.stdout + failed.stderr
            assert "could not be kept" in drive.live("status")["complaint"]
            # the drive goes on, with what it had acknowledged
            run([*client, "-c", "read -P 3 0 64k", "-c", "write -P 5 0 64k", "-c", "flush"])
            run([*client, "-c", "read -P 5 0 64k"])
        finally:
            process.terminate()
            process.communicate()


def forbid_longer_files(process: subprocess.Popen[str], size: int) -> None:
    """From now on the machine has no room for this process beyond so many bytes of a file."""
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (size, size))


@needs("qemu-io")
def test_a_file_that_may_not_grow_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    """As a full disk, but for every machine: no byte of the data beyond 1 MiB can be kept."""
    data = tmp_path / "data"
    with served(tmp_path, "tiny", "--size", "4MiB", "--data", data) as drive:
        client = ["qemu-io", "-f", "raw", drive.uri]
        run([*client, "-c", "write -P 3 0 64k", "-c", "flush"])
        forbid_longer_files(drive.process, MIB)
        failed = run([*client, "-c", "write -P 4 2M 64k"], status=1)
        assert "No space left on device" in failed.stdout + failed.stderr
        assert "could not be kept" in drive.live("status")["complaint"]
        # what was acknowledged is there, and what was not reads as before
        run([*client, "-c", "read -P 3 0 64k", "-c", "read -P 0 2M 64k"])
        run([*client, "-c", "write -P 5 0 64k", "-c", "flush"])
        drive.process.kill()
        drive.process.wait()
    found = data.read_bytes()
    assert found[: 64 << 10] == bytes([5]) * (64 << 10)
    assert not any(found[64 << 10 :])


@needs("qemu-io")
@pytest.mark.parametrize("what", ["trace", "out", "save-state"])
def test_results_that_find_no_room_are_told_and_leave_nothing_half_written(
    tmp_path: Path, what: str
) -> None:
    target = tmp_path / f"result.{what}"
    with served(tmp_path, "tiny", "--set", "age.method=fresh", f"--{what}", target) as drive:
        run(["qemu-io", "-f", "raw", drive.uri, *(["-c", "write -P 3 0 1M"] * 20)])
        before = {each.name for each in tmp_path.iterdir()}
        forbid_longer_files(drive.process, 100)
        drive.process.send_signal(signal.SIGINT)
        _, said = drive.process.communicate(timeout=LONG)
    assert drive.process.returncode == 2, said
    assert str(target) in said or target.name in said
    assert "Traceback" not in said
    left = {each.name for each in tmp_path.iterdir()} - before
    assert not left, left


@needs("qemu-io")
def test_what_is_asked_for_and_finds_no_room_is_told_and_the_drive_goes_on(tmp_path: Path) -> None:
    with served(tmp_path, "tiny", "--set", "age.method=fresh") as drive:
        client = ["qemu-io", "-f", "raw", drive.uri]
        run([*client, "-c", "write -P 3 0 1M"])
        before = {each.name for each in tmp_path.iterdir()}
        forbid_longer_files(drive.process, 100)
        for what in ("report", "save"):
            asked = [*WORDLINE, "live", drive.socket, what, tmp_path / f"full.{what}"]
            said = run(asked, status=2).stderr
            assert f"full.{what}" in said
        assert {each.name for each in tmp_path.iterdir()} == before
        run([*client, "-c", "read -P 3 0 1M"])
