"""Every command refuses an output that cannot be written before it does anything else."""

from pathlib import Path

import pytest

from shared import wordline

HUGE = ("--set", "workload.requests=1000000000")
"""A run that no test waits for: a command that simulates first does not end in time."""

DIRECTORIES = {
    "run": ("run", "tiny", *HUGE),
    "run --seeds": ("run", "tiny", "--seeds", "2", *HUGE),
    "run --sample": ("run", "tiny", "--sample", *HUGE),
    "spec": ("spec", "tiny", "--requests", "1000000000"),
    "sweep": ("sweep", "tiny", "--vary", "ftl.gc.victim=greedy,fifo", *HUGE),
    "search": (
        *("search", "tiny", "--vary", "ftl.gc.victim=greedy,fifo"),
        *("--minimize", "ftl.write_amplification", *HUGE),
    ),
    "infer": (
        *("infer", "tiny", "--vary", "timing.t_r=20 us..100 us"),
        *("--target", "host.iops=1000+-5%", *HUGE),
    ),
    "lifetime": ("lifetime", "bench", "--writes-per-day", "1", "--exact"),
    "lifetime --replicas": (
        *("lifetime", "bench", "--writes-per-day", "1", "--exact", "--replicas", "2"),
    ),
    "lifetime --also": (
        *("lifetime", "bench", "--writes-per-day", "1", "--exact"),
        *("--also", "temperature=55 degC"),
    ),
    "power of a drive": ("power", "tiny", "--requests", "1000000000"),
    "power of a chip": ("power", "b-mlc8"),
    "cell": ("cell", "mlc_wu2013"),
    "ecc": ("ecc",),
    "retention": ("retention",),
    "reproduce": ("reproduce", "ftl-family"),
    "serve": ("serve", "tiny", "--socket", "drive.sock"),
}

FILES = {
    "run --save-state": ("run", "tiny", *HUGE, "--save-state"),
    "run --timeline": ("run", "tiny", *HUGE, "--timeline"),
    "lifetime --state": ("lifetime", "bench", "--writes-per-day", "1", "--exact", "--state"),
    "compare": ("compare", "one", "other", "--out"),
    "trace-stats": ("trace-stats", "my.trace", "--report"),
    "fit": ("fit", "my.trace", "--out"),
    "import": ("import", "ssdconfig.xml", "--output"),
    "convert": ("convert", "my.trace"),
    "serve --trace": ("serve", "tiny", "--socket", "drive.sock", "--trace"),
    "crash-test --stream": ("crash-test", "--command", "true", "--stream"),
}


def refused(tmp_path: Path, *command: str) -> str:
    """What a command complains of, which leaves the folder as it was."""
    before = sorted(tmp_path.rglob("*"))
    done = wordline(*command, cwd=tmp_path)
    assert done.returncode == 2, done.stdout + done.stderr
    assert not done.stdout
    assert sorted(tmp_path.rglob("*")) == before
    return " ".join(done.stderr.split())


@pytest.mark.parametrize("name", DIRECTORIES)
def test_an_output_directory_that_cannot_be_made_is_refused_first(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("a file")
    for out, why in (
        ("taken", " is a file; name a directory"),
        ("taken/inside", "taken is a file; name a dir"),
    ):
        said = refused(tmp_path, *DIRECTORIES[name], "--out", out)
        assert out in said
        assert why in said


@pytest.mark.parametrize("name", FILES)
def test_an_output_file_that_cannot_be_written_is_refused_first(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for out, why in (("folder", "is a directory"), ("absent/file", "No such file")):
        said = refused(tmp_path, *FILES[name], out)
        assert f"{out}: cannot be written" in said
        assert why in said


@pytest.mark.parametrize(
    "name", ["spec", "sweep", "search", "infer", "power of a drive", "reproduce"]
)
def test_finished_runs_have_a_place_before_the_first_begins(name: str, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    said = refused(tmp_path, *DIRECTORIES[name], "--cache", "taken")
    assert "taken: cannot be written: it is a file; name a directory" in said


def test_images_of_failed_checks_have_a_place_before_the_program_runs(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    said = refused(tmp_path, "crash-test", "--command", "touch ran", "--keep", "taken")
    assert "taken: cannot be written: it is a file; name a directory" in said


def test_a_directory_without_permission_is_refused(tmp_path: Path) -> None:
    """As root everything may be written, so the directory is one of the kernel's."""
    said = refused(tmp_path, "spec", "tiny", "--requests", "1000000000", "--out", "/proc/sheet")
    assert "/proc/sheet: cannot be written" in said
