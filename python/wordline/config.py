"""Drives and workloads as the user writes them: a file or preset, and overrides by dotted path."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from operator import index
from os import PathLike, fspath
from typing import Any, Self, TypeAlias

from wordline import _wordline
from wordline.notebook import view

Overrides: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True, init=False, repr=False)
class Drive:
    """A drive description: a preset or a TOML file, with overrides on top.

    Nothing is filled in here; `simulate` resolves it together with the workload, and `Result.config`
    is the complete description that ran.
    """

    source: str
    """The name of a preset, the path of a file, or TOML text."""
    is_text: bool
    """Whether `source` is TOML text."""
    overrides: Overrides
    """Pairs of a dotted key and its value as TOML, applied on top of `source` in this order."""

    def __init__(self, path_or_preset: str | PathLike[str], /, **overrides: Any) -> None:
        """A drive from a file or from the name of a preset (`wordline presets` lists them).

        Overrides are dotted keys, `**{"ftl.gc.victim": "greedy", "geometry.channels": 8}`, or
        nested tables, `ftl={"gc": {"victim": "greedy"}}`. Quantities carry units: `"25 us"`.

        Raises:
            ConfigError: no such file or preset, or a key or value that is not accepted.
        """
        self._set(fspath(path_or_preset), is_text=False, overrides=flatten(overrides))

    def _set(self, source: str, *, is_text: bool, overrides: Overrides) -> None:
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "is_text", is_text)
        object.__setattr__(self, "overrides", overrides)
        _resolve(source, is_text, None, overrides)  # complete and possible, or refused

    @classmethod
    def from_toml(cls, path_or_preset: str | PathLike[str], **overrides: Any) -> Self:
        """As `Drive(path_or_preset, **overrides)`.

        Raises:
            ConfigError: no such file or preset, or a key or value that is not accepted.
        """
        return cls(path_or_preset, **overrides)

    @classmethod
    def from_text(cls, toml: str, **overrides: Any) -> Self:
        """A drive from TOML text, for example `Result.config` of an earlier run.

        Raises:
            ConfigError: a key or value that is not accepted.
        """
        drive = cls.__new__(cls)
        drive._set(toml, is_text=True, overrides=flatten(overrides))
        return drive

    def _repr_html_(self) -> str:
        return view(self, [{"key": key, "value": value} for key, value in self.overrides])

    def __repr__(self) -> str:
        source = "(text)" if self.is_text else self.source
        return f"<Drive {source}{shown(self.overrides)}>"


@dataclass(frozen=True, init=False, repr=False)
class Workload:
    """Where host commands come from: the `[workload]` table of a file, keywords, or both.

    `Workload(kind="random", read_fraction=0.7, queue_depth=32)` needs no file. The keys are those of
    the `[workload]` table; what they mean together with a drive is checked with the drive.
    """

    path: str | None
    """The workload file, if there is one."""
    overrides: Overrides
    """Pairs of a dotted key and its value as TOML, applied on top of the file in this order."""

    def __init__(self, path: str | PathLike[str] | None = None, /, **keys: Any) -> None:
        """A workload from keywords, laid over a file where there is one.

        Raises:
            ConfigError: a file that cannot be read, an unknown key, or a value of another type.
        """
        object.__setattr__(self, "path", None if path is None else fspath(path))
        object.__setattr__(self, "overrides", flatten(keys, "workload"))
        with utf8():
            _wordline.check_workload(self.path, list(self.overrides))

    @classmethod
    def from_toml(cls, path: str | PathLike[str], **keys: Any) -> Self:
        """A workload from a TOML or a fio job file, with keys of its `[workload]` table replaced.

        Raises:
            ConfigError: a file that cannot be read, an unknown key, or a value of another type.
        """
        return cls(path, **keys)

    @classmethod
    def trace(cls, path: str | PathLike[str], **keys: Any) -> Self:
        """A workload that replays a block trace; `wordline formats` lists the formats that can be read.

        Raises:
            ConfigError: an unknown key, or a value of another type.
        """
        return cls(kind="trace", path=fspath(path), **keys)

    def _repr_html_(self) -> str:
        return view(self, [{"key": key, "value": value} for key, value in self.overrides])

    def __repr__(self) -> str:
        return f"<Workload{'' if self.path is None else f' {self.path}'}{shown(self.overrides)}>"


SHOWN = 4
"""Overrides that the short form of a drive or workload lists."""


def shown(overrides: Overrides) -> str:
    """The first few overrides, for the short form of what they are laid over."""
    listed = [f"{key} = {value}" for key, value in overrides[:SHOWN]]
    if len(overrides) > SHOWN:
        listed.append(f"{len(overrides) - SHOWN} more")
    return " with " + ", ".join(listed) if listed else ""


def resolve(drive: Drive, workload: Workload | None) -> _wordline.Resolved:
    """The complete configuration of a run.

    Raises:
        ConfigError: what is refused, where, and what would be accepted.
    """
    return resolve_named(drive.source, drive.overrides, workload, is_text=drive.is_text)


def resolve_named(
    source: str,
    overrides: Overrides = (),
    workload: Workload | None = None,
    *,
    is_text: bool = False,
) -> _wordline.Resolved:
    """The complete configuration of a run; the drive is looked at together with its workload only.

    Args:
        source: preset, file or text of the drive.
        overrides: dotted keys with values in TOML or bare.
        workload: the workload; that of the drive without one.
        is_text: whether `source` is TOML text.

    Raises:
        ConfigError: what is refused, where, and what would be accepted.
    """
    path = workload.path if workload else None
    of_workload = workload.overrides if workload else ()
    return _resolve(source, is_text, path, (*overrides, *of_workload))


def resolve_layers(
    source: str, is_text: bool, workload: str | None, overrides: Overrides
) -> _wordline.Resolved:
    """The complete configuration of a run whose overrides lie over drive and workload both.

    Args:
        source: preset, file or text of the drive.
        is_text: whether `source` is TOML text.
        workload: file of the workload; that of the drive without one.
        overrides: dotted keys with values in TOML or bare.

    Raises:
        ConfigError: what is refused, where, and what would be accepted.
    """
    return _resolve(source, is_text, workload, overrides)


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


def counted(name: str, number: int, most: int, *, least: int = 1) -> int:
    """A whole number within a range.

    Raises:
        ConfigError: it is none, or outside of the range.
    """
    try:
        whole = index(number)
    except TypeError:
        whole = least - 1
    if not least <= whole <= most:
        raise _wordline.ConfigError(
            f"{name} = {number}: accepted are whole numbers from {least} to {most}"
        )
    return whole


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
        case Mapping():
            # of a list of tables: a section is flattened to its keys
            pairs = (
                f"{toml_value(path, str(key))} = {toml_value(path, item)}"
                for key, item in value.items()
            )
            return "{" + ", ".join(pairs) + "}"
        case _:
            raise _wordline.ConfigError(
                f"{path}: {value!r} is a Python {type(value).__name__}; accepted are text, "
                "numbers, true or false, lists of them, and lists of dicts of them"
            )
