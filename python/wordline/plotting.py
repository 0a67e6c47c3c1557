"""Charts of a result, as they are in its report."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import altair as alt

    from wordline.report.section import Section
    from wordline.results import Result


class Plots:
    """The charts of the report, one by one: `result.plot.latency()` and so on.

    Each is an Altair chart that a notebook shows and whose `save` writes PNG, SVG or HTML; these files need no
    network. All raise a `ValueError` with the reason if the run has nothing to draw.
    """

    def __init__(self, result: Result) -> None:
        self._result = result

    def latency(self) -> alt.TopLevelMixin:
        """The cumulative distribution of latencies, on a logarithmic axis."""
        from wordline.report import latency

        return drawn(latency.section(self._result), "latency")

    def percentiles(self) -> alt.TopLevelMixin:
        """The share of requests that are slower than a latency, both on logarithmic axes."""
        from wordline.report import latency

        return drawn(latency.section(self._result), "percentiles")

    def attribution(self, kind: str = "read") -> alt.TopLevelMixin:
        """Where the time of `read` or `write` requests went, by band of latency."""
        from wordline.report import attribution

        return drawn(attribution.section(self._result), f"attribution-{kind}")

    def timeline(self) -> alt.TopLevelMixin:
        """What dies, channels and background work did around the slowest request."""
        from wordline.report import slowest

        return drawn(slowest.section(self._result), "timeline")

    def utilisation(self, track: str = "die") -> alt.TopLevelMixin:
        """How busy each `die` or `channel` was over time."""
        from wordline.report import utilisation

        return drawn(utilisation.section(self._result), f"{track}-utilisation")

    def over_time(self) -> alt.TopLevelMixin:
        """Throughput, latency, requests in the drive and background work over simulated time."""
        from wordline.report import over_time

        return drawn(over_time.section(self._result), "over-time")

    def modes(self) -> alt.TopLevelMixin:
        """Shares of the modes of pages over time, and how long dies were idle; for drives with `[[modes]]`."""
        from wordline.report import modes

        return drawn(modes.section(self._result), "modes")

    def temperature(self) -> alt.TopLevelMixin:
        """Temperature of the drive over simulated time, with the states in which it throttles; for drives with `[thermal]`."""
        from wordline.report import temperature

        return drawn(temperature.section(self._result), "temperature")

    def operations(self) -> alt.TopLevelMixin:
        """Flash operations by cause."""
        from wordline.report import operations

        return drawn(operations.section(self._result), "operations")

    def write_amplification(self) -> alt.TopLevelMixin:
        """Pages programmed for each page that the host wrote, by cause."""
        from wordline.report import operations

        return drawn(operations.section(self._result), "write-amplification")

    def wear(self) -> alt.TopLevelMixin:
        """Erase counts by place: channel, chip, die and plane against block."""
        from wordline.report import wear

        return drawn(wear.section(self._result), "wear")

    def wear_histogram(self) -> alt.TopLevelMixin:
        """How many blocks have seen how many erases."""
        from wordline.report import wear

        return drawn(wear.section(self._result), "wear-histogram")

    def tenants(self) -> alt.TopLevelMixin:
        """Latency of each tenant."""
        from wordline.report import tenants

        return drawn(tenants.section(self._result), "tenants")

    def energy(self) -> alt.TopLevelMixin:
        """Energy by cause and part."""
        from wordline.report import energy

        return drawn(energy.section(self._result), "energy")

    def power(self) -> alt.TopLevelMixin:
        """Power over simulated time."""
        from wordline.report import energy

        return drawn(energy.section(self._result), "power")

    def __repr__(self) -> str:
        names = ", ".join(name for name in vars(Plots) if not name.startswith("_"))
        return f"<Plots: {names}>"


def drawn(section: Section | None, name: str) -> alt.TopLevelMixin:
    """The figure of that name as a chart.

    Raises:
        ValueError: the section has no such figure.
    """
    from wordline.report.offline import chart_of

    for figure in section.figures if section else ():
        if figure.name == name:
            return chart_of({**figure.chart, "title": figure.title})
    why = section.absent if section else ""
    raise ValueError(f"{name}: {why or 'this run gives nothing to draw here'}")
