"""XML of configurations: names and texts of the elements that hold no others, with their lines. Entities are refused, which may grow without bound."""

from __future__ import annotations

from typing import NoReturn
from xml.parsers import expat

from wordline.errors import ConfigError
from wordline.importing.rows import Value

DEEPEST = 32
"""Elements in one another."""
MOST = 10_000
"""Elements of a file."""


def elements(text: str, file: str) -> list[tuple[tuple[str, ...], Value]]:
    """The innermost elements in their order, each under the names from the root to it.

    Raises:
        ConfigError: it is no XML, declares a document type or entities, or is deeper or larger than a configuration is.
    """
    found: list[tuple[tuple[str, ...], Value]] = []
    path: list[str] = []
    texts: list[str] = []
    starts: list[int] = []
    leaf = False
    parser = expat.ParserCreate()

    def refuse(problem: str) -> NoReturn:
        raise ConfigError(f"{file}: line {parser.CurrentLineNumber}: {problem}")

    def start(name: str, _attributes: object) -> None:
        nonlocal leaf
        path.append(name)
        starts.append(parser.CurrentLineNumber)
        texts.clear()
        leaf = True
        if len(path) > DEEPEST:
            refuse(f"elements are more than {DEEPEST} deep; a configuration has fewer")
        if len(found) >= MOST:
            refuse(f"more than {MOST} elements; a configuration has fewer")

    def end(_name: str) -> None:
        nonlocal leaf
        if leaf:
            found.append((tuple(path), Value("".join(texts).strip(), starts[-1])))
        leaf = False
        path.pop()
        starts.pop()

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = texts.append
    parser.StartDoctypeDeclHandler = lambda *_: refuse(
        "a document type (DOCTYPE), with which XML declares entities; remove it: configurations need none"
    )
    try:
        # as text: what a declaration says of the encoding was true of the file
        parser.Parse(without_declaration(text), True)
    except expat.ExpatError as error:
        raise ConfigError(
            f"{file}: line {error.lineno}: not XML: {expat.ErrorString(error.code)}"
        ) from error
    return found


def without_declaration(text: str) -> str:
    """The text with blanks for its declaration, so that lines keep their numbers."""
    begin = text.lstrip()
    if begin.startswith("<?xml") and "?>" in begin:
        end = begin.index("?>") + 2
        return "\n" * (text[: len(text) - len(begin)] + begin[:end]).count("\n") + begin[end:]
    return text
