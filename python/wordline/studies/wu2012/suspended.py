"""P6: how many operations are suspended, how often, and what it adds to them."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.grid import GridFigure, Metric
from wordline.studies.outcome import Outcome
from wordline.studies.wu2012.drives import policies
from wordline.studies.wu2012.judges import most
from wordline.studies.wu2012.loads import SIX, SURROGATES

NAMES = [load.name for load in SURROGATES]


def absolute(name: str, key: str) -> Metric:
    """A metric that is shown as it is."""
    return Metric(name, key, relative=False)


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
        absolute("share of programs", "suspension.program.share"),
        absolute("share of erases", "suspension.erase.share"),
        absolute("growth of programs", "suspension.program.added_share"),
        absolute("growth of erases", "suspension.erase.added_share"),
    ],
    chart=charts.bars,
    claims=[
        most(
            "programs are suspended most under F2 and MSN",
            "P6, figure 3.7",
            metric="share of programs",
            of="IPC",
            winners=["F2 surrogate", "MSN surrogate"],
            loads=NAMES,
        ),
        most(
            "erases are suspended most under F2 and MSN",
            "P6, figure 3.7",
            metric="share of erases",
            of="IPC",
            winners=["F2 surrogate", "MSN surrogate"],
            loads=NAMES,
        ),
        most(
            "programs grow most under F2",
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
            "erases grow most under F2",
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
        absolute("suspensions of a program", "suspension.program.mean"),
        absolute("suspensions of an erase", "suspension.erase.mean"),
        absolute("most suspensions of an erase", "suspension.erase.most"),
        Metric("extra verifies", verifies, relative=False),
        absolute("program phases done again", "suspension.redone_share"),
    ],
    chart=charts.bars,
    claims=[],
)
