"""Figures that were simulated beside measured ones: their ratio, and whether it is within its bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

BOUNDS = {"read latency p50": 1.5, "read latency p99": 1.5, "read latency p99.9": 2.0}
"""The factor that simulated and measured figures may lie apart, by quantity. Others have none."""


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


def compare(
    measured: Mapping[str, float], simulated: Mapping[str, float], held: bool
) -> list[Comparison]:
    """The quantities that both have, in the order of the simulated ones.

    `held` says whether the load point is below saturation, where the bounds hold.
    """
    return [
        Comparison(name, measured[name], value, BOUNDS.get(name) if held else None)
        for name, value in simulated.items()
        if measured.get(name, 0) > 0
    ]


def score(comparisons: list[Comparison]) -> tuple[int, int]:
    """How many figures lie within their bounds, and how many have one."""
    held = [each.within for each in comparisons if each.within is not None]
    return sum(held), len(held)
