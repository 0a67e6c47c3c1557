"""P6: how many operations are suspended, how often, and what it adds to them."""

from __future__ import annotations

from wordline.points.outcome import Outcome
from wordline.studies import charts
from wordline.studies.grid import GridFigure, Metric
from wordline_studies.wu2012.drives import policies, spelled
from wordline_studies.wu2012.judges import most
from wordline_studies.wu2012.loads import SIX, SURROGATES

NAMES = [load.name for load in SURROGATES]


def absolute(name: str, key: str, unit: str) -> Metric:
    """A metric that is shown as it is."""
    return Metric(name, key, unit, relative=False)


def verifies(outcome: Outcome) -> float | None:
    """Verify phases beyond the usual, of programs and erases, for each program that was suspended."""
    extra = outcome.number("suspension.extra_verifies")
    suspensions = outcome.number("suspension.program.suspensions")
    mean = outcome.number("suspension.program.mean")
    return extra * mean / suspensions if extra is not None and suspensions and mean else None


SHARES = GridFigure(
    heading="What is suspended",
    text="Programs and erases that were suspended at least once, of all, and by how much longer those took than their array time.",
    title="Share of operations suspended, and growth of those that were",
    variants=policies("IPC", "IPS"),
    loads=SIX,
    metrics=[
        absolute("share of programs", "suspension.program.share", "of all"),
        absolute("share of erases", "suspension.erase.share", "of all"),
        absolute("growth of programs", "suspension.program.added_share", "of array time"),
        absolute("growth of erases", "suspension.erase.added_share", "of array time"),
    ],
    chart=charts.bars,
    claims=[
        most(
            f"A larger share of programs is suspended under F2 and MSN than under F1 and DAP, with {spelled('IPC')}",
            "P6, figure 3.7",
            metric="share of programs",
            of="IPC",
            winners=["F2 surrogate", "MSN surrogate"],
            loads=NAMES,
        ),
        most(
            f"A larger share of erases is suspended under F2 and MSN than under F1 and DAP, with {spelled('IPC')}",
            "P6, figure 3.7",
            metric="share of erases",
            of="IPC",
            winners=["F2 surrogate", "MSN surrogate"],
            loads=NAMES,
        ),
        most(
            f"Programs that are suspended become longer by a larger share under F2 than under F1, DAP and MSN, with {spelled('IPC')}",
            "P6, figure 3.8",
            metric="growth of programs",
            of="IPC",
            winners=["F2 surrogate"],
            loads=NAMES,
            why=(
                "how the reads of F2 are batched is not published, and those of the surrogate arrive one by one, so an "
                "operation is suspended for a single read and delayed by its time. Reads of MSN and DAP transfer whole pages "
                "over the bus, those of F2 often less. The excerpt of MSNFS shows the effect of batches"
            ),
        ),
        most(
            f"Erases that are suspended become longer by a larger share under F2 than under F1, DAP and MSN, with {spelled('IPC')}",
            "P6, figure 3.8",
            metric="growth of erases",
            of="IPC",
            winners=["F2 surrogate"],
            loads=NAMES,
            why=(
                "how the reads of F2 are batched is not published, and those of the surrogate arrive one by one, so an "
                "operation is suspended for a single read and delayed by its time. Reads of MSN and DAP transfer whole pages "
                "over the bus, those of F2 often less. The excerpt of MSNFS shows the effect of batches"
            ),
        ),
    ],
)

WORK = GridFigure(
    heading="How often, and what is done again",
    text=(
        "Suspensions of each operation that was suspended, verify phases beyond the usual for each program that was (erases add a few), and program phases done again "
        "over all that those programs have (what they add to their energy). None of these is in the source."
    ),
    title="Suspensions of an operation that was suspended, and work done again",
    variants=policies("IPC", "IPS"),
    loads=SIX,
    metrics=[
        absolute("suspensions of a program", "suspension.program.mean", "times"),
        absolute("suspensions of an erase", "suspension.erase.mean", "times"),
        absolute("most suspensions of an erase", "suspension.erase.most", "times"),
        Metric("extra verifies", verifies, "per program", relative=False),
        absolute("program phases done again", "suspension.redone_share", "of all"),
    ],
    chart=charts.bars,
    claims=[],
)
