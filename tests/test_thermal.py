"""The temperature of a drive: figures, table, report and sentences, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import wordline as wl
from wordline.explaining import explain, lead
from wordline.report import temperature

HOT: dict[str, Any] = {
    "power.supply": "2.5 V",
    "power.controller": "4 W",
    "power.idle": "1 W",
    "thermal.enabled": True,
    "thermal.capacity": "5 mJ/K",
    "thermal.tmt1": "45 degC",
    "thermal.tmt2": "60 degC",
    "thermal.light_rate": "6 MB/s",
    "thermal.heavy_rate": "2 MB/s",
    "thermal.step": "1 ms",
    "workload.requests": 5_000,
    "output.attribution": True,
}


def run(**keys: Any) -> wl.Result:
    """An audited run of a drive that becomes warm."""
    return wl.simulate(wl.Drive.from_toml("tiny", **(HOT | keys)), audit=True, progress=False)


@pytest.fixture(scope="module")
def hot() -> wl.Result:
    """A drive that throttles lightly from time to time."""
    return run()


def test_the_table_has_the_run(hot: wl.Result) -> None:
    table = hot.temperature
    seconds = table["width_ns"].cast(pl.Float64) / 1e9
    weights = seconds / seconds.sum()
    assert float(seconds.sum()) == pytest.approx(hot.number("sim.time_s"))
    mean = float((table["temperature_c"] * weights).sum())
    assert mean == pytest.approx(hot.number("thermal.temperature.mean_c"))
    joules = float((table["power_mw"] * seconds).sum())
    assert joules == pytest.approx(hot.number("energy.total_mj"))
    assert set(table["state"]) == {0, 1}
    most = hot.number("thermal.temperature.max_c")
    assert table.filter(pl.col("temperature_c") > most).height == 0


def test_it_is_told_and_drawn(hot: wl.Result, tmp_path: Path) -> None:
    said = next(text for text in lead(hot) if "throttled for" in text)
    assert "lightly, at 6 MB/s" in said
    assert "heavily" not in said
    assert "thermal throttling" in explain(hot)
    assert hot.number("attribution.read.throttle_us") > 0
    rows = temperature.over_time(hot).rows
    shown = temperature.merged(hot.temperature)["power_mw"]
    assert [row["power (W)"] for row in rows] == pytest.approx((shown / 1e3).to_list())
    chart = hot.plot.temperature().to_dict()
    assert "TMT1" in str(chart)
    hot.save(tmp_path / "hot")
    again = wl.load(tmp_path / "hot")
    assert again.temperature.equals(hot.temperature)
    assert "throttles lightly (TMT1)" in (tmp_path / "hot" / "report.html").read_text()


def test_a_colder_drive_is_faster(hot: wl.Result) -> None:
    cold = run(**{"thermal.tmt1": "72 degC", "thermal.tmt2": "75 degC"})
    assert cold.number("thermal.throttled_share") == 0
    assert "never did" in next(text for text in lead(cold) if "°C warm" in text)
    assert cold.number("host.iops") > 1.2 * hot.number("host.iops")
    without = wl.simulate(
        wl.Drive.from_toml("tiny", **{k: v for k, v in HOT.items() if not k.startswith("thermal")}),
        progress=False,
    )
    assert without.number("host.iops") == cold.number("host.iops")
    assert without.temperature.height == 0
    assert not any(key.startswith("thermal") for key in without.summary)


def test_a_stop_ends(hot: wl.Result) -> None:
    keys = {"thermal.initial": "90 degC", "thermal.cctemp": "65 degC", "thermal.wctemp": "50 degC"}
    stopped = run(**keys)
    assert stopped.number("thermal.cctemp.time_s") > 0
    assert stopped.temperature.filter(pl.col("state") == 3).height > 0
    assert "took up no command at all" in " ".join(lead(stopped))
    assert stopped.number("host.requests") == hot.number("host.requests")


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        ({"power.supply": None, "power.controller": None, "power.idle": None}, "thermal.enabled"),
        ({"thermal.ambient": "2000 degC"}, "thermal.ambient"),
        ({"thermal.ambient": "80 degC"}, "thermal.ambient"),
        ({"thermal.initial": "-300 degC"}, "thermal.initial"),
        ({"thermal.resistance": "0 K/W"}, "thermal.resistance"),
        ({"thermal.capacity": "-1 J/K"}, "thermal.capacity"),
        ({"thermal.hysteresis": "-1 K"}, "thermal.hysteresis"),
        ({"thermal.tmt2": "45 degC"}, "thermal.tmt2"),
        ({"thermal.cctemp": "50 degC", "thermal.wctemp": "40 degC"}, "thermal.cctemp"),
        ({"thermal.wctemp": "99 degC"}, "thermal.wctemp"),
        ({"thermal.light_rate": "0 MB/s"}, "thermal.light_rate"),
        ({"thermal.heavy_rate": "7 MB/s"}, "thermal.heavy_rate"),
        ({"thermal.step": "0 s"}, "thermal.step"),
        ({"thermal.step": "1 h"}, "thermal.step"),
        ({"thermal.tmt1": "45"}, "thermal.tmt1"),
        ({"thermal.capacity": "1 MJ/K"}, "thermal.capacity"),
        ({"scheduler.policy": "woo"}, "scheduler.policy"),
    ],
)
def test_refused(keys: dict[str, Any], key: str) -> None:
    all_keys = {key: value for key, value in (HOT | keys).items() if value is not None}
    with pytest.raises(wl.ConfigError, match=key):
        wl.Drive.from_toml("tiny", **all_keys)


def test_sampling_is_refused() -> None:
    keys = {key: value for key, value in HOT.items() if key != "output.attribution"}
    drive = wl.Drive.from_toml("tiny", **keys)
    with pytest.raises(wl.WordlineError, match=r"thermal\.enabled"):
        wl.simulate(drive, sample=wl.Sampling(windows=10, requests=100), progress=False)
