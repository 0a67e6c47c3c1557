"""Block traces: what they are like, and other forms of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, TypeAlias

from wordline import _wordline
from wordline.config import Overrides, flatten, present, resolve_trace
from wordline.progress import conversion_bar

Tree: TypeAlias = Mapping[str, Any]
"""Figures by name, in groups."""


def reading(
    *,
    format: str | None = None,
    time_unit: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Overrides:
    """How a trace is read, as the keys that say so."""
    named = present({"workload.format": format, "workload.time_unit": time_unit})
    return (*named, *flatten(options or {}))


def describe(trace: _wordline.Trace) -> Tree:
    """Figures, histograms and curves of a trace that is read as was said, in groups.

    Raises:
        TraceError: no row can be read.
    """
    tree: Tree = json.loads(_wordline.trace_stats(trace))
    return tree


def trace_stats(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Statistics of a block trace: requests, sizes, times, addresses, popularity, reuse.

    A flat dictionary. A figure of a group is named `group.figure`; a histogram is a key per bucket,
    named after the bucket's lower bound; a curve is a list of points.

    Args:
        path: the trace, plain or compressed with gzip, zstd, bzip2 or xz, or a Parquet or Arrow file.
        format: its format (`wordline formats`); without one it is recognised from the file's name and its first rows.
        options: further keys that set how the trace is read, written as for `Drive.from_toml`: `workload.format`,
            `workload.time_unit`, `workload.action`, `workload.csv.time` and so on.

    Raises:
        ConfigError: no such format, or an option that is not accepted.
        TraceError: no row can be read.
    """
    return flat(describe(resolve_trace(path, reading(format=format, options=options))))


@dataclass(frozen=True)
class Converted:
    """The outcome of a conversion."""

    requests: int
    """Number of requests written, including those of length zero."""
    notes: tuple[str, ...]
    """Why the format was chosen, and what the output format cannot store."""


def convert(
    input: str | PathLike[str],
    output: str | PathLike[str],
    *,
    format: str | None = None,
    time_unit: str | None = None,
    options: Mapping[str, Any] | None = None,
    progress: bool = True,
) -> Converted:
    """Convert a block trace to another format, request by request, in constant memory.

    Args:
        input: the trace, plain or compressed with gzip, zstd, bzip2 or xz, or a Parquet or Arrow file.
        output: the file to write. Its name says the form: `.wlt` is Wordline's binary form, which
            holds everything and reads fastest; `.parquet` is a table of requests, which holds everything; `.iolog` is fio's
            log, version 3, and `.blkparse` the text of blkparse, which hold reads, writes, trims and flushes; `.csv` or `.msr`
            is MSR Cambridge CSV, which holds reads and writes. A further `.gz`, `.zst`, `.bz2` or `.xz` has it compressed,
            except Parquet. The file is there when it is whole.
        format: format of the input (`wordline formats`); without one it is recognised.
        time_unit: unit of the times in the input, `s`, `ms`, `us`, `100ns` or `ns`; without one
            that of the format.
        options: further keys that set how the trace is read, written as for `Drive.from_toml`: `workload.format`,
            `workload.time_unit`, `workload.action`, `workload.csv.time` and so on.
        progress: show a progress bar, if standard error is a terminal.

    Ctrl-C stops it and leaves nothing behind.

    Raises:
        TraceError: the input cannot be read, or the output cannot be written or cannot hold it.
        ConfigError: no such format or time unit, or an option that is not accepted.
    """
    overrides = reading(format=format, time_unit=time_unit, options=options)
    return converted(resolve_trace(input, overrides), output, progress=progress)


def converted(
    trace: _wordline.Trace, output: str | PathLike[str], *, progress: bool = True
) -> Converted:
    """Write a trace that is read as was said in another form."""
    with conversion_bar(shown=progress) as report:
        requests, notes = _wordline.convert(trace, fspath(output), report)
    return Converted(requests, tuple(notes))


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
