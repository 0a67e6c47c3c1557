"""Claims of a source that do not hold, the farthest off first: what a reader of a chapter should know before all else."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from wordline.studies.claims import RATIO
from wordline.studies.lessons import linked
from wordline.studies.verdict import CONTRADICTS

if TYPE_CHECKING:
    from wordline.studies.study import Part
    from wordline.studies.verdict import Claim

MOST = 2
"""Contradictions that a chapter opens with at most, each of another figure."""
NUMBER = r"[+-]?\d[\d,]*(?:\.\d+)?"
PRINTED = re.compile(rf"({NUMBER})(?: ± [\d.]+)?( %)? for ({NUMBER})")
"""What Wordline finds beside what the source prints, in the number of a claim: both ratios, or both changes in percent."""


def contradictions(parts: Mapping[str, Part]) -> list[str]:
    """A sentence for each of the claims of the source that hold in no case and are farthest off, the farthest first."""
    against = [
        (name, claim)
        for name, part in parts.items()
        for claim in part.claims
        if claim.verdict.mark == CONTRADICTS and not claim.is_own
    ]
    # a stable sort: of claims that are as far off that of most cases is first, then that of the first figure
    against.sort(key=lambda each: (-distance(each[1].in_short), -each[1].verdict.of))
    farthest: dict[str, Claim] = {}
    for name, claim in against:
        farthest.setdefault(name, claim)
    return [
        f"Contradicted: \u201c{claim.text}\u201d ({linked(claim, name)})."
        for name, claim in list(farthest.items())[:MOST]
    ]


def distance(number: str) -> float:
    """How far the number of a contradicted claim is from what it should be, as the logarithm of a factor; 0 where it has none.

    A number beside a printed one should be that, a ratio of two settings 1 at least or at most.
    """
    found = [
        apart(with_change(ours, percent), with_change(printed, percent))
        for ours, percent, printed in PRINTED.findall(number)
    ]
    if not found:
        found = [
            apart(float(ratio.replace(",", "")), 1.0)
            for ratio in re.findall(rf"{re.escape(RATIO)}: ({NUMBER})", number)
        ]
    return max(found, default=0.0)


def with_change(number: str, percent: str) -> float:
    """A ratio, or 1 with a change in percent."""
    value = float(number.replace(",", ""))
    return 1 + value / 100 if percent else value


def apart(one: float, other: float) -> float:
    """The logarithm of how many times one is the other, either way; infinite where only one is above zero."""
    if one > 0 and other > 0:
        return abs(math.log(one / other))
    return 0.0 if one == other else math.inf
