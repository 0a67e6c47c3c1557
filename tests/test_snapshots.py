"""Runs that go on from a snapshot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from wordline import _wordline
from wordline.config import resolve_named

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


@pytest.mark.parametrize(
    "buffer",
    [
        {},
        {"buffer.policy": "lru", "buffer.size": "64 KiB"},
        {"buffer.policy": "lru", "buffer.size": "64 KiB", "buffer.capacitor": True},
        {"buffer.policy": "lru", "buffer.size": "64 KiB", "buffer.read_cache": True},
    ],
    ids=["none", "buffer", "capacitor", "read-cache"],
)
@pytest.mark.parametrize(
    "keys",
    [
        {"ftl.mapping": "page"},
        {"ftl.mapping_unit": "1 KiB"},
        {"ftl.mapping_unit": "16 KiB", "allocation.mode": "static"},
        {"ftl.mapping": "dftl", "ftl.cached_entries": 1024},
        {"ftl.mapping": "superblock"},
        {"ftl.mapping": "striped"},
        {"ftl.mapping": "striped", "ftl.parity": "rotating", "ftl.over_provisioning": 0.8},
        {"ftl.mapping": "delta", "ftl.gc.reserve_blocks": 2},
    ],
    ids=lambda keys: " ".join(map(str, keys.values())),
)
def test_a_state_holds_every_write_that_was_acknowledged(
    keys: dict[str, Any], buffer: dict[str, Any], tmp_path: Path
) -> None:
    """A hundred writes of a page each, whether or not the buffer holds some of them when the run ends."""
    state = tmp_path / "state"
    load = {
        "age.method": "fresh",
        "workload.kind": "sequential",
        "workload.requests": 100,
        "workload.request_size": "4 KiB",
        "workload.read_fraction": 0.0,
    }
    few = {**load, **keys, **buffer}
    first = wl.simulate(wl.Drive("tiny", **few), save_state=state, progress=False)
    assert first.summary == {
        **wl.simulate(wl.Drive("tiny", **few), progress=False).summary,
        **{key: value for key, value in first.summary.items() if key.startswith("run.")},
    }
    held = first.number("buffer.dirty_pages") if buffer else 0
    told = [note.text for note in first.notes if "orderly shutdown" in note.text]
    assert [f"the {held:.0f} pages" in text for text in told] == [True] * bool(held)
    start = {"age.method": "snapshot", "age.snapshot": str(state)}
    reads = {**few, **start, "workload.read_fraction": 1.0}
    later = wl.simulate(wl.Drive("tiny", **reads), audit=True, progress=False)
    assert later.summary["host.unmapped_reads"] == 0
    per_page = {"1 KiB": 4}.get(str(keys.get("ftl.mapping_unit")), 1)
    assert later.number("ftl.mapped_pages") == 100 * per_page


def test_two_halves_through_a_state_count_what_the_whole_run_counts(tmp_path: Path) -> None:
    """But for the pages that are flushed in between, and what would have been overwritten in the buffer."""
    state = tmp_path / "state"
    keys = {
        "age.method": "fresh",
        "buffer.policy": "lru",
        "buffer.size": "64 KiB",
        "workload.kind": "sequential",
        "workload.read_fraction": 0.0,
        "workload.request_size": "4 KiB",
    }
    whole = wl.simulate(wl.Drive("tiny", **keys, **{"workload.requests": 200}), progress=False)
    half = {**keys, "workload.requests": 100}
    first = wl.simulate(wl.Drive("tiny", **half), save_state=state, progress=False)
    start = {
        **half,
        "age.method": "snapshot",
        "age.snapshot": str(state),
        "workload.region": ["400 KiB", "800 KiB"],
    }
    second = wl.simulate(wl.Drive("tiny", **start), progress=False)
    flushed = first.number("buffer.dirty_pages")
    assert flushed > 0
    by_host = [run.number("ftl.pages_programmed.host") for run in (first, second, whole)]
    assert by_host[0] + flushed + by_host[1] == by_host[2]
    assert second.number("ftl.pages.valid") == whole.number("ftl.pages.valid")


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


def test_writes_of_the_buffer_end_after_the_last_request(tmp_path: Path) -> None:
    """The buffer goes on with its writes when the host is done, and one of them needs a block that is to be collected first."""
    keys = {
        "geometry.channels": 1,
        "geometry.chips_per_channel": 1,
        "geometry.dies_per_chip": 1,
        "geometry.planes_per_die": 1,
        "geometry.blocks_per_plane": 12,
        "geometry.pages_per_block": 12,
        "ftl.over_provisioning": 1.0,
        "workload.requests": 2,
        "allocation.mode": "static",
        "scheduler.policy": "dlv",
        "geometry.cell_type": "mlc",
        "ecc.kind": "ldpc",
        "age.initial_cycles": 3000,
        "ftl.gc.victim": "cost_benefit",
        "ftl.gc.frontier": "separate",
        "buffer.policy": "slru",
        "buffer.size": "256 KiB",
        "buffer.dirty_high": 0.5,
        "buffer.dirty_low": 0.25,
        "host.interface": "nvme",
    }
    state = tmp_path / "state"
    wl.simulate(wl.Drive("tiny", **keys), save_state=state, audit=True, progress=False)
    assert state.exists()


def test_saving_a_state_can_be_interrupted(tmp_path: Path) -> None:
    state = tmp_path / "state"
    # a map of 60 million entries, which takes a second or more
    keys = (("workload.requests", "100"), ("geometry.channels", "2"))
    resolved = resolve_named("datacenter-tlc", keys)

    def until_saving(phase: str, *_: object) -> bool:
        return phase != "saving the state of the drive"

    output = _wordline.simulate(resolved, False, until_saving, state)
    assert output.summary["host.requests"] == 100
    assert output.summary["run.interrupted"] is False
    assert output.notes[0]["key"] == "not_saved"
    assert list(tmp_path.iterdir()) == []


def test_a_state_is_saved_where_jobs_wait_after_the_last_request(tmp_path: Path) -> None:
    """Blocks of one page: a journal has to be programmed, and collection to make room for it, when the host is done."""
    keys = {
        "geometry.channels": 1,
        "geometry.chips_per_channel": 2,
        "geometry.dies_per_chip": 1,
        "geometry.planes_per_die": 1,
        "geometry.blocks_per_plane": 24,
        "geometry.pages_per_block": 1,
        "geometry.page_size": "2 KiB",
        "ftl.over_provisioning": 1.0,
        "ftl.recovery.kind": "checkpoint_journal",
        "workload.requests": 6,
        "host.interface": "ufs",
    }
    state = tmp_path / "state"
    wl.simulate(wl.Drive("tiny", **keys), save_state=state, audit=True, progress=False)
    start = {**keys, "age.method": "snapshot", "age.snapshot": str(state)}
    again = wl.simulate(wl.Drive("tiny", **start), audit=True, progress=False)
    assert again.summary["check.conservation"] is True
