"""What a simulated figure predicts: a value and an interval, by how far figures of the same kind were off in the drives that were compared.

The rule, once for all drives. Figures are gathered by class, kind of load and quantity. Of each kind

* the value is the simulated figure times the median of measured over simulated;
* the interval is as wide as another drive asks for: each compared drive is predicted with the median of the others, and the interval reaches as far to both sides as holds four in five of these figures. Where one drive only was compared it reaches as far as holds four in five
  of its own. It reaches no less than `LEAST` in the first case and `ALONE` in the second;
* an interval that is wider than a factor of 1.5 from end to end is no prediction.

A kind of which nothing was compared takes the deviations of another, which `LENT` names.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from .loads import Point
from .loads.spans import AT_NINETY
from .parts import CLIENT, HMB

WIDEST = 1.5
"""From end to end, as a factor."""
HELD = 0.8
"""The share of the compared figures that an interval is to hold."""
LEAST, ALONE = 1.10, 1.20
"""An interval reaches at least so far to each side, where several drives were compared and where one was: parts that the rule assumes differ by as much, and figures of one drive tell little of another (assumed)."""

NEAR = 0.8
"""Offered writes beyond this share of what the simulated drive takes may be more than the real one does: saturated, those that were compared took 0.81 and 0.95 of it."""
NEAR_THE_LIMIT = "open loop, near the limit"

Kind = tuple[str, str, str]
"""A class of drives, a kind of load, and a quantity or a group of them."""

CLASSES = {HMB: CLIENT}
"""Classes of which no drive was compared, and those whose deviations they take."""
THROUGHPUT = "throughput"
GROUPS = {
    "sequential read": THROUGHPUT,
    "sequential write": THROUGHPUT,
    "sequential write 512 KiB, depth 1": THROUGHPUT,
    "random read 4 KiB": THROUGHPUT,
    "random write 4 KiB": THROUGHPUT,
}
"""Quantities of data sheets, of which a drive has one figure each, that count as one quantity."""
SUSTAINED = ("saturated", "write IOPS achieved")
LENT: dict[str, tuple[str, str]] = {
    "steady": SUSTAINED,
    "cliff": SUSTAINED,
    "read jobs": ("sheet", THROUGHPUT),
    "write jobs": ("sheet", THROUGHPUT),
    "write latency typical": ("open loop, first third", "write latency p50"),
    AT_NINETY: ("reads by depth", "read latency p99"),
}
"""Loads, or quantities, of which nothing was compared, and the load and quantity whose deviations they take."""


@dataclass(frozen=True)
class Deviation:
    """How figures of a kind were off."""

    middle: float
    """Median of measured over simulated."""
    reach: float
    """The factor to each side."""
    number: int
    """How many were compared."""
    drives: int
    """Of how many drives."""

    @property
    def wide(self) -> bool:
        """Whether the interval is too wide to predict anything."""
        return self.reach**2 > WIDEST


@dataclass(frozen=True)
class Prediction:
    """A figure that is predicted."""

    value: float
    low: float
    high: float


def load_of(point: Point, limit: float | None) -> str:
    """The kind of load, which is finer for offered writes: by the third of what the simulated drive takes."""
    if point.kind != "open loop" or not limit or point.rate is None:
        return point.kind
    if point.rate > NEAR * limit:
        return NEAR_THE_LIMIT
    third = min(2, int(3 * point.rate / limit))
    return ("open loop, first third", "open loop, second third", "open loop, last third")[third]


def kind_of(of: str, load: str, quantity: str) -> Kind:
    """The kind of a figure.

    Args:
        of: the class of the drive.
        load: the kind of load.
        quantity: as the table has it.
    """
    return (
        CLASSES.get(of, of),
        load,
        GROUPS.get(quantity, quantity) if load == "sheet" else quantity,
    )


def deviation(known: Mapping[Kind, Deviation], kind: Kind) -> Deviation | None:
    """How figures of a kind were off, or those of the kind that lends it; None: nothing was compared.

    The mean latency of a closed loop is its depth over its rate, so that it is off as the rate is, the other way round.
    """
    if kind in known:
        return known[kind]
    of, load, quantity = kind
    lender = LENT.get(quantity) or LENT.get(load)
    found = known.get((of, *lender)) if lender else None
    if found and load.endswith("jobs") and quantity.endswith("latency mean"):
        return Deviation(1 / found.middle, found.reach, found.number, found.drives)
    return found


def deviations(ratios: Mapping[Kind, Mapping[str, Sequence[float]]]) -> dict[Kind, Deviation]:
    """How figures were off, by kind, from measured over simulated of each drive."""
    found = {}
    for kind, by_drive in ratios.items():
        known = [value for values in by_drive.values() for value in values]
        off = []
        for drive, values in by_drive.items():
            rest = [each for other, some in by_drive.items() if other != drive for each in some]
            middle = median(rest or values)
            off += [abs(math.log(value / middle)) for value in values]
        far = math.exp(sorted(off)[math.ceil(HELD * len(off)) - 1])
        least = LEAST if len(by_drive) > 1 else ALONE
        found[kind] = Deviation(median(known), max(far, least), len(known), len(by_drive))
    return found


def predict(simulated: float, deviation: Deviation) -> Prediction:
    """A value and its interval."""
    value = simulated * deviation.middle
    return Prediction(value, value / deviation.reach, value * deviation.reach)
