"""The tables, as documented."""

from __future__ import annotations

import re
from collections.abc import Iterator

import polars as pl
import polars.selectors as cs

from configurations.checks.run import Run
from wordline.columns import ABSENT, TABLES

MAY_BE_NULL = {
    *ABSENT,
    "operation",
    "read_mean_us",
    "write_mean_us",
    "other_mean_us",
    "idle_mean_us",
    "expected_idle_us",
    "power_mw",
    "power_flash_host_mw",
    "power_flash_gc_mw",
    "power_flash_other_mw",
}
"""Columns of which something may not exist."""
NO_NUMBER = re.compile(r"(?<![A-Za-z])(?:nan|NaN|inf|null)(?![A-Za-z])")


def cells_are_finite_and_not_negative(run: Run) -> Iterator[str]:
    for name, documented in TABLES.items():
        table: pl.DataFrame = getattr(run.result, name)
        if table.schema != documented.schema():
            yield f"table {name}: its columns are {dict(table.schema)}"
        numbers = table.select(cs.numeric())
        bad = numbers.select(
            (cs.float().is_nan() | cs.float().is_infinite()).any(), (cs.integer() < 0).any()
        )
        negative = numbers.select((cs.float() < 0).any())
        for column in table.columns:
            if table[column].null_count() and column not in MAY_BE_NULL:
                yield f"table {name}.{column}: {table[column].null_count()} are missing"
            for wrong in (bad, negative):
                if column in wrong.columns and wrong[column].item():
                    yield f"table {name}.{column}: from {table[column].min()!r} to {table[column].max()!r}"


def texts_are_readable(run: Run) -> Iterator[str]:
    texts = [note.text for note in run.result.notes]
    texts += [*run.result.warnings, run.result.explain(), *run.result.slowest["story"]]
    for text in texts:
        if found := NO_NUMBER.search(text):
            yield f"text: {found[0]!r} in {text!r}"
