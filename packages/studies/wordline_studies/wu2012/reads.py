"""P1 to P4: the latency of reads."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure
from wordline_studies.wu2012.drives import P95, P99, P999, READ, policies, spelled
from wordline_studies.wu2012.judges import larger_for, most
from wordline_studies.wu2012.loads import SIX, SURROGATES

CLOSE = 0.05
"""By how much a ratio may miss 1 and count as close to it."""
NONE = 0.01
"""By how much it may and count as nothing."""

NAMES = [load.name for load in SURROGATES]

ORDER = GridFigure(
    heading="Reads first, and programs and erases without time",
    text=(
        "FIFO; pending reads before pending writes (RPS); RPS with programs and erases as long as a read (PER) or without any array time (PE0)."
    ),
    title="Mean read latency over that of FIFO",
    variants=policies("FIFO", "RPS", "PER", "PE0"),
    loads=SIX,
    metrics=[READ],
    baseline="FIFO",
    chart=charts.bars,
    claims=[
        ordering(
            f"Mean read latency is lower with {spelled('RPS')} than with {spelled('FIFO')}, under every load",
            "P1, figure 3.2",
            metric="read latency",
            of="RPS",
            than="FIFO",
            relation="below",
        ),
        ordering(
            f"Mean read latency is lower with {spelled('PER')} than with {spelled('RPS')}, under every load",
            "P1, figure 3.2",
            metric="read latency",
            of="PER",
            than="RPS",
            relation="below",
        ),
        ordering(
            f"Mean read latency is lower with {spelled('PE0')} than with {spelled('RPS')}, under every load",
            "P1, figure 3.2",
            metric="read latency",
            of="PE0",
            than="RPS",
            relation="below",
        ),
    ],
)

SUSPENDED = GridFigure(
    heading="Suspension",
    text="RPS, PER and PE0, and RPS with suspension of erases and of programs in their phases (IPC).",
    title="Mean read latency over that of RPS",
    variants=policies("RPS", "PER", "PE0", "IPC"),
    loads=SIX,
    metrics=[READ],
    baseline="RPS",
    chart=charts.bars,
    claims=[
        ordering(
            f"Mean read latency is lower with {spelled('IPC')} than with {spelled('RPS')} alone, under every load",
            "P2, figure 3.3",
            metric="read latency",
            of="IPC",
            than="RPS",
            relation="below",
        ),
        ordering(
            f"Mean read latency with {spelled('IPC')} is within 5 % of that with {spelled('PE0')}, under every load",
            "P2, figure 3.3",
            metric="read latency",
            of="IPC",
            than="PE0",
            relation="equal to",
            margin=CLOSE,
        ),
    ],
)

IDEAL = GridFigure(
    heading="What suspension leaves",
    text="IPC against programs and erases without any array time.",
    title="Mean read latency over that of PE0",
    variants=policies("PE0", "IPC"),
    loads=SIX,
    metrics=[READ],
    baseline="PE0",
    chart=charts.bars,
    claims=[
        ordering(
            f"Mean read latency with {spelled('IPC')} is not below that with {spelled('PE0')}, under every load",
            "P3, figure 3.4",
            metric="read latency",
            of="IPC",
            than="PE0",
            relation="not below",
        ),
        ordering(
            f"Mean read latency with {spelled('IPC')} exceeds that with {spelled('PE0')} by at most 5 %, under every load",
            "P3, figure 3.4",
            metric="read latency",
            of="IPC",
            than="PE0",
            relation="not above",
            margin=CLOSE,
        ),
        larger_for(
            f"Mean read latency with {spelled('IPC')} exceeds that with {spelled('PE0')} by a larger share on SLC than on MLC, under every load",
            "P3, figure 3.4",
            metric="read latency",
            of="IPC",
            than="PE0",
            panels=("SLC", "MLC"),
            why=(
                "random reads of one page have the same excess on both, 0.45 % and 0.44 %: a read waits for the same reset on both; an MLC program lasts 4.7 times as long, so twice as many reads find "
                "one in progress, and the read latency is twice as long. A request of several pages waits for its slowest page, which hides the reset before another page; on SLC, with "
                "pages of half the size, requests have more pages"
            ),
        ),
        ordering(
            f"Mean read latency with {spelled('IPC')} exceeds that with {spelled('PE0')} by at most 1 %, under DAP and MSN",
            "P3, figure 3.4",
            metric="read latency",
            of="IPC",
            than="PE0",
            relation="not above",
            margin=NONE,
            loads=["DAP surrogate", "MSN surrogate"],
        ),
    ],
)

PHASES = GridFigure(
    heading="Between phases or inside them",
    text="Programs that are suspended between two phases (IPS), compared with programs whose phase is cancelled (IPC).",
    title="Mean read latency over that of IPC",
    variants=policies("IPC", "IPS"),
    loads=SIX,
    metrics=[READ],
    baseline="IPC",
    chart=charts.bars,
    claims=[
        ordering(
            f"Mean read latency is higher with {spelled('IPS')} than with {spelled('IPC')}, under every load",
            "P4, figure 3.5",
            metric="read latency",
            of="IPS",
            than="IPC",
            relation="above",
        ),
        most(
            f"Of F1, F2, DAP and MSN, mean read latency grows most under F1 with {spelled('IPS')} instead of {spelled('IPC')}",
            "P4, figure 3.5",
            metric="read latency",
            of="IPS",
            than="IPC",
            winners=["F1 surrogate"],
            loads=NAMES,
            why=(
                "on SLC F1 is second to MSN, whose reads, of an assumed 9.6 KiB, have several pages: the request waits for the slowest page, and each page may have to wait for a program"
            ),
        ),
        larger_for(
            f"Mean read latency with {spelled('IPS')} exceeds that with {spelled('IPC')} by a larger share on SLC than on MLC, under every load",
            "P4, figure 3.5",
            metric="read latency",
            of="IPS",
            than="IPC",
            panels=("SLC", "MLC"),
            why=(
                "IPS adds 7.5 µs on average to a read that finds an MLC program in progress, and 4.9 µs on SLC: the rest of a "
                "phase minus the reset. Latencies are twice as long on MLC, but twice as many reads find a program in progress"
            ),
        ),
    ],
)

TAIL = GridFigure(
    heading="Tails",
    text="Percentiles of the read latency; the source gives none.",
    title="Percentiles of the read latency over those of FIFO",
    variants=policies("FIFO", "RPS", "PE0", "IPC", "IPS"),
    loads=SIX,
    metrics=[P95, P99, P999],
    baseline="FIFO",
    chart=charts.bars,
    claims=[],
)
