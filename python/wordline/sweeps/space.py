"""What a sweep varies: keys that take values independently or together, as a grid or a sample."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from wordline.config import Overrides, counted, toml_value
from wordline.errors import ConfigError
from wordline.sweeps.values import Range

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vary: TypeAlias = Mapping[Any, "Sequence[Any] | Range"]
"""What is varied: values of a key, a range, or, under a tuple of keys, values that they have together (each a tuple)."""

MOST_POINTS = 1_000_000
"""Most points of a sweep."""
MOST_SEED = 2**63 - 1
"""Largest seed of a sample."""
PIP = 'python -m pip install "wordline[sweep]"'
"""What installs the extra."""


@dataclass(frozen=True)
class Sample:
    """Points drawn from the space instead of a grid. More points of the same seed begin with those of fewer."""

    kind: Literal["random", "sobol"]
    """`"random"`: independent and uniform. `"sobol"`: a scrambled Sobol sequence, which covers the space more evenly."""
    points: int
    """Number of points."""
    seed: int = 1
    """Seed of the draw."""

    def __post_init__(self) -> None:
        if self.kind not in ("random", "sobol"):
            raise ConfigError(f"sample.kind = {self.kind!r}: accepted are random and sobol")
        counted("sample.points", self.points, MOST_POINTS)
        counted("sample.seed", self.seed, MOST_SEED, least=0)

    def draw(self, dimensions: int) -> NDArray[np.float64]:
        """Coordinates of every point, each from 0 to 1.

        Raises:
            ConfigError: SciPy, which has the Sobol sequence, is not installed.
        """
        import numpy as np

        if self.kind == "random":
            return np.random.default_rng(self.seed).random((self.points, dimensions))
        try:
            from scipy.stats import qmc
        except ImportError:
            raise ConfigError(
                f'sample.kind = "sobol": needs SciPy, which is not installed: {PIP}'
            ) from None
        sequence = qmc.Sobol(dimensions, rng=self.seed)
        drawn: NDArray[np.float64] = sequence.random_base2(math.ceil(math.log2(self.points)))
        return drawn[: self.points]


@dataclass(frozen=True)
class Axis:
    """Keys that change together, and what they take."""

    keys: tuple[str, ...]
    """Dotted keys; mostly one."""
    choices: tuple[tuple[str, ...], ...] = ()
    """Values as TOML, one for each key."""
    span: Range | None = None
    """The range of the only key, in place of choices."""

    @classmethod
    def of(cls, key: str | tuple[str, ...], values: Sequence[Any] | Range) -> Axis:
        """An axis as it is written in Python.

        Raises:
            ConfigError: no values, or values that do not fit the keys.
        """
        keys = (key,) if isinstance(key, str) else tuple(key)
        name = " and ".join(keys)
        if not all(keys) or not keys:
            raise ConfigError("vary: a key is empty")
        if isinstance(values, Range):
            if len(keys) > 1:
                raise ConfigError(f"vary: {name}: keys that change together need lists of values")
            return cls(keys, span=values)
        if hasattr(values, "tolist"):  # an array or a series
            values = values.tolist()
        if isinstance(values, str | bytes | Mapping) or not isinstance(values, Sequence):
            raise ConfigError(f"vary: {name}: accepted are a list of values or a range")
        if not values:
            raise ConfigError(f"vary: {name}: there is no value")
        rows = [(each,) if isinstance(key, str) else each for each in values]
        for row in rows:
            if not isinstance(row, Sequence) or isinstance(row, str) or len(row) != len(keys):
                raise ConfigError(
                    f"vary: {name}: {row!r} must be a tuple of {len(keys)} values, one for each key"
                )
        chosen = (
            tuple(toml_value(each, value) for each, value in zip(keys, row, strict=True))
            for row in rows
        )
        return cls(keys, tuple(dict.fromkeys(chosen)))

    @cached_property
    def values(self) -> tuple[tuple[str, ...], ...]:
        """The values of a grid."""
        if self.span is None:
            return self.choices
        return tuple((value,) for value in self.span.values())

    def at(self, share: float) -> tuple[str, ...]:
        """The value at a share of the way, for a sample."""
        if self.span is not None:
            return (self.span.at(share),)
        return self.choices[min(int(share * len(self.choices)), len(self.choices) - 1)]


def axes_of(vary: Vary) -> tuple[Axis, ...]:
    """The axes of what is varied, as it is written in Python.

    Raises:
        ConfigError: what makes no sense, and what is accepted.
    """
    if not isinstance(vary, Mapping):
        raise ConfigError("vary: accepted is a mapping of keys to lists of values or ranges")
    return tuple(Axis.of(key, values) for key, values in vary.items())


@dataclass(frozen=True)
class Space:
    """Every combination of the axes, or a sample of them."""

    axes: tuple[Axis, ...]
    sample: Sample | None = None

    def __post_init__(self) -> None:
        if not self.axes:
            raise ConfigError("vary: nothing is varied; name a key and its values")
        keys = self.keys
        for key in keys:
            if keys.count(key) > 1:
                raise ConfigError(f"vary: {key} is varied twice")
        if self.sample is None:
            counted(
                "points of the grid", math.prod(len(axis.values) for axis in self.axes), MOST_POINTS
            )

    @classmethod
    def of(cls, vary: Vary, sample: Sample | None = None) -> Space:
        """A space as it is written in Python.

        Raises:
            ConfigError: what makes no sense, and what is accepted.
        """
        return cls(axes_of(vary), sample)

    @property
    def keys(self) -> list[str]:
        """Every key that is varied."""
        return [key for axis in self.axes for key in axis.keys]

    def assignments(self) -> Iterator[Overrides]:
        """The keys and values of every point, in order; the last axis changes first."""
        if self.sample is None:
            rows: Iterator[Sequence[tuple[str, ...]]] = itertools.product(
                *(axis.values for axis in self.axes)
            )
        else:
            drawn = self.sample.draw(len(self.axes)).tolist()
            rows = (
                [axis.at(share) for axis, share in zip(self.axes, row, strict=True)]
                for row in drawn
            )
        for row in rows:
            yield tuple(
                pair
                for axis, values in zip(self.axes, row, strict=True)
                for pair in zip(axis.keys, values, strict=True)
            )
