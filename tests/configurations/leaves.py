"""The keys of the schema, and values for each: a key that is added takes part without a word here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from hypothesis import strategies as st

Schema: TypeAlias = Mapping[str, Any]
Values: TypeAlias = st.SearchStrategy[Any]

CHOICES = ("anyOf", "oneOf", "allOf")
ANY_NAME = "<name>"
"""Stands in a path for a name that the user chooses."""


@dataclass(frozen=True)
class Leaf:
    """A key that has a value."""

    path: str
    schema: Schema

    @property
    def is_switch(self) -> bool:
        """Whether it chooses between a few ways to work: most of what a drive does depends on these."""
        kinds = set(kinds_of(self.schema))
        return kinds <= {"choice", "boolean", "null"} and bool(kinds - {"null"})


def leaves(schema: Schema, path: str = "") -> Iterator[Leaf]:
    """Every key of a schema."""
    properties = list(properties_of(schema))
    if not properties:
        yield Leaf(path, schema)
    for key, below in properties:
        yield from leaves(below, f"{path}.{key}" if path else key)


def properties_of(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """The keys of a section; nothing for a value."""
    if "properties" in schema:
        yield from schema["properties"].items()
    elif isinstance(schema.get("additionalProperties"), Mapping):
        yield ANY_NAME, schema["additionalProperties"]
    for choice in CHOICES:
        for alternative in schema.get(choice, ()):
            yield from properties_of(alternative)


def kinds_of(schema: Schema) -> Iterator[str]:
    """What kinds of values a schema accepts."""
    for alternative in alternatives(schema):
        if "const" in alternative or "enum" in alternative:
            yield "choice"
        else:
            types = alternative.get("type", "any")
            yield from [types] if isinstance(types, str) else types


def alternatives(schema: Schema) -> Iterator[Schema]:
    """The schema, or what it is one of."""
    nested = [below for choice in CHOICES for below in schema.get(choice, ())]
    if not nested:
        yield schema
    for below in nested:
        yield from alternatives(below)


UNIT = re.compile(r"\(((?:[^()|]+\|)+[^()|]+)\)\\s\*\$$")
"""The units at the end of the pattern of a quantity."""
FEW = st.integers(0, 8)
COMMON = st.integers(1, 500)
LARGEST = (2**16, 2**32 - 1, 2**32, 2**53, 2**63 - 1)
EXTREME = st.sampled_from((0, 1, *LARGEST))
FRACTIONS = st.floats(0, 1).map(lambda share: round(share, 3))
NUMBERS = st.sampled_from((0.0, 1.0, 0.5, 1e-12, 1e-300, 1e18, 1e308, -1.0, float("inf")))
TEXTS = st.sampled_from(("", "x", "nothing of the kind", "µ \\ \"'"))


def values(schema: Schema) -> Values:
    """Values for a key: mostly plausible ones, and extremes; a few that its schema forbids.

    Values that are forbidden are to be refused; the others are to be refused or to work.
    """
    accepted = [value for below in alternatives(schema) for value in of_alternative(below)]
    near = [st.just(schema["default"])] if schema.get("default") is not None else []
    return st.one_of(*accepted, *near)


def of_alternative(schema: Schema) -> Iterator[Values]:
    """Values of a schema without alternatives."""
    if "const" in schema:
        yield st.just(schema["const"])
    elif "enum" in schema:
        yield st.sampled_from([value for value in schema["enum"] if value is not None])
    elif "pattern" in schema:
        yield quantities(schema["pattern"])
    else:
        types = schema.get("type", "string")
        for kind in [types] if isinstance(types, str) else types:
            yield from of_type(kind, schema)


def of_type(kind: str, schema: Schema) -> Iterator[Values]:
    """Values of a JSON type."""
    match kind:
        case "boolean":
            yield st.booleans()
        case "integer":
            yield st.one_of(FEW, FEW, COMMON, EXTREME)
        case "number":
            yield st.one_of(FRACTIONS, FRACTIONS, FEW, NUMBERS)
        case "array":
            least = schema.get("minItems", 0)
            most = schema.get("maxItems", max(4, least))
            yield st.lists(values(schema["items"]), min_size=least, max_size=most)
        case "object":
            properties = dict(properties_of(schema))
            needed = set(schema.get("required", ()))
            yield st.fixed_dictionaries(
                {key: values(below) for key, below in properties.items() if key in needed},
                optional={key: values(b) for key, b in properties.items() if key not in needed},
            )
        case "string":
            yield TEXTS
        case "null":
            return
        case _:
            raise NotImplementedError(f"a schema of type {kind}: {schema}")


def quantities(pattern: str) -> Values:
    """Numbers with a unit that the pattern accepts."""
    found = UNIT.search(pattern)
    units = re.sub(r"\[(.).\]", r"\1", found[1]).split("|") if found else ["%"]
    amounts = st.one_of(
        COMMON.map(str),
        COMMON.map(str),
        FEW.map(str),
        st.sampled_from(("0.5", "2.75", "1e3", "1e-9", *map(str, LARGEST))),
    )
    return st.builds("{} {}".format, amounts, st.sampled_from(units))
