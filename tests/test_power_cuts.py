"""Recovery after power cuts (`ftl.recovery`, `output.recovery_every`) as a user sees it."""

from __future__ import annotations

import re

import pytest

import wordline as wl

LOAD = {
    "age.method": "fresh",
    "workload.requests": 6_000,
    "workload.read_fraction": 0.0,
    "output.recovery_every": 500,
}
JOURNAL = {
    "ftl.recovery.kind": "checkpoint_journal",
    "geometry.blocks_per_plane": 64,
    "ftl.over_provisioning": 0.5,
}


def run(**keys: object) -> wl.Result:
    return wl.simulate(wl.Drive.from_toml("tiny", **{**LOAD, **keys}), progress=False, audit=True)


def test_a_checkpoint_more_often_costs_writes_and_saves_reads() -> None:
    often, rarely = (
        run(**JOURNAL, **{"ftl.recovery.checkpoint_interval": interval})
        for interval in (200, 2_000)
    )
    for result in (often, rarely):
        assert result.number("ftl.recovery.cuts") == 12
        longest = result.number("ftl.recovery.time.max_s")
        assert 0 < result.number("ftl.recovery.time.mean_s") <= longest < 0.1
        # a fresh checkpoint comes before the host is served
        mean, served = (
            result.number(f"ftl.recovery.{time}.mean_s") for time in ("time", "until_served")
        )
        assert mean < served <= result.number("ftl.recovery.until_served.max_s")
    key = "ftl.recovery.pages_read.mean"
    assert often.number(key) < rarely.number(key)
    key = "ftl.pages_programmed.metadata"
    assert often.number(key) > rarely.number(key)


def test_cuts_of_the_warm_up_do_not_count_and_change_nothing() -> None:
    kind = {"ftl.recovery.kind": "oob_scan", "run.warm_up": "3000 requests"}
    timed, other = run(**kind), run(**kind, **{"output.recovery_every": 0})
    assert timed.number("ftl.recovery.cuts") == 6
    added = [key for key in timed.summary if key.startswith("ftl.recovery.")]
    assert len(added) == 7
    left_out = {*added, *(key for key in timed.summary if key.startswith("run."))}
    for key, value in timed.summary.items():
        assert key in left_out or other.summary[key] == value, key
    assert not any(key.startswith("ftl.recovery.") for key in other.summary)


@pytest.mark.parametrize("method", ["invalidated", "overwritten", "steady_state"])
@pytest.mark.parametrize("kind", ["oob_scan", "summary_scan", "checkpoint_journal", "delayed"])
def test_recovery_of_an_aged_drive_finds_what_ageing_wrote(kind: str, method: str) -> None:
    """Spare areas of all pages that were written before the run are read, or few where something on flash says what they hold."""
    keys = {**JOURNAL, "ftl.recovery.kind": kind, "age.method": method, "workload.requests": 500}
    aged, fresh = run(**keys), run(**{**keys, "age.method": "fresh"})
    key = "ftl.recovery.pages_read.mean"
    more = aged.number(key) - fresh.number(key)
    pages = aged.number("ftl.pages.valid") + aged.number("ftl.pages.invalid")
    # blocks that were closed before they were full have no summary page
    if kind == "oob_scan" or (kind, method) == ("summary_scan", "invalidated"):
        assert more > 0.5 * pages
    else:
        assert more < 0.2 * pages


def notes(result: wl.Result) -> set[str]:
    return {note.key for note in result.notes}


def test_a_run_without_a_checkpoint_says_so() -> None:
    often, never = (
        run(**JOURNAL, **{"ftl.recovery.checkpoint_interval": interval})
        for interval in (500, 1_000_000)
    )
    assert often.number("ftl.recovery.checkpoints") >= 10
    assert never.number("ftl.recovery.checkpoints") == 0
    assert "no_checkpoint" in notes(never)
    assert "no_checkpoint" not in notes(often)
    # the drive had one at its format: recovery looks at the blocks that the journal names, not at all pages
    scanned = run(**{**JOURNAL, "ftl.recovery.kind": "oob_scan"})
    key = "ftl.recovery.pages_read.mean"
    assert never.number(key) < 0.7 * scanned.number(key)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({}, 'output.recovery_every = 500: not accepted: 0 with ftl.recovery.kind = "none"'),
        (
            {
                "ftl.recovery.kind": "oob_scan",
                "ftl.failures.program": 0.001,
                "ftl.gc.reserve_blocks": 2,
            },
            "output.recovery_every = 500: not accepted: 0 with ftl.failures",
        ),
    ],
)
def test_what_cannot_be_timed_is_refused(keys: dict[str, object], words: str) -> None:
    with pytest.raises(wl.ConfigError) as found:
        wl.Drive.from_toml("tiny", **{**LOAD, **keys})
    assert words in str(found.value).replace("`", "")


def test_sampled_runs_do_not_time_recovery() -> None:
    drive = wl.Drive.from_toml("tiny", **LOAD, **{"ftl.recovery.kind": "oob_scan"})
    with pytest.raises(wl.ConfigError, match=r"output\.recovery_every = 500"):
        wl.simulate(drive, progress=False, sample=wl.Sampling())


BUFFER = {"buffer.policy": "lru", "buffer.size": "1 MiB", "buffer.capacitor": True}


def test_a_capacitor_that_does_not_last_for_a_full_buffer_is_refused() -> None:
    """The bound is in the message, and is accepted."""
    with pytest.raises(wl.ConfigError, match=r"buffer\.hold_up") as found:
        wl.Drive.from_toml("tiny", **BUFFER, **{"buffer.hold_up": "1 us"})
    bound = re.search(r"at least ([0-9]+ ns)", str(found.value))
    assert bound is not None
    wl.Drive.from_toml("tiny", **BUFFER, **{"buffer.hold_up": bound[1]})
    larger = {"buffer.size": "2 MiB", "buffer.hold_up": bound[1]}
    with pytest.raises(wl.ConfigError, match=r"buffer\.hold_up"):
        wl.Drive.from_toml("tiny", **{**BUFFER, **larger})


@pytest.mark.parametrize("hold_up", ["-1 ms", -1, "forever"])
def test_a_hold_up_that_is_no_time_is_refused(hold_up: object) -> None:
    with pytest.raises(wl.ConfigError, match=r"hold_up"):
        wl.Drive.from_toml("tiny", **BUFFER, **{"buffer.hold_up": hold_up})


def test_word_lines_that_are_programmed_as_wholes_have_no_hold_up() -> None:
    keys = {
        "geometry.cell_type": "tlc",
        "geometry.pages_per_block": 96,
        "nand.program": "one_shot",
        "buffer.hold_up": "1 s",
    }
    with pytest.raises(wl.ConfigError, match=r"buffer\.hold_up"):
        wl.Drive.from_toml("tiny", **BUFFER, **keys)


KINDS = ["oob_scan", "summary_scan", "checkpoint_journal", "delayed"]
STRIPED = {"ftl.mapping": "striped", "ftl.over_provisioning": 0.8}


@pytest.mark.parametrize("kind", KINDS)
def test_superblocks_are_found_again(kind: str) -> None:
    reserve = dict.fromkeys(("reserve_blocks", "hard", "low", "high"), 2)
    size = {"geometry.blocks_per_plane": 64}
    found = run(**STRIPED, **size, **{"ftl.recovery.kind": kind, "ftl.gc": reserve})
    assert found.number("ftl.recovery.cuts") == 12
    assert found.number("ftl.recovery.time.mean_s") > 0


@pytest.mark.parametrize("mapping", ["block", "bast", "sast", "fast", "last", "superblock"])
def test_whole_blocks_are_found_again(mapping: str) -> None:
    reserve = dict.fromkeys(("reserve_blocks", "hard", "low", "high"), 2)
    keys = {"ftl.mapping": mapping, "ftl.over_provisioning": 0.8, "ftl.gc": reserve}
    found = run(**keys, **{"geometry.blocks_per_plane": 64, "ftl.recovery.kind": "delayed"})
    assert found.number("ftl.recovery.cuts") == 12
    assert found.number("ftl.recovery.time.mean_s") > 0


DELTAS = {
    "ftl.mapping": "delta",
    "ftl.over_provisioning": 0.8,
    "ftl.gc": {"reserve_blocks": 2, "hard": 2, "low": 2, "high": 3},
    "ftl.delta": {"ratio": 0.2, "gate": "open", "read_hot_threshold": 8},
    "geometry.blocks_per_plane": 64,
}


@pytest.mark.parametrize("kind", KINDS)
def test_deltas_are_found_again(kind: str) -> None:
    found = run(**DELTAS, **{"ftl.recovery.kind": kind})
    assert found.number("ftl.recovery.cuts") == 12
    assert found.number("ftl.recovery.time.mean_s") > 0
    assert found.number("ftl.delta.writes") > 50


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({}, "ftl.gc.reserve_blocks = 1"),
        ({"ftl.gc.reserve_blocks": 2, "ftl.bad_member": "degrade"}, "ftl.bad_member"),
    ],
)
def test_superblocks_that_cannot_be_found_again_are_refused(
    keys: dict[str, object], words: str
) -> None:
    with pytest.raises(wl.ConfigError, match=words):
        wl.Drive.from_toml("tiny", **STRIPED, **{"ftl.recovery.kind": "oob_scan", **keys})


def needed_energy(**keys: object) -> float:
    """The energy that the refusal of too little names, which is accepted."""
    drive = {**BUFFER, "age.method": "fresh", **keys}
    with pytest.raises(wl.ConfigError, match=r"buffer\.hold_up_energy_mj") as found:
        wl.Drive.from_toml("flashpower-mlc8", **drive, **{"buffer.hold_up_energy_mj": 1e-6})
    bound = re.search(r"at least ([0-9.]+) mJ", str(found.value))
    assert bound is not None
    needed = float(bound[1]) + 1e-6
    wl.Drive.from_toml("flashpower-mlc8", **drive, **{"buffer.hold_up_energy_mj": needed})
    return needed


def test_a_capacitor_that_holds_too_little_energy_is_refused() -> None:
    """Twice the buffer takes almost twice the energy, beside the operations under way."""
    small, large = needed_energy(), needed_energy(**{"buffer.size": "2 MiB"})
    assert 1.5 * small < large < 2 * small
    assert needed_energy(**{"power.controller": "1 W"}) > small
    with pytest.raises(wl.ConfigError, match=r"buffer\.hold_up_energy_mj"):
        wl.Drive.from_toml("flashpower-mlc8", **BUFFER, **{"buffer.hold_up_energy_mj": -1.0})


def test_a_delayed_recovery_programs_less_before_the_drive_works() -> None:
    whole, delayed = (
        run(**{**JOURNAL, "ftl.recovery.kind": kind, "ftl.recovery.checkpoint_interval": 200})
        for kind in ("checkpoint_journal", "delayed")
    )
    key = "ftl.recovery.pages_programmed.mean"
    # the checkpoint and its root, at each cut; of the twelve cuts the first come before there is a checkpoint
    assert whole.number(key) == 24
    assert 1 <= delayed.number(key) < 6
    for same in ("ftl.recovery.time.mean_s", "ftl.recovery.pages_read.mean"):
        assert delayed.number(same) == whole.number(same)
