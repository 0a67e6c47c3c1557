"""Claims of the kinds that this study makes beside the usual ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import fmean

from wordline.statistics import Interval, estimate
from wordline.studies.claims import (
    RELATIONS,
    Case,
    compared,
    finding,
    judged_ratios,
    places,
    short,
    spread,
)
from wordline.studies.grid import Cell, Judge
from wordline.studies.measured import Measured
from wordline.studies.verdict import BEYOND, Claim

OVERLOADED = "the drive is overloaded"
OTHER_LOAD = "the load is not that of the source"
"""The two reasons for which a case is not judged."""
LATER = "to be compared"
"""Mark of a size that the source prints too and that is held back."""


def sized(
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
    """The claim that a metric of one variant stands in a relation to that of another, with the size that Wordline predicts: the mean ratio over the cases, with its interval over the seeds, or over the cases where there is one seed."""

    def judge(measured: Measured) -> Claim:
        holds = partial(RELATIONS[relation], margin=margin)
        ratios, cases = judged_ratios(
            measured, metric, (of, than), holds, places(measured, panels, loads)
        )
        what = compared(metric, of, than)
        size = mean_ratio(measured, metric, of, than, panels, loads)
        mark = "" if where.startswith(BEYOND) else f", {LATER}"
        number = f"{what}: {size}{mark}" if size else ""
        ours = f"{what}: {spread(ratios)}"
        if size:
            ours += f"; mean over the cases {size}{mark}"
        ours += not_judged(measured, cases)
        return finding(text, where, ours, cases, number=number, why=why, note=note)

    return judge


def mean_ratio(
    measured: Measured,
    metric: str,
    of: str,
    than: str,
    panels: Sequence[str] | None,
    loads: Sequence[str] | None,
) -> Interval | None:
    """The arithmetic mean of the ratios over the cases, as papers print it, for each seed; their mean with its interval, which is that over the cases where there is one seed."""
    by_seed: dict[int, list[float]] = {}
    for _, panel, load in places(measured, panels, loads):
        ours, theirs = (
            measured.by_seed(measured.metric(metric), Cell(panel, variant, load))
            for variant in (of, than)
        )
        for seed in ours.keys() & theirs.keys():
            if theirs[seed]:
                by_seed.setdefault(seed, []).append(ours[seed] / theirs[seed])
    whole = max(map(len, by_seed.values()), default=0)
    seeds = [ratios for ratios in by_seed.values() if len(ratios) == whole]
    # with one seed the cases themselves say how far the mean can be trusted
    found = seeds[0] if len(seeds) == 1 else [fmean(ratios) for ratios in seeds]
    return estimate(found) if found else None


def not_judged(measured: Measured, cases: Sequence[Case]) -> str:
    """Which cases are not judged since a drive in them is overloaded."""
    overloaded = {cell.load for cell in measured.voids}
    left = [
        case.name
        for case in cases
        if case.holds is None and any(case.name.startswith(load) for load in overloaded)
    ]
    return f"; not judged, since {OVERLOADED}: {', '.join(left)}" if left else ""


def unjudged(text: str, where: str, found: Callable[[Measured], str], note: str) -> Judge:
    """A claim about a load that the surrogates do not have: what Wordline finds is reported, and not judged."""

    def judge(measured: Measured) -> Claim:
        ours = f"{found(measured)}; not judged, since {OTHER_LOAD}"
        number = f"not judged, since {OTHER_LOAD}"
        return finding(text, where, ours, [Case("all loads", None)], number=number, note=note)

    return judge


def saturates(
    text: str, where: str, *, metric: str, variants: Sequence[str], within: float, why: str = ""
) -> Judge:
    """The claim that a metric falls along the variants and then stays the same: the first is above the last by more than a share, and one before the last is not. The variant from which on it stays the same is what Wordline predicts."""

    def judge(measured: Measured) -> Claim:
        cases, ends = [], {}
        last = variants[-1]
        for name, panel, load in places(measured, None, None):
            ratios = [
                measured.ratio(metric, panel, variant, last, load) for variant in variants[:-1]
            ]
            if not all(ratios):
                cases.append(Case(name, None))
                continue
            means = [ratio.mean for ratio in ratios if ratio]
            from_here = [
                all(mean <= 1 + within for mean in means[place:]) for place in range(len(means))
            ]
            end = variants[from_here.index(True)] if any(from_here) else last
            ends[name] = end
            holds = means[0] > 1 + within and end != last
            cases.append(
                Case(name, holds, f"{short(means[0])} with {variants[0]}, flat from {end}")
            )
        told = ", ".join(f"{end} ({name})" for name, end in ends.items())
        ours = f"{metric} is that with {last}, within {100 * within:.0f} %, from: {told or 'no case says anything'}, {LATER}"
        ours += not_judged(measured, cases)
        return finding(text, where, ours, cases, number=extent(ends, variants), why=why)

    return judge


def extent(ends: Mapping[str, str], variants: Sequence[str]) -> str:
    """Between which variants a metric becomes flat."""
    order = sorted(set(ends.values()), key=variants.index)
    if not order:
        return ""
    found = order[0] if len(order) == 1 else f"{order[0]} to {order[-1]}"
    return f"flat from: {found} ({LATER}), {len(ends)} cases"


def follows(
    text: str,
    where: str,
    *,
    metric: str,
    of: str,
    than: str,
    share: str | Mapping[str, float],
    falling: bool = False,
    why: str = "",
) -> Judge:
    """The claim that a variant gains more over another one under loads where a share of it is larger: by rank correlation.

    Args:
        text: the claim.
        where: where the source makes it.
        metric: what the gain is of.
        of: the variant that gains.
        than: the one that it is compared with.
        share: the metric that the gain follows, or its value by load.
        falling: whether the gain is claimed to be larger where that is smaller.
        why: why it does not hold; shown where it does not.
    """

    def judge(measured: Measured) -> Claim:
        from scipy.stats import spearmanr

        cases = []
        for panel in measured.panels:
            gains, shares = [], []
            for load in measured.loads:
                ratio = measured.ratio(metric, panel, of, than, load)
                if isinstance(share, str):
                    value = measured.value(share, panel, of, load)
                    known = None if value is None else value.mean
                else:
                    known = share.get(load)
                if ratio and known is not None:
                    gains.append(1 - ratio.mean)
                    shares.append(known)
            if len(set(gains)) < 2 or len(set(shares)) < 2:
                cases.append(Case(panel or "all loads", None))
                continue
            rank = float(spearmanr(shares, gains).statistic)
            cases.append(
                Case(panel or "all loads", rank < 0 if falling else rank > 0, f"{rank:.2f}")
            )
        shown = ", ".join(case.shown for case in cases if case.shown) or "no case says anything"
        what = share if isinstance(share, str) else "the rate of requests"
        ours = f"rank correlation of {what} and gain of {of}: {shown}"
        return finding(text, where, ours, cases, why=why)

    return judge


def adds_up(
    text: str,
    where: str,
    *,
    metric: str,
    both: str,
    each: tuple[str, str],
    than: str,
    margin: float,
    why: str = "",
) -> Judge:
    """The claim that what two variants change over another one is there at once in a variant that has both: the ratio is the product of theirs, within a share."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for panel in measured.panels:
            for load in measured.loads:
                ratios = [measured.ratio(metric, panel, of, than, load) for of in (both, *each)]
                means = [ratio.mean for ratio in ratios if ratio]
                if len(means) < len(ratios):
                    cases.append(Case(load, None))
                    continue
                whole, first, second = means
                product = first * second
                holds = abs(whole / product - 1) <= margin
                cases.append(Case(load, holds, f"{load} {whole:.3f} for {product:.3f}"))
        shown = ", ".join(case.shown for case in cases if case.shown) or "no case says anything"
        ours = f"{metric}, {both} over {than} (ratio), for the product of {' and '.join(each)}: {shown}"
        return finding(text, where, ours, cases, why=why)

    return judge


def exactly(
    text: str, where: str, *, metric: str, variant: str, load: str, printed: float, unit: str
) -> Judge:
    """The claim that a metric is what the source prints."""

    def judge(measured: Measured) -> Claim:
        value = measured.value(metric, "", variant, load)
        holds = None if value is None else value.mean == printed
        shown = "" if value is None else f"{value.mean:,.0f} {unit}"
        case = Case(variant, holds, shown)
        ours = f"{metric}: {shown or 'no run'} for {printed:,.0f} {unit}"
        return finding(text, where, ours, [case], number=f"{metric}: {shown}")

    return judge
