"""R4, R5, R8, R10: life by requirement and policy."""

from __future__ import annotations

from wordline.lifetimes import Lifetime
from wordline.report.section import Figure, Row
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict
from wordline_studies.mohan_refresh.common import (
    SERVERS,
    YEAR,
    bars,
    falling,
    horizon,
    lasts,
    months_of,
    of,
    required,
    shown,
    study,
)

POLICIES = ("edf", "periodic", "oracle")


BOUNDED = ("1 year", "3 months")
"""Requirements at which the other policies are studied too."""


def refreshing(load: str, policy: str, value: float, *, quick: bool) -> Lifetime:
    """A study of a drive that refreshes its blocks."""
    return study(load, policy, value, quick=quick, months=horizon(load, quick=quick))


def with_refresh(found: Lifetime) -> float | None:
    """Life of a refreshing drive in months."""
    return months_of(found, "refresh.life_s")


def lives(quick: bool) -> Part:
    """Life by load, requirement and policy."""
    rows: list[Row] = []
    gains: dict[tuple[str, str], float] = {}
    for name in of(quick):
        for words, value in required(quick).items():
            before = lasts(name, value, quick=quick)
            lived = {
                policy: with_refresh(refreshing(name, policy, value, quick=quick))
                for policy in POLICIES
                if policy == "edf" or words in BOUNDED
            }
            rows.append({"load": name, "required": words, "none": before, **lived})
            after = lived["edf"]
            if before is not None and after is not None:
                gains[name, words] = after / before - 1
    names, all_words = list(of(quick)), list(required(quick))
    by_load = {
        name: [gains[name, words] for words in all_words if (name, words) in gains]
        for name in names
    }
    ranked = sorted(names, key=lambda name: SERVERS[name].writes_per_day)
    less = []
    for words in all_words:
        of_words = [gains[name, words] for name in ranked if (name, words) in gains]
        if len(of_words) > 1:
            less.append(falling(of_words, 0.02))
    more = []
    for name in names:
        edf = refreshing(name, "edf", YEAR, quick=quick)
        life, before = with_refresh(edf), lasts(name, YEAR, quick=quick)
        refreshes = float(edf.summary["refresh.pages"] or 0)
        if life is not None and before is not None:
            more.append(refreshes > 0 and life > before)
    in_order = []
    for row in rows:
        found = [row.get(policy) for policy in ("oracle", "edf")]
        if all(isinstance(value, float) for value in found):
            in_order.append(falling([float(value) for value in found], 0.03))  # type: ignore[arg-type]  # rows hold numbers where a life was found
    chart: list[Row] = [
        {"load and requirement": f"{name}, {words}", "gain": gain, "load": name}
        for (name, words), gain in gains.items()
    ]
    return Part(
        "Life by requirement and policy",
        "Without refresh a drive ends when its tenth percentile of retention falls below what is required; with refresh when data are lost or too few blocks can be used. Months of 30 days, up to 60 years.",
        Figure(
            "Gain of life by EDF",
            bars(chart, ("load and requirement", ""), ("gain", "gain of life"), "load"),
            rows,
        ),
        [
            Claim(
                "EDF refresh extends life for every load and every requirement",
                "R4",
                "gain of life (ratio): "
                + "; ".join(f"{shown(by_load[name], 2)} {name}" for name in names),
                Verdict.of_cases([gain > 0 for gain in gains.values()]),
                'without refresh a drive ends when a tenth of its blocks keep data too short, with refresh when the first block does: one that was erased and programmed within a second keeps data for days where others, as worn, keep them for months (traced below, "What ends a drive with refresh at a requirement of a month"). Nothing was refreshed until then',
            ),
            Claim(
                "The gain shrinks as the requirement does, for every load",
                "R5",
                "gain of life (ratio): "
                + "; ".join(f"{shown(by_load[name], 2)} {name}" for name in names),
                Verdict.of_cases([falling(by_load[name], 0.02) for name in names]),
            ),
            Claim(
                "Loads that write less gain more, at every requirement",
                "R8",
                "; ".join(
                    f"{words}: {shown([gains.get((name, words)) for name in ranked], 2)}"
                    for words in all_words
                ),
                Verdict.of_cases(less),
                f"in the order of writes: {', '.join(ranked)}",
            ),
            Claim(
                "Refresh adds writes and still lengthens life",
                "R10",
                "; ".join(
                    f"{name} {float(refreshing(name, 'edf', YEAR, quick=quick).summary['refresh.pages'] or 0):,.0f} pages"
                    for name in names
                ),
                Verdict.of_cases(more),
                "these surrogates overwrite nearly all data before they fade, so that few blocks are refreshed",
            ),
            Claim(
                "Refresh without costs in time and wear lets a drive live as long as EDF at least",
                "invariant 7",
                f"{len(in_order)} comparisons",
                Verdict.of_cases(in_order),
                "within 3 %, the error of studies that skip time",
            ),
        ],
        open_table=True,
    )
