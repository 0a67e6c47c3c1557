"""Drives and workloads as the user writes them: a file or preset, and overrides by dotted path."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, Self, TypeAlias

from wordline import _wordline

Overrides: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Drive:
    """A drive description: a preset or a TOML file, with overrides on top.

    Nothing is filled in here; `simulate` resolves it together with the workload, and `Result.config`
    is the complete description that ran.
    """

    source: str
    is_text: bool = False
    overrides: Overrides = ()

    @classmethod
    def from_toml(cls, path_or_preset: str | PathLike[str], **overrides: Any) -> Self:
        """A drive from a file or from the name of a preset (`wordline presets` lists them).

        Overrides are dotted keys, `**{"ftl.gc.victim": "greedy", "geometry.channels": 8}`, or
        nested tables, `ftl={"gc": {"victim": "greedy"}}`. Quantities carry units: `"25 us"`.

        Raises:
            ConfigError: no such file or preset, or a key or value that is not accepted.
        """
        return cls(fspath(path_or_preset), False, flatten(overrides)).checked()

    @classmethod
    def from_text(cls, toml: str, **overrides: Any) -> Self:
        """A drive from TOML text, for example `Result.config` of an earlier run.

        Raises:
            ConfigError: a key or value that is not accepted.
        """
        return cls(toml, True, flatten(overrides)).checked()

    def checked(self) -> Self:
        """The drive itself, once it has been found to be complete and possible."""
        _resolve(self.source, self.is_text, None, self.overrides)
        return self


@dataclass(frozen=True, init=False)
class Workload:
    """Where host commands come from: the `[workload]` table of a file, keywords, or both.

    `Workload(kind="random", read_fraction=0.7, queue_depth=32)` needs no file. The keys are those of
    the `[workload]` table.
    """

    path: str | None
    overrides: Overrides

    def __init__(self, path: str | PathLike[str] | None = None, /, **keys: Any) -> None:
        object.__setattr__(self, "path", None if path is None else fspath(path))
        object.__setattr__(self, "overrides", flatten(keys, "workload"))

    @classmethod
    def from_toml(cls, path: str | PathLike[str], **keys: Any) -> Self:
        """A workload from a TOML or a fio job file, with keys of its `[workload]` table replaced."""
        return cls(path, **keys)

    @classmethod
    def trace(cls, path: str | PathLike[str], **keys: Any) -> Self:
        """The replay of a block trace; `wordline formats` lists the formats it may have."""
        return cls(kind="trace", path=fspath(path), **keys)


def resolve(drive: Drive, workload: Workload | None) -> _wordline.Resolved:
    """The complete configuration of a run.

    Raises:
        ConfigError: what is refused, where, and what would be accepted.
    """
    path = workload.path if workload else None
    overrides = (*drive.overrides, *(workload.overrides if workload else ()))
    return _resolve(drive.source, drive.is_text, path, overrides)


def resolve_trace(path: str | PathLike[str], overrides: Overrides) -> _wordline.Trace:
    """A block trace and how it is read; only keys that say so are accepted.

    Raises:
        ConfigError: what is refused, and what would be accepted.
    """
    with utf8():
        return _wordline.resolve_trace(fspath(path), list(overrides))


def _resolve(
    source: str, is_text: bool, workload: str | None, overrides: Overrides
) -> _wordline.Resolved:
    with utf8():
        return _wordline.resolve(source, is_text, workload, list(overrides))


@contextmanager
def utf8() -> Iterator[None]:
    """Refuse text that Python holds and UTF-8 does not."""
    try:
        yield
    except UnicodeEncodeError as error:  # Python holds bytes that are no text as surrogates
        raise _wordline.ConfigError(f"{error.object!r}: not UTF-8 text") from error


def present(keys: Mapping[str, Any]) -> Overrides:
    """The keys that have a value, as `flatten` gives them."""
    return flatten({key: value for key, value in keys.items() if value is not None})


def flatten(keys: Mapping[str, Any], prefix: str = "") -> Overrides:
    """Nested or dotted keys as (dotted path, TOML value) pairs, in the order given."""
    pairs: list[tuple[str, str]] = []
    for key, value in keys.items():
        path = f"{prefix}.{key}" if prefix else key
        if isinstance(value, Mapping):
            pairs.extend(flatten(value, path))
        else:
            pairs.append((path, toml_value(path, value)))
    return tuple(pairs)


def toml_value(path: str, value: object) -> str:
    """One value in TOML's spelling.

    Raises:
        ConfigError: a value of a type that no key takes.
    """
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            # a JSON string is a TOML basic string, but for surrogate pairs and a bare DEL
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case int() | float():
            return repr(value)
        case PathLike():
            return toml_value(path, fspath(value))
        case list() | tuple():
            return "[" + ", ".join(toml_value(path, item) for item in value) + "]"
        case _:
            raise _wordline.ConfigError(
                f"{path}: {value!r} is a Python {type(value).__name__}; accepted are text, "
                "numbers, true or false, and lists of them"
            )
