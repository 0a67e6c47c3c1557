"""Tables as pandas frames, with pandas and without, and never with PyArrow."""

from __future__ import annotations

import sys

import polars as pl
import pytest

import wordline as wl


@pytest.fixture
def no_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every import of PyArrow fail."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)


@pytest.mark.usefixtures("no_pyarrow")
def test_tables_become_pandas_frames_without_pyarrow(result: wl.Result) -> None:
    frame = wl.to_pandas(result.requests)
    assert list(frame.columns) == result.requests.columns
    assert frame["arrival_ns"].tolist() == result.requests["arrival_ns"].to_list()
    assert frame["class"].tolist() == result.requests["class"].to_list()
    assert frame["class"].dtype == "category"
    count = frame.groupby("class", observed=True)["number"].count()
    assert count["read"] == result.summary["host.read.count"]


@pytest.mark.usefixtures("no_pyarrow")
def test_every_table_of_a_run_has_its_values() -> None:
    drive = wl.Drive.from_toml("tiny", output={"attribution": True, "timeline": True})
    run = wl.simulate(drive, {"kind": "random", "requests": 500}, progress=False)
    for table in (run.time_series, run.blocks, run.slowest, run.timeline, run.distribution):
        frame = wl.to_pandas(table)
        for name in table.columns:
            shown = [None if value != value else value for value in frame[name].tolist()]
            assert shown == table[name].to_list(), name


def test_missing_names_and_numbers_stay_missing() -> None:
    table = pl.DataFrame(
        {"kind": ["a", None], "count": [None, 7]},
        {"kind": pl.Enum(["a", "b"]), "count": pl.Int64},
    )
    frame = wl.to_pandas(table)
    assert frame.isna().to_numpy().tolist() == [[False, True], [True, False]]
    assert frame["count"][1] == 7


def test_without_pandas_it_says_what_to_install(
    result: wl.Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(wl.ConfigError, match="python -m pip install pandas"):
        wl.to_pandas(result.requests)
