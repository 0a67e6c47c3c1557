"""Policies written in Python: what they see, and that they are as the built-in ones to the byte."""

from __future__ import annotations

import functools
import random
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from python_policies import (
    AGEING,
    SMALL,
    WRITES,
    CostBenefit,
    Fifo,
    Greedy,
    OutOfOrder,
    ReadsFirst,
    TwoLevelLru,
    same,
    simulated,
)


@pytest.mark.parametrize("age", AGEING)
@pytest.mark.parametrize(
    ("policy", "age_of", "built_in"),
    [
        (Greedy, None, {"ftl.gc.victim": "greedy"}),
        (CostBenefit, "last_write", {"ftl.gc.victim": "cost_benefit"}),
        (
            CostBenefit,
            "last_invalidation",
            {"ftl.gc.victim": "cost_benefit", "ftl.gc.age_basis": "last_invalidation"},
        ),
    ],
)
def test_a_victim_policy_does_what_the_built_in_one_does(
    policy: type[wl.VictimPolicy], age_of: Any, built_in: dict[str, Any], age: dict[str, Any]
) -> None:
    wl.register_victim("again", policy, age_of=age_of, replace=True)
    keys = {**WRITES, **age, "ftl.gc.pool": "die", "output.attribution": True}
    expected = simulated({**keys, **built_in})
    assert expected.number("ftl.gc.victims") > 30
    same(simulated({**keys, "ftl.gc.victim": "again"}), expected)


def test_blocks_say_in_which_order_they_were_closed() -> None:
    """`fifo` again, aged by writing: the closed form of its own would make another state than that of a policy in Python."""
    wl.register_victim("again", Fifo, replace=True)
    keys = {**WRITES, "age.method": "overwritten"}
    expected = simulated({**keys, "ftl.gc.victim": "fifo"})
    same(simulated({**keys, "ftl.gc.victim": "again"}), expected)


def test_a_classifier_does_what_the_built_in_one_does() -> None:
    # 8 pages in the list of hot ones, 40 in that of candidates: pages drop out of both
    wl.register_classifier("lru-again", functools.partial(TwoLevelLru, 40, 8), replace=True)
    keys = {**WRITES, "geometry.pages_per_block": 16, "age.method": "overwritten"}
    sizes = {"ftl.hot.candidates": 40, "ftl.hot.hot_pages": 8}
    built_in = simulated({**keys, "ftl.hot.classifier": "two_level_lru", **sizes})
    same(simulated({**keys, "ftl.hot.classifier": "lru-again"}), built_in)


@pytest.mark.parametrize(
    ("name", "policy"), [("out_of_order", OutOfOrder), ("reads_first", ReadsFirst)]
)
def test_a_scheduler_does_what_the_built_in_one_does(name: str, policy: type[wl.Scheduler]) -> None:
    mine = name.replace("_", "-") + "-again"
    wl.register_scheduler(mine, policy, replace=True)
    keys = {**SMALL, "workload.read_fraction": 0.5, "workload.queue_depth": 16}
    built_in = simulated({**keys, "scheduler.policy": name})
    same(simulated({**keys, "scheduler.policy": mine}), built_in)


def test_years_of_use_are_the_same() -> None:
    wl.register_victim("greedy-again", Greedy, replace=True)
    asked = wl.LifetimeStudy(horizon=3e5, every=1e5, writes_per_day=0.5)
    lives = []
    for victim in ("greedy", "greedy-again"):
        drive = wl.Drive("tiny", **WRITES, **{"ftl.gc.victim": victim})
        lives.append(wl.lifetime(drive, asked=asked, progress=False))
    assert lives[0].snapshots.equals(lives[1].snapshots)
    (one, other) = (life.summary["write_amplification"] for life in lives)
    assert one == other
    assert one is not None
    assert one > 1


class Random:
    """Any block that gains something; the seed decides which."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def choose(self, blocks: wl.VictimView) -> wl.BlockView:
        """Some block."""
        return self.draw.choice([block for block in blocks if block.invalid])


def test_the_seed_of_the_drive_is_given_and_decides() -> None:
    wl.register_victim("random-again", Random, replace=True)
    keys = {**WRITES, "ftl.gc.victim": "random-again"}
    same(simulated(keys), simulated(keys))
    # threads, each with a policy of its own: as one after the other
    runs = wl.simulate_seeds(wl.Drive("tiny", **keys), seeds=3, jobs=3, progress=False)
    for seed, result in runs.results.items():
        alone = wl.simulate(
            wl.Drive("tiny", **keys, seed=seed, **{"workload.seed": seed}), progress=False
        )
        assert result.blocks.equals(alone.blocks)
    amplifications = {result.number("ftl.write_amplification") for result in runs.results.values()}
    assert len(amplifications) == 3


def test_what_a_scheduler_sees() -> None:
    seen: list[tuple[Any, ...]] = []
    busy_for: list[int] = []

    class Watching(OutOfOrder):
        def pick(self, channel: wl.ChannelView) -> wl.CandidateView:
            chosen = super().pick(channel)
            waiting = [unit.waiting for unit in channel.units]
            assert [unit.first_die for unit in channel.units] == [
                2 * channel.channel,
                2 * channel.channel + 1,
            ]
            assert all(len(row) == 4 for rows in waiting for row in rows)
            for unit in channel.units:
                # nothing of this drive is suspended, and no array step is longer than an erase
                assert unit.free_at_ns <= channel.now_ns or not unit.is_idle
                busy_for.append(unit.free_at_ns - channel.now_ns)
            for each in channel.candidates:
                assert each.ready_ns <= channel.now_ns
                assert each.die in (None, 2 * channel.channel, 2 * channel.channel + 1)
                assert each.deadline_ns is None or each.deadline_ns == each.ready_ns + 1_000_000
                if each.action == "read":
                    assert each.die is not None
                    # 32 blocks of 64 pages in each of 2 planes of a die
                    assert each.page is not None
                    assert each.page // (32 * 64 * 2) == each.die
                    assert sum(channel.units[each.die % 2].waiting[0]) > 0
            seen.append((chosen.action, chosen.level, chosen.cause, chosen.arrival_ns is None))
            return chosen

    wl.register_scheduler("watching", Watching, replace=True)
    result = simulated({**SMALL, "scheduler.policy": "watching", "scheduler.max_wait": "1 ms"})
    assert {action for action, *_ in seen} == {"read", "program", "erase", "data_out"}
    reads = [row for row in seen if row[0] == "read" and row[2] == "host"]
    assert len(reads) <= result.number("host.read.count")
    assert {row[1:] for row in reads} == {("host", "host", False)}
    assert all(alone for action, _, cause, alone in seen if cause == "gc")
    # an erase takes 1.5 ms, after its command
    assert min(busy_for) <= 0 < max(busy_for) < 1_600_000


def test_what_a_classifier_sees() -> None:
    seen: list[tuple[int, int, int, int]] = []

    class Watching:
        def temperature(self, write: wl.WriteView) -> int:
            seen.append((write.page, write.sectors, write.command_sectors, write.placement))
            return 2

    wl.register_classifier("watching", Watching, temperatures=3, replace=True)
    load = {"workload.kind": "sequential", "workload.request_size": "8 KiB", "workload.requests": 4}
    keys = {"age.method": "fresh", "workload.read_fraction": 0.0, "ftl.hot.classifier": "watching"}
    simulated({**keys, **load})
    assert seen == [(page, 8, 16, 0) for page in range(8)]


def test_the_flash_that_a_policy_leaves_is_a_state_for_any_other(tmp_path: Path) -> None:
    """A snapshot holds what the flash holds and nothing of any policy, be it built in or not."""
    wl.register_victim("greedy-again", Greedy, replace=True)
    states = {}
    for victim in ("greedy", "greedy-again"):
        path = tmp_path / victim
        simulated({**WRITES, "ftl.gc.victim": victim}, save_state=path)
        states[victim] = path.read_bytes()
    assert states["greedy"] == states["greedy-again"]
    start = {"age.method": "snapshot", "age.snapshot": tmp_path / "greedy-again"}
    again = [simulated({**WRITES, **start, "ftl.gc.victim": victim}) for victim in states]
    same(*again)


def test_views_do_not_change_and_are_sequences() -> None:
    checked: list[int] = []

    class Looking(Greedy):
        def choose(self, blocks: wl.VictimView) -> wl.BlockView:
            listed = list(blocks)
            assert len(listed) == len(blocks) > 0
            assert [blocks[place].index for place in range(len(blocks))] == [
                block.index for block in listed
            ]
            assert blocks[-1].index == listed[-1].index
            assert sorted(block.index for block in listed) == [block.index for block in listed]
            assert all(block.valid + block.invalid == blocks.pages_per_block for block in listed)
            with pytest.raises(IndexError):
                blocks[len(blocks)]
            with pytest.raises(AttributeError):
                listed[0].valid = 0  # type: ignore[misc]
            checked.append(len(blocks))
            return super().choose(blocks)

    wl.register_victim("looking", Looking, replace=True)
    simulated({**WRITES, "ftl.gc.victim": "looking"})
    assert checked
