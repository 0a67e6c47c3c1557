"""Drives assembled from parts beside measurements: their files, the arithmetic, and one load point where the measurements are there."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from shared import wordline
from validation import measured, page, run
from validation.compare import Comparison, compare, score
from validation.drives import DRIVES, Entry
from validation.loads import points
from validation.scale import scaled_spare
from validation.simulate import scale, simulate

NAMES = [drive.file for drive in DRIVES]
PARTS = {"geometry", "timing", "age"}
"""Tables that differ between drives of a class as their parts do."""


@pytest.mark.parametrize("drive", DRIVES, ids=NAMES)
def test_drive_files_are_checked_clean(drive: Entry) -> None:
    # its trial of the full size takes 2 GiB
    done = wordline("check", drive.path, "--set", "geometry.blocks_per_plane=128")
    assert done.returncode == 0, done.stderr
    assert ": good." in done.stdout
    assert "warning" not in (done.stdout + done.stderr).lower()


@pytest.mark.parametrize("drive", DRIVES, ids=NAMES)
def test_every_line_of_a_drive_file_has_a_source(drive: Entry) -> None:
    for line in drive.path.read_text(encoding="utf-8").splitlines():
        if "=" in line and not line.startswith("#"):
            key, found, source = line.partition(" # ")
            assert found, key
            assert source


def test_firmware_is_the_same_in_all_drives() -> None:
    firmware = []
    for drive in DRIVES:
        described = tomllib.loads(drive.path.read_text(encoding="utf-8"))
        program = float(described["timing"]["t_prog"].removesuffix(" us"))
        points_of = float(
            described["nand"]["vendor"].pop("program_safe_points").removesuffix(" us")
        )
        assert points_of == pytest.approx(3 * program / 10)
        # the one switch of the firmware that tells drives apart
        described["buffer"].pop("when_full", None)
        del described["ftl"]["over_provisioning"], described["host"]["pcie"]
        firmware.append({name: table for name, table in described.items() if name not in PARTS})
    assert firmware[0] == firmware[1] == firmware[2]


@pytest.mark.parametrize(
    ("drive", "gigabytes"), list(zip(DRIVES, (960.2, 960.2, 1000.2), strict=True)), ids=NAMES
)
def test_drives_hold_what_they_are_sold_with(drive: Entry, gigabytes: float) -> None:
    described = tomllib.loads(drive.path.read_text(encoding="utf-8"))
    geometry = described["geometry"]
    dies = geometry["channels"] * geometry["chips_per_channel"] * geometry["dies_per_chip"]
    pages = geometry["planes_per_die"] * geometry["blocks_per_plane"] * geometry["pages_per_block"]
    # 256 Gbit a die
    assert pages * (16 << 10) == pytest.approx(32 << 30, rel=0.002)
    held = dies * pages * (16 << 10) / (1 + described["ftl"]["over_provisioning"])
    assert held / 1e9 == pytest.approx(gigabytes, rel=0.002)


def test_ratios_and_bounds() -> None:
    assert Comparison("read latency p50", 100.0, 150.0, 1.5).within
    assert Comparison("read latency p50", 150.0, 100.0, 1.5).within
    assert not Comparison("read latency p50", 100.0, 151.0, 1.5).within
    assert not Comparison("read latency p50", 151.0, 100.0, 1.5).within
    shown = Comparison("write latency p50", 10.0, 25.0)
    assert (shown.ratio, shown.within) == (2.5, None)


def test_what_both_have_is_compared() -> None:
    here = {"read latency p50": 80.0, "read latency p99.9": 900.0, "write latency p50": 9.0}
    there = {"read latency p50": 100.0, "read latency p99.9": 400.0, "read latency p99": 300.0}
    compared = compare(there, here, held=True)
    assert [(each.quantity, each.ratio, each.within) for each in compared] == [
        ("read latency p50", 0.8, True),
        ("read latency p99.9", 2.25, False),
    ]
    assert score(compared) == (1, 2)
    assert score(compare(there, here, held=False)) == (0, 0)


def test_spare_space_of_fewer_blocks() -> None:
    # 100 blocks, 80 of them user space, 4 kept free: of 96 blocks 16 are spare; with 28 blocks, of 24 that are not kept free, 4 are
    assert scaled_spare(100, 28, 0.25) == pytest.approx(28 / 20 - 1)
    assert scaled_spare(100, 100, 0.25) == pytest.approx(0.25)


def test_zones_keep_their_spare_space() -> None:
    zoned = DRIVES[2]
    assert scale(zoned)["ftl.over_provisioning"] == pytest.approx(0.0993)
    assert scale(zoned, 99)["geometry.blocks_per_plane"] == 99


def test_a_table_that_is_absent_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError, match="No measurements at"):
        measured.read(DRIVES[0].name, tmp_path / "calibrate.csv")
    monkeypatch.setattr(measured.read, "__defaults__", (tmp_path / "calibrate.csv",))
    with pytest.raises(SystemExit, match="No measurements at"):
        run.main()


TABLE = """drive,class,quantity,value,unit,condition,source
Some drive,DC TLC,read IOPS achieved,30000,IOPS,"4 KiB, 75 % random reads / 25 % zone appends, depth 4, SPDK",paper
Some drive,DC TLC,read latency p50,80,us,"4 KiB, 75 % random reads / 25 % zone appends, depth 4, SPDK",paper
Some drive,DC TLC,read IOPS achieved,31000,IOPS,"4 KiB, 75 % random reads / 25 % zone appends, depth 8, SPDK",paper
Some drive,DC TLC,read IOPS achieved,10000,IOPS,"4 KiB, 75 % random reads / 25 % zone appends, depth 2, SPDK",paper
Some drive,DC TLC,read IOPS achieved,5000,IOPS,"4 KiB, 75 % random reads / 25 % zone appends, depth 1, SPDK",paper
Some drive,DC TLC,write IOPS achieved,19900,IOPS,"open loop, 20000 writes/s offered in all (nearly): threads",paper
Other drive,DC TLC,sequential read,3000,MB/s,maker,paper
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "calibrate.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def test_load_points_are_recognised(table: Path) -> None:
    conditions = measured.read("Some drive", table)
    found = {point.label: point for point in points(conditions)}
    assert list(found) == [
        "20,000 writes/s",
        "75 % reads, depth 4",
        "75 % reads, depth 8",
        "75 % reads, depth 2",
        "75 % reads, depth 1",
    ]
    # twice the depth brings 3 % more
    assert [found[f"75 % reads, depth {depth}"].held for depth in (1, 2, 4, 8)] == [
        True,
        True,
        True,
        False,
    ]
    tenants = found["20,000 writes/s"].settings["tenants"]
    assert list(tenants) == ["watched", *(f"writer-{i}" for i in range(6))]
    # 15,000 requests a second of six writers, one each 400 us
    assert tenants["writer-0"]["workload"]["interarrival"] == "400000 ns"
    assert [point.label for point in points(measured.read("Other drive", table))] == [
        "sequential read"
    ]
    with pytest.raises(KeyError, match="No such drive"):
        measured.read("No such drive", table)


def test_the_page_has_what_is_off_and_why(table: Path) -> None:
    conditions = measured.read("Some drive", table)
    point = next(point for point in points(conditions) if point.label == "75 % reads, depth 4")
    compared = compare({"read latency p50": 80.0}, {"read latency p50": 128.0}, held=True)
    text = "".join(page.page({DRIVES[2]: [(point, compared)]}, {DRIVES[2]: conditions}))
    assert "| 75 % reads, depth 4 | 80 | 128 | **1.60** |" in text
    assert "0 of 1" in text


@pytest.mark.skipif(not measured.TABLE.is_file(), reason=measured.ABSENT)
def test_a_load_point_is_within_its_bounds() -> None:
    drive = DRIVES[2]
    conditions = measured.read(drive.name)
    point = next(point for point in points(conditions) if point.label == "50 % reads, depth 8")
    short = {"workload.requests": 40_000, "geometry.blocks_per_plane": 32}
    found = simulate(drive, point, **short)
    compared = run.beside(conditions[point.condition], found, point)
    assert score(compared) == (3, 3), compared
