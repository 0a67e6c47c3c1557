"""The Python package: drives, workloads, results."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wordline as wl
from shared import SMALL
from wordline.columns import TABLES
from wordline.config import flatten, toml_value
from wordline.formatting import display, duration_us

PLAIN = st.one_of(
    st.booleans(),
    st.integers(-(2**62), 2**62),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(codec="utf-8")),
)


DICTS = st.lists(st.dictionaries(st.text(st.characters(codec="utf-8")), PLAIN))


@given(st.one_of(PLAIN, st.lists(PLAIN), DICTS))
def test_any_value_survives_its_spelling(value: object) -> None:
    assert tomllib.loads(f"value = {toml_value('value', value)}") == {"value": value}


@given(st.dictionaries(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), PLAIN, min_size=1))
def test_nested_and_dotted_keys_are_the_same(keys: dict[str, object]) -> None:
    nested = flatten({"ftl": {"gc": keys}})
    assert nested == flatten({f"ftl.gc.{key}": value for key, value in keys.items()})


@given(
    channels=st.integers(1, 4),
    planes=st.integers(1, 2),
    pages=st.sampled_from([16, 32, 64]),
    victim=st.sampled_from(["greedy", "fifo", "random"]),
    read_fraction=st.floats(0, 1),
    depth=st.integers(1, 64),
)
def test_any_small_drive_runs_and_conserves(
    channels: int, planes: int, pages: int, victim: str, read_fraction: float, depth: int
) -> None:
    drive = wl.Drive.from_toml(
        "tiny",
        geometry={"channels": channels, "planes_per_die": planes, "pages_per_block": pages},
        **{"ftl.gc.victim": victim},
    )
    workload = wl.Workload(read_fraction=read_fraction, queue_depth=depth, requests=200)
    result = wl.simulate(drive, workload, audit=True)
    assert result.summary["host.requests"] == 200
    assert result.summary["check.conservation"] is True
    assert result.requests.height == 200


def test_the_ways_to_say_a_drive_and_a_workload_agree(tmp_path: Path) -> None:
    keys = {"read_fraction": 0.25, "requests": 500}
    drive = tmp_path / "drive.toml"
    drive.write_text('base = "tiny"\n')
    configs = {
        wl.simulate("tiny", keys).config,
        wl.simulate(drive, wl.Workload(**keys)).config,
        wl.simulate(wl.Drive.from_toml("tiny", workload=keys)).config,
        wl.simulate(
            wl.Drive.from_text('base = "tiny"', **{"workload.requests": 500}),
            {"read_fraction": 0.25},
        ).config,
    }
    # but for its name, which is that of the preset or of the file
    assert len({re.sub(r"\Aname = .*\n", "", config) for config in configs}) == 1
    config = configs.pop()
    assert wl.simulate(wl.Drive.from_text(config)).config == config


def test_a_workload_file_stands_in_for_the_whole_workload(tmp_path: Path) -> None:
    file = tmp_path / "load.toml"
    file.write_text('kind = "sequential"\nrequests = 300\nread_fraction = 0.0\nqueue_depth = 1\n')
    summary = wl.simulate("tiny", wl.Workload.from_toml(file)).summary
    assert summary["host.write.count"] == 300
    assert wl.simulate("tiny", file).summary["host.write.count"] == 300


def test_frames_stand_on_the_memory_of_the_simulator(result: wl.Result) -> None:
    output = result._output
    assert isinstance(output, wl._wordline.Output)
    for table, frame, columns in (
        ("requests", result.requests, output.requests),
        ("blocks", result.blocks, output.blocks),
    ):
        for name, column in columns.items():
            if TABLES[table].columns[name].type_name != "Enum":
                assert np.shares_memory(frame[name].to_numpy(), column), name


def test_codes_become_names(result: wl.Result) -> None:
    assert set(result.requests["class"].unique()) == {"read", "write"}
    assert set(result.blocks["role"].unique()) <= {"free", "open", "closed", "bad"}


def test_tables_agree_with_the_summary(result: wl.Result) -> None:
    summary = result.summary
    reads = result.requests.filter(pl.col("class") == "read")
    mean_us = (reads["completed_ns"] - reads["arrival_ns"]).mean()
    assert reads.height == summary["host.read.count"] == result.time_series["reads"].sum()
    assert isinstance(mean_us, float)
    assert mean_us / 1e3 == pytest.approx(summary["host.read.latency.mean_us"])
    assert result.time_series["blocks_erased"].sum() == summary["ftl.blocks_erased"]
    assert result.blocks["erase_count"].max() == summary["ftl.erase_count.max"]
    assert result.blocks["valid"].sum() == summary["ftl.pages.valid"]


def test_distributions_rise_to_one(result: wl.Result) -> None:
    assert {"read", "write", "all"} <= set(result.latency)
    for distribution in result.latency.values():
        assert (np.diff(distribution.value_us) >= 0).all()
        assert (np.diff(distribution.fraction) >= 0).all()
        assert distribution.fraction[-1] == 1.0


def test_notes_are_typed(result: wl.Result) -> None:
    assert all(note.severity in ("warning", "info") and note.text for note in result.notes)
    short = wl.simulate("tiny", {"requests": 20})
    assert any("p99" in note.text for note in short.notes), short.notes


def test_audit_changes_nothing(result: wl.Result) -> None:
    drive = wl.Drive.from_toml("tiny", **SMALL, **{"output.attribution": True})
    plain = wl.simulate(drive)
    differing = {
        key
        for key, value in result.summary.items()
        if plain.summary[key] != value and not key.startswith("run.")
    }
    assert differing <= {"check.audited"}


def test_closed_forms() -> None:
    # ftl-family.md 9.1, OP 28 %, 64 pages per block
    assert wl.write_amplification("greedy", 0.28, 64, 1) == pytest.approx(2.4028, abs=1e-4)
    assert wl.write_amplification("d_choices", 0.28, 64, 10) == pytest.approx(2.4711, abs=1e-4)
    assert wl.write_amplification("random", 0.28, 64, 1) == pytest.approx(4.5714, abs=1e-4)
    assert wl.write_amplification("fifo", 0.28, 64, 1) == pytest.approx(2.4814, abs=1e-4)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (True, "yes"),
        (1234567, "1,234,567"),
        (0.0, "0"),
        (12345.678, "12,346"),
        (2.41, "2.410"),
        (0.012345, "0.01235"),
        (1.5e-9, "1.5e-09"),
        ("page", "page"),
        (float("nan"), "–"),
    ],
)
def test_display(value: object, text: str) -> None:
    assert display(value) == text


def test_durations_choose_their_unit() -> None:
    assert [duration_us(value) for value in (0.5, 75, 1843, 2.5e6)] == [
        "0.5 µs",
        "75 µs",
        "1.84 ms",
        "2.5 s",
    ]
