"""Whether what a source says is what Wordline finds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

ENOUGH = 0.8
"""Share of the cases in which a claim must hold for the source and Wordline to agree."""

HOLDS, IN_PART, CONTRADICTS, VOID = "✓", "◐", "✗", "○"
BEYOND = "beyond the source"
"""What the place of a claim of our own may begin with: the source makes no such claim."""
OWN = "our own"
"""What the place of a claim begins with that no source makes: the reason may follow."""

MARKS = {
    HOLDS: "holds in every case",
    IN_PART: "holds in some cases",
    CONTRADICTS: "holds in none",
    VOID: "was not judged",
}
"""Marks of verdicts, and what they say."""


@dataclass(frozen=True)
class Verdict:
    """How much of a claim holds."""

    held: int
    """Cases in which it holds."""
    of: int = 1
    """Cases that were checked."""
    void: int = 0
    """Cases that say nothing and were left out."""
    uncertain: int = 0
    """Checked cases that could be judged the other way within the confidence intervals of their values."""
    slight: int = 0
    """Cases in which it holds by a difference of no more than 1 %."""

    @classmethod
    def of_cases(cls, cases: Sequence[bool | None]) -> Verdict:
        """The verdict of several cases; `None` stands for a void one."""
        judged = [case for case in cases if case is not None]
        return cls(sum(judged), len(judged), len(cases) - len(judged))

    @property
    def outright(self) -> bool:
        """Whether it holds in every case that says anything, and one does."""
        return self.of > 0 and self.held == self.of

    @property
    def agrees(self) -> bool:
        """Whether it holds in enough of the cases to call it reproduced."""
        return self.of > 0 and self.held >= ENOUGH * self.of

    @property
    def mark(self) -> str:
        """The verdict as a mark of `MARKS`."""
        if not self.of:
            return VOID
        return HOLDS if self.outright else IN_PART if self.held else CONTRADICTS

    @property
    def share(self) -> str:
        """In how many cases it holds, in words."""
        if not self.of:
            return "void"
        return f"in {self.held} of {self.of} case{'s' if self.of > 1 else ''}"

    def __str__(self) -> str:
        if not self.of:
            return "void"
        if self.outright:
            said = "holds"
        elif self.held:
            said = f"holds in {self.held} of {self.of}"
        else:
            said = "contradicted"
        apart = {"uncertain": self.uncertain, "void": self.void}
        counts = [f"{count} {name}" for name, count in apart.items() if count]
        if self.slight:
            counts.insert(0, self.difference)
        return f"{said} ({', '.join(counts)})" if counts else said

    @property
    def is_slight(self) -> bool:
        """Whether it holds, but nowhere by a difference of more than 1 %."""
        return 0 < self.held == self.slight

    @property
    def difference(self) -> str:
        """In which of the cases where it holds there is no difference beyond 1 %."""
        where = "" if self.is_slight else f" in {self.slight} of {self.held} cases"
        return f"no difference beyond 1 %{where}"


@dataclass(frozen=True)
class Claim:
    """What the source says, what Wordline finds, and whether they agree."""

    text: str
    """The claim, in plain words."""
    where: str
    """Where the source makes it."""
    ours: str
    """What Wordline finds."""
    verdict: Verdict
    """Whether they agree."""
    why: str = ""
    """Why not, or what to know about the agreement."""
    number: str = ""
    """The one number of `ours` that says most; left out where `ours` is as short."""
    own: bool = False
    """Whether it is a claim of our own, about what the source says nothing of: such claims are counted apart."""

    @property
    def is_own(self) -> bool:
        """Whether it is a claim of our own."""
        return self.own or self.where.startswith((BEYOND, OWN))

    @property
    def in_short(self) -> str:
        """What Wordline finds, in a number."""
        return self.number or self.ours


def tally(claims: Iterable[Claim]) -> str:
    """How many claims hold, in a sentence: those of the source, then our own."""
    all_ = [*claims]
    ours = [claim.verdict for claim in all_ if claim.is_own]
    of_source = [claim.verdict for claim in all_ if not claim.is_own]
    if not ours:
        return counted(of_source, "claims")
    own = counted(ours, "claims of our own")
    return f"{counted(of_source, 'claims of the source')}; {own}" if of_source else own


def counted(verdicts: Sequence[Verdict], what: str) -> str:
    """How many of some claims hold, in words."""
    outright = sum(verdict.outright for verdict in verdicts)
    weak = sum(verdict.outright and verdict.uncertain > 0 for verdict in verdicts)
    slight = sum(verdict.outright and verdict.is_slight for verdict in verdicts)
    void = sum(not verdict.of for verdict in verdicts)
    against = sum(bool(verdict.of) and not verdict.held for verdict in verdicts)
    partly = len(verdicts) - outright - void - against
    said = [f"{outright} of {len(verdicts)} {what} hold outright"]
    of_them = [f"{weak} of them with uncertain cases"] if weak else []
    of_them += [f"{slight} of them without a difference beyond 1 %"] if slight else []
    said[0] += f" ({', '.join(of_them)})" if of_them else ""
    said += [f"{partly} in part"] if partly else []
    said += [f"{against} {'is' if against == 1 else 'are'} contradicted"] if against else []
    said += [f"{void} {'was' if void == 1 else 'were'} not judged"] if void else []
    return ", ".join(said)
