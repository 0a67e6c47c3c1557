"""Values that a key takes: ranges, quantities with units, and how both are written."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from wordline.config import counted
from wordline.errors import ConfigError

MOST_VALUES = 10_000
"""Most values of a range."""
DIGITS = 6
"""Significant digits of the values between the ends of a range."""

DECIMALS = {
    "ns": 0,
    "us": 3,
    "µs": 3,
    "ms": 6,
    "B": 0,
    "kB": 3,
    "KiB": 0,
    "MiB": 0,
    "GiB": 0,
    "TiB": 0,
    "kT/s": 0,
    "MT/s": 3,
    "GT/s": 6,
}
"""Decimals of the values between the ends by unit: durations are whole nanoseconds, sizes whole bytes, transfer rates whole kT/s."""

QUANTITY = re.compile(r"([-+]?[0-9][0-9_]*(?:\.[0-9_]+)?(?:[eE][-+]?[0-9]+)?)\s*([^\d\s.,]\S*)?")
"""A number and its unit."""
RANGE = re.compile(r"(?P<low>.+?)\.\.(?P<high>[^:]+)(?::(?P<count>(?!log$)[^:]+))?(?P<log>:log)?")
"""A range as it is written on the command line: `LOW..HIGH`, `LOW..HIGH:COUNT`, `LOW..HIGH:COUNT:log`."""


@dataclass(frozen=True)
class Range:
    """Values from `low` to `high`: numbers, or text with a unit such as `"25 us"` and `"7%"`.

    A grid takes `count` values, both ends among them, at equal distances or, with `log`, at equal ratios. A sample takes any
    values in between. Where both ends are whole numbers without a unit, so are all values, and each occurs once.
    """

    low: int | float | str
    """Least value."""
    high: int | float | str
    """Largest value."""
    count: int | None = None
    """Number of values in a grid."""
    log: bool = False
    """Whether values are spaced by equal ratios."""

    def __post_init__(self) -> None:
        low, high = self.ends
        if self.count is not None:
            counted(f"{self}: count", self.count, MOST_VALUES, least=2)
        if not low < high:
            raise ConfigError(f"{self}: the first end must be less than the second")
        if self.log and low <= 0:
            raise ConfigError(f"{self}: equal ratios need ends above 0")

    @property
    def ends(self) -> tuple[float, float]:
        """Both ends without their unit.

        Raises:
            ConfigError: one is no number, or their units differ.
        """
        found = []
        for end in (self.low, self.high):
            number, unit = quantity(end)
            if number is None or not math.isfinite(number):
                raise ConfigError(
                    f"{self}: {end!r} is no number; accepted are numbers, with a unit or without"
                )
            found.append((number, unit))
        (low, unit), (high, other) = found
        if unit != other:
            raise ConfigError(f"{self}: the ends have different units; write both in one")
        return low, high

    @property
    def unit(self) -> str:
        """The unit of both ends; empty without one."""
        return quantity(self.low)[1]

    @property
    def is_whole(self) -> bool:
        """Whether values are whole numbers."""
        return not self.unit and all(
            isinstance(end, int) or (isinstance(end, str) and re.fullmatch(r"[-+]?[0-9_]+", end))
            for end in (self.low, self.high)
        )

    def at(self, share: float) -> str:
        """The value at a share of the way from one end to the other, as TOML."""
        low, high = self.ends
        if self.is_whole and not self.log:
            # every whole number has an equal part of the way
            return self.written(min(math.floor(low + share * (high - low + 1)), high))
        return self.written(self.between(share))

    def between(self, share: float) -> float:
        """The number at a share of the way."""
        low, high = self.ends
        return low * (high / low) ** share if self.log else low + share * (high - low)

    def values(self) -> list[str]:
        """The values of a grid, as TOML.

        Raises:
            ConfigError: there is no `count`.
        """
        if self.count is None:
            raise ConfigError(
                f"{self}: a grid needs the number of values: {self.low}..{self.high}:5, or `count`"
            )
        steps = self.count - 1
        numbers = [self.between(step / steps) for step in range(self.count)]
        numbers[0], numbers[-1] = self.ends
        return list(dict.fromkeys(map(self.written, numbers)))

    def written(self, number: float) -> str:
        """A value as TOML."""
        if self.is_whole:
            return str(round(number))
        text = repr(round(float(f"{number:.{DIGITS}g}"), DECIMALS.get(self.unit, 2 * DIGITS)))
        return f'"{text} {self.unit}"' if self.unit else text

    def __str__(self) -> str:
        count = "" if self.count is None else f":{self.count}"
        return f"{self.low}..{self.high}{count}{':log' if self.log else ''}"


def range_of(text: str) -> Range | None:
    """A range that is written as on the command line; none if the text is no range.

    Raises:
        ConfigError: a range that makes no sense.
    """
    found = RANGE.fullmatch(text.strip())
    if found is None:
        return None
    count = found["count"]
    if count is not None and not count.strip().isdecimal():
        raise ConfigError(
            f"{text}: {count.strip()!r} is no number of values; accepted are LOW..HIGH, LOW..HIGH:COUNT and LOW..HIGH:COUNT:log"
        )
    low, high = found["low"].strip(), found["high"].strip()
    return Range(low, high, None if count is None else int(count), bool(found["log"]))


def quantity(value: object) -> tuple[float | None, str]:
    """A number and its unit; no number where the value is none."""
    if isinstance(value, bool):
        return None, ""
    if isinstance(value, int | float):
        return float(value), ""
    found = QUANTITY.fullmatch(str(value).strip().strip("\"'"))
    return (float(found[1].replace("_", "")), found[2] or "") if found else (None, "")


def column(values: Sequence[str]) -> tuple[list[int | float | str | bool], str]:
    """The values of a key as a column of a table, and their unit.

    Numbers that share a unit become numbers, percentages shares; anything else is text.
    """
    found = [quantity(value) for value in values]
    units = {unit for _, unit in found}
    if all(number is not None for number, _ in found) and len(units) == 1:
        unit = units.pop()
        numbers = [number for number, _ in found if number is not None]
        if unit == "%":
            return [float(f"{number / 100:.12g}") for number in numbers], ""
        if not unit and all(re.fullmatch(r"[-+]?[0-9_]+", value.strip()) for value in values):
            return [int(number) for number in numbers], ""
        return list(numbers), unit
    if all(value in ("true", "false") for value in values):
        return [value == "true" for value in values], ""
    return [value.strip().strip("\"'") for value in values], ""


def shown(texts: Sequence[str], digits: int = 3) -> list[str]:
    """Values as they are read: without quotes, numbers with few digits, but as many as tell different values apart."""
    bare = [text.replace('"', "") for text in texts]
    found = bare
    for count in range(digits, DIGITS):
        found = [rounded(text, count) for text in bare]
        if len(set(found)) == len(set(bare)):
            return found
    return bare


def rounded(text: str, digits: int) -> str:
    """A number with its unit rounded to so many significant digits; whole numbers and anything else as they are."""
    number, unit = quantity(text)
    if number is None or number == round(number):
        return text
    short = f"{float(f'{number:.{digits}g}'):.15g}"
    return f"{short} {unit}".rstrip() if unit != "%" else f"{short}%"
