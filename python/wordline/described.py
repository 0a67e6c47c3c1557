"""What a TOML file, or the name of a built-in one, describes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, ClassVar, Self

from wordline import _wordline
from wordline.config import Overrides, flatten
from wordline.errors import ConfigError

MOST_BASES = 16
"""Files of a description that lie on each other; the loader itself refuses more, and circles."""
OF_CHIPS = ("chip", "device", "bias", "policy", "calibration")
"""Sections that the description of a chip has and that of a drive has not."""


class Described:
    """Something described in TOML; it never changes."""

    _make: ClassVar[type[Any]]
    """What the engine knows of it; made from a name or a text, and overrides."""
    _inner: Any

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    @classmethod
    def from_toml(cls, path_or_name: str | PathLike[str], **overrides: Any) -> Self:
        """From a file or from the name of a built-in one.

        Overrides are dotted keys, `**{"cell.vth.step": 0.3}`, or nested tables; quantities carry units: `"17 V"`.

        Raises:
            ConfigError: no such file or name, or a key or value that is not accepted.
        """
        return cls.from_overrides(fspath(path_or_name), flatten(overrides))

    @classmethod
    def from_overrides(cls, path_or_name: str, overrides: Overrides) -> Self:
        """As `from_toml`, with overrides as the command line gives them: dotted keys, values in TOML or bare.

        Raises:
            ConfigError: no such file or name, or a key or value that is not accepted.
        """
        return cls(cls._make(path_or_name, False, list(overrides)))

    @classmethod
    def from_text(cls, toml: str, **overrides: Any) -> Self:
        """From TOML text.

        Raises:
            ConfigError: a key or value that is not accepted.
        """
        return cls(cls._make(toml, True, list(flatten(overrides))))

    @property
    def toml(self) -> str:
        """The description, defaults filled in."""
        toml: str = self._inner.toml
        return toml

    def __reduce__(self) -> tuple[Callable[[str], Self], tuple[str]]:
        return type(self).from_text, (self.toml,)


def is_chip(source: str) -> bool:
    """Whether a name or file describes a chip, not a drive.

    Raises:
        ConfigError: it is neither the name of one, nor a file.
    """
    chips = [chip["name"] for chip in _wordline.chips()]
    presets = [preset["name"] for preset in _wordline.presets()]
    if source in chips or source in presets:
        return source in chips
    path = Path(source)
    if not path.is_file():
        hint = _wordline.did_you_mean(source, [*chips, *presets])
        raise ConfigError(
            f"{source}: neither a file nor a name that is built in; {hint}accepted are chips (`wordline chips`), "
            "presets (`wordline presets`), and TOML files of either"
        )
    return describes_chip(path, chips, presets)


def describes_chip(path: Path, chips: Sequence[str], presets: Sequence[str]) -> bool:
    """Whether a file describes a chip: by the description it stands on, else by its sections."""
    for _ in range(MOST_BASES):
        try:
            tree = tree_of(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            return False  # the loader of drives says what is wrong
        if any(section in tree for section in OF_CHIPS):
            return True
        base = tree.get("base")
        if not isinstance(base, str) or base in presets:
            return False
        if base in chips:
            return True
        path = path.parent / base
    return False


def tree_of(text: str) -> dict[str, Any]:
    """A description as tables. The engine reads a newer TOML than Python does: what Python does not read gives its sections, empty, and its base."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        sections: dict[str, Any] = {
            name: {} for name in re.findall(r"^\s*\[\s*([\w-]+)\s*\]", text, re.MULTILINE)
        }
        base = re.search(r"""^\s*base\s*=\s*["']([^"']*)["']""", text, re.MULTILINE)
        return sections | ({"base": base[1]} if base else {})
