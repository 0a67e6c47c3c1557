"""A result in a notebook: what most readers look for first, without script or network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordline.report.latency import kinds_of, percentile_rows
from wordline.report.page import asset, cards_html, cards_of, notes_html
from wordline.report.section import table_html

if TYPE_CHECKING:
    from wordline.results import Result


def card(result: Result) -> str:
    """Key figures, percentiles and notes as a piece of HTML."""
    body = "".join(
        (
            cards_html(cards_of(result.summary)),
            table_html(percentile_rows(result)) if kinds_of(result) else "",
            notes_html(result.notes, result.warnings),
        )
    )
    return f"<style>{asset('facts.css')}</style><div class=wordline style='padding:12px;background:#fff'>{body}</div>"
