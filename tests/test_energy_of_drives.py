"""What a drive takes: energies of operations, power by load, and where the numbers come from."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wordline as wl
from options import call, effect, sets
from shared import refused, wordline
from wordline import _wordline
from wordline.described import is_chip
from wordline.driveenergy import DriveEnergy, drive_energy
from wordline.points.outcome import Outcome
from wordline.powersources import remark_of
from wordline.report import driveenergy as page

TLC = """base = "tiny"
[geometry]
cell_type = "tlc"
pages_per_block = 72
[timing]
t_r = ["50 us", "60 us", "70 us"]
t_prog = "700 us"
t_bers = "4 ms"
[power]
supply = "2.5 V"     # from the data sheet
i_read = '20 mA'
i_program = "30 mA"  # measured
i_erase = "40 mA"
controller = "1 W"
idle = "50 mW"
dram = "20 mW"
"""
"""The worked numbers of docs/explanations/energy.md."""


@pytest.fixture(scope="module")
def tlc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A drive of TLC with supply currents."""
    path = tmp_path_factory.mktemp("drive") / "tlc.toml"
    path.write_text(TLC)
    return path


@pytest.fixture(scope="module")
def found(tlc: Path, tmp_path_factory: pytest.TempPathFactory) -> DriveEnergy:
    """The energies and powers of that drive, under few requests."""
    from wordline.cli.points import engine_of

    engine = engine_of(1, None, tmp_path_factory.mktemp("cache"))
    return drive_energy(tlc, depths=(1, 4), requests=400, engine=engine)


def number_of(got: Outcome, key: str) -> float:
    """A figure that a run must have."""
    value = got.number(key)
    assert value is not None
    return value


def energies(found: DriveEnergy) -> dict[tuple[str, str | None], float]:
    """Microjoules by operation and page type."""
    return {(row.operation, row.page_type): row.joules * 1e6 for row in found.operations}


def test_energies_by_hand(found: DriveEnergy) -> None:
    """2.5 V x 20 mA x 50, 60 and 70 us; x 30 mA x 700 us; x 40 mA x 4 ms."""
    assert energies(found) == {
        ("read", "lower"): pytest.approx(2.5),
        ("read", "middle"): pytest.approx(3.0),
        ("read", "upper"): pytest.approx(3.5),
        ("program", "all"): pytest.approx(52.5),
        ("erase", None): pytest.approx(400.0),
    }
    (program,) = [row for row in found.operations if row.operation == "program"]
    assert program.watts == pytest.approx(75e-3)
    # pages of 4 KiB
    assert program.joules_per_bit * 1e12 == pytest.approx(52.5e6 / 32_768)
    assert "takes 52.50 µJ (1,602 pJ per bit)" in page.sentence(found)
    assert "Reading one takes 2.500 µJ to 3.500 µJ by page type, 3.000 µJ" in page.sentence(found)


def test_powers_are_those_of_the_runs(found: DriveEnergy) -> None:
    assert found.sheet is not None
    names = [(row["load"], row["state"], row["depth"]) for row in found.loads]
    assert names == [
        ("sequential read", "filled in order", 32),
        ("sequential write", "filled in order", 32),
        ("random read", "filled in order", 1),
        ("random read", "filled in order", 4),
        ("random write", "sustained", 4),
        ("random 70 % read", "sustained", 4),
        ("idle", "any", 0),
    ]
    for row, got in zip(found.loads, found.sheet.outcomes, strict=False):
        assert row["mean_w"] == pytest.approx(number_of(got, "power.mean_mw") / 1e3)
        parts = [value for key, value in row.items() if key in {f"{part}_w" for part in PARTS}]
        assert len(parts) == len(PARTS)
        assert sum(parts) == pytest.approx(row["mean_w"])  # type: ignore[arg-type]
        nanojoules = number_of(got, "energy.per_host_byte_nj")
        assert row["pj_per_host_bit"] == pytest.approx(nanojoules * 1000 / 8)
        # the DRAM is on at all times, the controller while a request is in the drive
        assert row["dram_w"] == pytest.approx(20e-3)
    # a drive without requests takes what the file says
    assert found.loads[-1]["mean_w"] == pytest.approx(70e-3)
    # 1 W while a request is in the drive: reads at depth 4 always have one
    (deep,) = [row for row in found.loads if row["load"] == "random read" and row["depth"] == 4]
    assert deep["controller_w"] == pytest.approx(1.0, rel=0.01)


PARTS = ("flash", "controller", "dram", "channel_io", "idle", "codec")


def test_flash_power_by_hand(found: DriveEnergy) -> None:
    """Reads in order at depth 1: each is one page, so that flash power is IOPS times the mean energy of a page read."""
    (row,) = [row for row in found.loads if row["load"] == "random read" and row["depth"] == 1]
    assert isinstance(row["iops"], float)
    assert row["flash_w"] == pytest.approx(row["iops"] * 3.0e-6, rel=0.02)


def test_sources_of_the_numbers(found: DriveEnergy) -> None:
    told = {each.key: (each.value, each.origin, each.remark) for each in found.sources}
    assert told["power.supply"] == ("2.5 V", "drive", "from the data sheet")
    assert told["power.i_read"] == ("20 mA", "drive", "")
    assert told["power.i_program"] == ("30 mA", "drive", "measured")
    assert told["power.channel_io"] == ("0 W", "default", "")
    (note,) = [note for note in found.notes if note.key == "not_counted"]
    assert note.text.endswith("power.channel_io")


def test_a_drive_without_power_gets_an_assumed_supply() -> None:
    for drive, volts in (("tiny", "3.3 V"), ("onfi5-tlc", "2.5 V")):
        found = drive_energy(drive, is_simulated=False)
        assert found.loads == []
        (supply,) = [each for each in found.sources if each.key == "power.supply"]
        assert (supply.value, supply.origin) == (volts, "assumed")
        assert "assumed" in found.origin
        assert "assumed_supply" in [note.key for note in found.notes]
    # 3.3 V x 25 mA x 200 us
    found = drive_energy("tiny", is_simulated=False)
    assert energies(found)["program", "all"] == pytest.approx(16.5)


def test_other_powers_beside_an_assumed_supply() -> None:
    keys = {"power.controller": "1 W", "power.i_program": "50 mA"}
    found = drive_energy("tiny", keys, is_simulated=False)
    told = {each.key: (each.value, each.origin) for each in found.sources}
    assert told["power.supply"] == ("3.3 V", "assumed")
    assert told["power.controller"] == ("1 W", "option")
    # 3.3 V x 50 mA x 200 us
    assert energies(found)["program", "all"] == pytest.approx(33.0)
    own = drive_energy("tiny", keys | {"power.supply": "2 V"}, is_simulated=False)
    assert energies(own)["program", "all"] == pytest.approx(20.0)
    assert "assumed_supply" not in [note.key for note in own.notes]


def test_a_zoned_drive_has_no_loads_of_a_data_sheet() -> None:
    found = drive_energy("onfi5-tlc-zns")
    assert [row["load"] for row in found.loads] == ["idle"]
    assert "no_loads" in [note.key for note in found.notes]
    assert drive_energy("onfi5-tlc-zns", is_simulated=False).loads == []


def test_every_preset_has_energies() -> None:
    """A sentence can be told of each, and each number has its source."""
    for preset in _wordline.presets():
        found = drive_energy(preset["name"], is_simulated=False)
        assert page.sentence(found).startswith("Programming a page of ")
        assert all(row.joules > 0 and row.seconds > 0 for row in found.operations)
        origins = {each.origin for each in found.sources}
        assert origins <= {"drive", "default", "assumed"}
        assert found.sources[0].key in ("power.supply", "power.chip")


def test_a_drive_of_a_chip_has_the_energies_of_the_chip() -> None:
    found = drive_energy("flashpower-mlc8", is_simulated=False)
    chip = wl.Chip.from_toml("b-mlc8")
    wanted = {row.state: row.energy.total for row in chip.pages() if row.operation == "program"}
    programs = {row.page_type: row.joules for row in found.operations if row.operation == "program"}
    assert programs == {
        "lower": pytest.approx(wanted["fast"]),
        "upper": pytest.approx(wanted["slow"]),
    }
    assert found.origin == "FlashPower, chip b-mlc8 (power.chip)"
    ones = drive_energy("flashpower-mlc8", {"power.ones": 1.0}, is_simulated=False)
    assert energies(ones)["program", "lower"] < energies(found)["program", "lower"]
    (source,) = [each for each in ones.sources if each.key == "power.ones"]
    assert source.origin == "option"


def test_the_charged_energy_is_the_told_one(tlc: Path) -> None:
    """A run of writes: its program energy is the pages programmed times what is told."""
    (program,) = [
        row
        for row in drive_energy(tlc, is_simulated=False).operations
        if row.operation == "program"
    ]
    run = wl.simulate(
        wl.Drive.from_toml(tlc, **{"age.method": "fresh"}),
        wl.Workload(kind="sequential", read_fraction=0.0, request_size="4 KiB", requests=200),
        progress=False,
    )
    pages = run.number("ftl.pages_programmed")
    assert pages >= 200
    assert run.number("energy.operation.program_mj") == pytest.approx(pages * program.joules * 1e3)


@pytest.mark.parametrize(
    ("text", "is_of_chip"),
    [
        ('base = "b-mlc8"\n', True),
        ('base = "b-mlc8"\n[bias]\nvpgm = "18 V"\n', True),
        ('base = "client-tlc"\n', False),
        ('base = "client-tlc"\n[geometry]\nchannels = 4\n', False),
        ("[geometry]\nchannels = 4\n", False),
        ('[chip]\nname = "mine"\n', True),
        ('base = "lower.toml"\n[geometry]\nblock_rows = 4\n', True),
        ("this is not TOML", False),
        # TOML of today, which Python does not read yet
        ('base = "b-mlc8"\nbias = {\n  vpgm = "18 V",\n}\n', True),
        ('[chip]\nname = "mine"\n[x]\ny = {\n}\n', True),
        ('base = "tiny"\npower = {\n  supply = "2 V",\n}\n', False),
    ],
)
def test_what_a_file_describes(tmp_path: Path, text: str, is_of_chip: bool) -> None:
    (tmp_path / "lower.toml").write_text('base = "a-slc4"\n')
    file = tmp_path / "file.toml"
    file.write_text(text)
    assert is_chip(str(file)) == is_of_chip


def test_a_circle_of_descriptions_ends(tmp_path: Path) -> None:
    file = tmp_path / "file.toml"
    file.write_text('base = "file.toml"\n')
    assert not is_chip(str(file))
    assert "file.toml" in refused("power", file)


@given(value=st.text(), comment=st.text(), before=st.text())
def test_remarks_of_any_text(value: str, comment: str, before: str) -> None:
    """Whatever stands in a file, the remark is text, or the file is no TOML."""
    try:
        tree = tomllib.loads(text := f"{before}\n[power]\nsupply = {value} # {comment}\n")
    except (tomllib.TOMLDecodeError, UnicodeEncodeError):
        return
    wanted = isinstance(tree.get("power"), dict) and "supply" in tree["power"]
    assert (remark_of(text, "supply") is not None) == wanted


def test_a_drive_in_the_toml_of_today(tmp_path: Path) -> None:
    file = tmp_path / "new.toml"
    file.write_text('base = "tiny"\npower = {\n  supply = "2 V", # of the sheet\n}\n')
    found = drive_energy(file, is_simulated=False)
    told = {each.key: each.origin for each in found.sources}
    assert told["power.supply"] == "drive"
    assert told["power.i_read"] == "default"


def test_remarks_of_keys() -> None:
    text = """# power.supply = "9 V" # not this
power.supply = "2.5 V" # of the sheet # and more
[other]
supply = "1 V" # not this either
"""
    assert remark_of(text, "supply") == "of the sheet # and more"
    assert remark_of(text, "idle") is None
    assert remark_of("[power]\nidle = '5 mW'\n", "idle") == ""
    assert remark_of("[power]\nidle = '5#mW'   #\tquiet\n", "idle") == "quiet"


def power(*arguments: object) -> Any:
    """What `power` answers for a program."""
    return call("power", *arguments, "--json").json


@effect("power", "--operations")
def test_operations_alone_simulate_nothing(tlc: Path) -> None:
    answer = power(tlc, "--operations")
    assert answer["loads"] == []
    assert [row["operation"] for row in answer["operations"]] == [*["read"] * 3, "program", "erase"]
    assert answer["sentence"].startswith("Programming a page of 4 KiB takes 52.50 µJ")
    changed = power(tlc, "--operations", *sets(power__i_program="60 mA"))
    (program,) = [row for row in changed["operations"] if row["operation"] == "program"]
    assert program["energy_uj"] == pytest.approx(105.0)
    text = call("power", tlc, "--operations").stdout
    assert "Programming a page of 4 KiB takes 52.50 µJ (1,602 pJ per bit)" in " ".join(text.split())
    assert "from the data sheet" in text


@effect("power", "--depths", "--requests", "--cache", "--jobs")
def test_loads_of_a_drive(tlc: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    common = (tlc, "--depths", "2,3", "--requests", "150", "--cache", cache, "--jobs", "1")
    answer = power(*common, "--out", tmp_path / "out")
    reads = [row for row in answer["loads"] if row["load"] == "random read"]
    assert [row["depth"] for row in reads] == [2, 3]
    kept = [path for path in cache.rglob("*") if path.is_file()]
    assert len(kept) >= 6
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"report.html", "energies.json", "energies.csv", "loads.csv", "config.toml"}
    table = pl.read_csv(tmp_path / "out/loads.csv")
    assert table["mean_w"].to_list() == [row["mean_w"] for row in answer["loads"]]
    text = (tmp_path / "out/report.html").read_text()
    assert "Power by load" in text
    assert answer["sentence"] in text
    # more requests, another run; a shorter run of this drive has other figures
    more = power(tlc, "--depths", "2,3", "--requests", "300", "--cache", cache)
    assert [row["iops"] for row in more["loads"][:-1]] != [
        row["iops"] for row in answer["loads"][:-1]
    ]
    again = power(*common)
    assert again == json.loads((tmp_path / "out/energies.json").read_text()) | {
        "notes": again["notes"]
    }


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["client-tl"], ["client-tlc", "wordline presets", "wordline chips"]),
        (["no/such/file.toml"], ["no/such/file.toml", "TOML"]),
        (["b-mlc8", "--depths", "1"], ["--depths", "b-mlc8", "chip"]),
        (["b-mlc8", "--operations"], ["--operations", "chip"]),
        (["tiny", "--vary", "power.supply=1,2 V"], ["--vary", "tiny", "wordline sweep"]),
        (["tiny", "--operations", "--depths", "4"], ["--depths", "--operations"]),
        (["tiny", "--depths", "4,1"], ["--depths", "rising"]),
        (["tiny", "--depths", "x"], ["--depths x", "whole numbers"]),
        (["tiny", "--requests", "0"], ["--requests", "from 1"]),
        (["tiny", "--operations", "--set", "power.suply=3 V"], ["power.suply", "supply"]),
        (["tiny", "--operations", "--set", "power.supply=0 V"], ["power.supply", "above 0 V"]),
        (["tiny", "--set", "workload.requests=3"], ["workload.requests", "loads"]),
    ],
)
def test_bad_input_is_refused(arguments: list[str], words: list[str]) -> None:
    said = refused("power", *arguments)
    for word in words:
        assert word in said


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("[power\n")
    assert "mine.toml" in refused("power", file)
    assert tmp_path.name in refused("power", tmp_path)


def test_help_has_examples_of_both() -> None:
    text = wordline("power", "--help").stdout
    assert "wordline power b-mlc8" in text
    assert "wordline power client-tlc" in text


@pytest.mark.parametrize(
    ("more", "left"), [((), "finished runs are kept"), (("--operations",), "nothing was written")]
)
def test_an_interrupted_command_writes_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, more: tuple[str, ...], left: str
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("wordline.driveenergy.drive_energy", stopped)
    done = call("power", "tiny", *more, "--out", tmp_path / "out", status=130)
    assert left in done.stderr
    assert not (tmp_path / "out").exists()


def test_what_a_notebook_shows(found: DriveEnergy) -> None:
    assert "<td>52.5</td>" in found._repr_html_()
    assert repr(found).endswith("5 operations, 7 loads>")
