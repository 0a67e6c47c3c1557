"""Drives whose logical pages are smaller than their pages of flash."""

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
        ({"ftl.mapping_unit": "8 KiB"}, "several pages"),
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
