"""A study: figures with claims, some computed on the spot and some from grids of runs."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from wordline import _wordline
from wordline.notebook import view
from wordline.points.engine import Engine
from wordline.points.keeping import keeping, kept, sources
from wordline.points.outcome import Outcome
from wordline.points.point import Point
from wordline.report.section import Figure
from wordline.studies.lessons import Lesson
from wordline.studies.verdict import Claim, Verdict


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

    @classmethod
    def of_plain(cls, plain: Mapping[str, Any]) -> Part:
        """The part of what `asdict` gave."""
        claims = [
            Claim(**{**claim, "verdict": Verdict(**claim["verdict"])}) for claim in plain["claims"]
        ]
        return cls(**{**plain, "figure": Figure(**plain["figure"]), "claims": claims})

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
    """A figure that is computed on the spot; the store of the study keeps it."""

    compute: Callable[[bool], Part]
    """Computes it; the argument asks for a coarser and quicker one."""

    def points(self, form: Form) -> Sequence[Point]:
        """None."""
        del form
        return ()

    def part(self, form: Form, outcomes: Mapping[Point, Outcome]) -> Part:
        """The figure and its claims."""
        del outcomes
        return kept_part(self.compute, form.quick, lambda: self.compute(form.quick))


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
        on = [form.quick, listed(form.traces)]
        return kept_part(self.compute, on, lambda: self.compute(form))


def kept_part(function: Callable[..., Part], on: object, compute: Callable[[], Part]) -> Part:
    """What a function computes, from the store of the study where it was computed by the same code before.

    Args:
        function: computes it.
        on: its arguments, as JSON has them.
        compute: calls it.

    Raises:
        OutputError: the store cannot be written.
    """
    name = f"{function.__module__}.{function.__qualname__}"
    return kept(["part", name, sources(function.__module__), on], compute, asdict, Part.of_plain)


def listed(folder: Path) -> list[tuple[str, int, int]]:
    """The files below a folder with their sizes and times of change; none where there is no folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    states = [(path, path.stat()) for path in files]
    return [
        (str(path.relative_to(folder)), state.st_size, state.st_mtime_ns) for path, state in states
    ]


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
    left_out: str = ""
    """What of the source is not simulated: the first line of the chapter, in Markdown."""
    closing: str = ""
    """What is said after the last figure, in Markdown."""
    lessons: Sequence[Lesson] = ()
    """What a designer can take from it: the chapter opens with these."""
    cited: str = ""
    """The paper in a few words, such as "Hu et al. 2011": it stands before the section, figure or table of each claim."""

    def __reduce__(self) -> str | tuple[Any, ...]:
        from wordline.studies import find, offered

        found = offered().get(self.name)
        if found and found.load() is self:
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
        """The parts of the study, or the one of a figure. Points are kept as soon as they are done, and so is what is computed without an engine.

        Raises:
            ConfigError: there is no such figure, or a point is refused.
            TraceError, RunError, OutputError, KeyboardInterrupt: see `Engine.run`.
        """
        chosen = self.chosen(figure)
        points = [point for entry in chosen.values() for point in entry.points(form)]
        outcomes = engine.run(points)
        with keeping(engine.store):
            return {name: entry.part(form, outcomes) for name, entry in chosen.items()}
