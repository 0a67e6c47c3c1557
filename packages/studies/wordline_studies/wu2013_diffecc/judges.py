"""Claims of the kinds that this study makes beside the usual ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from operator import ge, le

from wordline.statistics import Interval
from wordline.studies.claims import Case, chain, compared, decided, finding
from wordline.studies.grid import Judge
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim


def listed(cases: Sequence[Case]) -> str:
    """What the cases that say something show."""
    shown = [f"{case.name} {case.shown}" for case in cases if case.holds is not None]
    return "; ".join(shown) or "no case says anything"


def at_least(
    text: str,
    where: str,
    *,
    metric: str,
    of: str,
    limit: float,
    loads: Sequence[str],
    why: str = "",
) -> Judge:
    """The claim that a share is at least `limit` under each of the loads."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for panel in measured.panels:
            for load in loads:
                value = measured.value(metric, panel, of, load)
                if not value:
                    cases.append(Case(load, None))
                    continue

                def holds(share: float) -> bool:
                    return share >= limit

                shown = f"{100 * value.mean:.1f} %"
                cases.append(Case(load, holds(value.mean), shown, decided(holds, value)))
        return finding(text, where, f"{metric}, {of}: {listed(cases)}", cases, why=why)

    return judge


def extreme(
    text: str, where: str, *, metric: str, of: str, load: str, highest: bool, why: str = ""
) -> Judge:
    """The claim that a share is the highest, or the lowest, under one of the loads."""
    compare: Callable[[float, float], bool] = ge if highest else le

    def judge(measured: Measured) -> Claim:
        cases = []
        for panel in measured.panels:
            values = {
                name: value
                for name in measured.loads
                if (value := measured.value(metric, panel, of, name))
            }
            if load not in values:
                cases.append(Case(panel or load, None))
                continue

            def holds(*found: float, place: int = list(values).index(load)) -> bool:
                return all(compare(found[place], value) for value in found)

            shown = ", ".join(f"{name} {100 * value.mean:.1f} %" for name, value in values.items())
            means = [value.mean for value in values.values()]
            cases.append(
                Case(panel or load, holds(*means), shown, decided(holds, *values.values()))
            )
        return finding(text, where, f"{metric}, {of}: {listed(cases)}", cases, why=why)

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


def least_of_bound(
    text: str,
    where: str,
    *,
    metric: str,
    of: str,
    bound: str,
    than: str,
    losers: Sequence[str],
    why: str = "",
) -> Judge:
    """The claim that a variant gains the smallest parts of what another one gains at most under the loads `losers`."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for panel in measured.panels:
            parts: dict[str, float] = {}
            measured_loads: set[str] = set()
            for load in measured.loads:
                gained = measured.ratio(metric, panel, of, than, load)
                most = measured.ratio(metric, panel, bound, than, load)
                if not (gained and most):
                    continue
                measured_loads.add(load)
                if most.mean < 1:
                    parts[load] = (1 - gained.mean) / (1 - most.mean)
            if not set(losers) <= measured_loads:
                cases.append(Case(panel, None))
                continue
            if not set(losers) <= parts.keys():
                cases.append(Case(panel, False, f"{bound} gains nothing"))
                continue
            ranked = sorted(parts, key=parts.__getitem__)
            shown = ", ".join(f"{load} {100 * parts[load]:.0f} %" for load in ranked)
            cases.append(Case(panel, set(ranked[: len(losers)]) == set(losers), shown))
        ours = f"part of the gain of {bound} that {of} has: {listed(cases)}"
        return finding(text, where, ours, cases, why=why)

    return judge
