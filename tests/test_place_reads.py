"""`age.place_reads`: what a run reads and has not written is there before it."""

from __future__ import annotations

from typing import Any

import pytest

import wordline as wl


def simulated(**keys: Any) -> wl.Result:
    """A drive of two channels that reads in sequence what it never wrote."""
    usual: dict[str, Any] = {
        "geometry.channels": 2,
        "geometry.chips_per_channel": 1,
        "geometry.dies_per_chip": 1,
        "geometry.planes_per_die": 2,
        "geometry.blocks_per_plane": 32,
        "age.method": "fresh",
        "ftl.over_provisioning": 0.3,
        "workload.kind": "sequential",
        "workload.read_fraction": 1.0,
        "workload.request_size": "8 KiB",
        "workload.region": "1 MiB",
        "workload.interarrival": "1 ms",
        "workload.requests": 128,
        "buffer.policy": "none",
        "firmware.enabled": False,
    }
    return wl.simulate(wl.Drive("hu2011", **{**usual, **keys}), progress=False)


def test_reads_go_to_flash_where_their_data_were_placed() -> None:
    off = simulated()
    placed = simulated(**{"age.place_reads": "allocation"})
    assert off.number("ftl.pages_read.host") == 0
    # 128 requests of 8 KiB in pages of 2 KiB
    assert placed.number("ftl.pages_read.host") == 512
    note = "Written before the run, as the run reads it and has not written it by then: 2,048 sectors of 512 B on 512 pages."
    assert any(note in each.text for each in placed.notes)


def test_a_part_of_a_page_is_placed_alone() -> None:
    """A write of what was read is no update with a read of the rest: nothing else of the page has data."""
    keys = {
        "age.place_reads": "allocation",
        "workload.request_size": "512 B",
        "workload.align": "2 KiB",
        "workload.requests": 64,
    }
    placed = simulated(**keys)
    (note,) = (each.text for each in placed.notes if "Written before the run" in each.text)
    assert note.endswith("sectors of 512 B on 64 pages.")


def test_channels_first_or_as_allocated() -> None:
    """The four pages of a request lie on both channels, or on the two planes of each chip first."""
    keys = {"allocation.order": "PDWC"}
    by_order = simulated(**keys, **{"age.place_reads": "allocation"})
    channels = simulated(**keys, **{"age.place_reads": "channel_first"})
    latency = "host.read.latency.mean_us"
    # two pages on each channel either way; their dies read two pages one after the other
    assert channels.number(latency) == pytest.approx(by_order.number(latency), rel=0.05)
    keys |= {"workload.request_size": "4 KiB"}
    by_order = simulated(**keys, **{"age.place_reads": "allocation"})
    channels = simulated(**keys, **{"age.place_reads": "channel_first"})
    assert channels.number(latency) < 0.7 * by_order.number(latency)


def test_what_it_is_refused_with() -> None:
    with pytest.raises(wl.ConfigError, match=r"age\.place_reads"):
        simulated(**{"age.place_reads": "allocation", "age.method": "steady_state"})
    with pytest.raises(wl.ConfigError, match=r"age\.place_reads.*ftl\.mapping"):
        simulated(**{"age.place_reads": "allocation", "ftl.mapping": "dftl"})
