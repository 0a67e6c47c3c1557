"""Estimates from windows, with their confidence intervals.

A window is a cluster: requests of one window are alike, so that only windows count as independent. Means and rates are ratios of totals over
windows (W. G. Cochran, Sampling Techniques, 3rd ed., 1977, section 6.4); a percentile has the interval of R. S. Woodruff (Journal of the American
Statistical Association 47, 1952): the share of requests at or below it has one, whose ends are turned back into response times.

What is asked for is the figure of the full run, which has a length too. It is not the run that the windows are cut out of: what happens between them is decided without a clock, so that
collection soon comes at other moments. So both vary, and the interval is that of G. J. Hahn and W. Q. Meeker (Statistical Intervals, 1991) for the mean of `m` further observations: the
variance of a window times `1 / n + 1 / m`, where the full run counts as `m` windows that do not depend on each other. What follows a window at once is like it:
in the full run `m` windows are a warm-up and a cool-down apart, and no nearer than the time in which a block is emptied, as the number of dies that are being collected changes no faster (assumed). Swings that
last longer make the full run vary more than that.

Few windows may have most of the slow requests. The variance of such windows is known badly, as if there were fewer of them, so that Student's t has the
degrees of freedom that F. E. Satterthwaite (Biometrics Bulletin 2, 1946) gives to an estimated variance: as many as windows of normal distribution would need to know it as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordline.statistics import student_t

Floats: TypeAlias = NDArray[np.float64]

ENOUGH = 100
"""Requests beyond a percentile that are needed for it (assumed: its share is known to about 10 % then, were they independent)."""

STEP = 1e-3
"""Percentiles of a full run are above the exact ones by at most this share: they come from a histogram of three digits."""


@dataclass(frozen=True)
class SampledFigure:
    """A figure with its confidence interval."""

    value: float
    """The estimate."""
    low: float | None
    """Lower end of the interval; `None` where there is no interval, as the windows do not stand for the run."""
    high: float | None
    """Upper end of the interval; `None` where it lies beyond all that was measured, too."""

    @property
    def relative_error(self) -> float | None:
        """Half of the interval as a share of the estimate."""
        if self.low is None or self.high is None or self.value == 0:
            return None
        return (self.high - self.low) / 2 / abs(self.value)

    def covers(self, value: float) -> bool:
        """Whether a value lies in the interval."""
        return (self.low is None or self.low <= value) and (self.high is None or value <= self.high)


def ratio(
    above: Floats, below: Floats, confidence: float, full: float = math.inf
) -> SampledFigure | None:
    """The ratio of two totals over windows; `None` where the second is 0 or there are fewer than two windows.

    The interval is that of a run which is as long as `full` windows.
    """
    count, total = len(below), float(below.sum())
    if count < 2 or total <= 0:
        return None
    value = float(above.sum()) / total
    half = half_width(above - value * below, total, confidence, full)
    return SampledFigure(value, value - half, value + half)


def half_width(residuals: Floats, total: float, confidence: float, full: float) -> float:
    """Half of the interval of a ratio whose residuals and whose second total these are, in a run as long as `full` windows."""
    count = len(residuals)
    spread = math.sqrt(float(residuals @ residuals) / (count - 1) * count * (1 + count / full))
    return student_t(confidence, degrees_of_freedom(residuals)) * spread / total


def degrees_of_freedom(residuals: Floats) -> float:
    """Of the variance of residuals whose sum is 0: `2 / (2 / (n - 1) + excess / n)` of `n`, at most `n - 1`, as the relative variance of an estimated variance is that sum.

    H. Cramer, Mathematical Methods of Statistics, 1946, section 27.4. The excess kurtosis is that of the residuals.
    """
    count, squares = len(residuals), residuals * residuals
    second = float(squares.mean())
    if second <= 0:
        return count - 1
    excess = float(squares @ squares) / count / second**2 - 3
    return 2 / (2 / (count - 1) + max(excess, 0.0) / count)


def inverse(estimate: SampledFigure | None) -> SampledFigure | None:
    """The reciprocal of an estimate; `None` where its interval reaches 0."""
    if estimate is None or estimate.high is None or not estimate.low or estimate.low <= 0:
        return None
    return SampledFigure(1 / estimate.value, 1 / estimate.high, 1 / estimate.low)


def percentile(
    values: Floats,
    window: NDArray[np.uint32],
    windows: int,
    share: float,
    confidence: float,
    full: float = math.inf,
) -> SampledFigure | None:
    """The value that a share of all values does not exceed; `None` where too few lie beyond.

    Args:
        values: what was measured.
        window: the window of each value, from 0.
        windows: how many there are.
        share: above 0 and below 1.
        confidence: of the interval.
        full: windows that the run is as long as whose percentile it is.
    """
    if windows < 2 or len(values) * (1 - share) < ENOUGH:
        return None
    ordered = np.sort(values)
    value = at_share(ordered, share)
    all_ = sums(window, np.ones(len(values)), windows)
    below = sums(window, values <= value, windows)
    reached = float(below.sum() / all_.sum())
    half = half_width(below - reached * all_, float(all_.sum()), confidence, full)
    # the full run gives the upper end of a step of its histogram
    high = at_share(ordered, share + half) * (1 + STEP) if share + half < 1 else None
    return SampledFigure(value, at_share(ordered, max(share - half, 0.0)), high)


def sums(window: NDArray[np.uint32], values: NDArray[Any], windows: int) -> Floats:
    """The sum of the values of each window."""
    found: Floats = np.bincount(window, values, minlength=windows).astype(np.float64)
    return found


def at_share(ordered: Floats, share: float) -> float:
    """The smallest of the ordered values that a share of them does not exceed."""
    place = math.ceil(share * len(ordered)) - 1
    return float(ordered[min(max(place, 0), len(ordered) - 1)])
