"""Presets of drives of today: what is particular to each shows in the figures, and is explained."""

from __future__ import annotations

from typing import Any

import pytest

import wordline as wl
from wordline.explaining import lead, of_updates

WITHOUT_DRAM = {
    "age.method": "steady_state",
    "geometry.blocks_per_plane": 24,
    "geometry.pages_per_block": 96,
    "ftl.cached_entries": 8192,
    "ftl.over_provisioning": 0.8,
    "ftl.slc_cache.static_blocks": 1,
    "ftl.slc_cache.dynamic_blocks": 3,
    "buffer.size": "1 MiB",
}
ALONE = {"workload.queue_depth": 1}
LARGE_UNITS = {
    "geometry.chips_per_channel": 2,
    "geometry.blocks_per_plane": 32,
    "geometry.pages_per_block": 64,
    "ftl.over_provisioning": 0.8,
    "buffer.size": "1 MiB",
}


def run(preset: str, *keys: dict[str, Any]) -> wl.Result:
    """A run of a preset with few blocks."""
    all_keys: dict[str, Any] = {"workload.requests": 4_000, "output.attribution": True}
    for each in keys:
        all_keys |= each
    return wl.simulate(wl.Drive.from_toml(preset, **all_keys), progress=False)


@pytest.fixture(scope="module")
def without_dram() -> wl.Result:
    """Lone reads of 4 KiB all over a drive whose cache holds two pages of the map."""
    return run("client-dramless", WITHOUT_DRAM, ALONE)


@pytest.fixture(scope="module")
def of_a_full_map() -> wl.Result:
    """The same with a map in memory of the controller."""
    full = {key: value for key, value in WITHOUT_DRAM.items() if key != "ftl.cached_entries"}
    return run("client-dramless", full, ALONE, {"ftl.mapping": "page"})


def test_a_miss_costs_a_read_of_the_map(without_dram: wl.Result) -> None:
    lookups = without_dram.number("ftl.table.lookups")
    missed = lookups * (1 - without_dram.number("ftl.table.hit_ratio"))
    assert without_dram.number("ftl.pages_read.mapping") == pytest.approx(missed)
    assert missed > 0.7 * lookups


def test_random_reads_are_slower_than_with_a_full_map(
    without_dram: wl.Result, of_a_full_map: wl.Result
) -> None:
    slow, fast = (
        result.number("host.read.latency.p50_us") for result in (without_dram, of_a_full_map)
    )
    # two pages one after the other, 50 or 68 us each, and 16 KiB of the map at 1.2 GB/s
    assert 50 < slow - fast - 16_384 / 1200 < 69


def test_the_loss_is_explained(without_dram: wl.Result, of_a_full_map: wl.Result) -> None:
    said = without_dram.explain()
    assert "The map is on flash: " in said
    assert "of 32 KiB of the host's memory" in said
    assert "pages of the map were read for the others" in said
    assert "of the mean read latency of" in said
    assert any(each.startswith("The map is on flash: ") for each in lead(without_dram))
    assert "The map is on flash" not in of_a_full_map.explain()


def test_what_is_programmed_of_the_map_is_told() -> None:
    """Overwriting at random with room for two pages of the map: entries leave before their writes are done."""
    result = run("client-dramless", WITHOUT_DRAM, {"workload.read_fraction": 0.0})
    share = result.number("ftl.pages_programmed.mapping") / result.number("ftl.pages_programmed")
    said = f"Of the pages programmed {100 * share:.0f} % are of the map, most often because entries had left"
    assert said in result.explain()


@pytest.mark.parametrize(
    ("most", "why"),
    [
        ("collection_updates", "collection or folding had moved data"),
        ("evicted_dirty", "changed entries left its cache"),
        ("late_updates", "entries had left its cache before"),
    ],
)
def test_the_most_frequent_reason_is_told(most: str, why: str) -> None:
    counts: dict[str, object] = {"ftl.pages_programmed.mapping": 30, "ftl.pages_programmed": 100}
    reasons = ("collection_updates", "evicted_dirty", "late_updates")
    counts |= {f"ftl.table.{key}": 20 if key == most else 5 for key in reasons}
    said = of_updates(counts)
    assert said.startswith(
        f" Of the pages programmed 30 % are of the map, most often because {why}"
    )
    assert of_updates({**counts, "ftl.pages_programmed.mapping": 0}) == ""


def test_a_cache_of_everything_reads_no_map() -> None:
    keys = {"ftl.cached_entries": 1_000_000_000, "ftl.cache_location": "controller"}
    assert "The map is on flash" not in run("client-dramless", WITHOUT_DRAM, keys).explain()


def test_shares_need_an_account(without_dram: wl.Result) -> None:
    plain = run("client-dramless", WITHOUT_DRAM, ALONE, {"output.attribution": False})
    (said,) = [each for each in lead(plain) if each.startswith("The map is on flash")]
    assert said.endswith("pages of the map were read for the others.")
    assert plain.number("ftl.pages_read.mapping") == without_dram.number("ftl.pages_read.mapping")


@pytest.mark.parametrize(("size", "programs"), [("4 KiB", 4.0), ("64 KiB", 1.0)])
def test_a_small_write_programs_a_whole_unit(size: str, programs: float) -> None:
    """The rest of 64 KiB is read and written again; a write of all of it reads nothing."""
    keys = {"workload.read_fraction": 0.0, "workload.request_size": size}
    result = run("datacenter-qlc", LARGE_UNITS, keys)
    written = result.number("host.page_writes")
    found = result.number("ftl.pages_programmed.host") / written
    assert found == pytest.approx(programs, rel=0.06)
    read = result.number("ftl.pages_read.host") / written
    assert read == pytest.approx(4.0 if programs > 1 else 0.0, abs=0.25)


def test_the_penalty_is_explained() -> None:
    keys = {"workload.read_fraction": 0.0}
    small = run("datacenter-qlc", LARGE_UNITS, keys)
    said = small.explain()
    assert "The mapping unit has 4 pages of 16 KiB" in said
    assert "read for the rest of these units" in said
    assert "bytes for each byte of host writes" in said
    assert small.number("ftl.write_amplification_bytes") > 16
    # reads of the host are among those of pages, which say nothing of units then
    mixed = run("datacenter-qlc", LARGE_UNITS, {"workload.read_fraction": 0.5}).explain()
    assert "The mapping unit has 4 pages" in mixed
    assert "the rest of these units" not in mixed
    only_reads = run("datacenter-qlc", LARGE_UNITS, {"workload.read_fraction": 1.0})
    assert "The mapping unit has" not in only_reads.explain()


def test_capacities_are_those_of_their_class() -> None:
    sizes = {
        "client-tlc": 0.25e12,
        "sata-mlc": 0.1e12,
        "client-dramless": 0.128e12,
        "client-gen5": 0.25e12,
        "client-qlc": 0.256e12,
        "datacenter-tlc": 0.495e12,
        "datacenter-qlc": 30.72e12,
        "low-latency-slc": 0.8e12,
        "mobile-emmc": 0.064e12,
    }
    for preset, size in sizes.items():
        # what a drive holds does not depend on its age, and to age the largest takes most of a minute
        keys: dict[str, Any] = {"workload.requests": 1, "age.method": "fresh"}
        result = wl.simulate(wl.Drive.from_toml(preset, **keys), progress=False)
        unit = 16_384 if preset == "datacenter-qlc" else 4096
        assert result.number("ftl.user_pages") * unit == pytest.approx(size, rel=0.015), preset


QLC = {
    "geometry.blocks_per_plane": 24,
    "geometry.pages_per_block": 96,
    "ftl.over_provisioning": 0.8,
    "ftl.slc_cache.static_blocks": 1,
    "ftl.slc_cache.dynamic_blocks": 4,
    "buffer.size": "1 MiB",
    "workload.requests": 6_000,
}


def test_qlc_behind_a_cache_has_its_cliff() -> None:
    """What the cache takes comes at the speed of SLC, the rest waits for folding into word lines of QLC."""
    result = wl.simulate(wl.Drive.from_toml("client-qlc", **QLC), audit=True, progress=False)
    assert result.number("ftl.slc_cache.share") == 1.0
    assert result.number("ftl.slc_cache.pages_folded") > 0
    series = result.time_series
    rates = series["written_bytes"] / series["width_ns"]
    assert rates[0] > 4 * rates[series.height // 2]
    assert "SLC cache" in " ".join(lead(result))


def test_a_drive_without_dram_writes_to_its_cache_first() -> None:
    keys = {
        **WITHOUT_DRAM,
        "age.method": "fresh",
        "workload.read_fraction": 0.0,
        "workload.kind": "sequential",
        "workload.request_size": "128 KiB",
        "workload.requests": 1_500,
    }
    drive = wl.Drive.from_toml("client-dramless", **keys)
    result = wl.simulate(drive, audit=True, progress=False)
    assert 0 < result.number("ftl.slc_cache.share") < 1
    assert result.number("ftl.table.lookups") > 0
    assert "SLC cache" in " ".join(lead(result))


def test_a_lone_read_of_the_fast_drive_takes_some_sixteen_microseconds() -> None:
    keys = {"workload.requests": 500, "geometry.blocks_per_plane": 64}
    result = wl.simulate(wl.Drive.from_toml("low-latency-slc", **keys), progress=False)
    # 6 us of the controller, 3 us of the array, 5.1 us at 800 MB/s, 1.1 us at 3.9 GB/s, and the ways of a command
    assert 6 + 3 + 5.1 + 1.1 < result.number("host.read.latency.p50_us") < 18


SIX_PLANES = {
    "geometry.blocks_per_plane": 24,
    "geometry.pages_per_block": 96,
    "ftl.over_provisioning": 0.8,
    "ftl.slc_cache.static_blocks": 1,
    "ftl.slc_cache.dynamic_blocks": 3,
    "age.method": "overwritten",
    "age.random_factor": 0.2,
    "workload.queue_depth": 256,
    "workload.requests": 20_000,
}


def test_planes_that_read_on_their_own_serve_more_and_say_so() -> None:
    apart = run("client-gen5", SIX_PLANES)
    together = run("client-gen5", SIX_PLANES, {"nand.independent_plane_reads": False})
    # 16 dies with 50 us of sensing, a command, and 4 KiB at 2 GB/s: at most that many reads a second
    assert together.number("host.iops") < 16 / 52e-6
    assert apart.number("host.iops") > 2.5 * together.number("host.iops")
    assert apart.number("nand.reads_beside_reads") > 0.5 * apart.number("ftl.pages_read")
    said = "Each of the 6 planes of a die reads on its own: "
    assert said in apart.explain()
    assert any(each.startswith(said) for each in lead(apart))
    assert said not in together.explain()
    assert "nand.reads_beside_reads" not in together.summary


def test_planes_that_read_on_their_own_in_combination() -> None:
    """Writes only, and an aged drive of many writes over the link, audited: nothing breaks, and what is kept and reloaded goes on."""
    for fraction in (0.0, 0.5):
        keys = {"workload.read_fraction": fraction, "workload.request_size": "32 KiB"}
        drive = wl.Drive.from_toml("client-gen5", **{**SIX_PLANES, **keys})
        result = wl.simulate(drive, progress=False, audit=True)
        assert result.summary["check.audited"]
        assert result.summary["check.conservation"]


@pytest.mark.parametrize(
    ("host", "key", "value"),
    [
        ("ufs", "gear", 6),
        ("ufs", "gear", 0),
        ("ufs", "lanes", 3),
        ("ufs", "tags", 33),
        ("ufs", "max_data", "256 B"),
        ("emmc", "tags", 0),
        ("emmc", "bus", "hs800"),
    ],
)
def test_hosts_refuse_what_their_standards_lack(host: str, key: str, value: object) -> None:
    with pytest.raises(wl.ConfigError, match=rf"host\.{host}\.{key}"):
        wl.Drive.from_toml("tiny", **{"host.interface": host, f"host.{host}.{key}": value})


def test_hosts_refuse_keys_of_others() -> None:
    with pytest.raises(wl.ConfigError, match=r"host\.ufs"):
        wl.Drive.from_toml("tiny", **{"host.interface": "emmc", "host.ufs.lanes": 1})
    with pytest.raises(wl.ConfigError, match=r"host\.emmc"):
        wl.Drive.from_toml("tiny", **{"host.interface": "nvme", "host.emmc.tags": 1})
    with pytest.raises(wl.ConfigError, match=r"ftl\.cache_location"):
        wl.Drive.from_toml("client-dramless", **{"host.interface": "ufs"})
    deadline = {"host.interface": "ufs", "tenants": {"a": {"deadline": "1 ms"}}}
    with pytest.raises(wl.ConfigError, match="deadline"):
        wl.Drive.from_toml("cui2018-dlv", **deadline)


def test_a_queue_and_a_wider_link_help() -> None:
    keys: dict[str, Any] = {
        "workload.requests": 2_000,
        "workload.read_fraction": 1.0,
        "workload.queue_depth": 8,
        "workload.request_size": "32 KiB",
    }

    def rate(more: dict[str, Any]) -> float:
        drive = wl.Drive.from_toml("tiny", **{**keys, **more})
        return wl.simulate(drive, progress=False).number("host.iops")

    emmc = {"host.interface": "emmc"}
    assert rate(emmc) > 1.7 * rate({**emmc, "host.emmc.tags": 1})
    assert rate(emmc) > 1.3 * rate({**emmc, "host.emmc.bus": "ddr52"})
    ufs = {"host.interface": "ufs"}
    assert rate(ufs) > rate({**ufs, "host.ufs.gear": 1, "host.ufs.lanes": 1})


def test_a_client_drive_is_aged_by_random_overwrites() -> None:
    """Rows of planes in step that do not fit what is left of a block in SLC mode go page by page."""
    keys = {
        "age.method": "overwritten",
        "geometry.blocks_per_plane": 60,
        "geometry.channels": 2,
        "ftl.over_provisioning": 0.3,
        "workload.requests": 1000,
    }
    result = wl.simulate(wl.Drive.from_toml("client-tlc", **keys), audit=True, progress=False)
    assert result.summary["host.requests"] == 1000
