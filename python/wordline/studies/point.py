"""A point of a study: one run, and the hash that tells whether it has been done."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from wordline import _wordline
from wordline.config import Overrides, resolve_named, toml_value
from wordline.studies.outcome import OBSERVERS

FORMAT = 1
"""Form of what is kept; a change of it makes every point new."""


@dataclass(frozen=True)
class Point:
    """One run: a preset, what is laid over it, and what is looked at."""

    drive: str
    """Preset or file of the drive."""
    overrides: Overrides
    """Dotted keys and their TOML values, workload and seed included."""
    trace: Path | None = None
    """Trace that the workload replays; its content is part of the hash, its place is not."""
    observers: tuple[str, ...] = ()
    """Names in `OBSERVERS` of what is taken from the tables."""
    label: str = field(default="", compare=False)
    """What the point is, for messages."""

    @cached_property
    def resolved(self) -> _wordline.Resolved:
        """The complete configuration.

        Raises:
            ConfigError: what is refused; the message begins with the label.
        """
        try:
            # the same name for all: two presets that say the same are one point
            named = (*self.overrides, ("name", toml_value("name", "a point")))
            return resolve_named(self.drive, named)
        except _wordline.ConfigError as error:
            raise _wordline.ConfigError(f"{self.label}: {error}") from error

    @cached_property
    def key(self) -> str:
        """Hash of whatever the outcome depends on: configuration, trace, simulator and observers.

        Raises:
            ConfigError: the configuration is refused, or the trace cannot be read.
        """
        config = self.resolved.toml
        content = None
        if self.trace is not None:
            config = config.replace(toml_value("", str(self.trace.resolve())), '"trace"')
            try:
                content = digest(self.trace)
            except OSError as error:
                raise _wordline.ConfigError(
                    f"{self.label}: {self.trace}: cannot be read: {error.strerror}"
                ) from error
        observers = {name: inspect.getsource(OBSERVERS[name]) for name in self.observers}
        whole = (FORMAT, simulator(), config, content, observers)
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()


@cache
def digest(path: Path) -> str:
    """SHA-256 of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def simulator() -> str:
    """What tells one build of the simulator from another: the digest of its compiled part."""
    return digest(Path(_wordline.__file__))


def overlay(*layers: Mapping[str, object]) -> Overrides:
    """Mappings of dotted keys laid over each other, the last on top, as overrides."""
    merged: dict[str, object] = {}
    for layer in layers:
        merged.update(layer)
    return tuple((key, toml_value(key, value)) for key, value in merged.items())
