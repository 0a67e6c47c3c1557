"""What notebooks show of an object: its short form, and a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

MOST_ROWS = 20
"""Rows that are shown of a longer table; there are as many from its end."""


def view(shown: object, rows: Sequence[Mapping[str, object]]) -> str:
    """The short form of an object and rows with the same columns, as HTML."""
    import polars as pl

    with pl.Config(
        tbl_rows=MOST_ROWS,
        tbl_cols=-1,
        fmt_str_lengths=200,
        tbl_hide_dataframe_shape=True,
        tbl_hide_column_data_types=True,
    ):
        table = pl.DataFrame(rows, infer_schema_length=None)._repr_html_() if rows else ""
    return f"<p><b>{escape(repr(shown).strip('<>'))}</b></p>{table}"
