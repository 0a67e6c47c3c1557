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
