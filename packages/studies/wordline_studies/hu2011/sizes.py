"""Claims about the sizes that the source prints, in the bands of the study of suspension."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from wordline.statistics import Interval
from wordline.studies.claims import Case, decided, finding
from wordline.studies.grid import Judge
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim
from wordline_studies.hu2011.loads import names
from wordline_studies.wu2012.sizes import band

QUARTER, GAIN = "within a quarter of the change", "within a quarter of the gain or 2 points"
"""The band, as claims of large and of small changes say it: that of the study of suspension."""

FEW = 2
"""Cases that the table of claims lists with their numbers."""


@dataclass(frozen=True)
class Size:
    """A number of the source, and ours."""

    name: str
    """Name of the case."""
    printed: float
    """As printed."""
    ours: Callable[[Measured], Interval | None]
    """The same of the figure; `None` where no run says anything."""
    load: str = ""
    """The load of the runs, where they have one: without it they are no case."""


def in_size(
    text: str,
    where: str,
    what: str,
    sizes: Sequence[Size],
    *,
    nothing: float = 1.0,
    unit: str = "",
    why: str = "",
) -> Judge:
    """The claim that numbers have the printed sizes.

    Args:
        text: the claim.
        where: where the source prints them.
        what: what they are numbers of.
        sizes: the numbers.
        nothing: the number that would say that nothing changes, from which the band counts: 1 for a ratio, 0 for an amount.
        unit: what follows a number.
        why: why they have not; shown where that is so.
    """

    def judge(measured: Measured) -> Claim:
        cases = []
        for size in sizes:
            if size.load and size.load not in measured.loads:
                continue
            found = size.ours(measured)
            if found is None:
                cases.append(Case(size.name, None))
                continue

            def holds(value: float, printed: float = size.printed) -> bool:
                return abs(value - printed) <= band(printed - nothing)

            shown = f"{found.mean:.3g}{unit} for {size.printed:g}{unit}"
            cases.append(Case(size.name, holds(found.mean), shown, decided(holds, found)))
        said = "; ".join(f"{case.name} {case.shown}" for case in cases if case.holds is not None)
        ours = f"{what}: {said or 'no case says anything'}"
        number = ours if said and len(cases) <= FEW else ""
        return finding(text, where, ours, cases, number=number, why=why)

    return judge


def ratios(
    printed: Mapping[str, float], metric: str, of: str, than: str, panels: Sequence[str] = ("",)
) -> Sequence[Size]:
    """What is printed of a ratio under each trace, for each load that stands for it, in each of these panels."""

    def ours(panel: str, load: str) -> Callable[[Measured], Interval | None]:
        return lambda measured: measured.ratio(metric, panel, of, than, load)

    return [
        Size(f"{load}, {panel}" if panel else load, number, ours(panel, load), load)
        for panel in panels
        for trace, number in printed.items()
        for load in names(trace)
    ]
