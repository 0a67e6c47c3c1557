"""Tables in files of columns, Parquet and Arrow, as the text that traces are read from, and back."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from wordline.errors import TraceError

if TYPE_CHECKING:
    import polars as pl

ROWS = 1 << 16
"""Rows of a piece of text."""
ARROW = b"ARROW1"
"""How an Arrow file begins."""
TYPES = {
    "time_ns": "UInt64",
    "op": "String",
    "offset": "UInt64",
    "size": "UInt64",
    "device": "UInt64",
    "response_ns": "UInt64",
    "fua": "Boolean",
    "queue": "UInt16",
    "placement": "UInt16",
}
"""The columns of a table of requests that is written, and the names of their types in Polars."""


def pieces(path: str | PathLike[str]) -> Iterator[tuple[bytes, float]]:
    """The table at `path` as delimited text with a header line, in pieces of `ROWS` rows, each with the share of the table that was read with it.

    Columns of dates and times are seconds; columns of lists, structures and bytes are left out.

    Raises:
        TraceError: it is no table that can be read; the message goes on after the file's name.
    """
    import polars as pl

    path = Path(path)
    with path.open("rb") as file:
        is_arrow = file.read(len(ARROW)) == ARROW
    try:
        # one file whose name says nothing: neither a pattern nor values of columns
        scan = pl.scan_ipc if is_arrow else pl.scan_parquet
        table = scan(path, glob=False, hive_partitioning=False)
        table = table.select(text_columns(table.collect_schema()))
        height = int(table.select(pl.len()).collect().item())
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a panic of Polars is no Exception
        raise damaged(is_arrow, error) from error
    return read(table, height, is_arrow)


def read(table: pl.LazyFrame, height: int, is_arrow: bool) -> Iterator[tuple[bytes, float]]:
    """The rows of a table, piece by piece."""
    for start in range(0, max(height, 1), ROWS):
        try:
            text = table.slice(start, ROWS).collect().write_csv(include_header=start == 0)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise damaged(is_arrow, error) from error
        yield text.encode(), min(start + ROWS, height) / max(height, 1)


def damaged(is_arrow: bool, error: BaseException) -> TraceError:
    """What is said of a table that cannot be read."""
    kind = "an Arrow file" if is_arrow else "a Parquet file"
    reason = " ".join(str(error).split())[:200]
    return TraceError(f"is {kind} that cannot be read: {reason}; is the file complete?")


def text_columns(schema: pl.Schema) -> list[pl.Expr]:
    """The columns that text can hold.

    Raises:
        TraceError: there is none.
    """
    import polars as pl

    columns = []
    for name, kind in schema.items():
        column = pl.col(name)
        if isinstance(kind, pl.Datetime | pl.Duration):
            columns.append(seconds(column, kind))
        elif not (kind.is_nested() or kind in (pl.Binary, pl.Object, pl.Null)):
            columns.append(column)
    if not columns:
        raise TraceError("has no column of numbers or words")
    return columns


def seconds(column: pl.Expr, kind: pl.Datetime | pl.Duration) -> pl.Expr:
    """A moment or a span as a decimal number of seconds, to its last digit."""
    import polars as pl

    units = {"ms": 10**3, "us": 10**6, "ns": 10**9}[kind.time_unit or "us"]
    whole = column.to_physical()
    digits = len(str(units)) - 1
    return pl.concat_str(
        [
            (whole // units).cast(pl.String),
            pl.lit("."),
            (whole % units).cast(pl.String).str.zfill(digits),
        ]
    ).alias(column.meta.output_name())


def write(text: str | PathLike[str], output: str | PathLike[str]) -> None:
    """Write a table of requests, given as text, as a Parquet file, in bounded memory.

    Raises:
        TraceError: it cannot be written; the message goes on after the file's name.
    """
    import polars as pl

    schema = {name: getattr(pl, kind) for name, kind in TYPES.items()}
    try:
        pl.scan_csv(Path(text), schema=schema, glob=False).sink_parquet(
            Path(output), compression="zstd"
        )
    except (OSError, pl.exceptions.PolarsError) as error:
        raise TraceError(f"cannot be written: {error}") from error
