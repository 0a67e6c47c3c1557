"""P5, P7 and P8: what it costs writes, the queue of writes, and writes that suspend erases."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from wordline.statistics import Interval
from wordline.studies import charts
from wordline.studies.claims import Case, decided, finding, ordering
from wordline.studies.grid import GridFigure, Judge, Metric, Variant
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim
from wordline_studies.wu2012.drives import CELLS, POLICIES, WRITE, policies, spelled, variant
from wordline_studies.wu2012.judges import listed
from wordline_studies.wu2012.loads import FASTER, JUDGED, NAMES, UNSIZED, named, surrogate
from wordline_studies.wu2012.reads import MEAN
from wordline_studies.wu2012.sizes import not_judged, own, sized

WAIT = Metric("wait of programs", "nand.wait.program.mean_us")
FIGURE_3_6, FIGURE_3_9, FIGURE_3_10 = "P5, figure 3.6", "P7, figure 3.9", "P8, figure 3.10"

COST = GridFigure(
    heading="What it costs writes",
    text=(
        "The latency of host writes, and the time that programs for any cause wait for their chip and bus."
    ),
    title="Mean write latency and wait of programs over those of FIFO",
    variants=policies("FIFO", "RPS", "IPS", "IPC"),
    loads=JUDGED,
    metrics=[WRITE, WAIT],
    baseline="FIFO",
    chart=charts.bars,
    claims=[
        *(
            ordering(
                f"Mean write latency is higher with {spelled(of)} than with {spelled(than)}, under F1 and F2",
                FIGURE_3_6,
                metric="write latency",
                of=of,
                than=than,
                relation="above",
                loads=NAMES,
            )
            for of, than in (("RPS", "FIFO"), ("IPS", "RPS"), ("IPC", "IPS"))
        ),
        *(
            sized(
                f"What {spelled(of)} cost{'s' if of == 'IPS' else ''} writes against {spelled('FIFO')}, {MEAN}",
                FIGURE_3_6,
                metric="write latency",
                of=of,
                than="FIFO",
                printed=printed,
                loads=NAMES,
                combine=fmean,
                why="chips of SLC are busy for 1.5 to 3.3 % of the time, so that few writes wait while a read goes before them",
            )
            for of, printed in (
                ("RPS", {"SLC": 0.0396, "MLC": 0.0281}),
                ("IPS", {"SLC": 0.0449, "MLC": 0.0314}),
            )
        ),
        *(
            sized(
                f"What {spelled(of)} cost{'s' if of == 'IPS' else ''} writes against {spelled('FIFO')} is, under F1 and F2, at most what the source prints as the most",
                FIGURE_3_6,
                metric="write latency",
                of=of,
                than="FIFO",
                printed=printed,
                loads=NAMES,
                combine=max,
                at_most=True,
            )
            for of, printed in (
                ("RPS", {"SLC": 0.0665, "MLC": 0.0380}),
                ("IPS", {"SLC": 0.0691, "MLC": 0.0429}),
            )
        ),
        not_judged(
            f"Writes lose most by {spelled('RPS')} under MSN on SLC and under DAP on MLC",
            FIGURE_3_6,
            UNSIZED,
        ),
    ],
)

LIMITS = (16, 128, 512)
CONSTANT = 0.02
"""By how much a difference of two latencies, over the latency with FIFO, may change and count as constant."""
BURSTS = named("F2", FASTER)
DOOR = (
    "the queue is that of the drive: where it has room for 16, a chip that cleans for milliseconds fills it, and writes to all other chips wait at the door (those of FIFO take 3.3 times as long on SLC as with room for 512). A write that a read delays then delays those "
    "at the door, too"
)
"""Why a short queue costs more, and not less."""


def queue(name: str, cell: str) -> Sequence[Variant]:
    """A policy and FIFO with each limit."""
    return [
        variant(
            f"{policy} {limit}",
            f"{name}, {cell}",
            cell,
            POLICIES[policy],
            {"scheduler.max_writes": limit},
        )
        for policy in ("FIFO", name)
        for limit in LIMITS
    ]


def costs(measured: Measured, name: str, cell: str) -> list[Interval]:
    """Write latency over that of FIFO with the same limit, by limit."""
    ratios = [
        measured.ratio(
            "write latency", f"{name}, {cell}", f"{name} {limit}", f"FIFO {limit}", BURSTS
        )
        for limit in LIMITS
    ]
    return [ratio for ratio in ratios if ratio] if all(ratios) else []


def in_turn(values: Sequence[Interval]) -> str:
    """Ratios by limit."""
    return " → ".join(f"{value.mean:.3f}" for value in values)


def grows(name: str, why: str = "") -> Judge:
    """The claim that what a policy costs writes grows with the limit."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for cell in CELLS:
            found = costs(measured, name, cell)
            if not found:
                cases.append(Case(cell, None))
                continue
            first, last = found[0], found[-1]

            def holds(least: float, most: float) -> bool:
                return most > least

            shown = in_turn(found)
            cases.append(
                Case(cell, holds(first.mean, last.mean), shown, decided(holds, first, last))
            )
        ours = f"write latency, {name} over FIFO (ratio), limits {LIMITS[0]} to {LIMITS[-1]}: {listed(cases)}"
        text = f"What {spelled(name)} cost{'s' if name == 'IPC' else ''} writes against {spelled('FIFO')} is more with a queue of {LIMITS[-1]} writes than with one of {LIMITS[0]}, under F2 {FASTER} times as fast"
        return finding(
            text,
            FIGURE_3_9,
            ours,
            cases,
            why=why,
            note="the size is to be compared: the source's is not at hand",
        )

    return judge


def constant(measured: Measured) -> Claim:
    """The claim that IPC costs as much more than RPS whatever the limit."""
    cases = []

    def vary_little(*apart: float) -> bool:
        return max(apart) - min(apart) <= CONSTANT

    for cell in CELLS:
        pairs = list(zip(costs(measured, "IPC", cell), costs(measured, "RPS", cell), strict=False))
        if not pairs:
            cases.append(Case(cell, None))
            continue
        apart = [
            Interval(one.mean - other.mean, sum(each.half_width or 0.0 for each in (one, other)))
            for one, other in pairs
        ]
        means = [each.mean for each in apart]
        shown = f"{min(means):.3f} to {max(means):.3f}"
        cases.append(Case(cell, vary_little(*means), shown, decided(vary_little, *apart)))
    text = f"The difference of mean write latency between {spelled('IPC')} and {spelled('RPS')} varies by at most 2 % of that with FIFO over queues of {LIMITS[0]} to {LIMITS[-1]} writes, under F2 {FASTER} times as fast"
    return finding(
        text, FIGURE_3_9, f"write latency over FIFO (ratio), IPC minus RPS: {listed(cases)}", cases
    )


QUEUE = GridFigure(
    heading="The queue of writes",
    text=(
        f"F2 {FASTER} times as fast once more. So many page writes may wait for the flash; a write beyond waits at the door of the drive, with every policy alike, and that is part of its latency. What "
        "reads go before, and suspend, does not depend on it."
    ),
    title="Mean write latency over that of FIFO with the shortest queue",
    variants=[entry for cell in CELLS for name in ("RPS", "IPC") for entry in queue(name, cell)],
    loads=[surrogate("F2", FASTER)],
    metrics=[WRITE],
    baseline=f"FIFO {LIMITS[0]}",
    seeds=(1,),
    chart=charts.bars,
    claims=[grows("RPS", DOOR), grows("IPC", DOOR), constant],
)

ERASES = GridFigure(
    heading="Writes that suspend erases",
    text="IPC in which host writes also suspend an erase, while more blocks are free than half the watermark at which garbage collection starts.",
    title="Mean write latency over that of FIFO",
    variants=policies("FIFO", "IPC", "IPC, writes too"),
    loads=JUDGED,
    metrics=[
        WRITE,
        Metric("share of erases suspended", "suspension.erase.share", "of all", relative=False),
    ],
    baseline="FIFO",
    chart=charts.bars,
    claims=[
        ordering(
            f"Mean write latency is lower if writes, too, suspend erases (IPC) than with {spelled('FIFO')}, under F1 and F2",
            FIGURE_3_10,
            metric="write latency",
            of="IPC, writes too",
            than="FIFO",
            relation="below",
            loads=NAMES,
            why="under F2 four of five requests are reads, and what their suspensions cost programs is more than what writes save",
        ),
        sized(
            f"What writes that, too, suspend erases (IPC) change of write latency against {spelled('FIFO')}, {MEAN}",
            FIGURE_3_10,
            metric="write latency",
            of="IPC, writes too",
            than="FIFO",
            printed={"SLC": -0.136, "MLC": -0.112},
            loads=NAMES,
            combine=fmean,
            why=(
                "writes suspend the erase of a cleaning and wait for its moves. Of the 474 µs that a write of F1 takes with FIFO on SLC 122 are waits for erases and 145 for reads and programs of cleaning (of 2,147 on MLC 239 and 313); where writes suspend erases the first are 71 (119), and the second stay. "
                "Under F2 what reads suspend costs a write 23 of 327 µs on SLC, 123 of 1,341 on MLC (traced, one run each)"
            ),
        ),
        own(
            ordering(
                "Mean write latency is lower if writes, too, suspend erases than if only reads do (IPC), under F1 and F2",
                "ours: it follows from figures 3.6 and 3.10",
                metric="write latency",
                of="IPC, writes too",
                than="IPC",
                relation="below",
                loads=NAMES,
            )
        ),
    ],
)
