"""Whether the loads keep the drive as busy as the source says."""

from __future__ import annotations

from wordline.points.outcome import Outcome
from wordline.studies import charts
from wordline.studies.claims import Case, decided, finding
from wordline.studies.grid import GridFigure, Judge, Metric
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim
from wordline_studies.wu2012.drives import CELLS, FIFO, variant
from wordline_studies.wu2012.judges import listed
from wordline_studies.wu2012.loads import REQUESTS, SIX, TRACES

NEAR = 0.1
"""By how much a share may miss the printed one and count as near it."""


def idle(outcome: Outcome) -> float | None:
    """Share of the time without a request in the drive."""
    share = outcome.observed["idle_share"]
    return None if share is None else float(share)


def near(text: str, where: str, why: str) -> Judge:
    """The claim that a drive is idle as long as the source prints for the trace."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for cell in CELLS:
            for trace, law in TRACES.items():
                load = f"{trace} surrogate"
                value = measured.value("idle", cell, "FIFO", load)
                if not value:
                    cases.append(Case(f"{trace} {cell}", None))
                    continue

                def holds(share: float, printed: float = law.idle) -> bool:
                    return abs(share - printed) <= NEAR

                shown = f"{100 * value.mean:.1f} % for {100 * law.idle:.1f} %"
                certain = decided(holds, value)
                cases.append(Case(f"{trace} {cell}", holds(value.mean), shown, certain))
        return finding(
            text,
            where,
            f"share of idle time, here for that in the source: {listed(cases)}",
            cases,
            why=why,
        )

    return judge


FIGURE = GridFigure(
    heading="How busy the loads keep the drive",
    text="FIFO: the share of the time without a request in the drive, and the share of the time that a plane is busy.",
    title="Shares of time",
    variants=[
        variant("FIFO", cell, cell, FIFO, {"output.request_log": REQUESTS}) for cell in CELLS
    ],
    loads=SIX,
    metrics=[
        Metric("idle", idle, "of the time", relative=False),
        Metric("a plane works", "nand.die_utilization", "of the time", relative=False),
    ],
    observers=("gc_onset", "idle_share"),
    chart=charts.bars,
    claims=[
        near(
            "The share of time without a request in the drive is the one that the source prints, within 10 percentage points, for F1, F2, DAP and MSN",
            "table 3.2",
            "the drive is busy while requests are in progress, and the published rates and sizes lead to no more than this; "
            "the source gives one share for both kinds of cell. DAP has 100 requests/s after compression, so each request "
            "would have to last 3.6 ms. Either the sizes, which are not published, are many times larger, or the source "
            "counts garbage collection as busy time",
        )
    ],
)
