"""P6: how many operations are suspended, how often, what it adds to them, and the bound of power."""

from __future__ import annotations

from statistics import fmean

from wordline.points.outcome import Outcome
from wordline.statistics import Interval, estimate
from wordline.studies import charts
from wordline.studies.grid import Cell, GridFigure, Judge, Metric
from wordline.studies.measured import Measured
from wordline_studies.wu2012.drives import policies, spelled
from wordline_studies.wu2012.loads import JUDGED, NAMES, UNSIZED
from wordline_studies.wu2012.sizes import QUARTER, higher_under, in_band, not_judged

SUSPENDED = "operations suspended"
BURSTS = (
    "a chip is one server here, so that a read of any plane suspends it, and the bursts that FIFO's read latency asks for put many reads on a chip while it programs. F2 has 13.6 % on SLC and 30.3 % on MLC: with planes that work on their own 7.4 and 19.3 %, and "
    "without bursts (a bias of 0.5) 2.4 and 19.1 %. If FIFO's reads wait for something else as well (the end of this page), the bursts are smaller"
)
"""Why more is suspended than in the source."""
ITERATIONS = {"SLC": 5, "MLC": 15}
"""Iterations of a program, K of the source's table 3.1."""


def absolute(name: str, key: str, unit: str) -> Metric:
    """A metric that is shown as it is."""
    return Metric(name, key, unit, relative=False)


def verifies(outcome: Outcome) -> float | None:
    """Verify phases beyond the usual, of programs and erases, for each program that was suspended."""
    extra = outcome.number("suspension.extra_verifies")
    suspensions = outcome.number("suspension.program.suspensions")
    mean = outcome.number("suspension.program.mean")
    return extra * mean / suspensions if extra is not None and suspensions and mean else None


def suspended(outcome: Outcome) -> float | None:
    """Share of the programs and erases that were suspended at least once."""
    counts = [
        (outcome.number(f"{each}.suspensions"), outcome.number(f"{each}.mean"), share)
        for each in ("suspension.program", "suspension.erase")
        if (share := outcome.number(f"{each}.share"))
    ]
    known = [(times / mean, share) for times, mean, share in counts if times is not None and mean]
    return (
        sum(count for count, _ in known) / sum(count / share for count, share in known)
        if known
        else None
    )


def shares(measured: Measured, panel: str) -> dict[int, list[float]]:
    """Shares of the operations that IPC suspends under F1 and F2, by seed."""
    metric = measured.metric(SUSPENDED)
    found: dict[int, list[float]] = {}
    for load in NAMES:
        for seed, share in measured.by_seed(metric, Cell(panel, "IPC", load)).items():
            found.setdefault(seed, []).append(share)
    return {seed: each for seed, each in found.items() if len(each) == len(NAMES)}


def mean_share(measured: Measured, panel: str) -> Interval | None:
    """Mean over F1 and F2."""
    found = shares(measured, panel)
    return estimate([fmean(each) for each in found.values()]) if found else None


def most_share(measured: Measured, panel: str) -> Interval | None:
    """The larger of F1 and F2."""
    found = shares(measured, panel)
    return estimate([max(each) for each in found.values()]) if found else None


def power(measured: Measured, panel: str) -> Interval | None:
    """The bound of the energy that suspension adds: one program phase of K for each operation that is suspended."""
    share = most_share(measured, panel)
    if share is None:
        return None
    phases = ITERATIONS[panel]
    reach = share.half_width / phases if share.half_width else share.half_width
    return Interval(share.mean / phases, reach)


BOUND: Judge = in_band(
    "The share of operations that are suspended, times one phase of K, bounds the energy that suspension adds: at most what the source prints, under F1 and F2",
    "P6, section 3.5",
    "share suspended over K, the larger of F1 and F2",
    {"SLC": 0.018, "MLC": 0.009},
    power,
    at_most=True,
    within=lambda printed: QUARTER * printed,
    why=BURSTS,
)

SHARES = GridFigure(
    heading="What is suspended",
    text=(
        "Programs and erases that were suspended at least once, of all, and by how much longer those took than their array time. A suspension adds one program phase of the K of a "
        "program at most, so that the share of the operations suspended over K bounds what it adds to the energy, whatever a phase takes."
    ),
    title="Share of operations suspended, and growth of those that were",
    variants=policies("IPC", "IPS"),
    loads=JUDGED,
    metrics=[
        Metric(SUSPENDED, suspended, "of all", relative=False),
        absolute("share of programs", "suspension.program.share", "of all"),
        absolute("share of erases", "suspension.erase.share", "of all"),
        absolute("growth of programs", "suspension.program.added_share", "of array time"),
        absolute("growth of erases", "suspension.erase.added_share", "of array time"),
    ],
    chart=charts.bars,
    claims=[
        in_band(
            f"The share of programs and erases that {spelled('IPC')} suspends, in the mean over F1 and F2, is that of the source, which is over its four traces",
            "P6, figure 3.7",
            SUSPENDED,
            {"SLC": 0.0487, "MLC": 0.0739},
            mean_share,
            why=BURSTS,
        ),
        in_band(
            f"The share of programs and erases that {spelled('IPC')} suspends is, under F1 and F2, at most what the source prints as the most",
            "P6, figure 3.7",
            SUSPENDED,
            {"SLC": 0.0892, "MLC": 0.1265},
            most_share,
            at_most=True,
            why=BURSTS,
        ),
        BOUND,
        *(
            higher_under(
                f"A larger share of {each}s is suspended under F2 than under F1, with {spelled('IPC')}",
                "P6, figure 3.7",
                metric=f"share of {each}s",
                of="IPC",
                loads=(NAMES[1], NAMES[0]),
            )
            for each in ("program", "erase")
        ),
        not_judged(
            f"A larger share of operations is suspended under MSN than under F1 and DAP, with {spelled('IPC')}",
            "P6, figure 3.7",
            UNSIZED,
        ),
        *(
            higher_under(
                f"{each.capitalize()}s that are suspended become longer by a larger share under F2 than under F1, with {spelled('IPC')}",
                "P6, figure 3.8",
                metric=f"growth of {each}s",
                of="IPC",
                loads=(NAMES[1], NAMES[0]),
            )
            for each in ("program", "erase")
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
    loads=JUDGED,
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
