"""Chips: the command line, the Python API and the page."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import wordline as wl
from shared import ROOT, refused, wordline
from wordline import _wordline

PUBLISHED = {"read": 1.085, "program": 15.418, "erase": 117.602}
"""X1 of the first case study, in microjoules."""


def test_energies_are_the_published_ones() -> None:
    chip = wl.Chip.from_toml("mohan-x1")
    ours = {
        "read": chip.read("fast", ones=0),
        "program": chip.program("fast", ones=0),
        "erase": chip.erase(),
    }
    for operation, energy in ours.items():
        assert energy.total * 1e6 == pytest.approx(PUBLISHED[operation], rel=0.03)
        assert sum(energy.parts.values()) == pytest.approx(energy.total, rel=1e-12)


def test_states_and_planes() -> None:
    chip = wl.Chip.from_toml("b-mlc8")
    assert {name: len(states) for name, states in chip.states.items()} == {
        "read": 4,
        "program": 6,
        "erase": 1,
    }
    assert chip.program("slow", states={"slow 01": chip.cells}).total == pytest.approx(
        next(row.energy.total for row in chip.energies() if row.state == "slow 01")
    )
    assert chip.read(planes=2).total == pytest.approx(2 * chip.read().total)
    assert chip.read(programmed=False).total == chip.read(ones=1.0).total
    assert chip.page(5) == ("slow", 0, [1])
    for bad in (
        lambda: chip.read("upper"),
        lambda: chip.read(planes=3),
        lambda: chip.program("slow", states={"slow 01": 1}),
        lambda: chip.program("slow", states={"fast 0": chip.cells}),
        lambda: chip.erase(programmed=2.0),
        lambda: chip.page(128),
        lambda: chip.pulses("read", "fast"),  # type: ignore[arg-type]
        lambda: wl.Chip.from_toml("b-mlc9"),
        lambda: wl.Chip.from_text("base = 'b-mlc8'\n[bias]\nvddd = '3 V'\n"),
    ):
        with pytest.raises(wl.ConfigError, match="accepted"):
            bad()


def test_a_description_gives_the_same_chip_again() -> None:
    chip = wl.Chip.from_toml("planar-tlc")
    assert wl.Chip.from_text(chip.toml).energies() == chip.energies()


def test_sweeps_are_those_of_single_chips() -> None:
    chip = wl.Chip.from_toml("b-mlc8")
    columns = chip.grid(
        {"bias.vpgm": [16.5, 17.2], "geometry.block_rows": [1024, 2048, 4096]}, parts=True
    )
    assert len(columns["bias.vpgm"]) == 6
    one = wl.Chip.from_toml("b-mlc8", **{"bias.vpgm": "16.5 V", "geometry.block_rows": 4096})
    for row in one.energies():
        name = f"{row.operation}.{row.state}"
        assert columns[name][2] == row.energy.total
        for part, joules in row.energy.parts.items():
            assert columns[f"{name}.{part}"][2] == joules


def test_a_sweep_of_thousands() -> None:
    chip = wl.Chip.from_toml("b-mlc8")
    columns = chip.sweep({"bias.vpgm": np.linspace(16, 18, 10_000)})
    assert np.all(np.diff(columns["program.fast 0"]) > 0)
    with pytest.raises(wl.ConfigError, match=r"variant 1: bias\.vpgm"):
        chip.sweep({"bias.vpgm": [17.0, 99.0]})
    with pytest.raises(wl.ConfigError, match="dimension"):
        chip.sweep({"bias.vpgm": np.zeros((2, 2))})
    with pytest.raises(wl.ConfigError, match="did you mean"):
        chip.sweep({"bias.vpgn": [17.0]})


def test_calibration_finds_what_it_was_measured_from() -> None:
    chip = wl.Chip.from_toml("mohan-x1")
    measured = [
        wl.Measured("read", chip.read("slow", ones=0.3).total, "slow", 0.3),
        wl.Measured("erase", chip.erase(programmed=0.5).total, ones=0.5),
    ]
    found = chip.calibrate({"calibration.control": 1e-7, "bias.vera": 16.0}, measured)
    assert found.values["calibration.control"] == pytest.approx(0.388e-6, rel=1e-6)
    assert found.values["bias.vera"] == pytest.approx(17.2, rel=1e-6)
    assert found.residuals == pytest.approx([0, 0], abs=1e-9)
    assert found.chip.erase(programmed=0.5).total == pytest.approx(measured[1].joules)
    with pytest.raises(wl.ConfigError, match="at least as many"):
        chip.calibrate({"calibration.control": 1e-7}, [])


def test_calibration_to_an_impossible_energy_is_refused() -> None:
    chip = wl.Chip.from_toml("mohan-x1")
    start, impossible = {"calibration.control": 1e-7}, [wl.Measured("read", 1e-9)]
    with pytest.raises(
        wl.ConfigError, match=r"measurement 1 = 1e-9 J: .* \+68797\.7 %.* within 10 %"
    ):
        chip.calibrate(start, impossible)
    found = chip.calibrate(start, impossible, tolerance=math.inf)
    assert found.residuals == pytest.approx([687.977], rel=1e-3)


@pytest.mark.parametrize(
    "bad",
    [
        lambda chip: chip.read("", ones=0.5),
        lambda chip: chip.read(ones=math.nan),
        lambda chip: chip.read(ones=1.5),
        lambda chip: chip.read(planes=0),
        lambda chip: chip.program(planes=-1),
        lambda chip: chip.program(ones=-0.1),
        lambda chip: chip.program(states={"fast 0": math.nan, "fast 1": 1.0}),
        lambda chip: chip.program(states={"fast 0": -1.0, "fast 1": chip.cells + 1.0}),
        lambda chip: chip.erase(programmed=1.5),
        lambda chip: chip.erase(planes=1.5),
        lambda chip: chip.page(-1),
        lambda chip: chip.page(128),
        lambda chip: chip.pulses("read"),
        lambda chip: chip.pulses("erase", "slow"),
        lambda chip: chip.sweep({"bias.vpgm": ["high"]}),
        lambda chip: chip.grid({"bias.vpgm": [[17.0, 18.0]]}),
        lambda chip: chip.calibrate({"calibration.control": 1e-7}, [wl.Measured("read", math.nan)]),
        lambda chip: chip.calibrate(
            {"bias.vpgm": 17.0}, [wl.Measured("read", 1e-6)], tolerance=0.0
        ),
    ],
)
def test_what_python_refuses(bad: Callable[[wl.Chip], object]) -> None:
    with pytest.raises(wl.ConfigError, match="accepted"):
        bad(wl.Chip.from_toml("mohan-x1"))


def test_a_sequence_and_its_pages_as_the_documentation_has_them() -> None:
    programs = [row for row in wl.Chip.from_toml("b-mlc8").pages() if row.operation == "program"]
    joules = {row.state: row.energy.total for row in programs}
    apart = (joules["fast"] + joules["slow"]) * 1e6
    told = f"half ones a sequence takes {joules['full sequence'] * 1e6:.1f} µJ, and its two pages one after the other {apart:.1f} µJ"
    assert told in (ROOT / "docs/explanations/energy.md").read_text("utf-8")
    (sequence,) = [row for row in programs if row.state == "full sequence"]
    assert sequence.data_bits == 2 * 2048 * 8
    assert sequence.joules_per_bit == sequence.energy.total / sequence.data_bits


def test_half_ones_of_a_page_are_the_published_energy() -> None:
    """Table 2.7 of the source: 11.902 uJ for a program of 50 % ones; the residual voltages have no part in it."""
    (fast,) = [
        row
        for row in wl.Chip.from_toml("mohan-x1").pages(0.5)
        if row.state == "fast" and row.operation == "program"
    ]
    assert fast.energy.total * 1e6 == pytest.approx(11.902, rel=1e-3)
    with pytest.raises(wl.ConfigError, match="accepted"):
        wl.Chip.from_toml("mohan-x1").pages(1.5)


def test_the_capacity_of_planar_tlc_is_the_one_its_description_says() -> None:
    chip = wl.Chip.from_toml("planar-tlc")
    (title,) = [each["title"] for each in _wordline.chips() if each["name"] == "planar-tlc"]
    pages = 258 * 2048 * 2 * 2
    assert f"{pages * 8192 * 8 / 2**30:.0f} Gibit of data" in title
    assert f"{chip.capacity_bits / 2**30:.0f} with spare bytes" in title


def test_the_erase_of_an_erased_block_of_e_mlc64() -> None:
    # the description says how far the model is from the measurement
    chip = wl.Chip.from_toml("e-mlc64")
    times = chip.erase().total / chip.erase(programmed=0.0).total
    (text,) = (each["text"] for each in _wordline.chips() if each["name"] == "e-mlc64")
    assert f"puts it {times:.0f}\n# times lower" in text


def test_the_command_prints_json_and_writes_a_page(tmp_path: Path) -> None:
    done = wordline("power", "b-mlc8", "--json", "--out", tmp_path / "energy")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert [row["state"] for row in answer["states"]][-1] == "block"
    for row in answer["states"]:
        assert sum(row["parts_uj"].values()) == pytest.approx(row["energy_uj"])
    assert json.loads((tmp_path / "energy/energies.json").read_text()) == answer
    table = pl.read_csv(tmp_path / "energy/energies.csv")
    assert table["energy_uj"].to_list() == [row["energy_uj"] for row in answer["states"]]
    assert table["time_s"].to_list() == [row["time_s"] for row in answer["states"]]
    for part in answer["states"][0]["parts_uj"]:
        assert table[f"{part}_uj"].to_list() == [row["parts_uj"][part] for row in answer["states"]]
    page = (tmp_path / "energy/report.html").read_text()
    assert "<h2>Program</h2>" in page
    assert "http://" not in page.split("<script>", maxsplit=1)[0]
    again = wordline("power", tmp_path / "energy/chip.toml", "--json")
    assert json.loads(again.stdout) == answer


def test_the_command_compares_variants(tmp_path: Path) -> None:
    vary = ("--vary", "geometry.page_size=2,4 KiB", "--vary", "geometry.pages_per_block=64,128")
    done = wordline("power", "mohan-x1", *vary, "--json", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    variants = json.loads(done.stdout)["variants"]
    assert [variant["set"] for variant in variants] == [
        {"geometry.page_size": page, "geometry.pages_per_block": pages}
        for page in ("2 KiB", "4 KiB")
        for pages in ("64", "128")
    ]
    assert "4 variants" in (tmp_path / "report.html").read_text()
    table = wordline("power", "mohan-x1", *vary)
    assert table.returncode == 0
    assert "page_size" in table.stdout


def test_variants_of_a_sequence() -> None:
    """Fewer pulses, less energy: the pulses of a sequence have an effect on what is compared."""
    table = wordline("power", "b-mlc8", "--vary", "policy.program_pulses_full=5,9").stdout
    (head,) = [line for line in table.splitlines() if line.startswith("policy.")]
    assert "program full sequence of half ones" in head
    answer = json.loads(
        wordline("power", "b-mlc8", "--vary", "policy.program_pulses_full=5,9", "--json").stdout
    )
    fewer, more = (
        next(row["energy_uj"] for row in each["pages"] if row["page"] == "full sequence")
        for each in answer["variants"]
    )
    assert fewer < more
    assert more == pytest.approx(21.71, abs=0.01)


def test_the_command_lists_chips() -> None:
    listed = wordline("chips").stdout.splitlines()
    assert len(listed) == 11
    assert wordline("chips", "b-mlc8").stdout.startswith("# B-MLC8")
    assert "planar" in wordline("power", "planar-tlc").stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["power", "b-mlc9"], ["b-mlc8"]),
        (["power", "b-mlc8", "--set", "bias.vdd=9 V"], ["bias.vdd", "9 V", "1 V to 5 V"]),
        (["power", "b-mlc8", "--set", "bias.vddd=3 V"], ["bias.vddd", "vdd"]),
        (["power", "b-mlc8", "--vary", "bias.vdd"], ["KEY=A,B,C"]),
        (["power", "b-mlc8", "--vary", "bias.vdd=1,,2"], ["KEY=A,B,C"]),
        (["chips", "b-mlc9"], ["b-mlc8"]),
    ],
)
def test_bad_input_is_refused(arguments: list[str], words: list[str]) -> None:
    said = refused(*arguments)
    for word in words:
        assert word in said


def test_too_many_variants_are_refused() -> None:
    many = ",".join(str(number) for number in range(1, 102))
    axes = [
        part
        for key in ("block_rows", "block_cols")
        for part in ("--vary", f"geometry.{key}={many}")
    ]
    assert "10,201 combinations" in refused("power", "b-mlc8", *axes)
