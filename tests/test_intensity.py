"""How much faster than recorded a workload can be replayed, and what drives cost over a service."""

from __future__ import annotations

import math
import tempfile
import tomllib
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordline as wl
from options import call, effect
from wordline.simulation import configuration

LOAD = {"workload.interarrival": "2 ms", "workload.requests": 1500}
SETS = ["--set", "workload.interarrival='2 ms'", "--set", "workload.requests=1500"]


def test_the_ratio_is_that_of_the_percentiles() -> None:
    found = wl.find_acceleration(wl.Drive("bench", **LOAD), cap=4, progress=False)
    first = found.curve.row(0, named=True)
    assert (first["intensity"], first["relative_response_time"]) == (1, 1.0)
    for row in found.curve.to_dicts():
        assert row["relative_response_time"] == pytest.approx(
            row["response_us"] / first["response_us"]
        )
    within = [
        row["intensity"] for row in found.curve.to_dicts() if row["relative_response_time"] <= 3
    ]
    assert found.factor == max(within) or found.curve["overloaded"].any()
    assert found.is_capped == (found.factor == 4)


def played(trace: Path, *intensities: float) -> pl.DataFrame:
    """The requests of a trace at intensities, one after the other, in the order of the trace."""
    first, *others = intensities
    drive = wl.scale_intensity("bench", wl.Workload.trace(trace, format="ssdsim"), first)
    for intensity in others:
        drive = wl.scale_intensity(drive, None, intensity)
    return wl.simulate(drive, progress=False).requests.sort("number")


@settings(max_examples=8, deadline=None)
@given(
    st.lists(st.integers(1, 10**6), min_size=2, max_size=30),
    st.floats(0.1, 50).map(lambda value: round(value, 3)),
)
def test_intensity_divides_all_times_and_changes_nothing_else(
    gaps: list[int], intensity: float
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.txt"
        times = [sum(gaps[:place]) * 1000 for place in range(len(gaps))]
        rows = [f"{time} 0 {8 * place} 8 {place % 2}" for place, time in enumerate(times)]
        trace.write_text("\n".join(rows), encoding="utf-8")
        once, scaled = played(trace, 1.0), played(trace, intensity)
        back = played(trace, intensity, 1 / intensity)
    for found, before in zip(scaled["arrival_ns"], once["arrival_ns"], strict=True):
        # to a nanosecond, after multiplying it by the intensity again
        assert abs(found * intensity - before) <= 1 + intensity
    for found, before in zip(back["arrival_ns"], once["arrival_ns"], strict=True):
        assert abs(found - before) <= 1
    same = ["number", "class", "sector", "sectors"]
    assert once.select(same).equals(scaled.select(same))
    assert once.select(same).equals(back.select(same))


@settings(max_examples=40, deadline=None)
@given(st.integers(1_000, 10**9), st.floats(0.001, 100))
def test_the_time_between_requests_comes_back_by_the_inverse(gap: int, intensity: float) -> None:
    load = {"kind": "random", "interarrival": f"{gap} ns"}
    back = wl.scale_intensity(wl.scale_intensity("bench", load, intensity), None, 1 / intensity)
    found = tomllib.loads(configuration(back, None).toml)["workload"]["interarrival"]
    # the mean is a whole number of nanoseconds at each intensity
    assert abs(wl._wordline.seconds(found) * 1e9 - gap) <= 0.5 * (1 + intensity) + 1e-3


@settings(max_examples=6, deadline=None)
@given(
    st.sampled_from(["tiny", "bench"]),
    st.integers(2, 50).map(lambda value: f"{value} ms"),
    st.floats(0.0, 1.0),
)
def test_the_ratio_at_intensity_one_is_one(drive: str, gap: str, reads: float) -> None:
    load = {"kind": "random", "interarrival": gap, "read_fraction": reads, "requests": 300}
    found = wl.find_acceleration(drive, load, cap=1, progress=False)
    assert found.curve.to_dicts()[0]["relative_response_time"] == 1.0


def test_intensity_and_its_inverse_cancel() -> None:
    once = wl.scale_intensity("bench", {"kind": "random", "interarrival": "2 ms"}, 4)
    back = wl.scale_intensity(once, None, 0.25)
    assert tomllib.loads(configuration(back, None).toml)["workload"]["interarrival"] == "2 ms"


@pytest.mark.parametrize("intensity", [0.0, -1.0, math.inf, math.nan])
def test_bad_intensities_are_refused(intensity: float) -> None:
    with pytest.raises(wl.ConfigError, match="finite numbers above 0"):
        wl.scale_intensity(wl.Drive("bench", **LOAD), None, intensity)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"cap": 0}, "cap"),
        ({"most": 1.0}, "most = 1.0"),
        ({"percent": 100.0}, "percent = 100.0"),
    ],
)
def test_bad_searches_are_refused(keys: dict[str, float], words: str) -> None:
    with pytest.raises(wl.ConfigError, match=words):
        wl.find_acceleration(wl.Drive("bench", **LOAD), progress=False, **keys)  # type: ignore[arg-type]


def test_a_closed_loop_has_no_intensity() -> None:
    with pytest.raises(wl.ConfigError, match="closed loop"):
        wl.find_acceleration("bench", progress=False)


def test_a_drive_that_is_over_utilised_at_once_has_no_ratio() -> None:
    drive = wl.Drive("bench", **{**LOAD, "workload.interarrival": "20 us"})
    found = wl.find_acceleration(drive, progress=False)
    assert (found.factor, found.is_capped) == (0, False)
    assert found.curve.to_dicts()[0]["relative_response_time"] is None


@effect("intensity", "drive", "--set", "--cap", "--json")
def test_the_highest_intensity_is_kept_to() -> None:
    found = call("intensity", "bench", *SETS, "--cap", 1, "--json").json
    assert (found["factor"], found["capped"], len(found["curve"])) == (1, True, 1)
    assert next(note["key"] for note in found["notes"]) == "age"
    shown = call("intensity", "bench", *SETS, "--cap", 1).stdout
    assert "highest sustainable speed-up: 1 or more" in shown
    # the state in which the drive begins, and what the runs had to say beside the rows that it concerns
    assert "info: Preconditioned" in shown
    assert "(a)" in shown


@effect("intensity", "--most", "--percentile")
def test_the_ratio_and_the_percentile_decide() -> None:
    def ran(*options: object) -> list[dict[str, float]]:
        curve: list[dict[str, float]] = call(
            "intensity", "bench", *SETS, "--cap", 3, *options, "--json"
        ).json["curve"]
        return curve

    usual, high = ran("--percentile", 20), ran("--percentile", 99.9)
    assert high[0]["response_us"] > usual[0]["response_us"]
    assert len(ran("--most", 1.0000001)) <= len(ran("--most", 50))


@effect("intensity", "--workload", "--trace", "--format", "--time-unit")
def test_workloads_come_from_files(tmp_path: Path) -> None:
    load = tmp_path / "load.toml"
    load.write_text(
        '[workload]\nkind = "random"\ninterarrival = "3 ms"\nrequests = 800\n', encoding="utf-8"
    )
    one = call("intensity", "bench", "--workload", load, "--cap", 1, "--json").json
    assert one["factor"] == 1
    trace = tmp_path / "trace.txt"
    rows = [f"{turn * 2_000_000} 0 {turn % 50 * 8} 8 {turn % 2}" for turn in range(400)]
    trace.write_text("\n".join(rows), encoding="utf-8")
    found = call(
        "intensity", "bench", "--trace", trace, "--format", "ssdsim", "--cap", 2, "--json"
    ).json
    assert found["curve"][0]["relative_response_time"] == 1.0
    # the rows of DiskSim count milliseconds, and these nanoseconds
    busy = call(
        "intensity",
        "bench",
        "--trace",
        trace,
        "--format",
        "disksim",
        "--time-unit",
        "ns",
        "--cap",
        2,
        "--json",
    ).json
    assert busy["curve"][0]["response_us"] == found["curve"][0]["response_us"]
    said = call("intensity", "bench", "--trace", trace, "--format", "none", status=2).stderr
    assert "none" in said


def lived() -> wl.Lifetime:
    """A study of a small drive."""
    return wl.lifetime(
        "tiny",
        asked=wl.LifetimeStudy(writes_per_day=20, horizon=10 * 86_400.0, every=5 * 86_400.0),
        progress=False,
    )


def test_longer_times_without_power_lose_more() -> None:
    found = wl.unpowered(lived(), [0.0, 1e6, 1e9, 1e12])
    assert found["lost_pages"].is_sorted()
    assert (found["lost_pages"][0], found["lost_pages"][-1]) == (0.0, 1.0)
    assert found["lost_blocks"].is_sorted()
    with pytest.raises(wl.ConfigError, match="from 0 s"):
        wl.unpowered(lived(), [-1.0])


def test_replacements_times_price() -> None:
    year = 365 * 86_400.0
    cost = wl.service_cost(2 * year, service_s=5 * year, price_per_gb=1.94, capacity_gb=300)
    assert cost.drives == 3
    assert cost.price == pytest.approx(3 * 582)
    assert wl.service_cost(None, service_s=year, price_per_gb=19, capacity_gb=300).drives == 1
    with pytest.raises(wl.ConfigError, match="service_s = 0"):
        wl.service_cost(None, service_s=0, price_per_gb=1, capacity_gb=1)


def test_the_answer_is_an_object() -> None:
    found = wl.find_acceleration(wl.Drive("bench", **LOAD), cap=1, progress=False)
    assert found.as_dict()["capped"] is True
    assert isinstance(found.curve, pl.DataFrame)
    assert "1 intensities" in repr(found)
