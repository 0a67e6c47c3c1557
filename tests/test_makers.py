"""Presets beside makers' data sheets: what is compared, and the page of it."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

import wordline as wl
from wordline.datasheets.loads import STATES, Load

DOCS = Path(__file__).parents[1] / "docs"
OF_TODAY = (
    "client-tlc",
    "client-gen5",
    "client-qlc",
    "client-dramless",
    "datacenter-tlc",
    "datacenter-qlc",
    "sata-mlc",
    "low-latency-slc",
    "mobile-emmc",
)


@pytest.fixture(scope="module")
def makers() -> ModuleType:
    spec = importlib.util.spec_from_file_location("makers", DOCS / "makers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["makers"] = module
    spec.loader.exec_module(module)
    return module


def test_every_figure_has_a_source_a_reason_and_what_it_is_compared_with(
    makers: ModuleType,
) -> None:
    simulated = json.loads(makers.SIMULATED.read_text(encoding="utf-8"))
    presets = [drive["preset"] for drive in makers.printed()]
    # calibrated to what was measured of such drives
    assert (
        sorted(presets) == sorted(set(OF_TODAY) - {"client-tlc", "sata-mlc"}) == sorted(simulated)
    )
    for drive in makers.printed():
        assert set(drive) <= {
            "preset",
            "maker",
            "sources",
            "of",
            "set",
            "note",
            "depth",
            "behind",
            "figure",
        }
        assert all(source.startswith("http") for source in drive["sources"])
        assert ("set" in drive) == ("note" in drive)
        for figure in drive["figure"]:
            assert set(figure) <= {"load", "of", "maker", "why"}
            assert figure["load"] in makers.UNITS
            assert figure["maker"] > 0
            assert figure["why"]
            assert figure.get("of", drive["of"]) in simulated[drive["preset"]][figure["load"]]
        assert list(simulated[drive["preset"]]) == list(makers.UNITS)


def test_a_drive_is_simulated_new_and_used(makers: ModuleType) -> None:
    drive = {"preset": "tiny", "depth": 4, "set": {"power.supply": "2.5 V", "power.idle": "40 mW"}}
    found = makers.simulate(drive, requests=400)
    sheet = wl.data_sheet("tiny", depths=(4,), requests=400)
    at = {(row["load"], row["state"]): (row["bandwidth (MB/s)"], row["IOPS"]) for row in sheet.rows}
    for name in makers.NEW:
        index = int(makers.UNITS[name] == "IOPS")
        for of, states in (("new", makers.NEW), ("used", makers.USED)):
            assert states[name] in STATES
            if name != "sequential read" or of == "new":
                assert found[name][of] == pytest.approx(at[name, states[name]][index], rel=1e-3)
    # what is overwritten at random is moved
    assert found["random write"]["used"] < found["random write"]["new"]
    assert found["endurance"]["used"] < found["endurance"]["new"]
    assert found["idle power"] == {"new": 0.04, "used": 0.04}
    assert found["active power"]["new"] > 0.04


def test_rows_of_the_page(makers: ModuleType) -> None:
    drive = {
        "preset": "tiny",
        "maker": "Nobody's drive",
        "of": "new",
        "figure": [
            {"load": "random read", "maker": 2_000, "why": "one"},
            {"load": "idle power", "maker": 0.05, "of": "used", "why": "two"},
        ],
    }
    simulated = {
        "random read": {"new": 2_500.0, "used": 2_400.0},
        "idle power": {"new": 0.04, "used": 0.04},
    }
    assert list(makers.rows(drive, simulated)) == [
        "| `tiny` | Nobody's drive | random read, IOPS | 2,000 | **2,500** | 2,400 | +25 % | one |\n",
        "|  |  | idle power, W | 0.05 | 0.04 | **0.04** | -20 % | two |\n",
    ]


@pytest.mark.parametrize("preset", OF_TODAY)
def test_drives_of_today_say_what_they_take_at_work_and_idle(preset: str) -> None:
    small = (("geometry.blocks_per_plane", "640"), ("geometry.pages_per_block", "96"))
    load = Load("sequential write", "fresh", True, "128 KiB", 0.0, 8)
    sheet = wl.data_sheet(preset, small, loads=(load,), requests=200)
    assert [row["load"] for row in sheet.rows] == ["sequential write"]
    at_work, idle, *states = (row["mean power (mW)"] for row in sheet.power)
    assert isinstance(at_work, float)
    assert isinstance(idle, float)
    # a plane that works takes 62.5 mW, and there are 1,024 of them at most
    assert 0 < idle < at_work < 70_000
    if preset.startswith("client"):
        asleep, deeply = states
        assert isinstance(asleep, float)
        assert isinstance(deeply, float)
        assert 0 < deeply < asleep < idle
    else:
        assert not states
