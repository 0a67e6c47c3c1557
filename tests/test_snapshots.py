"""Runs that go on from a snapshot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import wordline as wl

WRITES: dict[str, Any] = {"workload.read_fraction": 0.0, "workload.requests": 4_000}


@pytest.mark.parametrize(
    "keys",
    [
        {"ftl.mapping_unit": "1 KiB", "workload.request_size": "1 KiB"},
        {"ftl.mapping_unit": "1 KiB", "workload.request_size": "1 KiB", "ftl.gc.mode": "partial"},
        {"ftl.mapping_unit": "16 KiB", "allocation.mode": "static"},
        {"ftl.gc.mode": "partial"},
        {"ftl.mapping": "dftl", "ftl.cached_entries": 1024},
        {"ftl.mapping": "superblock"},
        {"ftl.mapping": "striped"},
        {"ftl.mapping": "striped", "ftl.parity": "rotating", "ftl.over_provisioning": 0.8},
    ],
    ids=lambda keys: " ".join(map(str, keys.values())),
)
def test_an_audited_run_goes_on_from_what_was_saved(keys: dict[str, Any], tmp_path: Path) -> None:
    """The auditor compares the map with the owners on flash before the first request and after the last."""
    state = tmp_path / "state"
    few = {**WRITES, "workload.requests": 1_500, **keys}
    first = wl.simulate(wl.Drive("tiny", **few), save_state=state, audit=True, progress=False)
    start = {**few, "age.method": "snapshot", "age.snapshot": str(state), "workload.seed": 2}
    later = wl.simulate(wl.Drive("tiny", **start), audit=True, progress=False)
    for run in (first, later):
        assert run.summary["check.audited"] is True
        assert run.summary["check.conservation"] is True
    # what was mapped stays mapped, on as many pages; those with parity are as many as there are full superpages, whatever is left in them
    assert later.number("ftl.mapped_pages") == first.number("ftl.mapped_pages")

    def of_data(run: wl.Result) -> float:
        return run.number("ftl.pages.valid") - float(run.summary.get("ftl.pages.parity") or 0)

    assert of_data(later) == of_data(first)


def test_a_run_goes_on_with_another_seed_and_repeats_itself_with_the_same(tmp_path: Path) -> None:
    state = tmp_path / "state"
    first = wl.simulate(wl.Drive("tiny", **WRITES), save_state=state, progress=False)
    start = {**WRITES, "age.method": "snapshot", "age.snapshot": str(state)}
    again, other = (
        wl.simulate(wl.Drive("tiny", **start, **{"workload.seed": seed}), progress=False)
        for seed in (1, 2)
    )
    usual = first.number("ftl.write_amplification")
    assert abs(other.number("ftl.write_amplification") / usual - 1) < 0.15
    # the same pages in the same order: the blocks written last have lost all their pages before they are collected
    assert again.number("ftl.write_amplification") < 0.75 * usual
    told = [note.text for note in again.notes if note.text.startswith("workload.seed")]
    assert told == [
        "workload.seed = 1: if the run that saved the drive had the same seed, its requests come again, and pages "
        "overwritten in the order in which they were written lower the write amplification; another seed avoids that"
    ]
    assert not any(note.text.startswith("workload.seed") for note in first.notes)


def test_a_load_without_random_addresses_says_nothing_of_its_seed(tmp_path: Path) -> None:
    state = tmp_path / "state"
    few = {**WRITES, "workload.requests": 100}
    wl.simulate(wl.Drive("tiny", **few), save_state=state, progress=False)
    keys = {
        **few,
        "workload.kind": "sequential",
        "age.method": "snapshot",
        "age.snapshot": str(state),
    }
    run = wl.simulate(wl.Drive("tiny", **keys), progress=False)
    assert not any("workload.seed" in note.text for note in run.notes)


def test_a_drive_with_classes_of_blocks_goes_on(tmp_path: Path) -> None:
    """What programs of a class take follows from cycles that a saved drive brings itself."""
    keys = {
        "geometry.channels": 2,
        "geometry.chips_per_channel": 2,
        "geometry.blocks_per_plane": 64,
        "ftl.over_provisioning": 0.2,
    }
    load = {"kind": "random", "requests": 1_000, "read_fraction": 0.5, "queue_depth": 16}
    state = tmp_path / "state"
    drive = wl.Drive("cui2018-dlv", **keys)
    wl.simulate(drive, load, save_state=state, audit=True, progress=False)
    start = {"age.method": "snapshot", "age.snapshot": str(state)}
    later = wl.simulate(wl.Drive("cui2018-dlv", **keys, **start), load, audit=True, progress=False)
    assert later.summary["check.conservation"] is True
