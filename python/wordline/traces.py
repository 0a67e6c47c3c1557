"""What a block trace is like."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from os import PathLike, fspath
from typing import Any, TypeAlias

from wordline import _wordline

Tree: TypeAlias = Mapping[str, Any]
"""Figures by name, in groups."""


def describe(path: str | PathLike[str], *, format: str | None = None) -> Tree:
    """Figures, histograms and curves of a block trace, in groups.

    Raises:
        TraceError: no row can be read, or the format is not known.
    """
    tree: Tree = json.loads(_wordline.trace_stats(fspath(path), format))
    return tree


def trace_stats(path: str | PathLike[str], *, format: str | None = None) -> dict[str, Any]:
    """What a block trace is like: requests, sizes, times, addresses, popularity, reuse.

    A flat dictionary. A figure of a group is named `group.figure`; a histogram is a key per bucket,
    named after the bucket's lower bound; a curve is a list of points.

    Args:
        path: the trace, plain or compressed with gzip or zstd.
        format: its format (`wordline formats`); without one it is recognised from the first rows.

    Raises:
        TraceError: no row can be read, or the format is not known.
    """
    return flat(describe(path, format=format))


def flat(tree: Tree) -> dict[str, Any]:
    """The figures of a tree under dotted names."""
    return dict(leaves(tree, ""))


def leaves(tree: Tree, prefix: str) -> Iterator[tuple[str, Any]]:
    """Every value of a tree under its dotted name."""
    for key, value in tree.items():
        name = f"{prefix}{key}"
        match value:
            case dict():
                yield from leaves(value, f"{name}.")
            case list() if key.endswith("histogram"):
                yield from ((f"{name}.{bucket['from']}", bucket["count"]) for bucket in value)
            case list() if key == "notes":
                yield name, " ".join(value)
            case _:
                yield name, value
