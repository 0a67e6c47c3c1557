"""Limits of power, idle states and DRAM as users see them: figures, sentences, report, command line, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from shared import refused, wordline
from wordline.datasheets.loads import Load
from wordline.datasheets.sheet import LIMITED_SHARE
from wordline.driveenergy import drive_energy
from wordline.explaining import explain, lead
from wordline.powerlimits import limits_told
from wordline.report import energy
from wordline.report.datasheet import powers
from wordline.report.section import Row

WRITES: dict[str, Any] = {
    "power.supply": "2.5 V",
    "power.controller": "1 W",
    "power.idle": "1 W",
    "workload.read_fraction": 0.0,
    "workload.requests": 3_000,
    "output.attribution": True,
}


def run(**keys: Any) -> wl.Result:
    """An audited run of a small drive that writes."""
    return wl.simulate(wl.Drive.from_toml("tiny", **(WRITES | keys)), audit=True, progress=False)


@pytest.fixture(scope="module")
def capped() -> wl.Result:
    """A drive that may take 50 mW for its flash."""
    return run(**{"power.cap": "1.05 W"})


def test_a_capped_drive_says_what_held_its_writes_back(capped: wl.Result, tmp_path: Path) -> None:
    free = run()
    assert capped.number("host.write.iops") < 0.7 * free.number("host.write.iops")
    assert capped.number("power.mean_mw") <= 1.05e3 * 1.01
    assert free.number("power.mean_mw") > 1.1e3
    assert capped.number("attribution.write.power_limit_us") > 0
    said = next(text for text in lead(capped) if "The power limit" in text)
    assert "power.cap = 1.05 W" in said
    assert "held programs and erases back for" in said
    assert "held back by the power limit" in explain(capped)
    assert not [text for text in lead(free) if "The power limit" in text]
    assert "power.limit.share" not in free.summary
    capped.save(tmp_path / "capped")
    report = (tmp_path / "capped" / "report.html").read_text()
    assert said in report
    assert "Mean power was" in report


def test_the_report_says_the_highest_second(capped: wl.Result) -> None:
    figure = energy.over_time(capped)
    assert figure is not None
    powers = {"power.mean_mw": 1e3, "power.max_second_mw": 2e3, "power.max_window_mw": 3e3}
    assert energy.powers_told({**powers, "sim.time_s": 2.0}) == (
        "Mean power was 1.000 W, 2.000 W in the highest second and 3.000 W in the highest window"
    )
    shorter = energy.powers_told({**powers, "sim.time_s": 0.5})
    assert shorter == "Mean power was 1.000 W, and 3.000 W in the highest window"
    mean, second, window = (
        capped.number(f"power.{key}_mw") for key in ("mean", "max_second", "max_window")
    )
    assert mean <= second * (1 + 1e-9) <= window * (1 + 1e-9)
    assert limits_told(capped) in str(figure)


def test_a_cap_beyond_what_the_drive_takes_changes_nothing() -> None:
    free, roomy = run(), run(**{"power.cap": "100 W", "power.peak": "200 W"})
    changed = {
        key
        for key in free.summary
        if free.summary[key] != roomy.summary[key] and not key.startswith("run.")
    }
    assert not changed


def test_a_drive_sleeps_in_pauses_and_its_next_command_waits() -> None:
    pauses: dict[str, Any] = {
        "workload.requests": 20,
        "workload.interarrival": "500 ms",
    }
    states: dict[str, Any] = {"power.ps3": "40 mW", "power.ps4": "5 mW", "power.ps4_after": "10 s"}
    awake, asleep = run(**pauses), run(**pauses, **states)
    assert asleep.number("power.wakes") == 19
    waited = [after.number("host.write.latency.max_us") for after in (awake, asleep)]
    assert waited[1] - waited[0] == pytest.approx(1_200, abs=1)
    assert asleep.number("power.mean_mw") < 0.5 * awake.number("power.mean_mw")
    assert asleep.number("energy.idle_states_mj") == pytest.approx(
        40 * asleep.number("power.ps3.time_s")
    )
    assert asleep.number("power.ps4.time_s") == 0
    said = next(text for text in lead(asleep) if "idle state" in text)
    assert "commands woke it up 19 times" in said
    assert "waking up from an idle state" in explain(asleep)


def test_power_of_a_drive_has_idle_states_and_what_is_held_back(tmp_path: Path) -> None:
    found = drive_energy(
        "tiny",
        {
            "power.supply": "2.5 V",
            "power.controller": "1 W",
            "power.idle": "0.5 W",
            "power.dram_size": "1 GiB",
            "power.cap": "1.2 W",
            "power.ps3": "40 mW",
            "power.ps4": "5 mW",
        },
        depths=(1,),
        requests=500,
    )
    idle = {str(row["load"]): row["mean_w"] for row in found.loads if not row["depth"]}
    assert idle == {"idle": pytest.approx(0.656), "PS3": 0.04, "PS4": 0.005}
    shares = {row["load"]: row["limited_share"] for row in found.loads if row["depth"]}
    of_writes = shares["sequential write"]
    assert isinstance(of_writes, float)
    assert of_writes > 0.1
    assert shares["random read"] == 0
    keys = {each.key for each in found.sources}
    assert {"power.cap", "power.ps3", "power.dram_size", "power.dram_per_gib"} <= keys
    assert "power.dram" not in keys
    told = json.loads(
        wordline("power", "tiny", "--operations", "--json", "--set", "power.supply=3.3 V").stdout
    )
    assert not {"power.cap", "power.dram_per_gib"} & {row["key"] for row in told["sources"]}


def test_the_command_line_takes_a_cap() -> None:
    keys = ("power.supply=2.5 V", "power.controller=1 W", "power.cap=1.2 W")
    options = [word for key in keys for word in ("--set", key)]
    shown = wordline("power", "tiny", "--depths", "1", "--requests", "500", *options).stdout
    assert "held back by the limit" in " ".join(shown.split())
    said = refused("run", "tiny", "--set", "power.cap=1 W")
    assert "power.cap" in said
    assert "power.supply" in said


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        ({"power.cap": "0.5 W"}, "power.cap"),
        ({"power.peak": "1 W"}, "power.peak"),
        ({"power.ps3": "2 W"}, "power.ps3"),
        ({"power.cap": "9 W", "scheduler.policy": "dlv", "allocation.mode": "static"}, "policy"),
    ],
)
def test_what_makes_no_sense_is_refused(keys: dict[str, Any], key: str) -> None:
    with pytest.raises(wl.ConfigError, match=key.replace(".", r"\.")):
        run(**keys)


def test_samples_know_no_power() -> None:
    drive = wl.Drive.from_toml("tiny", **(WRITES | {"power.cap": "2 W"}))
    with pytest.raises(wl.WordlineError, match=r"power\.cap"):
        wl.simulate(drive, sample=wl.Sampling(windows=10, requests=100), progress=False)


def test_a_data_sheet_says_what_the_limit_held_back() -> None:
    keys = {"power.supply": '"2.5 V"', "power.controller": '"1 W"', "power.idle": '"1 W"'}
    load = Load("sequential write", "fresh", True, "128 KiB", 0.0, 8)

    def of_cap(cap: str) -> list[Row]:
        overrides = tuple({**keys, "power.cap": cap}.items())
        sheet = wl.data_sheet("tiny", overrides, loads=(load,), requests=200)
        return powers(sheet)

    tight, _ = of_cap('"1.05 W"')
    assert str(tight[LIMITED_SHARE]).endswith("%")
    assert tight[LIMITED_SHARE] != "0 %"
    assert all(LIMITED_SHARE not in row for row in of_cap('"100 W"'))
