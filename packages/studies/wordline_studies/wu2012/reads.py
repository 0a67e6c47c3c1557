"""P1 to P4: the latency of reads."""

from __future__ import annotations

from statistics import fmean

from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure
from wordline_studies.wu2012.drives import P95, P99, P999, READ, policies, spelled
from wordline_studies.wu2012.judges import larger_for
from wordline_studies.wu2012.loads import JUDGED, NAMES, UNSIZED
from wordline_studies.wu2012.sizes import not_judged, own, sized

FIGURE_3_2, FIGURE_3_3, FIGURE_3_4, FIGURE_3_5 = (
    "P1, figure 3.2",
    "P2, figure 3.3",
    "P3, figure 3.4",
    "P4, figure 3.5",
)
MEAN = "in the mean over F1 and F2, is that of the source, which is over its four traces"
"""What a size is judged by."""

EVENT = "to RPS the cleaning of a block is one event, which a read waits for; where reads go between its operations RPS saves more ([figure](#cleaning)), so that the source's reads overtake a part of cleaning that it does not describe"
LONE = (
    "what IPC leaves here is little more than a lone read, 30 µs on SLC and 60 to 68 µs on MLC. The source's reads keep 36 % of FIFO's on SLC and 29 % on MLC, which under F1 and F2 would be 133 and 86 µs on SLC and 129 and 79 µs on MLC: the "
    "same on both kinds of cell, and so no time of the flash"
)
BETWEEN = (
    "PE0 here keeps the cleaning of a block as one event of reads and transfers, which a read waits for: 8.1 of its 38.2 µs under F1 on SLC, 6.6 of 71.2 on MLC. IPC's reads go between them ([figure](#cleaning)) and wait 0.2 µs for cleaning, 0.4 and 1.0 for programs of the host (traced, one run each). Without its wait PE0 would take 30.1 and 64.6 µs, "
    "where IPC takes 30.2 and 60.3"
)
ADDED = (
    "on SLC 9 % of the reads of F1 suspend something, and 6 % of those of F2, on MLC 23 and 13 %; IPS adds to each of them the rest of a phase less the reset, 4.9 µs on SLC and 7.5 µs on MLC. For 13 % on SLC four of five reads would have to "
    "suspend something, if they take 30 µs"
)

ORDER = GridFigure(
    heading="Reads first, and programs and erases without time",
    text=(
        "FIFO; pending reads before pending writes (RPS); RPS with programs and erases as long as a read (PER) or without any array time (PE0)."
    ),
    title="Mean read latency over that of FIFO",
    variants=policies("FIFO", "RPS", "PER", "PE0"),
    loads=JUDGED,
    metrics=[READ],
    baseline="FIFO",
    chart=charts.bars,
    claims=[
        *(
            ordering(
                f"Mean read latency is lower with {spelled(of)} than with {spelled(than)}, under F1 and F2",
                FIGURE_3_2,
                metric="read latency",
                of=of,
                than=than,
                relation="below",
                loads=NAMES,
                note="the size is to be compared: the source's is not at hand"
                if of == "PER"
                else "",
            )
            for of, than in (("RPS", "FIFO"), ("PER", "RPS"), ("PE0", "RPS"))
        ),
        sized(
            f"What {spelled('RPS')} change against {spelled('FIFO')}, {MEAN}",
            FIGURE_3_2,
            metric="read latency",
            of="RPS",
            than="FIFO",
            printed={"SLC": -0.388, "MLC": -0.457},
            loads=NAMES,
            combine=fmean,
            why=EVENT,
        ),
        sized(
            f"What {spelled('PE0')} change against {spelled('FIFO')}, {MEAN}",
            FIGURE_3_2,
            metric="read latency",
            of="PE0",
            than="FIFO",
            printed={"SLC": -0.642, "MLC": -0.710},
            loads=NAMES,
            combine=fmean,
        ),
    ],
)

SUSPENDED = GridFigure(
    heading="Suspension",
    text="FIFO, RPS and PE0, and RPS with suspension of erases and of programs in their phases (IPC).",
    title="Mean read latency over that of FIFO",
    variants=policies("FIFO", "RPS", "PE0", "IPC"),
    loads=JUDGED,
    metrics=[READ],
    baseline="FIFO",
    chart=charts.bars,
    claims=[
        ordering(
            f"Mean read latency is lower with {spelled('IPC')} than with {spelled('RPS')} alone, under F1 and F2",
            FIGURE_3_3,
            metric="read latency",
            of="IPC",
            than="RPS",
            relation="below",
            loads=NAMES,
        ),
        sized(
            f"What {spelled('IPC')} changes against {spelled('RPS')} alone, {MEAN}",
            FIGURE_3_3,
            metric="read latency",
            of="IPC",
            than="RPS",
            printed={"SLC": -0.448, "MLC": -0.465},
            loads=NAMES,
            combine=fmean,
            why=EVENT,
        ),
        sized(
            f"What {spelled('IPC')} changes against {spelled('FIFO')}, {MEAN}",
            FIGURE_3_3,
            metric="read latency",
            of="IPC",
            than="FIFO",
            printed={"SLC": -0.641, "MLC": -0.707},
            loads=NAMES,
            combine=fmean,
            why=LONE,
        ),
    ],
)

IDEAL = GridFigure(
    heading="What suspension leaves",
    text=(
        "IPC against programs and erases without any array time. PE0 is no bound: in it, too, the cleaning of a block is one event of reads and transfers, which no read "
        "interrupts; a read that suspends goes before the next of them."
    ),
    title="Mean read latency over that of PE0",
    variants=policies("PE0", "IPC"),
    loads=JUDGED,
    metrics=[READ],
    baseline="PE0",
    chart=charts.bars,
    claims=[
        sized(
            f"What {spelled('IPC')} costs against {spelled('PE0')}, {MEAN}",
            FIGURE_3_4,
            metric="read latency",
            of="IPC",
            than="PE0",
            printed={"SLC": 0.0105, "MLC": 0.0083},
            loads=NAMES,
            combine=fmean,
            why=BETWEEN,
        ),
        sized(
            f"What {spelled('IPC')} costs against {spelled('PE0')} is, under F1 and F2, at most what the source prints as the most",
            FIGURE_3_4,
            metric="read latency",
            of="IPC",
            than="PE0",
            printed={"SLC": 0.0264, "MLC": 0.0204},
            loads=NAMES,
            combine=max,
            at_most=True,
        ),
        larger_for(
            f"Mean read latency with {spelled('IPC')} exceeds that with {spelled('PE0')} by a larger share on SLC than on MLC, under F1 and F2",
            FIGURE_3_4,
            metric="read latency",
            of="IPC",
            than="PE0",
            panels=("SLC", "MLC"),
            loads=NAMES,
            why=BETWEEN,
        ),
        not_judged(
            f"Mean read latency with {spelled('IPC')} is nearly that with {spelled('PE0')} under DAP and MSN",
            FIGURE_3_4,
            UNSIZED,
        ),
    ],
)

PHASES = GridFigure(
    heading="Between phases or inside them",
    text="Programs that are suspended between two phases (IPS), compared with programs whose phase is cancelled (IPC).",
    title="Mean read latency over that of IPC",
    variants=policies("IPC", "IPS"),
    loads=JUDGED,
    metrics=[READ],
    baseline="IPC",
    chart=charts.bars,
    claims=[
        ordering(
            f"Mean read latency is higher with {spelled('IPS')} than with {spelled('IPC')}, under F1 and F2",
            FIGURE_3_5,
            metric="read latency",
            of="IPS",
            than="IPC",
            relation="above",
            loads=NAMES,
        ),
        sized(
            f"What {spelled('IPS')} costs against {spelled('IPC')}, {MEAN}",
            FIGURE_3_5,
            metric="read latency",
            of="IPS",
            than="IPC",
            printed={"SLC": 0.0812, "MLC": 0.0318},
            loads=NAMES,
            combine=fmean,
            why=ADDED,
        ),
        sized(
            f"What {spelled('IPS')} costs against {spelled('IPC')} under F1, where the source has the most, is that of the source",
            FIGURE_3_5,
            metric="read latency",
            of="IPS",
            than="IPC",
            printed={"SLC": 0.1324, "MLC": 0.0674},
            loads=NAMES[:1],
            combine=max,
            why=ADDED,
        ),
        larger_for(
            f"Mean read latency with {spelled('IPS')} exceeds that with {spelled('IPC')} by a larger share on SLC than on MLC, under F1 and F2",
            FIGURE_3_5,
            metric="read latency",
            of="IPS",
            than="IPC",
            panels=("SLC", "MLC"),
            loads=NAMES,
            why=ADDED,
        ),
    ],
)

TAIL = GridFigure(
    heading="Tails",
    text="Percentiles of the read latency; the source gives none.",
    title="Percentiles of the read latency over those of FIFO",
    variants=policies("FIFO", "RPS", "PE0", "IPC", "IPS"),
    loads=JUDGED,
    metrics=[P95, P99, P999],
    baseline="FIFO",
    chart=charts.bars,
    claims=[
        own(
            ordering(
                f"The 99.9th percentile of the read latency is lower with {spelled('IPC')} than with {spelled('RPS')} alone, under F1 and F2",
                "ours: the source gives no percentiles",
                metric=P999.name,
                of="IPC",
                than="RPS",
                relation="below",
                loads=NAMES,
            )
        )
    ],
)
