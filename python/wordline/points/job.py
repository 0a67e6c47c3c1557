"""What runs a point, wherever it is run: plain data that travels to other processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from wordline import _wordline
from wordline.config import resolve_named
from wordline.errors import ConfigError, RunError, TraceError
from wordline.notes import refuse_inconsistent
from wordline.points.files import File, overrides_of
from wordline.points.outcome import Outcome
from wordline.results import Result

KINDS: Mapping[str, type[Exception]] = {
    "ConfigError": ConfigError,
    "TraceError": TraceError,
    "RunError": RunError,
}
"""The errors of a run, by name."""


@dataclass(frozen=True)
class Failure:
    """Why a point has no outcome."""

    kind: str
    """Name of the error: `ConfigError`, `TraceError`, `RunError`, `WorkerLost`, or that of an error of Python."""
    text: str
    """What went wrong, in a sentence."""

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """What an error says."""
        return cls(type(error).__name__, str(error) or type(error).__name__)

    def error(self, label: str) -> Exception:
        """The error, with the label of its point before the text."""
        return KINDS.get(self.kind, RuntimeError)(f"{label}: {self.text}" if label else self.text)


@dataclass(frozen=True)
class PointJob:
    """A point that can be run in any process that has the same build of Wordline."""

    key: str
    """Hash of the point."""
    config: str
    """The complete configuration."""
    files: tuple[File, ...]
    """The files that it names."""
    label: str = ""
    """What the point is, for messages."""
    observers: tuple[str, ...] = ()
    """What is taken from the tables."""

    def run(
        self, goes_on: Callable[[], bool], places: Mapping[str, Path] | None = None
    ) -> Outcome | Failure:
        """The outcome of the point, or why it has none.

        Args:
            goes_on: asked again and again whether somebody still waits for the outcome.
            places: files that lie at other places than in the configuration, by digest.

        Raises:
            KeyboardInterrupt: nobody waits any more.
        """
        places = places or {}
        try:
            resolved = resolve_named(self.config, overrides_of(self.files, places), is_text=True)
            output = _wordline.simulate(resolved, False, lambda *_: goes_on())
            result = Result(output, self.config)
            refuse_inconsistent(result.notes)
        except Exception as error:  # whatever a point does is told in its place
            failure = Failure.of(error)
            return replace(failure, text=self.as_configured(failure.text, places))
        if result.is_interrupted:
            raise KeyboardInterrupt
        found = Outcome.of(result, self.observers)
        notes = {
            key: replace(note, text=self.as_configured(note.text, places))
            for key, note in found.notes.items()
        }
        return replace(found, notes=notes)

    def lost(self, text: str) -> Failure:
        """The failure of a point that ended its process again and again."""
        return Failure("WorkerLost", text)

    def as_configured(self, text: str, places: Mapping[str, Path]) -> str:
        """A text that names files where the configuration has them."""
        for file in self.files:
            if file.digest in places:
                text = text.replace(str(places[file.digest]), file.path)
        return text
