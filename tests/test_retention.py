"""Retention of cells and lifetimes of drives: the command line, the Python API and the pages."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import wordline as wl
from shared import refused, wordline
from wordline.retention import YEAR


@pytest.mark.parametrize(
    ("asked", "keys"),
    [
        (["--temperature", "30 degC,55 degC"], set()),
        (["--temperature", "30 degC,70 degC"], {"outside_temperatures"}),
        (["--cell", "mlc", "--after", "5000"], set()),
        (["--cell", "mlc", "--after", "20000"], {"beyond_rated_cycles"}),
    ],
)
def test_what_the_source_did_not_look_at_is_said(asked: list[str], keys: set[str]) -> None:
    told = json.loads(wordline("retention", *asked, "--json").stdout)
    assert {note["key"] for note in told["notes"]} == keys


def test_arrays_are_broadcast() -> None:
    model = wl.RetentionModel("slc")
    found = model.retention([[200.0], [1e4]], [0, 100, 1e4], 30.0)
    assert found.shape == (2, 3)
    assert found[0, 0] / YEAR == pytest.approx(65.5935, rel=1e-4)
    assert np.all(np.diff(found, axis=1) > 0)
    assert np.all(found[0] > found[1])
    assert float(model.vth_trapped(1e5)) == pytest.approx(1.219668, rel=1e-5)
    assert float(model.equivalent_events_for(model.vth_trapped(1e5))) == pytest.approx(1e5)
    assert float(model.events_per_equivalent(1e4, 1e5)) == pytest.approx(118.54266, rel=1e-4)
    assert float(model.vth_recovered(1e4, 1.0)) == 0
    assert np.all(np.diff(model.silc_current(np.geomspace(1, 1e8, 50))) > 0)
    assert float(model.wear_curve(0.0, 30.0, 500)) == pytest.approx(1000)


def test_endurance_inverts_the_curve() -> None:
    model = wl.RetentionModel("mlc")
    cycles = model.cycles_to_retention(YEAR, [0, 1e3], [30.0, 45.0])
    for rest, celsius, limit in ((0, 30.0, cycles[0]), (1e3, 45.0, cycles[1])):
        assert float(model.retention_curve(rest, celsius, limit)) == pytest.approx(YEAR, rel=1e-3)
    assert np.isnan(float(model.cycles_to_retention(1000 * YEAR, 0.0)))


def test_what_may_i_run_at() -> None:
    model = wl.RetentionModel("mlc")
    rest = model.shortest_rest(20_000, YEAR / 4)
    assert rest is not None
    assert float(model.retention_curve(rest, 30, 20_000)) == pytest.approx(YEAR / 4, rel=1e-3)
    assert model.shortest_rest(100, YEAR) == 0
    assert model.shortest_rest(1e9, YEAR) is None
    heat = model.highest_temperature(2_000, YEAR, 1e3)
    assert heat is not None
    assert float(model.retention_curve(1e3, heat, 2_000)) == pytest.approx(YEAR, rel=1e-3)
    assert model.highest_temperature(1e9, YEAR, 0) is None
    assert model.highest_temperature(100, 1.0, 0) == 150


def test_constants_and_modes() -> None:
    names = [name for name, *_ in wl.cell_constants()]
    assert "kappa" in names
    thin = wl.RetentionModel("slc", constants={"oxide": 7e-9})
    assert float(thin.retention(1e4, 0)) != float(wl.RetentionModel("slc").retention(1e4, 0))
    healed = wl.RetentionModel("slc", heat_heals=True)
    plain = wl.RetentionModel("slc")
    assert float(healed.retention(1e4, 100, 30)) == float(plain.retention(1e4, 100, 30))
    assert float(healed.retention(1e4, 100, 55)) > float(plain.retention(1e4, 100, 55))
    for bad in (
        lambda: wl.RetentionModel("qlc"),
        lambda: wl.RetentionModel(-1.0),
        lambda: wl.RetentionModel("slc", constants={"kapa": 1.0}),
        lambda: wl.RetentionModel("slc", barrier=[(1.0, 2.0)]),
        lambda: plain.retention(-1, 0),
        lambda: plain.retention(1, 0, 200),
        lambda: plain.retention(1, float("nan")),
        lambda: plain.cycles_to_retention(0, 0),
    ):
        with pytest.raises(wl.ConfigError, match="accepted"):
            bad()


def test_the_command_tells_cells(tmp_path: Path) -> None:
    asked = (
        "--rest",
        "0 s,1e3 s",
        "--temperature",
        "30 degC,55 degC",
        "--require",
        "1 y",
        "--after",
        "5000",
    )
    done = wordline("retention", "--cell", "mlc", *asked, "--json", "--out", tmp_path / "cell")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert [row["rest_s"] for row in answer["endurance"]] == [0, 1000, 0, 1000]
    cold, hot = answer["endurance"][1]["pe_cycles"], answer["endurance"][3]["pe_cycles"]
    assert cold > hot
    assert answer["after"][1]["shortest_rest_s"] == answer["after"][0]["shortest_rest_s"]
    assert [note["key"] for note in answer.pop("notes")] == ["beyond_rated_cycles"]
    assert json.loads((tmp_path / "cell/retention.json").read_text()) == answer
    table = pl.read_csv(tmp_path / "cell/retention.csv")
    assert table.height == sum(len(curve["pe_cycles"]) for curve in answer["curves"])
    assert "Endurance" in (tmp_path / "cell/report.html").read_text()
    assert "10 years" in wordline("retention").stdout


SMALL = (
    "lifetime",
    "tiny",
    "--cell",
    "mlc",
    "--writes-per-day",
    "50",
    "--horizon",
    "60 d",
    "--every",
    "10 d",
    "--require",
    "1 mo",
)


def test_the_command_studies_a_lifetime(tmp_path: Path) -> None:
    done = wordline(*SMALL, "--json", "--out", tmp_path / "life")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert [row["time_s"] / 86_400 for row in answer["snapshots"]] == [0, 10, 20, 30, 40, 50, 60]
    tenth = [row["retention_p10_s"] for row in answer["snapshots"]]
    assert tenth[-1] < tenth[0]
    assert answer["write_amplification"] >= 1
    assert (
        json.loads((tmp_path / "life/lifetime.json").read_text())["snapshots"]
        == answer["snapshots"]
    )
    blocks = pl.read_csv(tmp_path / "life/blocks.csv")
    assert blocks["erase_count"].mean() == pytest.approx(
        answer["snapshots"][-1]["erase_count_mean"]
    )
    assert "<h2>Wear</h2>" in (tmp_path / "life/report.html").read_text()


def test_a_lifetime_from_python() -> None:
    asked = wl.LifetimeStudy(
        writes_per_day=50, horizon=6 * 86_400.0, every=2 * 86_400.0, tolerance=None
    )
    found = wl.lifetime("tiny", {"kind": "random", "read_fraction": 0.5}, asked)
    assert found.snapshots.height == 4
    assert found.summary["simulated_share"] == 1
    assert (found.blocks["retention_s"] > 0).all()
    with pytest.raises(wl.ConfigError, match="accepted"):
        wl.lifetime("tiny", asked=wl.LifetimeStudy(horizon=0))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["retention", "--rest", "100"], ["100", "unit is missing"]),
        (["retention", "--temperature", "30"], ["30", "degC"]),
        (["retention", "--temperature", "300 degC"], ["temperature", "-40 to 150"]),
        (["retention", "--cell", "qlc"], ["qlc", "slc, mlc"]),
        (["retention", "--cycles", "10"], ["--cycles", "100:1e6"]),
        (["retention", "--set", "oxide=15e-9"], ["oxide", "13e-9"]),
        (["retention", "--set", "oxyde=7e-9"], ["oxyde", "oxide"]),
        (["retention", "--set", "oxide=7 nm"], ["7 nm", "SI units"]),
        (["retention", "--require", "0 s"], ["threshold", "above 0"]),
        (["lifetime", "tiny"], ["writes_per_day", "arrivals"]),
        (["lifetime", "tiny", "--writes-per-day", "0"], ["writes_per_day"]),
        (["lifetime", "tiny", "--horizon", "5"], ["unit is missing"]),
        ([*SMALL, "--tolerance", "0.5"], ["tolerance", "0.2"]),
        ([*SMALL, "--set", "workload.read_fraction=1.0"], ["writes nothing"]),
    ],
)
def test_bad_input_is_refused(arguments: list[str], words: list[str]) -> None:
    said = refused(*arguments)
    for word in words:
        assert word in said


DAY = 86_400.0


def test_cells_keep_data_until_a_code_does_not_correct_their_errors() -> None:
    cells = wl.Cells.from_toml("tlc_3d")
    cycles = np.array([500.0, 1_000.0, 3_000.0])
    days = cells.retention(cycles) / DAY
    for count, kept in zip(cycles, days, strict=True):
        rate = float(cells.rber(cycles=count, age_days=kept))
        assert rate == pytest.approx(0.0112, rel=2e-3)
    # with more corrected, and in the cold, longer; 10 degC cost what JEDEC's classes say
    assert (cells.retention(cycles, corrected=0.013) > cells.retention(cycles)).all()
    ratio = cells.retention(3_000, temperature=30) / cells.retention(3_000, temperature=40)
    assert float(ratio) == pytest.approx(4, rel=0.05)
    assert float(wl.Cells.from_toml("qlc_3d").retention(1_000)) == pytest.approx(
        float(cells.retention(3_000)), rel=0.02
    )


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"corrected": 0.6}, "corrected"),
        ({"temperature": 300.0}, "temperature"),
        ({"cycles": -1.0}, "cycles"),
    ],
)
def test_retention_of_cells_refuses_what_makes_no_sense(
    given: dict[str, float], named: str
) -> None:
    with pytest.raises(wl.ConfigError, match=named):
        wl.Cells.from_toml("tlc_3d").retention(**{"cycles": 100.0, **given})


def years(drive: str, **asked: object) -> wl.Lifetime:
    study = wl.LifetimeStudy(writes_per_day=50, horizon=20 * DAY, every=10 * DAY, **asked)  # type: ignore[arg-type]  # the options of a test
    return wl.lifetime(drive, asked=study, progress=False)


def test_a_study_goes_by_the_cells_of_its_drive() -> None:
    tlc = wl.Drive("tiny", **{"geometry.cell_type": "tlc"})
    found = years(tlc)  # type: ignore[arg-type]  # a drive is accepted too
    assert found.cells == "cells of 3 bits (tlc_3d)"
    assert "names none" in found.code
    assert found.summary["corrected_rber"] == 0.0112
    assert found.remarks == ()
    coded = wl.Drive("tiny", **{"geometry.cell_type": "tlc", "ecc.kind": "ldpc"})
    own = years(coded)  # type: ignore[arg-type]
    assert own.cells == "TLC cells of the drive ([cell])"
    slc = years("tiny")
    assert "SLC cells of 80 nm (FENCE)" in slc.cells
    assert slc.summary["corrected_rber"] is None


def test_cells_of_another_kind_are_warned_of() -> None:
    (warning,) = years("tiny", cell="tlc_3d").remarks
    assert warning.key == "other_cells"
    assert "slc" in warning.text
    for odd in ("tlc_3", "1.2 X"):
        with pytest.raises(wl.ConfigError, match="tlc_3d"):
            wl.LifetimeStudy(cell=odd)


def test_some_dies_stand_for_all_of_a_large_drive(monkeypatch: pytest.MonkeyPatch) -> None:
    from wordline import studied_part

    drive = wl.Drive("tiny", **{"geometry.channels": 4, "geometry.cell_type": "tlc"})
    whole = years(drive)  # type: ignore[arg-type]
    assert whole.part == "all dies"
    monkeypatch.setattr(studied_part, "MOST", 1e4)
    part = years(drive)  # type: ignore[arg-type]
    dies, _, rest = part.part.partition(" of ")
    assert int(dies) < int(rest.split()[0])
    assert part.blocks.height * int(rest.split()[0]) == whole.blocks.height * int(dies)
    # what is said of a block is the same
    mean = [float(each.snapshots["erase_count_mean"][-1]) for each in (whole, part)]
    assert mean[1] == pytest.approx(mean[0], rel=0.03)
    asked = wl.LifetimeStudy(writes_per_day=50, horizon=20 * DAY, every=10 * DAY, all_dies=True)
    assert wl.lifetime(drive, asked=asked, progress=False).part == "all dies"
