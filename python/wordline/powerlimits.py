"""What limits of power held back, and what a drive takes and does when it has nothing to do."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from wordline.formatting import counted, percentage, quantity

if TYPE_CHECKING:
    from wordline._wordline import Resolved
    from wordline.results import Result

STATES = ("ps3", "ps4")
"""Idle states, as summaries name them."""


class Resting(NamedTuple):
    """What a drive takes that has nothing to do."""

    name: str
    """`idle`, `PS3` or `PS4`."""
    watts: float
    """Its power beside that of its DRAM."""
    dram: float
    """Power of its DRAM; nothing in an idle state, whose power is of the whole drive."""
    after: float
    """Seconds without work after which it goes there."""
    exit: float
    """Seconds that it takes to leave it."""

    @property
    def total(self) -> float:
        """Its power."""
        return self.watts + self.dram


def resting_of(resolved: Resolved) -> tuple[Resting, ...]:
    """The idle drive, and its idle states, the deepest last."""
    return tuple(Resting(*state) for state in resolved.idle_powers())


def limits_told(result: Result) -> str:
    """What limits of power held back, and how long the drive slept, where there is either."""
    return " ".join((*of_limit(result), *of_idle_states(result)))


def of_limit(result: Result) -> Iterator[str]:
    """For how long a limit of power held programs and erases back, where one can bind."""
    share = result.summary.get("power.limit.share")
    if not isinstance(share, float):
        return
    power = tomllib.loads(result.config)["power"]
    limits = " and ".join(f"power.{key} = {power[key]}" for key in ("cap", "peak") if key in power)
    if not share:
        yield f"The power limit ({limits}) held nothing back."
        return
    longest = quantity(result.number("power.limit.max_us"), "µs")
    yield (
        f"The power limit ({limits}) held programs and erases back for {percentage(share)} of the time, "
        f"for {longest} at most."
    )
    if overrun := result.summary.get("power.limit.overrun"):
        yield (
            f"Reads, which it does not hold back, took all of it: programs or erases started {counted(int(str(overrun)), 'time')} after a second "
            "all the same."
        )


def of_idle_states(result: Result) -> Iterator[str]:
    """For how long the drive was in an idle state, and how often a command woke it up, where it has any."""
    wakes = result.summary.get("power.wakes")
    if not isinstance(wakes, int):
        return
    asleep = sum(
        result.number(f"power.{state}.time_s")
        for state in STATES
        if f"power.{state}.time_s" in result.summary
    )
    time = result.number("sim.time_s")
    if not asleep or not time:
        yield "The drive never went to an idle state."
        return
    yield (
        f"The drive was in an idle state for {percentage(asleep / time)} of the time; commands woke it up "
        f"{counted(wakes, 'time')}."
    )
