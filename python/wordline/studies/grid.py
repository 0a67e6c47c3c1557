"""Figures declared as grids: what varies, under which loads, with which seeds, and what is looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from wordline import _wordline
from wordline.points.outcome import Outcome
from wordline.points.point import Point, overlay
from wordline.report.section import Figure
from wordline.studies.study import Form, Part, Pickled
from wordline.studies.verdict import Claim

if TYPE_CHECKING:
    from wordline.studies.measured import Measured

BEST = "the best"
"""Baseline of figures whose values are divided by the least of their panel."""

QUIET: Mapping[str, object] = {"output.request_log": 0, "output.slowest": 0}
"""What a study does not look at need not be recorded."""

TENANT = "trace"
"""Name of the tenant that replays a trace into a part of the drive."""


@dataclass(frozen=True)
class Load:
    """A workload of a study."""

    name: str
    """As tables and charts show it; says whether it is a surrogate or an excerpt."""
    keys: Mapping[str, object]
    """Keys of its `[workload]` table."""
    quick: Mapping[str, object] = field(default_factory=dict)
    """Keys that the quick form replaces."""
    trace: str | None = None
    """File below the folder of traces that it replays; without it the load is left out, and said to be."""

    @property
    def seeded(self) -> bool:
        """Whether its requests are drawn from a seed."""
        return self.trace is None

    def absent(self, form: Form) -> bool:
        """Whether its trace is not there."""
        return self.trace is not None and not (form.traces / self.trace).is_file()

    def overrides(self, form: Form, seed: int, space: float | str | None) -> Mapping[str, object]:
        """What it lays over a drive; `space` is the part of the drive that it falls in."""
        keys = {**self.keys, **(self.quick if form.quick else {})}
        if self.trace is None:
            region = {} if space is None else {"region": space}
            keys = {**region, **keys, "seed": seed}
            return {f"workload.{key}": value for key, value in keys.items()}
        keys = {"kind": "trace", "path": str((form.traces / self.trace).resolve()), **keys}
        part = {} if space is None else {f"tenants.{TENANT}.space": space}
        return {
            **part,
            **{f"tenants.{TENANT}.workload.{key}": value for key, value in keys.items()},
        }


@dataclass(frozen=True)
class Variant:
    """One of the drives that a figure compares."""

    name: str
    """As tables and charts show it."""
    drive: str
    """Its preset."""
    keys: Mapping[str, object] = field(default_factory=dict)
    """Dotted keys laid over the preset."""
    panel: str = ""
    """Part of the figure that it stands in; it is compared with its panel's variants only."""
    space: float | str | None = None
    """Share or bytes of the user space that requests fall in and traces are folded into; the whole if left out. Bytes
    that are a multiple of every page size keep the alignment of folded requests."""
    aged: bool = False
    """Whether it starts from a drawn state in which garbage collection has to run: the seeds then apply to traces
    too, and a run without collection is void."""
    worked_out: Callable[[Point, Outcome], Mapping[str, float]] | None = None
    """Keys of the summary that are worked out from a run of the drive, in place of those of the run: what is compared is not simulated."""


@dataclass(frozen=True)
class Metric:
    """What is looked at."""

    name: str
    """As tables and charts show it."""
    value: str | Callable[[Outcome], float | None]
    """Key of the summary, or what takes it from an outcome."""
    unit: str = ""
    """Its unit, for what a function takes from an outcome, and for counts and shares. A key of the summary that has a
    dimension declares its unit itself."""
    relative: bool = True
    """Whether it is divided by that of the baseline."""
    inverse: bool = False
    """Whether the baseline is divided by it instead: a speed-up."""

    @property
    def unit_of_runs(self) -> str:
        """Unit of the figure of one run; empty where it has none."""
        declared = summary_units().get(self.value, "1") if isinstance(self.value, str) else "1"
        return self.unit if declared == "1" else declared

    @property
    def unit_shown(self) -> str:
        """Unit of what the figure shows: a ratio, or that of the runs."""
        return "ratio" if self.relative else self.unit_of_runs

    def of(self, outcome: Outcome) -> float | None:
        """The figure of one run."""
        return outcome.number(self.value) if isinstance(self.value, str) else self.value(outcome)


@cache
def summary_units() -> Mapping[str, str]:
    """The unit of every key of the summary, `1` for counts and shares."""
    return {name: unit for name, unit, _ in _wordline.summary_keys()}


@dataclass(frozen=True)
class Cell:
    """A variant under a load."""

    panel: str
    """Panel of the variant."""
    variant: str
    """Name of the variant."""
    load: str
    """Name of the load."""


Judge: TypeAlias = "Callable[[Measured], Claim]"
"""Judges a claim by what was measured; `wordline.studies.claims` makes the usual ones."""

Chart: TypeAlias = "Callable[[Measured], Mapping[str, object]]"
"""Draws what was measured as a Vega-Lite specification; `wordline.studies.charts` has the usual ones."""


@dataclass(frozen=True)
class GridFigure(Pickled):
    """A figure made of runs: every variant under every load with every seed."""

    heading: str
    """Heading of its section."""
    text: str
    """What is compared with what, and how."""
    title: str
    """Caption of the chart."""
    variants: Sequence[Variant]
    """The drives."""
    loads: Sequence[Load]
    """The workloads."""
    metrics: Sequence[Metric]
    """What is looked at."""
    claims: Sequence[Judge]
    """What the source says about it."""
    chart: Chart
    """How it is drawn."""
    baseline: str | Mapping[str, str] = ""
    """Name of the variant that relative metrics are divided by, one for all panels or by panel, or `BEST`."""
    seeds: Sequence[int] = (1, 2, 3)
    """Seeds of whatever is random; the quick form takes the first."""
    observers: tuple[str, ...] = ("gc_onset",)
    """What is taken from the tables of the runs."""
    remark: str = ""
    """How to read the chart."""
    whole_only: bool = False
    """Whether the quick form leaves its runs out, because short runs on its drives say nothing."""
    variants_are: str = ""
    """What the variants are values of: title of the horizontal axis of a chart of lines."""

    def seeds_of(self, variant: Variant, load: Load, form: Form) -> Sequence[int]:
        """Seeds of the runs of a cell: one where nothing is drawn."""
        several = (load.seeded or variant.aged) and not form.quick
        return self.seeds if several else self.seeds[:1]

    def point(self, variant: Variant, load: Load, seed: int, form: Form) -> Point:
        """One run."""
        keys = overlay(
            QUIET, {"seed": seed}, variant.keys, load.overrides(form, seed, variant.space)
        )
        names = (self.heading, variant.panel, variant.name, load.name, f"seed {seed}")
        label = ", ".join(name for name in names if name)
        return Point(variant.drive, keys, self.observers, label)

    def grid(self, form: Form) -> Mapping[Cell, Mapping[int, Point]]:
        """The runs of every cell by seed; loads whose trace is absent are left out."""
        if form.quick and self.whole_only:
            return {}
        return {
            Cell(variant.panel, variant.name, load.name): {
                seed: self.point(variant, load, seed, form)
                for seed in self.seeds_of(variant, load, form)
            }
            for variant in self.variants
            for load in self.loads
            if not load.absent(form)
        }

    def points(self, form: Form) -> Sequence[Point]:
        """Every run."""
        return [point for runs in self.grid(form).values() for point in runs.values()]

    def measured(self, form: Form, outcomes: Mapping[Point, Outcome]) -> Measured:
        """What those of its runs gave that were done."""
        from wordline.studies.measured import Measured

        worked_out = {(each.panel, each.name): each.worked_out for each in self.variants}

        def found(cell: Cell, point: Point) -> Outcome:
            outcome, work_out = outcomes[point], worked_out[cell.panel, cell.variant]
            if work_out is None:
                return outcome
            return replace(outcome, summary={**outcome.summary, **work_out(point, outcome)})

        return Measured(
            self,
            {
                cell: {
                    seed: found(cell, point) for seed, point in runs.items() if point in outcomes
                }
                for cell, runs in self.grid(form).items()
            },
        )

    def part(self, form: Form, outcomes: Mapping[Point, Outcome]) -> Part:
        """The figure and its claims."""
        measured = self.measured(form, outcomes)
        figure = Figure(self.title, self.chart(measured), measured.rows(), self.remark)
        claims = [judge(measured) for judge in self.claims]
        absent = [load.name for load in self.loads if load.absent(form)]
        remarks = [*measured.remarks()]
        # several variants may look at one run
        needed = set(self.points(form))
        runs, done = len(needed), len(needed & outcomes.keys())
        if done < runs:
            remarks.append(
                f"**Unfinished**: {done} of {runs} runs were done when this was written. Cells without a run are empty, claims are judged "
                "without them, and intervals are of the seeds that were run."
            )
        if absent:
            remarks.append(
                f'Not run, because the trace is absent (`--traces`): {", ".join(absent)}. "Every load" means the others.'
            )
        return Part(self.heading, self.text, figure, claims, remarks, runs, done)
