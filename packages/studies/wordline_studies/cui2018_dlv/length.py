"""Whether longer runs would say anything else."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.claims import Case, finding
from wordline.studies.grid import GridFigure, Judge
from wordline.studies.measured import Measured
from wordline.studies.verdict import BEYOND, Claim
from wordline_studies.cui2018_dlv.causes import LONGER
from wordline_studies.cui2018_dlv.drives import AMPLIFICATION, READ, RESPONSE, WRITE, scheme
from wordline_studies.cui2018_dlv.loads import REQUESTS, SHORT, load, name_of, speed_of

LENGTHS = (SHORT, REQUESTS, 131_072, 1_048_576)
"""Requests of a run."""
TRACES = ("hm0", "proj3")
WITHIN = 0.05
"""By how much a ratio may change with the length of a run."""


def long(volume: str, requests: int) -> str:
    """As charts show a run of so many requests."""
    return f"{name_of(volume)}, {requests:,} requests"


def unchanged(text: str, metric: str, of: str, why: str = "") -> Judge:
    """The claim that a ratio to the baseline in runs of the study is that in runs of a million requests."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for volume in TRACES:
            short, whole = (
                measured.ratio(metric, "", of, "baseline", long(volume, requests))
                for requests in (REQUESTS, LENGTHS[-1])
            )
            if short is None or whole is None:
                cases.append(Case(volume, None))
                continue
            shown = f"{short.mean:.3f} and {whole.mean:.3f}"
            cases.append(Case(volume, abs(short.mean / whole.mean - 1) <= WITHIN, shown))
        told = ", ".join(f"{case.shown} ({case.name})" for case in cases if case.shown)
        ours = f"{metric}, {of} over baseline (ratio), in short and long runs: {told or 'no run'}"
        return finding(text, BEYOND, ours, cases, why=why)

    return judge


FIGURE = GridFigure(
    heading="Longer runs",
    text=f"The loads of the experiments on response times with {SHORT:,} to 1,048,576 requests; those of the other figures have {REQUESTS:,}, or fewer where many drives are compared.",
    title="Response over that of the baseline, by requests of a run",
    variants=[scheme(name) for name in ("baseline", "DLV")],
    loads=[
        load(volume, speed_of(volume), requests, name=long(volume, requests))
        for volume in TRACES
        for requests in LENGTHS
    ],
    metrics=[RESPONSE, READ, WRITE, AMPLIFICATION],
    baseline="baseline",
    chart=charts.bars,
    claims=[
        unchanged(
            f"Mean response with DLV over that of the baseline is in runs of {REQUESTS:,} requests that in runs of a million, within 5 %, under {' and '.join(TRACES)}",
            RESPONSE.name,
            "DLV",
            LONGER,
        )
    ],
    seeds=(1,),
    whole_only=True,
)
