"""Why a case was not judged, in the row of its claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from wordline.studies.grid import Cell, Judge, Metric
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim

OVERLOADED, OTHER_LOAD = "the drive is overloaded", "its load was not the source's"
"""The two reasons. The second is that of a load too short for collection to begin early on an aged drive: the source's traces are longer."""
BY_VOID: Mapping[str, str] = {
    "overloaded": OVERLOADED,
    "no collection": OTHER_LOAD,
    "late collection": OTHER_LOAD,
}
"""The reason for each kind of void run."""


class Watched(Measured):
    """What was measured, and which cells a claim looks at."""

    def __init__(self, measured: Measured) -> None:
        super().__init__(measured.figure, measured.outcomes)
        self.measured = measured
        self.cells: set[Cell] = set()

    def by_seed(self, metric: Metric, cell: Cell) -> Mapping[int, float]:
        """See `Measured.by_seed`."""
        self.cells.add(cell)
        return self.measured.by_seed(metric, cell)


def reasoned(judge: Judge) -> Judge:
    """A claim that says for each reason which loads were not judged."""

    def judged(measured: Measured) -> Claim:
        watched = Watched(measured)
        claim = judge(watched)
        if not claim.verdict.void:
            return claim
        loads: dict[str, dict[str, None]] = {}
        for cell, void in measured.voids.items():
            if cell in watched.cells:
                where = f" ({cell.panel})" if cell.panel and len(measured.panels) > 1 else ""
                loads.setdefault(BY_VOID[void], {})[f"{cell.load}{where}"] = None
        told = [f"not judged, since {why}: {', '.join(names)}" for why, names in loads.items()]
        short = f"not judged: {'; '.join(loads)}"
        in_short = f"{claim.in_short}; {claim.verdict.void} {short}" if claim.verdict.of else short
        return replace(claim, why="; ".join(filter(None, [claim.why, *told])), number=in_short)

    return judged
