"""What a designer can take from a study: sentences that its own verdicts choose, with its own figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wordline.studies.study import Part
    from wordline.studies.verdict import Claim


LONGEST = 140
"""Characters of a finding that stands in a sentence; a longer one is read at its figure."""


@dataclass(frozen=True)
class Lesson:
    """What a claim means for a designer, whichever way it is judged."""

    figure: str
    """Name of the figure that the claim belongs to."""
    claim: str
    """What the claim begins with; it is the only one of its figure that does."""
    holds: str
    """The sentence where the claim holds in four of five cases or more, without its full stop."""
    fails: str
    """The sentence where it does not."""


def sentences(lessons: Sequence[Lesson], parts: Mapping[str, Part]) -> list[str]:
    """A sentence for each lesson whose claim was judged, with what Wordline finds and a link to the figure.

    Raises:
        ValueError: a figure has no such claim, or several.
    """
    found = []
    for lesson in lessons:
        if lesson.figure not in parts:
            continue  # one figure was asked for
        claims = [
            claim for claim in parts[lesson.figure].claims if claim.text.startswith(lesson.claim)
        ]
        if len(claims) != 1:
            raise ValueError(
                f"{lesson.figure}: {len(claims)} claims begin with '{lesson.claim}', one is needed"
            )
        (claim,) = claims
        if claim.verdict.of:
            said = lesson.holds if claim.verdict.agrees else lesson.fails
            found.append(f"{said} ({linked(claim, lesson.figure)}).")
    return found


def linked(claim: Claim, figure: str) -> str:
    """What Wordline finds, as a link to its figure."""
    return f"[{claim.in_short if len(claim.in_short) <= LONGEST else 'figure'}](#{figure})"
