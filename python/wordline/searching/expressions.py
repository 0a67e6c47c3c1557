"""Arithmetic over keys of the configuration and figures of the summary: `2 * geometry.channels + 0.1 * ftl.write_amplification`."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from wordline.errors import ConfigError

BINARY: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
ACCEPTED = (
    "accepted are numbers, keys of the configuration or the summary, + - * / ** and parentheses"
)

Lookup = Callable[[str], float | None]
"""Gives the value of a key; none where a run has no such figure."""


@dataclass(frozen=True)
class Expression:
    """An expression as it is written."""

    text: str

    def __post_init__(self) -> None:
        self.evaluate(lambda _: 1.0)

    @cached_property
    def tree(self) -> ast.expr:
        """The parsed expression."""
        try:
            return ast.parse(self.text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError) as error:
            raise ConfigError(f"{self.text!r}: is no expression; {ACCEPTED}") from error

    @property
    def is_number(self) -> bool:
        """Whether it names no key."""
        return not any(isinstance(node, ast.Name) for node in ast.walk(self.tree))

    def evaluate(self, lookup: Lookup) -> float | None:
        """The value; none where a key has none, or the result is no finite number.

        Raises:
            ConfigError: something that is not accepted.
        """
        try:
            found = self._value(self.tree, lookup)
        except (ZeroDivisionError, OverflowError):
            return None
        # a negative number to a broken power is complex
        if found is None or isinstance(found, complex) or not abs(found) < float("inf"):
            return None
        return found

    def _value(self, node: ast.expr, lookup: Lookup) -> float | None:
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return float(value)  # whole numbers would grow without bound
            case ast.Name() | ast.Attribute():
                return lookup(self._key(node))
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
                operated = self._value(operand, lookup)
                return (
                    -operated if isinstance(sign, ast.USub) and operated is not None else operated
                )
            case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
                one, other = self._value(left, lookup), self._value(right, lookup)
                return None if one is None or other is None else BINARY[type(op)](one, other)
            case _:
                raise ConfigError(
                    f"{self.text!r}: {ast.unparse(node)!r} is not accepted; {ACCEPTED}"
                )

    def _key(self, node: ast.expr) -> str:
        match node:
            case ast.Name(id=name):
                return name
            case ast.Attribute(value=owner, attr=name):
                return f"{self._key(owner)}.{name}"
            case _:
                raise ConfigError(f"{self.text!r}: {ast.unparse(node)!r} is no key")

    def __str__(self) -> str:
        return self.text.strip()
