"""V4: the distribution of response times under hm0; what is printed of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import altair as alt

from wordline.points.outcome import Outcome
from wordline.report.theme import data, specification
from wordline.studies import charts
from wordline.studies.grid import GridFigure, Metric
from wordline.studies.measured import Measured
from wordline.studies.published import WORDLINE, Found, Printed, PublishedFigure
from wordline_studies.cui2018_dlv.causes import SHORTER_PROGRAMS
from wordline_studies.cui2018_dlv.drives import MAIN, Keys, scheme
from wordline_studies.cui2018_dlv.judges import sized
from wordline_studies.cui2018_dlv.loads import COMPRESSION, REQUESTS, busy, recorded

LOGGED: Keys = {"output.request_log": REQUESTS}
OBSERVERS = ("gc_onset", "latencies")
WITHIN_US = 2000.0
PRINTED = 0.601
"""Share of the writes of the baseline that end within 2 ms under hm0."""
SAME = 0.1

Halves = Mapping[str, Mapping[str, Mapping[str, Any]]]
SHARES = [*(each / 100 for each in range(1, 100)), 0.995, 0.999]
"""Shares of the requests at which the observer gives the response time."""


def within(kind: str) -> Callable[[Outcome], float | None]:
    """Share of the reads or writes that end within 2 ms, from the quantiles of each half of the requests."""

    def value(outcome: Outcome) -> float | None:
        halves: Halves = outcome.observed.get("latencies") or {}
        parts = [half[kind] for half in halves.values() if kind in half]
        count = sum(int(part["count"]) for part in parts)
        if not count:
            return None
        return float(sum(part["count"] * below(part["levels_us"]) for part in parts) / count)

    return value


def below(levels: list[float]) -> float:
    """Share of the requests within 2 ms, by their quantiles."""
    reached = [share for share, level in zip(SHARES, levels, strict=True) if level <= WITHIN_US]
    return reached[-1] if reached else 0.0


def curves(measured: Measured) -> Mapping[str, Any]:
    """The share of the requests within a time, a panel for reads and one for writes; of the first half of the first seed's requests."""
    points = []
    for cell, runs in measured.outcomes.items():
        outcome = next(iter(runs.values()), None)
        halves: Halves = outcome.observed.get("latencies") or {} if outcome else {}
        for kind in ("write", "read"):
            own = halves.get("first", {}).get(kind)
            for share, level in zip(SHARES, own["levels_us"], strict=True) if own else ():
                points.append(
                    {"kind": f"{kind}s", "scheme": cell.variant, "ms": level / 1e3, "share": share}
                )
    names = [variant.name for variant in measured.figure.variants]
    chart = (
        alt.Chart(data(points))
        .mark_line()
        .encode(
            x=alt.X("ms:Q", title="response (ms)", scale=alt.Scale(type="log")),
            y=alt.Y("share:Q", title="share of the requests"),
            color=alt.Color("scheme:N", sort=names, title=None),
            column=alt.Column("kind:N", title=None, sort=["writes", "reads"]),
        )
        .properties(width=300, height=240)
    )
    return specification(chart)


WRITES_WITHIN = Metric("writes within 2 ms", within("write"), "share", relative=False)
READS_WITHIN = Metric("reads within 2 ms", within("read"), "share", relative=False)
WRITE_P95 = Metric("write response, p95", "host.write.latency.p95_us")
READ_MEDIAN = Metric("read response, median", "host.read.latency.p50_us")

FIGURE = GridFigure(
    heading="Distribution of response times",
    text=f"Reads and writes of hm0, {COMPRESSION:g} times as fast as recorded: the share of them within a time.",
    title="Response times under hm0",
    variants=[scheme(name, LOGGED) for name in MAIN],
    loads=busy(["hm0"]),
    metrics=[WRITES_WITHIN, READS_WITHIN, WRITE_P95, READ_MEDIAN],
    baseline="baseline",
    chart=curves,
    claims=[
        *(
            sized(
                f"The 95th percentile of the response of writes is not higher with DLV than {where} under hm0, within 2 %",
                "V4, figure 12",
                metric=WRITE_P95.name,
                of="DLV",
                than=than,
                relation="not above",
                margin=0.02,
                loads=["hm0 surrogate"],
            )
            for than, where in (
                ("baseline", "in the baseline"),
                ("WOO", "with WOO"),
                ("ROO", "with ROO"),
            )
        ),
        sized(
            "The median response of reads with DLV is that with ROO within 10 % under hm0",
            "V4, figure 12",
            metric=READ_MEDIAN.name,
            of="DLV",
            than="ROO",
            relation="equal to",
            margin=SAME,
            why=SHORTER_PROGRAMS,
            loads=["hm0 surrogate"],
        ),
    ],
    observers=OBSERVERS,
    whole_only=True,
)

AS_RECORDED = GridFigure(
    heading="Published and ours",
    text="",
    title="",
    variants=[scheme("baseline", LOGGED)],
    loads=recorded(["hm0"]),
    metrics=[WRITES_WITHIN],
    chart=charts.bars,
    claims=[],
    observers=OBSERVERS,
)
BUSY = GridFigure(
    heading="Published and ours",
    text="",
    title="",
    variants=[scheme("baseline", LOGGED)],
    loads=busy(["hm0"]),
    metrics=[WRITES_WITHIN],
    chart=charts.bars,
    claims=[],
    observers=OBSERVERS,
)
CALIBRATED = f"{WORDLINE}, {COMPRESSION:g} times as fast"


def mean_of(grid: str) -> Callable[[Found], float | None]:
    """The mean over the seeds."""

    def value(found: Found) -> float | None:
        interval = found[grid].value(WRITES_WITHIN.name, "", "baseline", "hm0 surrogate")
        return None if interval is None else interval.mean

    return value


PUBLISHED = PublishedFigure(
    heading="Published and ours",
    text=(
        "What the source prints of its baseline in figures: the share of the writes of hm0 within 2 ms. The compression of time follows from it, so that the second column agrees by construction. No other result of its figures was at hand when the study was run; sizes that it prints too are marked *to be compared* in the claims."
    ),
    title="Published number of the baseline and those of Wordline",
    grids={"recorded": AS_RECORDED, "busy": BUSY},
    printed=[
        Printed(
            "hm0: writes within 2 ms",
            "section 6, figure 12",
            PRINTED,
            {WORDLINE: mean_of("recorded"), CALIBRATED: mean_of("busy")},
            known="calibrated",
        )
    ],
    columns=(WORDLINE, CALIBRATED),
    deviations=(
        "At the recorded rate 128 planes that program a page in 600 µs are far from busy with 4 to 13 pages a second. Either the source replayed the trace faster than it was recorded, or its requests met each other more often than those of a surrogate whose burstiness is that of an excerpt of four minutes."
    ),
)
