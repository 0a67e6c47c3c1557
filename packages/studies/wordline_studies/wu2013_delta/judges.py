"""Claims of the kinds that this study makes beside the usual ones."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from wordline.statistics import Interval
from wordline.studies.claims import Case, chain, compared, decided, finding
from wordline.studies.grid import Judge
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim
from wordline_studies.wu2012.judges import listed
from wordline_studies.wu2013_delta.drives import (
    BASELINE,
    DELTA_SHARE,
    FOREGROUND,
    PAGES_PER_DELTA,
    RATIOS,
    RAW,
    VICTIMS,
)

EQUAL_SHARE = 0.02
"""Claim 4: by how much P_c may differ between two ratios."""
EXPECTED = 0.01
"""By how much the programs may differ from 1 - P_c + P_c · (pages for each delta)."""
MODEST = 0.15
"""What counts as a slight rise; the source gives no number."""


def least(
    text: str, where: str, *, metric: str, of: str, losers: Sequence[str], why: str = ""
) -> Judge:
    """The claim that a metric of a variant is least under the loads `losers`, whatever their order."""

    def judge(measured: Measured) -> Claim:
        values = {
            load: value.mean
            for load in measured.loads
            if (value := measured.value(metric, "", of, load))
        }
        ranked = sorted(values, key=values.__getitem__)
        shown = ", ".join(f"{load} {values[load]:.3f}" for load in ranked)
        holds = set(ranked[: len(losers)]) == set(losers) if values else None
        cases = [Case(of, holds, shown)]
        return finding(text, where, f"{metric}: {listed(cases)}", cases, why=why)

    return judge


def majority(text: str, where: str, *, loads: Sequence[str], most: bool, why: str = "") -> Judge:
    """The claim that more than half of the collected blocks are full of deltas, or of pages."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for load in loads:
            share = measured.value(VICTIMS.name, "", "ratio 0.35", load)
            holds = (share.mean > 0.5) is most if share else None
            cases.append(Case(load, holds, f"{100 * share.mean:.1f} %" if share else ""))
        return finding(text, where, f"{VICTIMS.name}: {listed(cases)}", cases, why=why)

    return judge


def shares(text: str, where: str, why: str = "") -> Judge:
    """The claim that the share of writes that become deltas does not depend on their ratio."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for load in measured.loads:
            values = [measured.value(DELTA_SHARE.name, "", name, load) for name in RATIOS]
            means = [value.mean for value in values if value]
            if len(means) < len(RATIOS) or not max(means):
                cases.append(Case(load, None))
                continue
            apart = (max(means) - min(means)) / max(means)
            cases.append(Case(load, apart <= EQUAL_SHARE, f"{100 * apart:.1f} %"))
        return finding(text, where, f"largest difference: {listed(cases)}", cases, why=why)

    return judge


def programs(text: str, where: str) -> Judge:
    """The claim that foreground programs are those of the formula, with the pages that deltas really take."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for load in measured.loads:
            for name in RATIOS:
                ratio = measured.ratio(FOREGROUND.name, "", name, BASELINE, load)
                share = measured.value(DELTA_SHARE.name, "", name, load)
                pages = measured.value(PAGES_PER_DELTA.name, "", name, load)
                if not (ratio and share and pages):
                    cases.append(Case(f"{load}, {name}", None))
                    continue
                expected = 1 - share.mean + share.mean * pages.mean
                shown = f"{ratio.mean:.3f} for {expected:.3f}"
                holds = abs(ratio.mean / expected - 1) <= EXPECTED
                cases.append(Case(f"{load}, {name}", holds, shown))
        return finding(text, where, f"simulated for computed: {listed(cases)}", cases)

    return judge


def slight(text: str, where: str) -> Judge:
    """The claim that reads of deltas are few beside those of pages."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for load in measured.loads:
            for name in RATIOS:
                value = measured.value(RAW.name, "", name, load)
                holds = value.mean <= MODEST if value else None
                shown = f"{100 * value.mean:.1f} %" if value else ""
                cases.append(Case(f"{load}, {name}", holds, shown))
        return finding(text, where, f"{RAW.name}: {listed(cases)}", cases)

    return judge


def near_panels(
    text: str, where: str, *, metric: str, of: str, than: str, margin: float, why: str = ""
) -> Judge:
    """The claim that a metric over that of another variant differs by at most `margin` between the panels."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for load in measured.loads:
            ratios = [measured.ratio(metric, panel, of, than, load) for panel in measured.panels]
            means = [ratio.mean for ratio in ratios if ratio]
            if len(means) < len(measured.panels):
                cases.append(Case(load, None))
                continue
            cases.append(Case(load, max(means) <= (1 + margin) * min(means), chain(means)))
        return finding(
            text, where, f"{compared(metric, of, than)}: {listed(cases)}", cases, why=why
        )

    return judge


def along_panels(
    text: str,
    where: str,
    *,
    metric: str,
    of: str,
    loads: Sequence[str],
    than: str | None = None,
    falling: bool = False,
    why: str = "",
) -> Judge:
    """The claim that a metric, over that of another variant where one is named, never falls (or never rises) from panel to panel."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for load in loads:
            values: list[Interval] = []
            for panel in measured.panels:
                value = (
                    measured.ratio(metric, panel, of, than, load)
                    if than
                    else measured.value(metric, panel, of, load)
                )
                values += [value] if value else []
            if len(values) < len(measured.panels):
                cases.append(Case(load, None))
                continue

            def holds(*found: float) -> bool:
                return all(
                    after <= before if falling else after >= before
                    for before, after in pairwise(found)
                )

            means = [value.mean for value in values]
            cases.append(Case(load, holds(*means), chain(means), decided(holds, *values)))
        what = compared(metric, of, than) if than else f"{metric}, {of}"
        return finding(text, where, f"{what}: {listed(cases)}", cases, why=why)

    return judge
