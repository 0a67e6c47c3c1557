"""Lifetime studies that are stopped and resumed, leave files behind, or are repeated with other seeds."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import wordline as wl
from conftest import wordline
from test_bad_input import refused
from test_retention import SMALL
from wordline.lifetimes import LifetimeFiles, study
from wordline.simulation import configuration

DAY = 86_400.0
ASKED = wl.LifetimeStudy(writes_per_day=50, horizon=60 * DAY, every=10 * DAY, required=30 * DAY)


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


def test_a_study_that_was_stopped_goes_on(tmp_path: Path) -> None:
    resolved = configuration("tiny", None)
    whole = study(resolved, ASKED, LifetimeFiles(), None)
    files = LifetimeFiles(state=tmp_path / "state", resume=True)
    with pytest.raises(KeyboardInterrupt):
        study(resolved, ASKED, files, lambda share, _: share < 0.3)
    assert (tmp_path / "state").exists()
    again = study(resolved, ASKED, files, None)
    assert again.snapshots.equals(whole.snapshots)
    assert again.blocks.equals(whole.blocks)
    assert again.identity == whole.identity
    longer = wl.LifetimeStudy(writes_per_day=50, horizon=61 * DAY)
    with pytest.raises(wl.ConfigError, match="another study"):
        study(resolved, longer, files, None)


def test_replicas_do_not_depend_on_threads() -> None:
    one, two = (wl.lifetime_replicas("tiny", asked=ASKED, replicas=3, jobs=jobs) for jobs in (1, 3))
    assert len(one.found) == 3
    for seed, found in one.found.items():
        assert found.snapshots.equals(two.found[seed].snapshots)
    first, second, *_ = one.found.values()
    assert first.blocks["erase_count"].to_list() != second.blocks["erase_count"].to_list()
    assert one.life == two.life
    lives = [life for life in one.lives if life is not None]
    if one.life is not None:
        assert min(lives) <= one.life.mean <= max(lives)
    alone = wl.lifetime("tiny", asked=ASKED)
    assert alone.snapshots.equals(first.snapshots)


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
    done = wordline(*SMALL, "--replicas", "2", "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert [found["seed"] for found in answer["studies"]] == [1, 2]
    assert json.loads((out / "replicas.json").read_text())["life_s"] == answer["life_s"]
    assert pl.read_csv(out / "snapshots.csv")["seed"].unique().sort().to_list() == [1, 2]
    assert "Retention" in (out / "report.html").read_text()


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
        ([*SMALL, "--state", "/nowhere/state"], ["/nowhere/state"]),
    ],
)
def test_bad_input_is_refused(arguments: list[str], words: list[str]) -> None:
    said = refused(*arguments)
    for word in words:
        assert word in said
