"""What each option of `wordline chips`, `power`, `cell`, `ecc` and `retention` does."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import wordline as wl
from options import call, effect, sets

YEAR = 365 * 86_400.0


@effect("chips", "name")
def test_chips_are_listed_or_printed() -> None:
    assert "b-mlc8" in [line.split()[0] for line in call("chips").stdout.splitlines()]
    text = call("chips", "b-mlc8").stdout
    assert wl.Chip.from_text(text).energies() == wl.Chip.from_toml("b-mlc8").energies()


def power(*arguments: object) -> Any:
    """What `power` answers for a program."""
    return call("power", *arguments, "--json").json


@effect("power", "source", "--json")
def test_power_is_of_the_chip_that_is_named() -> None:
    for name in ("b-mlc8", "mohan-x1"):
        found = power(name)
        erase = next(row for row in found["states"] if row["operation"] == "erase")
        assert erase["energy_uj"] == pytest.approx(wl.Chip.from_toml(name).erase().total * 1e6)
    assert "energies in µJ" in call("power", "b-mlc8").stdout


@effect("power", "--set")
def test_power_with_another_voltage() -> None:
    changed = power("b-mlc8", *sets(bias__vera="16 V"))
    wanted = wl.Chip.from_toml("b-mlc8", **{"bias.vera": "16 V"}).erase().total
    erase = next(row for row in changed["states"] if row["operation"] == "erase")
    assert erase["energy_uj"] == pytest.approx(wanted * 1e6)
    assert wanted < wl.Chip.from_toml("b-mlc8").erase().total


@effect("power", "--vary")
def test_power_of_every_combination() -> None:
    axes = ("--vary", "bias.vera=16,17 V", "--vary", "bias.vpgm=16,17,18 V")
    found = power("b-mlc8", *axes)["variants"]
    assert [(each["set"]["bias.vera"], each["set"]["bias.vpgm"]) for each in found] == [
        (erase, program) for erase in ("16 V", "17 V") for program in ("16 V", "17 V", "18 V")
    ]
    for each in found:
        chip = wl.Chip.from_toml("b-mlc8", **each["set"])
        erase = next(row for row in each["states"] if row["operation"] == "erase")
        assert erase["energy_uj"] == pytest.approx(chip.erase().total * 1e6)


@effect("power", "--out")
def test_power_writes_files(tmp_path: Path) -> None:
    done = call("power", "b-mlc8", "--out", tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"report.html", "energies.json", "energies.csv", "chip.toml"}
    table = pl.read_csv(tmp_path / "out/energies.csv").filter(pl.col("operation") == "erase")
    assert table["energy_uj"][0] == pytest.approx(wl.Chip.from_toml("b-mlc8").erase().total * 1e6)
    assert f"report: {tmp_path / 'out' / 'report.html'}" in done.stdout


def cell(*arguments: object) -> Any:
    """What `cell` answers for a program."""
    return call("cell", *arguments, "--json").json


@effect("cell", "cells", "--json")
def test_cells_are_those_that_are_named() -> None:
    assert cell()["cycles"] == 3_000
    for name in ("mlc_late_life", "mlc_wu2013"):
        wanted = wl.Cells.from_toml(name)
        row = next(
            row for row in cell(name)["rber"] if (row["age_days"], row["quantile"]) == (1, 0.5)
        )
        assert row["rber"] == pytest.approx(float(wanted.rber(age_days=1.0)), rel=1e-6)
    assert "bit error rate" in call("cell").stdout


@effect("cell", "--set")
def test_cells_of_other_cycles() -> None:
    found = cell(*sets(block__cycles=1_500))
    assert found["cycles"] == 1_500
    # the error rate of these cells grows in proportion to the cycles
    for one, half in zip(cell()["rber"], found["rber"], strict=True):
        assert half["rber"] == pytest.approx(one["rber"] / 2, rel=1e-5)


@effect("cell", "--out")
def test_cells_write_files(tmp_path: Path) -> None:
    call("cell", "--out", tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"report.html", "cell.json", "rber.csv", "cell.toml"}
    assert pl.read_csv(tmp_path / "out/rber.csv")["rber"].max() == pytest.approx(0.02195, rel=1e-3)


def ecc(*arguments: object) -> Any:
    """What `ecc` answers for a program."""
    return call("ecc", *arguments, "--json").json


def failure(code: dict[str, int], rber: float) -> float:
    """Probability that a codeword has more wrong bits than its code corrects."""
    n, t = code["n"], code["t"]
    logs = [
        math.lgamma(n + 1)
        - math.lgamma(k + 1)
        - math.lgamma(n - k + 1)
        + k * math.log(rber)
        + (n - k) * math.log1p(-rber)
        for k in range(t + 1, min(t + 300, n) + 1)
    ]
    return sum(map(math.exp, logs))


@effect("ecc", "--rber", "--target", "--json")
def test_codes_meet_the_target_at_each_rate() -> None:
    for target in (1e-15, 1e-9):
        found = ecc("--rber", "1e-4,1e-3", "--target", target)
        assert found["target"] == target
        assert [need["rber"] for need in found["needed"]] == [1e-4, 1e-3]
        for need in found["needed"]:
            for page in need["bch"]:
                weaker = {**page["code"], "t": page["code"]["t"] - 1}
                assert failure(page["code"], need["rber"]) <= target < failure(weaker, need["rber"])
        for code in found["codes"]:
            assert failure(code, code["p_max"]) == pytest.approx(target, rel=1e-3)


@effect("ecc", "--per")
def test_a_target_of_pages_is_one_of_all_their_codewords() -> None:
    by = {
        per: ecc("--rber", "1e-3", "--codewords", "8", "--per", per)["needed"][0]["bch"][0]
        for per in ("codeword", "page")
    }
    assert by["page"]["code"]["t"] > by["codeword"]["code"]["t"]
    for page in by.values():
        eight = page["log10_failure"] + math.log10(8)
        assert page["log10_page_failure"] == pytest.approx(eight, abs=1e-6)
    assert by["page"]["log10_page_failure"] <= -15 < by["codeword"]["log10_page_failure"]


@effect("ecc", "--page-size", "--metadata", "--codewords")
def test_codewords_share_the_page() -> None:
    for size, extra, words in ((4096, 0, 8), (8192, 0, 8), (4096, 32, 4)):
        options = ("--page-size", size, "--metadata", extra, "--codewords", words)
        (page,) = ecc("--rber", "1e-4", *options)["needed"][0]["bch"]
        assert page["codewords"] == words
        # metadata are added to each codeword
        assert page["code"]["k"] in (8 * (size // words + extra), 8 * (size + extra) // words)
    many = ecc("--rber", "1e-4", "--codewords", "1,2")["needed"][0]["bch"]
    assert [page["codewords"] for page in many] == [1, 2]


@effect("ecc", "--code")
def test_codes_that_are_examined() -> None:
    found = ecc("--code", "4316,4100,16", "--code", "9216,8192")["codes"]
    assert [(code["n"], code["k"]) for code in found] == [(4316, 4100), (9216, 8192)]
    assert found[0]["t"] == 16
    # the strongest of 1,024 parity bits in a field of 14: 73 errors
    assert found[1]["t"] == 1024 // 14


@effect("ecc", "--correlation")
def test_correlated_errors_are_harder() -> None:
    alone, together = (
        ecc("--code", "4316,4100,16", "--correlation", correlation)["codes"][0]["p_max"]
        for correlation in (0, 1e-4)
    )
    assert together < alone
    code = wl.Bch(4316, 4100, 16)
    assert float(code.ln_failure(together, correlation=1e-4)) == pytest.approx(math.log(1e-15))


@effect("ecc", "--thresholds")
def test_thresholds_of_soft_sensing() -> None:
    own = "0.001,0.002,0.003,0.004,0.005,0.006,0.007"
    found = ecc("--thresholds", own, "--rber", "0.0035")
    assert [level["rber_max"] for level in found["levels"]] == [n / 1000 for n in range(1, 8)]
    assert found["needed"][0]["ldpc"]["level"] == 4
    published, told = (
        [level["rber_max"] for level in ecc("--thresholds", rule)["levels"]]
        for rule in ("published", "mutual_information")
    )
    assert published == [0.0044, 0.0076, 0.0095, 0.0104, 0.0108, 0.011, 0.0112]
    assert told[1:] != published[1:]


@effect("ecc", "--out")
def test_codes_write_files(tmp_path: Path) -> None:
    call("ecc", "--code", "4316,4100,16", "--out", tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"report.html", "ecc.json", "failures.csv"}
    table = pl.read_csv(tmp_path / "out/failures.csv")
    assert table["n"].unique().to_list() == [4316]
    middle = table.row(60, named=True)
    assert 10 ** middle["log10_failure"] == pytest.approx(failure(middle, middle["rber"]), rel=1e-6)


def retention(*arguments: object) -> Any:
    """What `retention` answers for a program."""
    return call("retention", *arguments, "--json").json


@effect("retention", "--cell", "--json")
def test_retention_of_a_kind_of_cells() -> None:
    gaps = [retention("--cell", cell)["level_gap_v"] for cell in ("slc", "mlc", "1.2 V")]
    assert gaps[0] > gaps[2] > gaps[1]
    assert gaps[2] == 1.2
    assert "temperature" in call("retention", "--cell", "mlc").stdout


@effect("retention", "--rest", "--temperature", "--cycles")
def test_retention_at_rests_and_temperatures() -> None:
    options = ("--rest", "0 s,1e3 s", "--temperature", "30 degC,55 degC", "--cycles", "200:2e4")
    found = retention("--cell", "mlc", *options)["curves"]
    model = wl.RetentionModel("mlc")
    places = [(curve["rest_s"], curve["temperature_degc"]) for curve in found]
    assert places == [(0, 30), (1000, 30), (0, 55), (1000, 55)]
    for curve in found:
        assert (curve["pe_cycles"][0], curve["pe_cycles"][-1]) == pytest.approx((200, 2e4))
        wanted = model.retention_curve(
            curve["rest_s"], curve["temperature_degc"], curve["pe_cycles"]
        )
        assert curve["retention_years"] == pytest.approx((wanted / YEAR).tolist())


@effect("retention", "--require", "--after")
def test_what_a_requirement_allows() -> None:
    options = ("--cell", "mlc", "--rest", "1e3 s", "--require", "1 y", "--after", 5000)
    found = retention(*options)
    model = wl.RetentionModel("mlc")
    assert found["required_s"] == YEAR
    (limit,) = found["endurance"]
    assert float(model.retention_curve(1e3, 30.0, limit["pe_cycles"])) == pytest.approx(
        YEAR, rel=2e-3
    )
    (after,) = found["after"]
    kept = float(model.retention_curve(1e3, 30.0, 5_000))
    assert after["retention_years"] * YEAR == pytest.approx(kept)
    shortest = float(model.retention_curve(after["shortest_rest_s"], 30.0, 5_000))
    hottest = float(model.retention_curve(1e3, after["highest_temperature_degc"], 5_000))
    assert (shortest, hottest) == pytest.approx((YEAR, YEAR), rel=2e-3)
    alone = retention("--cell", "mlc", "--rest", "1e3 s")
    assert not {"endurance", "after"} & alone.keys()


@effect("retention", "--heat-heals", "--set")
def test_retention_of_other_cells() -> None:
    place = ("--rest", "1e3 s", "--temperature", "55 degC")
    plain, healed, thin = (
        retention(*place, *options)["curves"][0]["retention_years"][-1]
        for options in ((), ("--heat-heals",), ("--set", "oxide=7e-9"))
    )
    assert healed > plain
    models = (
        (healed, wl.RetentionModel("slc", heat_heals=True)),
        (thin, wl.RetentionModel("slc", constants={"oxide": 7e-9})),
    )
    for found, model in models:
        assert found * YEAR == pytest.approx(float(model.retention_curve(1e3, 55.0, 1e6)))


@effect("retention", "--out")
def test_retention_writes_files(tmp_path: Path) -> None:
    call("retention", "--rest", "0 s", "--out", tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"report.html", "retention.json", "retention.csv"}
    table = pl.read_csv(tmp_path / "out/retention.csv")
    wanted = wl.RetentionModel("slc").retention_curve(0.0, 30.0, table["pe_cycles"].to_numpy())
    assert table["retention_years"].to_list() == pytest.approx((wanted / YEAR).tolist())
