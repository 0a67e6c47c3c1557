"""Drives with zones, hosts that collect them, and a store whose files live and die as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

import wordline as wl
from wordline.seeds import figures

ZONES: dict[str, object] = {
    "ftl.mapping": "zoned",
    "age.method": "fresh",
    "workload.translation": "zones",
    "workload.zones.over_provisioning": 0.4,
    "workload.zones.handles": 2,
    "workload.read_fraction": 0.2,
    "workload.requests": 40_000,
}
STORE: dict[str, object] = {
    "workload.kind": "log_structured",
    "workload.store.memtable": "512 KiB",
    "workload.store.segment": "128 KiB",
    "workload.store.extent": "64 KiB",
    "workload.store.data": 0.12,
    "workload.read_fraction": 0.1,
    "workload.requests": 60_000,
    "age.method": "fresh",
}


def run(**keys: object) -> wl.Result:
    """An audited run of a small drive."""
    result = wl.simulate(wl.Drive.from_toml("tiny", **keys), progress=False, audit=True)
    assert result.summary["check.conservation"] is True
    return result


@pytest.mark.parametrize("append", [False, True])
def test_a_host_on_zones_writes_what_it_says(append: bool) -> None:
    """The drive programs each page once; what is more than the workload wrote, the host moved."""
    found = run(**{**ZONES, "workload.zones.append": append})
    user, moved = (found.number(f"workload.zones.{key}_pages") for key in ("user", "moved"))
    assert found.number("ftl.write_amplification") == 1
    assert found.number("host.page_writes") == user + moved
    assert found.number("workload.zones.write_amplification") == (user + moved) / user
    assert found.number("host.refused") == 0
    commands = {True: "appends", False: "writes"}
    assert found.number(f"ftl.zones.{commands[append]}") > 0
    assert found.number(f"ftl.zones.{commands[not append]}") == 0


def test_zones_can_be_filled_before_the_workload_begins() -> None:
    """Every page is written then, and reads find it."""
    reads = {"workload.read_fraction": 1.0, "workload.requests": 500}
    found = run(**{**ZONES, **reads, "workload.zones.fill": True})
    assert found.number("ftl.pages.valid") == found.number("workload.zones.logical_pages")
    assert found.number("workload.zones.unwritten_reads") == 0
    assert found.number("workload.zones.user_pages") == 0
    empty = run(**{**ZONES, **reads, "workload.read_fraction": 0.5})
    assert empty.number("workload.zones.unwritten_reads") > 0


def test_handles_keep_hot_and_cold_pages_in_zones_of_their_own() -> None:
    keys = {
        **ZONES,
        "workload.kind": "hot_cold",
        "workload.read_fraction": 0.0,
        "workload.requests": 120_000,
        "ftl.zones.blocks": 1,
    }
    told = {**keys, "workload.placement": 1, "workload.hot_placement": 2}
    apart, mixed = (
        run(**each).number("workload.zones.write_amplification") for each in (told, keys)
    )
    assert apart < 0.95 * mixed


def test_a_workload_that_is_not_translated_is_refused_by_the_zones() -> None:
    of_drive = {"ftl.mapping": "zoned", "age.method": "fresh", "workload.requests": 2_000}
    found = run(**of_drive, **{"workload.read_fraction": 0.2})
    assert found.number("host.refused") == found.number("ftl.zones.refused.zone_invalid_write") + (
        found.number("ftl.zones.refused.zone_boundary")
    )
    assert found.number("host.refused") > 1_000


def test_commands_to_zones_stand_in_traces(tmp_path: Path) -> None:
    """In columns, and in the binary form that they are converted to."""
    rows = [
        (0, "zone_open", 0, 0),
        (1, "zone_append", 0, 8192),
        (2, "write", 8192, 4096),
        (3, "zone_close", 0, 0),
        (4, "zone_finish", 0, 0),
        (5, "write", 12288, 4096),
        (6, "zone_reset", 0, 0),
        (7, "write", 0, 4096),
        (8, "read", 0, 4096),
    ]
    file = tmp_path / "zones.csv"
    file.write_text("".join(f"{at},{op},{start},{size}\n" for at, op, start, size in rows))
    columns = {"time": 1, "op": 2, "offset": 3, "size": 4, "separator": ",", "header": False}
    keys = {f"workload.csv.{key}": value for key, value in columns.items()}
    binary = tmp_path / "zones.wlt"
    wl.convert(file, binary, format="csv", options=keys, progress=False)
    of_drive = {"ftl.mapping": "zoned", "age.method": "fresh", "workload.kind": "trace"}
    as_columns = {"workload.path": str(file), "workload.format": "csv", **keys}
    for trace in (as_columns, {"workload.path": str(binary)}):
        found = run(**of_drive, **trace)
        counts = ("opens", "appends", "closes", "finishes", "resets", "writes")
        assert [found.number(f"ftl.zones.{count}") for count in counts] == [1, 1, 1, 1, 1, 2]
        assert found.number("ftl.zones.refused.zone_full") == 1
        assert found.number("host.refused") == 1
        assert found.number("host.unmapped_reads") == 0


def test_zones_are_saved_and_go_on(tmp_path: Path) -> None:
    state = tmp_path / "state"
    first = wl.simulate(
        wl.Drive("tiny", **{**ZONES, "workload.requests": 5_000}),
        save_state=state,
        audit=True,
        progress=False,
    )
    keys = {
        "ftl.mapping": "zoned",
        "age.method": "snapshot",
        "age.snapshot": str(state),
        "workload.requests": 500,
        "workload.read_fraction": 1.0,
    }
    later = run(**keys)
    assert later.number("ftl.pages.valid") == first.number("ftl.pages.valid") > 0
    assert later.number("host.refused") == 0


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        ({"age.method": "steady_state"}, "age.method"),
        ({"age.method": "overwritten"}, "age.method"),
        ({"age.method": "invalidated"}, "age.method"),
        ({"buffer.policy": "lru", "buffer.size": "1 MiB"}, "buffer.policy"),
        ({"ftl.placement.directive": "streams"}, "ftl.placement.directive"),
        ({"ftl.failures.program": 1e-5}, "workload.translation"),
        ({"ftl.failures.program": 1e-5, "ftl.failures.min_spare": 1}, "ftl.failures.min_spare"),
        ({"ftl.failures.initial": 0.01}, "ftl.failures.initial"),
        ({"ftl.refresh.policy": "remaining"}, "ftl.refresh.policy"),
        ({"ftl.zones.blocks": 12}, "ftl.zones.blocks"),
        ({"ftl.zones.size": "4 KiB"}, "ftl.zones.size"),
        ({"ftl.mapping": "page", "ftl.zones.blocks": 8}, "ftl.zones.blocks"),
        ({"workload.zones.over_provisioning": 0.01}, "workload.zones.over_provisioning"),
        ({"ftl.zones.max_open": 3}, "workload.zones.handles"),
        ({"workload.translation": "none", "workload.zones.handles": 1}, "workload.zones"),
    ],
)
def test_what_zones_do_not_go_with_is_refused(keys: dict[str, object], key: str) -> None:
    with pytest.raises(wl.ConfigError, match=key):
        wl.simulate(wl.Drive.from_toml("tiny", **{**ZONES, **keys}), progress=False)


def test_sampled_runs_of_zones_are_refused() -> None:
    drive = wl.Drive.from_toml("tiny", **ZONES)
    with pytest.raises(wl.ConfigError, match=r"ftl\.mapping"):
        wl.simulate(drive, progress=False, sample=wl.Sampling())


@pytest.mark.parametrize(
    ("placement", "handles"), [("single", 2), ("multi_log", 3), ("multi_data", 5)]
)
def test_files_of_a_store_have_the_handles_of_their_kind(placement: str, handles: int) -> None:
    keys = {"ftl.placement.directive": "streams", "workload.store.placement": placement}
    found = run(**STORE, **keys).summary
    pages = figures(found)
    of_handles = [pages.get(f"ftl.placement.handle.{each}.host_pages", 0.0) for each in range(5)]
    written = [each for each in of_handles if each]
    assert len(written) == handles
    assert written[0] < 0.02 * sum(written)


def test_a_store_runs_on_zones() -> None:
    found = run(**{**STORE, **ZONES, "workload.store.placement": "multi_data"})
    assert found.number("host.refused") == 0
    assert found.number("ftl.write_amplification") == 1


def test_files_that_are_not_deallocated_cost_more() -> None:
    keys = {**STORE, "workload.requests": 150_000, "workload.store.data": 0.19}
    told, silent = (
        run(**keys, **{"workload.store.trim": trim}).number("ftl.write_amplification")
        for trim in (True, False)
    )
    assert told < silent


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        ({"workload.store.data": 0.9}, "workload.store.data"),
        ({"workload.store.data": 0.0}, "workload.store.data"),
        ({"workload.store.system": 1.0}, "workload.store.system"),
        ({"workload.store.fan": 1}, "workload.store.fan"),
        ({"workload.store.tiers": 65}, "workload.store.tiers"),
        ({"workload.store.memtable": "1 KiB"}, "workload.store.memtable"),
        ({"workload.store.segment": "1 KiB"}, "workload.store.segment"),
        ({"workload.store.extent": "1 KiB"}, "workload.store.extent"),
        ({"workload.request_size": ["4 KiB", "8 KiB"]}, "workload.request_size"),
        ({"workload.kind": "random", "workload.store.fan": 4}, "workload.store"),
    ],
)
def test_stores_that_cannot_be_are_refused(keys: dict[str, object], key: str) -> None:
    with pytest.raises(wl.ConfigError, match=key):
        wl.simulate(wl.Drive.from_toml("tiny", **{**STORE, **keys}), progress=False)


def test_fio_jobs_write_zones_at_their_pointers(tmp_path: Path) -> None:
    """A job that overwrites a part of the drive at random, in as many zones at once as it says."""
    job = tmp_path / "zones.fio"
    job.write_text(
        "[global]\nfilename=/dev/nvme0n1\ndirect=1\nioengine=libaio\niodepth=8\nzonemode=zbd\nbs=64k\n"
        "size=8z\nmax_open_zones=2\n[fill]\nrw=write\n[again]\nstonewall\nrw=randwrite\nnorandommap=1\nio_size=4z\n"
    )
    drive = wl.Drive.from_toml("tiny", **{"ftl.mapping": "zoned", "age.method": "fresh"})
    found = wl.simulate(drive, workload=str(job), progress=False, audit=True)
    assert found.number("host.refused") == 0
    assert found.number("ftl.zones.resets") >= 4
    # zones of 2 MiB: eight are filled, and as much as four hold is written again
    assert found.number("host.write.bytes") == 12 << 21
    job.write_text(job.read_text().replace("bs=64k", "bs=2k"))
    refusal = r"zones.fio:7: bs=2048: accepted: multiples of the logical block of 4096 B"
    with pytest.raises(wl.WordlineError, match=refusal):
        wl.simulate(drive, workload=str(job), progress=False)
