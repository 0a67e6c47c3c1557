"""V10: how request sizes change over time, and how old data are when they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from wordline.points.outcome import Outcome
from wordline.report.theme import data, specification
from wordline.studies import charts
from wordline.studies.claims import Case, finding
from wordline.studies.grid import GridFigure, Judge, Metric
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim
from wordline_studies.cui2018_dlv.causes import WHOLE_PAGES
from wordline_studies.cui2018_dlv.drives import SCHEMES, Keys, scheme, variant
from wordline_studies.cui2018_dlv.judges import unjudged
from wordline_studies.cui2018_dlv.loads import EXCERPTS, FOUR, REQUESTS, SHORT, busy

HM0 = "hm0 excerpt"
STRONGLY = 2.0
"""How much larger the largest of some values is than the least where they vary strongly."""
Groups = Sequence[Mapping[str, float]]


def spread(outcome: Outcome) -> float | None:
    """The largest over the least mean size of a group of requests."""
    groups: Groups = outcome.observed.get("sizes") or []
    means = [group["mean_kib"] for group in groups]
    return max(means) / min(means) if means else None


def mean_part(outcome: Outcome) -> float | None:
    """Mean size of a part of a request in one page, over the whole run."""
    groups: Groups = outcome.observed.get("sizes") or []
    parts = sum(group["parts"] for group in groups)
    return sum(group["parts"] * group["part_kib"] for group in groups) / parts if parts else None


def part_spread(outcome: Outcome) -> float | None:
    """The largest over the least mean number of parts of a request of a group."""
    groups: Groups = outcome.observed.get("sizes") or []
    parts = [group["parts"] for group in groups]
    return max(parts) / min(parts) if parts else None


PART = Metric("mean size of a sub-request", mean_part, "KiB", relative=False)
PARTS = Metric("largest over least mean number of sub-requests", part_spread, "", relative=False)
SPREAD = Metric("largest over least mean size", spread, "", relative=False)


def over_time(measured: Measured) -> Mapping[str, Any]:
    """Mean size of a group of requests, and the range of nine tenths of them, over time; a panel for each load."""
    points: list[dict[str, Any]] = []
    for cell, runs in measured.outcomes.items():
        outcome = next(iter(runs.values()), None)
        groups: Groups = (outcome.observed.get("sizes") if outcome else None) or []
        # surrogates come faster than the trace, so requests are counted and not seconds
        points += [
            {"load": cell.load, "group": number, **group} for number, group in enumerate(groups)
        ]
    base = alt.Chart().encode(x=alt.X("group:Q", title="requests, in fiftieths"))
    band = base.mark_area(opacity=0.25).encode(
        y=alt.Y("p5_kib:Q", title="size (KiB)"), y2="p95_kib:Q"
    )
    line = base.mark_line().encode(y=alt.Y("mean_kib:Q"))
    sizes = (
        alt.layer(band, line, data=data(points))
        .properties(width=300, height=200)
        .facet(column=alt.Column("load:N", title=None))
    )
    parts = (
        alt.Chart(data(points))
        .mark_line()
        .encode(
            x=alt.X("group:Q", title="requests, in fiftieths"),
            y=alt.Y("parts:Q", title="sub-requests"),
            column=alt.Column("load:N", title=None),
        )
        .properties(width=300, height=120)
    )
    return specification(alt.vconcat(sizes, parts))


def varies(
    text: str,
    where: str,
    metric: Metric,
    *,
    loads: Sequence[str],
    note: str = "",
    why: str = "",
) -> Judge:
    """The claim that something about the requests varies strongly over time."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for load in loads:
            value = measured.value(metric.name, "", "baseline", load)
            holds = None if value is None else value.mean >= STRONGLY
            cases.append(Case(load, holds, "" if value is None else f"{value.mean:.1f}"))
        shown = ", ".join(case.shown for case in cases if case.shown) or "the trace is not there"
        return finding(text, where, f"{metric.name}: {shown}", cases, note=note, why=why)

    return judge


FIRST_MINUTES = "the excerpt holds the first minutes of the volume's week"
SIZES = GridFigure(
    heading="Sizes of requests over time",
    text="Requests of hm0 in fifty groups that follow each other: their mean size, and the sizes of nine tenths of them. A request is divided into sub-requests, one for each page of 4 KiB that it touches; the last line is how many a request has in the mean. Those of the surrogate are drawn independently, so that what varies there is chance alone.",
    title="Sizes of requests over time",
    variants=[scheme("baseline", {"output.request_log": REQUESTS})],
    loads=[*(load for load in EXCERPTS if load.name == HM0), *busy(["hm0"])],
    metrics=[SPREAD, PARTS, PART],
    chart=over_time,
    claims=[
        varies(
            f"The mean size of requests of hm0 varies over time by a factor of {STRONGLY:g} or more",
            "V10, figure 3a",
            SPREAD,
            loads=[HM0],
            note=FIRST_MINUTES,
        ),
        varies(
            f"The mean number of sub-requests of a request of hm0 varies over time by a factor of {STRONGLY:g} or more",
            "V10, figure 3b",
            PARTS,
            loads=[HM0],
            note=FIRST_MINUTES,
            why=WHOLE_PAGES,
        ),
    ],
    observers=("gc_onset", "sizes"),
    seeds=(1,),
)

HOST_MEAN = Metric(
    "age at reads of the host, mean", "ecc.read_days.host.mean", "days", relative=False
)
HOST_P95 = Metric("age at reads of the host, p95", "ecc.read_days.host.p95", "days", relative=False)
MOVED_MEAN = Metric("age at moves, mean", "ecc.read_days.moves.mean", "days", relative=False)
MOVED_P95 = Metric("age at moves, p95", "ecc.read_days.moves.p95", "days", relative=False)
LEARNING: Keys = SCHEMES["LV-LDPC"]


def extremes(measured: Measured) -> str:
    """The least and the largest mean age at reads of the host, with their loads."""
    values = {
        load: value.mean
        for load in measured.loads
        if (value := measured.value(HOST_MEAN.name, "", "LV-LDPC", load))
    }
    if not values:
        return f"{HOST_MEAN.name}: no read"
    least, most = min(values, key=values.__getitem__), max(values, key=values.__getitem__)
    return f"{HOST_MEAN.name}: {values[least]:.2f} ({least}) to {values[most]:.2f} ({most})"


AGES = GridFigure(
    heading="Ages of data at reads",
    text=(
        "How old the block of a page is, in whole days, when the page is read for the host and when it is read to be moved. A run lasts minutes, so that all days are those of the state at the start: blocks are 0 to 6.3 days old, as many of each age. What differs between loads is how much of what is read was written, or moved, in the run itself."
    ),
    title="Ages of data at reads",
    variants=[variant("LV-LDPC", LEARNING)],
    loads=busy(FOUR, SHORT),
    metrics=[HOST_MEAN, HOST_P95, MOVED_MEAN, MOVED_P95],
    chart=charts.bars,
    claims=[
        unjudged(
            "The ages of data at reads of the host are not the same under every load",
            "V10, figure 5",
            extremes,
            "in the source the ages come from a week of each trace; all our traces begin with the same state, and a run of minutes reads little that it has written",
        ),
    ],
    seeds=(1,),
    whole_only=True,
)
