"""V1 and V2: bandwidth and requests per second."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure, Judge
from wordline_studies.cui2018_dlv.drives import BANDWIDTH, HALF, IOPS, MAIN, scheme
from wordline_studies.cui2018_dlv.loads import DEPTH, READING, VOLUMES, WRITING, names, saturating

CLOSE = 0.02
"""By how much a scheme may be behind another one and count as not worse."""
HOT_PLANE = (
    "one plane, that of the most popular pages, is busy for 97 % of the time under fin2 and 93 % under hm1 (seed 1, `nand.die_utilization_max`), and all others wait for it: programs fill much of that time even where few requests write, so faster programs raise throughput, "
    "while levels of reads and the order of requests hardly do"
)
"""Why reads from known levels, in order of their ends, do not raise throughput."""
STRONG = "pages of strong blocks have more errors at the same age, so that reads from one reference upward take more attempts; where hardly anything is written nothing makes up for that"
"""Why classes of blocks cost reads."""


def above(metric: str, where: str, than: str) -> Judge:
    """DLV is above another scheme."""
    return ordering(
        f"{metric} {'is' if metric == 'Bandwidth' else 'are'} higher with DLV than {'in the baseline' if than == 'baseline' else f'with {than}'}, under every load",
        where,
        metric="bandwidth" if metric == "Bandwidth" else "IOPS",
        of="DLV",
        than=than,
        relation="above",
        why=STRONG if than != "WOO" else HOT_PLANE,
    )


FIGURE = GridFigure(
    heading="Bandwidth and requests per second",
    text=(
        f"A closed loop: {DEPTH} requests are in the drive at once, and the next is sent when one is done. The drives are half full, so that nothing is collected: on a full drive at this load "
        "planes that have run out of free blocks collect with priority for seconds, which no scheduler of requests can change."
    ),
    title="Throughput over that of the baseline",
    variants=[scheme(name, base=HALF) for name in MAIN],
    loads=saturating(VOLUMES),
    metrics=[BANDWIDTH, IOPS],
    baseline="baseline",
    chart=charts.bars,
    claims=[
        *(above("Bandwidth", "V1, figure 9", than) for than in ("baseline", "WOO", "ROO")),
        ordering(
            f"Bandwidth is higher with WOO than with ROO, under the write-intensive {', '.join(WRITING)}",
            "V1, figure 9",
            metric="bandwidth",
            of="WOO",
            than="ROO",
            relation="above",
            loads=names(WRITING),
        ),
        ordering(
            f"Bandwidth is higher with ROO than with WOO, under the read-intensive {', '.join(READING)}",
            "V1, figure 9",
            metric="bandwidth",
            of="ROO",
            than="WOO",
            relation="above",
            loads=names(READING),
            why=HOT_PLANE,
        ),
        above("Requests per second", "V2, figure 10", "baseline"),
    ],
    whole_only=True,
)
