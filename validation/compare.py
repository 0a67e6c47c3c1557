"""Figures that were simulated beside measured ones: their ratio, and whether it is within its bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

BOUNDS = {
    "read latency p50": 1.3,
    "read latency p99": 1.3,
    "read latency p99.9": 1.5,
    "write latency p50": 1.5,
    "write IOPS achieved": 1.15,
    "random write 4 KiB": 1.15,
    "write amplification steady": 1.15,
}
"""The factor that simulated and measured figures may lie apart, by quantity. Others have none."""
STEADY = ("saturated", "sheet", "amplification", "steady")
"""Kinds of load in which writes are bounded: what they achieve at a rate that is offered is that rate."""


@dataclass(frozen=True)
class Comparison:
    """A figure of a load point, simulated and measured."""

    quantity: str
    measured: float
    simulated: float
    bound: float | None = None
    """The factor that they may lie apart; None: the figure is only shown."""

    @property
    def ratio(self) -> float:
        """Simulated over measured."""
        return self.simulated / self.measured

    @property
    def within(self) -> bool | None:
        """Whether the figures lie no further apart than the bound, in either direction; None without a bound."""
        return None if self.bound is None else 1 / self.bound <= self.ratio <= self.bound


def bound(quantity: str, kind: str, held: bool) -> float | None:
    """The factor that a figure may be off.

    Args:
        quantity: as the table of measurements has it.
        kind: the kind of load.
        held: whether the load point is below saturation, where latencies are held to bounds.
    """
    if "latency" in quantity:
        return BOUNDS.get(quantity) if held else None
    return BOUNDS.get(quantity) if kind in STEADY else None


def compare(
    measured: Mapping[str, float], simulated: Mapping[str, float], held: bool, kind: str = ""
) -> list[Comparison]:
    """The quantities that both have, in the order of the simulated ones."""
    return [
        Comparison(name, measured[name], value, bound(name, kind, held))
        for name, value in simulated.items()
        if measured.get(name, 0) > 0
    ]


def score(comparisons: Iterable[Comparison]) -> tuple[int, int]:
    """How many figures lie within their bounds, and how many have one."""
    held = [each.within for each in comparisons if each.within is not None]
    return sum(held), len(held)


def points(comparisons: Iterable[list[Comparison]]) -> tuple[int, int]:
    """How many load points have all their figures within their bounds, and how many have a bound."""
    scores = [score(each) for each in comparisons]
    return sum(good == all_ for good, all_ in scores if all_), sum(1 for _, all_ in scores if all_)
