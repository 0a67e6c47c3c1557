"""The SLC cache as a user sees it: the cliff in the time series, and the words about it."""

from __future__ import annotations

from itertools import pairwise

import pytest

import wordline as wl

SMALL = {
    "geometry.blocks_per_plane": 24,
    "geometry.pages_per_block": 96,
    "ftl.over_provisioning": 0.8,
    "ftl.slc_cache.static_blocks": 1,
    "ftl.slc_cache.dynamic_blocks": 3,
    "buffer.size": "1 MiB",
    "output.attribution": True,
}


def run(requests: int, **more: object) -> wl.Result:
    """Sequential writes of 128 KiB to a small drive that holds nothing."""
    drive = wl.Drive.from_toml("client-tlc", **{**SMALL, **more, "workload.requests": requests})
    return wl.simulate(drive, progress=False)


@pytest.fixture(scope="module")
def result() -> wl.Result:
    """A run that goes over the cliff: the cache has 128 planes of 4 blocks of 32 pages of 16 KiB, which is 256 MiB, 2,048 requests."""
    return run(6_000)


def test_the_cliff_comes_after_as_many_bytes_as_the_cache_has(result: wl.Result) -> None:
    room = 128 * 4 * 32 * 4
    # some planes still have a page or two when the run ends
    assert 0.98 * room < result.number("ftl.slc_cache.pages_written") <= room
    windows = result.time_series.select("written_bytes", "width_ns").rows()
    rates = [written / width for written, width in windows if width]
    third = len(rates) // 3
    early, late = sum(rates[: third // 2]) / (third // 2), sum(rates[-third:]) / third
    assert early > 1.2 * late


def test_it_is_explained(result: wl.Result) -> None:
    said = wl.Result.explain(result)
    assert "The SLC cache took " in said
    assert "the others found no room in it" in said
    # with these programs
    for mode in ("slc", "normal"):
        assert result.number(f"modes.{mode}.program_us") > 0
    assert "was never full" in run(1_000).explain()


def test_writes_that_wait_are_told() -> None:
    waiting = run(6_000, **{"ftl.slc_cache.when_full": "fold"})
    assert waiting.number("ftl.slc_cache.share") == 1
    assert "had been folded" in waiting.explain()
    folded = waiting.number("ftl.pages_programmed.fold")
    assert 4 * folded == pytest.approx(waiting.number("ftl.slc_cache.pages_folded"), rel=0.05)


def test_a_larger_cache_is_faster() -> None:
    rates = [
        run(3_000, **{"ftl.slc_cache.dynamic_blocks": blocks}).number("host.bandwidth_mb_s")
        for blocks in (0, 3, 6)
    ]
    assert all(less < more for less, more in pairwise(rates))
