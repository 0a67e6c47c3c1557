"""What the source prints of its baseline, beside ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wordline.points.outcome import Outcome
from wordline.studies import charts
from wordline.studies.grid import GridFigure, Metric
from wordline.studies.published import WORDLINE, Found, Printed, PublishedFigure
from wordline_studies.wu2013_diffecc.drives import QUEUE, READ, WRITE, drives, variant
from wordline_studies.wu2013_diffecc.loads import REQUESTS, SURROGATES, TRACES

USED = "baseline"
"""What the numbers are marked with that the loads were inferred from."""


def idle(outcome: Outcome) -> float | None:
    """Share of the time without a request in the drive."""
    share = outcome.observed.get("idle_share")
    return None if share is None else float(share)


IDLE = Metric("idle", idle, "of the time", relative=False)

SMALL = GridFigure(
    heading="Published and ours",
    text="",
    title="",
    variants=drives(["baseline"], ["32 MB"]),
    loads=SURROGATES,
    metrics=[READ, WRITE, QUEUE],
    chart=charts.bars,
    claims=[],
)
LOGGED = GridFigure(
    heading="Published and ours",
    text="",
    title="",
    variants=[variant("baseline", "64 MB", {"output.request_log": REQUESTS})],
    loads=SURROGATES,
    metrics=[IDLE],
    observers=("gc_onset", "idle_share"),
    chart=charts.bars,
    claims=[],
)


def of_grid(
    grid: str, metric: str, panel: str, trace: str, factor: float
) -> Callable[[Found], float | None]:
    """A metric of the baseline under a load."""

    def value(found: Found) -> float | None:
        interval = found[grid].value(metric, panel, "baseline", f"{trace} surrogate")
        return None if interval is None else interval.mean * factor

    return value


def rows() -> Sequence[Printed]:
    """Every number."""
    found = []
    for name, trace in TRACES.items():
        own = {WORDLINE: of_grid("64 MB", IDLE.name, "64 MB", name, 1.0)}
        found.append(
            Printed(f"{name}: time without a request", "table 2.1", trace.idle, own, known=USED)
        )
    for name, trace in TRACES.items():
        for what, metric, factor, unit, value in (
            ("mean read latency", READ, 1e-3, "ms", trace.read_ms),
            ("mean write latency", WRITE, 1e-3, "ms", trace.write_ms),
            ("writes outstanding", QUEUE, 1.0, "requests", trace.queue),
        ):
            own = {WORDLINE: of_grid("32 MB", metric.name, "32 MB", name, factor)}
            found.append(Printed(f"{name}: {what}", "table 2.4", value, own, unit))
    return found


FIGURE = PublishedFigure(
    heading="Published and ours",
    text=(
        "What the source prints of its baseline: the share of the time without a request in the drive with 64 MB, from which the loads were inferred, and latencies and writes outstanding "
        "with 32 MB, which are predictions."
    ),
    title="Published numbers of the baseline and those of Wordline",
    grids={"64 MB": LOGGED, "32 MB": SMALL},
    printed=rows(),
    columns=(WORDLINE,),
)
