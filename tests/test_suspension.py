"""Suspension in reports and sentences, and the keys of how data sheets have it."""

from __future__ import annotations

from typing import Any

import pytest

import wordline as wl
from report_reader import Page
from wordline.report import render

VENDOR: dict[str, Any] = {
    "nand.suspend": "program_erase",
    "nand.suspend_style": "vendor",
    "scheduler.policy": "pes",
    "scheduler.suspension.program_suspend": "vendor",
    "workload.requests": 4_000,
    "workload.read_fraction": 0.5,
    "workload.queue_depth": 16,
}
WORD_LINES: dict[str, Any] = {
    "geometry.cell_type": "tlc",
    "geometry.pages_per_block": 48,
    "buffer.policy": "lru",
    "buffer.size": "256 KiB",
    "buffer.capacitor": True,
    "nand.program": "one_shot",
}


def run(**keys: Any) -> wl.Result:
    """An audited run of a drive that suspends as data sheets have it."""
    return wl.simulate(wl.Drive.from_toml("tiny", **(VENDOR | keys)), audit=True, progress=False)


def test_the_report_says_how_many_reads_suspended_something() -> None:
    result = run()
    suspending = result.number("suspension.reads_suspending")
    reads = result.number("host.read.count")
    assert suspending > 0
    # requests of one page
    assert result.number("suspension.reads_suspending_share") == pytest.approx(
        suspending / result.number("ftl.pages_read.host"), rel=0.02
    )
    assert suspending <= reads
    suspended = sum(
        result.number(f"suspension.{kind}.suspensions") for kind in ("program", "erase")
    )
    assert suspended == suspending
    page = Page(render(result))
    assert "Suspension" in page.text
    assert "host reads that had one of them suspended" in page.text
    assert f"{int(suspending):,}" in page.text
    assert "Suspension</h2>" not in Page(render(wl.simulate(wl.Drive("tiny"), progress=False))).text


@pytest.mark.parametrize(
    ("keys", "key", "most"),
    [
        ({"nand.vendor.program_limit": 1}, "suspension.program.most", 1),
        ({"nand.vendor.erase_limit": 1}, "suspension.erase.most", 1),
        ({"nand.vendor.limit": 2, "nand.vendor.program_limit": 1}, "suspension.program.most", 1),
    ],
)
def test_limits_have_an_effect(keys: dict[str, Any], key: str, most: int) -> None:
    interval = {"nand.vendor.interval": "0 ns"}
    assert run(**interval).number(key) > most
    assert run(**interval, **keys).number(key) == most


@pytest.mark.parametrize("kind", ["program", "erase"])
def test_safe_points_have_an_effect(kind: str) -> None:
    keys = {f"nand.vendor.{kind}_safe_points": "10 s"}
    other = "erase" if kind == "program" else "program"
    result = run(**keys)
    # there is no point before the end, but a program can leave before it begins
    assert result.number(f"suspension.{kind}.suspensions") < run().number(
        f"suspension.{kind}.suspensions"
    )
    assert result.number(f"suspension.{other}.suspensions") > 0


def test_word_lines_are_suspended() -> None:
    without = run(
        **WORD_LINES,
        **{"scheduler.suspension.program_suspend": "none"},
    )
    result = run(**WORD_LINES)
    assert result.number("suspension.program.suspensions") > 0
    assert result.number("host.read.latency.mean_us") < without.number("host.read.latency.mean_us")
    under = {"scheduler.suspension.program_under_writes": "not_saturated"}
    full = {"workload.queue_depth": 64, "workload.read_fraction": 0.2}
    always, gives_way = (run(**WORD_LINES, **full, **keys) for keys in ({}, under))
    assert gives_way.number("suspension.program.suspensions") < always.number(
        "suspension.program.suspensions"
    )


@pytest.mark.parametrize("kind", ["read", "write"])
def test_the_latency_of_the_controller_is_added(kind: str) -> None:
    keys = {"workload.requests": 500, "workload.queue_depth": 1, "output.attribution": True}
    drives = (
        wl.Drive("tiny", **keys, **more) for more in ({}, {f"firmware.{kind}_latency": "12 us"})
    )
    without, delayed = (wl.simulate(drive, progress=False) for drive in drives)
    key = f"attribution.{kind}.controller_us"
    assert delayed.number(key) == pytest.approx(12)
    assert key not in without.summary
    fastest = f"host.{kind}.latency.min_us"
    assert delayed.number(fastest) - without.number(fastest) == pytest.approx(12)
    assert "latency of the controller" in delayed.explain()
