"""V1 and V2: bandwidth and requests per second."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.grid import GridFigure, Judge
from wordline_studies.cui2018_dlv.drives import BANDWIDTH, CLOSED, IOPS, MAIN, scheme
from wordline_studies.cui2018_dlv.judges import sized
from wordline_studies.cui2018_dlv.loads import DEPTH, READING, VOLUMES, WRITING, names, saturating


def above(metric: str, where: str, than: str) -> Judge:
    """DLV is above another scheme."""
    return sized(
        f"{metric} {'is' if metric == 'Bandwidth' else 'are'} higher with DLV than {'in the baseline' if than == 'baseline' else f'with {than}'}, under every load",
        where,
        metric="bandwidth" if metric == "Bandwidth" else "IOPS",
        of="DLV",
        than=than,
        relation="above",
    )


FIGURE = GridFigure(
    heading="Bandwidth and requests per second",
    text=(
        f"A closed loop: {DEPTH} requests are in the drive at once, and the next is sent when one is done. The drives were half filled once, so that nothing is collected: on a full drive at this load "
        "planes that have run out of free blocks collect with priority for seconds, which no scheduler of requests can change."
    ),
    title="Throughput over that of the baseline",
    variants=[scheme(name, base=CLOSED) for name in MAIN],
    loads=saturating(VOLUMES),
    metrics=[BANDWIDTH, IOPS],
    baseline="baseline",
    chart=charts.bars,
    claims=[
        *(above("Bandwidth", "V1, figure 9", than) for than in ("baseline", "WOO", "ROO")),
        sized(
            f"Bandwidth is higher with WOO than with ROO, under the write-intensive {', '.join(WRITING)}",
            "V1, figure 9",
            metric="bandwidth",
            of="WOO",
            than="ROO",
            relation="above",
            loads=names(WRITING),
        ),
        sized(
            f"Bandwidth is higher with ROO than with WOO, under the read-intensive {', '.join(READING)}",
            "V1, figure 9",
            metric="bandwidth",
            of="ROO",
            than="WOO",
            relation="above",
            loads=names(READING),
        ),
        above("Requests per second", "V2, figure 10", "baseline"),
    ],
    whole_only=True,
)
