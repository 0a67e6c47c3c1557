"""A point: one run, and the hash that tells whether it has been done."""

from __future__ import annotations

import hashlib
import inspect
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from wordline import _wordline
from wordline.config import Overrides, resolve_layers, toml_value
from wordline.errors import ConfigError
from wordline.formatting import flat
from wordline.points.files import File, digest, files_of
from wordline.points.job import PointJob
from wordline.points.outcome import OBSERVERS
from wordline.policies import hashes_of_policies
from wordline.seeds import with_seed

FORMAT = 3
"""Form of what is kept; a change of it makes every point new."""


@dataclass(frozen=True)
class Point:
    """One run: a drive, what is laid over it, and what is looked at."""

    drive: str
    """Preset, file or text of the drive."""
    overrides: Overrides
    """Dotted keys and their TOML values, laid over drive and workload."""
    observers: tuple[str, ...] = ()
    """Names in `OBSERVERS` of what is taken from the tables."""
    label: str = field(default="", compare=False)
    """What the point is, for messages."""
    is_text: bool = False
    """Whether `drive` is TOML text."""
    workload: str | None = None
    """File of the workload; that of the drive without one."""
    raised: int = 0
    """By how much every seed of the configuration is raised."""

    @cached_property
    def resolved(self) -> _wordline.Resolved:
        """The complete configuration.

        Raises:
            ConfigError: what is refused; the message begins with the label.
        """
        try:
            # the same name for all: two presets that say the same are one point
            named = (*self.overrides, ("name", toml_value("name", "a point")))
            found = resolve_layers(self.drive, self.is_text, self.workload, named)
            hashes_of_policies(found)  # refuses what could not be told apart
            return with_seed(found, self.raised) if self.raised else found
        except ConfigError as error:
            raise ConfigError(self.told(error)) from error

    @cached_property
    def files(self) -> tuple[File, ...]:
        """The files that the configuration names.

        Raises:
            ConfigError: the configuration is refused, or a file cannot be read.
        """
        config = self.resolved.toml
        try:
            return files_of(config)
        except ConfigError as error:
            raise ConfigError(self.told(error)) from error

    @cached_property
    def key(self) -> str:
        """Hash of whatever the outcome depends on: configuration, content of the files, simulator and observers.

        Raises:
            ConfigError: the configuration is refused, or a file cannot be read.
        """
        contents = {file.key: (file.name, file.digest) for file in self.files}
        config = {**dict(flat(tomllib.loads(self.resolved.toml))), **contents}
        observers = {name: inspect.getsource(OBSERVERS[name]) for name in self.observers}
        whole = (FORMAT, simulator(), config, observers, hashes_of_policies(self.resolved))
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()

    @property
    def job(self) -> PointJob:
        """What runs it, here or elsewhere.

        Raises:
            ConfigError: the configuration is refused, or a file cannot be read.
        """
        return PointJob(self.key, self.resolved.toml, self.files, self.label, self.observers)

    def told(self, error: Exception) -> str:
        """The message of an error, with the label before it."""
        return f"{self.label}: {error}" if self.label else str(error)


def simulator() -> str:
    """What tells one build of the simulator from another: the digest of its compiled part."""
    return digest(Path(_wordline.__file__))


def overlay(*layers: Mapping[str, object]) -> Overrides:
    """Mappings of dotted keys laid over each other, the last on top, as overrides."""
    merged: dict[str, object] = {}
    for layer in layers:
        merged.update(layer)
    return tuple((key, toml_value(key, value)) for key, value in merged.items())
