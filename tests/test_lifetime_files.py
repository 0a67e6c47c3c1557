"""Lifetime studies that are stopped and resumed, leave files behind, or are repeated with other seeds."""

from __future__ import annotations

import html
import json
import signal
import statistics
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import wordline as wl
from shared import refused, wordline
from test_retention import SMALL
from wordline.cli import app
from wordline.lifetimes import LifetimeFiles, study, writer
from wordline.outputs import output_directory
from wordline.progress import LifetimeReport
from wordline.report import lifetime as page
from wordline.report import replicas as replicas_page
from wordline.report.retention import span
from wordline.retention import YEAR
from wordline.saving import write_all
from wordline.simulation import configuration

DAY = 86_400.0
ASKED = wl.LifetimeStudy(
    cell="mlc", writes_per_day=50, horizon=60 * DAY, every=10 * DAY, required=30 * DAY
)
ENDS = replace(ASKED, required=5 * YEAR)
"""Lives end between the snapshots at 30 and at 40 days."""


MONTH = 365 * 86_400 / 12
"""Seconds of the twelfth of a year."""


def test_snapshot_files(tmp_path: Path) -> None:
    files = LifetimeFiles(snapshots=tmp_path / "snapshots", snapshots_every=2)
    found = wl.lifetime("tiny", asked=ASKED, files=files)
    names = sorted(file.name for file in (tmp_path / "snapshots").iterdir())
    assert names == ["000000.parquet", "000002.parquet", "000004.parquet", "000006.parquet"]
    for file in (tmp_path / "snapshots").iterdir():
        head = pl.read_parquet_metadata(file)
        assert head["identity"] == found.identity
        row = found.snapshots.row(int(file.stem), named=True)
        assert float(head["time_s"]) == row["time_s"]
        assert {"seed", "workload_passes", "error"} <= set(head)
        table = pl.read_parquet(file)
        assert table["block"].to_list() == list(range(found.blocks.height))
        assert table["erase_count"].mean() == pytest.approx(row["erase_count_mean"])
        assert set(table["role"]) <= {"free", "open", "closed"}
        assert table.columns == found.blocks.columns
        times = table["last_program_s"].drop_nulls()
        assert (times <= row["time_s"]).all()


@pytest.mark.slow
def test_a_study_that_was_stopped_goes_on(tmp_path: Path) -> None:
    resolved = configuration("tiny", None)
    # long enough for many looks, which come at times of the clock on the wall
    asked = replace(ASKED, tolerance=None, horizon=15 * DAY)
    whole = study(resolved, asked, LifetimeFiles(), None)
    files = LifetimeFiles(state=tmp_path / "state", resume=True)
    with pytest.raises(KeyboardInterrupt):
        study(resolved, asked, files, lambda *_: not (tmp_path / "state").exists())
    again = study(resolved, asked, files, None)
    assert again.snapshots.equals(whole.snapshots)
    assert again.blocks.equals(whole.blocks)
    assert again.identity == whole.identity
    longer = wl.LifetimeStudy(cell="mlc", writes_per_day=50, horizon=61 * DAY)
    with pytest.raises(wl.ConfigError, match="another study"):
        study(resolved, longer, files, None)


def test_replicas_do_not_depend_on_threads() -> None:
    one, two = (wl.lifetime_replicas("tiny", asked=ENDS, replicas=3, jobs=jobs) for jobs in (1, 3))
    assert len(one.found) == 3
    for seed, found in one.found.items():
        assert found.snapshots.equals(two.found[seed].snapshots)
    first, second, *_ = one.found.values()
    assert first.blocks["erase_count"].to_list() != second.blocks["erase_count"].to_list()
    assert one.lives == two.lives
    alone = wl.lifetime("tiny", asked=ENDS)
    assert alone.snapshots.equals(first.snapshots)
    assert alone.summary["life_s"] == one.lives[0]


def test_the_mean_life_of_replicas_has_the_interval_of_student() -> None:
    found = wl.lifetime_replicas("tiny", asked=ENDS, replicas=3)
    lives = [life for life in found.lives if life is not None]
    assert len(set(lives)) == 3
    assert all(20 * DAY < life < 50 * DAY for life in lives)
    assert found.life is not None
    assert found.life.mean == pytest.approx(statistics.fmean(lives))
    assert found.life.deviation == pytest.approx(statistics.stdev(lives))
    # 4.3027 is Student's t of two degrees of freedom
    wanted = 4.302653 * statistics.stdev(lives) / 3**0.5
    assert found.life.half_width == pytest.approx(wanted, rel=1e-6)
    assert found.life.half_width is not None
    mean = sum(lives) / 3
    error = (sum((life - mean) ** 2 for life in lives) / 2 / 3) ** 0.5
    # Student's t of 95 % and two degrees of freedom
    assert found.life.half_width == pytest.approx(4.302653 * error, rel=1e-6)
    shown = f"{mean / MONTH:.4g} ± {found.life.half_width / MONTH:.2g} months, by 3 seeds"
    assert shown in replicas_page.verdict(found, ENDS)
    beyond = wl.lifetime_replicas("tiny", asked=ASKED, replicas=2)
    assert beyond.life is None
    assert "2 of 2 drives" in replicas_page.verdict(beyond, ASKED)


def test_a_drive_that_outlasts_the_study_is_told_by_what_it_retains() -> None:
    found = wl.lifetime("tiny", asked=ASKED)
    assert found.summary["life_s"] is None
    shortest = found.snapshots["retention_p10_s"][-1]
    shown = page.verdict(found, ASKED)
    assert shown.endswith(
        f"90 % of the blocks keep data for {span(shortest)} without power (required: {span(ASKED.required)})"
    )
    assert span(shortest) != span(ASKED.required)


def test_a_life_is_shown_with_its_error() -> None:
    found = wl.lifetime("tiny", asked=ENDS)
    life, error = found.summary["life_s"], found.summary["life_error_s"]
    assert life is not None
    assert error is not None
    assert 0 < error < 0.1 * life
    shown = f"for {span(life)} (± {span(error)}) 90 % of the blocks keep data"
    assert shown in page.verdict(found, ENDS)
    assert "±" not in page.verdict(found, replace(ENDS, tolerance=None))


def until_stopped(report: LifetimeReport) -> None:
    while report("years", 0.0, 0):
        time.sleep(0.001)
    raise KeyboardInterrupt


def test_the_error_of_a_later_replica_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(resolved: Any, asked: object, files: object, report: LifetimeReport) -> None:
        if resolved.get("seed") == 3:
            raise wl.ConfigError("the third")
        until_stopped(report)

    monkeypatch.setattr("wordline.replicas.study", fails)
    with pytest.raises(wl.ConfigError, match="the third"):
        wl.lifetime_replicas("tiny", asked=ASKED, replicas=5, jobs=3)


def test_drives_whose_cells_vary() -> None:
    variation = wl.CellVariation(drives=12)
    found = wl.lifetime("tiny", asked=wl.LifetimeStudy(**{**vars(ASKED), "variation": variation}))
    assert found.snapshots.equals(wl.lifetime("tiny", asked=ASKED).snapshots)
    assert found.fleet is not None
    assert found.fleet.columns == ["drive", "time_s", "retention_p10_s"]
    assert found.fleet.height == 12 * found.snapshots.height
    last = found.fleet.filter(pl.col("time_s") == ASKED.horizon)["retention_p10_s"]
    assert last.n_unique() == 12
    assert last.max() < 1.1 * found.snapshots["retention_p10_s"][-1]
    assert len(found.fleet_lives) == 12
    assert wl.fleet_life([3.0, None, 1.0, 2.0]) == 1.0
    assert wl.fleet_life([float(life) for life in range(20)]) == 1.0
    assert wl.fleet_life([None]) is None


@pytest.mark.slow
def test_the_command_studies_a_fleet(tmp_path: Path) -> None:
    done = wordline(*SMALL, "--fleet", "5", "--sigma-leak", "0.3", "--out", tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert len(answer["fleet_life_s"]) == 5
    assert answer["fleet_life_p10_s"] == wl.fleet_life(answer["fleet_life_s"])
    assert "cells vary" in (tmp_path / "report.html").read_text()


def test_temperatures_in_turn() -> None:
    profile = ((25 * DAY, 30.0), (35 * DAY, 55.0))
    found = wl.lifetime("tiny", asked=wl.LifetimeStudy(**{**vars(ASKED), "temperature": profile}))
    days = [time / DAY for time in found.snapshots["time_s"]]
    assert days == [0, 10, 20, 25, 25, 30, 40, 50, 60]
    tenth = found.snapshots["retention_p10_s"]
    assert tenth[4] < 0.5 * tenth[3]


@pytest.mark.slow
def test_the_command_keeps_files_and_repeats(tmp_path: Path) -> None:
    state = ("--state", tmp_path / "state", "--resume")
    out = tmp_path / "life"
    done = wordline(*SMALL, *state, "--snapshot-files", "3", "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    assert sorted(file.name for file in (out / "snapshots").iterdir()) == [
        "000000.parquet",
        "000003.parquet",
        "000006.parquet",
    ]
    again = wordline(*SMALL, *state, "--json")
    cpu = "run.cpu_s"
    one, two = json.loads(done.stdout), json.loads(again.stdout)
    assert one.pop(cpu)
    assert two.pop(cpu)
    assert one == two
    out = tmp_path / "replicas"
    done = wordline(*SMALL, "--require", "5 y", "--replicas", "2", "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert [note["key"] for note in answer.pop("notes")] == ["other_cells", "spread_of_skips"]
    assert [found["seed"] for found in answer["studies"]] == [1, 2]
    one, other = (found["life_s"] for found in answer["studies"])
    # of two values: 12.7062 is Student's t of one degree of freedom
    assert answer["life_s"] == {
        "mean": pytest.approx((one + other) / 2),
        "half_width": pytest.approx(12.706205 * abs(one - other) / 2, rel=1e-6),
        "deviation": pytest.approx(abs(one - other) / 2**0.5),
        "count": 2,
    }
    assert json.loads((out / "replicas.json").read_text()) == answer
    assert pl.read_csv(out / "snapshots.csv")["seed"].unique().sort().to_list() == [1, 2]
    assert "Retention" in (out / "report.html").read_text()


LONG = ("lifetime", "tiny", "--writes-per-day", "50", "--exact")
"""A study of minutes."""


@pytest.mark.skipif(sys.platform == "win32", reason="sends an interrupt to a process")
@pytest.mark.parametrize("keeps", [True, False])
def test_an_interrupt_says_what_stays(tmp_path: Path, keeps: bool) -> None:
    options = ["--out", "life"]
    if keeps:
        options += ["--snapshot-files", "1", "--state", "saved"]
    with subprocess.Popen(
        [sys.executable, "-m", "wordline.cli", *LONG, *options],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    ) as process:
        awaited = ["life/snapshots/000000.parquet", "saved"] if keeps else ["life"]
        while process.poll() is None and not all((tmp_path / name).exists() for name in awaited):
            time.sleep(0.05)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=600)
    assert process.returncode == 130
    # how long it takes was said beforehand
    (forecast, *_, last) = complaint.splitlines()
    assert forecast.startswith("estimated time: ")
    if keeps:
        stays = "saved stays, for --resume, and the files in life/snapshots stay"
        assert last == f"interrupted; {stays}"
        assert (tmp_path / "saved").exists()
    else:
        assert last == "interrupted; nothing was written"
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("more", [(), ("--replicas", "2")])
def test_an_output_that_cannot_be_written_is_found_before_the_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...]
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("the study has begun")

    monkeypatch.setattr("wordline.lifetimes.study", never)
    monkeypatch.setattr("wordline.replicas.study", never)
    file = tmp_path / "file"
    file.touch()
    for out in (file, file / "below", "/proc/wordline/out"):
        done = CliRunner().invoke(app, [*SMALL, *more, "--out", str(out)])
        assert done.exit_code == 2
        assert f"error: {out}: cannot be written" in done.output


def test_an_output_directory_stays_where_something_is_in_it(tmp_path: Path) -> None:
    with output_directory(tmp_path / "a/b"):
        pass
    assert (tmp_path / "a/b").is_dir()
    assert list((tmp_path / "a/b").iterdir()) == []
    with pytest.raises(KeyboardInterrupt), output_directory(tmp_path / "c/d"):
        raise KeyboardInterrupt
    assert not (tmp_path / "c").exists()
    with pytest.raises(wl.OutputError), output_directory(tmp_path / "a/e"):
        write_all(tmp_path / "a/e", {"file": "", "none/file": ""})
    assert (tmp_path / "a/e/file").exists()
    with pytest.raises(KeyboardInterrupt), output_directory(tmp_path / "a/b"):
        raise KeyboardInterrupt
    assert (tmp_path / "a/b").is_dir()


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (KeyboardInterrupt(), KeyboardInterrupt),
        (OSError("no room"), wl.OutputError),
        (pl.exceptions.ComputeError("no room"), wl.OutputError),
    ],
)
def test_nothing_stays_of_half_a_snapshot(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    raised: BaseException,
    told: type[BaseException],
) -> None:
    def fails(_: pl.DataFrame, file: Any, **__: object) -> None:
        file.write(b"PAR1")
        raise raised

    monkeypatch.setattr(pl.DataFrame, "write_parquet", fails)
    with pytest.raises(told):
        writer(tmp_path / "snapshots")({"number": 4, "blocks": {"last_program_s": [1.0]}})
    assert list((tmp_path / "snapshots").iterdir()) == []


def test_names_in_json_have_their_units() -> None:
    profile = ((25 * DAY, 30.0), (35 * DAY, 55.0))
    told = page.given(replace(ASKED, temperature=profile, variation=wl.CellVariation(gap=0.02)))
    assert told["temperature_profile"] == [
        {"for_s": 25 * DAY, "degc": 30.0},
        {"for_s": 35 * DAY, "degc": 55.0},
    ]
    assert "temperature_degc" not in told
    assert told["variation"] == {"drives": 100, "traps": 0.05, "leak": 0.1, "gap_v": 0.02}
    told = page.given(ASKED)
    assert told["temperature_degc"] == 30.0
    assert told["variation"] is None
    assert told["required_s"] == 30 * DAY


def test_snapshots_that_never_come_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "life"
    said = refused(*SMALL, "--snapshot-files", "99999999999999999999", "--out", out)
    assert (
        "snapshots_every = 99999999999999999999: accepted are whole numbers from 1 to 100000"
        in said
    )
    assert not out.exists()
    for drives in (-1, 0):
        asked = replace(ASKED, variation=wl.CellVariation(drives=drives))
        with pytest.raises(wl.ConfigError, match="1 to 10000"):
            wl.lifetime("tiny", asked=asked)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([*SMALL, "--resume"], ["--resume", "--state"]),
        ([*SMALL, "--jobs", "2"], ["--jobs", "--replicas"]),
        ([*SMALL, "--snapshot-files", "2"], ["--snapshot-files", "--out"]),
        ([*SMALL, "--replicas", "2", "--state", "x"], ["--state", "--replicas"]),
        ([*SMALL, "--temperature", "30 degC for 10 d"], ["temperature for 10 d", "horizon"]),
        ([*SMALL, "--temperature", "30 degC for 1 y, 55 degC"], ["55 degC", "for how long"]),
        ([*SMALL, "--temperature", "300 degC for 1 y"], ["-40 to 150"]),
        ([*SMALL, "--sigma-leak", "0.2"], ["--sigma-leak", "--fleet"]),
        ([*SMALL, "--fleet", "2", "--sigma-traps", "0.7"], ["sigma_traps", "0 to 0.5"]),
        ([*SMALL, "--fleet", "2", "--sigma-gap", "-1"], ["sigma_gap"]),
        ([*SMALL, "--fleet", "100000"], ["drives = 100000"]),
        ([*SMALL, "--fleet", "5000000000"], ["drives = 5000000000", "1 to 10000"]),
        ([*SMALL, "--state", "/nowhere/state"], ["/nowhere/state"]),
    ],
)
def test_bad_input_is_refused(arguments: list[str], words: list[str]) -> None:
    said = refused(*arguments)
    for word in words:
        assert word in said


def test_a_study_that_skips_says_so_beside_the_spread_of_erases() -> None:
    skipping = wl.lifetime("tiny", asked=ASKED)
    assert skipping.summary["skips_kept"]
    assert [note.key for note in skipping.notes] == ["other_cells", "spread_of_skips"]
    assert skipping.notes[1].text in html.unescape(page.render(skipping, ASKED))
    exact = replace(ASKED, tolerance=None, horizon=4 * DAY, every=4 * DAY)
    every_write = wl.lifetime("tiny", asked=exact)
    assert [note.key for note in every_write.notes] == ["other_cells"]
    assert "simulating every write" not in page.render(every_write, exact)
