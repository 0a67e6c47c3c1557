"""Data sheets: each load against closed forms, endurance by hand, and the options of `wordline spec`."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from options import call, effect
from report_reader import Page, close, microseconds, number
from wordline.datasheets import loads
from wordline.datasheets import sheet as sheets
from wordline.datasheets.loads import MOST_REQUESTS, REQUESTS, Load, loads_of, requests_of
from wordline.datasheets.sheet import point_of, spare_share
from wordline.errors import ConfigError
from wordline.formatting import quantity
from wordline.report.datasheet import render, tables

QUICK = ("--depths", "1,8", "--requests", "400")
TINY = {"user": 104_857_600, "raw": 134_217_728}
"""Bytes of the preset: 80 % of 8 planes of 128 blocks of 64 pages of 2 KiB."""


@pytest.fixture(scope="module")
def sheet() -> wl.DataSheet:
    """A sheet of a small drive."""
    return wl.data_sheet("tiny", depths=(1, 8), requests=400)


def row(sheet: wl.DataSheet, load: str, state: str, depth: int) -> dict[str, Any]:
    """The row of a load."""
    (found,) = [
        each
        for each in sheet.rows
        if (each["load"], each["state"], each["depth"]) == (load, state, depth)
    ]
    return found


def test_every_load_is_a_row(sheet: wl.DataSheet) -> None:
    assert len(sheet.rows) == 3 + 5 * 2 == len(sheet.table)
    assert (sheet.user_bytes, sheet.raw_bytes) == (TINY["user"], TINY["raw"])


def test_one_request_at_a_time_takes_its_latency(sheet: wl.DataSheet) -> None:
    for load, state in (("random read", "filled in order"), ("random write", "fresh")):
        found = row(sheet, load, state, 1)
        assert found["IOPS"] == pytest.approx(1e6 / found["mean (µs)"], rel=1e-3)


def test_rates_are_requests_times_their_size(sheet: wl.DataSheet) -> None:
    for found in sheet.rows:
        size = 131_072 if str(found["load"]).startswith("sequential") else 4_096
        rate = found["IOPS"]
        assert isinstance(rate, float)
        assert found["bandwidth (MB/s)"] == pytest.approx(rate * size / 1e6, rel=1e-9)


def test_a_fresh_drive_collects_nothing(sheet: wl.DataSheet) -> None:
    for depth in (1, 8):
        assert row(sheet, "random write", "fresh", depth)["write amplification"] == 1.0
        assert row(sheet, "random write", "sustained", depth)["write amplification"] > 1.5


def test_more_requests_at_once_are_faster(sheet: wl.DataSheet) -> None:
    for load, state in (
        ("random read", "filled in order"),
        ("random read", "sustained"),
        ("random write", "fresh"),
    ):
        assert row(sheet, load, state, 8)["IOPS"] > 2 * row(sheet, load, state, 1)["IOPS"]


def test_endurance_by_hand(sheet: wl.DataSheet) -> None:
    assert sheet.cycles == 100_000
    in_order, random = sheet.endurance
    # sequential overwriting of whole blocks moves nothing
    assert in_order["terabytes written"] == pytest.approx(TINY["raw"] * 1e5 / 1e12, rel=0.01)
    programmed = random["bytes programmed for each written"]
    assert isinstance(programmed, float)
    assert programmed > 1.5
    written = TINY["raw"] * 1e5 / programmed
    assert random["terabytes written"] == pytest.approx(written / 1e12)
    per_day = random["drive writes per day over 5 years"]
    assert per_day == pytest.approx(written / TINY["user"] / (5 * 365))


def test_memory_of_map_and_buffer() -> None:
    plain = wl.data_sheet("tiny", depths=(4,), requests=400)
    # four bytes for each of the 51,200 pages of 2 KiB
    (found,) = plain.memory
    assert found["memory"] == "map, in the controller"
    buffered = wl.data_sheet(
        "tiny",
        (("buffer.policy", "lru"), ("buffer.size", "64 KiB")),
        depths=(4,),
        requests=400,
    )
    assert buffered.memory == [found, {"memory": "data buffer", "bytes": 65_536}]


def test_a_full_buffer_hides_no_program() -> None:
    keys = (("buffer.policy", "lru"), ("buffer.size", "1 MiB"))
    buffered = wl.data_sheet("tiny", keys, depths=(8,), requests=400)
    plain = wl.data_sheet("tiny", depths=(8,), requests=400)
    for state in ("fresh", "sustained"):
        with_buffer, without = (
            row(each, "random write", state, 8)["IOPS"] for each in (buffered, plain)
        )
        # of an empty buffer every write would be acknowledged at once
        assert with_buffer < 4 * without


def test_power_where_it_is_described(sheet: wl.DataSheet) -> None:
    assert sheet.power == []
    keys = (("power.controller", "2 W"), ("power.idle", "0.5 W"), ("power.dram", "100 mW"))
    powered = wl.data_sheet("flashpower-mlc8", keys, depths=(8,), requests=400)
    *loads, idle = powered.power
    assert idle["mean power (mW)"] == pytest.approx(600)
    assert len(loads) == len(powered.rows)
    for found, asked in zip(loads, powered.rows, strict=True):
        mean, per_byte, rate = (
            number
            for number in (
                found["mean power (mW)"],
                found["nJ per byte of the host"],
                asked["bandwidth (MB/s)"],
            )
            if isinstance(number, float)
        )
        # a closed loop keeps a request in the drive nearly all the time
        assert mean > 2000
        # what runs after the last acknowledgement is in the mean too
        assert mean == pytest.approx(per_byte * rate, rel=0.2)
    # people see the unit that reads best, programs always the same one
    shown = dict(tables(powered))["\nPower"]
    assert shown[-1]["mean power"] == "600.0 mW"
    assert all(re.fullmatch(r"2\.\d{3} W", str(each["mean power"])) for each in shown[:-1])
    assert shown[0]["energy per byte of the host"] == quantity(
        powered.power[0]["nJ per byte of the host"], "nJ"
    )
    assert Page(render(powered)).tables("Power")[0][-1]["mean power"] == "600.0 mW"


def test_a_drive_with_units_smaller_than_its_pages() -> None:
    keys = (("ftl.mapping_unit", "1 KiB"),)
    found = wl.data_sheet("tiny", keys, depths=(4,), requests=400)
    assert found.raw_bytes == TINY["raw"]
    assert found.user_bytes == pytest.approx(TINY["user"], rel=1e-3)


def test_loads_of_depths() -> None:
    found = loads_of((1, 2, 4))
    assert len({load.label for load in found}) == len(found) == 3 + 15
    load = Load("random read", "fresh", False, "4 KiB", 1.0, 2)
    assert "run.warm_up" not in load.overrides(10, 0, {})
    assert load.overrides(10, 5, {})["workload.requests"] == 15


def test_sustained_writes_go_on_until_every_plane_has_collected_blocks() -> None:
    def load(name: str, state: str, reads: float) -> Load:
        return Load(name, state, False, "4 KiB", reads, 16)

    write, mixed = (load("random", "sustained", reads) for reads in (0.0, 0.75))
    drive = (4096, 64, 12 << 20, 0.07)
    # 8 * 64 * 12 MiB * 0.07 / 4 KiB
    assert requests_of(write, *drive) == 110_101
    assert requests_of(mixed, *drive) == 440_402
    assert requests_of(write, 4096, 64, 12 << 20, 0.9) == MOST_REQUESTS
    assert requests_of(write, 4096, 8, 1 << 17, 0.2) == REQUESTS
    for other in (load("random read", "sustained", 1.0), load("random write", "fresh", 0.0)):
        assert requests_of(other, *drive) == REQUESTS
    assert spare_share({"over_provisioning": 0.25}) == pytest.approx(0.2)
    raw = {"over_provisioning": 0.25, "over_provisioning_basis": "raw"}
    assert spare_share(raw) == 0.25


@pytest.mark.parametrize(("most", "severity"), [(500, "info"), (300, "warning")])
def test_fewer_requests_than_needed_are_said(
    monkeypatch: pytest.MonkeyPatch, most: int, severity: str
) -> None:
    monkeypatch.setattr(loads, "REQUESTS", 200)
    for module in (loads, sheets):
        monkeypatch.setattr(module, "MOST_REQUESTS", most)
    found = wl.data_sheet("tiny", depths=(8,))
    # 8 blocks of 256 KiB of each of 8 planes, 0.28 / 1.28 of them spare, in writes of 4 KiB that are 30 % of the requests
    needed = 2_987
    (note,) = (note for note in found.notes if note.key == "limited")
    assert note.severity == severity
    assert note.text == (
        f"random write, sustained, 4 KiB at depth 8 and 1 more: Without --requests at most {most} requests count, and {needed:,} would "
        "be needed until every plane has collected 8 blocks. These figures may still reflect the state that preconditioning left. "
        f"`--requests {needed}` runs them all."
    )
    # its letter stands in the rows of both loads, and nowhere else
    (shown,) = (each for each in found.remarks.lettered if each.text.endswith(note.text))
    letter = shown.text[1]
    marked = [row["load"] for row in found.rows if letter in str(row["notes"]).split()]
    assert marked == ["random write", "random 70 % read"]
    assert note.text.partition(" `")[0] in Page(render(found)).text
    asked = wl.data_sheet("tiny", depths=(8,), requests=needed)
    assert "limited" not in {note.key for note in asked.notes}


def test_a_letter_marks_the_rows_that_its_note_is_about_and_no_others() -> None:
    """Of 12,000 requests p99.9 rests on 12, of the 1,000 that an empty drive has room for on one."""
    written = Load("sequential write", "fresh", True, "128 KiB", 0.0, 8)
    read = Load("random read", "filled in order", False, "4 KiB", 1.0, 8)
    found = wl.data_sheet("tiny", loads=(written, read), requests=12_000)
    (note,) = (note for note in found.notes if note.key == "too_short")
    assert note.severity == "warning"
    assert note.text.startswith("sequential write, fresh, 128 KiB at depth 8: p9")
    (letter,) = (each.text[1] for each in found.remarks.lettered if each.key == "too_short")
    marked = [row["load"] for row in found.rows if letter in str(row["notes"]).split()]
    assert marked == ["sequential write"]


def test_what_is_said_of_one_load_is_not_said_of_others(sheet: wl.DataSheet) -> None:
    (note,) = (note for note in sheet.notes if note.key == "too_short")
    loads = len(sheet.loads)
    assert note.text.startswith(f"{loads} of {loads} loads have a note of this kind; that of seq")


def test_the_terminal_has_times_and_sizes_in_units_that_read_best(sheet: wl.DataSheet) -> None:
    shown = dict(tables(sheet))
    for row, found in zip(shown["Throughput and latency"], sheet.rows, strict=True):
        assert microseconds(str(row["p99"])) == close(float(str(found["p99 (µs)"])))
    (size,) = (row["size"] for row in shown["\nMemory"])
    assert size == "100 KiB"


def test_the_terminal_says_how_many_cycles_blocks_are_rated_for(sheet: wl.DataSheet) -> None:
    (heading,) = (heading for heading, _ in tables(sheet) if "Endurance" in heading)
    assert f"{sheet.cycles:,} program/erase cycles" in heading


def test_a_number_of_requests_that_is_asked_for_stands() -> None:
    drive = {
        "geometry": {
            "channels": 8,
            "chips_per_channel": 4,
            "dies_per_chip": 1,
            "planes_per_die": 2,
            "blocks_per_plane": 100,
            "pages_per_block": 768,
            "page_size": "16 KiB",
        },
        "ftl": {"over_provisioning": 0.25, "over_provisioning_basis": "raw"},
        "age": {},
    }
    load = Load("random write", "sustained", False, "4 KiB", 0.0, 16)
    for asked, counted in ((None, 393_216), (1_000, 1_000)):
        overrides = dict(point_of("", drive, load, asked).overrides)
        assert overrides["workload.requests"] == str(round(counted * 1.2))


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"depths": ()}, "--depths"),
        ({"depths": (4, 1)}, "--depths"),
        ({"depths": (0, 1)}, "--depths"),
        ({"depths": (1, 2_000_000)}, "--depths"),
        ({"requests": 0}, "--requests"),
        # every plane collects a block: 8 planes of blocks of 256 KiB, 22 % of them spare, 30 % of requests write 4 KiB
        ({"requests": 373}, "accepted are 374 or more"),
        ({"cycles": 0}, "--cycles"),
        ({"years": 0}, "--years"),
        ({"years": float("nan")}, "--years"),
        ({"size": "7"}, "workload.request_size"),
        ({"size": "128 MiB", "requests": 10}, "too small"),
        ({"overrides": (("workload.kind", "zipf"),)}, "--set workload.kind"),
        ({"overrides": (("run.warm_up", "1 s"),)}, "--set run.warm_up"),
        ({"overrides": (("age.method", "fresh"),)}, "--set age.method"),
        ({"overrides": (("ftl.gc.victim", "best"),)}, "ftl.gc.victim"),
    ],
)
def test_refused(asked: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        wl.data_sheet("tiny", **asked)


def test_a_snapshot_takes_no_part(tmp_path: Path) -> None:
    state = tmp_path / "aged.state"
    wl.simulate(wl.Drive("tiny"), wl.Workload(requests=400), save_state=state, progress=False)
    drive = tmp_path / "drive.toml"
    drive.write_text(f'base = "tiny"\n[age]\nmethod = "snapshot"\nsnapshot = "{state}"\n')
    plain = wl.data_sheet("tiny", depths=(4,), requests=400)
    assert wl.data_sheet(str(drive), depths=(4,), requests=400).rows == plain.rows


@pytest.mark.parametrize("state", ["fresh", "filled in order", "sustained"])
def test_a_state_keeps_what_applies_to_it(state: str) -> None:
    """Wear stays with every state, what overwriting needs with those that are overwritten."""
    age = {"method": "snapshot", "fill": 0.5, "initial_cycles": 7, "storage": "1 day"}
    load = next(load for load in loads_of((1,)) if load.state == state)
    kept = load.overrides(1, 0, age)
    assert kept["age.initial_cycles"] == 7
    assert kept["age.method"] != "snapshot"
    assert [kept.get("age.fill"), kept.get("age.storage")] == (
        [None, None] if state == "fresh" else [0.5, "1 day"]
    )


def test_a_drive_may_be_less_full() -> None:
    half = wl.data_sheet("tiny", (("age.fill", "0.5"),), depths=(4,), requests=400)
    full = wl.data_sheet("tiny", depths=(4,), requests=400)
    assert amplification(half) < amplification(full)


def amplification(sheet: wl.DataSheet) -> float:
    """Write amplification of random writes in steady state."""
    rows = [row for row in sheet.rows if row["load"] == "random write"]
    return float(
        str(next(row for row in rows if row["state"] == "sustained")["write amplification"])
    )


@effect("spec", "drive", "--depths", "--requests", "--json")
def test_spec_as_json(sheet: wl.DataSheet) -> None:
    found = call("spec", "tiny", *QUICK, "--json").json
    assert found["loads"] == sheet.rows
    assert found["endurance"] == sheet.endurance
    assert {note["key"] for note in found["notes"]} == {note.key for note in sheet.notes}
    # for people too, under the letters that stand in the rows
    shown = call("spec", "tiny", *QUICK).stdout
    assert sheet.notes
    for note in sheet.remarks.lettered:
        assert f"{note.severity}: {note.text}" in shown
    assert found["user_bytes"] == TINY["user"]


@effect("spec", "--out")
def test_spec_writes_page_and_table(tmp_path: Path, sheet: wl.DataSheet) -> None:
    printed = call("spec", "tiny", *QUICK, "--out", tmp_path).stdout
    assert "random 70 % read" in printed
    rows = list(csv.DictReader(io.StringIO((tmp_path / "loads.csv").read_text())))
    assert [float(each["IOPS"]) for each in rows] == [each["IOPS"] for each in sheet.rows]
    page = Page((tmp_path / "report.html").read_text())
    assert page.heading == "Data sheet of tiny"
    for title in ("Random requests", "All loads", "Endurance", "Power", "Memory"):
        assert page.section(title)
    (shown,) = page.tables("All loads")
    for each, found in zip(shown, sheet.rows, strict=True):
        assert isinstance(found["IOPS"], float)
        assert number(each["IOPS"]) == close(found["IOPS"])
    assert len(page.figures) == 2


@effect("spec", "--set", "--size", "--cycles", "--years")
def test_spec_of_another_drive() -> None:
    found = call(
        "spec",
        "tiny",
        "--set",
        "age.initial_cycles=500",
        "--size",
        "8 KiB",
        "--cycles",
        "700",
        "--years",
        "2",
        "--depths",
        "4",
        "--requests",
        "400",
        "--json",
    ).json
    assert (found["cycles"], found["years"]) == (700, 2)
    assert {each["size"] for each in found["loads"]} == {"8 KiB", "128 KiB"}
    assert "drive writes per day over 2 years" in found["endurance"][0]


@effect("spec", "--jobs", "--cache", "--cluster")
def test_spec_keeps_its_runs(tmp_path: Path) -> None:
    first = call("spec", "tiny", *QUICK, "--cache", tmp_path, "--jobs", "1", "--json").json
    kept = sorted(path.name for path in tmp_path.rglob("*") if path.is_file())
    assert kept
    again = call("spec", "tiny", *QUICK, "--cache", tmp_path, "--json").json
    assert again == first
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == kept
    refused = call(
        "spec", "tiny", "--depths", "3", "--cache", tmp_path, "--cluster", "nonsense", status=2
    )
    assert "nonsense" in refused.stderr
