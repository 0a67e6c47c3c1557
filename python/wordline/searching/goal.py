"""What a search wants: objectives that are made small or large, and constraints that must hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from wordline.config import counted
from wordline.errors import ConfigError
from wordline.points.forecast import Expected
from wordline.searching.expressions import Expression, Lookup
from wordline.searching.units import in_unit_of
from wordline.seeds import MOST_SEEDS
from wordline.service import Service
from wordline.sweeps.space import MOST_POINTS


@dataclass(frozen=True)
class Objective:
    """A figure that is made as small or as large as possible."""

    expression: Expression
    direction: Literal["minimize", "maximize"] = "minimize"

    @property
    def name(self) -> str:
        """Its column in tables."""
        return str(self.expression)

    @property
    def sign(self) -> int:
        """What makes it one to be minimised."""
        return 1 if self.direction == "minimize" else -1


@dataclass(frozen=True)
class Constraint:
    """A bound that a design must keep: `host.iops >= 10000`."""

    text: str

    def __post_init__(self) -> None:
        _ = self.sides

    @property
    def sides(self) -> tuple[Expression, Expression]:
        """The side that must not be larger, and the one that must not be smaller.

        Raises:
            ConfigError: there is no such comparison.
        """
        mark, left, right = self.parts
        return (left, right) if mark == "<=" else (right, left)

    @property
    def parts(self) -> tuple[str, Expression, Expression]:
        """The comparison, and what stands left and right of it, a quantity with a unit in the unit of the figure on the other side.

        Raises:
            ConfigError: there is no such comparison.
        """
        for mark in ("<=", ">="):
            left, found, right = self.text.partition(mark)
            if found and "<" not in right and ">" not in right:
                return (
                    mark,
                    Expression(in_unit_of(left, right)),
                    Expression(in_unit_of(right, left)),
                )
        raise ConfigError(
            f"{self.text!r}: accepted is a comparison with <= or >=, such as host.iops >= 10000"
        )

    @property
    def weighed(self) -> Expression:
        """The side that differs between designs, where one is a number alone; else the left one."""
        _, left, right = self.parts
        return right if left.is_number else left

    def excess(self, lookup: Lookup) -> float | None:
        """By how much it is broken, or, below 0, kept; none where a figure is missing."""
        small, large = (side.evaluate(lookup) for side in self.sides)
        return None if small is None or large is None else small - large


BATCH = 6
"""Points that are proposed together unless another number is asked for."""


@dataclass(frozen=True)
class Goal:
    """What is wanted, and how long it is looked for."""

    objectives: tuple[Objective, ...]
    """What is made small or large."""
    constraints: tuple[Constraint, ...] = ()
    """What designs must keep."""
    trials: int = 60
    """Points that are run in full at most, or, with short runs, tried."""
    batch: int = BATCH
    """Points that are proposed together. The search depends on it, not on how many run at a time."""
    short: float | None = None
    """Share of the requests of a run that comes first as a filter."""
    seed: int = 1
    """Seed of the proposals."""
    seeds: int = 1
    """Runs of each point, whose means count."""
    service: Service | None = None
    """A service whose cost expressions may name."""

    def __post_init__(self) -> None:
        if not self.objectives:
            raise ConfigError(
                "search: there is no objective; name a figure to minimise or maximise"
            )
        counted("trials", self.trials, MOST_POINTS)
        counted("batch", self.batch, MOST_POINTS)
        counted("seeds", self.seeds, MOST_SEEDS)
        counted("seed", self.seed, 2**32 - 1, least=0)
        if self.short is not None and not 0 < self.short < 1:
            raise ConfigError(f"short = {self.short}: accepted is a share between 0 and 1")

    @property
    def expected(self) -> Expected:
        """The runs of the whole search, if no point is proposed twice. After short runs about a third of the points are run in full, and of one objective all of the
        first batch, as the pruner has nothing to compare them with.
        """
        if self.short is None:
            return Expected(self.trials * self.seeds)
        first = min(self.batch, self.trials) if len(self.objectives) == 1 else 0
        whole = first + -(-(self.trials - first) // 3)
        return Expected(self.trials * self.seeds, whole * self.seeds, 1 / self.short)


def dominates(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether a design is at least as good in every objective (all minimised) and better in one."""
    pairs = [*zip(one, other, strict=True)]
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


def front(values: Sequence[Sequence[float]]) -> list[int]:
    """The places of those that no other dominates."""
    return [
        place
        for place, own in enumerate(values)
        if not any(dominates(other, own) for other in values)
    ]


def best_third(values: Sequence[Sequence[float]]) -> list[int]:
    """The places of the best third, one at least: front by front, each in the given order."""
    left = list(range(len(values)))
    chosen: list[int] = []
    while left and len(chosen) < max(len(values) / 3, 1):
        best = [left[place] for place in front([values[each] for each in left])]
        chosen += best
        left = [each for each in left if each not in best]
    return sorted(chosen[: max(round(len(values) / 3), 1)])
