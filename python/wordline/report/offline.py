"""Altair charts whose files need no network."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Literal

import altair as alt
from altair.utils.schemapi import debug_mode


class Offline:
    """A chart that is saved as HTML with the scripts that draw it inside; Altair links to them by default."""

    def save(
        self,
        fp: str | Path | IO[Any],
        format: Literal["json", "html", "png", "svg", "pdf"] | None = None,
        *arguments: Any,
        **options: Any,
    ) -> None:
        """Write PNG, SVG, PDF, HTML or JSON, as `altair.Chart.save` does.

        Args:
            fp: a file or its name.
            format: `png`, `svg`, `pdf`, `html` or `json`; the ending of the name if left out.
            arguments: as for `altair.Chart.save`.
            options: as for `altair.Chart.save`; `inline=False` leaves the scripts of a page on the network.
        """
        ending = format or str(fp).rpartition(".")[2]
        if ending.lower() == "html":
            options.setdefault("inline", True)
        super().save(fp, format, *arguments, **options)  # type: ignore[misc]


class Chart(Offline, alt.Chart):
    """A single view."""


class LayerChart(Offline, alt.LayerChart):
    """Views above each other."""


class FacetChart(Offline, alt.FacetChart):
    """A view for each value."""


class HConcatChart(Offline, alt.HConcatChart):
    """Views side by side."""


class VConcatChart(Offline, alt.VConcatChart):
    """Views below each other."""


KINDS = {
    each.__bases__[1]: each for each in (Chart, LayerChart, FacetChart, HConcatChart, VConcatChart)
}
"""The kinds of charts that reports have, by Altair's class."""


def chart_of(specification: Mapping[str, Any]) -> alt.TopLevelMixin:
    """A chart from its specification."""
    described = {key: value for key, value in specification.items() if key != "datasets"}
    chart: Any = alt.Chart.from_dict(described)
    # the rows are as `theme.data` made them; to check thousands against a schema takes longer than all else;
    # Altair declares no types for this constructor
    if "datasets" in specification:
        with debug_mode(False):
            chart.datasets = alt.Datasets(**specification["datasets"])  # type: ignore[no-untyped-call]
    # Altair takes what is assigned to a chart for a part of its specification
    object.__setattr__(chart, "__class__", KINDS[type(chart)])
    drawn: alt.TopLevelMixin = chart
    return drawn
