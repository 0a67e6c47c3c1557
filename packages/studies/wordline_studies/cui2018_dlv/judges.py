"""Claims of the kind that this study makes beside the usual ones."""

from __future__ import annotations

from wordline.studies.claims import Case, finding
from wordline.studies.grid import Judge
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim


def follows(
    text: str,
    where: str,
    *,
    metric: str,
    of: str,
    than: str,
    share: str,
    why: str = "",
) -> Judge:
    """The claim that a variant gains more over another one under loads where a share of it is larger: by rank correlation."""

    def judge(measured: Measured) -> Claim:
        from scipy.stats import spearmanr

        cases = []
        for panel in measured.panels:
            gains, shares = [], []
            for load in measured.loads:
                ratio = measured.ratio(metric, panel, of, than, load)
                value = measured.value(share, panel, of, load)
                if ratio and value:
                    gains.append(1 - ratio.mean)
                    shares.append(value.mean)
            if len(set(gains)) < 2 or len(set(shares)) < 2:
                cases.append(Case(panel or "all loads", None))
                continue
            rank = float(spearmanr(shares, gains).statistic)
            cases.append(Case(panel or "all loads", rank > 0, f"{rank:.2f}"))
        shown = ", ".join(case.shown for case in cases if case.shown) or "no case says anything"
        ours = f"rank correlation of {share} and gain of {of}: {shown}"
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
