"""The energy ledger of a drive: summary, power over time, report."""

from __future__ import annotations

import pytest

import wordline as wl
from wordline.report import render

FEW = {"age.method": "fresh", "workload.requests": 3_000}


@pytest.fixture(scope="module")
def run() -> wl.Result:
    return wl.simulate(
        wl.Drive.from_toml("flashpower-mlc8", **FEW, **{"power.controller": "0.3 W"})
    )


def test_parts_and_causes_sum_up(run: wl.Result) -> None:
    summary = run.summary
    flash, total = summary["energy.flash_mj"], summary["energy.total_mj"]
    assert isinstance(flash, float)
    assert isinstance(total, float)
    assert 0 < flash < total
    by_cause = [
        value
        for key, value in summary.items()
        if key.startswith("energy.cause.") and key.count(".") == 2 and isinstance(value, float)
    ]
    assert sum(by_cause) == pytest.approx(flash)
    assert summary["energy.controller_mj"] == pytest.approx(total - flash)
    assert summary["energy.idle_mj"] == 0


def test_power_over_time_is_a_part_of_the_table(run: wl.Result, result: wl.Result) -> None:
    columns = ["power_mw", "power_flash_host_mw", "power_flash_gc_mw", "power_flash_other_mw"]
    assert run.time_series.select(columns).null_count().row(0) == (0, 0, 0, 0)
    assert run.time_series["power_mw"].max() == pytest.approx(run.summary["power.max_window_mw"])
    # `tiny` names no chip
    height = result.time_series.height
    assert result.time_series.select(columns).null_count().row(0) == (height,) * 4


def test_the_report_has_a_section(run: wl.Result, result: wl.Result) -> None:
    page = render(run)
    assert "<h2>Energy</h2>" in page
    assert "Mean power was" in page
    assert "tunnelling" in page
    assert "<h2>Energy</h2>" not in render(result)


def test_a_chip_that_does_not_fit_is_refused() -> None:
    with pytest.raises(wl.ConfigError, match=r"page_size.*2 KiB"):
        wl.Drive.from_toml("tiny", **{"power.chip": "b-mlc8"})
