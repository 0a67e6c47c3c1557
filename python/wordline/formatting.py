"""How numbers are shown to people: enough digits to compare, few enough to read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What changes the state of a terminal, or the direction of its text: all control characters but tab and line feed."""

JOINT = "\ufdd0"
"""What stands for the space between a number and its unit until lines are broken: no text has this character."""
BEFORE_UNIT = re.compile(
    r"(?<=[0-9]) (?=(?:%|°C|[fpnµmkMGT]?(?:s|J|W|V|A|B|Hz)|[KMGT]iB)(?![A-Za-z]))"
)
"""The space between a number and its unit."""


def joined(text: str) -> str:
    """A text in which no line ends between a number and its unit; `parted` gives it back as it was."""
    return BEFORE_UNIT.sub(JOINT, text)


def parted(text: str) -> str:
    """A text with the spaces that `joined` has taken."""
    return text.replace(JOINT, " ")


def printable(text: str) -> str:
    """A text for a terminal: control characters, which a file's name may hold, are shown as their escapes.

    So are bytes that are no UTF-8, which no terminal can be sent.
    """
    shown = CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
    return shown.encode("utf-8", "backslashreplace").decode()


BEFORE_PATH = r"(?<![\w/.~-])"
"""What stands before a path in a sentence: nothing that could be a part of it."""


def nearer(text: str) -> str:
    """A sentence for people: paths below the working directory as seen from there, others in full.

    Terminals and pages show it. Summaries, tables and configurations that are saved name files in full, so that results do not depend on where a
    command runs.
    """
    if "/" not in text:
        return text
    try:
        here = Path.cwd()
    except OSError:  # it is gone
        return text
    if here == here.parent:
        return text
    return re.sub(BEFORE_PATH + re.escape(f"{here}/"), "", text)


def display(value: object) -> str:
    """A value for a table: thousands separated, four significant digits, a dash for none."""
    match value:
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float() if math.isnan(value):
            return "–"
        case float() if value == 0 or 1e-3 <= abs(value) < 1e9:
            digits = significant_decimals(value)
            return f"{value:,.{digits}f}"
        case float():
            return f"{value:.4g}"
        case _:
            return str(value)


def setting(value: object, digits: int = 4) -> str:
    """A value of the configuration for a table: so many significant digits, without zeros at the end, a dash for none."""
    match value:
        case bool():
            return str(value).lower()
        case float() if 1e-4 <= abs(value) < 1e3:
            return f"{float(f'{value:.{digits}g}'):,.{digits + 4}f}".rstrip("0").rstrip(".")
        case float() if digits != 4:
            return f"{value:.{digits}g}"
        case _:
            return display(value)


def significant_decimals(value: float, digits: int = 4) -> int:
    """Decimals that show `digits` significant digits, and never fewer than none."""
    if value == 0:
        return 0
    return max(digits - 1 - math.floor(math.log10(abs(value))), 0)


def duration_us(value: float) -> str:
    """A duration given in microseconds, in the unit that reads best."""
    for scale, unit in ((1.0, "µs"), (1e3, "ms"), (1e6, "s")):
        shown = float(f"{value / scale:.3g}")
        if shown < 1e3:  # as it is shown: 999.6 µs are 1 ms
            return f"{shown:g} {unit}"
    return f"{value / 1e6:,.0f} s"


def duration(value: object) -> str:
    """A duration given in microseconds, for a table: four digits and the unit that reads best, a dash for none."""
    if not isinstance(value, int | float) or math.isnan(value):
        return display(None)
    for scale, unit in ((1e-3, "ns"), (1.0, "µs"), (1e3, "ms")):
        shown = float(f"{value / scale:.4g}")
        if shown < 1e3:
            return f"{shown:.{min(significant_decimals(shown), 3)}f} {unit}" if shown else "0 µs"
    return f"{value / 1e6:,.{significant_decimals(value / 1e6)}f} s"


PREFIXES = {"n": 1e9, "µ": 1e6, "m": 1e3, "": 1.0}
"""Prefixes of a unit of energy, power or time, the smallest first, and how many of each are one of the unit."""


def unit_of(values: Iterable[float], given: str) -> tuple[str, float]:
    """The unit for energies, powers or times that stand beside each other, and what to multiply them by.

    The largest of them then has one to three digits before the point, or is 1,000 W, J or s and more.

    Args:
        values: the figures.
        given: the unit in which they are given, such as `mW`, `nJ` or `µs`.
    """
    of_given, base = PREFIXES[given[:-1]], given[-1]
    most = max(map(abs, values), default=0.0)
    for prefix, count in PREFIXES.items():
        # as it is shown: 999.96 mW are 1 W
        if 0 < float(f"{most * count / of_given:.4g}") < 1e3:
            return prefix + base, count / of_given
    return base, 1 / of_given


def quantity(value: object, given: str) -> str:
    """An energy or power for a text, in the unit that reads best: four digits, a dash for none.

    Args:
        value: the figure.
        given: the unit in which it is given, such as `mW` or `nJ`.
    """
    if not isinstance(value, int | float) or math.isnan(value):
        return display(None)
    unit, factor = unit_of([value], given)
    return f"{display(float(f'{value * factor:.4g}'))} {unit}"


def about(seconds: float) -> str:
    """A length of time that is an estimate: one or two digits, in the unit that people plan with."""
    if seconds < 0.95:
        return "less than 1 s"
    for scale, unit, until in ((1.0, "s", 99.5), (60.0, "min", 99.5), (3_600.0, "h", 48.0)):
        shown = float(f"{seconds / scale:.2g}")
        if shown < until:
            return f"about {shown:g} {unit}"
    return f"about {float(f'{seconds / 86_400:.2g}'):,.0f} days"


def decimal_count(value: float) -> str:
    """A large number that is an estimate, in words."""
    for scale, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if value >= scale:
            return f"{float(f'{value / scale:.2g}'):,g} {word}"
    return f"{value:,.0f}"


def percent(share: float) -> str:
    """A share as a percentage: whole numbers, and two digits of what is below ten."""
    value = 100 * share
    digits = 0 if value >= 9.95 or value == 0 else min(significant_decimals(value, 2), 6)
    return f"{value:.{digits}f} %"


def percentage(share: float, digits: str = ".0f") -> str:
    """A share as a percentage with the digits that a format specification asks for, `.1f` or `+.2f`."""
    return f"{100 * share:{digits}} %"


def part_of(share: float) -> str:
    """A share as a percentage that is 0 or 100 only where the share is none or all."""
    if 0 < share < 0.005:
        return "less than 1 %"
    if 0.995 <= share < 1:
        return "more than 99 %"
    return percentage(share)


def counted(number: int, name: str) -> str:
    """A number of things, whose name is given in the singular: 1 run, 2,000 runs."""
    return f"{number:,} {name if number == 1 else plural(name)}"


def plural(name: str) -> str:
    """The plural of an English noun, or of one with words before it: queries, batches, pages."""
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return f"{name[:-1]}ies"
    return f"{name}es" if name.endswith(("s", "x", "ch", "sh")) else f"{name}s"


def flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Nested tables as dotted keys."""
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


BINARY_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def size_in_bytes(size: str) -> int:
    """A size as a resolved configuration writes it, in bytes."""
    number, unit = size.split()
    return int(number) << 10 * BINARY_UNITS.index(unit)


DECIMAL_UNITS = ("B", "kB", "MB", "GB", "TB", "PB")


def decimal_size(count: float) -> str:
    """A number of bytes in the largest decimal unit that it reaches, as capacities of drives are sold."""
    power = (
        min(max(math.floor(math.log10(count)) // 3, 0), len(DECIMAL_UNITS) - 1) if count > 0 else 0
    )
    return f"{float(f'{count / 1000**power:.4g}'):,g} {DECIMAL_UNITS[power]}"


def binary_size(count: float) -> str:
    """A number of bytes in the largest binary unit that it reaches."""
    units = BINARY_UNITS
    power = min(max(math.floor(math.log2(count)) // 10, 0), len(units) - 1) if count > 0 else 0
    return f"{float(f'{count / 1024**power:.4g}'):,g} {units[power]}"
