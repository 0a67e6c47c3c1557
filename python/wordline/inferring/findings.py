"""What a sample of likely points says: of each unknown, of each target, and which unknowns the data do not tell apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from wordline.formatting import display
from wordline.inferring.posterior import Posterior, widened
from wordline.inferring.targets import Target, Targets
from wordline.inferring.waves import Ran, Waves
from wordline.statistics import CONFIDENCE
from wordline.sweeps.values import column, shown

if TYPE_CHECKING:
    import polars as pl

    from wordline.inferring.unknowns import Unknown

DETERMINED, NARROWED, OPEN = "determined", "narrowed", "not determined"
"""How much the data say of an unknown."""
DETERMINED_WIDTH = 0.2
"""Largest share of its range that the interval of a determined unknown takes."""
OPEN_WIDTH = 0.76
"""Least share of its range that the interval of an unknown takes of which the data say next to nothing: four fifths of the 95 % that it takes
before anything was measured."""
EDGE = 0.01
"""Share of a range within which an interval counts as reaching its end."""
MISSED = 3.0
"""Standard deviations from which on the best settings miss a target."""
TIED = 0.7
"""Least magnitude of a correlation at which two unknowns count as determined only together."""
TAILS = ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)
"""The quantiles between which 95 % lie."""
SET_POINTS = 1_000
"""Points of the table of the 95 % set."""


@dataclass(frozen=True)
class Known:
    """What is known of an unknown key."""

    name: str
    """The key, or those that change together."""
    low: str
    """Least value of the shortest interval that is 95 % likely, as TOML; of values without order the most likely one."""
    high: str
    """Largest value of that interval."""
    width: float
    """Share of the range that the interval takes; of values without order, the share of the others that the 95 % set has too."""
    shares: dict[str, float]
    """How likely each value is, of an unknown with a list of values; empty for ranges."""
    best: str
    """Its value in the best settings that were run, as TOML."""
    at_low: bool = False
    """Whether the interval of a range reaches its lower end."""
    at_high: bool = False
    """Whether it reaches the upper end."""

    @property
    def state(self) -> str:
        """`determined`, `narrowed` or `not determined`."""
        if self.width <= DETERMINED_WIDTH:
            return DETERMINED
        return OPEN if self.width >= OPEN_WIDTH else NARROWED

    @property
    def text(self) -> str:
        """The interval, or the values that are 95 % likely."""
        if self.shares:
            likely = likely_values(self.shares)
            return ", ".join(
                f"{each} ({share:.0%})"
                for each, share in zip(shown([*likely]), likely.values(), strict=True)
            )
        low, high = shown([self.low, self.high])
        return low if low == high else f"{low} to {high}"

    @property
    def about(self) -> dict[str, Any]:
        """The same as values that JSON has."""
        return {
            "key": self.name,
            "best": self.best,
            "low": self.low,
            "high": self.high,
            "share_of_range": self.width,
            "state": self.state,
            "values": self.shares,
        }

    @property
    def row(self) -> dict[str, Any]:
        """A row of a table."""
        return {
            "key": self.name,
            "best": self.best.replace('"', ""),
            "95 % interval": self.text,
            "share of the range": self.width,
            "state": self.state,
        }


@dataclass(frozen=True)
class Compared:
    """A target beside what the drive gives."""

    target: Target
    best: float
    """With the best settings: the mean over their seeds."""
    low: float
    """2.5 % quantile over the 95 % set, by the emulator."""
    high: float
    """97.5 % quantile."""
    explained: float
    """Share of the variance that the emulator predicts of points that it was not fitted to."""
    deviation: float
    """By how many standard deviations, of tolerance and noise, the best settings differ from what was measured."""

    @property
    def missed(self) -> bool:
        """Whether chance does not explain the difference between the best settings and what was measured."""
        return abs(self.deviation) > MISSED

    @property
    def about(self) -> dict[str, Any]:
        """The same as values that JSON has."""
        return {
            "figure": self.target.figure,
            "measured": self.target.value,
            "tolerance": self.target.tolerance,
            "best": self.best,
            "low": self.low,
            "high": self.high,
            "emulator_explains": self.explained,
            "deviation": self.deviation,
        }

    @property
    def row(self) -> dict[str, Any]:
        """A row of a table."""
        return {
            "target": self.target.figure,
            "measured": self.target.value,
            "tolerance": self.target.tolerance,
            "best settings": self.best,
            "95 % set": f"{display(self.low)} to {display(self.high)}",
        }


@dataclass(frozen=True)
class Left:
    """A target that the others alone predict."""

    target: Target
    middle: float
    """Median of the prediction."""
    low: float
    """2.5 % quantile of the prediction, with tolerance and noise."""
    high: float
    """97.5 % quantile."""

    @property
    def holds(self) -> bool:
        """Whether what was measured lies in the interval."""
        return self.low <= self.target.value <= self.high

    @property
    def text(self) -> str:
        """The interval, and whether what was measured lies in it."""
        mark = "" if self.holds else " (missed)"
        return f"{display(self.low)} to {display(self.high)}{mark}"

    @property
    def about(self) -> dict[str, Any]:
        """The same as values that JSON has."""
        return {
            "figure": self.target.figure,
            "measured": self.target.value,
            "predicted": self.middle,
            "low": self.low,
            "high": self.high,
            "holds": self.holds,
        }

    @property
    def row(self) -> dict[str, Any]:
        """A row of a table."""
        return {
            "target": self.target.figure,
            "measured": self.target.value,
            "predicted by the others": self.middle,
            "95 % interval": self.text,
        }


def likely_values(shares: dict[str, float]) -> dict[str, float]:
    """The fewest values that are 95 % likely together, most likely first."""
    found: dict[str, float] = {}
    for value, share in sorted(shares.items(), key=lambda each: -each[1]):
        if sum(found.values()) >= CONFIDENCE:
            break
        found[value] = share
    return found


def knowledge(found: Posterior, best: Ran) -> tuple[Known, ...]:
    """What is known of each unknown."""
    return tuple(
        known(found, place, each, best) for place, each in enumerate(found.likelihood.unknowns.each)
    )


def known(found: Posterior, place: int, unknown: Unknown, best: Ran) -> Known:
    """What is known of one unknown."""
    own = " and ".join(unknown.values(float(best.shares[place])))
    shares: dict[str, float] = {}
    if unknown.axis.span is None:
        likely = found.shares_of_values(place)
        count = len(likely)
        shares = {
            unknown.value(step / (count - 1)): float(share) for step, share in enumerate(likely)
        }
    if unknown.is_categorical:
        first, *others = likely_values(shares)
        return Known(unknown.name, first, first, len(others) / (len(shares) - 1), shares, own)
    low, high = found.interval(place)
    ends = (low < EDGE, high > 1 - EDGE) if unknown.axis.span is not None else (False, False)
    return Known(
        unknown.name, unknown.value(low), unknown.value(high), high - low, shares, own, *ends
    )


def tied(found: Posterior) -> tuple[tuple[str, str, float], ...]:
    """Pairs of unknowns of which the data determine only a combination: neither is determined, and both are correlated."""
    unknowns = found.likelihood.unknowns.each
    ordered = [place for place, each in enumerate(unknowns) if not each.is_categorical]
    if len(ordered) < 2:
        return ()
    values = np.stack([unknowns[place].snapped(found.shares[:, place]) for place in ordered])
    covariance = np.cov(values, aweights=found.weights, ddof=0)
    deviations = np.sqrt(np.diag(covariance))
    pairs = []
    for one in range(len(ordered)):
        for other in range(one):
            scale = deviations[one] * deviations[other]
            correlation = float(covariance[one, other] / scale) if scale > 0 else 0.0
            if abs(correlation) >= TIED:
                names = unknowns[ordered[other]].name, unknowns[ordered[one]].name
                pairs.append((*names, correlation))
    return tuple(sorted(pairs, key=lambda pair: -abs(pair[2])))


def compared(found: Posterior, waves: Waves, best: Ran) -> tuple[Compared, ...]:
    """Each target beside what the best settings and the whole set give."""
    how = waves.how
    shares = found.drawn(SET_POINTS, waves.plan.seed)
    features = found.likelihood.unknowns.features(shares)
    rows = []
    for place, (target, emulator) in enumerate(
        zip(waves.targets, found.likelihood.emulators, strict=True)
    ):
        low, high = np.quantile(how.figures(emulator.predict(features)[0], place), TAILS)
        mean = float(best.mean[place])
        own = found.likelihood
        spread = own.scale * np.hypot(own.tolerance[place], np.sqrt(own.noise[place, place]))
        error = how.compared(best.mean)[place] - own.measured[place]
        deviation = float(error / spread) if spread > 0 else 0.0
        rows.append(Compared(target, mean, float(low), float(high), emulator.explained, deviation))
    return tuple(rows)


def left_out(found: Posterior, waves: Waves) -> tuple[Left, ...]:
    """Each target, predicted by the others: what they make likely, with the noise of a run and the tolerance of the target."""
    count = len(waves.targets)
    if count < 2:
        return ()
    how = waves.how
    random = np.random.default_rng(waves.plan.seed)
    rows = []
    for place, target in enumerate(waves.targets):
        others = widened(
            found.likelihood.only([each for each in range(count) if each != place]), waves.plan.seed
        )
        shares = others.drawn(SET_POINTS, waves.plan.seed)
        mean, variance = found.likelihood.emulators[place].predict(
            found.likelihood.unknowns.features(shares)
        )
        own = found.likelihood.noise[place, place] + found.likelihood.tolerance[place] ** 2
        drawn = random.normal(mean, np.sqrt(variance + own))
        low, middle, high = np.quantile(how.figures(drawn, place), (TAILS[0], 0.5, TAILS[1]))
        rows.append(Left(target, float(middle), float(low), float(high)))
    return tuple(rows)


def set_table(found: Posterior, targets: list[Target], how: Targets) -> pl.DataFrame:
    """Points of the 95 % set, with what the emulators predict."""
    import polars as pl

    unknowns = found.likelihood.unknowns
    likely = np.flatnonzero((found.density >= found.threshold) & (found.weights > 0))
    # evenly over the set, not by weight: a sample that is drawn evenly in its box
    chosen = likely[np.linspace(0, len(likely) - 1, min(SET_POINTS, len(likely))).astype(int)]
    shares = found.shares[chosen]
    settings = [unknowns.settings(row) for row in shares]
    columns: dict[str, Any] = {}
    for place, (key, _) in enumerate(settings[0]):
        columns[key] = column([row[place][1] for row in settings])[0]
    columns["density"] = np.exp(found.density[chosen] - found.density.max())
    features = unknowns.features(shares)
    for place, (target, emulator) in enumerate(
        zip(targets, found.likelihood.emulators, strict=True)
    ):
        columns[target.figure] = how.figures(emulator.predict(features)[0], place)
    return pl.DataFrame(columns).sort("density", descending=True)
