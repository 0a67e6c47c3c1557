"""Where output goes: directories that are replaced, a standard output that takes no more, names of files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import wordline as wl
from options import BESIDE
from shared import SMALL, small_run, wordline
from wordline.cli import COMMANDS
from wordline.formatting import printable
from wordline.outputs import HIDDEN
from wordline.saving import ResultDirectory, exchange

OTHER = ("--set", "workload.requests=500")


def contents(directory: Path) -> dict[str, bytes]:
    """The files of a directory."""
    return {path.name: path.read_bytes() for path in directory.iterdir()}


@pytest.mark.slow
def test_a_result_of_another_configuration_needs_force(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert small_run("--out", out).returncode == 0
    before = contents(out)
    for several in ((), ("--seeds", 2)):
        done = small_run(*OTHER, *several, "--out", out)
        assert done.returncode == 2
        assert done.stderr.startswith(f"error: {out}: holds the result of another configuration")
        assert "workload.requests" in done.stderr
        assert "--force" in done.stderr
        assert contents(out) == before
    assert small_run("--out", out).returncode == 0
    assert small_run(*OTHER, "--out", out, "--force").returncode == 0
    assert wl.load(out).summary["host.requests"] == 500
    # over several seeds too, whichever of them holds it
    assert small_run(*OTHER, "--seeds", 2, "--out", out).returncode == 0
    assert small_run("--out", out).returncode == 2
    assert small_run("--out", out, "--force").returncode == 0
    (out / "config.toml").write_text("[broken")
    assert small_run("--out", out).returncode == 2
    assert small_run("--force").returncode == 2  # there is no --out


def test_python_needs_force_too(saved: Path, tmp_path: Path) -> None:
    first = wl.load(saved)
    out = first.save(tmp_path / "out")
    other = wl.simulate(wl.Drive.from_toml("tiny", **{"workload.requests": 10}), progress=False)
    with pytest.raises(wl.OutputError, match="force=True"):
        other.save(out)
    first.save(out)
    assert other.save(out, force=True) == out
    runs = wl.simulate_seeds("tiny", wl.Workload(requests=20), seeds=2, progress=False)
    with pytest.raises(wl.OutputError, match=r"workload\.requests"):
        runs.save(out)
    runs.save(out, force=True)
    runs.save(out)


def test_two_runs_into_one_directory_at_once(saved: Path, tmp_path: Path) -> None:
    first = wl.load(saved)
    other = wl.simulate(wl.Drive.from_toml("tiny", **{"workload.requests": 10}), progress=False)
    for out in (tmp_path / "new", tmp_path / "empty"):
        if out.name == "empty":
            out.mkdir()
        with ResultDirectory(out, other.config) as slower:
            first.save(out)
            with pytest.raises(wl.OutputError, match=rf"workload\.requests.*{out}-2"):
                slower.publish(other)
        assert wl.load(out).config == first.config
        assert wl.load(f"{out}-2").config == other.config
        assert not list(tmp_path.rglob(f"{HIDDEN}*"))


def test_links_that_lead_round_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to(tmp_path / "other")
    (tmp_path / "other").symlink_to(tmp_path / "one")
    for command in (
        ("run", "tiny", "--set", "workload.requests=10", "--out", tmp_path / "one"),
        ("run", "tiny", "--set", "workload.requests=10", "--out", tmp_path / "one" / "below"),
        ("compare", tmp_path / "one", tmp_path / "other"),
        ("sweep", "tiny", "--vary", "seed=1,2", "--out", tmp_path / "one"),
        ("spec", "tiny", "--out", tmp_path / "one"),
        ("check", tmp_path / "one"),
        ("trace-stats", tmp_path / "one"),
    ):
        done = wordline(*command)
        assert done.returncode == 2, command
        assert "Traceback" not in done.stderr, done.stderr
        # before it a command may say how many runs were kept, or how far it is
        assert done.stderr.splitlines()[-1].startswith("error: "), done.stderr


@pytest.mark.slow
def test_a_lifetime_study_needs_force(tmp_path: Path) -> None:
    study = (
        "lifetime",
        "tiny",
        "--writes-per-day",
        1,
        "--horizon",
        "1 mo",
        "--out",
        tmp_path / "out",
    )
    assert wordline(*study).returncode == 0
    assert wordline(*study).returncode == 0
    other = ("--set", "ftl.gc.victim=fifo")
    done = wordline(*study, *other)
    assert done.returncode == 2
    assert "ftl.gc.victim" in done.stderr
    assert wordline(*study, *other, "--force", "--json").returncode == 0


@pytest.mark.slow
def test_the_directory_of_a_shell_stays_the_same(tmp_path: Path) -> None:
    for _ in range(2):
        before = tmp_path.stat().st_ino
        assert small_run("--out", ".", cwd=tmp_path).returncode == 0
        assert tmp_path.stat().st_ino == before
        assert wl.load(tmp_path).number("host.requests") == SMALL["workload.requests"]
        assert not list(tmp_path.glob(".*"))
    assert small_run("--seeds", 2, "--out", ".", cwd=tmp_path).returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["seed-1", "seed-2", "seeds.json"]


def test_what_a_killed_run_left_is_in_nobodys_way(saved: Path, tmp_path: Path) -> None:
    out = wl.load(saved).save(tmp_path / "out")
    (out / f"{HIDDEN}left").mkdir()
    assert wl.load(saved).save(out) == out


def test_an_exchange_that_fails_is_undone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    building, target = tmp_path / f"{HIDDEN}new", tmp_path / "target"
    building.mkdir()
    target.mkdir()
    for name in ("a", "b"):
        (target / name).write_text(f"old {name}")
        (building / name).write_text(f"new {name}")
    before = contents(target)
    moves = 0
    rename = Path.rename

    def fails(self: Path, place: Path) -> Path:
        nonlocal moves
        moves += 1
        if moves == 4:
            raise OSError("no more")
        return rename(self, place)

    monkeypatch.setattr(Path, "rename", fails)
    with pytest.raises(OSError, match="no more"):
        exchange(building, target)
    assert contents(target) == before
    monkeypatch.undo()
    exchange(building, target)
    assert contents(target) == {"a": b"new a", "b": b"new b"}


@pytest.mark.skipif(sys.platform == "win32", reason="has no such permissions")
def test_permissions_are_those_of_any_directory(saved: Path, tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        out = wl.load(saved).save(tmp_path / "out")
        (tmp_path / "any").mkdir()
        assert out.stat().st_mode == (tmp_path / "any").stat().st_mode
        # and what is written later has those that the user asked for
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere"
)
def test_a_place_without_permission_is_found_before_the_run(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        done = small_run("--out", tmp_path / "new", "--set", "workload.requests=1_000_000_000")
        assert done.returncode == 2
        assert "Permission denied" in done.stderr
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
@pytest.mark.parametrize(
    "arguments", [("run", "tiny", "--json", *OTHER), ("presets",), ("schema",)]
)
def test_a_full_standard_output(arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "wordline.cli", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "error: standard output: No space left on device"
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
@pytest.mark.parametrize("closed", [">&-", "<&- >&-"])
@pytest.mark.parametrize("arguments", ["presets", "run tiny --set workload.requests=500 --out out"])
def test_without_a_standard_output(closed: str, arguments: str, tmp_path: Path) -> None:
    done = subprocess.run(
        f"'{sys.executable}' -m wordline.cli {arguments} {closed}",
        shell=True,
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "error: standard output: Bad file descriptor"
    assert "Traceback" not in done.stderr
    if "--out" in arguments:  # is written before
        assert wl.load(tmp_path / "out").summary["host.requests"] == 500


@pytest.mark.skipif(sys.platform == "win32", reason="pipes end otherwise")
@pytest.mark.parametrize(
    "arguments", [("presets",), ("schema",), ("--help",), ("run", "tiny", *OTHER)]
)
def test_a_standard_output_that_was_closed(arguments: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "wordline.cli", *arguments],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert done.returncode == 141
    assert done.stderr == ""


@pytest.mark.parametrize(
    "command",
    [(), *((name,) for names in COMMANDS.values() for name in names if name not in BESIDE)],
)
def test_help_tells_the_exit_statuses(command: tuple[str, ...]) -> None:
    done = wordline(*command, "--help")
    told = " ".join(done.stdout.split())
    assert "Exit status: 0 done, 1 a defect" in told
    assert "143 terminated (SIGTERM)" in told


def test_a_width_that_is_no_number() -> None:
    for arguments in (("--help",), ("run", "--help")):
        done = wordline(*arguments, env={**os.environ, "TERMINAL_WIDTH": "abc"})
        assert done.returncode == 0
        assert "Traceback" not in done.stderr


def test_control_characters_are_shown() -> None:
    assert printable("a\x1b[31mb\tc\nd\x9b\x7f") == "a\\x1b[31mb\tc\nd\\x9b\\x7f"
    assert printable("µs – \udcff") == "µs – \\udcff"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no such names")
def test_names_of_files_do_not_drive_the_terminal(tmp_path: Path) -> None:
    name = "\x1b]0;title\x07\x1b[31m"
    trace = tmp_path / f"{name}.spc"
    trace.write_text("".join(f"0,{i * 8},4096,w,{i}.0\n" for i in range(2_000)))
    out, page = tmp_path / f"out{name}", tmp_path / f"page{name}.html"
    for arguments in (
        ("run", "tiny", "--trace", trace, "--out", out),
        ("run", "tiny", "--trace", trace, "--json"),
        ("run", "tiny", "--trace", trace, "--format", "msr"),
        ("run", tmp_path / f"no{name}.toml"),
        ("run", "tiny", "--set", f"workload.path={name}"),
        ("check", out / "config.toml"),
        ("trace-stats", trace, "--report", page),
        ("trace-stats", trace, "--json"),
        ("convert", trace, tmp_path / f"{name}.wlt"),
        ("compare", out, out, "--out", page),
        ("compare", out, tmp_path / f"no{name}"),
    ):
        done = wordline(*arguments)
        assert done.stdout or done.stderr
        assert "\x1b" not in done.stdout + done.stderr, arguments
        assert "\x07" not in done.stdout + done.stderr, arguments


@pytest.mark.slow
def test_the_notes_of_every_command_are_in_its_json(tmp_path: Path) -> None:
    trace = tmp_path / "trace.spc"
    trace.write_text("".join(f"0,{i * 8},4096,w,{i}.0\n" for i in range(2_000)))
    odd = (*OTHER, "--set", "timing.t_r=300 us")  # longer than a program
    for name in ("one", "two"):
        assert wordline("run", "tiny", *OTHER, "--out", tmp_path / name).returncode == 0
    for arguments, key in (
        (("run", "tiny", *odd, "--json"), "configuration"),
        (("run", "tiny", *OTHER, "--json"), "too_short"),
        (("run", "tiny", *OTHER, "--seeds", 2, "--json"), "too_short"),
        (("compare", tmp_path / "one", tmp_path / "two", "--json"), "one_run"),
        (("trace-stats", trace, "--json"), "trace"),
    ):
        done = wordline(*arguments)
        assert done.returncode == 0, done.stderr
        notes = json.loads(done.stdout)["notes"]
        assert key in {note["key"] for note in notes}, arguments
        for note in notes:
            assert f"{note['severity']}: {note['text']}" in done.stderr.splitlines()
    study = ("lifetime", "tiny", "--writes-per-day", 1, "--horizon", "1 mo", "--json")
    told = json.loads(wordline(*study).stdout)["notes"]
    assert [note["key"] for note in told] == ["spread_of_skips"]
    assert json.loads(wordline(*study, "--exact").stdout)["notes"] == []


def test_each_job_has_a_line(tmp_path: Path) -> None:
    jobs = tmp_path / "two.fio"
    jobs.write_text("[global]\nsize=2m\nbs=4k\n[reader]\nrw=randread\n[writer]\nrw=randwrite\n")
    done = wordline("run", "tiny", "--workload", jobs, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    result = wl.load(tmp_path / "out")
    lines = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines() if line}
    for name, kind in (("reader", "read"), ("writer", "write")):
        figures = (
            *("all.count", "iops", "bandwidth_mb_s"),
            *(f"{kind}.latency.mean_us", f"{kind}.latency.p99_us"),
        )
        shown = [float(cell.replace(",", "")) for cell in lines[name] if cell != "–"]
        wanted = [result.number(f"tenants.{name}.{figure}") for figure in figures]
        assert shown == pytest.approx(wanted, rel=1e-3), name
    # and what the time of the slowest went into
    assert "512 reads: median " in done.stdout
    assert "of that is queueing behind" in done.stdout


def test_a_number_of_the_summary(result: wl.Result) -> None:
    assert result.number("host.requests") == SMALL["workload.requests"]
    assert isinstance(result.number("host.requests"), float)
    for key, said in (
        ("host.request", "did you mean host.requests"),
        (
            "host.read.latency.p99",
            "did you mean host.read.latency.p99_us, host.read.latency.p999_us",
        ),
        ("run.version", "not a number"),
        ("check.audited", "not a number"),
    ):
        with pytest.raises(KeyError, match=said):
            result.number(key)
    fresh = wl.simulate(wl.Drive.from_toml("tiny", **{**SMALL, "workload.read_fraction": 0.0}))
    with pytest.raises(KeyError, match="missing"):
        fresh.number("host.read.latency.mean_us")
