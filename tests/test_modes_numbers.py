"""What a report says of modes, recomputed from the table, the summary and the spans of the timeline."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import wordline as wl
from recomputed import total
from report_reader import about, number, page_of, percents, plain, said
from wordline.columns import TABLES
from wordline.report import modes, render

MODES = [
    {"name": "slow", "t_prog": "300 us"},
    {"name": "slower", "t_prog": "500 us"},
]


def simulated(**keys: Any) -> wl.Result:
    """A tiny drive that chooses among three modes; the timeline has all of it."""
    usual: dict[str, Any] = {
        "modes": MODES,
        "ftl.modes.policy": "diffecc",
        "ftl.modes.load_scope": "unit",
        "ftl.modes.sample_period": "5 ms",
        "workload.requests": 3000,
        "workload.read_fraction": 0.5,
        "workload.interarrival": "100 us",
        "output.timeline": True,
        "output.timeline_from": "0 s",
        "output.timeline_to": "10 s",
        "output.timeline_spans": 100_000,
    }
    return wl.simulate(wl.Drive("tiny", **{**usual, **keys}), progress=False)


@pytest.fixture(scope="module")
def result() -> wl.Result:
    return simulated()


def test_the_table_is_what_the_spans_say(result: wl.Result) -> None:
    """Pages of the host, by the interval in which their operations ended; one read may be retried, none here is."""
    table = result.modes
    assert table.columns == [*TABLES["modes"].columns]
    assert table["mode"].unique().sort().to_list() == [0, 1, 2]
    one = table.filter(pl.col("mode") == 0)
    assert total(one["width_ns"]) == result.number("sim.time_s") * 1e9
    assert one["start_ns"].to_list()[1:] == (one["start_ns"] + one["width_ns"]).to_list()[:-1]
    host = result.timeline.filter((pl.col("track") == "die") & (pl.col("cause") == "host"))
    for column, activity in (("host_pages_read", "read"), ("host_pages_programmed", "program")):
        found = host.filter(pl.col("activity") == activity)
        assert found.height > 500
        for mode in range(3):
            own = found.filter(pl.col("mode") == mode)["count"]
            assert total(table.filter(pl.col("mode") == mode)[column]) == total(own), mode
    assert all(
        total(table.filter(pl.col("mode") == mode)["host_pages_programmed"]) for mode in (0, 2)
    )


def test_idle_times_over_time_are_those_of_the_summary(result: wl.Result) -> None:
    one = result.modes.filter((pl.col("mode") == 0) & (pl.col("idle_ended") > 0))
    assert 0 < result.number("drive.idle.count") < result.number("units.idle.count")
    assert total(one["idle_ended"]) == result.summary["units.idle.count"]
    mean = total(one["idle_ended"] * one["idle_mean_us"]) / total(one["idle_ended"])
    assert mean == pytest.approx(result.number("units.idle.mean_us"))
    # something is expected once a sample was taken, and only where a mode was decided on
    table = result.modes
    late = table.filter(pl.col("start_ns") > 20_000_000)
    expected = late["expected_idle_us"].drop_nulls().to_list()
    assert expected
    assert min(expected) > 0
    busy = late.group_by("start_ns").agg(pl.col("host_pages_programmed").sum())
    idle = busy.filter(pl.col("host_pages_programmed") == 0)["start_ns"]
    assert late.filter(
        pl.col("expected_idle_us").is_null() & ~pl.col("start_ns").is_in(idle.implode())
    ).is_empty()


def test_time_without_flash_operations_is_what_the_spans_leave() -> None:
    """Dies and channels are at work while an operation executes; one that only waits for its turn does so behind another."""
    result = simulated(**{"workload.interarrival": "1 ms", "workload.requests": 500})
    spans = result.timeline.filter(pl.col("track").is_in(["die", "channel"])).sort("from_ns")
    busy, until = 0, 0
    for start, end in spans.select("from_ns", "to_ns").iter_rows():
        busy += max(end - max(start, until), 0)
        until = max(until, end)
    share = 1 - busy / (result.number("sim.time_s") * 1e9)
    assert 0.05 < share < 0.95
    assert result.number("drive.idle.flash_share") == pytest.approx(share, abs=2e-3)


def test_the_report_shows_them(result: wl.Result) -> None:
    figure = page_of(modes.section(result)).figure("modes")
    for row, name in zip(figure.rows, ("normal", "slow", "slower"), strict=True):
        assert row["mode"] == name
        for title, key in (
            ("pages read", "pages_read"),
            ("pages programmed", "pages_programmed"),
            ("pages held", "pages_held"),
            ("share of the host's programs", "host_program_share"),
        ):
            assert number(row[title]) == about(result.number(f"modes.{name}.{key}")), title
        assert not any(column.startswith("energy") for column in row)
    shares = [rows for rows in figure.spec["datasets"].values() if "bottom" in rows[0]]
    assert len(shares) == 2
    for each in (row for rows in shares for row in rows):
        assert 0 <= each["bottom"] < each["top"] <= 1 + 1e-9
        assert each["top"] - each["bottom"] == pytest.approx(each["share"])
    others = sum(result.number(f"modes.{name}.host_program_share") for name in ("slow", "slower"))
    share = said(r"^(?P<share>[\d.]+) % of the host's programs.*", plain(figure.title))["share"]
    assert number(share) / 100 == percents(others)
    lengths = figure.points("idle", "length")
    assert {each["idle"] for each in lengths} == {"that ended", "expected"}
    assert "reads were of other modes" in render(result)
    # every key of a mode says what it means
    assert "Logical pages that are held in the mode" in render(result)
    assert result.plot.modes() is not None


def test_energies_of_modes_have_one_unit() -> None:
    summary = {"modes.normal.energy_mj": 2_500.0, "modes.slow.energy_mj": None}
    assert modes.energies(summary, ["normal", "slow"]) == [
        {"energy (J)": pytest.approx(2.5)},
        {"energy (J)": None},
    ]
    assert modes.energies({}, ["normal", "slow"]) == [{}, {}]


def test_a_drive_with_one_mode_has_no_such_section() -> None:
    plain = wl.simulate(wl.Drive("tiny", **{"workload.requests": 50}), progress=False)
    assert plain.modes.is_empty()
    assert modes.section(plain) is None
    with pytest.raises(ValueError, match="nothing to draw"):
        plain.plot.modes()
