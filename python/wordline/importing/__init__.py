"""Configurations and workloads of other simulators as files of Wordline: `wordline import`. A file of this package for each kind, with a table of its names."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from wordline.config import resolve_named
from wordline.errors import ConfigError
from wordline.importing import (
    disksim,
    femu,
    flashsim,
    mqsim,
    mqsim_workload,
    simplessd,
    ssdsim,
    writing,
)
from wordline.importing.rows import Fixed, Row, Simulator
from wordline.importing.writing import Line

SIMULATORS: tuple[Simulator, ...] = (
    mqsim.SIMULATOR,
    mqsim_workload.SIMULATOR,
    ssdsim.SIMULATOR,
    simplessd.SIMULATOR,
    flashsim.SIMULATOR,
    femu.SIMULATOR,
    disksim.SIMULATOR,
)
"""The kinds of files that are imported, in the order in which they are told apart."""
LARGEST = 16 << 20
"""Bytes of a file: configurations have some kilobytes."""
WITHOUT_EFFECT = re.compile(r"(?P<key>[\w.]+) = .*?: (?P<why>has no effect here: .*)", re.DOTALL)
"""What the check of a drive says of a key that changes nothing beside the others."""
PLACE = re.compile(r" \(drive text:\d+\)")
"""Where the other key stands in a text that has no name yet."""
EXPECTED = "; ".join(f"{simulator.name} ({simulator.file})" for simulator in SIMULATORS)


@dataclass(frozen=True)
class Imported:
    """A file of Wordline that was made of another simulator's."""

    simulator: Simulator
    text: str
    """The file, as TOML."""
    lines: tuple[Line, ...]
    """Its keys."""

    @property
    def assumed(self) -> int:
        """Keys of which the file said nothing."""
        return sum(line.comment.startswith("assumed: ") for line in self.lines)


def text_of(path: Path) -> str:
    """The text of a file.

    Raises:
        ConfigError: it cannot be read, is too large, or is not text.
    """
    try:
        if not path.exists():
            raise ConfigError(f"{path}: there is no such file")
        if not path.is_file():
            raise ConfigError(f"{path}: is a folder or a device; name a file; accepted: {EXPECTED}")
        if path.stat().st_size > LARGEST:
            raise ConfigError(f"{path}: is larger than {LARGEST >> 20} MiB; configurations are not")
        content = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    if b"\0" in content:
        raise ConfigError(f"{path}: is not text, and every accepted file is: {EXPECTED}")
    # comments of some of these files are in encodings of their own
    return content.decode("utf-8-sig", errors="replace")


def import_file(path: str | PathLike[str]) -> Imported:
    """What the file of another simulator is as a file of Wordline.

    Raises:
        ConfigError: no such file, or none of these simulators', or a value that cannot be taken over.
    """
    path = Path(path)
    text = text_of(path)
    simulator = next((each for each in SIMULATORS if each.is_one(text)), None)
    if simulator is None:
        raise ConfigError(
            f"{path}: does not look like a configuration of a simulator that can be imported; accepted: {EXPECTED}"
        )
    found = simulator.read(text, str(path))
    of_it = fitting(simulator, found)
    keys = list(writing.lines(of_it, found, str(path)))
    without_effect: list[tuple[Line, str]] = []
    while True:
        made = writing.text(of_it, found, path.name, keys, without_effect)
        if simulator.is_workload:
            break
        try:
            check(made)
            break
        except ConfigError as error:
            # other simulators have values of what they do not use; a drive file has none
            idle = WITHOUT_EFFECT.search(str(error))
            line = next((line for line in keys if idle and line.key == idle["key"]), None)
            if idle is None or line is None:
                raise ConfigError(
                    f"{path}: the drive that it describes cannot be simulated: {error}"
                ) from error
            keys.remove(line)
            without_effect.append((line, PLACE.sub("", idle["why"])))
    return Imported(simulator, made, tuple(keys))


def fitting(simulator: Simulator, found: object) -> Simulator:
    """The rows that a file needs: those of its flows, if it is a workload."""
    if simulator is mqsim_workload.SIMULATOR:
        return mqsim_workload.of_flows(found)  # type: ignore[arg-type]
    return simulator


def check(text: str) -> None:
    """Check a drive that was made.

    Raises:
        ConfigError: it cannot be simulated; the message says which value.
    """
    tomllib.loads(text)
    resolve_named(text, is_text=True)


def table() -> Iterator[str]:
    """The reference page: for each simulator its names, and what becomes of them."""
    yield (
        "# Names of other simulators\n\n`wordline import FILE` makes a drive file or a workload file of a configuration of these simulators "
        "([how to](../how-to/import-from-other-simulators.md)). A name without a key has no equal and stands in a comment of the result.\n"
    )
    for simulator in SIMULATORS:
        yield (
            f"\n## {simulator.name}\n\nFile: {simulator.file}. After {simulator.source}. What a file does not say is assumed, {simulator.defaults}.\n\n"
            "| name | key | what is assumed | remark |\n|---|---|---|---|\n"
        )
        for row in simulator.rows:
            yield cells(row)


def cells(row: Row | Fixed) -> str:
    """A row of the page."""
    if isinstance(row, Fixed):
        return f"| | `{row.key}` | `{writing.toml(row.value)}` | {row.why} |\n"
    names = ", ".join(f"`{name}`" for name in row.names)
    key = f"`{row.key}`" if row.key else "none"
    default = ", ".join(f"`{text}`" for text in row.default)
    return f"| {names} | {key} | {default} | {row.why} |\n"
