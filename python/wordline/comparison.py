"""Results side by side: what differs in configuration and figures, and what of it is no chance."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

from wordline import _wordline
from wordline.drivewrites import drive_writes, is_short, text_of
from wordline.formatting import display, flat, percentage, setting, unit_of
from wordline.loading import load_seeds
from wordline.notebook import view
from wordline.notes import Note
from wordline.results import Result, Scalar
from wordline.saving import write_text
from wordline.seeds import SeedRuns, figures
from wordline.statistics import Estimate, Interval, difference, estimate

Comparable: TypeAlias = Result | SeedRuns | str | PathLike[str]

SCALED = {"s": "_s", "µs": "_us", "mW": "_mw", "mJ": "_mj", "nJ": "_nj"}
"""Units of the summary that have prefixes, and what keys with them end in: people see such figures in the unit that reads best, programs in this one."""

ATTRIBUTION = "attribution."
"""What keys of the summary that say where the time went begin with."""

START, FRESH = "age.method", "fresh"
"""The key of the state in which a drive begins, and that of a drive that nobody wrote to."""


@dataclass(frozen=True)
class Contender:
    """One of the results that are compared: a run, or runs of several seeds."""

    name: str
    """Its name in the comparison: its directory, or its position in the arguments."""
    results: tuple[Result, ...]
    """The runs, one for each seed."""

    @cached_property
    def settings(self) -> Mapping[str, object]:
        """Its configuration (with several seeds, that of the first) by dotted key."""
        return dict(flat(tomllib.loads(self.results[0].config)))

    @property
    def start(self) -> str:
        """The state in which its drive begins: `age.method`, `fresh` without one."""
        return str(self.settings.get(START, FRESH))

    @cached_property
    def figures(self) -> Mapping[str, list[float]]:
        """The values of every figure, one for each seed that has it."""
        found: dict[str, list[float]] = {}
        for result in self.results:
            for key, value in figures(result.summary).items():
                found.setdefault(key, []).append(value)
        return found

    @property
    def drive_writes(self) -> float:
        """How often the host wrote the user space of the drive, in the mean over seeds; 0 where nothing says so."""
        return fmean(drive_writes(result.summary) for result in self.results)

    @property
    def is_short(self) -> bool:
        """Whether it wrote, and less than half of the user space."""
        return is_short(self.drive_writes)

    @property
    def remarks(self) -> Mapping[str, Scalar]:
        """Values of the summary that are not numbers."""
        return {
            key: value
            for key, value in self.results[0].summary.items()
            if isinstance(value, str | bool) and not key.startswith("run.")
        }


@dataclass(frozen=True)
class Setting:
    """A key of the configuration that is not the same everywhere."""

    key: str
    """The dotted key."""
    values: tuple[object, ...]
    """The value of each contender; `None` where the key does not appear."""

    @property
    def shown(self) -> tuple[str, ...]:
        """The values for people: numbers with no more digits than tell them apart, and a dash where the key does not appear."""
        for digits in (4, 6, 9):
            texts = tuple(setting(value, digits) for value in self.values)
            if len(set(texts)) == len({str(value) for value in self.values}):
                return texts
        return tuple("–" if value is None else str(value) for value in self.values)


@dataclass(frozen=True)
class Metric:
    """A figure that every contender has."""

    key: str
    """The summary key."""
    unit: str
    """Its unit."""
    meaning: str
    """What it is, in one line."""
    values: tuple[Estimate, ...]
    """The mean of each contender."""
    differences: tuple[Interval, ...]
    """Of each contender but the first, against the first."""

    @property
    def relative(self) -> tuple[float | None, ...]:
        """The differences relative to the mean of the first contender; `None` where this mean is zero."""
        base = abs(self.values[0].mean)
        return tuple(each.mean / base if base else None for each in self.differences)

    @property
    def readable(self) -> Metric:
        """The figure in the unit in which its means read best together; where that is not the one that its key names, the key does without."""
        if self.unit not in SCALED:
            return self
        unit, factor = unit_of((each.mean for each in self.values), self.unit)
        key = self.key if unit == self.unit else self.key.removesuffix(SCALED[self.unit])
        values = tuple(each.times(factor) for each in self.values)
        return replace(
            self,
            key=key,
            unit=unit,
            values=values,
            differences=tuple(each.times(factor) for each in self.differences),
        )

    @property
    def is_chance(self) -> bool:
        """Whether zero lies within the confidence interval of every difference."""
        return all(each.is_significant is False for each in self.differences)

    @property
    def change(self) -> float:
        """The largest difference as a share of the larger mean: 0 for none, 1 for all or nothing."""
        largest = max(abs(each.mean) for each in self.values)
        change = max(abs(each.mean) for each in self.differences)
        return min(change / largest, 1.0) if largest else 0.0


@dataclass(frozen=True)
class Lacking:
    """A figure that some contenders have and others do not."""

    key: str
    """The summary key."""
    unit: str
    """Its unit."""
    values: tuple[Estimate | None, ...]
    """The mean of each contender; `None` where it has no such figure."""

    @property
    def largest(self) -> float:
        """The largest mean."""
        return max(abs(each.mean) for each in self.values if each)

    @property
    def shown(self) -> tuple[str, ...]:
        """Its key, its unit and its means for people, a dash where there is none; in the unit that reads best where the unit has prefixes."""
        key, unit, scale = self.key, self.unit, 1.0
        if unit in SCALED:
            unit, scale = unit_of((each.mean for each in self.values if each), unit)
            key = key if unit == self.unit else key.removesuffix(SCALED[self.unit])
        cells = (display(each.mean * scale if each else None) for each in self.values)
        return key, unit.strip("1"), *cells


@dataclass(frozen=True)
class Comparison:
    """The differences between results; all others are compared with the first."""

    contenders: tuple[Contender, ...]
    """The results that are compared, in the order given; the first is the reference."""
    settings: tuple[Setting, ...]
    """Differences of configuration."""
    metrics: tuple[Metric, ...]
    """Figures that differ: largest changes first, those that may be chance last."""
    same: int
    """Number of figures that are equal in all results."""
    lacking: tuple[Lacking, ...]
    """Figures that only some results have: where the time went first, the largest of it first, then the order of the summary."""
    notes: tuple[Note, ...]
    """What to know before trusting the differences."""

    @property
    def times_of_some(self) -> list[Lacking]:
        """Of the figures that only some results have those that say where the time went."""
        return [each for each in self.lacking if each.key.startswith(ATTRIBUTION)]

    def metric(self, key: str) -> Metric | None:
        """The figure of a summary key, if it differs."""
        return next((metric for metric in self.metrics if metric.key == key), None)

    def tree(self) -> dict[str, Any]:
        """Everything but the notes as values that JSON has."""
        names = [each.name for each in self.contenders]
        return {
            "contenders": [
                {"name": each.name, "seeds": [run.summary.get("sim.seed") for run in each.results]}
                for each in self.contenders
            ],
            "start": {each.name: each.start for each in self.contenders},
            "configuration": [
                {"key": each.key} | dict(zip(names, each.values, strict=True))
                for each in self.settings
            ],
            "metrics": [self.row(metric) for metric in self.metrics],
            "same": self.same,
            "only_in_some": [
                {
                    "key": each.key,
                    "unit": each.unit,
                    "values": {
                        name: asdict(value) if value else None
                        for name, value in zip(names, each.values, strict=True)
                    },
                }
                for each in self.lacking
            ],
        }

    def row(self, metric: Metric) -> dict[str, Any]:
        """A figure as values for JSON."""
        others = [each.name for each in self.contenders[1:]]
        differences = {
            name: {
                "absolute": each.mean,
                "half_width": each.half_width,
                "relative": relative,
                "significant": each.is_significant,
            }
            for name, each, relative in zip(
                others, metric.differences, metric.relative, strict=True
            )
        }
        values = {
            contender.name: asdict(each)
            for contender, each in zip(self.contenders, metric.values, strict=True)
        }
        return {
            "key": metric.key,
            "unit": metric.unit,
            "values": values,
            "differences": differences,
        }

    def html(self) -> str:
        """The comparison as one page that needs no network."""
        from wordline.report.comparison import render

        return render(self)

    def save(self, file: str | PathLike[str]) -> Path:
        """Write the page; return its path.

        Raises:
            OutputError: the file cannot be written.
        """
        path = Path(file)
        write_text(path, self.html())
        return path

    def _repr_html_(self) -> str:
        rows = [
            {"figure": each.key, "unit": each.unit}
            | {
                name.name: str(value)
                for name, value in zip(self.contenders, each.values, strict=True)
            }
            for each in (metric.readable for metric in self.metrics)
        ]
        return view(self, rows)

    def __repr__(self) -> str:
        names = " with ".join(each.name for each in self.contenders)
        return f"<Comparison of {names}: {len(self.metrics)} figures differ>"


def compare(*results: Comparable) -> Comparison:
    """Compare results with the first of them.

    Args:
        results: two or more of `Result`, `SeedRuns`, or directories that `wordline run --out` wrote.

    Raises:
        ResultError: a directory holds no result, or its result is damaged.
        ConfigError: fewer than two results.
    """
    if len(results) < 2:
        raise _wordline.ConfigError(f"a comparison needs two results or more; found {len(results)}")
    loaded = [runs(each) for each in results]
    contenders = tuple(map(Contender, names_of(results), loaded))
    settings = tuple(settings_of(contenders))
    found = metrics_of(contenders)
    differing = [metric for metric in found if metric.change]
    # a stable sort: what changed as much stays in the order of the summary
    differing.sort(key=lambda metric: (metric.is_chance, -metric.change))
    lacking = lacking_of(contenders)
    notes = tuple(notes_of(contenders, settings, lacking))
    same = len(found) - len(differing)
    return Comparison(contenders, settings, tuple(differing), same, lacking, notes)


def runs(given: Comparable) -> tuple[Result, ...]:
    """The runs of one contender."""
    match given:
        case Result():
            return (given,)
        case SeedRuns():
            return tuple(given.results.values())
        case _:
            return load_seeds(Path(given))


def names_of(results: Sequence[Comparable]) -> list[str]:
    """A name for each: as little of its path as tells it apart, a number where none does."""
    paths = [
        () if isinstance(each, Result | SeedRuns) else Path(each).resolve().parts
        for each in results
    ]
    names = []
    for number, own in enumerate(paths):
        others = [path for place, path in enumerate(paths) if place != number]
        for length in range(1, len(own) + 1):
            if all(path[-length:] != own[-length:] for path in others):
                names.append(str(Path(*own[-length:])))
                break
        else:
            stem = own[-1] if own else "result"
            names.append(f"{stem} ({number + 1})")
    return names


def settings_of(contenders: Sequence[Contender]) -> Iterator[Setting]:
    """Keys that are not the same everywhere, in the order of the configuration."""
    for key in dict.fromkeys(key for each in contenders for key in each.settings):
        values = tuple(each.settings.get(key) for each in contenders)
        if any(value != values[0] for value in values):
            yield Setting(key, values)


def metrics_of(contenders: Sequence[Contender]) -> list[Metric]:
    """Every figure that all of them have, in the order of the summary."""
    units = {name: (unit, meaning) for name, unit, meaning in _wordline.summary_keys()}
    found = []
    for key in contenders[0].figures:
        if not all(key in each.figures for each in contenders):
            continue
        samples = [each.figures[key] for each in contenders]
        unit, meaning = units.get(key, ("", ""))
        values = tuple(map(estimate, samples))
        differences = tuple(difference(samples[0], sample) for sample in samples[1:])
        found.append(Metric(key, unit, meaning, values, differences))
    return found


RESOLUTION = 1e-3
"""The unit of simulated time, in microseconds: a mean wait below it was a single request's."""


def lacking_of(contenders: Sequence[Contender]) -> tuple[Lacking, ...]:
    """Figures that some have and some have not; without waits that are below the resolution of time in the mean."""
    units = {name: unit for name, unit, _ in _wordline.summary_keys()}
    keys = dict.fromkeys(key for each in contenders for key in each.figures)
    found = [
        Lacking(
            key,
            units.get(key, ""),
            tuple(
                estimate(each.figures[key]) if key in each.figures else None for each in contenders
            ),
        )
        for key in keys
        if not all(key in each.figures for each in contenders)
    ]
    times = [
        each for each in found if each.key.startswith(ATTRIBUTION) and each.largest >= RESOLUTION
    ]
    times.sort(key=lambda each: -each.largest)
    return (*times, *(each for each in found if not each.key.startswith(ATTRIBUTION)))


NOTES = {
    "interrupted": "A run that is compared was interrupted",
    "different_workloads": "The runs differ in what the host did",
    "different_starts": "Some drives began fresh, and others were written to before",
    "different_versions": "Different versions of Wordline made the results",
    "short_of_a_drive_write": "A run wrote less than half of the drive's user space",
    "one_run": "There is one run of a result, and so no confidence interval",
    "figures_left_out": "Some of the results have figures that others do not have",
    "different_text": "What a summary says in words differs",
}
"""Keys of the notes of comparisons, and when each is given."""

WORK = ("workload.", "tenants.")
"""What keys of the host's work begin with."""


def notes_of(
    contenders: Sequence[Contender], settings: Sequence[Setting], lacking: Sequence[Lacking]
) -> Iterator[Note]:
    """What to know before trusting the differences."""
    for each in contenders:
        if any(result.is_interrupted for result in each.results):
            text = f"{each.name} was interrupted: its figures are those of a part of its workload"
            yield Note("warning", "interrupted", text)
    work = [
        each.key
        for each in settings
        if each.key.startswith(WORK) and not each.key.endswith(".seed")
    ]
    if work:
        yield Note(
            "warning",
            "different_workloads",
            f"the workloads differ ({some(work)}): a difference of the drives cannot be told from one of their work",
        )
    starts = {each.name: each.start for each in contenders}
    if FRESH in starts.values() and set(starts.values()) != {FRESH}:
        fresh = ", ".join(name for name, start in starts.items() if start == FRESH)
        text = (
            f"{fresh}: the drive began fresh, the others did not ({START}). A fresh drive has no garbage to collect, so "
            "that differences of the drives cannot be told from those of their states"
        )
        yield Note("warning", "different_starts", text)
    versions = [each.results[0].version for each in contenders]
    if len(set(versions)) > 1:
        shown = ", ".join(
            f"{each.name}: {version or 'unknown'}"
            for each, version in zip(contenders, versions, strict=True)
        )
        text = (
            f"different versions of Wordline ran these ({shown}); run them again with one version"
        )
        yield Note("warning", "different_versions", text)
    if short := [each for each in contenders if each.is_short]:
        names = ", ".join(each.name for each in short)
        text = f"{names}: {text_of(min(each.drive_writes for each in short))}."
        yield Note("warning", "short_of_a_drive_write", text)
    single = [each.name for each in contenders if len(each.results) == 1]
    if single:
        yield Note(
            "info",
            "one_run",
            f"there is one run of {' and of '.join(single)}: a difference may be chance; `wordline run --seeds 5` gives "
            "confidence intervals",
        )
    if lacking:
        count = "1 figure exists" if len(lacking) == 1 else f"{len(lacking):,} figures exist"
        yield Note(
            "info",
            "figures_left_out",
            f"{count} only in some results ({some([each.key for each in lacking])}) and cannot be compared: a model is enabled "
            "in only some runs, or there was nothing to measure",
        )
    for key in dict.fromkeys(key for each in contenders for key in each.remarks):
        values = [each.remarks.get(key) for each in contenders]
        if len(set(values)) > 1:
            shown = ", ".join(
                f"{display(value)} ({each.name})"
                for each, value in zip(contenders, values, strict=True)
            )
            yield Note("info", "different_text", f"`{key}` differs: {shown}")


def equal_figures(count: int) -> str:
    """How many figures are equal in all results, in words."""
    return "1 figure is the same" if count == 1 else f"{count:,} figures are the same"


def some(keys: Sequence[str]) -> str:
    """The first few of many keys."""
    more = f" and {len(keys) - 4} more" if len(keys) > 4 else ""
    return ", ".join(f"`{key}`" for key in keys[:4]) + more


def relative_change(share: float | None) -> str:
    """A relative difference for people."""
    if share is None:
        return "–"
    if math.isfinite(share) and abs(share) >= 9.995:
        return f"{factor(share + 1)} times"
    if -1 < share <= -0.9005:
        return f"1/{factor(1 / (share + 1))}"
    return percentage(share, "+.1f")


def factor(value: float) -> str:
    """A factor with three significant digits, and all of those before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
