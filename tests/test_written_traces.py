"""Traces as files of columns and as fio's log: what is written is read back, by Wordline and by fio."""

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import datetime, timedelta
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordline as wl
from shared import refused
from wordline import tabular

ROWS = """time_ns,op,offset,size,device,response_ns,fua,queue,placement
1000,read,0,4096,0,0,false,0,0
2500,write,4096,8192,7,125,true,3,2
2500,trim,65536,65536,7,0,false,0,0
3000,flush,0,0,0,0,false,1,0
9000,write_zeroes,512,512,0,0,false,0,0
9000,zone_reset,1024,0,0,0,false,0,0
"""


def test_a_table_of_requests_survives(tmp_path: Path) -> None:
    text, table, again = tmp_path / "a.csv", tmp_path / "a.parquet", tmp_path / "b[1]*.parquet"
    text.write_text(ROWS)
    assert wl.convert(text, table, format="table").requests == 6
    rows = pl.read_parquet(table)
    assert dict(rows.schema) == {name: getattr(pl, kind) for name, kind in tabular.TYPES.items()}
    assert rows["time_ns"].to_list() == [1000, 2500, 2500, 3000, 9000, 9000]
    assert rows["response_ns"].to_list() == [None, 125, None, None, None, None]
    assert wl.convert(table, again).requests == 6
    assert pl.read_parquet(again, glob=False).equals(rows)
    binary = tmp_path / "a.wlt"
    wl.convert(table, binary)
    ours, theirs = wl.trace_stats(table), wl.trace_stats(binary)
    assert (ours["requests"], ours["trims"], ours["devices"]) == (6, 1, 2)
    told = {"format", "time_unit", "notes"}
    assert {k: v for k, v in ours.items() if k not in told} == {
        k: v for k, v in theirs.items() if k not in told
    }


@settings(max_examples=15)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 2**62),
            st.sampled_from(["read", "write", "trim"]),
            st.integers(0, 2**61),
            st.integers(1, 2**30),
            st.integers(0, 2**63 - 1),
            st.booleans(),
            st.integers(0, 2**16 - 1),
        ),
        min_size=1,
        max_size=40,
    )
)
def test_every_column_is_read_back(rows: list[tuple[int, str, int, int, int, bool, int]]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        first, second = Path(folder) / "a.parquet", Path(folder) / "b.parquet"
        names = ("time_ns", "op", "offset", "size", "device", "fua", "queue")
        table = pl.DataFrame(rows, schema=names, orient="row")
        table.write_parquet(first)
        wl.convert(first, second, format="table")
        back = pl.read_parquet(second).select(names)
        assert back.rows() == rows


def test_tables_of_others_are_read(tmp_path: Path) -> None:
    start = datetime(2026, 1, 2, 3, 4, 5)
    table = pl.DataFrame(
        {
            "time": [start + timedelta(microseconds=gap) for gap in (0, 1500, 2_000_000)],
            "op": pl.Series(["R", "W", "D"], dtype=pl.Categorical),
            "offset": [0, 4096, 8192],
            "size": [512.0, 1024.0, 4096.0],
            "tags": [["a"], [], ["b"]],
        }
    )
    for name, write in (
        ("a.parquet", table.write_parquet),
        ("a.arrow", table.write_ipc),
        ("b.dat", table.write_parquet),
        # neither a pattern nor a value of a column
        ("time=7[1-3]*.parquet", table.write_parquet),
    ):
        path = tmp_path / name
        write(path)
        stats = wl.trace_stats(path)
        assert (stats["format"], stats["requests"], stats["trims"]) == ("table", 3, 1), name
        assert stats["span_s"] == pytest.approx(2.0)
    # with names of their own, the keys of delimited text say which column is which
    other = tmp_path / "other.parquet"
    table.rename({"time": "when", "offset": "where"}).write_parquet(other)
    csv = {"time": "when", "op": "op", "offset": "where", "size": "size"}
    stats = wl.trace_stats(other, format="csv", options={"workload": {"csv": csv}})
    assert (stats["requests"], stats["mean_read_bytes"]) == (3, 512)


def test_long_tables_are_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tabular, "ROWS", 7)
    path = tmp_path / "a.parquet"
    pl.DataFrame(
        {"time": range(50), "op": ["R"] * 50, "offset": [0] * 50, "size": [512] * 50}
    ).write_parquet(path)
    assert len(list(tabular.pieces(path))) == 8
    assert wl.trace_stats(path)["requests"] == 50
    assert [share for _, share in tabular.pieces(path)][-1] == 1.0


def test_the_requests_of_a_result_are_a_trace(result: wl.Result, tmp_path: Path) -> None:
    path = result.save(tmp_path / "result") / "requests.parquet"
    stats = wl.trace_stats(path)
    assert stats["requests"] == result.requests.height
    assert stats["reads"] == result.requests.filter(pl.col("class") == "read").height
    drive = wl.Drive.from_toml("tiny", **{"age.method": "fresh"})
    again = wl.simulate(drive, wl.Workload.trace(path, fold="modulo"), progress=False)
    assert again.summary["host.requests"] == result.requests.height


def test_damaged_and_foreign_tables_are_named(tmp_path: Path) -> None:
    whole = tmp_path / "whole.parquet"
    pl.DataFrame({"time": [0], "op": ["R"], "offset": [0], "size": [512]}).write_parquet(whole)
    for name, content, words in (
        ("a.parquet", whole.read_bytes()[:-20], ("Parquet file that cannot be read", "complete")),
        ("b.parquet", b"PAR1" + bytes(100) + b"PAR1", ("Parquet file that cannot be read",)),
        ("a.arrow", b"ARROW1\0\0" + bytes(50), ("Arrow file that cannot be read",)),
    ):
        path = tmp_path / name
        path.write_bytes(content)
        said = refused("trace-stats", path)
        assert all(word in said for word in (name, *words)), said
    lists = tmp_path / "lists.parquet"
    pl.DataFrame({"a": [[1]]}).write_parquet(lists)
    assert "no column of numbers or words" in refused("trace-stats", lists)
    wrong = tmp_path / "wrong.parquet"
    pl.DataFrame({"time": [0], "op": ["Q"], "offset": [0], "size": [512]}).write_parquet(wrong)
    assert "row 2" in refused("trace-stats", "--format", "table", wrong)


def test_a_table_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    text = tmp_path / "a.csv"
    text.write_text("time,op,offset,size\n0,R,0,512\n0,Q,0,512\n")
    assert "row 3" in refused("convert", "--format", "table", text, tmp_path / "a.parquet")
    assert "compressed in itself" in refused(
        "convert", "--format", "table", text, tmp_path / "a.parquet.gz"
    )
    assert list(tmp_path.iterdir()) == [text]


@pytest.mark.skipif(not shutil.which("fio"), reason="fio is not installed")
def test_fio_replays_what_is_written(tmp_path: Path) -> None:
    text, log = tmp_path / "a.txt", tmp_path / "a.iolog"
    # 30 reads, 20 writes of 8 KiB, 10 flushes within 0.3 s
    rows = [
        f"{number * 0.005},{'RRRWWF'[number % 6]},{number * 8192},{8192 if number % 6 != 5 else ''}\n"
        for number in range(60)
    ]
    text.write_text("time,op,offset,size\n" + "".join(rows))
    wl.convert(text, log)
    command = ["fio", "--name=replay", "--ioengine=null", f"--read_iolog={log}"]
    done = subprocess.run(
        [*command, "--output-format=json"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=tmp_path,
    )
    job = json.loads(done.stdout[done.stdout.index("{") :])["jobs"][0]
    assert (job["read"]["total_ios"], job["read"]["io_bytes"]) == (30, 30 * 8192)
    assert (job["write"]["total_ios"], job["write"]["io_bytes"]) == (20, 20 * 8192)
    assert job["sync"]["total_ios"] == 10
    # it waits between the requests, also before the second
    assert job["job_runtime"] >= 290
