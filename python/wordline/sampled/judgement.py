"""Whether a load can be sampled: whether its windows are alike but for chance.

Four tests, each of which asks for an effect that matters and for a probability below 0.1 % that chance shows it:

* **rise**: within windows, the second half of the requests takes longer than the first, by more than a tenth. Queues were still filling: a burst, or a load that is
  more than the drive can do, began before the window, which started with empty queues.
* **drift**: over windows, response times rise or fall (Spearman's rank correlation with the order of the windows), and the mean of the second half of the
  windows differs from that of the first by more than a tenth.
* **autocorrelation**: windows that follow each other are alike (rank correlation of neighbours above 1/3, at which the variance of the mean is twice that of
  independent windows), and they vary by more than a tenth: bursts or phases last longer than the gaps between windows.
* **concentration**: the response times of a few windows make up most of the sum: it is what half of the windows would sum to, or less, if all were alike (L. Kish, Survey
  Sampling, 1965: the effective size). Bursts are so rare that the windows catch them by luck.

The thresholds are assumed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from wordline.sampled.intervals import Floats
from wordline.statistics import student_t

MATTERS = 0.1
"""Share of the mean below which a difference between windows is of no account."""
SURE = 0.999
"""Probability with which chance shows less."""
ALIKE = 1 / 3
"""Correlation of neighbours at which windows count for half."""
EFFECTIVE = 0.5
"""Share of the windows that those which count must make up."""


@dataclass(frozen=True)
class Finding:
    """Why a load cannot be sampled."""

    key: str
    """`rise`, `drift`, `autocorrelation` or `concentration`."""
    text: str
    """The same in a sentence."""


def judge(first: Floats, second: Floats) -> tuple[Finding, ...]:
    """What speaks against sampling a load: nothing, where it can be sampled.

    Args:
        first: mean response time of the first half of the requests of each window.
        second: that of the second half.
    """
    means = (first + second) / 2
    mean = float(means.mean())
    if mean <= 0 or len(means) < 4:
        return ()
    found = (
        rise(first, second, mean),
        drift(means, mean),
        autocorrelation(means, mean),
        concentration(means),
    )
    return tuple(finding for finding in found if finding)


def rise(first: Floats, second: Floats, mean: float) -> Finding | None:
    """Whether response times rise within windows."""
    change = second - first
    error = float(change.std(ddof=1)) / math.sqrt(len(change))
    by = float(change.mean())
    if by <= MATTERS * mean or by <= student_t(SURE, len(change) - 1) * error:
        return None
    return Finding(
        "rise",
        f"within windows response times still rise, by {by / mean:.0%} from the first half to the second: queues fill for longer than "
        "the warm-up lasts (a burst, or more load than the drive can take)",
    )


def drift(means: Floats, mean: float) -> Finding | None:
    """Whether response times rise or fall over windows."""
    half = len(means) // 2
    by = float(means[-half:].mean() - means[:half].mean())
    order = np.arange(len(means), dtype=np.float64)
    if abs(by) <= MATTERS * mean or not is_sure(correlation(means, order), len(means)):
        return None
    return Finding(
        "drift",
        f"response times drift over the run: in its second half they are {by / mean:+.0%} of the mean off those in its first",
    )


def autocorrelation(means: Floats, mean: float) -> Finding | None:
    """Whether windows that follow each other are alike."""
    found = correlation(means[1:], means[:-1])
    varies = float(means.std(ddof=1)) > MATTERS * mean
    if not varies or found <= ALIKE or not is_sure(found, len(means) - 1):
        return None
    return Finding(
        "autocorrelation",
        f"windows that follow each other are alike (correlation {found:.2f}): bursts or phases of the load last longer than the gaps between windows",
    )


def concentration(means: Floats) -> Finding | None:
    """Whether a few windows make up most of the response time."""
    effective = float(means.sum()) ** 2 / float(means @ means)
    if effective >= EFFECTIVE * len(means):
        return None
    return Finding(
        "concentration",
        f"a few windows make up most of the response time, as if there were {effective:.0f} in place of {len(means)}: bursts are so rare "
        "that windows catch them by luck",
    )


def correlation(one: Floats, other: Floats) -> float:
    """Spearman's rank correlation; 0 where one of them does not vary."""
    ranks = [ranked(values) for values in (one, other)]
    deviations = [rank - rank.mean() for rank in ranks]
    norm = math.prod(math.sqrt(float(each @ each)) for each in deviations)
    return float(deviations[0] @ deviations[1]) / norm if norm > 0 else 0.0


def ranked(values: Floats) -> Floats:
    """The ranks of values, the mean of theirs for equal ones."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    ranks: Floats = (last - (count - 1) / 2)[place]
    return ranks


def is_sure(found: float, count: int) -> bool:
    """Whether chance shows a smaller correlation of so many pairs nearly always."""
    if abs(found) >= 1:
        return True
    statistic = abs(found) * math.sqrt((count - 2) / (1 - found * found))
    return statistic > student_t(SURE, count - 2)
