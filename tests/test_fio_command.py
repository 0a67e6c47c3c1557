"""fio on the command line: its variables, its own command lines, and rows for its reporting groups."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import wordline as wl
from options import call, effect
from shared import ROOT, refused
from wordline.tenants import rows_of

CASES = ROOT.parent / "shared" / "cases" / "fio"
"""Small inputs as people have them."""
JOB = "[a]\nfilename=/dev/x\ndirect=1\nrw=randread\nbs=${BS}\nsize=(512k * 2)\n"


@pytest.fixture
def job(tmp_path: Path) -> Path:
    file = tmp_path / "job.fio"
    file.write_text(JOB)
    return file


@effect("run", "--define")
def test_a_variable_has_the_value_that_is_given(
    job: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def requests(*arguments: str) -> int:
        found = call("run", "tiny", "--workload", job, *arguments, "--json").json
        return int(found["host.requests"])

    assert requests("--define", "BS=4k") == 256
    monkeypatch.setenv("BS", "16k")
    assert requests() == 64
    # what is given goes before the environment, and stands in the configuration that is kept
    assert requests("--define", "BS=8k") == 128
    call("run", "tiny", "--workload", job, "--out", tmp_path / "out")
    kept = tmp_path / "out" / "config.toml"
    assert tomllib.loads(kept.read_text())["workload"]["define"] == {"BS": "16k"}
    monkeypatch.delenv("BS")
    assert call("run", kept, "--json").json["host.requests"] == 64


def test_a_variable_without_a_value_is_refused(job: Path) -> None:
    said = refused("run", "tiny", "--workload", job)
    assert f"{job}:5: bs=${{BS}}: `BS` has no value" in said
    assert "--define 8k" in refused("run", "tiny", "--workload", job, "--define", "8k")


@effect("run", "command")
def test_a_command_line_of_fio_is_run(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BS", "16k")
    words = "fio --bs=4k --filename=/dev/x --direct=1 --name=a --rw=randwrite --size=64k --name=b --rw=read --size 32k"
    found = call("run", "tiny", "--json", "--", *words.split()).json
    assert [found["host.write.count"], found["host.read.count"]] == [16, 8]
    # a job file among the words
    found = call("run", "tiny", "--json", "--", "fio", "--output-format=json", job).json
    assert found["host.requests"] == 64


def test_words_that_are_no_command_line_of_fio_are_refused(job: Path) -> None:
    assert "a command line of fio" in refused("run", "tiny", "--", "dd", "if=/dev/zero")
    assert "--client: no option of fio jobs" in refused("run", "tiny", "--", "fio", "--client=x")
    said = refused("run", "tiny", "--workload", job, "--", "fio", "--name=a")
    assert "there is a command line of fio for it" in said
    said = refused("run", "tiny", "--", "fio", "--name=a", "--filename=/dev/x", "--bs=5")
    assert "workload.jobs:3: bs=5" in said


def test_jobs_of_a_group_have_one_row() -> None:
    file = CASES / "k9-group-reporting.fio"
    if not file.is_file():
        pytest.skip(f"no inputs at {CASES}")
    summary = wl.simulate("tiny", wl.Workload(file)).summary
    assert [name for _, name in rows_of(summary)] == ["writers (8 jobs)", "reader"]
    each = [summary[f"tenants.writers_{number}.write.count"] for number in range(8)]
    # 500 a second for 50 ms at most
    counts = [count for count in each if isinstance(count, int) and 0 < count <= 26]
    assert len(counts) == 8
    assert summary["groups.writers_0.write.count"] == sum(counts)


def test_flushes_and_trims_are_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "job.fio"
    file.write_text(
        "[global]\nfilename=/dev/x\ndirect=1\nbs=4k\nsize=64k\n[w]\nrw=write\nfsync=4\n[t]\nrw=trim\n"
    )
    summary = wl.simulate("tiny", wl.Workload(file)).summary
    assert summary["tenants.w.flush.count"] == 3
    assert summary["tenants.t.trim.count"] == 16
    assert "tenants.t.flush.count" not in summary
    window = float(summary["tenants.w.window_s"] or 0)
    # a flush is no request for sectors, as fio counts them
    assert summary["tenants.w.iops"] == pytest.approx(16 / window)
    assert summary["tenants.w.all.count"] == 19
