"""What the runs of a figure gave: values with intervals, ratios, and what says nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from wordline.points.outcome import Outcome
from wordline.report.section import Row
from wordline.statistics import Interval, estimate
from wordline.studies.grid import BEST, Cell, GridFigure, Metric

LATEST_ONSET = 1 / 3
"""Share of the host's programs by which collection must have begun: a run is at least three times as long."""


def void(outcome: Outcome, *, aged: bool) -> str:
    """Why a run says nothing; empty where it does."""
    if "overloaded" in outcome.notes:
        return "overloaded"
    if aged:
        onset = outcome.observed.get("gc_onset")
        if onset is None:
            return "no collection"
        if onset > LATEST_ONSET:
            return "late collection"
    return ""


class Measured:
    """The outcomes of a figure."""

    def __init__(self, figure: GridFigure, outcomes: Mapping[Cell, Mapping[int, Outcome]]) -> None:
        self.figure = figure
        self.outcomes = outcomes
        """The outcomes of each cell by seed, void ones included."""
        aged = {(variant.panel, variant.name): variant.aged for variant in figure.variants}
        self.voids = {
            cell: reason
            for cell, runs in self.outcomes.items()
            for outcome in runs.values()
            if (reason := void(outcome, aged=aged[cell.panel, cell.variant]))
        }
        """Cells that say nothing, and why: those with a run that does not."""

    @cached_property
    def panels(self) -> Sequence[str]:
        """Panels, in the order of the declaration."""
        return list(dict.fromkeys(variant.panel for variant in self.figure.variants))

    @cached_property
    def loads(self) -> Sequence[str]:
        """Loads that were run."""
        run = {cell.load for cell in self.outcomes}
        return [load.name for load in self.figure.loads if load.name in run]

    def variants(self, panel: str) -> Sequence[str]:
        """Variants of a panel."""
        return [variant.name for variant in self.figure.variants if variant.panel == panel]

    def metric(self, name: str) -> Metric:
        """The metric called `name`.

        Raises:
            KeyError: the figure has none of that name.
        """
        for metric in self.figure.metrics:
            if metric.name == name:
                return metric
        raise KeyError(name)

    def by_seed(self, metric: Metric, cell: Cell) -> Mapping[int, float]:
        """The metric of each run of a cell; nothing where the cell is void or was not run."""
        if cell in self.voids:
            return {}
        runs = self.outcomes.get(cell, {})
        values = {seed: metric.of(outcome) for seed, outcome in runs.items()}
        return {seed: value for seed, value in values.items() if value is not None}

    def value(self, metric: str, panel: str, variant: str, load: str) -> Interval | None:
        """A metric as it is; `None` where there is none that says anything."""
        cell = Cell(panel, variant, load)
        values = self.by_seed(self.metric(metric), cell).values()
        return estimate(list(values)) if values else None

    def ratio(
        self, metric: str, panel: str, variant: str, other: str, load: str
    ) -> Interval | None:
        """A metric over that of another variant of the panel, seed by seed; `None` likewise."""
        chosen = self.metric(metric)
        ours = self.by_seed(chosen, Cell(panel, variant, load))
        theirs = self.by_seed(chosen, Cell(panel, other, load))
        pairs = [(ours[seed], theirs[seed]) for seed in ours if seed in theirs]
        if chosen.inverse:
            pairs = [(below, above) for above, below in pairs]
        if not pairs or not all(below for _, below in pairs):
            return None
        return estimate([above / below for above, below in pairs])

    def baseline(self, metric: str, panel: str, load: str) -> str | None:
        """The variant that a panel's values are divided by."""
        chosen = self.figure.baseline
        name = chosen if isinstance(chosen, str) else chosen[panel]
        if name != BEST:
            return name
        values = {
            variant: value.mean
            for variant in self.variants(panel)
            if (value := self.value(metric, panel, variant, load))
        }
        return min(values, key=values.__getitem__) if values else None

    def shown(self, metric: Metric, panel: str, variant: str, load: str) -> Interval | None:
        """A metric as the figure shows it: divided by that of the baseline, or as it is."""
        if not metric.relative:
            return self.value(metric.name, panel, variant, load)
        other = self.baseline(metric.name, panel, load)
        return self.ratio(metric.name, panel, variant, other, load) if other else None

    @cached_property
    def points(self) -> Sequence[Mapping[str, Any]]:
        """Every value that the figure shows, for its chart."""
        return [
            {
                "metric": metric.name,
                "panel": panel,
                "load": load,
                "variant": variant,
                "value": interval.mean,
                "low": interval.mean - (interval.half_width or 0.0),
                "high": interval.mean + (interval.half_width or 0.0),
            }
            for metric in self.figure.metrics
            for panel in self.panels
            for load in self.loads
            for variant in self.variants(panel)
            if (interval := self.shown(metric, panel, variant, load))
        ]

    def rows(self) -> list[Row]:
        """The table of the figure: a row for each metric, panel and load."""
        columns = list(dict.fromkeys(variant.name for variant in self.figure.variants))
        rows: list[Row] = []
        for metric in self.figure.metrics:
            for panel in self.panels:
                for load in self.loads:
                    row: dict[str, object] = {"metric": metric.name}
                    if len(self.panels) > 1:
                        row["drive"] = panel
                    row["load"] = load
                    row["unit"] = metric.unit_shown
                    if any(metric.relative for metric in self.figure.metrics):
                        row["baseline"] = self.absolute(metric, panel, load)
                    for variant in columns:
                        row[variant] = self.cell_text(metric, panel, variant, load)
                    rows.append(row)
        return rows

    def absolute(self, metric: Metric, panel: str, load: str) -> Interval | Quantity | None:
        """What the values of a row are divided by."""
        other = self.baseline(metric.name, panel, load) if metric.relative else None
        value = self.value(metric.name, panel, other, load) if other else None
        unit = metric.unit_of_runs
        return Quantity(value, unit) if value and unit else value

    def cell_text(
        self, metric: Metric, panel: str, variant: str, load: str
    ) -> Interval | Reason | None:
        """A cell of the table: the value, or why there is none."""
        interval = self.shown(metric, panel, variant, load)
        reason = self.voids.get(Cell(panel, variant, load))
        return Reason(f"void: {reason}") if reason else interval

    def remarks(self) -> Iterator[str]:
        """What the reader should know beside the table."""
        if self.voids:
            counts: dict[str, int] = {}
            for reason in self.voids.values():
                counts[reason] = counts.get(reason, 0) + 1
            said = ", ".join(f"{count} for {reason}" for reason, count in sorted(counts.items()))
            yield f"Void, and left out of every figure and verdict: {len(self.voids):,} of {len(self.outcomes):,} cells ({said})."


@dataclass(frozen=True)
class Quantity:
    """An interval with its unit."""

    interval: Interval
    """The values."""
    unit: str
    """Their unit."""

    def __str__(self) -> str:
        return f"{self.interval} {self.unit}"


@dataclass(frozen=True)
class Reason:
    """Why a cell has no value; not text, so that its column stays one of numbers."""

    text: str
    """In a word."""

    def __str__(self) -> str:
        return self.text
