"""Claims of the usual kinds, each with a sign and a margin."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, product

from wordline.statistics import Interval, geometric_mean
from wordline.studies.grid import Judge
from wordline.studies.measured import Measured
from wordline.studies.verdict import IN_PART, Claim, Verdict

RELATIONS: Mapping[str, Callable[..., bool]] = {
    "below": lambda ratio, margin: ratio < 1 - margin,
    "not above": lambda ratio, margin: ratio <= 1 + margin,
    "equal to": lambda ratio, margin: abs(ratio - 1) <= margin,
    "not below": lambda ratio, margin: ratio >= 1 - margin,
    "above": lambda ratio, margin: ratio > 1 + margin,
}
"""What a ratio of means may be claimed to be, by its name."""

STRICT = ("below", "above")
"""Relations that are about a difference."""

RATIO = "(ratio)"
"""Unit of what is compared, as findings show it."""

SLIGHT = 0.01
"""Differences up to this share are said to be none (assumed: what a designer would not act on)."""

LISTED = 4
"""Cases that a finding names before it says how many more there are."""


@dataclass(frozen=True)
class Case:
    """One of the cases of a claim."""

    name: str
    """What the reader finds it by."""
    holds: bool | None
    """Whether the claim holds there; `None` where the case says nothing."""
    shown: str = ""
    """The number behind it."""
    certain: bool = True
    """Whether the verdict is the same throughout the confidence intervals of the values; see `decided`."""
    slight: bool = False
    """Whether what the claim compares differs by no more than 1 % there, though the claim is about a difference."""


def is_slight(ratio: float) -> bool:
    """Whether a ratio differs from 1 by no more than 1 %."""
    return abs(ratio - 1) <= SLIGHT


def decided(holds: Callable[..., bool], *values: Interval) -> bool:
    """Whether a statement about values is as true at the ends of their confidence intervals as at the means.

    Each end is combined with each of the other values. Of an interval around 1, the 1 counts too: a ratio may equal 1
    between two ends that do not.
    """
    found = {holds(*chosen) for chosen in product(*map(possible, values))}
    return len(found) == 1


def possible(value: Interval) -> list[float]:
    """The mean, the ends of the confidence interval, and the value in it that is nearest to 1."""
    reach = value.half_width or 0.0
    low, high = value.mean - reach, value.mean + reach
    return sorted({low, value.mean, high, min(max(1.0, low), high)})


def finding(
    text: str,
    where: str,
    ours: str,
    cases: Sequence[Case],
    *,
    number: str = "",
    why: str = "",
    note: str = "",
) -> Claim:
    """A claim from its cases.

    Args:
        text: the claim.
        where: where the source makes it.
        ours: what Wordline finds, as the quantity, a colon, and its values.
        cases: what it was judged by.
        number: the one number of it that says most; in how many cases the claim holds comes before it where that is some, and
            instead of it where it is left out.
        why: why it does not hold everywhere; shown where it does not.
        note: what to know about it however it comes out.
    """
    judged = [case for case in cases if case.holds is not None]
    uncertain = [case for case in judged if not case.certain]
    slight = sum(case.slight for case in judged if case.holds)
    verdict = replace(
        Verdict.of_cases([case.holds for case in cases]), uncertain=len(uncertain), slight=slight
    )
    failed = [case for case in cases if case.holds is False]
    if failed and verdict.held:
        ours = f"{ours}; not {named(failed)}"
    if uncertain:
        ours = f"{ours}; uncertain, since the intervals allow either verdict: {named(uncertain)}"
    reasons = [note, "" if verdict.outright or not verdict.of else why]
    share = verdict.share if verdict.mark == IN_PART or not number else ""
    weak = f"{len(uncertain)} of {len(judged)} uncertain" if uncertain else ""
    quantity, colon, _ = ours.partition(": ")
    if not number and colon:
        share = f"{quantity}: {share}"
    small = verdict.difference if slight else ""
    in_short = "; ".join(filter(None, [share, number, small, weak]))
    return Claim(text, where, ours, verdict, "; ".join(filter(None, reasons)), in_short)


def named(cases: Sequence[Case]) -> str:
    """Some of the cases, and how many more there are."""
    names = [f"{case.name} ({case.shown})" for case in cases[:LISTED]]
    if len(cases) > LISTED:
        names.append(f"{len(cases) - LISTED} more")
    return ", ".join(names)


def judged_ratios(
    measured: Measured,
    metric: str,
    variants: tuple[str, str],
    holds: Callable[[float], bool],
    at: Iterable[tuple[str, str, str]],
) -> tuple[dict[str, float], list[Case]]:
    """The ratio of the first variant to the second in each case, by the name of the case, and whether the claim holds in it; a case without a ratio is not judged."""
    ratios: dict[str, float] = {}
    cases = []
    for name, panel, load in at:
        ratio = measured.ratio(metric, panel, *variants, load)
        if ratio is None:
            cases.append(Case(name, None))
            continue
        ratios[name] = ratio.mean
        shown = f"{ratio.mean:.3f}"
        cases.append(Case(name, holds(ratio.mean), shown, decided(holds, ratio)))
    return ratios, cases


def ordering(
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
    why: str = "",
    note: str = "",
) -> Judge:
    """The claim that a metric of one variant stands in a relation to that of another.

    Args:
        text: the claim.
        where: where the source makes it.
        metric: name of the metric; for a speed-up the ratio is turned round.
        of: the variant of which something is claimed.
        than: the one that it is compared with.
        relation: a name in `RELATIONS`, of the ratio of the means over the seeds.
        margin: by how much the ratio must miss 1 (`below`, `above`) or may miss it (the others).
        panels: panels that the claim is about; all if left out.
        loads: loads that it is about; all if left out.
        why: why it does not hold everywhere; shown where it does not.
        note: what to know about it however it comes out.

    Raises:
        ValueError: there is no such relation.
    """
    if relation not in RELATIONS:
        raise ValueError(f"relation {relation!r}: accepted are {', '.join(RELATIONS)}")

    def judge(measured: Measured) -> Claim:
        holds = partial(RELATIONS[relation], margin=margin)
        ratios, cases = judged_ratios(
            measured, metric, (of, than), holds, places(measured, panels, loads)
        )
        if relation in STRICT:
            cases = [
                replace(case, slight=is_slight(ratios.get(case.name, math.inf))) for case in cases
            ]
        what = compared(metric, of, than)
        return finding(
            text,
            where,
            f"{what}: {spread(ratios)}",
            cases,
            number=typical(what, ratios),
            why=why,
            note=note,
        )

    return judge


def rising(
    text: str,
    where: str,
    *,
    metric: str,
    variants: Sequence[str],
    margin: float = 0.0,
    panels: Sequence[str] | None = None,
    loads: Sequence[str] | None = None,
    why: str = "",
    note: str = "",
) -> Judge:
    """The claim that a metric never falls from one variant to the next, by more than `margin` of it."""

    def judge(measured: Measured) -> Claim:
        unit = measured.metric(metric).unit_of_runs
        cases, rises, ends = [], {}, {}
        for name, panel, load in places(measured, panels, loads):
            values = means(measured, metric, panel, variants, load)
            holds, certain, slight = None, True, False
            if values:
                rises[name] = values[-1] - values[0]
                ends[name] = f"{metric}: {short(values[0])} → {with_unit(short(values[-1]), unit)}"
                slight = min(values) > 0 and is_slight(max(values) / min(values))
                pairs = pairwise(values)
                holds = all(after >= before * (1 - margin) for before, after in pairs)
                steps = relatives(measured, metric, panel, list(pairwise(variants)), load)
                certain = decided(lambda *all_: min(all_, default=1.0) >= 1 - margin, *steps)
            cases.append(Case(name, holds, with_unit(chain(values), unit), certain, slight))
        ours = f"{metric}: {extremes(cases, rises)}"
        number = ends[max(rises, key=rises.__getitem__)] if rises else ""
        return finding(text, where, ours, cases, number=number, why=why, note=note)

    return judge


def best_inside(
    text: str,
    where: str,
    *,
    metric: str,
    variants: Sequence[str],
    panels: Sequence[str] | None = None,
    loads: Sequence[str] | None = None,
    why: str = "",
    note: str = "",
) -> Judge:
    """The claim that a metric is least at a variant that is neither the first nor the last."""

    def judge(measured: Measured) -> Claim:
        cases, found = [], Counter[str]()
        for name, panel, load in places(measured, panels, loads):
            values = means(measured, metric, panel, variants, load)
            best = values.index(min(values)) if values else -1
            if not values:
                cases.append(Case(name, None))
                continue
            found[variants[best]] += 1
            to_best = [(variants[best], variant) for variant in variants]
            others = relatives(measured, metric, panel, to_best, load)
            certain = len(others) < len(variants) or decided(is_least_inside, *others)
            shown = f"best at {variants[best]}"
            cases.append(Case(name, is_least_inside(*values), shown, certain))
        at = [name for name in variants if found[name]]
        said = ", ".join(f"at {name} in {found[name]} of {found.total()} cases" for name in at)
        ours = f"{metric}: least {said or 'nowhere'}"
        return finding(text, where, ours, cases, number=ours if at else "", why=why, note=note)

    return judge


def is_least_inside(*values: float) -> bool:
    """Whether the least value is neither the first nor the last."""
    return 0 < values.index(min(values)) < len(values) - 1


def relatives(
    measured: Measured, metric: str, panel: str, pairs: Sequence[tuple[str, str]], load: str
) -> list[Interval]:
    """The metric of the second variant of each pair over that of the first, seed by seed, where there is such a ratio."""
    turned = measured.metric(metric).inverse  # a speed-up is the ratio turned round
    found = (
        measured.ratio(metric, panel, *((before, after) if turned else (after, before)), load)
        for before, after in pairs
    )
    return [ratio for ratio in found if ratio]


def places(
    measured: Measured, panels: Sequence[str] | None, loads: Sequence[str] | None
) -> list[tuple[str, str, str]]:
    """Name, panel and load of each case; loads that were not run are no cases."""
    return [
        (f"{load}, {panel}" if panel and len(measured.panels) > 1 else load, panel, load)
        for panel in (measured.panels if panels is None else panels)
        for load in (measured.loads if loads is None else loads)
        if load in measured.loads
    ]


def means(
    measured: Measured, metric: str, panel: str, variants: Sequence[str], load: str
) -> list[float]:
    """The means of a metric along the variants; nothing where one of them is missing."""
    values = [measured.value(metric, panel, variant, load) for variant in variants]
    return [value.mean for value in values if value] if all(values) else []


def extremes(cases: Sequence[Case], by: Mapping[str, float]) -> str:
    """The cases with the least and the most of something."""
    if not by:
        return "no case says anything"
    low, high = min(by, key=by.__getitem__), max(by, key=by.__getitem__)
    shown = [f"{case.shown} ({case.name})" for case in cases if case.name in {low, high}]
    return f"from {' to '.join(shown)}" if len(shown) > 1 else shown[0]


def chain(values: Sequence[float]) -> str:
    """Values one after the other."""
    return " → ".join(map(short, values))


def with_unit(shown: str, unit: str) -> str:
    """A number with its unit, if it has one."""
    return f"{shown} {unit}" if shown and unit else shown


def compared(metric: str, of: str, than: str) -> str:
    """What a ratio of a metric is one of."""
    return f"{metric}, {of} over {than} {RATIO}"


def short(value: float) -> str:
    """A value with three digits, and no power of ten."""
    return f"{float(f'{value:.3g}'):,g}"


def spread(ratios: Mapping[str, float]) -> str:
    """Ratios in a few words: their geometric mean, the least and the largest."""
    if not ratios:
        return "no case says anything"
    low, high = min(ratios, key=ratios.__getitem__), max(ratios, key=ratios.__getitem__)
    if low == high:
        return f"{ratios[low]:.3f} ({low})"
    mean = geometric_mean(list(ratios.values()))
    middle = "" if mean is None else f"geometric mean {mean:.3f}, "
    return f"{middle}{ratios[low]:.3f} ({low}) to {ratios[high]:.3f} ({high})"


def typical(what: str, ratios: Mapping[str, float]) -> str:
    """Ratios as one number: their geometric mean, after what they are ratios of."""
    mean = geometric_mean(list(ratios.values()))
    return "" if mean is None else f"{what}: {mean:.3f}"
