"""The file that an import writes: a line for each value, with what became of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from wordline.errors import ConfigError
from wordline.importing.rows import Fixed, Row, Simulator, Value, refused, shown


@dataclass(frozen=True)
class Line:
    """A key with its value, and where that comes from."""

    key: str
    value: Any
    comment: str


def lines(simulator: Simulator, found: Mapping[str, Value], file: str) -> Iterator[Line]:
    """The keys that a file becomes, in the order of the table.

    Raises:
        ConfigError: the first value that is not accepted.
    """
    for row in simulator.rows:
        if isinstance(row, Fixed):
            yield Line(row.key, row.value, f"assumed: {row.why}")
            continue
        if not row.key or row.convert is None:
            continue
        missing = [name for name in row.names if name not in found]
        if missing and not row.default:
            continue
        texts = tuple(
            found[name].text.strip() if name in found else default
            for name, default in zip(row.names, row.default or row.names, strict=True)
        )
        try:
            value = row.convert(*texts)
        except (ValueError, ArithmeticError) as error:
            raise wrong(row, found, texts, file, error) from error
        if value is not None:
            yield Line(row.key, value, comment(simulator, row, found, missing))


def wrong(
    row: Row, found: Mapping[str, Value], texts: tuple[str, ...], file: str, error: Exception
) -> ConfigError:
    """Names the value that is not accepted: of several, the one in whose place the simulator's own would be."""
    accepted = str(error) if isinstance(error, ValueError) else "a number that is not 0"
    there = [name for name in row.names if name in found]
    # what decides over the others stands first: with it changed they may not matter
    usual = (name for name in reversed(there) if converts(row, texts, name))
    culprit = next(usual, there[0] if there else "")
    if not culprit:
        return ConfigError(f"{file}: {', '.join(row.names)}: accepted: {accepted}")
    return refused(file, found[culprit].line, culprit, found[culprit].text, accepted)


def converts(row: Row, texts: tuple[str, ...], name: str) -> bool:
    """Whether the values of a row are accepted with the simulator's own for this name."""
    if not row.default or row.convert is None:
        return False
    with suppress(ValueError, ArithmeticError):
        row.convert(
            *(
                default if each == name else text
                for each, text, default in zip(row.names, texts, row.default, strict=True)
            )
        )
        return True
    return False


def comment(simulator: Simulator, row: Row, found: Mapping[str, Value], missing: list[str]) -> str:
    """Where the value of a row comes from."""
    there = [name for name in row.names if name in found]
    parts = []
    if there:
        said = ", ".join(f"{name} = {shown(found[name].text)}" for name in there)
        parts.append(f"taken over: {said}")
    if missing:
        parts.append(f"assumed: {', '.join(missing)} not in the file, {simulator.defaults}")
    if row.why:
        parts.append(row.why)
    return "; ".join(parts)


def text(
    simulator: Simulator,
    found: Mapping[str, Value],
    file: str,
    kept: Iterable[Line],
    without_effect: Sequence[tuple[Line, str]],
) -> str:
    """The whole file as TOML: the keys that are kept, and in comments what has no equal or, beside the others, no effect."""
    # keys without a section come first
    sections: dict[str, list[str]] = {"": []}
    for line in kept:
        section, _, key = line.key.rpartition(".")
        sections.setdefault(section, []).append(
            f"{key} = {toml(line.value)}  # {shown_whole(line.comment)}"
        )
    head = [
        f"# Imported by `wordline import` from {shown(file)} ({simulator.name}, {simulator.file}).",
        "# Each line says whether its value was taken over or assumed; what has no equal stands at the end.",
        f"# Meanings as in {simulator.source}.",
    ]
    body = [
        "\n".join(["", f"[{section}]", *keys] if section else ["", *keys])
        for section, keys in sections.items()
        if keys
    ]
    return "\n".join([*head, *body, *without_equal(simulator, found), *idle(without_effect), ""])


def idle(without_effect: Sequence[tuple[Line, str]]) -> Iterator[str]:
    """Comments on what the file says and what changes nothing; what was assumed is not worth one."""
    said = [(line, why) for line, why in without_effect if line.comment.startswith("taken")]
    if said:
        yield ""
        yield "# Without effect beside the others:"
    for line, why in said:
        yield f"# {line.key} = {toml(line.value)}: {shown_whole(line.comment)}; {shown_whole(why)}"


def without_equal(simulator: Simulator, found: Mapping[str, Value]) -> Iterator[str]:
    """Comments on what was not taken over."""
    reasons = {
        name: row.why
        for row in simulator.rows
        if isinstance(row, Row) and not row.key
        for name in row.names
    }
    known = {name for row in simulator.rows if isinstance(row, Row) for name in row.names}
    left = [
        (name, value, reasons.get(name, "not known to `wordline import`"))
        for name, value in found.items()
        if (name in reasons or name not in known) and name not in simulator.passed_over
    ]
    if left:
        yield ""
        yield "# Without an equal:"
    for name, value, why in left:
        yield f"# line {value.line}: {shown(name)} = {shown(value.text)}: {why}"


def shown_whole(comment: str) -> str:
    """A comment on one line."""
    return re.sub(r"\s+", " ", comment)


def toml(value: Any) -> str:
    """A value as TOML writes it."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case list():
            return f"[{', '.join(toml(part) for part in value)}]"
        case str():
            # JSON escapes as TOML does
            return json.dumps(value, ensure_ascii=False)
    raise ConfigError(f"no value of a configuration: {value!r}")
