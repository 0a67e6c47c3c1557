"""A result in a notebook: what most readers look for first, without script or network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordline.notes import conditions
from wordline.report.html import template
from wordline.report.latency import kinds_of, percentile_rows
from wordline.report.page import boxes, cards_of

if TYPE_CHECKING:
    from wordline.results import Result


def card(result: Result) -> str:
    """Key figures, percentiles and notes as a piece of HTML."""
    found: str = template("card.html").render(
        cards=cards_of(result.summary),
        rows=percentile_rows(result) if kinds_of(result) else (),
        boxes=boxes(result.notes, result.warnings),
        conditions=conditions(result.notes),
    )
    return found
