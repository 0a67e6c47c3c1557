"""The unknown keys as coordinates: shares of their ranges, from 0 to 1."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from wordline.config import Overrides, toml_value
from wordline.errors import ConfigError
from wordline.sweeps.space import Axis, Sample, Space
from wordline.sweeps.values import quantity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Unknown:
    """An axis as a coordinate. Every value of it is as likely as any other before anything was measured; with `:log`, every ratio."""

    axis: Axis

    @property
    def name(self) -> str:
        """Its key, or those that change together."""
        return " and ".join(self.axis.keys)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The places of its choices, numbers by size; empty for a range."""
        choices = self.axis.choices
        numbers = [quantity(choice[0])[0] for choice in choices]
        if len(self.axis.keys) > 1 or None in numbers:
            return tuple(range(len(choices)))
        return tuple(sorted(range(len(choices)), key=lambda place: numbers[place] or 0.0))

    @property
    def is_categorical(self) -> bool:
        """Whether its values have no order, so that none lies between two others."""
        choices = self.axis.choices
        return len(choices) > 2 and (
            len(self.axis.keys) > 1 or any(quantity(each[0])[0] is None for each in choices)
        )

    @cached_property
    def steps(self) -> int | None:
        """The number of its values; none for a range of any numbers."""
        span = self.axis.span
        if span is None:
            return len(self.axis.choices)
        return round(span.ends[1] - span.ends[0]) + 1 if span.is_whole else None

    def values(self, share: float) -> tuple[str, ...]:
        """The values of its keys at a share of the way, as TOML."""
        if self.axis.span is not None:
            return self.axis.at(share)
        count = len(self.axis.choices)
        return self.axis.choices[self.order[min(int(share * count), count - 1)]]

    def value(self, snapped: float) -> str:
        """The value at a share that `snapped` gave, as TOML; of several keys all values."""
        if self.axis.span is not None:
            return self.axis.span.written(self.axis.span.between(snapped))
        count = len(self.axis.choices)
        return " and ".join(self.axis.choices[self.order[round(snapped * (count - 1))]])

    def snapped(self, shares: Floats) -> Floats:
        """The shares of the values that lie there: steps in place of any number where there are steps."""
        span = self.axis.span
        found: Floats
        if span is None:
            count = len(self.axis.choices)
            found = np.minimum((shares * count).astype(int), count - 1) / max(count - 1, 1)
            return found
        if not span.is_whole:
            return shares
        low, high = span.ends
        if span.log:
            found = np.log(np.round(low * (high / low) ** shares) / low) / math.log(high / low)
        else:
            found = np.minimum(np.floor(shares * (high - low + 1)), high - low) / (high - low)
        return found

    def features(self, shares: Floats) -> Floats:
        """What an emulator sees: a column, or one for each value where they have no order."""
        snapped = self.snapped(shares)
        if not self.is_categorical:
            return snapped[:, None]
        count = len(self.axis.choices)
        found: Floats = np.eye(count)[np.round(snapped * (count - 1)).astype(int)]
        return found

    def share(self, value: object) -> float:
        """The share at which a value lies.

        Raises:
            ConfigError: it is none of the values.
        """
        rows = value if len(self.axis.keys) > 1 else (value,)
        if not isinstance(rows, Sequence) or len(rows) != len(self.axis.keys):
            raise ConfigError(f"{self.name}: {value!r} must be a tuple of values, one for each key")
        told = tuple(toml_value(key, each) for key, each in zip(self.axis.keys, rows, strict=True))
        span = self.axis.span
        if span is None:
            # the command line has text without quotes
            choices = [tuple(part.strip("\"'") for part in each) for each in self.axis.choices]
            bare = tuple(part.strip("\"'") for part in told)
            if bare not in choices:
                accepted = ", ".join(" and ".join(each) for each in choices)
                raise ConfigError(
                    f"{self.name}: {value!r} is not varied; the values are {accepted}"
                )
            return (self.order.index(choices.index(bare)) + 0.5) / len(choices)
        number, unit = quantity(told[0])
        low, high = span.ends
        if number is None or unit != span.unit or not low <= number <= high:
            raise ConfigError(f"{self.name}: {value!r} does not lie in {span}")
        if span.log:
            return math.log(number / low) / math.log(high / low)
        if span.is_whole:
            return (number - low + 0.5) / (high - low + 1)
        return (number - low) / (high - low)


@dataclass(frozen=True)
class Unknowns:
    """Every unknown."""

    axes: tuple[Axis, ...]

    def __post_init__(self) -> None:
        given = [axis if axis.span is None else Axis(axis.keys, (("1",),)) for axis in self.axes]
        Space(tuple(given))  # refuses what is no space
        for axis in self.axes:
            if axis.span is None and len(axis.choices) < 2:
                raise ConfigError(f"vary: {axis.keys[0]}: an unknown needs two values at least")

    @cached_property
    def each(self) -> tuple[Unknown, ...]:
        """The unknowns, in order."""
        return tuple(Unknown(axis) for axis in self.axes)

    @property
    def names(self) -> list[str]:
        """Their names."""
        return [each.name for each in self.each]

    def draw(self, count: int, seed: int) -> Floats:
        """Shares that cover the space evenly: a scrambled Sobol sequence.

        Raises:
            ConfigError: SciPy is not installed.
        """
        return Sample("sobol", count, seed).draw(len(self.axes))

    def settings(self, shares: Floats) -> Overrides:
        """Keys and values at a point."""
        return tuple(
            pair
            for each, share in zip(self.each, shares, strict=True)
            for pair in zip(each.axis.keys, each.values(float(share)), strict=True)
        )

    def features(self, shares: Floats) -> Floats:
        """What an emulator sees of points."""
        return np.hstack([each.features(shares[:, place]) for place, each in enumerate(self.each)])

    def shares(self, values: Mapping[Any, Any]) -> Floats:
        """The point at which every unknown has a value; keys as in `vary`.

        Raises:
            ConfigError: an unknown without a value, or a value that is not in its range.
        """
        found = []
        for each in self.each:
            key = each.axis.keys[0] if len(each.axis.keys) == 1 else each.axis.keys
            if key not in values:
                raise ConfigError(f"{each.name}: no value is given")
            found.append(each.share(values[key]))
        return np.array(found)
