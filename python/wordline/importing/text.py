"""Plain texts of configurations: lines of names and values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wordline.errors import ConfigError
from wordline.importing.rows import Value, shown


def assignments(
    text: str, file: str, *, separator: str, ends: str = "", comments: str = "#"
) -> Mapping[str, Value]:
    """`name = value` of each line, up to a comment; what `ends` a value is left out.

    Raises:
        ConfigError: a line that is something else, or a name that stands there twice.
    """
    found: dict[str, Value] = {}
    for number, line in numbered(text, comments):
        name, sign, value = line.partition(separator)
        name = " ".join(name.split())
        if not sign or not name:
            raise ConfigError(
                f"{file}: line {number}: {shown(line)!r}; accepted: NAME {separator.strip() or ' '} VALUE"
            )
        if name in found:
            raise ConfigError(
                f"{file}: line {number}: {shown(name)} stands in line {found[name].line} already; accepted: each name once"
            )
        found[name] = Value(value.strip().rstrip(ends).strip(), number)
    return found


def numbered(text: str, comments: str = "#") -> Iterator[tuple[int, str]]:
    """The lines that are not empty, without comments, each with its number."""
    for number, line in enumerate(text.splitlines(), start=1):
        for mark in comments:
            line = line.partition(mark)[0]
        if stripped := line.strip():
            yield number, stripped
