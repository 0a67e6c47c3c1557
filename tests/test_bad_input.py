"""Bad input: one clear paragraph on standard error, exit status 2, nothing half-written."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import wordline as wl
from shared import refused, small_run, wordline


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("ftl.gc.vicitm=greedy", ["ftl.gc.vicitm", "ftl.gc.victim"]),
        ("ftl.gc.victim=greddy", ["ftl.gc.victim", "greddy", "greedy"]),
        ("timing.t_r=25", ["timing.t_r", "25", "us"]),
        ("timing.t_r=25 KiB", ["timing.t_r", "25 KiB"]),
        ("timing.t_r=-25 us", ["timing.t_r", "-25 us"]),
        ("geometry.channels=0", ["geometry.channels", "0"]),
        ("geometry.blocks_per_plane=99999999999999999999", ["geometry.blocks_per_plane"]),
        ("geometry.page_size=0 KiB", ["geometry.page_size"]),
        ("workload.read_fraction=1.5", ["workload.read_fraction", "1.5"]),
        ("workload.requests=0", ["workload.requests", "0"]),
        ("ftl.over_provisioning=0", ["ftl.over_provisioning", "0"]),
        ("nonsense", ["nonsense", "KEY=VALUE"]),
        ("=3", ["KEY=VALUE"]),
        ("ftl..victim=3", ["ftl..victim"]),
    ],
)
def test_overrides(override: str, words: list[str]) -> None:
    said = refused("run", "tiny", "--set", override)
    for word in words:
        assert word in said


def test_an_unknown_preset_names_the_nearest() -> None:
    assert "onfi5-tlc" in refused("run", "onfi5-tcl")
    assert "onfi5-tlc" in refused("presets", "onfi5-tcl")


def test_a_file_is_refused_with_its_line(tmp_path: Path) -> None:
    drive = tmp_path / "drive.toml"
    drive.write_text('base = "tiny"\n\n[timing]\nt_rr_array = "25 us"\n')
    assert f"{drive}:4" in refused("run", drive)
    drive.write_text("[geometry\n")
    assert f"{drive}:1" in refused("run", drive)


def test_check_tells_good_from_bad(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.toml", tmp_path / "bad.toml"
    good.write_text('base = "tiny"\n')
    bad.write_text("[geometry]\nchannels = 0\n")
    done = wordline("check", good, bad)
    assert done.returncode == 2
    assert f"{good}: good" in done.stdout
    assert "geometry.channels" in done.stderr
    assert wordline("check", good).returncode == 0


@pytest.mark.parametrize("content", [b"", b"\0\xff\xfe\x01" * 1000, b"hello\n", b"1,2\n" * 3])
def test_traces_that_are_none(content: bytes, tmp_path: Path) -> None:
    trace = tmp_path / "trace.csv"
    trace.write_bytes(content)
    assert str(trace) in refused("run", "tiny", "--trace", trace)
    assert str(trace) in refused("trace-stats", trace)


def test_a_trace_that_is_not_there(tmp_path: Path) -> None:
    assert "nowhere.spc" in refused("run", "tiny", "--trace", tmp_path / "nowhere.spc")
    assert "nowhere.spc" in refused("trace-stats", tmp_path / "nowhere.spc")
    assert "--trace" in refused("run", "tiny", "--format", "spc")


def test_a_trace_beyond_the_capacity_names_its_row(tmp_path: Path) -> None:
    trace = tmp_path / "far.spc"
    trace.write_text("0,0,4096,w,0.0\n0,99999999999,4096,w,0.1\n")
    said = refused("run", "tiny", "--trace", trace, "--format", "spc", "--out", tmp_path / "out")
    assert "2" in said
    assert "fold" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["far.spc"]


def test_output_that_cannot_be_written(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    assert str(file) in refused("run", "tiny", "--out", file)
    assert "cannot be written" in refused("run", "tiny", "--out", file / "below")
    assert "cannot be written" in refused("run", "tiny", "--out", "/proc/wordline/out")


def test_a_state_that_cannot_be_saved_is_found_before_the_run(tmp_path: Path) -> None:
    endless = ("--set", "workload.requests=1_000_000_000")
    said = refused("run", "tiny", *endless, "--save-state", tmp_path / "none" / "state")
    assert "cannot be written: No such file or directory" in said
    assert refused("run", "tiny", *endless, "--save-state", "/proc/wordline")


def test_a_directory_that_is_no_result_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "thesis"
    out.mkdir()
    (out / "chapter.tex").write_text("words")
    assert "chapter.tex" in refused("run", "tiny", "--out", out)
    assert (out / "chapter.tex").read_text() == "words"


@pytest.mark.slow
def test_a_result_is_replaced_but_not_with_other_files_in_it(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert small_run("--out", out).returncode == 0
    assert small_run("--out", out).returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    (out / "remarks.txt").write_text("mine")
    assert "remarks.txt" in refused("run", "tiny", "--out", out)


def test_an_empty_directory_is_filled(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    assert small_run("--out", out).returncode == 0
    assert (out / "report.html").exists()


@pytest.mark.slow
def test_a_full_disk_leaves_the_earlier_result(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert small_run("--out", out).returncode == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    done = small_run("--out", out, preexec_fn=little_room)
    assert done.returncode == 2, done.stderr
    assert done.stderr.endswith(f"error: {out}: cannot be written: File too large\n")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_python_raises_what_the_command_prints() -> None:
    with pytest.raises(wl.ConfigError, match=r"ftl\.gc\.vicitm"):
        wl.Drive.from_toml("tiny", **{"ftl.gc.vicitm": "greedy"})
    with pytest.raises(wl.ConfigError, match=r"workload\.queue_depht"):
        wl.simulate("tiny", wl.Workload(queue_depht=3))
    with pytest.raises(wl.ConfigError, match="NoneType"):
        wl.Workload(queue_depth=None)
    with pytest.raises(wl.TraceError, match="nowhere"):
        wl.trace_stats("nowhere.spc")
    with pytest.raises(ValueError, match="tiny"):
        wl.Drive.from_toml("tinny")


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is read from /proc")
def test_a_drive_that_needs_more_memory_than_the_process_may_have() -> None:
    command = f"ulimit -v 3000000; exec {sys.executable} -m wordline.cli run datacenter-qlc"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.count("\n") < 5
    assert re.search(
        r"need about [\d,]+ MB of memory and [\d,]+ MB are available: make", done.stderr
    )
