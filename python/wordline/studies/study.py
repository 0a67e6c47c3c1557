"""A study: figures with claims, some computed on the spot and some from grids of runs."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from wordline import _wordline
from wordline.notebook import view
from wordline.points.engine import Engine
from wordline.points.outcome import Outcome
from wordline.points.point import Point
from wordline.report.section import Figure
from wordline.studies.verdict import Claim


@dataclass(frozen=True)
class Form:
    """In which form a study is done."""

    quick: bool
    """Fewer and shorter runs: a check that the study works, not a result."""
    traces: Path
    """Folder of the real traces."""


class Pickled:
    """A dataclass that can be pickled with the functions that it holds.

    Functions of a module are pickled by name, as always; closures, such as the claims that `claims.ordering` returns, by value.
    """

    def __reduce__(self) -> str | tuple[Any, ...]:
        import cloudpickle

        return rebuilt, (type(self), cloudpickle.dumps(vars(self)))


def rebuilt(kind: Callable[..., object], fields: bytes) -> object:
    """What was pickled as `Pickled`."""
    return kind(**pickle.loads(fields))


@dataclass(frozen=True, repr=False)
class Part:
    """A figure of a study and the claims about it."""

    heading: str
    """Heading of its section."""
    text: str
    """What is compared with what, and how."""
    figure: Figure
    """The figure and its numbers."""
    claims: Sequence[Claim] = field(default_factory=tuple)
    """The claims that the figure bears on."""
    remarks: Sequence[str] = field(default_factory=tuple)
    """What else the reader should know: traces that are absent, points that are void."""
    runs: int = 0
    """Runs that it is made of."""
    done: int = 0
    """Runs that were done; fewer where it was looked at before the end."""
    open_table: bool = False
    """Whether the table of the figure is what it is about, and stands open on the page."""

    def _repr_html_(self) -> str:
        rows = [
            {"claim": each.text, "verdict": str(each.verdict), "ours": each.ours}
            for each in self.claims
        ]
        return view(self, rows)

    def __repr__(self) -> str:
        return f"<Part {self.heading}: {len(self.claims)} claims>"


class StudyFigure(Protocol):
    """What a study is made of: the runs that a figure needs, and the figure made from them."""

    def points(self, form: Form) -> Sequence[Point]:
        """The runs."""

    def part(self, form: Form, outcomes: Mapping[Point, Outcome]) -> Part:
        """The figure and its claims."""


@dataclass(frozen=True)
class Computed(Pickled):
    """A figure that needs no runs of a drive."""

    compute: Callable[[bool], Part]
    """Computes it; the argument asks for a coarser and quicker one."""

    def points(self, form: Form) -> Sequence[Point]:
        """None."""
        del form
        return ()

    def part(self, form: Form, outcomes: Mapping[Point, Outcome]) -> Part:
        """The figure and its claims."""
        del outcomes
        return self.compute(form.quick)


@dataclass(frozen=True)
class Traced(Pickled):
    """A figure that is computed from real traces; it says so where they are absent."""

    compute: Callable[[Form], Part]
    """Computes it in a form, which says where traces are."""

    def points(self, form: Form) -> Sequence[Point]:
        """None."""
        del form
        return ()

    def part(self, form: Form, outcomes: Mapping[Point, Outcome]) -> Part:
        """The figure and its claims."""
        del outcomes
        return self.compute(form)


@dataclass(frozen=True, repr=False)
class Study(Pickled):
    """A study of the literature."""

    name: str
    """As `wordline reproduce` takes it."""
    title: str
    """Heading of its chapter."""
    source: str
    """What is reproduced."""
    introduction: str
    """What a reader should know before the claims."""
    figures: Mapping[str, StudyFigure]
    """Its figures, by name."""
    terms: Mapping[str, str] = field(default_factory=dict)
    """What the names in its charts mean; stands before the first chart."""
    cover: str = ""
    """The figure that the chapter opens with; the first if left out."""
    closing: str = ""
    """What is said after the last figure, in Markdown."""

    def __reduce__(self) -> str | tuple[Any, ...]:
        from wordline.studies import STUDIES, find

        if STUDIES.get(self.name) is self:
            return find, (self.name,)
        return super().__reduce__()

    def _repr_html_(self) -> str:
        return view(self, [{"figure": name} for name in self.figures])

    def __repr__(self) -> str:
        return f"<Study {self.name}: {self.title}>"

    def chosen(self, figure: str | None) -> Mapping[str, StudyFigure]:
        """All figures, or the one called `figure`.

        Raises:
            ConfigError: there is no such figure.
        """
        if figure is None:
            return self.figures
        if figure not in self.figures:
            hint = _wordline.did_you_mean(figure, list(self.figures))
            raise _wordline.ConfigError(
                f"--figure {figure}: {self.name} has none of that name; {hint}accepted are {', '.join(self.figures)}"
            )
        return {figure: self.figures[figure]}

    def run(self, figure: str | None, form: Form, engine: Engine) -> dict[str, Part]:
        """The parts of the study, or the one of a figure.

        Raises:
            ConfigError: there is no such figure, or a point is refused.
            TraceError, RunError, OutputError, KeyboardInterrupt: see `Engine.run`.
        """
        chosen = self.chosen(figure)
        points = [point for entry in chosen.values() for point in entry.points(form)]
        outcomes = engine.run(points)
        return {name: entry.part(form, outcomes) for name, entry in chosen.items()}
