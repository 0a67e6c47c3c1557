"""Claims about sizes, in bands that were set before the runs, and claims that are not judged or our own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import gt

from wordline.statistics import Interval, estimate
from wordline.studies.claims import Case, compared, decided, finding
from wordline.studies.grid import Cell, Judge
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim, Verdict
from wordline_studies.wu2012.judges import listed

QUARTER, POINTS = 0.25, 0.02
"""How far a change may miss the printed one: by a quarter of it, or by 2 percentage points where that is more. Set before the runs."""


def band(printed: float) -> float:
    """By how much a change may miss the printed one."""
    return max(QUARTER * abs(printed), POINTS)


def not_judged(text: str, where: str, why: str, shown: str = "") -> Judge:
    """A claim of the source that is not judged, and why."""

    def judge(measured: Measured) -> Claim:
        del measured
        ours = f"not judged: {why}{f'; {shown}' if shown else ''}"
        return Claim(text, where, ours, Verdict(0, 0, 1), number=f"not judged: {why}")

    return judge


def own(judge: Judge) -> Judge:
    """A claim of our own."""

    def judged(measured: Measured) -> Claim:
        return replace(judge(measured), own=True)

    return judged


def changes(
    measured: Measured, metric: str, panel: str, of: str, than: str, loads: Sequence[str]
) -> Mapping[int, list[float]]:
    """By what share a metric of one variant differs from that of another under each load, by seed."""
    chosen = measured.metric(metric)
    found: dict[int, list[float]] = {}
    for load in loads:
        ours = measured.by_seed(chosen, Cell(panel, of, load))
        theirs = measured.by_seed(chosen, Cell(panel, than, load))
        for seed, value in ours.items():
            if theirs.get(seed):
                found.setdefault(seed, []).append(value / theirs[seed] - 1)
    return {seed: each for seed, each in found.items() if len(each) == len(loads)}


def sized(
    text: str,
    where: str,
    *,
    metric: str,
    of: str,
    than: str,
    printed: Mapping[str, float],
    loads: Sequence[str],
    combine: Callable[[Sequence[float]], float],
    at_most: bool = False,
    why: str = "",
) -> Judge:
    """The claim that a change over some loads has the printed size, on each kind of cell; with `at_most` that it is not larger."""

    def value(measured: Measured, panel: str) -> Interval | None:
        by_seed = changes(measured, metric, panel, of, than, loads)
        return estimate([combine(each) for each in by_seed.values()]) if by_seed else None

    return in_band(
        text, where, compared(metric, of, than), printed, value, at_most=at_most, why=why
    )


def in_band(
    text: str,
    where: str,
    what: str,
    printed: Mapping[str, float],
    value: Callable[[Measured, str], Interval | None],
    *,
    at_most: bool = False,
    within: Callable[[float], float] = band,
    why: str = "",
) -> Judge:
    """The claim that a share or a change has the printed size on each kind of cell, `within` so much of it."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for panel, number in printed.items():
            found = value(measured, panel)
            if found is None:
                cases.append(Case(panel, None))
                continue

            def holds(share: float, number: float = number) -> bool:
                return share <= number + within(number) and (
                    at_most or share >= number - within(number)
                )

            reach = f" ± {100 * found.half_width:.1f}" if found.half_width else ""
            shown = f"{100 * found.mean:+.1f}{reach} % for {100 * number:+.1f} %"
            cases.append(Case(panel, holds(found.mean), shown, decided(holds, found)))
        said = f"{what}: {listed(cases)}"
        return finding(text, where, said, cases, number=said, why=why)

    return judge


def higher_under(
    text: str, where: str, *, metric: str, of: str, loads: tuple[str, str], why: str = ""
) -> Judge:
    """The claim that a metric of a variant is higher under the first of two loads than under the second."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for panel in measured.panels:
            first, second = (measured.value(metric, panel, of, load) for load in loads)
            if not (first and second):
                cases.append(Case(panel, None))
                continue
            shown = f"{first.mean:.3g} and {second.mean:.3g}"
            holds = gt(first.mean, second.mean)
            cases.append(Case(panel, holds, shown, decided(gt, first, second)))
        ours = f"{metric}, {of}, {' and '.join(loads)}: {listed(cases)}"
        return finding(text, where, ours, cases, why=why)

    return judge
