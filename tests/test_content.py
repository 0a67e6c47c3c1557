"""Versions of pages: real content, the closed forms of the source, and what is refused."""

from __future__ import annotations

import random
import shutil
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wordline as wl
from options import call, effect
from report_reader import Page, close, number
from shared import refused
from wordline.content import codecs, emulated, packed, programs_per_write

PAGE = 4096


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A database before and after some of its rows were changed."""
    folder = tmp_path_factory.mktemp("databases")
    before, after = folder / "before.db", folder / "after.db"
    draw = random.Random(1)
    words = [format(draw.getrandbits(24), "x") for _ in range(500)]
    with sqlite3.connect(before) as connection:
        connection.execute(f"pragma page_size = {PAGE}")
        connection.execute("create table item (id integer primary key, count int, note text)")
        rows = ((i, i, " ".join(draw.choices(words, k=12))) for i in range(4_000))
        connection.executemany("insert into item values (?, ?, ?)", rows)
    shutil.copy(before, after)
    with sqlite3.connect(after) as connection:
        changed = ((i,) for i in draw.sample(range(4_000), 300))
        connection.executemany("update item set count = count + 1 where id = ?", changed)
    return before, after


def pages_of(path: Path) -> list[bytes]:
    text = path.read_bytes()
    return [text[at : at + PAGE].ljust(PAGE, b"\0") for at in range(0, len(text), PAGE)]


def test_pages_of_a_database_that_changed(databases: tuple[Path, Path]) -> None:
    before, after = map(pages_of, databases)
    differ = [at for at, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    assert len(differ) > 50
    for name in codecs():
        found = wl.compare_versions(*databases, codec=name)
        assert (found.pages, found.added) == (len(before), 0)
        assert found.page.tolist() == differ
        # a few counters of a page have changed
        assert (found.ratios.max() < 0.1) == (name != "none"), name
    unchanged = wl.compare_versions(databases[0], databases[0])
    assert unchanged.changed == 0


def test_runs_of_zeros_are_recomputed(databases: tuple[Path, Path]) -> None:
    """The codec `zero_run` is simple enough to be written again: a byte before each run, of at most 128."""

    def size(old: bytes, new: bytes) -> int:
        difference = bytes(a ^ b for a, b in zip(old, new, strict=True))
        total = literals = at = 0
        while at < PAGE:
            run = next(
                (n for n in range(min(128, PAGE - at)) if difference[at + n]), min(128, PAGE - at)
            )
            if run < 2:
                literals, at = literals + 1, at + 1
                continue
            total += 1 + literals + -(-literals // 128)
            literals, at = 0, at + run
        return total + literals + -(-literals // 128)

    before, after = map(pages_of, databases)
    found = wl.compare_versions(*databases, codec="zero_run")
    expected = [size(before[at], after[at]) for at in found.page.tolist()]
    assert found.bytes.tolist() == expected


def test_encrypted_versions_have_nothing_in_common(tmp_path: Path) -> None:
    draw = random.Random(2)
    for name in ("old", "new"):
        (tmp_path / name).write_bytes(draw.randbytes(20 * PAGE))
    found = wl.compare_versions(tmp_path / "old", tmp_path / "new")
    assert found.ratios.tolist() == [1.0] * 20
    assert not found.kept().any()
    answer = call("content", tmp_path / "old", tmp_path / "new", "--json").json
    for case in answer["cases"]:
        assert (case["kept_share"], case["pays"], case["programs_per_write"]) == (0.0, None, 1.0)


def test_closed_forms_of_the_source() -> None:
    assert wl.Encoding(cpu_mhz=304).encode_us == pytest.approx(89.513, abs=1e-3)
    assert [wl.Encoding(cpu_mhz=mhz).largest_ratio for mhz in (304, 619, 934)] == pytest.approx(
        [0.5524, 0.7802, 0.8], abs=1e-4
    )
    assert wl.Encoding(cpu_mhz=934).pages_us(4) == pytest.approx(214.1, abs=0.1)
    assert programs_per_write(0.5, 0.35) == pytest.approx(0.675)
    without = wl.collection_work(1e6, 20_000)
    assert (without.collections, without.victims) == (20_000, "pages")
    with_deltas = wl.collection_work(1e6, 12_000, share=0.4, ratio=0.2, superseded=0.9)
    assert with_deltas.victims == "deltas"
    assert with_deltas.time_us / without.time_us == pytest.approx(0.3816, abs=1e-4)


def test_emulated_deltas_leave_gaps_in_pages() -> None:
    sizes = emulated(0.5, count=50_000).bytes
    assert np.mean(sizes) == pytest.approx(0.5 * PAGE, rel=0.005)
    found = [packed(sizes, buffers=buffers).pages_per_delta for buffers in (1, 4, None)]
    assert found == pytest.approx([0.712, 0.591, 0.5], abs=0.005)
    assert packed([], buffers=1).pages_per_delta is None


@effect("content", "old", "new", "--json")
def test_the_command_answers_for_two_files(databases: tuple[Path, Path]) -> None:
    answer = call("content", *databases, "--json").json
    assert [case["name"] for case in answer["cases"]] == list(codecs())
    lzf = answer["cases"][0]
    found = wl.compare_versions(*databases)
    assert lzf["changed"] == found.changed
    assert lzf["mean_ratio"] == pytest.approx(found.ratios.mean())
    in_pages = packed(found.bytes).pages_per_delta
    assert lzf["programs_per_write"] == pytest.approx(in_pages)
    assert lzf["pays"] is True


@effect("content", "--codec", "--page-size")
def test_codecs_and_sizes_are_chosen(databases: tuple[Path, Path]) -> None:
    options = ("--codec", "zstd", "--codec", "lz4", "--page-size", 16384)
    answer = call("content", *databases, *options, "--json").json
    assert [case["name"] for case in answer["cases"]] == ["zstd", "lz4"]
    for case in answer["cases"]:
        found = wl.compare_versions(*databases, codec=case["name"], page_size=16384)
        assert (case["pages"], case["changed"]) == (found.pages, found.changed)
        # four times the bytes to compress
        cycles = codecs()[case["name"]].compress_cycles
        assert case["encode_us"] == pytest.approx(4 * cycles / 619)


@effect("content", "--ratio", "--sigma", "--max-ratio")
def test_ratios_in_place_of_files() -> None:
    (case,) = call("content", "--ratio", "0.3", "--sigma", "0", "--json").json["cases"]
    assert (case["mean_ratio"], case["kept_share"]) == (pytest.approx(0.3, abs=1e-3), 1.0)
    (wide,) = call("content", "--ratio", "0.5", "--max-ratio", "0.5", "--json").json["cases"]
    assert wide["kept_share"] == pytest.approx(0.5, abs=0.01)
    assert wide["mean_ratio"] < 0.45


@effect("content", "--cpu-mhz", "--times")
def test_a_slow_controller_does_not_pay() -> None:
    slow = ("--ratio", "0.6", "--cpu-mhz", "304")
    (case,) = call("content", *slow, "--json").json["cases"]
    assert (case["pays"], case["largest_ratio"]) == (False, pytest.approx(0.5524, abs=1e-4))
    assert "no: encoding takes longer" in call("content", *slow).stdout
    (faster,) = call("content", *slow, "--times", "25,40,600", "--json").json["cases"]
    assert (faster["pays"], faster["largest_ratio"]) == (True, pytest.approx(0.8508, abs=1e-4))


@effect("content", "--out")
def test_the_page_says_what_the_command_answers(
    databases: tuple[Path, Path], tmp_path: Path
) -> None:
    call("content", *databases, "--out", tmp_path)
    answer = call("content", *databases, "--json").json
    page = Page((tmp_path / "report.html").read_text())
    (ratios,) = page.figures_of("Ratios")
    for row, case in zip(ratios.rows, answer["cases"], strict=True):
        assert row["case"] == case["name"]
        assert int(row["changed"].replace(",", "")) == case["changed"]
        if case["mean_ratio"] is not None:
            assert number(row["mean ratio"]) == close(case["mean_ratio"])
    points = ratios.points("case", "ratio", "share")
    lzf = [point["ratio"] for point in points if point["case"] == "lzf"]
    found = wl.compare_versions(*databases)
    assert (lzf[0], lzf[-1]) == (found.ratios.min(), found.ratios.max())
    (packings,) = page.figures_of("Pages of deltas")
    assert len(packings.rows) == len(codecs())
    table = (tmp_path / "deltas.csv").read_text().splitlines()
    assert table[0] == "case,page,delta_bytes"
    assert len(table) == 1 + len(codecs()) * found.changed


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), ["two versions", "--ratio"]),
        (("README.md",), ["two versions"]),
        (("README.md", "README.md", "--ratio", "0.5"), ["two versions"]),
        (("README.md", "no-such-file"), ["no-such-file", "No such file"]),
        (("README.md", "docs"), ["docs: a directory"]),
        (("README.md", "README.md", "--codec", "gzip"), ['codec = "gzip"', '"lzf"', '"zero_run"']),
        (("README.md", "README.md", "--page-size", "65536"), ["page_size", "65535"]),
        (("README.md", "README.md", "--page-size", "12"), ["page_size", "13"]),
        (("README.md", "README.md", "--sigma", "0.1"), ["--sigma", "--ratio"]),
        (("--ratio", "0.5", "--codec", "lzf"), ["--codec", "--ratio"]),
        (("--ratio", "1.5"), ["ratio = 1.5"]),
        (("--ratio", "half"), ["--ratio", "half"]),
        (("--ratio", "0.5", "--sigma", "-1"), ["sigma = -1"]),
        (("--ratio", "0.9", "--sigma", "0.3"), ["sigma = 0.3", "37 %"]),
        (("--ratio", "0.5", "--max-ratio", "0"), ["max_ratio = 0"]),
        (("--ratio", "0.5", "--cpu-mhz", "0"), ["cpu_mhz = 0"]),
        (("--ratio", "0.5", "--times", "25,40"), ["--times", "three numbers"]),
        (("--ratio", "0.5", "--times", "25,-40,200"), ["transfer_us = -40"]),
        (("--ratio", "0.5", "--times", "25,40,0"), ["program_us = 0"]),
    ],
)
def test_bad_input_is_refused(arguments: tuple[str, ...], words: list[str]) -> None:
    said = refused("content", *arguments, cwd=Path(__file__).parent.parent)
    for word in words:
        assert word in said


@pytest.mark.parametrize(
    ("work", "word"),
    [
        (lambda: programs_per_write(1.0, 0.5), "share = 1"),
        (lambda: wl.collection_work(1e6, 10_000), "gain = 100 pages"),
        (lambda: wl.collection_work(1e6, 20_000, share=0.5, superseded=2.0), "superseded = 2"),
        (lambda: wl.collection_work(1e6, 20_000, pages_per_block=0), "pages_per_block = 0"),
        (lambda: packed([1], buffers=0), "temp_buffers = 0"),
        (lambda: emulated(0.0), "ratio = 0"),
    ],
)
def test_numbers_without_sense_are_refused(work: object, word: str) -> None:
    assert callable(work)
    with pytest.raises(wl.ConfigError, match=word):
        work()


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database after each of twelve transactions."""
    folder = tmp_path_factory.mktemp("versions")
    path = tmp_path_factory.mktemp("database") / "items.db"
    draw = random.Random(3)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"pragma page_size = {PAGE}")
        connection.execute("create table item (id integer primary key, count int, note text)")
        words = [format(draw.getrandbits(24), "x") for _ in range(500)]
        rows = ((i, i, " ".join(draw.choices(words, k=12))) for i in range(2_000))
        connection.executemany("insert into item values (?, ?, ?)", rows)
        connection.commit()
        for at in range(12):
            changed = ((i,) for i in draw.sample(range(2_000), 200))
            connection.executemany("update item set count = count + 1 where id = ?", changed)
            connection.commit()
            shutil.copy(path, folder / f"{at:02}.db")
    return folder


SMALL: dict[str, Any] = {
    "geometry.blocks_per_plane": 20,
    "geometry.pages_per_block": 16,
    "ftl.over_provisioning": 0.5,
    "ftl.gc.hard": 0.2,
    "ftl.gc.low": 0.2,
    "ftl.gc.high": 0.3,
    "ftl.delta.counted_pages": 2_000,
    "ftl.delta.read_hot_threshold": 8,
    "buffer.policy": "none",
    "workload.region": [0.0, 0.05],
    "workload.read_fraction": 0.3,
    "workload.requests": 12_000,
}


def timed(folder: Path, **keys: Any) -> wl.Result:
    drive = wl.Drive(
        "wu2013-delta", **SMALL, **{"ftl.delta.versions": str(folder)}, **keys.pop("keys", {})
    )
    found: wl.Result = wl.simulate(drive, audit=True, progress=False, **keys)
    return found


def test_pages_of_a_drive_are_those_of_a_database(versions: Path, tmp_path: Path) -> None:
    """The deltas of a timed run are about as large as those between versions; each is of several transactions at most."""
    files = sorted(versions.iterdir())
    apart = wl.compare_versions(files[0], files[1]).ratios.mean()
    far = wl.compare_versions(files[0], files[-1]).ratios.mean()
    state = tmp_path / "state"
    found = timed(versions, save_state=state)
    assert found.number("ftl.delta.writes") > 1_000
    assert found.number("ftl.delta.reads_checked") > 1_000
    assert 0.5 * apart < found.number("ftl.delta.ratio") < 1.5 * far
    # the same in units of the emulation: the law of the ratio has no effect
    other = timed(versions, keys={"ftl.delta.ratio": 0.5})
    assert other.number("ftl.delta.ratio") == found.number("ftl.delta.ratio")
    start = {"age.method": "snapshot", "age.snapshot": str(state), "workload.seed": 2}
    later = timed(versions, keys=start)
    assert later.number("ftl.delta.reads_checked") > 1_000
    with pytest.raises(wl.ConfigError, match=r"ftl\.delta\.codec = lzf there, lz4 here"):
        timed(versions, keys={**start, "ftl.delta.codec": "lz4"})
    fewer = tmp_path / "fewer"
    fewer.mkdir()
    for path in files[:5]:
        shutil.copy(path, fewer)
    with pytest.raises(wl.ConfigError, match=r"ftl\.delta\.versions = contents \w+ there"):
        timed(fewer, keys=start)


def test_compressed_content_turns_the_gate_off(versions: Path, tmp_path: Path) -> None:
    for path in versions.iterdir():
        (tmp_path / path.name).write_bytes(zlib.compress(path.read_bytes()))
    found = timed(tmp_path)
    assert found.number("ftl.delta.candidates") > 1_000
    assert found.number("ftl.delta.writes") < 0.01 * found.number("ftl.delta.candidates")
    assert found.number("ftl.delta.turned_away") > 0.98 * found.number("ftl.delta.candidates")


def test_versions_that_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(wl.ConfigError, match=r"ftl\.delta\.versions = .*two or more files"):
        timed(tmp_path)
    with pytest.raises(wl.ConfigError, match=r"ftl\.delta\.versions = .*No such file"):
        timed(tmp_path / "nothing")
