"""`scheduler.collection_holds_channel`: moves of collection keep their channel."""

from __future__ import annotations

import polars as pl

import wordline as wl


def simulated(*, holds: bool) -> wl.Result:
    """A drive of one channel and two chips that collects."""
    return wl.simulate(
        wl.Drive(
            "hu2011",
            **{
                "geometry.channels": 1,
                "geometry.chips_per_channel": 2,
                "geometry.dies_per_chip": 1,
                "geometry.planes_per_die": 1,
                "geometry.blocks_per_plane": 32,
                "age.method": "steady_state",
                "age.fill": 0.7,
                "firmware.enabled": False,
                "scheduler.collection_first": True,
                "scheduler.collection_holds_channel": holds,
                "workload.region": "4 MiB",
                "workload.read_fraction": 0.5,
                "workload.request_size": "2 KiB",
                "workload.interarrival": "500 us",
                "workload.requests": 2_000,
                "output.timeline": True,
                "output.timeline_from": "0 s",
                "output.timeline_to": "100 s",
                "output.timeline_spans": 100_000,
            },
        ),
        progress=False,
    )


def intruders(result: wl.Result) -> int:
    """Uses of the channel that begin inside an array step of a move."""
    spans = result.timeline
    moves = spans.filter(
        (pl.col("track") == "die")
        & (pl.col("cause") == "gc")
        & pl.col("activity").is_in(["read", "program"])
    )
    uses = spans.filter(pl.col("track") == "channel")["from_ns"].sort()
    assert moves.height > 100
    return sum(
        uses.search_sorted(end, side="left") - uses.search_sorted(start, side="right")
        for start, end in moves.select("from_ns", "to_ns").iter_rows()
    )


def test_nothing_else_uses_the_channel_during_a_move() -> None:
    assert intruders(simulated(holds=True)) == 0
    assert intruders(simulated(holds=False)) > 100
