"""Variants of a chip: every combination of the values of some keys."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from wordline.errors import ConfigError
from wordline.power import Chip


@dataclass(frozen=True)
class Axis:
    """Values of one key, as `--vary key=a,b,c` gives them."""

    key: str
    values: tuple[str, ...]
    """As TOML spells them, or bare."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `key=a,b,c`; a number without a unit takes the unit of the last value.

        Raises:
            ConfigError: it is not of that form.
        """
        key, _, listed = text.partition("=")
        values = [value.strip() for value in listed.split(",")]
        if not key.strip() or not all(values):
            raise ConfigError(
                f"--vary {text}: accepted is KEY=A,B,C, such as geometry.page_size='2,4,8 KiB'"
            )
        number, _, unit = values[-1].partition(" ")
        if unit and is_number(number):
            values = [f"{value} {unit}" if is_number(value) else value for value in values]
        return cls(key.strip(), tuple(values))


def is_number(text: str) -> bool:
    """Whether `text` is a bare number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


MOST_VARIANTS = 10_000
"""More combinations than this are not a table to read; `Chip.grid` takes them."""


def variants(
    source: str, overrides: Sequence[tuple[str, str]], axes: Sequence[Axis]
) -> list[tuple[dict[str, str], Chip]]:
    """Every combination of the values of the axes, and its chip; the last axis is the fastest.

    Raises:
        ConfigError: a key or value that is not accepted.
    """
    count = math.prod(len(axis.values) for axis in axes)
    if count > MOST_VARIANTS:
        raise ConfigError(
            f"--vary: {count:,} combinations; accepted are {MOST_VARIANTS:,}, and more from Python with "
            "Chip.grid"
        )
    found = []
    for values in itertools.product(*(axis.values for axis in axes)):
        varied = {axis.key: value for axis, value in zip(axes, values, strict=True)}
        chip = Chip.from_overrides(source, (*overrides, *varied.items()))
        found.append((varied, chip))
    return found
