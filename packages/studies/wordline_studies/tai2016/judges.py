"""Claims of the kinds that this study makes beside the usual ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from wordline.studies.claims import Case, decided, finding
from wordline.studies.grid import Judge
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim

NEAR = 0.03
"""Closed forms are to hold within so much: a bound of our own, for pools of 256 blocks."""


def near(
    text: str,
    where: str,
    *,
    metric: str,
    cells: Iterable[tuple[str, str, str]],
    expected: Callable[[Measured, str, str, str], float | None],
    margin: float = NEAR,
    why: str = "",
) -> Judge:
    """The claim that a metric is what was worked out, within `margin` of it, in each cell: panel, variant and load."""
    places = list(cells)

    def judge(measured: Measured) -> Claim:
        cases = []
        for panel, variant, load in places:
            name = ", ".join(filter(None, (variant, panel, load)))
            found = measured.value(metric, panel, variant, load)
            wanted = expected(measured, panel, variant, load)
            if found is None or wanted is None:
                cases.append(Case(name, None))
                continue

            def holds(value: float, wanted: float = wanted) -> bool:
                return abs(value / wanted - 1) <= margin

            shown = f"{found.mean:.4g} for {wanted:.4g}"
            cases.append(Case(name, holds(found.mean), shown, decided(holds, found)))
        shown = "; ".join(f"{case.name} {case.shown}" for case in cases if case.shown)
        return finding(text, where, f"{metric}: {shown}", cases, why=why)

    return judge


def lower_across(
    text: str,
    where: str,
    *,
    metric: str,
    of: tuple[str, str],
    than: tuple[str, str],
    loads: Iterable[str],
    why: str = "",
) -> Judge:
    """The claim that a metric of a variant in one panel is below that of a variant in another, each named by panel and variant."""
    names = list(loads)

    def judge(measured: Measured) -> Claim:
        def below(one: float, other: float) -> bool:
            return one < other

        cases = []
        for load in names:
            ours = measured.value(metric, *of, load)
            theirs = measured.value(metric, *than, load)
            if ours is None or theirs is None:
                cases.append(Case(load, None))
                continue
            shown = f"{ours.mean:.3f} and {theirs.mean:.3f}"
            certain = decided(below, ours, theirs)
            cases.append(Case(load, below(ours.mean, theirs.mean), shown, certain))
        shown = "; ".join(f"{case.name} {case.shown}" for case in cases)
        return finding(text, where, f"{metric}: {shown}", cases, why=why)

    return judge


def higher_load(
    text: str, where: str, *, metric: str, variant: str, load: str, other: str
) -> Judge:
    """The claim that a metric of a variant is higher under one load than under another."""

    def judge(measured: Measured) -> Claim:
        def above(one: float, two: float) -> bool:
            return one > two

        ours, theirs = (measured.value(metric, "", variant, name) for name in (load, other))
        if ours is None or theirs is None:
            return finding(text, where, f"{metric}: not run", [Case(variant, None)])
        shown = f"{ours.mean:.3f} and {theirs.mean:.3f}"
        certain = decided(above, ours, theirs)
        case = Case(variant, above(ours.mean, theirs.mean), shown, certain)
        return finding(text, where, f"{metric}: {shown}", [case])

    return judge


def nothing(
    text: str,
    where: str,
    *,
    metric: str,
    cells: Iterable[tuple[str, str, str]],
) -> Judge:
    """The claim that a metric is 0 in each cell: panel, variant and load."""
    places = list(cells)

    def judge(measured: Measured) -> Claim:
        def is_none(value: float) -> bool:
            return value == 0

        cases = []
        for panel, variant, load in places:
            name = ", ".join(filter(None, (variant, panel, load)))
            found = measured.value(metric, panel, variant, load)
            if found is None:
                cases.append(Case(name, None))
                continue
            shown = f"{found.mean:.4g}"
            cases.append(Case(name, is_none(found.mean), shown, decided(is_none, found)))
        shown = "; ".join(f"{case.name} {case.shown}" for case in cases if case.shown)
        return finding(text, where, f"{metric}: {shown}", cases)

    return judge
