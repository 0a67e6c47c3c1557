"""Points in waves: a few that cover the space, then more where what was measured is likely."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from wordline import _wordline
from wordline.config import Overrides, counted
from wordline.errors import ConfigError
from wordline.inferring.emulator import Emulator, fit_all
from wordline.inferring.posterior import ENOUGH, FINAL, Likelihood, Posterior, widened
from wordline.inferring.targets import Target, Targets, observers_of, values_of
from wordline.inferring.unknowns import Unknowns
from wordline.points.engine import Engine
from wordline.points.job import Failure
from wordline.points.outcome import Outcome
from wordline.seeds import MOST_SEEDS
from wordline.sweeps.layers import Layers
from wordline.sweeps.space import MOST_POINTS, PIP

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wordline.inferring.unknowns import Floats

POINTS, SEEDS = 48, 2
"""Points and runs of each, unless other numbers are asked for."""
LEAST_POINTS, LEAST_GOOD = 8, 3
"""With fewer points, and fewer of them that could be run, nothing can be said."""
LATER = 3
"""Waves after the first, which takes half of the points."""
CANDIDATES = 1_000
"""Likely points of which a wave takes those that lie apart."""
BOLDNESS = 0.5
"""Power of the weights with which candidates are drawn: below 1, so that a wave also looks at the edge of what is likely."""
LEAST_NEAR = 12
"""Least number of points that the noise between seeds is estimated from."""


@dataclass(frozen=True)
class Plan:
    """How much is run."""

    points: int = POINTS
    """Points that are run."""
    seeds: int = SEEDS
    """Runs of each point; they say how far figures differ by chance alone."""
    seed: int = 1
    """Seed of the choice of points."""

    def __post_init__(self) -> None:
        counted("points", self.points, MOST_POINTS, least=LEAST_POINTS)
        counted("seeds", self.seeds, MOST_SEEDS)
        counted("seed", self.seed, 2**32 - 1, least=0)

    @property
    def waves(self) -> list[int]:
        """The number of points of each wave."""
        later = [self.points // (2 * LATER)] * LATER
        return [self.points - sum(later), *later]


@dataclass(frozen=True)
class Ran:
    """A point that was run."""

    settings: Overrides
    shares: Floats
    wave: int
    runs: list[Outcome | Failure]
    figures: Floats | None
    """A row of figures for each seed; none where a run failed."""
    error: str | None = None

    @property
    def mean(self) -> Floats:
        """The mean of each figure over the seeds."""
        assert self.figures is not None
        mean: Floats = self.figures.mean(axis=0)
        return mean


@dataclass
class Waves:
    """The points so far, and what they say."""

    layers: Layers
    unknowns: Unknowns
    targets: tuple[Target, ...]
    plan: Plan
    engine: Engine
    points: dict[Overrides, Ran] = field(default_factory=dict)
    emulators: list[Emulator] | None = None

    def run(self) -> Posterior:
        """Run every wave.

        Raises:
            ConfigError: scikit-learn is not installed, or too few points gave a value of every target; why the first did not.
        """
        if find_spec("sklearn") is None:
            raise ConfigError(f"infer: needs scikit-learn, which is not installed: {PIP}")
        first, *later = self.plan.waves
        self.add(self.unknowns.draw(first, self.plan.seed), 0)
        for wave, count in enumerate(later, 1):
            self.add(self.next(self.posterior(ENOUGH), count, wave), wave)
        return self.posterior(FINAL)

    def next(self, found: Posterior, count: int, wave: int) -> Floats:
        """The most likely point, and likely ones that lie apart from each other and from those that were run."""
        candidates = np.vstack(
            [
                found.shares[[int(np.argmax(found.density))]],
                found.drawn(CANDIDATES, self.plan.seed + wave, BOLDNESS),
            ]
        )
        new = [
            place
            for place, shares in enumerate(candidates)
            if self.unknowns.settings(shares) not in self.points
        ]
        if not new:
            return candidates[:0]
        candidates = candidates[new]
        features = self.unknowns.features(candidates)
        spread = features.std(axis=0)
        scale = np.where(spread > 0, spread, 1.0)
        own = self.unknowns.features(np.array([each.shares for each in self.points.values()]))
        chosen = [0]
        nearest = apart(features / scale, own / scale)
        while len(chosen) < min(count, len(candidates)):
            last = features[[chosen[-1]]] / scale
            nearest = np.minimum(nearest, apart(features / scale, last))
            chosen.append(int(np.argmax(nearest)))
        return candidates[chosen]

    def add(self, chosen: Floats, wave: int) -> None:
        """Run points that were not run yet."""
        settings = {self.unknowns.settings(shares): shares for shares in chosen}
        new = {each: shares for each, shares in settings.items() if each not in self.points}
        observers = observers_of(self.targets)
        points = {
            each: [self.layers.point(each, seed, observers) for seed in range(self.plan.seeds)]
            for each in new
        }
        found = self.engine.each([point for own in points.values() for point in own])
        for each, shares in new.items():
            runs = [found[point] for point in points[each]]
            figures: list[list[float]] = []
            error = None
            for point, run in zip(points[each], runs, strict=True):
                if isinstance(run, Failure):
                    error = f"{run.kind}: {run.text}"
                    break
                values = values_of(self.targets, point, run)
                missing = [
                    target.figure
                    for target, value in zip(self.targets, values, strict=True)
                    if value is None
                ]
                if missing:
                    error = f"{missing[0]}: a figure is missing in this run"
                    break
                figures.append([value for value in values if value is not None])
            self.points[each] = Ran(
                each, shares, wave, runs, None if error else np.array(figures), error
            )

    @property
    def good(self) -> list[Ran]:
        """The points whose runs have every figure."""
        return [each for each in self.points.values() if each.figures is not None]

    @property
    def how(self) -> Targets:
        """How figures are compared."""
        figures = [each.figures for each in self.good if each.figures is not None]
        return Targets.of(self.targets, np.vstack(figures))

    def posterior(self, enough: float) -> Posterior:
        """What the points so far say."""
        good = self.good
        if len(good) < LEAST_GOOD:
            error = next((each.error for each in self.points.values() if each.error), "")
            raise ConfigError(f"infer: {self.explained(error or 'there are too few points')}")
        how = self.how
        compared = how.compared(np.array([each.figures for each in good]))
        means = compared.mean(axis=1)
        shares = np.array([each.shares for each in good])
        features = self.unknowns.features(shares)
        noise = noise_of(compared)
        self.emulators = fit_all(features, means, np.diag(noise) / self.plan.seeds, self.emulators)
        likelihood = Likelihood(
            self.unknowns,
            self.emulators,
            how.measured,
            noise,
            how.deviations,
            excluded=self.excluded(),
        )
        # the noise near what is likely counts, not that of drives that are overloaded
        near = np.argsort(-likelihood.misfit(shares)[1])[: max(len(good) // 2, LEAST_NEAR)]
        local = replace(likelihood, noise=noise_of(compared[near]))
        return widened(local, self.plan.seed, enough)

    def excluded(self) -> Failed | None:
        """Which points cannot be run, judged by those that could not."""
        if all(each.figures is not None for each in self.points.values()):
            return None
        every = list(self.points.values())
        features = self.unknowns.features(np.array([each.shares for each in every]))
        return Failed(features, np.array([each.figures is None for each in every]))

    def explained(self, error: str) -> str:
        """What is wrong, with the name that was perhaps meant."""
        figure = error.partition(":")[0]
        if not error.endswith("a figure is missing in this run"):
            return error
        names = [name for name, _, _ in _wordline.summary_keys()]
        return (
            f"{error}; {_wordline.did_you_mean(figure, names)}docs/reference/summary.md lists all"
        )


@dataclass(frozen=True)
class Failed:
    """Whether the point that was run nearest to others failed."""

    features: Floats
    failed: NDArray[np.bool_]

    def __call__(self, features: Floats) -> NDArray[np.bool_]:
        """The points that count as impossible."""
        from scipy.spatial import cKDTree

        return np.asarray(self.failed[cKDTree(self.features).query(features)[1]])


def apart(one: Floats, others: Floats) -> Floats:
    """The distance of each point to the nearest of others."""
    from scipy.spatial import cKDTree

    return np.asarray(cKDTree(others).query(one)[0])


def noise_of(compared: Floats) -> Floats:
    """Covariance between figures of runs that differ in their seed alone, from points, seeds and figures.

    Correlations are shrunk as Ledoit and Wolf do, since there are few runs for many figures.
    """
    points, seeds, figures = compared.shape
    if seeds < 2:
        return np.zeros((figures, figures))
    from sklearn.covariance import ledoit_wolf

    residuals = compared - compared.mean(axis=1, keepdims=True)
    rows = residuals.reshape(points * seeds, figures) * np.sqrt(seeds / (seeds - 1))
    deviations = np.sqrt((rows**2).mean(axis=0))
    scale = np.where(deviations > 0, deviations, 1.0)
    shrunk: Floats = ledoit_wolf(rows / scale, assume_centered=True)[0]
    return shrunk * np.outer(deviations, deviations)
