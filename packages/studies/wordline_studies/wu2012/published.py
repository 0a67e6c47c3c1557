"""What the source prints, beside what Wordline gives with the presets and with the settings that the baselines allow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from wordline.points.outcome import Outcome
from wordline.studies import charts
from wordline.studies.grid import GridFigure, Load, Metric, Variant
from wordline.studies.published import PERCENT, Found, Printed, PublishedFigure
from wordline_studies.wu2012.baselines import PLACE, TABLE_3_3, inferred
from wordline_studies.wu2012.compression import idle
from wordline_studies.wu2012.drives import CELLS, POLICIES, READ, SMALLER, WRITE, Keys, size
from wordline_studies.wu2012.loads import CASCADE, QUICK, REQUESTS, TRACES

PRESETS, OVERTAKE, AHEAD = "presets", "reads overtake cleaning", "cleaning ahead of reads"
"""Columns of ours: the drives of the other figures, and those that the baselines allow, in two readings of reads first and suspension."""
NAMES = ("FIFO", "RPS", "PE0", "IPC", "IPS", "IPC, writes too")

SUSPENDED = "operations suspended"
IDLE = "idle"


def suspended(outcome: Outcome) -> float | None:
    """Share of the programs and erases that were suspended at least once."""
    counts = [
        (outcome.number(f"{each}.suspensions"), outcome.number(f"{each}.mean"), share)
        for each in ("suspension.program", "suspension.erase")
        if (share := outcome.number(f"{each}.share"))
    ]
    known = [(times / mean, share) for times, mean, share in counts if times is not None and mean]
    return (
        sum(count for count, _ in known) / sum(count / share for count, share in known)
        if known
        else None
    )


def frozen(trace: str, cell: str, policy: str, *, overtake: bool) -> Keys:
    """What the baselines say of a drive under a policy.

    They are those of FIFO, so that its scheduler is inferred. The other policies are what the source defines them to be; with `overtake`, reads go
    before cleaning, which comes last in their order.
    """
    keys = dict(inferred()[trace, cell].frozen)
    if "workload.profile_file" in keys:
        keys["workload.profile_file"] = str(PLACE / str(keys["workload.profile_file"]))
    scheduler = keys.pop("scheduler.policy")
    keys |= POLICIES[policy]
    if policy == "FIFO":
        return keys | {"scheduler.policy": scheduler}
    return keys | ({"scheduler.collection_first": False} if overtake else {})


def variants(column: str) -> Sequence[Variant]:
    """Every policy for every trace on both kinds of cell, each of which is a panel."""
    found = []
    for trace, cell in TABLE_3_3 if column == PRESETS else inferred():
        law = TRACES[trace]
        load = {
            "workload.profile": law.profile,
            "workload.compress_time": law.compression,
            "workload.burst_bias": law.bias,
        }
        for name in NAMES:
            if column == PRESETS:
                keys: Keys = POLICIES[name]
            else:
                keys = frozen(trace, cell, name, overtake=column == OVERTAKE)
            merged = {**size(SMALLER), **load, **keys, "output.request_log": REQUESTS}
            if "workload.profile_file" in merged:
                del merged["workload.profile"]
            found.append(Variant(name, CELLS[cell], merged, panel(trace, cell), aged=True))
    return found


def panel(trace: str, cell: str) -> str:
    """Name of the panel of a trace on a kind of cell."""
    return f"{trace}, {cell}"


LOAD = Load(
    "its surrogate", {"kind": "profile", "requests": 3 * CASCADE}, quick={"requests": QUICK // 4}
)


def grid(column: str) -> GridFigure:
    """The runs of a column."""
    return GridFigure(
        heading=f"Published and ours, {column}",
        text="",
        title="",
        variants=variants(column),
        loads=[LOAD],
        metrics=[
            READ,
            WRITE,
            Metric(IDLE, idle, "of the time", relative=False),
            Metric(SUSPENDED, suspended, "of all", relative=False),
        ],
        claims=(),
        chart=charts.bars,
        observers=("gc_onset", "idle_share"),
    )


Value = Callable[[str, Found], "float | None"]
"""A number of a column."""


def metric(name: str, trace: str, cell: str, policy: str) -> Value:
    """A metric of one policy under one trace."""

    def value(column: str, found: Found) -> float | None:
        interval = found[column].value(name, panel(trace, cell), policy, LOAD.name)
        return interval.mean if interval else None

    return value


def change(name: str, trace: str, cell: str, of: str, than: str) -> Value:
    """By what share a metric of one policy differs from that of another."""

    def value(column: str, found: Found) -> float | None:
        ratio = found[column].ratio(name, panel(trace, cell), of, than, LOAD.name)
        return ratio.mean - 1 if ratio else None

    return value


def over_traces(each: Callable[[str], Value], combine: Callable[[Sequence[float]], float]) -> Value:
    """The mean over the traces, or the largest of them; of those that are not void."""

    def value(column: str, found: Found) -> float | None:
        values = [got for trace in TRACES if (got := each(trace)(column, found)) is not None]
        return combine(values) if values else None

    return value


def printed(
    quantity: str,
    where: str,
    number: float,
    value: Value,
    *,
    scale: float = 1.0,
    unit: str = PERCENT,
    difference: bool = False,
    known: str = "",
) -> Printed:
    """A number of the source with its columns; the source's unit is `scale` of ours."""

    def of(column: str) -> Callable[[Found], float | None]:
        def ours(found: Found) -> float | None:
            got = value(column, found)
            return None if got is None else got * scale

        return ours

    return Printed(
        quantity,
        where,
        number,
        {column: of(column) for column in COLUMNS},
        unit,
        difference,
        known,
    )


COLUMNS = (PRESETS, OVERTAKE, AHEAD)


def baselines() -> Sequence[Printed]:
    """Tables 3.2 and 3.3."""
    found = []
    for (trace, cell), (read, write) in TABLE_3_3.items():
        for name, number in ((READ.name, read), (WRITE.name, write)):
            found.append(
                printed(
                    f"FIFO, {name}, {trace} on {cell}",
                    "table 3.3",
                    number,
                    metric(name, trace, cell, "FIFO"),
                    unit="µs",
                    known="baseline",
                )
            )
        found.append(
            printed(
                f"FIFO, idle, {trace} on {cell}",
                "table 3.2",
                TRACES[trace].idle,
                metric(IDLE, trace, cell, "FIFO"),
                known="baseline",
            )
        )
    return found


MEANS: Sequence[tuple[str, str, str, str, str, Mapping[str, float]]] = (
    ("P1", READ.name, "RPS", "FIFO", "mean", {"SLC": -0.388, "MLC": -0.457}),
    ("P1", READ.name, "PE0", "FIFO", "mean", {"SLC": -0.642, "MLC": -0.710}),
    ("P2", READ.name, "IPC", "RPS", "mean", {"SLC": -0.448, "MLC": -0.465}),
    ("P2", READ.name, "IPC", "FIFO", "mean", {"SLC": -0.641, "MLC": -0.707}),
    ("P3", READ.name, "IPC", "PE0", "mean", {"SLC": 0.0105, "MLC": 0.0083}),
    ("P3", READ.name, "IPC", "PE0", "largest", {"SLC": 0.0264, "MLC": 0.0204}),
    ("P4", READ.name, "IPS", "IPC", "mean", {"SLC": 0.0812, "MLC": 0.0318}),
    ("P4", READ.name, "IPS", "IPC", "F1", {"SLC": 0.1324, "MLC": 0.0674}),
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


def combined(which: str, each: Callable[[str], Value]) -> Value:
    """Over all traces, or of the one named."""
    if which in TRACES:
        return each(which)
    return over_traces(each, fmean if which == "mean" else max)


def effects() -> Sequence[Printed]:
    """What the source found."""
    found = []
    for where, name, of, than, which, numbers in MEANS:
        for cell, number in numbers.items():

            def each(
                trace: str, of: str = of, than: str = than, name: str = name, cell: str = cell
            ) -> Value:
                return change(name, trace, cell, of, than)

            told = f"{name}, {of} against {than}, {which} on {cell}"
            found.append(printed(told, where, number, combined(which, each), difference=True))
    for which, numbers in SHARES:
        for cell, number in numbers.items():

            def share(trace: str, cell: str = cell) -> Value:
                return metric(SUSPENDED, trace, cell, "IPC")

            told = f"programs and erases suspended, IPC, {which} on {cell}"
            found.append(printed(told, "P6", number, combined(which, share)))
    return found


FIGURE = PublishedFigure(
    heading="Published and ours",
    text=(
        "Every number that the source prints of these comparisons, each for the four traces: the mean over them, the largest, or the one named. *presets*: the drives of "
        "the figures above. The other columns have the settings that the baselines allow (next section), frozen before any effect was computed. The source puts "
        "cleaning last with reads first and suspension, so that reads overtake it; in the last column cleaning stays ahead of reads under every policy, as it is with FIFO."
    ),
    title="Published numbers and those of Wordline",
    grids={column: grid(column) for column in COLUMNS},
    printed=[*effects(), *baselines()],
    columns=COLUMNS,
)
