"""A2: how evenly planes wear, under short loads and under loads as long as the baseline of table 3 wants them."""

from __future__ import annotations

from collections.abc import Callable
from statistics import pstdev

from wordline.points.outcome import Outcome
from wordline.statistics import Interval
from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure, Load, Metric
from wordline.studies.measured import Measured
from wordline_studies.hu2011 import causes
from wordline_studies.hu2011.allocation import DYNAMIC, STATIC
from wordline_studies.hu2011.baselines import TABLE_3, inferred
from wordline_studies.hu2011.drives import dynamic, static, variant
from wordline_studies.hu2011.loads import QUICK, loads, surrogate
from wordline_studies.hu2011.sizes import Size, in_size

BOUND = "channel bound"
"""Dynamic allocation on the channel that the address gives."""
OBSERVERS = ("gc_onset", "plane_erases")


def spread(outcome: Outcome) -> float:
    """Standard deviation over the planes of their erases."""
    return float(pstdev(outcome.observed["plane_erases"]))


DEVIATION = Metric("deviation of erases", spread, "erases", relative=False)

DRIVES = [
    variant(name, keys, aged=True)
    for name, keys in (
        (STATIC, static("CWDP")),
        (DYNAMIC, dynamic("CWDP")),
        (BOUND, {**dynamic("CWDP"), "allocation.dynamic": "channel_bound"}),
    )
]
"""The two columns of the table, and a third."""

WEAR = GridFigure(
    heading="Wear of planes",
    text="As above, aged: how unevenly the erases are distributed over the 64 planes, with the source's two allocations and a third, dynamic within the channel that the address gives.",
    title="Standard deviation over the planes of their erases",
    variants=DRIVES,
    loads=loads("Dev", "Ex", "Fin1", "MSN", "Rad"),
    metrics=[DEVIATION],
    observers=OBSERVERS,
    chart=charts.bars,
    claims=[
        ordering(
            "On aged drives, erases are spread more evenly over the planes with dynamic allocation than with static s2, under every load",
            "table 3",
            metric="deviation of erases",
            of=DYNAMIC,
            than=STATIC,
            relation="below",
        ),
    ],
)


def dynamic_under(load: str) -> Callable[[Measured], Interval | None]:
    """The deviation with dynamic allocation under a load."""
    return lambda measured: measured.value(DEVIATION.name, "", DYNAMIC, load)


LONG_LOADS = {
    trace: Load(
        f"{trace} surrogate",
        {**surrogate(trace).keys, "requests": length.requests},
        {"requests": QUICK},
    )
    for trace, length in inferred().items()
}
"""The loads with the lengths at which static allocation deviates as printed."""

LONG = GridFigure(
    heading="Wear of planes, with loads as long as the baseline wants them",
    text="As above, under loads as long as the column *static* of table 3 wants them ([below](#what-the-baseline-allows-and-what-follows)), with one seed.",
    title=WEAR.title,
    variants=DRIVES,
    loads=[*LONG_LOADS.values()],
    metrics=[DEVIATION],
    observers=OBSERVERS,
    chart=charts.bars,
    seeds=(1,),
    claims=[
        in_size(
            "On aged drives, the standard deviation of erases over planes with dynamic allocation is as printed, within a quarter, under every load",
            "table 3",
            "deviation of erases, dynamic",
            [
                Size(load.name, TABLE_3[trace][1], dynamic_under(load.name), load.name)
                for trace, load in LONG_LOADS.items()
            ],
            nothing=0,
            unit=" erases",
            why=causes.TAKES_TURNS,
        ),
    ],
)
