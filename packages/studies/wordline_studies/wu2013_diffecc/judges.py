"""Claims of the kinds that this study makes beside the usual ones.

A case of the source is judged where its load is the source's (`loads.JUDGED`) and the drive keeps up; the others are shown and not judged, with their reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

from wordline.statistics import Interval
from wordline.studies.claims import RELATIONS, Case, compared, decided, finding
from wordline.studies.grid import Cell, Judge
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim
from wordline_studies.wu2013_diffecc.loads import JUDGED

NOT_ITS_LOAD = "its load was not the source's"
OVERLOADED = "the drive is overloaded"
"""The two reasons for which a case is not judged."""
NOT_JUDGED = "not judged, since"
SHORT = 3
"""Cases whose sizes stand in the table of claims."""


def reason(
    measured: Measured, panel: str, variants: Sequence[str], load: str, judged: Sequence[str]
) -> str:
    """Why a case is not judged; empty where it is."""
    voids = [measured.voids.get(Cell(panel, variant, load), "") for variant in variants]
    if "overloaded" in voids:
        return OVERLOADED
    return "" if load in judged else NOT_ITS_LOAD


def named(load: str, panel: str, measured: Measured) -> str:
    """A case, by trace and buffer."""
    trace = load.removesuffix(" surrogate")
    return f"{trace}, {panel}" if panel and len(measured.panels) > 1 else trace


def told(
    text: str,
    where: str,
    what: str,
    cases: Sequence[Case],
    reasons: Sequence[str],
    why: str = "",
    *,
    held_back: bool = False,
) -> Claim:
    """A claim of the cases, those that are not judged with their reasons (one for each case, empty where it is judged)."""
    shown = "; ".join(f"{case.name} {case.shown}" for case in cases if case.shown)
    left_out = []
    for each in (OVERLOADED, NOT_ITS_LOAD):
        names = [case.name for case, found in zip(cases, reasons, strict=True) if found == each]
        # that a load is another holds with every buffer
        own = names if each == OVERLOADED else [name.split(",")[0] for name in names]
        if own:
            left_out.append(f"{NOT_JUDGED} {each}: {', '.join(dict.fromkeys(own))}")
    judged = [
        replace(case, holds=None) if found else case
        for case, found in zip(cases, reasons, strict=True)
    ]
    later = ", to be compared" if held_back else ""
    only = where_judged(judged, reasons)
    ours = f"{what}: {shown or 'nothing was measured'}{later}{only and f'; judged under {only}'}"
    sizes = in_short(judged)
    number = (
        f"{what}: {sizes}{later}{only and f'; {only}'}"
        if sizes
        else left_out[0]
        if left_out
        else ""
    )
    return finding(text, where, ours, judged, number=number, why=why, note="; ".join(left_out))


def where_judged(cases: Sequence[Case], reasons: Sequence[str]) -> str:
    """Under which traces a claim was judged, where that is some of those that it is about."""
    names = [case.name.split(",")[0] for case in cases if case.holds is not None]
    if not names or not any(reasons):
        return ""
    return f"{', '.join(dict.fromkeys(names))} only"


def in_short(cases: Sequence[Case]) -> str:
    """The sizes of the first judged cases; where all are of one trace, it is named once."""
    judged = [case for case in cases if case.holds is not None][:SHORT]
    traces = {case.name.partition(", ")[0] for case in judged}
    if len(judged) < 2 or len(traces) > 1:
        return "; ".join(f"{case.name} {case.shown}" for case in judged)
    sizes = (f"{case.name.partition(', ')[2]} {case.shown}" for case in judged)
    return f"{traces.pop()}: {'; '.join(sizes)}"


def shown_interval(value: Interval, *, share: bool = False) -> str:
    """A value with its interval; a share in percent."""
    factor, digits, unit = (100, 1, " %") if share else (1, 3, "")
    reach = f" ± {factor * value.half_width:.{digits}f}" if value.half_width is not None else ""
    return f"{factor * value.mean:.{digits}f}{reach}{unit}"


def direction(
    text: str,
    where: str,
    *,
    metric: str,
    of: str,
    than: str,
    relation: str,
    margin: float = 0.0,
    panels: Sequence[str] | None = None,
    loads: Sequence[str] | None = None,
    judged: Sequence[str] = JUDGED,
    held_back: bool = True,
    why: str = "",
) -> Judge:
    """The claim that a metric of one variant stands in a relation to that of another; the predicted ratios stand beside it, to be compared where the source's are held back."""

    def judge(measured: Measured) -> Claim:
        cases, reasons = [], []
        for panel in measured.panels if panels is None else panels:
            for load in measured.loads if loads is None else loads:
                ratio = measured.ratio(metric, panel, of, than, load)
                holds = partial(RELATIONS[relation], margin=margin)
                name = named(load, panel, measured)
                if ratio is None:
                    cases.append(Case(name, None))
                else:
                    certain = decided(holds, ratio)
                    cases.append(Case(name, holds(ratio.mean), shown_interval(ratio), certain))
                reasons.append(reason(measured, panel, (of, than), load, judged))
        what = compared(metric, of, than)
        return told(text, where, what, cases, reasons, why, held_back=held_back)

    return judge


def at_least(
    text: str,
    where: str,
    *,
    metric: str,
    of: str,
    limit: float,
    loads: Sequence[str],
    judged: Sequence[str],
    why: str = "",
) -> Judge:
    """The claim that a share is at least `limit` under each of the loads."""

    def judge(measured: Measured) -> Claim:
        cases, reasons = [], []
        for panel in measured.panels:
            for load in loads:
                value = measured.value(metric, panel, of, load)
                name = named(load, panel, measured)
                if not value:
                    cases.append(Case(name, None))
                else:

                    def holds(share: float) -> bool:
                        return share >= limit

                    certain = decided(holds, value)
                    shown = shown_interval(value, share=True)
                    cases.append(Case(name, holds(value.mean), shown, certain))
                reasons.append(reason(measured, panel, (of,), load, judged))
        return told(text, where, f"{metric}, {of}", cases, reasons, why)

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
    judged: Sequence[str] = JUDGED,
    why: str = "",
) -> Judge:
    """The claim that a share, or a metric over that of another variant where one is named, never falls (or never rises) from panel to panel."""

    def judge(measured: Measured) -> Claim:
        cases, reasons = [], []
        for load in loads:
            values: list[Interval] = []
            found = ""
            for panel in measured.panels:
                value = (
                    measured.ratio(metric, panel, of, than, load)
                    if than
                    else measured.value(metric, panel, of, load)
                )
                values += [value] if value else []
                variants = (of, than) if than else (of,)
                found = found or reason(measured, panel, variants, load, judged)
            reasons.append(found)
            name = load.removesuffix(" surrogate")
            if len(values) < len(measured.panels):
                cases.append(Case(name, None))
                continue

            def holds(*all_: float) -> bool:
                return all(
                    after <= before if falling else after >= before
                    for before, after in pairwise(all_)
                )

            shown = " → ".join(shown_interval(value, share=than is None) for value in values)
            certain = decided(holds, *values)
            cases.append(Case(name, holds(*(value.mean for value in values)), shown, certain))
        what = compared(metric, of, than) if than else f"{metric}, {of}"
        return told(text, where, what, cases, reasons, why, held_back=True)

    return judge


def ranked(
    text: str,
    where: str,
    *,
    of: str,
    than: str,
    metric: str,
    first: Sequence[str],
    bound: str | None = None,
    panels: Sequence[str] | None = None,
    judged: Sequence[str] = JUDGED,
    why: str = "",
) -> Judge:
    """The claim that the loads `first` rank before all others: by how much a metric grows from one variant to another or, with a `bound`, by how small a part they have of
    what that variant gains. It is about all traces, so that it is judged only where the loads of all are the source's.
    """

    def rank(measured: Measured, panel: str, load: str) -> float | None:
        found = measured.ratio(metric, panel, of, than, load)
        if found is None or bound is None:
            return None if found is None else -found.mean
        most = measured.ratio(metric, panel, bound, than, load)
        return (1 - found.mean) / (1 - most.mean) if most and most.mean < 1 else None

    def judge(measured: Measured) -> Claim:
        cases, reasons = [], []
        for panel in measured.panels if panels is None else panels:
            places = {load: rank(measured, panel, load) for load in measured.loads}
            known = {load: place for load, place in places.items() if place is not None}
            order = sorted(known, key=known.__getitem__)
            sign = 1 if bound else -1
            shown = ", ".join(
                f"{load.removesuffix(' surrogate')} {sign * known[load]:.2f}" for load in order
            )
            # where nothing is gained there is no part of it
            missing = len(known) < len(places)
            holds = (
                (False if bound else None) if missing else set(order[: len(first)]) == set(first)
            )
            cases.append(
                Case(
                    f"all traces, {panel}" if panel else "all traces",
                    holds,
                    shown or "no gain under any load",
                )
            )
            why_not = [reason(measured, panel, (of, than), load, judged) for load in measured.loads]
            found = next(
                (each for each in (OVERLOADED, NOT_ITS_LOAD) if each in why_not),
                "",
            )
            reasons.append(found)
        what = (
            f"part that {of} has of what {bound} gains in {metric}"
            if bound
            else compared(metric, of, than)
        )
        return told(text, where, f"{what}, from the first in rank", cases, reasons, why)

    return judge
