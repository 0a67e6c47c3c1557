"""What the source prints of its baseline, beside ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wordline.studies import charts
from wordline.studies.grid import GridFigure
from wordline.studies.published import WORDLINE, Found, Printed, PublishedFigure
from wordline_studies.wu2013_diffecc.drives import (
    IDLE,
    QUEUE,
    READ,
    SLOT,
    SLOW_READS,
    WRITE,
    drives,
)
from wordline_studies.wu2013_diffecc.loads import SURROGATES, TRACES

FITTED, GIVEN = "fitted", "given to the profile"
"""What numbers are marked with that the loads rest on."""


def baseline(name: str, buffer: str) -> GridFigure:
    """A drive under the loads."""
    return GridFigure(
        heading="Published and ours",
        text="",
        title="",
        variants=drives([name], [buffer]),
        loads=SURROGATES,
        metrics=[READ, WRITE, QUEUE, SLOT, IDLE, SLOW_READS],
        chart=charts.bars,
        claims=[],
    )


def of_grid(
    grid: str, metric: str, drive: str, trace: str, factor: float
) -> Callable[[Found], float | None]:
    """A metric under a load."""

    def value(found: Found) -> float | None:
        panel = grid.split(",")[0]
        interval = found[grid].value(metric, panel, drive, f"{trace} surrogate")
        return None if interval is None else interval.mean * factor

    return value


def rows() -> Sequence[Printed]:
    """Every number."""
    found = []
    for name, trace in TRACES.items():
        own = {WORDLINE: of_grid("64 MB", IDLE.name, "baseline", name, 1.0)}
        found.append(
            Printed(
                f"{name}: time without a flash operation",
                "table 2.1",
                trace.idle,
                own,
                known=FITTED,
            )
        )
    for name, trace in TRACES.items():
        own = {WORDLINE: of_grid("32 MB, slow", SLOW_READS.name, "always slow", name, 1.0)}
        found.append(
            Printed(f"{name}: reads of written pages", "table 2.1", trace.highest, own, known=GIVEN)
        )
    for name, trace in TRACES.items():
        for what, metric, factor, unit, value, known in (
            ("mean read latency", READ, 1e-3, "ms", trace.read_ms, FITTED),
            ("mean write latency", WRITE, 1e-3, "ms", trace.write_ms, FITTED),
            ("mean idle slot", SLOT, 1e-3, "ms", trace.idle_ms, ""),
            ("writes outstanding", QUEUE, 1.0, "requests", trace.queue, ""),
        ):
            own = {WORDLINE: of_grid("32 MB", metric.name, "baseline", name, factor)}
            found.append(Printed(f"{name}: {what}", "table 2.4", value, own, unit, known=known))
    return found


FIGURE = PublishedFigure(
    heading="Published and ours",
    text=(
        "What the source prints of its traces and its baseline. Idle share (64 MB), read and write latency (32 MB) are what the loads were fitted to; the mean idle slot and the writes outstanding (32 MB) are predictions. "
        "WR_max is given to the profiles for the reads of the trace; what stands here is the share among the reads that reach flash with all writes slow (32 MB): the buffer answers reads of pages that were written lately, so that it is below."
    ),
    title="Published numbers of the baseline and those of Wordline",
    grids={
        "64 MB": baseline("baseline", "64 MB"),
        "32 MB, slow": baseline("always slow", "32 MB"),
        "32 MB": baseline("baseline", "32 MB"),
    },
    printed=rows(),
    columns=(WORDLINE,),
)
