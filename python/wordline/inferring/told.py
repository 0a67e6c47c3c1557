"""Sentences about an inference, for the terminal and the report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wordline.formatting import display, percent

if TYPE_CHECKING:
    from wordline.inferring.infer import Inference

POOR = 0.5
"""Share of the variance of a figure below which its emulator says little."""


def ties(found: Inference) -> Iterator[str]:
    """Unknowns that are determined only together."""
    for one, other, correlation in found.ties:
        how = "grows as the other shrinks" if correlation < 0 else "grows with the other"
        yield (
            f"{one} and {other}: the targets determine a combination better than each of them; in the set one {how} "
            f"(correlation {correlation:.2f})"
        )


def misfit(found: Inference) -> Iterator[str]:
    """What the reader must know before the set is trusted."""
    if found.scale > 1.0:
        yield (
            f"no settings in these ranges give all targets within their tolerances: tolerances were multiplied by {display(found.scale)} so "
            "that the best settings fit. Something that is not varied differs, or the ranges are too narrow; intervals say what fits best, not what "
            "the drive has"
        )
    for each in found.targets:
        if each.missed:
            off = abs(each.best / each.target.value - 1) if each.target.value else 0.0
            yield (
                f"{each.target.figure}: the best settings that were run miss it by {percent(off)}. More points (--points) come nearer, or show that no settings "
                "in these ranges do"
            )
        if each.explained < POOR:
            yield (
                f"{each.target.figure}: the emulator explains {percent(max(each.explained, 0.0))} of the differences of this figure between points, so that it says "
                "little; more points (--points) or runs of each (--seeds) help, unless the figure does not depend on what is varied"
            )
    for key in found.keys:
        ends = [name for name, at in (("low", key.at_low), ("high", key.at_high)) if at]
        if ends and key.width < 0.5:
            yield f"{key.name}: the interval reaches the {ends[0]} end of the range, so that the true value may lie beyond it"
