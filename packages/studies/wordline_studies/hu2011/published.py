"""Every number that the source prints, beside ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wordline.studies.published import Found, Printed, PublishedFigure
from wordline_studies.hu2011 import commands, orders, page_size, reads, software, wear
from wordline_studies.hu2011.allocation import DYNAMIC, STATIC
from wordline_studies.hu2011.baselines import TABLE_3
from wordline_studies.hu2011.loads import FILES

OURS = "Wordline"
EXCERPT = "Wordline, excerpt"
"""Columns: under the surrogate of a trace, and under the excerpt of it that exists."""
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
        quantity: str,
        where: str,
        number: float,
        ours: Ours,
        unit: str,
        known: str = "",
        excerpt: Ours | None = None,
    ) -> None:
        columns = {OURS: ours} if excerpt is None else {OURS: ours, EXCERPT: excerpt}
        found.append(Printed(quantity, where, number, columns, unit, known=known))

    for trace, numbers in TABLE_3.items():
        for name, number in zip((STATIC, DYNAMIC), numbers, strict=True):
            add(
                f"deviation of erases over planes, {name}, {trace}",
                "table 3",
                number,
                value("wear-long", wear.DEVIATION.name, "", name, f"{trace} surrogate"),
                "erases",
                "baseline" if name == STATIC else "",
            )
    for mode, row in reads.TABLE_4.items():
        for trace, number in row.items():

            def gain(kind: str, mode: str = mode, trace: str = trace) -> Ours:
                panel, load = f"{mode}, not aged", f"{trace} {kind}"
                of, than = reads.READS, commands.BASIC
                return ratio("multi-plane-read", "speed-up", panel, of, than, load)

            add(
                f"speed-up by multi-plane reads, {mode}, {trace}",
                "table 4",
                number,
                gain("surrogate"),
                "times",
                excerpt=gain("excerpt") if trace in FILES else None,
            )
    add(
        "speed-up of a lone read of two pages by a multi-plane read",
        "table 4",
        1.16,
        ratio("multi-plane-read-alone", "speed-up", "", reads.READS, commands.BASIC, reads.LONE),
        "times",
    )
    for metric, number in (("response time", 7.7), ("erased blocks", 17.8)):
        add(
            f"{metric}, blind copy-back over basic commands, MSN",
            "figure 14",
            number,
            ratio("copy-back", metric, "", "blind", "basic", "MSN surrogate"),
            "times",
            excerpt=ratio("copy-back", metric, "", "blind", "basic", "MSN excerpt"),
        )
    add(
        "pages given up for each blind copy-back, MSN (almost half)",
        "figure 14",
        0.5,
        value("copy-back", commands.SKIPPED.name, "", "blind", "MSN surrogate"),
        "pages",
        excerpt=value("copy-back", commands.SKIPPED.name, "", "blind", "MSN excerpt"),
    )
    sizes = page_size.NAMES
    add(
        "response time, pages of 16 KiB over the best size, MSN",
        "figure 10",
        1.8,
        over_best("page-size", "capacity kept", sizes[-1], sizes, "MSN surrogate"),
        "times",
        excerpt=over_best("page-size", "capacity kept", sizes[-1], sizes, "MSN excerpt"),
    )
    add(
        "response time, the worst order of dynamic allocation over the best, at most, not aged",
        "figure 20",
        1.6,
        largest(
            [
                ratio(
                    "order-dynamic",
                    "response time",
                    f"{orders.named(channels)}, not aged",
                    worse,
                    better,
                    load.name,
                )
                for channels, worse, better in orders.PAIRS
                for load in orders.DYNAMIC.loads
            ]
        ),
        "times",
    )
    add(
        "share of firmware in the response of a lone read of a page",
        "section 3.1",
        0.189,
        value("software", software.READS.name, "", "prototype", software.LONE),
        "%",
        "calibrated",
    )
    return found


FIGURE = PublishedFigure(
    heading="Published and ours",
    text=(
        "Every number that the source prints, beside ours under the surrogates of the traces, and under the excerpts that exist. Figures 5 to 7 of the source are measured on its prototype and cannot be had by simulation. The lengths of the loads of table 3 are inferred from its column *static* alone (next section); the other numbers are from the figures above."
    ),
    title="Published numbers and those of Wordline",
    grids={
        "wear-long": wear.LONG,
        "multi-plane-read": reads.MULTI_PLANE_READ,
        "multi-plane-read-alone": reads.ISOLATED,
        "copy-back": commands.COPY_BACK,
        "page-size": page_size.FIGURE,
        "order-dynamic": orders.DYNAMIC,
        "software": software.FIGURE,
    },
    printed=printed(),
    columns=(OURS, EXCERPT),
)
