"""Load points: what the host does in a measurement, as settings of a run.

Each is recognised by the condition and the quantity that the tables give, so that no figure of a measurement is repeated here.
One simulation answers everything that is asked of a load.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..drives import Entry
from ..measured import Conditions
from . import depths, histograms, open_loop, sheet, spans, steady, zones
from .common import Asked, Point

__all__ = ["Asked", "Point", "later", "points"]

Outcome = Mapping[str, float]
"""Figures of a run by the keys of its summary."""


def points(drive: Entry, conditions: Conditions) -> list[Point]:
    """The load points of a drive that depend on no other."""
    return [
        *open_loop.saturated(conditions),
        *sheet.sheets(drive, conditions),
        *steady.amplification(conditions),
        *steady.skewed(drive, conditions),
        *steady.cliff(drive, conditions),
        *steady.cache_end(drive, conditions),
        *spans.jobs(drive, conditions),
        *spans.files(drive, conditions),
        *depths.by_depth(conditions),
        *depths.beside_writes(conditions),
        *histograms.act(drive, conditions),
        *zones.mixes(conditions),
        *zones.beside(conditions),
    ]


def later(drive: Entry, conditions: Conditions, found: Mapping[Asked, float]) -> list[Point]:
    """The load points whose rates follow from what others have given.

    Args:
        drive: the drive.
        conditions: what is asked of it.
        found: what the first load points have answered.
    """
    more: list[Point] = []
    for (condition, quantity), value in found.items():
        if quantity == "write IOPS achieved" and open_loop.SATURATED.search(condition):
            more += open_loop.offered(conditions, value)
        if quantity == spans.RANDOM and spans.FILE.match(condition):
            more += spans.at_ninety(drive, conditions, value)
    return more
