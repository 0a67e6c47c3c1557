"""Drives that are served to real clients of NBD: fio, libnbd's tools, qemu; and to those that do not behave."""

from __future__ import annotations

import json
import random
import signal
import struct
from pathlib import Path

import polars as pl
import pytest

import wordline as wl
from live_clients import WORDLINE, Served, needs, raw, refused, run, served
from options import effect
from wordline.config import resolve_named
from wordline.live import Serving, figures_of_the_machine

MIB = 2**20


def noise(bytes_: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(bytes_)


@effect("serve", "--read-only", "--size")
@needs("nbdinfo")
def test_an_export_says_what_it_is(tmp_path: Path) -> None:
    with served(tmp_path, "tiny", "--read-only", "--size", "64MiB") as drive:
        found = json.loads(run(["nbdinfo", "--json", drive.uri]).stdout)
        export = found["exports"][0]
        assert found["protocol"] == "newstyle-fixed"
        assert found["structured"] is True
        assert export["export-size"] == 64 * MIB
        assert export["block_size_preferred"] == 4096
        can = {key for key, value in export.items() if value is True}
        assert {"is_read_only", "can_flush", "can_fua", "can_multi_conn", "can_df"} <= can
        assert not {"can_trim", "can_zero", "is_rotational"} & can
        # every export is listed, and one that is not there is refused
        assert '"tiny"' in run(["nbdinfo", "--list", drive.uri]).stdout
        assert run(["nbdinfo", drive.uri.replace("///", "///other")], status=1).stderr


@needs("nbdcopy")
def test_what_is_copied_in_comes_out_again(tmp_path: Path) -> None:
    """A disk with holes at odd places, over several connections."""
    image = tmp_path / "in"
    content = bytearray(8 * MIB)
    for at in (0, 12_345, 3 * MIB + 511, 8 * MIB - 70_000):
        content[at : at + 70_000] = noise(70_000, seed=at)
    image.write_bytes(content)
    with served(tmp_path, "tiny", "--size", "8MiB") as drive:
        run(["nbdcopy", "--connections=4", image, drive.uri])
        run(["nbdcopy", "--connections=4", drive.uri, tmp_path / "out"])
        status = drive.live("status")
    assert (tmp_path / "out").read_bytes() == content
    assert status["clients_came"] > 3
    assert status["complaint"] is None


@effect("serve", "--trace")
@needs("qemu-io")
def test_zeroes_trims_and_sizes_that_are_no_sectors(tmp_path: Path) -> None:
    commands = [
        "write -P 0x5a 4096 65536",
        "read -P 0x5a 4096 65536",
        "write -z 8192 4096",
        "read -P 0 8192 4096",
        "write -z -u 12288 512",
        "read -P 0 12288 512",
        "discard 0 64k",
        "read -P 0 0 64k",
        "write -f -P 0x11 100 3000",
        "read -P 0x11 100 3000",
        "read -P 0 3100 500",
        "flush",
    ]
    fresh = ["--set", "age.method=fresh"]
    with served(tmp_path, "tiny", *fresh, "--trace", tmp_path / "asked.wlt") as drive:
        run(
            [
                "qemu-io",
                "-f",
                "raw",
                drive.uri,
                *(part for each in commands for part in ("-c", each)),
            ]
        )
        summary = drive.stop()
    assert summary["host.refused"] == 0
    # what was asked can be run again, with the same answers
    small = wl.Drive("tiny", **{"age.method": "fresh"})
    again = wl.simulate(small, wl.Workload.trace(tmp_path / "asked.wlt"), progress=False)
    for key in (
        "host.requests",
        "host.write.count",
        "host.read.latency.mean_us",
        "host.write.latency.p99_us",
    ):
        assert again.summary[key] == summary[key], key


@effect("serve", "--out")
@needs("fio")
def test_fio_verifies_what_it_wrote(tmp_path: Path) -> None:
    job = ["--rw=randrw", "--bs=4k", "--iodepth=16", "--size=16M", "--verify=crc32c", "--fsync=64"]
    with served(tmp_path, "tiny", "--out", tmp_path / "result") as drive:
        fio = ["fio", "--name=verify", "--ioengine=nbd", f"--uri={drive.uri}", "--randseed=3", *job]
        run(fio, cwd=tmp_path)  # it leaves a file behind
        live = drive.live("status")
        summary = drive.stop()
    assert summary["host.write.count"] > 1000
    assert live["write"]["requests"] == summary["host.write.count"]
    assert live["write"]["mean_us"] == pytest.approx(
        summary["host.write.latency.mean_us"], rel=1e-6
    )
    assert live["write_amplification"] == pytest.approx(
        summary["ftl.write_amplification"], rel=0.05
    )
    result = wl.load(tmp_path / "result")
    assert len(result.requests) == summary["host.requests"]


@effect("serve", "--pace", "--slow")
@needs("fio")
def test_a_paced_drive_is_as_slow_as_it_should_be(tmp_path: Path) -> None:
    """No answer leaves before its time; how much later is the machine's affair."""
    job = ["--rw=randread", "--bs=4k", "--iodepth=4", "--size=16M", "--number_ios=400"]
    with served(tmp_path, "tiny", "--slow", "20", pace="real") as drive:
        out = run(
            [
                "fio",
                "--name=r",
                "--ioengine=nbd",
                f"--uri={drive.uri}",
                *job,
                "--output-format=json",
            ]
        )
        status = drive.live("status")
    reads = json.loads(out.stdout[out.stdout.index("{") :])["jobs"][0]["read"]
    simulated = status["read"]["mean_us"]
    assert simulated > 1
    assert reads["clat_ns"]["mean"] / 1e3 >= 20 * simulated
    assert status["late"]["is_paced"] is True
    assert status["late"]["p99_us"] >= 0


@needs("qemu-io")
def test_results_and_states_are_had_while_the_drive_goes_on(tmp_path: Path) -> None:
    write = ["qemu-io", "-f", "raw", "-c", "write -P 7 0 1M"]
    with served(tmp_path, "tiny", "--set", "age.method=fresh") as drive:
        run([*write, drive.uri])
        assert drive.live("report", tmp_path / "result") == {"report": str(tmp_path / "result")}
        saved = drive.live("save", tmp_path / "state")
        run([*write, drive.uri])
        whole = drive.stop()
    early = wl.load(tmp_path / "result")
    assert early.summary["host.write.count"] == 1
    assert whole["host.write.count"] == 2
    # programs were the workload, and no key of one says anything of them
    page = (tmp_path / "result" / "report.html").read_text()
    assert "Requests of programs that used it" in page
    assert "Synthetic" not in page
    assert "queue depth 1" not in page
    assert early.summary["live.power_cuts"] == 0
    assert not {note.key for note in early.notes} & {"mostly_idle", "overloaded", "workload"}
    data = Path(saved["data"]).read_bytes()
    assert data[:MIB] == bytes([7]) * MIB
    assert not any(data[MIB:])
    # the state goes on, with its data
    again = ["--set", "age.method=snapshot", "--set", f"age.snapshot={saved['save']}"]
    with served(tmp_path, "tiny", *again, "--data", saved["data"]) as drive:
        run(["qemu-io", "-f", "raw", "-c", "read -P 7 0 1M", drive.uri])
        assert drive.stop()["host.unmapped_reads"] == 0


def stubborn(drive: Served) -> None:
    """The drive still serves."""
    run(["qemu-io", "-f", "raw", "-c", "write -P 9 1M 4k", "-c", "read -P 9 1M 4k", drive.uri])


@needs("qemu-io")
def test_garbage_and_clients_that_vanish_harm_nobody(tmp_path: Path) -> None:
    draws = random.Random(5)
    with served(tmp_path, "tiny") as drive:
        greeting = b"NBDMAGICIHAVEOPT\x00\x03"
        for _ in range(50):
            with raw(drive.socket) as stream:
                assert stream.recv(18) == greeting
                stream.sendall(draws.randbytes(draws.randrange(1, 200)))
        with raw(drive.socket) as stream:
            stream.recv(18)
            stream.sendall(b"\x00\x00\x00\x03IHAVEOPT" + struct.pack(">IIIH", 7, 6, 0, 0))
            # a write that is never complete, and reads that nobody waits for
            head = struct.pack(">IHHQQI", 0x25609513, 0, 0, 1, 0, 30 * MIB)
            stream.sendall(head * 100)
            stream.sendall(struct.pack(">IHHQQI", 0x25609513, 0, 1, 2, 0, MIB) + b"abc")
        with raw(Path(f"{drive.socket}.control")) as stream:
            stream.sendall(b'{"do": "fly"}\n')
            assert b"accepted are" in stream.recv(4096)
            stream.sendall(draws.randbytes(100_000))
        stubborn(drive)
        assert "accepted" in drive.live("status")["complaint"]


@pytest.mark.parametrize("what", ["status", "watch"])
def test_a_socket_of_clients_is_no_control_socket(tmp_path: Path, what: str) -> None:
    with served(tmp_path, "tiny", "--control", tmp_path / "asked") as drive:
        said = run([*WORDLINE, "live", drive.socket, what], 2).stderr
        assert "no control socket" in said
        assert "--control" in said
        assert "Traceback" not in said
        assert json.loads(run([*WORDLINE, "live", tmp_path / "asked", "status"]).stdout)


@needs("qemu-io")
def test_requests_that_make_no_sense_are_refused_one_by_one(tmp_path: Path) -> None:
    with served(tmp_path, "tiny", "--size", "1MiB") as drive, raw(drive.socket) as stream:

        def exactly(count: int) -> bytes:
            got = b""
            while len(got) < count:
                got += stream.recv(count - len(got))
            return got

        exactly(18)
        stream.sendall(b"\x00\x00\x00\x03IHAVEOPT" + struct.pack(">II", 1, 0))
        assert struct.unpack(">QH", exactly(10))[0] == MIB

        def error(flags: int, command: int, offset: int, length: int, data: bytes = b"") -> int:
            head = struct.pack(">IHHQQI", 0x25609513, flags, command, 42, offset, length)
            stream.sendall(head + data)
            magic, number, cookie = struct.unpack(">IIQ", exactly(16))
            assert (magic, cookie) == (0x67446698, 42)
            return int(number)

        assert error(0, 0, MIB, 1) == 22
        assert error(0, 0, 2**64 - 1, 2) == 22
        assert error(0, 1, MIB - 1, 2, b"ab") == 28
        assert error(0, 6, MIB, 512) == 28
        assert error(0, 4, 0, 2 * MIB) == 22
        assert error(0, 7, 0, 512) == 95
        assert error(1 << 7, 3, 0, 0) == 22
        assert error(0, 1, 0, 0) == 0
        assert error(1, 1, 7, 3, b"abc") == 0
        assert error(0, 3, 0, 0) == 0


@needs("qemu-io")
def test_nothing_is_written_where_nothing_may_be(tmp_path: Path) -> None:
    with served(tmp_path, "tiny", "--read-only") as drive:
        out = run(["qemu-io", "-f", "raw", "-c", "write 0 4k", drive.uri], status=1)
        assert "Permission denied" in out.stderr
        assert drive.stop()["host.requests"] == 0


def test_a_socket_belongs_to_one_server(tmp_path: Path) -> None:
    with served(tmp_path, "tiny") as drive:
        second = run([*WORDLINE, "serve", "tiny", "--socket", drive.socket], status=2)
        assert "another server listens there" in second.stderr
        drive.process.kill()
        drive.process.wait()
        assert drive.socket.exists()
        # nobody listens there any more, so the next server takes it
        with served(tmp_path, "tiny") as after:
            assert after.stop(signal.SIGTERM)["host.requests"] == 0
    assert not drive.socket.exists()


@effect("serve", "--data")
@needs("qemu-io", "nbdcopy")
def test_a_killed_server_has_kept_what_it_promised(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with served(tmp_path, "tiny", "--data", data) as drive:
        run(["qemu-io", "-f", "raw", "-c", "write -P 3 12k 100k", "-c", "flush", drive.uri])
        both = run(
            [*WORDLINE, "serve", "tiny", "--socket", tmp_path / "b", "--data", data], status=2
        )
        assert "another server has its data there" in both.stderr
        drive.process.kill()
        drive.process.wait()
    with served(tmp_path, "tiny", "--data", data) as drive:
        run(
            ["qemu-io", "-f", "raw", "-c", "read -P 3 12k 100k", "-c", "read -P 0 0 12k", drive.uri]
        )


def test_ageing_before_a_drive_is_served_is_told_and_answers_ctrl_c(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The first look at the progress of ageing is Ctrl-C, long before clients could come."""
    told: list[str] = []

    def report(phase: str, share: float, requests: int, simulated: float) -> bool:
        del share, requests, simulated
        told.append(phase)
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    resolved = resolve_named("datacenter-tlc")
    options = {"name": "d", "description": "d", "socket": "s", "seed": 1, "cuts": []}
    options |= dict.fromkeys(("control", "size", "data", "trace", "slow"))
    options |= dict.fromkeys(
        ("anyone", "read_only", "power_cuts", "keeps_stream", "lies_about_flush"), False
    )
    with pytest.raises(KeyboardInterrupt):
        Serving(resolved, options, report)
    assert told == ["ageing the drive"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--size", "200MiB"], "multiples of 512 up to the"),
        (["--size", "1000"], "multiples of 512"),
        (["--size", "much"], "accepted are bytes"),
        (["--pace", "fast"], "accepted are real and virtual"),
        (["--pace", "virtual", "--slow", "2"], "--slow"),
        (["--cut", "sometimes"], "accepted are event:N"),
        (["--power-cuts"], "ftl.recovery.kind"),
        (["--power-cuts", "--set", "ftl.recovery.kind=oob_scan"], "age.method"),
        (["--volatile-buffer"], "no buffer"),
        (["--set", "ftl.mapping=zoned", "--set", "age.method=fresh"], "zoned"),
    ],
)
def test_what_does_not_go_is_refused(tmp_path: Path, options: list[str], said: str) -> None:
    assert said in refused(tmp_path, *options)


@effect("serve", "--anyone")
def test_addresses_that_others_reach_have_to_be_allowed(tmp_path: Path) -> None:
    said = run([*WORDLINE, "serve", "tiny", "--socket", "0.0.0.0:0"], status=2).stderr
    assert "--anyone" in said
    assert "is there and no socket" in refused(tmp_path, "--socket", tmp_path)
    nobody = run([*WORDLINE, "live", tmp_path / "none", "status"], status=2).stderr
    assert "is `wordline serve` there?" in nobody


def test_late_answers_are_told_with_a_slower_pace_than_there_was() -> None:
    late = {"late": {"is_paced": True, "share": 0.06}}
    assert "--slow 100 gives" in figures_of_the_machine(late, 10.0)[0]
    assert "--slow 15 gives" in figures_of_the_machine(late, 1.5)[0]
    late["late"]["share"] = 0.05
    assert figures_of_the_machine(late, 10.0)[0].startswith("info: 5.0%")
    assert figures_of_the_machine({"late": {"is_paced": False, "share": 0.9}}, 1.0) == []


def test_unwritten_requests_of_a_table_are_none(tmp_path: Path) -> None:
    """A drive that nobody came to has an empty result."""
    with served(tmp_path, "tiny", "--out", tmp_path / "result") as drive:
        drive.stop()
    assert len(pl.read_parquet(tmp_path / "result" / "requests.parquet")) == 0
