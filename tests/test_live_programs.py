"""Drives that are served to programs which work on disks: libnbd from Python, and a virtual machine."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from live_clients import needs, run, served

NBD = shutil.which("python3", path="/usr/bin:/bin")
"""The interpreter for which the system has packages."""
HAS_NBD = (
    NBD is not None
    and not subprocess.run([NBD, "-c", "import nbd"], capture_output=True).returncode
)


@pytest.mark.skipif(not HAS_NBD, reason="no nbd for Python: apt-get install python3-libnbd")
def test_libnbd_has_several_requests_under_way_on_several_connections(tmp_path: Path) -> None:
    """What one connection was answered and has flushed, another one reads."""
    script = """
import sys, nbd
first, second = nbd.NBD(), nbd.NBD()
for each in (first, second):
    each.connect_uri(sys.argv[1])
    assert each.can_multi_conn() and each.can_fua() and each.can_trim() and each.can_zero()
buffers = [nbd.Buffer.from_bytearray(bytearray([number]) * 5000) for number in range(1, 65)]
cookies = [first.aio_pwrite(buffer, 7000 * number) for number, buffer in enumerate(buffers)]
while cookies := [cookie for cookie in cookies if not first.aio_command_completed(cookie)]:
    first.poll(-1)
first.flush()
for number in range(1, 65):
    assert second.pread(5000, 7000 * (number - 1)) == bytes([number]) * 5000
    assert second.pread(2000, 7000 * number - 2000) == bytes(2000)
second.zero(5000, 0, nbd.CMD_FLAG_FUA)
second.trim(5000, 7000)
assert first.pread(5000, 0) == bytes(5000)
try:
    first.set_strict_mode(0)
    first.pwrite(b"x" * 512, first.get_size())
except nbd.Error as error:
    print(error.errno)
"""
    with served(tmp_path, "tiny") as drive:
        assert run([NBD, "-c", script, drive.uri]).stdout == "ENOSPC\n"
        assert drive.live("status")["complaint"] is None


BOOT = bytes.fromhex(
    "31c08ed88ec08ed0bc007cbe387cb442cd13c606407c02be387cb80043cd13be0080ac84c07406baf803ee"
    "ebf530c0baf400eef4ebfd669010000100008000000100000000000000"
)
"""A program for the BIOS: reads sector 1 with int 13h (42h), writes it to sector 2 (43h), sends its text to the serial port, and leaves by port 0xf4."""


@needs("qemu-system-x86_64", "nbdcopy", "qemu-io")
def test_a_virtual_machine_boots_from_the_drive(tmp_path: Path) -> None:
    text = b"greetings of the drive\n"
    disk = tmp_path / "disk"
    disk.write_bytes(BOOT.ljust(510, b"\0") + b"\x55\xaa" + text.ljust(512, b"\0"))
    with served(tmp_path, "tiny", "--set", "age.method=fresh") as drive:
        run(["nbdcopy", disk, drive.uri])
        machine = ["-machine", "accel=tcg", "-m", "32", "-nodefaults", "-display", "none"]
        machine += ["-serial", "stdio", "-device", "isa-debug-exit,iobase=0xf4,iosize=1"]
        machine += ["-drive", f"file={drive.uri},format=raw,if=virtio,discard=unmap"]
        # the device that ends it doubles what is written to it, and adds 1
        assert run(["qemu-system-x86_64", *machine], status=1).stdout.encode() == text
        run(["nbdcopy", drive.uri, tmp_path / "after"])
    assert (tmp_path / "after").read_bytes()[1024:].startswith(text)
