"""What became of a point of a search: its runs, objectives and constraints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from wordline.config import Overrides
from wordline.errors import ConfigError
from wordline.points.engine import Engine
from wordline.points.job import Failure
from wordline.points.outcome import Outcome
from wordline.points.point import Point
from wordline.searching.goal import Goal
from wordline.service import Service
from wordline.sweeps.layers import Layers
from wordline.sweeps.values import quantity

DONE, SHORT, FAILED = "complete", "short run only", "failed"
"""How the trial of a point ended."""


@dataclass(frozen=True)
class Tried:
    """A point of a search."""

    settings: Overrides
    state: str
    values: tuple[float, ...] = ()
    """Objectives as they are, not with the sign of the search; of the short run where that is all there is."""
    excesses: tuple[float, ...] = ()
    bounded: tuple[float, ...] = ()
    """What the constraints bound."""
    error: str | None = None


def signed(values: Sequence[float], goal: Goal) -> list[float]:
    """Objectives that are all to be minimised."""
    return [each.sign * value for each, value in zip(goal.objectives, values, strict=True)]


def run_all(
    layers: Layers, every: Sequence[Overrides], goal: Goal, engine: Engine, short: float | None
) -> dict[Overrides, list[Outcome | Failure]]:
    """The outcomes of each seed of points."""
    points = {
        settings: [shortened(layers, settings, seed, short) for seed in range(goal.seeds)]
        for settings in every
    }
    found = engine.each([point for own in points.values() for point in own])
    return {settings: [found[point] for point in own] for settings, own in points.items()}


def shortened(layers: Layers, settings: Overrides, seed: int, share: float | None) -> Point:
    """The run of settings, or a share of it.

    Raises:
        ConfigError: the workload does not say how many requests it has.
    """
    point = layers.point(settings, seed)
    if share is None:
        return point
    try:
        config = point.resolved
    except ConfigError:
        return point  # refused in the same way when it is run
    for key in ("workload.take", "workload.requests"):
        try:
            count = config.get(key)
        except KeyError:
            continue
        if isinstance(count, int):
            return replace(
                point, overrides=(*point.overrides, (key, str(max(round(share * count), 1))))
            )
    raise ConfigError(
        "short: the workload has neither `workload.requests` nor `workload.take`, so there is no shorter run of it"
    )


def judged(
    layers: Layers, settings: Overrides, runs: Sequence[Outcome | Failure], goal: Goal
) -> Tried:
    """Objectives and constraints of a point: means over its seeds."""
    values: list[tuple[float, ...]] = []
    excesses: list[tuple[float, ...]] = []
    bounded: list[tuple[float, ...]] = []
    for seed, run in enumerate(runs):
        if isinstance(run, Failure):
            return Tried(settings, FAILED, error=f"{run.kind}: {run.text}")
        try:
            lookup = with_service(layers.point(settings, seed), run, goal.service)
        except ConfigError as error:
            return Tried(settings, FAILED, error=f"service: {error}")
        for found, wanted in (
            (
                values,
                [
                    (str(each.expression), each.expression.evaluate(lookup))
                    for each in goal.objectives
                ],
            ),
            (excesses, [(each.text, each.excess(lookup)) for each in goal.constraints]),
            (
                bounded,
                [(str(each.weighed), each.weighed.evaluate(lookup)) for each in goal.constraints],
            ),
        ):
            missing = [name for name, value in wanted if value is None]
            if missing:
                return Tried(
                    settings, FAILED, error=f"{missing[0]}: a figure is missing in this run"
                )
            found.append(tuple(value for _, value in wanted if value is not None))
    means, over, sides = (
        tuple(fmean(column) for column in zip(*each, strict=True))
        for each in (values, excesses, bounded)
    )
    return Tried(settings, DONE, means, over, sides)


def with_service(
    point: Point, run: Outcome, service: Service | None
) -> Callable[[str], float | None]:
    """What a key means in a run, with the cost of a service where one is asked for.

    Raises:
        ConfigError: a design that cannot be studied over the service.
    """
    of_run = looked_up(point, run)
    if service is None:
        return of_run
    figures = service.figures(point.resolved)
    return lambda key: figures[key] if key in figures else of_run(key)


def looked_up(point: Point, run: Outcome) -> Callable[[str], float | None]:
    """What a key means in a run: a figure of its summary, or a number of its configuration."""

    def lookup(key: str) -> float | None:
        figure = run.number(key)
        if figure is not None:
            return figure
        try:
            return quantity(point.resolved.get(key))[0]
        except KeyError:
            return None

    return lookup
