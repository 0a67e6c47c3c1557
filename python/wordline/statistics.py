"""Means of repeated runs, and how far they can be trusted.

Runs that differ in nothing but their seed give independent values of every figure. Their mean has a
confidence interval by Student's t distribution; the difference of two means has one by Welch's test,
which does not ask for equal variances (B. L. Welch, Biometrika 34, 1947).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean, variance

CONFIDENCE = 0.95
"""Confidence of every interval, unless another is asked for."""


@dataclass(frozen=True)
class Estimate:
    """The mean of a sample and its confidence interval, `mean ± half_width`."""

    count: int
    """Values in the sample."""
    mean: float
    deviation: float | None
    """Standard deviation of the sample (n - 1 in the denominator); `None` for one value."""
    half_width: float | None
    """Half the width of the confidence interval of the mean; `None` for one value."""


@dataclass(frozen=True)
class Difference:
    """How much larger one mean is than another, `mean ± half_width`."""

    mean: float
    half_width: float | None
    """Half the width of the confidence interval; `None` where a sample has one value only."""

    @property
    def is_significant(self) -> bool | None:
        """Whether zero lies outside the interval; `None` where there is none."""
        return None if self.half_width is None else abs(self.mean) > self.half_width


def estimate(sample: Sequence[float], confidence: float = CONFIDENCE) -> Estimate:
    """The mean of a sample with its interval.

    Raises:
        ValueError: an empty sample, or a confidence outside of 0 to 1.
    """
    if not sample:
        raise ValueError("a mean needs at least one value")
    count, mean = len(sample), fmean(sample)
    if count == 1:
        return Estimate(count, mean, None, None)
    spread = variance(sample)
    half_width = student_t(confidence, count - 1) * math.sqrt(spread / count)
    return Estimate(count, mean, math.sqrt(spread), half_width)


def difference(
    base: Sequence[float], other: Sequence[float], confidence: float = CONFIDENCE
) -> Difference:
    """By how much the mean of `other` lies above that of `base`, with Welch's interval.

    Raises:
        ValueError: an empty sample, or a confidence outside of 0 to 1.
    """
    if not (base and other):
        raise ValueError("a difference of means needs at least one value on each side")
    mean = fmean(other) - fmean(base)
    if len(base) < 2 or len(other) < 2:
        return Difference(mean, None)
    errors = [variance(sample) / len(sample) for sample in (base, other)]
    error = sum(errors)
    if error == 0:
        return Difference(mean, 0.0)
    # Welch and Satterthwaite; shares instead of squares of variances, which could underflow
    degrees = 1 / sum(
        (own / error) ** 2 / (len(sample) - 1)
        for own, sample in zip(errors, (base, other), strict=True)
    )
    return Difference(mean, student_t(confidence, degrees) * math.sqrt(error))


@cache
def student_t(confidence: float, degrees: float) -> float:
    """The t that a variate with `degrees` degrees of freedom stays below, in magnitude.

    It does so with probability `confidence`; 1.96 for 95 % and very many degrees of freedom.

    Raises:
        ValueError: a confidence outside of 0 to 1, or degrees of freedom that are not positive.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1; found {confidence}")
    if not (0 < degrees < math.inf):
        raise ValueError(f"degrees of freedom are positive; found {degrees}")
    # P(|T| > t) = I_x(degrees / 2, 1 / 2) with x = degrees / (degrees + t^2), which rises with x
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2) < high:
        if incomplete_beta(middle, degrees / 2, 0.5) < 1 - confidence:
            low = middle
        else:
            high = middle
    return math.sqrt(degrees * (1 - middle) / middle)


def incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b), for x between 0 and 1.

    By its continued fraction (DLMF 8.17.22), evaluated with Lentz's method on the side of the mean
    where it converges fast.
    """
    if x > (a + 1) / (a + b + 2):
        return 1 - lower_tail(1 - x, b, a)
    return lower_tail(x, a, b)


def lower_tail(x: float, a: float, b: float) -> float:
    """I_x(a, b) by the continued fraction itself."""
    if x <= 0:
        return 0.0
    logarithm = (
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    return math.exp(logarithm) / a / continued_fraction(x, a, b)


def continued_fraction(x: float, a: float, b: float) -> float:
    """1 + d_1/(1 + d_2/(1 + ...)) with the coefficients of DLMF 8.17.23."""
    tiny = 1e-300  # stands for a zero denominator, as Lentz's method wants
    value = upper = 1.0
    lower = 0.0
    for step in range(1, 10_000):
        m = step // 2
        if step % 2:
            coefficient = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            coefficient = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        lower = 1 / ((1 + coefficient * lower) or tiny)
        upper = (1 + coefficient / upper) or tiny
        value *= upper * lower
        if abs(upper * lower - 1) < 1e-15:
            break
    return value
