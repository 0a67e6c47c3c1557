"""Means over seeds as a study shows them, with their 95 % intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from wordline.formatting import significant_decimals
from wordline.statistics import estimate


@dataclass(frozen=True)
class Interval:
    """The mean of independent values, and how far the true mean may lie from it."""

    mean: float
    """Mean of the values."""
    half: float | None
    """Half the width of the 95 % interval; `None` where one value says nothing about it."""
    values: tuple[float, ...]
    """The values, one for each seed."""

    @classmethod
    def of(cls, values: Sequence[float]) -> Interval | None:
        """The interval of some values, or `None` without any."""
        if not values:
            return None
        found = estimate(values)
        return cls(found.mean, found.half_width, tuple(values))

    def __str__(self) -> str:
        decimals = significant_decimals(self.mean)
        shown = f"{self.mean:,.{decimals}f}"
        return shown if self.half is None else f"{shown} ± {self.half:,.{decimals}f}"


def geometric_mean(values: Sequence[float]) -> float | None:
    """The mean of ratios; `None` without any, or where one of them is not positive."""
    if not values or min(values) <= 0:
        return None
    return math.exp(fmean(math.log(value) for value in values))
