"""Every number that the source prints, beside ours; the wear of planes with loads as long as the baseline wants them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wordline.studies import charts
from wordline.studies.grid import GridFigure, Load, Metric
from wordline.studies.published import Found, Printed, PublishedFigure
from wordline_studies.hu2011 import commands, orders, page_size, software
from wordline_studies.hu2011.allocation import spread
from wordline_studies.hu2011.baselines import TABLE_3, inferred
from wordline_studies.hu2011.drives import dynamic, static, variant
from wordline_studies.hu2011.loads import BIASES, PROFILES, QUICK

OURS = "Wordline"
STATIC, DYNAMIC = "static s2", "dynamic"
DEVIATION = Metric("deviation of erases", spread, "erases", relative=False)
LOAD = Load("its surrogate", {"kind": "profile"}, quick={"requests": QUICK})

LONG = GridFigure(
    heading="Wear of planes, with loads as long as the baseline wants them",
    text="",
    title="",
    variants=[
        variant(
            name,
            keys,
            {
                "workload.profile": PROFILES[trace],
                "workload.burst_bias": BIASES[trace],
                "workload.requests": inferred()[trace].requests,
            },
            panel=trace,
            aged=True,
        )
        for trace in inferred()
        for name, keys in ((STATIC, static("CWDP")), (DYNAMIC, dynamic("CWDP")))
    ],
    loads=[LOAD],
    metrics=[DEVIATION],
    claims=(),
    chart=charts.bars,
    seeds=(1,),
    observers=("gc_onset", "plane_erases"),
)

Ours = Callable[[Found], "float | None"]


def value(grid: str, metric: str, panel: str, name: str, load: str) -> Ours:
    """A metric as it is."""

    def ours(found: Found) -> float | None:
        got = found[grid].value(metric, panel, name, load)
        return got.mean if got else None

    return ours


def ratio(grid: str, metric: str, panel: str, of: str, than: str, load: str) -> Ours:
    """A metric over that of another variant."""

    def ours(found: Found) -> float | None:
        got = found[grid].ratio(metric, panel, of, than, load)
        return got.mean if got else None

    return ours


def largest(each: Sequence[Ours]) -> Ours:
    """The largest of several numbers that are not void."""

    def ours(found: Found) -> float | None:
        values = [got for one in each if (got := one(found)) is not None]
        return max(values) if values else None

    return ours


def over_best(grid: str, panel: str, name: str, names: Sequence[str], load: str) -> Ours:
    """The mean response of a variant over the shortest of its panel."""
    return largest([ratio(grid, "response time", panel, name, other, load) for other in names])


def printed() -> Sequence[Printed]:
    """The numbers, in the order of the source's sections."""
    found = []

    def add(
        quantity: str, where: str, number: float, ours: Ours, unit: str, known: str = ""
    ) -> None:
        found.append(Printed(quantity, where, number, {OURS: ours}, unit, known=known))

    for trace, numbers in TABLE_3.items():
        for name, number in zip((STATIC, DYNAMIC), numbers, strict=True):
            add(
                f"deviation of erases over planes, {name}, {trace}",
                "table 3",
                number,
                value("long", DEVIATION.name, trace, name, LOAD.name),
                "erases",
                "baseline" if name == STATIC else "",
            )
    speed_ups = {
        "dynamic": {"Web": 1.15, "Dev": 1.11, "Fin2": 1.02, "MSN": 1.04, "Ex": 1.00, "Fin1": 1.00},
        "static s3": {
            "Web": 1.09,
            "Dev": 1.01,
            "Fin2": 1.00,
            "MSN": 1.01,
            "Ex": 1.00,
            "Fin1": 1.00,
        },
    }
    for mode, row in speed_ups.items():
        for trace, number in row.items():
            add(
                f"speed-up by multi-plane reads, {mode}, {trace}",
                "table 4",
                number,
                ratio(
                    "multi-plane-read",
                    "speed-up",
                    f"{mode}, not aged",
                    commands.READS,
                    commands.BASIC,
                    f"{trace} surrogate",
                ),
                "times",
            )
    for metric, number in (("response time", 7.7), ("erased blocks", 17.8)):
        add(
            f"{metric}, blind copy-back over basic commands, MSN",
            "figure 14",
            number,
            ratio("copy-back", metric, "", "blind", "basic", "MSN surrogate"),
            "times",
        )
    sizes = page_size.NAMES
    add(
        "response time, pages of 16 KiB over the best size, MSN",
        "figure 10",
        1.8,
        over_best("page-size", "capacity kept", sizes[-1], sizes, "MSN surrogate"),
        "times",
    )
    dynamic_orders = [
        ratio("order-dynamic", "response time", panel, worse, better, load.name)
        for panel, pairs in (
            ("8 channels, not aged", (("SSD1", "SSD2"),)),
            ("1 channel, not aged", (("SSD3", "SSD5"), ("SSD4", "SSD5"), ("SSD6", "SSD5"))),
        )
        for worse, better in pairs
        for load in orders.DYNAMIC.loads
    ]
    add(
        "response time, the worst order of dynamic allocation over a better one, at most",
        "figure 20",
        1.6,
        largest(dynamic_orders),
        "times",
    )
    add(
        "share of firmware in the response of a read, at most",
        "section 3.1",
        0.189,
        largest(
            [
                value("software", software.READS.name, "", "prototype", load.name)
                for load in software.FIGURE.loads
            ]
        ),
        "%",
    )
    return found


FIGURE = PublishedFigure(
    heading="Published and ours",
    text=(
        "Every number that the source prints. The lengths of the loads of table 3 are inferred from its column *static* alone (next section); the other numbers are from the figures above."
    ),
    title="Published numbers and those of Wordline",
    grids={
        "long": LONG,
        "multi-plane-read": commands.MULTI_PLANE_READ,
        "copy-back": commands.COPY_BACK,
        "page-size": page_size.FIGURE,
        "order-dynamic": orders.DYNAMIC,
        "software": software.FIGURE,
    },
    printed=printed(),
    columns=(OURS,),
)
