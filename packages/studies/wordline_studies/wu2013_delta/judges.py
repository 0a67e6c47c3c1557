"""Claims of the kinds that this study makes beside the usual ones."""

from __future__ import annotations

from wordline.studies.claims import Case, chain, compared, finding, places, spread, typical
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
)

EQUAL_SHARE = 0.02
"""Claim 4: by how much P_c may differ between two ratios."""
EXPECTED = 0.01
"""By how much the programs may differ from 1 - P_c + P_c · (pages for each delta)."""
MODEST = 0.15
"""What counts as a slight rise; the source gives no number."""


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


def foreground_programs(text: str, where: str, why: str = "") -> Judge:
    """The claim that foreground programs are those of the formula, with the pages that deltas really take, on every drive that encodes."""

    def judge(measured: Measured) -> Claim:
        cases, over = [], {}
        for name, panel, load in places(measured, None, None):
            for variant in measured.variants(panel):
                if variant == BASELINE:
                    continue
                ratio = measured.ratio(FOREGROUND.name, panel, variant, BASELINE, load)
                share = measured.value(DELTA_SHARE.name, panel, variant, load)
                pages = measured.value(PAGES_PER_DELTA.name, panel, variant, load)
                if not (ratio and share and pages):
                    cases.append(Case(f"{name}, {variant}", None))
                    continue
                expected = 1 - share.mean + share.mean * pages.mean
                shown = f"{ratio.mean:.3f} for {expected:.3f}"
                over[f"{name}, {variant}"] = ratio.mean / expected
                holds = abs(ratio.mean / expected - 1) <= EXPECTED
                cases.append(Case(f"{name}, {variant}", holds, shown))
        what = "foreground programs, simulated over computed (ratio)"
        return finding(
            text, where, f"{what}: {spread(over)}", cases, number=typical(what, over), why=why
        )

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


def near_loads(
    text: str, where: str, *, metric: str, of: str, than: str, margin: float, why: str = ""
) -> Judge:
    """The claim that a metric over that of another variant differs by at most `margin` between the loads."""

    def judge(measured: Measured) -> Claim:
        ratios = [measured.ratio(metric, "", of, than, load) for load in measured.loads]
        means = [ratio.mean for ratio in ratios if ratio]
        holds = max(means) <= (1 + margin) * min(means) if len(means) == len(ratios) > 0 else None
        cases = [Case("all lengths", holds, chain(means))]
        what = compared(metric, of, than)
        return finding(text, where, f"{what}: {chain(means)}", cases, why=why)

    return judge
