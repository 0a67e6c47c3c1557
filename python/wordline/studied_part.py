"""The part of a large drive that a lifetime study simulates: some of its dies, since every die does the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

from wordline import _wordline
from wordline.config import resolve_named
from wordline.errors import ConfigError
from wordline.lifetime_programs import programs

MOST = 5e8
"""Pages that a study programs with all dies; with more it simulates some of them, so that it takes minutes (assumed)."""
COUNTS = ("channels", "chips_per_channel", "dies_per_chip")
"""Counts of a geometry whose product is that of its dies."""
ADDRESSED = ("trace", "fio")
"""Workloads whose addresses are those of a whole drive."""


@dataclass(frozen=True)
class StudiedPart:
    """Some dies of a drive."""

    drive: _wordline.Resolved
    """A drive that has no others."""
    dies: int
    """How many they are."""
    of: int
    """How many the whole drive has."""

    @property
    def words(self) -> str:
        """Which part it is, in words."""
        if self.dies == self.of:
            return "all dies" if self.of > 1 else "its die"
        return f"{self.dies} of {self.of} dies, since all do the same"


def part_of(
    resolved: _wordline.Resolved, horizon: float, writes_per_day: float | None, *, exact: bool
) -> StudiedPart:
    """The dies that are simulated: all of them where that takes minutes, or where the workload says addresses or times of a whole drive.

    Args:
        resolved: drive and workload.
        horizon: seconds of the study.
        writes_per_day: drive writes per day; the workload's own rate without any.
        exact: whether every write is simulated.

    Raises:
        ConfigError: the drive cannot be built.
    """
    counts = [int(resolved.get(f"geometry.{name}")) for name in COUNTS]
    dies = prod(counts)
    whole = whole_drive(resolved)
    work = programs(resolved, horizon, writes_per_day, exact=exact)
    kept_whole = writes_per_day is None or resolved.get("workload.kind") in ADDRESSED
    if kept_whole or work is None or work <= MOST:
        return whole
    fewer = sorted(
        {(prod(some), some) for some in product(*map(divisors, counts)) if prod(some) < dies},
        reverse=True,
    )
    fits = [some for number, some in fewer if number * work <= MOST * dies]
    wanted = fits or [some for _, some in fewer[-1:]]
    for some in wanted:
        keys = tuple(
            (f"geometry.{name}", str(count)) for name, count in zip(COUNTS, some, strict=True)
        )
        try:
            return StudiedPart(resolve_named(resolved.toml, keys, is_text=True), prod(some), dies)
        except ConfigError:
            continue  # what the drive has needs more dies
    return whole


def whole_drive(resolved: _wordline.Resolved) -> StudiedPart:
    """All dies of a drive."""
    dies = resolved.sizes()["dies"]
    return StudiedPart(resolved, dies, dies)


def divisors(number: int) -> Iterator[int]:
    """The divisors of a number."""
    return (each for each in range(1, number + 1) if number % each == 0)
