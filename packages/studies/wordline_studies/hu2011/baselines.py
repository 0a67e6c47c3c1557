"""What the source prints of the wear of planes, and the lengths of loads that its baseline, static allocation, was found to allow.

`python packages/studies/benchmarks/hu2011_baselines.py` infers the lengths from the column "static" of table 3 and writes them to `inferred.toml` beside this file. The
column "dynamic" is no input of it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

INFERRED = Path(__file__).parent / "inferred.toml"
"""The lengths that were inferred, by trace."""

TABLE_3: Mapping[str, tuple[float, float]] = {
    "Dev": (284.9, 2.5),
    "Ex": (409.1, 39.5),
    "Fin1": (207.3, 3.9),
    "MSN": (3_534.4, 112.6),
    "Rad": (7.5, 2.6),
}
"""Standard deviation over the 64 planes of their erases, with static allocation s2 and with dynamic allocation."""

PUBLISHED_REQUESTS: Mapping[str, str] = {"Fin1": "5,334,987"}
"""Requests of the traces of table 3 of which a count is published."""

THRESHOLDS = (0.1, 0.2, 0.3)
"""Shares of free pages of a plane below which collection may start; not printed."""


@dataclass(frozen=True)
class Length:
    """What was inferred for a trace."""

    requests: int
    """Requests of its surrogate with which static allocation has the printed deviation, at the study's own threshold."""
    least: int
    """The fewest, over the thresholds and parts of the drive that were tried."""
    most: int
    """The most."""


@cache
def inferred() -> Mapping[str, Length]:
    """What was inferred, by trace; nothing before that was done."""
    if not INFERRED.is_file():
        return {}
    table = tomllib.loads(INFERRED.read_text(encoding="utf-8"))
    return {trace: Length(**found) for trace, found in table.items()}
