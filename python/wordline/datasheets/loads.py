"""The loads behind a data sheet: what is asked of the drive, at which depth, and in which state the drive is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wordline.config import counted
from wordline.errors import ConfigError

DEPTHS = (1, 4, 16, 64, 256)
"""Queue depths of random requests, without others."""
SEQUENTIAL_DEPTH = 32
"""Queue depth of sequential requests; makers of drives state theirs at 32, most often."""
SEQUENTIAL = "128 KiB"
"""Size of sequential requests, as data sheets have it."""
RANDOM = "4 KiB"
"""Size of random requests, as data sheets have it."""
REQUESTS = 50_000
"""Requests of each run that count, without another number; sustained writes need more of them on a large drive."""
TURNS = 8
"""Blocks that each plane collects, at least, while sustained writes count. Ageing places each pool at some point of its cycle of
collection, and the load moves it from there to where it stays; over a few cycles little is left of where it began. Assumed."""
MOST_REQUESTS = 1_000_000
"""Sustained requests that count at most without `--requests`, so that a sheet of a large drive takes minutes."""
WARM_UP = 0.2
"""Requests before those that count, as a share of them."""
READS_OF_MIX = 0.7
"""Share of reads of the mixed load."""

STATES: Mapping[str, Mapping[str, object]] = {
    "fresh": {"age.method": "fresh"},
    "filled in order": {"age.method": "overwritten", "age.random_factor": 0.0},
    "sustained": {"age.method": "steady_state"},
}
"""States of the drive. Sheets state sequential figures of a drive that was filled in order, and random writes both of an
empty drive and of one that was overwritten at random until nothing changes any more."""

WEAR = ("initial_cycles",)
"""Keys of `[age]` that apply to every state."""
OVERWRITING = ("fill", "time_per_write", "storage")
"""Keys of `[age]` that apply to the states that are overwritten."""


@dataclass(frozen=True)
class Load:
    """One run behind a data sheet."""

    name: str
    """What is asked: `random read`, for example."""
    state: str
    """Name in `STATES`."""
    sequential: bool
    """Whether addresses follow each other."""
    size: str
    """Size of the requests."""
    reads: float
    """Share of reads."""
    depth: int
    """Requests outstanding at once."""

    @property
    def label(self) -> str:
        """What the run is, for messages."""
        return f"{self.name}, {self.state}, {self.size} at depth {self.depth}"

    def overrides(
        self, requests: int, before: int, age: Mapping[str, object]
    ) -> Mapping[str, object]:
        """Keys of the run, laid over a drive without a workload of its own.

        Args:
            requests: requests that count.
            before: requests before those.
            age: how the drive's own configuration ages it; what does not apply to the state is left out.
        """
        kept = WEAR if self.state == "fresh" else (*WEAR, *OVERWRITING)
        return {
            **STATES[self.state],
            **{f"age.{key}": age[key] for key in kept if key in age},
            "workload.kind": "sequential" if self.sequential else "random",
            "workload.read_fraction": self.reads,
            "workload.request_size": self.size,
            "workload.queue_depth": self.depth,
            "workload.requests": requests + before,
            **({"run.warm_up": f"{before} requests"} if before else {}),
            "output.request_log": 0,
            "output.block_table": 0,
        }


def requests_of(load: Load, size: int, planes: int, block: int, spare: float) -> int:
    """Requests of a load that count, where no number was asked for: those that it needs, and `MOST_REQUESTS` at most; arguments as for
    `requests_needed`.
    """
    return min(requests_needed(load, size, planes, block, spare), MOST_REQUESTS)


def requests_needed(load: Load, size: int, planes: int, block: int, spare: float) -> int:
    """Requests of a load after which little is left of where the drive began.

    Sustained writes go on until every plane has collected `TURNS` blocks. Collection takes blocks that are emptier than the average, so that
    at least the share `spare` of a victim comes free: the host writes at least that share of a block before the next one is collected.

    Args:
        load: what is asked of the drive.
        size: bytes of a request.
        planes: planes of the drive.
        block: bytes of a block.
        spare: share of the flash that is not exported, 0 to 1.
    """
    return max(REQUESTS, math.ceil(TURNS * requests_of_a_turn(load, size, planes, block, spare)))


def requests_of_a_turn(load: Load, size: int, planes: int, block: int, spare: float) -> float:
    """Requests of a load during which every plane collects a block, arguments as for `requests_of`; 0 where the load collects none."""
    if load.state != "sustained" or load.reads == 1:
        return 0.0
    return planes * block * spare / (size * (1 - load.reads))


def loads_of(depths: Sequence[int] = DEPTHS, size: str = RANDOM) -> tuple[Load, ...]:
    """Every load of a data sheet.

    Args:
        depths: queue depths of random requests, rising.
        size: size of random requests.

    Raises:
        ConfigError: depths that are not rising whole numbers from 1.
    """
    for depth in depths:
        counted("--depths", depth, 1_048_576)
    if not depths or list(depths) != sorted({*depths}):
        raise ConfigError(f"--depths = {list(depths)}: accepted are rising numbers, as in 1,16,256")
    sequential = (
        ("sequential read", "filled in order", 1.0),
        ("sequential write", "fresh", 0.0),
        ("sequential write", "filled in order", 0.0),
    )
    random = (
        ("random read", "filled in order", 1.0),
        ("random read", "sustained", 1.0),
        ("random write", "fresh", 0.0),
        ("random write", "sustained", 0.0),
        ("random 70 % read", "sustained", READS_OF_MIX),
    )
    return (
        *(
            Load(name, state, True, SEQUENTIAL, reads, SEQUENTIAL_DEPTH)
            for name, state, reads in sequential
        ),
        *(
            Load(name, state, False, size, reads, depth)
            for name, state, reads in random
            for depth in depths
        ),
    )
