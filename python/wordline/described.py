"""What a TOML file, or the name of a built-in one, describes."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike, fspath
from typing import Any, ClassVar, Self

from wordline.config import Overrides, flatten


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
