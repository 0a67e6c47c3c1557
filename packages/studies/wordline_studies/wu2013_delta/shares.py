"""The main figure: what deltas save by the share of writes that become deltas (P_c), beside what equations 4.5 to 4.10 say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import altair as alt

from wordline.points.outcome import Outcome
from wordline.points.point import Point
from wordline.report.section import Figure, Row
from wordline.report.theme import data, specification
from wordline.studies.charts import COLOURS
from wordline.studies.claims import Case, finding, rising, spread, typical
from wordline.studies.grid import GridFigure, Judge, Variant
from wordline.studies.measured import Measured
from wordline.studies.study import Form, Part
from wordline.studies.verdict import BEYOND, Claim
from wordline_studies.wu2013_delta.causes import BUFFERED, CONSERVED, MERGES_COUNT
from wordline_studies.wu2013_delta.drives import (
    BASELINE,
    BLOCK_PAGES,
    COLLECTIONS,
    DELTA_SHARE,
    FOREGROUND,
    GAIN,
    MERGED,
    PAGES_PER_DELTA,
    RATIOS,
    SUPERSEDED,
    VICTIMS,
    WORK,
    Keys,
    beside_baselines,
)
from wordline_studies.wu2013_delta.judges import foreground_programs
from wordline_studies.wu2013_delta.loads import ONE

SHARES = (0.25, 0.5, 0.75, 1.0)
"""Shares of the pages whose writes may become deltas."""
PACKINGS: Mapping[str, Keys] = {
    "deltas in one page": {},
    "bytes": {"ftl.delta.packing": "fractional"},
}
"""A delta is in one page; or bytes are counted, as in the formulas of the source: the panels."""
EVERY: Keys = {"ftl.delta.hot_threshold": 1}
"""Every overwrite is a candidate, so that the share is set by the content alone."""
TOLERANCE = 0.25
"""How far the simulation may be from an equation, set before the runs."""


def named(ratio: str, share: float) -> str:
    """A drive of the sweep."""
    return f"{ratio}, {100 * share:.0f} % of the pages"


def swept() -> Sequence[Variant]:
    """Baselines and drives of the sweep."""
    others = {
        named(ratio, share): {**EVERY, **keys, "ftl.delta.encodable": share}
        for ratio, keys in RATIOS.items()
        for share in SHARES
    }
    return beside_baselines(PACKINGS, others)


@dataclass(frozen=True)
class Found:
    """A drive of the sweep beside its equations; everything over the baseline."""

    panel: str
    ratio: str
    share: float
    """P_c, measured."""
    pages: float
    """Pages for each delta, measured: R_c, with what packing leaves empty."""
    overwritten: float
    """P_ow, measured."""
    collections: float
    work: float
    gain: float
    """Pages that a collection of the baseline gains."""
    merges: float
    """Merges outside of collection, over the programs of the host in the baseline."""

    @property
    def programs(self) -> float:
        """1 - P_c + P_c R_c."""
        return 1 - self.share + self.share * self.pages

    @property
    def by_pages(self) -> float:
        """Equation 4.7 over 4.5, where blocks of pages gain what they do in the baseline: t = (1 - P_c) T."""
        return self.programs

    @property
    def by_deltas(self) -> float:
        """Equation 4.8 over 4.5, where all victims are blocks of deltas."""
        return self.programs * self.gain / (self.overwritten * BLOCK_PAGES)

    @property
    def with_merges(self) -> float:
        """Ours: equation 4.7 with the programs of merges beside those of the host."""
        return self.programs + self.merges

    def work_at(self, gain: float) -> float:
        """Programs and erases of a collection with this gain, over those of one of the baseline (equations 4.6, 4.9, 4.10)."""
        return work_of(gain) / work_of(self.gain)

    @property
    def work_by_pages(self) -> float:
        """Equation 4.9 over 4.6."""
        return self.by_pages

    @property
    def work_by_deltas(self) -> float:
        """Equation 4.10 over 4.6."""
        return self.by_deltas * self.work_at(self.overwritten * BLOCK_PAGES)


def work_of(gain: float) -> float:
    """T_erase + T_write (B_s - gain), in µs."""
    return 1500.0 + 200.0 * (BLOCK_PAGES - gain)


def found(measured: Measured) -> Iterator[Found]:
    """Every drive of the sweep whose runs say something."""
    for load in measured.loads:
        for panel in measured.panels:
            gain, programs = (
                measured.value(metric.name, panel, BASELINE, load) for metric in (GAIN, FOREGROUND)
            )
            for ratio in RATIOS:
                for share in SHARES:
                    drive = named(ratio, share)
                    values = [
                        measured.value(metric.name, panel, drive, load)
                        for metric in (DELTA_SHARE, PAGES_PER_DELTA, SUPERSEDED)
                    ]
                    values += [
                        measured.ratio(metric.name, panel, drive, BASELINE, load)
                        for metric in (COLLECTIONS, WORK)
                    ]
                    merged = measured.value(MERGED.name, panel, drive, load)
                    numbers = [value.mean for value in [*values, gain] if value]
                    if len(numbers) == len(values) + 1 and merged and programs:
                        numbers.append(merged.mean / programs.mean)
                        yield Found(panel, ratio, *numbers)


def sweep(measured: Measured) -> Mapping[str, Any]:
    """Collections over those of the baseline by the share of deltas; dashed is what equation 4.7 says."""
    points = [
        {
            "panel": each.panel,
            "ratio": each.ratio,
            "share": each.share,
            "whose": whose,
            "value": value,
        }
        for each in found(measured)
        for whose, value in (("simulated", each.collections), ("equation 4.7", each.by_pages))
    ]
    names = list(RATIOS)
    panels = []
    for panel in measured.panels:
        chosen = data([point for point in points if point["panel"] == panel])
        panels.append(
            alt.Chart(chosen)
            .mark_line(point=True)
            .encode(
                x=alt.X("share:Q", title="share of writes kept as deltas (P_c)"),
                y=alt.Y(
                    "value:Q",
                    title=["collections over the baseline", panel],
                    scale=alt.Scale(zero=True),
                ),
                color=alt.Color(
                    "ratio:N",
                    sort=names,
                    scale=alt.Scale(domain=names, range=list(COLOURS[: len(names)])),
                    title=None,
                ),
                strokeDash=alt.StrokeDash(
                    "whose:N", sort=["simulated", "equation 4.7"], title=None
                ),
            )
            .properties(width=300, height=240)
        )
    return specification(alt.hconcat(*panels))


def near(
    text: str, where: str, ours_of: str, equation: str, values: tuple[str, str], why: str = ""
) -> Judge:
    """The claim that what is simulated is what an equation says, within 25 %, in every drive of the sweep."""

    def judge(measured: Measured) -> Claim:
        cases, over = [], {}
        for each in found(measured):
            simulated, computed = (float(getattr(each, name)) for name in values)
            name = f"{each.panel}, {each.ratio}, P_c {each.share:.2f}"
            over[name] = simulated / computed
            holds = abs(over[name] - 1) <= TOLERANCE
            cases.append(Case(name, holds, f"{simulated:.3f} for {computed:.3f}"))
        what = f"{ours_of}, simulated over {equation} (ratio)"
        return finding(
            text, where, f"{what}: {spread(over)}", cases, number=typical(what, over), why=why
        )

    return judge


SWEEP = GridFigure(
    heading="Collections by the share of deltas",
    text=(
        "What the source calls P_c depends on its traces, which are not public, and on what it leaves open (when a page is no longer write-hot). Here it is set: a quarter, half, three quarters and all of the pages may have deltas, and every overwrite of these becomes one. Left, a delta is in one page, as a drive stores it; right, "
        "bytes are counted, as the formulas of the source do. Dashed is equation 4.7 with blocks of pages that gain what they do in the baseline, which makes it 1 - P_c + P_c R_c: programs of the host, over those of the baseline. R_c is what a delta takes of a page, gaps included."
    ),
    title="Collections over those of the baseline, by the share of writes kept as deltas",
    variants=swept(),
    loads=ONE,
    metrics=[
        COLLECTIONS,
        DELTA_SHARE,
        PAGES_PER_DELTA,
        FOREGROUND,
        MERGED,
        WORK,
        GAIN,
        VICTIMS,
        SUPERSEDED,
    ],
    baseline=BASELINE,
    chart=sweep,
    claims=[
        *(
            rising(
                f"Collections never become more from the baseline over 25 %, 50 % and 75 % to 100 % of the pages with {ratio}, under every load",
                "claim 1",
                metric=COLLECTIONS.name,
                variants=[*(named(ratio, share) for share in reversed(SHARES)), BASELINE],
                why=MERGES_COUNT,
            )
            for ratio in RATIOS
        ),
        *(
            rising(
                f"Foreground programs never become more from the baseline over 25 %, 50 % and 75 % to 100 % of the pages with {ratio}, under every load",
                "claim 3",
                metric=FOREGROUND.name,
                variants=[*(named(ratio, share) for share in reversed(SHARES)), BASELINE],
            )
            for ratio in RATIOS
        ),
        foreground_programs(
            "Foreground programs are 1 - P_c + P_c · (pages for each delta) of those of the baseline within 1 %, in every drive of the sweep, under every load",
            "section 4.4, with the pages that deltas take",
            why=BUFFERED,
        ),
    ],
    seeds=(1,),
)


class Equations(GridFigure):
    """The same runs in a table beside the equations."""

    def part(self, form: Form, outcomes: Mapping[Point, Outcome]) -> Part:
        """The table, its chart and claims."""
        part = super().part(form, outcomes)
        rows = table(self.measured(form, outcomes))
        return replace(part, figure=Figure(self.title, part.figure.chart, rows), open_table=True)


def table(measured: Measured) -> list[Row]:
    """A row for each drive of the sweep."""
    return [
        {
            "packing": each.panel,
            "R_c": each.ratio,
            "P_c": round(each.share, 3),
            "P_ow": round(each.overwritten, 3),
            "collections": round(each.collections, 3),
            "4.7, t = (1 - P_c) T": round(each.by_pages, 3),
            "4.8": round(each.by_deltas, 3),
            "4.7 with merges (ours)": round(each.with_merges, 3),
            "work": round(each.work, 3),
            "4.9": round(each.work_by_pages, 3),
            "4.10": round(each.work_by_deltas, 3),
        }
        for each in found(measured)
    ]


def beside(measured: Measured) -> Mapping[str, Any]:
    """Simulated collections, by what the equations say."""
    kinds = {
        "equation 4.7": "by_pages",
        "equation 4.8": "by_deltas",
        "4.7 with merges (ours)": "with_merges",
    }
    points = [
        {"computed": getattr(each, name), "simulated": each.collections, "equation": kind}
        for each in found(measured)
        for kind, name in kinds.items()
    ]
    drawn = (
        alt.Chart(data(points))
        .mark_point(filled=True, size=60)
        .encode(
            x=alt.X("computed:Q", title="collections over the baseline, computed"),
            y=alt.Y("simulated:Q", title="simulated"),
            color=alt.Color(
                "equation:N",
                sort=list(kinds),
                scale=alt.Scale(domain=list(kinds), range=list(COLOURS[: len(kinds)])),
                title=None,
            ),
        )
    )
    ends = data([{"end": 0.0}, {"end": 1.0}])
    equal = alt.Chart(ends).mark_line(color="#6b7280").encode(x="end:Q", y="end:Q")
    return specification(alt.layer(equal, drawn).properties(width=340, height=300))


EQUATIONS = Equations(
    heading="Equations 4.5 to 4.10 and the simulation",
    text=(
        "The runs of the figure above, over their baseline. N is what the host writes to flash in the baseline, T is N over the pages that its collections gain, P_c, P_ow and what a delta takes are those of each run. The source does not say how t, the blocks of pages with stale pages, depends on P_c: here blocks of pages gain what they do in the baseline, t = (1 - P_c) T; "
        "with t = T equation 4.7 would be 1 + P_c R_c / (1 - P_c), which is above 1 at any R_c. The grey line is where both are equal."
    ),
    title="Collections over those of the baseline, computed and simulated",
    variants=swept(),
    loads=ONE,
    metrics=SWEEP.metrics,
    baseline=BASELINE,
    chart=beside,
    claims=[
        near(
            "Collections are those of equation 4.7 with t = (1 - P_c) T within 25 %, in every drive of the sweep, under every load",
            "section 4.4, equation 4.7",
            "collections",
            "equation 4.7",
            ("collections", "by_pages"),
            why=MERGES_COUNT,
        ),
        near(
            "Collections are those of equation 4.8 within 25 %, in every drive of the sweep, under every load",
            "section 4.4, equation 4.8",
            "collections",
            "equation 4.8",
            ("collections", "by_deltas"),
            why=CONSERVED,
        ),
        near(
            "Programs and erases of collection are those of equation 4.9 within 25 %, in every drive of the sweep, under every load",
            "section 4.4, equation 4.9",
            "programs and erases of collection",
            "equation 4.9",
            ("work", "work_by_pages"),
            why=MERGES_COUNT,
        ),
        near(
            "Programs and erases of collection are those of equation 4.10 within 25 %, in every drive of the sweep, under every load",
            "section 4.4, equation 4.10",
            "programs and erases of collection",
            "equation 4.10",
            ("work", "work_by_deltas"),
            why=CONSERVED,
        ),
        near(
            "Collections are those of equation 4.7 with the programs of merges within 25 %, in every drive of the sweep, under every load",
            BEYOND,
            "collections",
            "equation 4.7 with merges",
            ("collections", "with_merges"),
        ),
    ],
    seeds=(1,),
)
