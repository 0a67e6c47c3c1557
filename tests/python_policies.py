"""Built-in policies once more, in Python: they do the same to the byte, and show what Python takes."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, ClassVar

import wordline as wl
from wordline.columns import TABLES

SMALL = {"workload.requests": 2_000, "geometry.blocks_per_plane": 32}
"""A run of `tiny` that takes a tenth of a second."""
WRITES = {**SMALL, "workload.read_fraction": 0.0}
AGEING = (
    {"age.method": "steady_state"},
    {"age.method": "overwritten", "age.random_factor": 1.0},
)
"""By a closed form, and in functional mode."""


class Greedy:
    """As `greedy`."""

    def choose(self, blocks: wl.VictimView) -> wl.BlockView:
        """Fewest valid pages; ties: fewest erases, closed longest ago, lowest index."""
        return min(
            blocks,
            key=lambda block: (block.valid, block.erase_count, -block.closed_ago, block.index),
        )


class Fifo:
    """As `fifo`."""

    def choose(self, blocks: wl.VictimView) -> int:
        """Closed longest ago."""
        return max(blocks, key=lambda block: block.closed_ago).index


class CostBenefit:
    """As `cost_benefit`."""

    def choose(self, blocks: wl.VictimView) -> wl.BlockView:
        """Most (1-u) * age / 2u, ties as with `greedy`."""

        def score(block: wl.BlockView) -> tuple[float, ...]:
            share = block.valid / blocks.pages_per_block
            worth = (1 - share) * max(block.age_ns, 1) / (2 * share)
            return (-worth, block.erase_count, -block.closed_ago, block.index)

        return min(blocks, key=score)


class TwoLevelLru:
    """As `two_level_lru`."""

    def __init__(self, candidates: int, hot_pages: int) -> None:
        self.most = (candidates, hot_pages)
        self.candidates: OrderedDict[int, None] = OrderedDict()
        self.hot: OrderedDict[int, None] = OrderedDict()

    def temperature(self, write: wl.WriteView) -> int:
        """Hot is what is written again while it is in one of the lists."""
        known = write.page in self.hot or write.page in self.candidates
        self.hot.pop(write.page, None)
        self.candidates.pop(write.page, None)
        if not known:
            self.insert(self.candidates, write.page, self.most[0])
            return 1
        demoted = self.insert(self.hot, write.page, self.most[1])
        if demoted is not None:
            self.insert(self.candidates, demoted, self.most[0])
        return 0

    def insert(self, pages: OrderedDict[int, None], page: int, most: int) -> int | None:
        """Put a page at the head of a list; the one that drops out."""
        pages.pop(page, None)
        pages[page] = None
        return pages.popitem(last=False)[0] if len(pages) > most else None


class OutOfOrder:
    """As `out_of_order`."""

    RANKS: ClassVar = {"urgent": 0, "host": 0, "normal": 1, "idle": 2}

    def rank(self, candidate: wl.CandidateView) -> int:
        """What goes first; data go with operations of the host."""
        return 0 if candidate.action == "data_out" else self.RANKS[candidate.level]

    def pick(self, channel: wl.ChannelView) -> wl.CandidateView:
        """Lowest rank, then oldest."""
        return min(channel.candidates, key=lambda each: (self.rank(each), each.sequence))


class ReadsFirst(OutOfOrder):
    """As `reads_first`."""

    COLUMNS = ("urgent", "host", "normal", "idle")
    TABLE: ClassVar = {"read": (2, 0, 5, 8), "program": (2, 3, 6, 8), "erase": (2, 4, 7, 8)}

    def rank(self, candidate: wl.CandidateView) -> int:
        """The table of the built-in policy."""
        if candidate.action == "data_out":
            return 1
        return self.TABLE[candidate.action][self.COLUMNS.index(candidate.level)]


def simulated(keys: dict[str, Any], **options: Any) -> wl.Result:
    """A run of `tiny`, audited."""
    result: wl.Result = wl.simulate(wl.Drive("tiny", **keys), audit=True, progress=False, **options)
    return result


def same(one: wl.Result, other: wl.Result) -> None:
    """Every figure and every table is the same."""

    def figures(result: wl.Result) -> dict[str, Any]:
        return {key: value for key, value in result.summary.items() if not key.startswith("run.")}

    assert figures(one) == figures(other)
    for name in TABLES:
        assert getattr(one, name).equals(getattr(other, name)), name
