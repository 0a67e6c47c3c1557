"""Drives assembled from parts beside measurements: the rule and its files, the arithmetic, and one load point where the measurements are there."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from shared import wordline
from validation import assemble, dies, measured, page, run
from validation.compare import Comparison, bound, compare, points, score
from validation.drives import DRIVES, Entry, scale, small
from validation.loads import points as load_points
from validation.parts import DATACENTER, PARTS
from validation.predictions import Answer
from validation.scale import scaled_spare
from validation.simulate import simulate

NAMES = [drive.file for drive in DRIVES]
OF_CLASS = [drive for drive in DRIVES if drive.kind == DATACENTER]
DIFFER = {"geometry", "timing", "age"}
"""Tables that differ between drives of a class as their parts do."""


@pytest.mark.parametrize("drive", DRIVES, ids=NAMES)
def test_files_are_what_the_rule_makes_of_the_parts(drive: Entry) -> None:
    made = assemble.assemble(drive.parts)
    assert drive.path.read_text(encoding="utf-8") == made, "python -m validation.assemble"


def test_there_are_fourteen_seven_of_them_blind_and_no_file_beside() -> None:
    assert [drive.blind for drive in DRIVES] == 7 * [False] + 7 * [True]
    assert {path.name for path in assemble.FOLDER.glob("*.toml")} == set(NAMES)


# half of the classes' drives, one of each class: a trial takes seconds
@pytest.mark.parametrize(
    "drive", list({drive.kind: drive for drive in DRIVES}.values()), ids=lambda drive: drive.file
)
def test_drive_files_are_checked_clean(drive: Entry) -> None:
    # its trial of the full size takes 2 GiB
    blocks = scale(drive)["geometry.blocks_per_plane"]
    done = wordline("check", drive.path, "--set", f"geometry.blocks_per_plane={min(blocks, 512)}")
    assert done.returncode == 0, done.stderr
    assert ": good." in done.stdout


@pytest.mark.parametrize("drive", DRIVES, ids=NAMES)
def test_every_line_of_a_drive_file_has_a_source(drive: Entry) -> None:
    for line in drive.path.read_text(encoding="utf-8").splitlines():
        if "=" in line and not line.startswith("#"):
            key, found, source = line.partition(" # ")
            assert found, key
            assert "[" in source, line


@pytest.mark.parametrize("first", sorted({drive.kind for drive in DRIVES}))
def test_firmware_is_the_same_in_all_drives_of_a_class(first: str) -> None:
    firmware = []
    for drive in (drive for drive in DRIVES if drive.kind == first):
        described = tomllib.loads(drive.path.read_text(encoding="utf-8"))
        if first == DATACENTER:
            program = float(described["timing"]["t_prog"].removesuffix(" us"))
            points_of = described["nand"]["vendor"].pop("program_safe_points")
            assert float(points_of.removesuffix(" us")) == pytest.approx(3 * program / 10)
            # what follows from the planes of the die
            planes = described["geometry"]["planes_per_die"]
            assert described["nand"].pop("independent_plane_reads") == (planes == 4)
            assert described["commands"].pop("multi_plane_read") == (planes != 4)
        # the one switch of the firmware that tells drives apart
        described.get("buffer", {}).pop("when_full", None)
        # parts, too
        described["host"].pop("pcie", None)
        described["ftl"].pop("slc_cache", None)
        described["ftl"].pop("over_provisioning")
        firmware.append({name: table for name, table in described.items() if name not in DIFFER})
    assert all(each == firmware[0] for each in firmware)


@pytest.mark.parametrize("drive", DRIVES, ids=NAMES)
def test_drives_hold_what_they_are_sold_with(drive: Entry) -> None:
    described = tomllib.loads(drive.path.read_text(encoding="utf-8"))
    geometry = described["geometry"]
    count = geometry["channels"] * geometry["chips_per_channel"] * geometry["dies_per_chip"]
    pages = geometry["planes_per_die"] * geometry["blocks_per_plane"] * geometry["pages_per_block"]
    page_size = int(geometry["page_size"].removesuffix(" KiB")) << 10
    held = count * pages * page_size / (1 + described["ftl"]["over_provisioning"])
    assert held == pytest.approx(drive.parts.user_bytes, rel=0.003)


def test_the_rule_by_hand() -> None:
    # 1.92 TB are in 2048 GiB, 32 dies of 512 Gbit; 4096 GiB hold 3.84 TB
    assert assemble.flash(1_920_383_410_176) == 2048
    assert assemble.flash(3_840_755_982_336) == 4096
    # drives of 800 and of 960 GB have the same flash
    assert assemble.flash(800_166_076_416) == assemble.flash(960_197_124_096) == 1024
    # the nearest layers, then the maker, then more planes
    assert dies.die("Samsung", 128).column == "Samsung 2019"
    assert dies.die("SK hynix", 128).column == "Kioxia 2019"
    assert dies.die("Micron", 176).column == "SK hynix 2021"
    assert dies.die("Kioxia", 112).column == "Kioxia 2019"
    assert dies.die("Intel", 64).column == "Kioxia 2018"
    # 2 x 16 KiB / 82 MB/s = 400 us, and 615 at 0.65 of that rate
    samsung = dies.die("Samsung", 128)
    assert dies.page_time(samsung) == 400
    assert dies.page_time(samsung, 0.65) == 615
    # twelve channels of three dies, as 32 dies do not fill them evenly
    intel = next(parts for parts in PARTS if parts.file == "intel-p4510-1tb")
    assert (assemble.geometry(intel)["channels"], assemble.geometry(intel)["chips"]) == (12, 3)


def test_ratios_and_bounds() -> None:
    assert Comparison("read latency p50", 100.0, 130.0, 1.3).within
    assert Comparison("read latency p50", 130.0, 100.0, 1.3).within
    assert not Comparison("read latency p50", 100.0, 131.0, 1.3).within
    assert not Comparison("read latency p50", 131.0, 100.0, 1.3).within
    shown = Comparison("write latency p99", 10.0, 25.0)
    assert (shown.ratio, shown.within) == (2.5, None)
    assert bound("read latency p50", "open loop", held=True) == 1.3
    assert bound("read latency p50", "saturated", held=False) is None
    assert bound("write IOPS achieved", "saturated", held=False) == 1.15
    assert bound("write IOPS achieved", "open loop", held=True) is None


def test_what_both_have_is_compared() -> None:
    here = {"read latency p50": 80.0, "read latency p99.9": 900.0, "write latency p99": 9.0}
    there = {"read latency p50": 100.0, "read latency p99.9": 400.0, "read latency p99": 300.0}
    compared = compare(there, here, held=True)
    assert [(each.quantity, each.ratio, each.within) for each in compared] == [
        ("read latency p50", 0.8, True),
        ("read latency p99.9", 2.25, False),
    ]
    assert score(compared) == (1, 2)
    assert points([compared, compared[:1], []]) == (1, 2)
    assert score(compare(there, here, held=False)) == (0, 0)


def test_spare_space_of_fewer_blocks() -> None:
    # 100 blocks, 80 of them user space, 4 kept free: of 96 blocks 16 are spare; with 28 blocks, of 24 that are not kept free, 4 are
    assert scaled_spare(100, 28, 0.25) == pytest.approx(28 / 20 - 1)
    assert scaled_spare(100, 100, 0.25) == pytest.approx(0.25)


def test_scales() -> None:
    zoned = DRIVES[2]
    assert scale(zoned)["ftl.over_provisioning"] == pytest.approx(0.0993)
    assert scale(zoned, 99)["geometry.blocks_per_plane"] == 99
    for drive in OF_CLASS:
        settings, share = small(drive)
        assert 0 < share < 0.05
        # erases take the share of the time that they take in the full drive
        full = drive.described
        shorter = settings["geometry.pages_per_block"] / full["geometry"]["pages_per_block"]
        assert float(settings["timing.t_bers"].removesuffix(" us")) == pytest.approx(
            3500 * shorter, rel=0.01
        )


def test_a_table_that_is_absent_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError, match="No measurements at"):
        measured.read(DRIVES[0].name, tmp_path / "calibrate.csv")
    monkeypatch.setattr(measured, "TABLE", tmp_path / "calibrate.csv")
    monkeypatch.setattr("sys.argv", ["validation"])
    with pytest.raises(SystemExit, match="No measurements at"):
        run.main()


@pytest.mark.skipif(not measured.ASKED.is_file(), reason=measured.ABSENT)
def test_a_drive_that_is_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["validation", "--drive", "P9999"])
    with pytest.raises(SystemExit, match="--drive P9999: no such drive; there are Samsung PM9A3"):
        run.main()


def test_values_that_are_no_numbers() -> None:
    assert measured.number("12.5") == 12.5
    assert measured.number("12-20") is None
    assert measured.number("") is None
    assert measured.number(None) is None


TABLE = """drive,class,quantity,value,unit,condition,source
Some drive,DC TLC,read latency p50,80,us,"4 KiB, 75 % random reads / 25 % zone appends, depth 4, SPDK",paper
Other drive,DC TLC,sequential read,3000,MB/s,maker,paper
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "calibrate.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def test_the_page_has_what_is_off_and_why(table: Path) -> None:
    conditions = measured.read("Some drive", table)
    (point,) = load_points(DRIVES[2], conditions)
    (asked,) = (key for key in point.answers if key[1] == "read latency p50")
    answers = {DRIVES[2]: {asked: Answer(point, 128.0, point.kind)}}
    text = "".join(page.page(answers, {DRIVES[2]: conditions}, {}, {"Third drive": 4}))
    assert "| 75 % reads, depth 4 | 80 | 128 | **1.60** |" in text
    assert "| 0 of 1 | 0 of 1 |" in text
    assert "Third drive (4)" in text
    assert "Appends take 17 µs when measured" in text
    with pytest.raises(KeyError, match="No such drive"):
        measured.read("No such drive", table)


@pytest.mark.skipif(not measured.TABLE.is_file(), reason=measured.ABSENT)
def test_a_load_point_is_within_its_bounds() -> None:
    drive = DRIVES[2]
    conditions = measured.read(drive.name)
    point = next(
        point for point in load_points(drive, conditions) if point.label == "50 % reads, depth 4"
    )
    short = {"workload.requests": 40_000, "geometry.blocks_per_plane": 32}
    outcome = simulate(drive, point, **short)
    (row,) = page.compare_all(run.answered(drive, [(point, outcome)]), conditions)
    assert score(row[1]) == (3, 3), row[1]
