"""What the tables of simulators are made of: a row for each name, and how its value is read."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from wordline.errors import ConfigError
from wordline.formatting import printable

Converter: TypeAlias = Callable[..., Any]
"""From the texts of the names of a row to the value of its key; `None` leaves the key out. It raises `ValueError` with what is accepted."""
LONGEST = 60
"""Characters of a value that are shown."""
LARGEST = 1 << 53
MOST_MEGATRANSFERS = 10_000
"""Rate of the fastest channel, in MT/s."""


@dataclass(frozen=True)
class Value:
    """What a file says: the text and its line, counted from 1."""

    text: str
    line: int


@dataclass(frozen=True)
class Row:
    """A key of Wordline and the names that its value follows from, or names that have no equal."""

    names: tuple[str, ...]
    key: str = ""
    """The key; empty where there is no equal."""
    convert: Converter | None = None
    default: tuple[str, ...] = ()
    """What the simulator takes where the file does not say, a text for each name; none: the key is left out then."""
    why: str = ""
    """What differs, or why there is no equal."""


@dataclass(frozen=True)
class Fixed:
    """A key that no name of the file says."""

    key: str
    value: Any
    why: str


@dataclass(frozen=True)
class Found:
    """What a file holds: its names, and those that stand in it more than once or are nobody's."""

    values: Mapping[str, Value]


@dataclass(frozen=True)
class Simulator:
    """A kind of file: how it is told, read and taken over."""

    name: str
    """Its name in sentences."""
    file: str
    """What the file is usually called."""
    source: str
    """The public documentation or code that the table follows."""
    defaults: str
    """Where the values come from that are assumed for names that a file lacks."""
    is_one: Callable[[str], bool]
    """Whether a text is such a file."""
    read: Callable[[str, str], Mapping[str, Value]]
    """The names and values in a text; the second argument names the file in errors."""
    rows: Sequence[Row | Fixed]
    is_workload: bool = False
    passed_over: frozenset[str] = field(default_factory=frozenset)
    """Names that say nothing of the drive: paths, logs."""


def shown(text: str) -> str:
    """A value of a file in a sentence or a comment."""
    text = printable(" ".join(text.split()))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def refused(file: str, line: int, name: str, found: str, accepted: str) -> ConfigError:
    """A value that is not accepted."""
    return ConfigError(f"{file}: line {line}: {name} is {shown(found)!r}; accepted: {accepted}")


def whole(text: str) -> int:
    """A whole number, not negative."""
    if re.fullmatch(r"\d{1,16}", text) and int(text) <= LARGEST:
        return int(text)
    raise ValueError("a whole number, not negative, below 2^53")


def positive(text: str) -> int:
    """A whole number of at least 1."""
    if (number := whole(text)) > 0:
        return number
    raise ValueError("a whole number of at least 1")


def number(text: str) -> float:
    """A decimal number, not negative."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if 0 <= value <= LARGEST:
        return value
    raise ValueError("a decimal number, not negative")


def share(text: str) -> float:
    """A share from 0 to 1."""
    if (value := number(text)) <= 1:
        return value
    raise ValueError("a share from 0 to 1")


def switch(text: str) -> bool:
    """A truth value."""
    match text.strip().lower():
        case "true" | "1":
            return True
        case "false" | "0":
            return False
    raise ValueError("true or false")


def one_of(choices: Mapping[str, Any]) -> Converter:
    """A word out of these, in any case, and what it stands for."""

    def convert(text: str) -> Any:
        try:
            return choices[text.strip().upper()]
        except KeyError:
            raise ValueError(f"one of {', '.join(choices)}") from None

    return convert


def duration(unit: float) -> Converter:
    """A time that counts in so many nanoseconds, as Wordline writes it."""

    def convert(text: str) -> str:
        return nanoseconds(number(text) * unit)

    return convert


def nanoseconds(value: float) -> str:
    """A time in its largest unit that keeps it whole."""
    ns = round(value)
    for size, unit in ((10**6, "ms"), (10**3, "us")):
        if ns and ns % size == 0:
            return f"{ns // size} {unit}"
    return f"{ns} ns"


def size(text: str) -> str:
    """A number of bytes, as Wordline writes it."""
    return in_bytes(positive(text))


def in_bytes(value: int) -> str:
    """Bytes in their largest unit that keeps them whole."""
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if value and value % (1 << power) == 0:
            return f"{value >> power} {unit}"
    return f"{value} B"


def transfer_rate(ns: float, count: int = 1) -> str:
    """The rate of a channel on which so many bytes take a time; where they take none, the highest there is."""
    rate = min(MOST_MEGATRANSFERS, count / ns * 1e3) if ns else MOST_MEGATRANSFERS
    # the smallest unit is kT/s
    return f"{max(rate, 0.001):.3f}".rstrip("0").rstrip(".") + " MT/s"


def by_page_type(*times: str) -> str | list[str]:
    """One time, where all page types have the same, else a list."""
    return times[0] if len(set(times)) == 1 else list(times)


COUNTS = (
    "channels",
    "chips_per_channel",
    "dies_per_chip",
    "planes_per_die",
    "blocks_per_plane",
    "pages_per_block",
)
"""Counts of a geometry, from the outside inwards."""
PAGES = {"slc": ("LSB",), "mlc": ("LSB", "MSB"), "tlc": ("LSB", "CSB", "MSB")}
"""Pages of a word line by type of cell, as simulators call them."""


def counts(*named: tuple[str, str]) -> tuple[Row, ...]:
    """Rows of the innermost counts of a geometry, as many as there are names, each with what the simulator takes without it."""
    keys = COUNTS[-len(named) :]
    return tuple(
        Row((name,), f"geometry.{key}", positive, (default,))
        for key, (name, default) in zip(keys, named, strict=True)
    )


def latency(
    key: str,
    cell: str,
    cells: Mapping[str, str],
    pages: Mapping[str, str],
    unit: float,
    default: tuple[str, ...],
) -> Row:
    """The row of a latency that depends on the page.

    Args:
        key: `timing.t_r` or `timing.t_prog`.
        cell: the name of the type of cell.
        cells: its values, and the types that they stand for.
        pages: the name of each latency by the page that it is of, `LSB` to `MSB`.
        unit: nanoseconds of the latencies' unit.
        default: what the simulator takes without the cell and without each latency.
    """

    def convert(kind: str, *times: str) -> str | list[str]:
        of = dict(zip(pages, map(duration(unit), times), strict=True))
        return by_page_type(*(of[page] for page in PAGES[one_of(cells)(kind)]))

    return Row((cell, *pages.values()), key, convert, default)


def rounded_down(text: str) -> int:
    """A decimal number, not negative, without its fraction."""
    return int(number(text))
