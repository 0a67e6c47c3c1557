"""Quantities with units in comparisons: `host.read.latency.p99_us <= 1 ms`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wordline.errors import ConfigError
from wordline.sweeps.chosen import units
from wordline.sweeps.values import quantity

FACTORS: Final[tuple[Mapping[str, float], ...]] = (
    {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3_600.0},
    {"nJ": 1e-9, "uJ": 1e-6, "µJ": 1e-6, "mJ": 1e-3, "J": 1.0},
    {"uW": 1e-6, "µW": 1e-6, "mW": 1e-3, "W": 1.0},
    {"kB/s": 1e-3, "MB/s": 1.0, "GB/s": 1e3},
    {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30},
    {"%": 0.01, "1": 1.0},
)
"""Units that measure the same, with their sizes."""


def in_unit_of(text: str, other: str) -> str:
    """A side of a comparison: where it is a quantity with a unit, the number in the unit of the figure that is the other side.

    Raises:
        ConfigError: the other side is no figure with a unit, or one of another kind.
    """
    number, unit = quantity(text)
    if number is None or not unit:
        return text
    key = other.strip()
    own = units().get(key, "1" if unit == "%" else "")
    for alike in FACTORS:
        if unit in alike and own in alike:
            return repr(number * alike[unit] / alike[own])
    of_key = f"has the unit {own!r}" if own else "is no figure with a unit"
    raise ConfigError(
        f"{text.strip()!r}: {key!r} {of_key}; accepted is a number without a unit, or one of its kind"
    )
