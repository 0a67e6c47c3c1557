"""What is likely once something was measured: the likelihood of points, samples of it, and the sets that hold 95 % of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from wordline.inferring.emulator import Predictor
from wordline.inferring.unknowns import Unknowns
from wordline.statistics import CONFIDENCE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wordline.inferring.unknowns import Floats

DRAWS = 4096
"""Points of a sample."""
MOST_DRAWS = 32_768
"""Points of the last sample, where few of them are likely."""
ENOUGH, FINAL = 200.0, 1000.0
"""Effective number of points from which on a sample is not refined: between waves, and in the end."""
ROUNDS = 14
"""Most samples, each in the box of what was likely in the one before."""
NEGLIGIBLE = 14.0
"""Logarithm of the ratio of densities below which a point counts as excluded."""
KEPT = 64
"""Least number of points that the next box surrounds."""
MARGIN = 0.15
"""Share of the width of a box that is added at each side."""
LEAST = 1e-12
"""Least variance of a figure, so that matrices stay regular without noise and tolerance."""
ACCEPTED = 0.95
"""Points whose misfit exceeds this quantile of what chance alone gives do not explain the data."""


@dataclass(frozen=True)
class Likelihood:
    """How well points explain what was measured; all figures as they are compared (see `Targets`)."""

    unknowns: Unknowns
    emulators: Sequence[Predictor]
    measured: Floats
    """The values of the targets."""
    noise: Floats
    """Covariance of the figures of two runs that differ in their seed alone."""
    tolerance: Floats
    """Standard deviation of each value that was measured."""
    scale: float = 1.0
    """What noise and tolerances are multiplied by."""
    excluded: Callable[[Floats], NDArray[np.bool_]] | None = None
    """Which features belong to points that cannot be run."""

    def misfit(self, shares: Floats) -> tuple[Floats, Floats]:
        """Squared distance of points from what was measured, in standard deviations, and the logarithm of the density."""
        features = self.unknowns.features(shares)
        predicted = [each.predict(features) for each in self.emulators]
        errors = self.measured - np.stack([mean for mean, _ in predicted], axis=1)
        own = self.scale**2 * (self.noise + np.diag(self.tolerance**2))
        covariance = np.repeat(own[None], len(shares), axis=0)
        place = np.arange(len(self.measured))
        covariance[:, place, place] += LEAST + np.stack(
            [variance for _, variance in predicted], axis=1
        )
        factor = np.linalg.cholesky(covariance)
        whitened = np.linalg.solve(factor, errors[:, :, None])[:, :, 0]
        distance = (whitened**2).sum(axis=1)
        density = -0.5 * distance - np.log(factor[:, place, place]).sum(axis=1)
        if self.excluded is not None:
            impossible = self.excluded(features)
            density[impossible] = -np.inf
            distance[impossible] = np.inf
        return distance, density

    def only(self, chosen: Sequence[int]) -> Likelihood:
        """The same of some of the targets."""
        place = np.array(chosen)
        return Likelihood(
            self.unknowns,
            [self.emulators[each] for each in chosen],
            self.measured[place],
            self.noise[np.ix_(place, place)],
            self.tolerance[place],
            self.scale,
            self.excluded,
        )


@dataclass(frozen=True)
class Posterior:
    """Points of the unknowns, and how likely each is."""

    likelihood: Likelihood
    shares: Floats
    weights: Floats
    """They add up to 1."""
    density: Floats
    """Logarithm of the density."""
    distance: Floats
    """Squared distance from what was measured, in standard deviations."""

    @cached_property
    def threshold(self) -> float:
        """The density that all points of the 95 % set have: the smallest set that is that likely."""
        order = np.argsort(-self.density)
        last = int(np.searchsorted(np.cumsum(self.weights[order]), CONFIDENCE))
        return float(self.density[order[min(last, len(order) - 1)]])

    @property
    def effective(self) -> float:
        """How many points of equal weight would say as much."""
        return float(1.0 / (self.weights**2).sum())

    def holds(self, shares: Floats) -> NDArray[np.bool_]:
        """Whether points belong to the 95 % set."""
        return np.asarray(self.likelihood.misfit(np.atleast_2d(shares))[1] >= self.threshold)

    def interval(self, place: int) -> tuple[float, float]:
        """The shortest interval of an unknown that is 95 % likely, as shares of its range."""
        values = self.likelihood.unknowns.each[place].snapped(self.shares[:, place])
        levels, inverse = np.unique(values, return_inverse=True)
        weights = np.bincount(inverse, self.weights)
        before = np.concatenate([[0.0], np.cumsum(weights)])
        # for each first value the least last one
        last = np.searchsorted(before, before[:-1] + CONFIDENCE - 1e-12)
        widths = np.where(
            last <= len(levels), levels[np.minimum(last, len(levels)) - 1] - levels, np.inf
        )
        first = int(np.argmin(widths))
        return float(levels[first]), float(levels[first] + widths[first])

    def shares_of_values(self, place: int) -> Floats:
        """How likely each value of an unknown with choices is, in their order."""
        unknown = self.likelihood.unknowns.each[place]
        count = len(unknown.axis.choices)
        steps = np.round(unknown.snapped(self.shares[:, place]) * (count - 1)).astype(int)
        likely: Floats = np.bincount(steps, self.weights, minlength=count).astype(float)
        return likely

    def drawn(self, count: int, seed: int, power: float = 1.0) -> Floats:
        """Points drawn by their weights; a power below 1 draws unlikely ones more often."""
        weights = self.weights**power
        chosen = np.random.default_rng(seed).choice(
            len(self.shares), count, p=weights / weights.sum()
        )
        return self.shares[chosen]


def sampled(likelihood: Likelihood, seed: int, enough: float = ENOUGH) -> Posterior:
    """A sample of what is likely: even draws in a box, which shrinks to what is not excluded as long as few points are likely."""
    unknowns = likelihood.unknowns
    box = np.tile([[0.0], [1.0]], len(unknowns.axes))
    count = DRAWS
    for number in range(ROUNDS):
        shares = box[0] + unknowns.draw(count, seed + number) * (box[1] - box[0])
        distance, density = likelihood.misfit(shares)
        weights = np.exp(density - density.max())
        weights /= weights.sum()
        found = Posterior(likelihood, shares, weights, density, distance)
        if found.effective >= enough:
            break
        # few points say where, but not how far, what is likely reaches
        edge = min(density.max() - NEGLIGIBLE, np.sort(density)[-KEPT])
        shrunk = surrounding(shares[density >= edge], box)
        if np.prod(shrunk[1] - shrunk[0]) > 0.8 * np.prod(box[1] - box[0]):
            if count >= MOST_DRAWS:
                break
            count *= 2
        box = shrunk
    return found


def surrounding(shares: Floats, box: Floats) -> Floats:
    """The box around points with a margin, within another box."""
    low, high = shares.min(axis=0), shares.max(axis=0)
    margin = MARGIN * (high - low)
    return np.stack([np.maximum(low - margin, box[0]), np.minimum(high + margin, box[1])])


def widened(likelihood: Likelihood, seed: int, enough: float = ENOUGH) -> Posterior:
    """A sample; where no point explains what was measured, of the likelihood with a scale at which the best one does."""
    from scipy.stats import chi2

    found = sampled(likelihood, seed, enough)
    accepted = float(chi2.ppf(ACCEPTED, len(likelihood.measured)))
    least = float(found.distance.min())
    while least > accepted:
        scale = found.likelihood.scale * max(float(np.sqrt(least / accepted)), 1.01)
        found = sampled(replace(likelihood, scale=scale), seed, enough)
        least = float(found.distance.min())
    return found
