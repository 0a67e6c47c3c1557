"""Claims of the kinds that this study makes beside the usual ones."""

from __future__ import annotations

from collections.abc import Sequence
from operator import gt

from wordline.statistics import Interval
from wordline.studies.claims import Case, compared, decided, finding, with_unit
from wordline.studies.grid import Judge
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim


def listed(cases: Sequence[Case]) -> str:
    """What the cases that say something show."""
    shown = [f"{case.name} {case.shown}" for case in cases if case.holds is not None]
    return "; ".join(shown) or "no case says anything"


def larger_for(
    text: str,
    where: str,
    *,
    metric: str,
    of: str,
    than: str,
    panels: tuple[str, str],
    loads: Sequence[str] | None = None,
    why: str = "",
    note: str = "",
) -> Judge:
    """The claim that the ratio of two variants is larger in the first of two panels than in the second."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for load in measured.loads if loads is None else loads:
            ratios = [measured.ratio(metric, panel, of, than, load) for panel in panels]
            first, second = ratios
            if not (first and second):
                cases.append(Case(load, None))
                continue
            shown = f"{first.mean:.4f} and {second.mean:.4f}"
            certain = decided(gt, first, second)
            cases.append(Case(load, gt(first.mean, second.mean), shown, certain))
        ours = f"{compared(metric, of, than)}, {' and '.join(panels)}: {listed(cases)}"
        return finding(text, where, ours, cases, why=why, note=note)

    return judge


def most(
    text: str,
    where: str,
    *,
    metric: str,
    of: str,
    winners: Sequence[str],
    loads: Sequence[str],
    than: str | None = None,
    why: str = "",
    note: str = "",
) -> Judge:
    """The claim that a metric of a variant, over that of another where one is named, is highest under the loads
    `winners`, whatever their order.
    """

    def judge(measured: Measured) -> Claim:
        unit = "" if than else measured.metric(metric).unit_of_runs
        cases = []
        for panel in measured.panels:
            values: dict[str, Interval] = {}
            for load in loads:
                value = (
                    measured.ratio(metric, panel, of, than, load)
                    if than
                    else measured.value(metric, panel, of, load)
                )
                if value:
                    values[load] = value
            if not values:
                cases.append(Case(panel, None))
                continue

            def win(*found: float, names: Sequence[str] = tuple(values)) -> bool:
                ranked = sorted(zip(found, names, strict=True), reverse=True)
                return {name for _, name in ranked[: len(winners)]} == set(winners)

            ranked = sorted(values, key=lambda load: values[load].mean, reverse=True)
            shown = ", ".join(with_unit(f"{load} {values[load].mean:.4g}", unit) for load in ranked)
            holds = win(*(value.mean for value in values.values()))
            cases.append(Case(panel, holds, shown, decided(win, *values.values())))
        what = compared(metric, of, than) if than else f"{metric}, {of}"
        return finding(text, where, f"{what}: {listed(cases)}", cases, why=why, note=note)

    return judge
