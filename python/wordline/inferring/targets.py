"""Targets: figures that were measured, how exactly, and how they are compared."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from wordline.errors import ConfigError
from wordline.points.outcome import OBSERVERS, Outcome
from wordline.points.point import Point
from wordline.searching.expressions import Expression
from wordline.searching.judging import looked_up
from wordline.sweeps.values import quantity

if TYPE_CHECKING:
    from wordline.inferring.unknowns import Floats

TOLERANCE = "5%"
"""Tolerance of a target that has none of its own."""
TWO_SIDED = 1.959964
"""Standard deviations on each side of the mean that hold 95 % of a normal distribution."""
MARK = re.compile(r"\+/?-|±")
"""What stands between a value and its tolerance."""
ACCEPTED = (
    "accepted is FIGURE=VALUE or FIGURE=VALUE+-TOLERANCE, such as host.read.latency.mean_us=370+-5%"
)


@dataclass(frozen=True)
class Target:
    """A figure that was measured."""

    figure: str
    """A key of the summary or of an observer, or an expression of such keys."""
    value: float
    """What was measured, in the unit of the figure."""
    tolerance: float
    """The value that was measured lies this near to that of the drive, in 95 cases of 100."""

    @classmethod
    def of(cls, figure: str, value: object, tolerance: object = TOLERANCE) -> Target:
        """A target as it is written: numbers, or text with a percent sign.

        Raises:
            ConfigError: something that is no number, or a negative tolerance.
        """
        number, _ = share_or_number(figure, value)
        width, relative = share_or_number(f"{figure}: tolerance", tolerance)
        if width < 0:
            raise ConfigError(f"{figure}: tolerance {tolerance}: accepted are numbers from 0")
        return cls(figure, number, width * abs(number) if relative else width)

    @classmethod
    def from_text(cls, text: str, tolerance: str) -> Target:
        """A target as `--target` takes it: `FIGURE=VALUE` or `FIGURE=VALUE+-TOLERANCE`.

        Raises:
            ConfigError: it is none.
        """
        figure, equals, given = text.partition("=")
        if not (equals and figure.strip() and given.strip()):
            raise ConfigError(f"--target {text}: {ACCEPTED}")
        value, *own = MARK.split(given)
        if len(own) > 1:
            raise ConfigError(f"--target {text}: {ACCEPTED}")
        return cls.of(figure.strip(), value.strip(), own[0].strip() if own else tolerance)

    @cached_property
    def expression(self) -> Expression:
        """What is computed from a run."""
        return Expression(self.figure)

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys that it is computed from."""
        found: list[str] = []

        def lookup(key: str) -> float:
            found.append(key)
            return 1.0

        self.expression.evaluate(lookup)
        return frozenset(found)


def share_or_number(name: str, value: object) -> tuple[float, bool]:
    """A number, and whether it was written with a percent sign.

    Raises:
        ConfigError: it is none.
    """
    number, unit = quantity(value)
    if number is None or unit not in ("", "%") or not math.isfinite(number):
        raise ConfigError(f"{name}: {value!r}: accepted are numbers, and percentages such as 5%")
    return (number / 100, True) if unit == "%" else (number, False)


@dataclass(frozen=True)
class Targets:
    """Every target, and how figures are compared: those that are never 0 or less by their logarithms, others as they are."""

    each: tuple[Target, ...]
    logarithmic: tuple[bool, ...]

    @classmethod
    def of(cls, targets: Sequence[Target], figures: Floats) -> Targets:
        """From the figures of the runs so far, a row for each."""
        return cls(
            tuple(targets),
            tuple(
                target.value > 0 and bool((figures[:, place] > 0).all())
                for place, target in enumerate(targets)
            ),
        )

    def compared(self, figures: Floats) -> Floats:
        """Figures as they are compared."""
        found = np.array(figures, dtype=float)
        for place, log in enumerate(self.logarithmic):
            if log:
                found[..., place] = np.log(found[..., place])
        return found

    def figures(self, compared: Floats, place: int) -> Floats:
        """What `compared` was made of."""
        return np.exp(compared) if self.logarithmic[place] else compared

    @property
    def measured(self) -> Floats:
        """The values that were measured, as they are compared."""
        return self.compared(np.array([target.value for target in self.each]))

    @property
    def deviations(self) -> Floats:
        """Standard deviations of what was measured, as it is compared."""
        return np.array(
            [
                (math.log1p(target.tolerance / target.value) if log else target.tolerance)
                / TWO_SIDED
                for target, log in zip(self.each, self.logarithmic, strict=True)
            ]
        )


def observers_of(targets: Sequence[Target]) -> tuple[str, ...]:
    """The observers whose figures targets name."""
    keys = {key.split(".")[0] for target in targets for key in target.keys}
    return tuple(name for name in OBSERVERS if name in keys)


def values_of(targets: Sequence[Target], point: Point, run: Outcome) -> list[float | None]:
    """The figures of a run."""
    summary = looked_up(point, run)
    observed = dict(numbers(run.observed))

    def lookup(key: str) -> float | None:
        return observed[key] if key in observed else summary(key)

    return [target.expression.evaluate(lookup) for target in targets]


def numbers(tree: Mapping[str, Any], prefix: str = "") -> list[tuple[str, float]]:
    """Every number of a tree under its dotted key."""
    found: list[tuple[str, float]] = []
    for key, value in tree.items():
        if isinstance(value, Mapping):
            found += numbers(value, f"{prefix}{key}.")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found.append((f"{prefix}{key}", float(value)))
    return found
