"""A configuration to run: a drive file and the files that it names."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

Keys: TypeAlias = dict[str, Any]

DRIVE = "drive.toml"
FIRST = "first.toml"
"""The drive file of the run after which the state of the drive is saved."""
STATE = "first.state"
"""The state that the drive of a case begins with, if the case says so: that of its own drive after a first run."""


@dataclass(frozen=True)
class Case:
    """A drive file and the files beside it."""

    base: str
    """The preset that the drive starts from."""
    keys: Keys
    """Values by dotted path."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Text of the files that keys name, by file name."""
    pair: tuple[str, ...] = ()
    """The features that it was drawn for."""

    def without(self, path: str) -> Case:
        """The same without a key, or without the keys of a section."""
        kept = {key: value for key, value in self.keys.items() if not is_below(key, path)}
        return replace(self, keys=kept)

    def setting(self, path: str, value: Any) -> Case:
        """The same with a key."""
        return replace(self, keys={**self.keys, path: value})

    @property
    def goes_on(self) -> bool:
        """Whether it begins with the state after a first run."""
        return self.keys.get("age.method") == "snapshot" and self.keys.get("age.snapshot") == STATE

    def first(self) -> Case:
        """That first run: the same, without any ageing of its own."""
        return self.without("age")

    def toml(self) -> str:
        """The drive file."""
        lines = [f"base = {toml(self.base)}"]
        lines += [f"{key} = {toml(value)}" for key, value in self.keys.items()]
        return "\n".join(lines) + "\n"

    def write(self, folder: Path) -> Path:
        """Make a folder that holds these files alone; the drive file."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name, text in self.files.items():
            (folder / name).write_text(text, encoding="utf-8")
        drive = folder / DRIVE
        drive.write_text(self.toml(), encoding="utf-8")
        if self.goes_on:
            (folder / FIRST).write_text(self.first().toml(), encoding="utf-8")
        return drive


def is_below(path: str, section: str) -> bool:
    """Whether a path is this one, or in this section."""
    return path == section or path.startswith(f"{section}.")


def toml(value: Any) -> str:
    """A value in TOML's spelling."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case list():
            return "[" + ", ".join(map(toml, value)) + "]"
        case dict():
            return "{ " + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + " }"
        case _:
            return json.dumps(value, ensure_ascii=False)
