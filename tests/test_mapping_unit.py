"""Drives whose mapping unit is smaller or larger than their pages of flash."""

from __future__ import annotations

import pytest

import wordline as wl
from wordline.seeds import figures

UNIT = {
    "ftl.mapping_unit": "1 KiB",
    "workload.request_size": "1 KiB",
    "workload.read_fraction": 0.3,
}


def run(**keys: object) -> dict[str, float]:
    """The figures of an audited run of a small drive with four units in a page."""
    drive = wl.Drive.from_toml("tiny", **{"workload.requests": 20_000, **UNIT, **keys})
    summary = wl.simulate(drive, progress=False, audit=True).summary
    assert summary["check.conservation"] is True
    return figures(summary)


def test_writes_share_pages() -> None:
    """Four units a page: a page is programmed for four writes, and amplification is in bytes."""
    found = run()
    assert found["ftl.units_per_page"] == 4
    # what is still in the register, and overwritten there, has no page
    shared = found["host.page_writes"] / 4
    assert shared * 0.99 < found["ftl.pages_programmed.host"] <= shared
    data = found["ftl.pages_programmed.host"] + found["ftl.pages_programmed.gc"]
    assert found["ftl.write_amplification"] == pytest.approx(data / shared)
    assert found["ftl.padding.host_units"] == 0


@pytest.mark.parametrize(
    "keys",
    [
        {"age.method": "overwritten"},
        {"age.method": "invalidated"},
        {"age.method": "fresh"},
        {"allocation.mode": "static", "ftl.gc.pool": "plane"},
        {"ftl.hot.classifier": "two_level_lru"},
        {"buffer.policy": "lru", "buffer.size": "256 KiB"},
        {"workload.request_size": "1536 B", "workload.align": "512 B"},
        {"ftl.gc.frontier": "separate", "ftl.gc.mode": "preemptible"},
    ],
)
def test_units_go_with_everything(keys: dict[str, object]) -> None:
    """Audited: owners of every unit, rules of the medium, the map one-to-one."""
    assert run(**{"workload.requests": 5_000, **keys})["ftl.units_per_page"] == 4


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"ftl.mapping_unit": "3 KiB"}, "divides"),
        ({"ftl.mapping_unit": "6 KiB"}, "multiple of the page"),
        ({"ftl.mapping_unit": "128 KiB"}, "at most 65536 B"),
        ({"ftl.mapping_unit": "8 KiB"}, "allocation.mode"),
        ({"ftl.mapping_unit": "700 B"}, "multiple of 512 B"),
        ({"ftl.mapping": "bast"}, "ftl.mapping_unit"),
        ({"commands.copyback": "wise"}, "commands.copyback"),
        ({"scheduler.read_in_flight": "after_program"}, "scheduler.read_in_flight"),
    ],
)
def test_what_does_not_go_with_units_is_refused(keys: dict[str, object], told: str) -> None:
    """Each by its key."""
    with pytest.raises(wl.WordlineError, match=told):
        run(**keys)


LARGE = {"ftl.mapping_unit": "16 KiB", "allocation.mode": "static", "ftl.gc.pool": "plane"}


def run_large(**keys: object) -> dict[str, float]:
    """The figures of an audited run of a small drive with units of four pages."""
    load = {"workload.requests": 5_000, "workload.read_fraction": 0.3}
    drive = wl.Drive.from_toml("tiny", **{**load, **LARGE, **keys})
    summary = wl.simulate(drive, progress=False, audit=True).summary
    assert summary["check.conservation"] is True
    return figures(summary)


def test_a_page_is_written_with_its_unit() -> None:
    """A fresh drive, random writes of a page each: four programs for one write, and reads of what there is of the others."""
    fresh = {"age.method": "fresh", "workload.read_fraction": 0.0, "workload.requests": 3_000}
    found = run_large(**fresh, **{"ftl.over_provisioning": 1.0})
    assert found["ftl.pages_per_unit"] == 4
    # but for what is in the registers, and for pages of one unit that came one after the other
    assert 3.8 < found["ftl.write_amplification"] <= 4
    programmed = found["ftl.pages_programmed.host"]
    assert programmed % 4 == 0


def test_large_writes_cost_nothing_beside() -> None:
    """Writes of whole units in sequence."""
    keys = {"workload.kind": "sequential", "workload.request_size": "64 KiB"}
    found = run_large(**keys, **{"age.method": "fresh", "workload.read_fraction": 0.0})
    assert found["ftl.write_amplification"] == pytest.approx(1.0, abs=0.15)
    assert found["ftl.uncovered_updates"] == 0


@pytest.mark.parametrize(
    "keys",
    [
        {"age.method": "overwritten"},
        {"age.method": "invalidated"},
        {"ftl.mapping_unit": "64 KiB", "ftl.over_provisioning": 0.5},
        {"ftl.hot.classifier": "two_level_lru"},
        {"buffer.policy": "lru", "buffer.size": "256 KiB"},
        {"workload.request_size": "1536 B", "workload.align": "512 B"},
        {"workload.request_size": "48 KiB", "workload.trim_fraction": 0.1},
        {"ftl.gc.frontier": "separate", "ftl.gc.mode": "preemptible"},
        {"firmware.enabled": True, "workload.queue_depth": 64},
    ],
)
def test_large_units_go_with_everything(keys: dict[str, object]) -> None:
    """Audited, as small ones."""
    assert run_large(**keys)["ftl.pages_per_unit"] >= 4


def test_preconditioning_says_how_large_its_writes_were() -> None:
    small = {
        "geometry.channels": 2,
        "geometry.chips_per_channel": 2,
        "geometry.blocks_per_plane": 24,
        "geometry.pages_per_block": 96,
        "ftl.over_provisioning": 0.8,
        "buffer.size": "1 MiB",
    }
    drive = wl.Drive.from_toml("datacenter-qlc", **small)
    result = wl.simulate(drive, wl.Workload(kind="random", request_size="4 KiB", requests=10))
    [said] = [note.text for note in result.notes if note.text.startswith("Preconditioned")]
    assert "uniform random writes of 64 KiB:" in said


def test_filling_in_order_alone_speaks_of_no_random_writes() -> None:
    for factor, told in ((0.0, "written sequentially."), (0.5, "sequentially, then 12,800 random")):
        drive = wl.Drive.from_toml(
            "tiny", **{"age.method": "overwritten", "age.random_factor": factor}
        )
        result = wl.simulate(drive, wl.Workload(kind="random", requests=10))
        [said] = [note.text for note in result.notes if note.text.startswith("Preconditioned")]
        assert told in said
