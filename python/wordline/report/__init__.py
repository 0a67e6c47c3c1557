"""The report of a run: one HTML page that needs no network, no server and no other file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordline.report.page import page

if TYPE_CHECKING:
    from wordline.results import Result


def render(result: Result) -> str:
    """The report of `result` as a self-contained HTML page.

    The same result gives the same page: wall-clock figures (`run.*`) are left to `summary.json`.
    """
    from wordline.report import (
        attribution,
        energy,
        latency,
        modes,
        operations,
        over_time,
        planes,
        reliability,
        slowest,
        suspension,
        temperature,
        tenants,
        utilisation,
        wear,
    )

    sections = [
        latency.section(result),
        attribution.section(result),
        slowest.section(result),
        tenants.section(result),
        over_time.section(result),
        modes.section(result),
        utilisation.section(result),
        operations.section(result),
        planes.section(result),
        suspension.section(result),
        reliability.section(result),
        energy.section(result),
        temperature.section(result),
        wear.section(result),
    ]
    return page(result, [section for section in sections if section])
