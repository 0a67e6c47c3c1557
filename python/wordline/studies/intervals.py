"""Means over seeds and their 95 % intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from wordline.formatting import significant_decimals

STUDENT_95 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
"""Two-sided 95 % points of Student's t for 1 to 30 degrees of freedom (Fisher and Yates, table III)."""

NORMAL_95 = 1.959964
"""The same of the normal distribution, which is the limit."""


def student_95(freedom: int) -> float:
    """Two-sided 95 % point of Student's t.

    Above the table by the expansion in 1 / freedom (Abramowitz and Stegun, 26.7.5), right to three
    decimals there.

    Args:
        freedom: degrees of freedom, at least 1.

    Raises:
        ValueError: there are none.
    """
    if freedom < 1:
        raise ValueError(f"degrees of freedom {freedom}: at least 1 is accepted")
    if freedom <= len(STUDENT_95):
        return STUDENT_95[freedom - 1]
    z = NORMAL_95
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


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
        half = None
        if len(values) > 1:
            half = student_95(len(values) - 1) * stdev(values) / math.sqrt(len(values))
        return cls(fmean(values), half, tuple(values))

    def __str__(self) -> str:
        decimals = significant_decimals(self.mean)
        shown = f"{self.mean:,.{decimals}f}"
        return shown if self.half is None else f"{shown} ± {self.half:,.{decimals}f}"


def geometric_mean(values: Sequence[float]) -> float | None:
    """The mean of ratios; `None` without any, or where one of them is not positive."""
    if not values or min(values) <= 0:
        return None
    return math.exp(fmean(math.log(value) for value in values))
