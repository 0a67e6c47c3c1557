"""P5, P7 and P8: what it costs writes, the queue of writes, and writes that suspend erases."""

from __future__ import annotations

from collections.abc import Sequence

from wordline.statistics import Interval
from wordline.studies import charts
from wordline.studies.claims import Case, decided, finding, ordering, rising
from wordline.studies.grid import GridFigure, Judge, Metric, Variant
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim
from wordline_studies.wu2012.drives import CELLS, POLICIES, WRITE, policies, spelled, variant
from wordline_studies.wu2012.judges import listed
from wordline_studies.wu2012.loads import BURSTS, FASTER, SIX, surrogate

SMALL = 0.05
"""Growth of a latency that counts as small."""

WAIT = Metric("wait of programs", "nand.wait.program.mean_us")

COST = GridFigure(
    heading="What it costs writes",
    text=(
        "The latency of host writes through the buffer, which is what the source shows, and the time that programs for any cause wait for their plane and bus."
    ),
    title="Mean write latency and wait of programs over those of FIFO",
    variants=policies("FIFO", "RPS", "IPS", "IPC"),
    loads=SIX,
    metrics=[WRITE, WAIT],
    baseline="FIFO",
    chart=charts.bars,
    claims=[
        ordering(
            f"Mean write latency is higher with {spelled('RPS')} than with {spelled('FIFO')}, under every load",
            "P5, figure 3.6",
            metric="write latency",
            of="RPS",
            than="FIFO",
            relation="above",
            why=(
                "a write waits for space in the buffer, and if the evicted page is un-covered, the rest of it is read first; "
                "with RPS this read has priority as well. Where writes come in bursts (MSNFS), or few pages are un-covered (F1 "
                "excerpt on SLC), writes lose more by the priority of reads than they gain"
            ),
        ),
        ordering(
            f"Mean write latency is higher with {spelled('IPS')} than with {spelled('RPS')} alone, under every load",
            "P5, figure 3.6",
            metric="write latency",
            of="IPS",
            than="RPS",
            relation="above",
            why="only 30 operations are suspended in the excerpt of F1 on MLC; the difference is smaller than its interval",
        ),
        ordering(
            f"Mean write latency is higher with {spelled('IPC')} than with {spelled('IPS')}, under every load",
            "P5, figure 3.6",
            metric="write latency",
            of="IPC",
            than="IPS",
            relation="above",
            why="only 17 operations are suspended in the excerpt of F1 on SLC",
        ),
        ordering(
            f"Mean write latency with {spelled('IPC')} exceeds that with {spelled('FIFO')} by at most 5 %, under every load",
            "P5, figure 3.6",
            metric="write latency",
            of="IPC",
            than="FIFO",
            relation="not above",
            margin=SMALL,
            why="the reads of MSNFS are 22 KiB and come in bursts: an SLC program that is suspended takes twice as long",
        ),
    ],
)

LIMITS = (16, 32, 64, 128, 256, 512)
LEAST, LARGEST = str(LIMITS[0]), str(LIMITS[-1])
CONSTANT = 0.02
"""By how much a difference of two latencies, over the latency with FIFO, may change and count as constant."""


def queue(name: str, cell: str) -> Sequence[Variant]:
    """A policy with each limit, and FIFO, which has none."""
    panel = f"{name}, {cell}"
    return [
        variant("FIFO", panel, cell, POLICIES["FIFO"]),
        *(
            variant(str(limit), panel, cell, POLICIES[name], {"scheduler.max_writes": limit})
            for limit in LIMITS
        ),
    ]


def vary_little(*apart: float) -> bool:
    """Whether differences are the same within the tolerance."""
    return max(apart) - min(apart) <= CONSTANT


def constant(text: str, where: str, why: str) -> Judge:
    """The claim that IPC costs as much more than RPS whatever the limit."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for cell in CELLS:
            for load in measured.loads:
                pairs = [
                    [
                        measured.ratio("write latency", f"{name}, {cell}", str(limit), "FIFO", load)
                        for name in ("IPC", "RPS")
                    ]
                    for limit in LIMITS
                ]
                known = [(one, other) for one, other in pairs if one and other]
                if not known:
                    cases.append(Case(f"{load}, {cell}", None))
                    continue
                apart = [one.mean - other.mean for one, other in known]
                shown = f"{min(apart):.3f} to {max(apart):.3f}"
                certain = decided(
                    vary_little,
                    *(
                        Interval(
                            one.mean - other.mean,
                            sum(each.half_width or 0.0 for each in (one, other)),
                        )
                        for one, other in known
                    ),
                )
                cases.append(Case(f"{load}, {cell}", vary_little(*apart), shown, certain))
        ours = f"write latency over FIFO (ratio), IPC minus RPS: {listed(cases)}"
        return finding(text, where, ours, cases, why=why)

    return judge


QUEUE = GridFigure(
    heading="The queue of writes",
    text=(
        f"F2 {FASTER} times as fast once more. While at least as many writes wait as the limit, reads have no priority and suspend nothing. The excerpt of MSNFS, "
        f"{FASTER} times as fast as recorded, is not in the source: its writes come in bursts and queue."
    ),
    title="Mean write latency over that of FIFO, by the limit of waiting writes",
    variants=[entry for cell in CELLS for name in ("RPS", "IPC") for entry in queue(name, cell)],
    loads=[surrogate("F2", FASTER), BURSTS],
    metrics=[WRITE],
    baseline="FIFO",
    chart=charts.lines,
    variants_are="waiting writes from which reads have no priority",
    claims=[
        rising(
            f"Mean write latency does not fall with the number of waiting writes, {LEAST} to {LARGEST}, from which reads have no priority, under every load",
            "P7, figure 3.9",
            metric="write latency",
            variants=[str(limit) for limit in LIMITS],
            margin=0.001,
        ),
        ordering(
            f"Mean write latency is higher if reads lose their priority at {LARGEST} waiting writes than at {LEAST}, under every load",
            "P7, figure 3.9",
            metric="write latency",
            of=LARGEST,
            than=LEAST,
            relation="above",
            why="the surrogate has no bursts: 16 writes hardly ever wait at the same time, on MLC never",
        ),
        constant(
            f"The difference of mean write latency between {spelled('IPC')} and {spelled('RPS')} varies by at most 2 % of that with FIFO over limits of {LEAST} to {LARGEST} waiting writes, under every load",
            "P7, figure 3.9",
            "",
        ),
    ],
)

ERASES = GridFigure(
    heading="Writes that suspend erases",
    text="IPC in which host writes also suspend an erase, while more blocks are free than half the watermark at which garbage collection starts.",
    title="Mean write latency over that of FIFO",
    variants=policies("FIFO", "IPC", "IPC, writes too"),
    loads=[*SIX, surrogate("F2", FASTER)],
    metrics=[
        WRITE,
        Metric("share of erases suspended", "suspension.erase.share", "of all", relative=False),
    ],
    baseline="FIFO",
    chart=charts.bars,
    claims=[
        ordering(
            f"Mean write latency is lower if writes, too, suspend erases (IPC) than with {spelled('FIFO')}, under every load",
            "P8, figure 3.10",
            metric="write latency",
            of="IPC, writes too",
            than="FIFO",
            relation="below",
            why=(
                "a write saves the time that it would have waited for an erase, but few writes find an erase in progress: under "
                "F2 at 7 times its rate, a program waits about 1 µs less. Where four of five requests are reads, it loses more "
                "time to reads that suspend programs"
            ),
        ),
        ordering(
            "Mean write latency is lower if writes, too, suspend erases than if only reads do (IPC), under every load",
            "P8, figure 3.10",
            metric="write latency",
            of="IPC, writes too",
            than="IPC",
            relation="below",
        ),
    ],
)
