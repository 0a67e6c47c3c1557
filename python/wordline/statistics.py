"""Means of repeated runs, and how far they can be trusted.

Runs that differ in nothing but their seed give independent values of every figure. Their mean has a
confidence interval by Student's t distribution; the difference of two means has one by Welch's test,
which does not ask for equal variances (B. L. Welch, Biometrika 34, 1947).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from statistics import fmean, variance
from typing import Self

from wordline import _wordline
from wordline.formatting import significant_decimals

CONFIDENCE = 0.95
"""Confidence of every interval, unless another is asked for."""

student_t = cache(_wordline.student_t)
"""The t that a variate with some degrees of freedom stays below, in magnitude, with some probability."""


@dataclass(frozen=True)
class Interval:
    """A number and its confidence interval, `mean ± half_width`."""

    mean: float
    """The second mean minus the first."""
    half_width: float | None
    """Half the width of the confidence interval; `None` where one value says nothing about it."""

    @property
    def is_significant(self) -> bool | None:
        """Whether the interval excludes zero; `None` if there is no interval."""
        return None if self.half_width is None else abs(self.mean) > self.half_width

    def times(self, factor: float) -> Self:
        """The same number and interval in another unit, of which `factor` are one of this."""
        lengths = {
            field.name: factor * value
            for field in fields(self)
            if isinstance(value := getattr(self, field.name), float)
        }
        return replace(self, **lengths)

    def __str__(self) -> str:
        decimals = significant_decimals(self.mean)
        shown = f"{self.mean:,.{decimals}f}"
        return shown if self.half_width is None else f"{shown} ± {self.half_width:,.{decimals}f}"


@dataclass(frozen=True)
class Estimate(Interval):
    """The mean of a sample, and its confidence interval."""

    deviation: float | None
    """Standard deviation of the sample (n - 1 in the denominator); `None` for one value."""
    count: int
    """Values in the sample."""


def estimate(sample: Sequence[float], confidence: float = CONFIDENCE) -> Estimate:
    """The mean of a sample with its interval.

    Raises:
        ValueError: an empty sample, or a confidence outside of 0 to 1.
    """
    if not sample:
        raise ValueError("a mean needs at least one value")
    count, mean = len(sample), fmean(sample)
    if count == 1:
        return Estimate(mean, None, None, count)
    spread = variance(sample)
    half_width = student_t(confidence, count - 1) * math.sqrt(spread / count)
    return Estimate(mean, half_width, math.sqrt(spread), count)


def difference(
    base: Sequence[float], other: Sequence[float], confidence: float = CONFIDENCE
) -> Interval:
    """By how much the mean of `other` lies above that of `base`, with Welch's interval.

    Raises:
        ValueError: an empty sample, or a confidence outside of 0 to 1.
    """
    if not (base and other):
        raise ValueError("a difference of means needs at least one value on each side")
    mean = fmean(other) - fmean(base)
    if len(base) < 2 or len(other) < 2:
        return Interval(mean, None)
    errors = [variance(sample) / len(sample) for sample in (base, other)]
    error = sum(errors)
    if error == 0:
        return Interval(mean, 0.0)
    # Welch and Satterthwaite; shares instead of squares of variances, which could underflow
    degrees = 1 / sum(
        (own / error) ** 2 / (len(sample) - 1)
        for own, sample in zip(errors, (base, other), strict=True)
    )
    return Interval(mean, student_t(confidence, degrees) * math.sqrt(error))


def geometric_mean(values: Sequence[float]) -> float | None:
    """The mean of ratios; `None` without any, or where one of them is not positive."""
    if not values or min(values) <= 0:
        return None
    return math.exp(fmean(math.log(value) for value in values))
