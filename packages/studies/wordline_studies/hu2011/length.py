"""Whether longer runs would say anything else: directions of verdicts, and sizes."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.claims import Case, decided, finding
from wordline.studies.grid import GridFigure, Judge, Load
from wordline.studies.measured import Measured
from wordline.studies.verdict import BEYOND, Claim
from wordline_studies.hu2011 import causes
from wordline_studies.hu2011.allocation import DYNAMIC, STATIC
from wordline_studies.hu2011.combination import BASIC, SECOND
from wordline_studies.hu2011.drives import BLIND, ERASES, RESPONSE, dynamic, static, variant
from wordline_studies.hu2011.loads import REQUESTS, surrogate

LENGTHS = (REQUESTS, 1_048_576)
"""Requests of a run."""
TRACES = ("Dev", "MSN", "Ex")
WITHIN = 0.05
"""By how much a ratio may change with the length of a run."""
ALLOCATION, COMMANDS = "four channels", "one channel"
"""Panels: two allocations, and two sets of commands."""


def long(trace: str, requests: int) -> str:
    """As charts show a run of so many requests."""
    return f"{trace} surrogate, {requests:,} requests"


def unchanged(text: str, metric: str, panel: str, of: str, than: str, why: str = "") -> Judge:
    """The claim that a ratio in runs of the study is that in runs of a million requests."""

    def near(short: float, whole: float) -> bool:
        return abs(short / whole - 1) <= WITHIN

    def judge(measured: Measured) -> Claim:
        cases = []
        for trace in TRACES:
            short, whole = (
                measured.ratio(metric, panel, of, than, long(trace, requests))
                for requests in LENGTHS
            )
            if short is None or whole is None:
                cases.append(Case(trace, None))
                continue
            shown = f"{short.mean:.3f} and {whole.mean:.3f}"
            certain = decided(near, short, whole)
            cases.append(Case(trace, near(short.mean, whole.mean), shown, certain))
        judged = "; ".join(f"{case.name} {case.shown}" for case in cases if case.shown)
        ours = f"{metric}, {of} over {than} (ratio), in short and long runs: {judged or 'no run'}"
        return finding(text, BEYOND, ours, cases, why=why)

    return judge


FIGURE = GridFigure(
    heading="Longer runs",
    text=f"Static and dynamic allocation on four channels, basic commands and approach 2 on one, aged, in the runs of {REQUESTS:,} requests that the other figures have and in runs of a million.",
    title="Mean response and erases over those of the first drive of the panel, by requests of a run",
    variants=[
        *(
            variant(name, keys, panel=ALLOCATION, aged=True)
            for name, keys in ((STATIC, static("CWDP")), (DYNAMIC, dynamic("CWDP")))
        ),
        *(
            variant(name, dynamic("CDPW"), commands, panel=COMMANDS, channels=1, aged=True)
            for name, commands in ((BASIC, {}), (SECOND, BLIND))
        ),
    ],
    loads=[
        Load(
            long(trace, requests),
            {**surrogate(trace).keys, "requests": requests},
        )
        for trace in TRACES
        for requests in LENGTHS
    ],
    metrics=[RESPONSE, ERASES],
    baseline={ALLOCATION: STATIC, COMMANDS: BASIC},
    chart=charts.bars,
    claims=[
        unchanged(
            f"{what} with {of} over that with {than} is in runs of {REQUESTS:,} requests that in runs of a million, within 5 %, under Dev, MSN and Ex",
            metric.name,
            panel,
            of,
            than,
            why,
        )
        for what, metric, panel, of, than, why in (
            ("Mean response", RESPONSE, ALLOCATION, DYNAMIC, STATIC, causes.LARGEST_BURST),
            ("Mean response", RESPONSE, COMMANDS, SECOND, BASIC, causes.LARGEST_BURST),
            ("The number of erased blocks", ERASES, COMMANDS, SECOND, BASIC, causes.LEFT_OPEN),
        )
    ],
    whole_only=True,
)
