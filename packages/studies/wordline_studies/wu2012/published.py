"""Every number that the source prints of these comparisons, beside ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from wordline.studies import charts
from wordline.studies.grid import GridFigure, Metric
from wordline.studies.measured import Measured
from wordline.studies.published import PERCENT, Found, Printed, PublishedFigure
from wordline_studies.wu2012.baselines import TABLE_3_3, chosen, fits
from wordline_studies.wu2012.drives import READ, WRITE, policies
from wordline_studies.wu2012.loads import JUDGED, OTHERS, SIZED, TRACES, named
from wordline_studies.wu2012.suspended import ITERATIONS, SUSPENDED, suspended

RUNS, REST = "runs", "rest"
F1_F2, ALL = "F1 and F2", "all four"
"""Columns of ours: over the traces whose request sizes are published, and over all."""
OVER: Mapping[str, Sequence[str]] = {F1_F2: SIZED, ALL: [*TRACES]}

UNSIZED = GridFigure(
    heading="DAP and MSN",
    text=(
        "The policies of the figures above under the traces whose request sizes are not published, with those of another server of MSN. One seed. No claim is judged by them."
    ),
    title="Latencies over those of FIFO",
    variants=policies("FIFO", "RPS", "PE0", "IPC", "IPS", "IPC, writes too"),
    loads=OTHERS,
    metrics=[READ, WRITE, Metric(SUSPENDED, suspended, "of all", relative=False)],
    baseline="FIFO",
    seeds=(1,),
    claims=(),
    chart=charts.bars,
)
GRID = replace(UNSIZED, heading="Published and ours", loads=JUDGED, seeds=(1, 2, 3))
"""The runs, which are those of the figures above."""


def place(found: Found, trace: str) -> Measured:
    """What was measured under a trace."""
    return found[RUNS if trace in SIZED else REST]


Each = Callable[[Measured, str], "float | None"]
"""A number of one trace."""


def change(name: str, cell: str, of: str, than: str) -> Each:
    """By what share a metric of one policy differs from that of another."""

    def value(measured: Measured, trace: str) -> float | None:
        ratio = measured.ratio(name, cell, of, than, named(trace))
        return ratio.mean - 1 if ratio else None

    return value


def amount(name: str, cell: str, policy: str) -> Each:
    """A metric of one policy."""

    def value(measured: Measured, trace: str) -> float | None:
        interval = measured.value(name, cell, policy, named(trace))
        return interval.mean if interval else None

    return value


def combined(
    each: Each, combine: Callable[[Sequence[float]], float], scale: float = 1.0
) -> Mapping[str, Callable[[Found], float | None]]:
    """A number over the traces of every column; of those that are not void."""

    def of(traces: Sequence[str]) -> Callable[[Found], float | None]:
        def ours(found: Found) -> float | None:
            values = [
                got for trace in traces if (got := each(place(found, trace), trace)) is not None
            ]
            return scale * combine(values) if values else None

        return ours

    return {column: of(traces) for column, traces in OVER.items()}


MEANS: Sequence[tuple[str, str, str, str, str, Mapping[str, float]]] = (
    ("P1", READ.name, "RPS", "FIFO", "mean", {"SLC": -0.388, "MLC": -0.457}),
    ("P1", READ.name, "PE0", "FIFO", "mean", {"SLC": -0.642, "MLC": -0.710}),
    ("P2", READ.name, "IPC", "RPS", "mean", {"SLC": -0.448, "MLC": -0.465}),
    ("P2", READ.name, "IPC", "FIFO", "mean", {"SLC": -0.641, "MLC": -0.707}),
    ("P3", READ.name, "IPC", "PE0", "mean", {"SLC": 0.0105, "MLC": 0.0083}),
    ("P3", READ.name, "IPC", "PE0", "largest", {"SLC": 0.0264, "MLC": 0.0204}),
    ("P4", READ.name, "IPS", "IPC", "mean", {"SLC": 0.0812, "MLC": 0.0318}),
    ("P4", READ.name, "IPS", "IPC", "largest", {"SLC": 0.1324, "MLC": 0.0674}),
    ("P5", WRITE.name, "RPS", "FIFO", "mean", {"SLC": 0.0396, "MLC": 0.0281}),
    ("P5", WRITE.name, "RPS", "FIFO", "largest", {"SLC": 0.0665, "MLC": 0.0380}),
    ("P5", WRITE.name, "IPS", "FIFO", "mean", {"SLC": 0.0449, "MLC": 0.0314}),
    ("P5", WRITE.name, "IPS", "FIFO", "largest", {"SLC": 0.0691, "MLC": 0.0429}),
    ("P8", WRITE.name, "IPC, writes too", "FIFO", "mean", {"SLC": -0.136, "MLC": -0.112}),
)
"""Effects that the source prints: comparison, metric, policy, what it is compared with, over which traces, and the difference by kind of cell."""

SHARES: Sequence[tuple[str, Mapping[str, float]]] = (
    ("mean", {"SLC": 0.0487, "MLC": 0.0739}),
    ("largest", {"SLC": 0.0892, "MLC": 0.1265}),
)
"""P6: programs and erases that are suspended."""
POWER: Mapping[str, float] = {"SLC": 0.018, "MLC": 0.009}
"""The bound of what suspension adds to the energy: the largest share over K."""

HOW: Mapping[str, Callable[[Sequence[float]], float]] = {"mean": fmean, "largest": max}


def effects() -> Sequence[Printed]:
    """What the source found."""
    found = []
    for where, name, of, than, which, numbers in MEANS:
        for cell, number in numbers.items():
            told = f"{name}, {of} against {than}, {which} on {cell}"
            ours = combined(change(name, cell, of, than), HOW[which])
            found.append(Printed(told, where, number, ours, difference=True))
    for which, numbers in SHARES:
        for cell, number in numbers.items():
            told = f"programs and erases suspended, IPC, {which} on {cell}"
            ours = combined(amount(SUSPENDED, cell, "IPC"), HOW[which])
            found.append(Printed(told, "P6", number, ours))
    for cell, number in POWER.items():
        told = f"bound of the energy that suspension adds, {cell}"
        ours = combined(amount(SUSPENDED, cell, "IPC"), max, 1 / ITERATIONS[cell])
        found.append(Printed(told, "P6", number, ours))
    return found


def baselines() -> Sequence[Printed]:
    """Tables 3.2 and 3.3; the idle share is of the runs of the inference."""
    found = []
    for (trace, cell), latencies in TABLE_3_3.items():
        column = F1_F2 if trace in SIZED else ALL
        for name, number in zip((READ.name, WRITE.name), latencies, strict=True):
            each = amount(name, cell, "FIFO")

            def value(measured: Found, each: Each = each, trace: str = trace) -> float | None:
                return each(place(measured, trace), trace)

            known = "input" if name == READ.name else "prediction"
            told = f"FIFO, {name}, {trace} on {cell}"
            found.append(Printed(told, "table 3.3", number, {column: value}, "µs", known=known))

        def idle(measured: Found, trace: str = trace, cell: str = cell) -> float:
            del measured
            return fits()["one operation", chosen().buffer, trace].idle[cell]

        found.append(
            Printed(
                f"FIFO, idle, {trace} on {cell}",
                "table 3.2",
                TRACES[trace].idle,
                {column: idle},
                PERCENT,
                known="prediction",
            )
        )
    return found


FIGURE = PublishedFigure(
    heading="Published and ours",
    text=(
        "Every number that the source prints of these comparisons. Those of the source are over its four traces: the mean, or the largest. Ours are over the two traces whose request sizes are published, and over all "
        "four with the sizes of another server for DAP and MSN. Of the baseline, FIFO's reads were the only input."
    ),
    title="Published numbers and those of Wordline",
    grids={RUNS: GRID, REST: UNSIZED},
    printed=[*effects(), *baselines()],
    columns=[F1_F2, ALL],
)
