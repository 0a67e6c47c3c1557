"""V1: the share of the firmware."""

from __future__ import annotations

from collections.abc import Sequence

from wordline.studies import charts
from wordline.studies.claims import Case, decided, finding
from wordline.studies.grid import GridFigure, Judge, Load, Metric
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim
from wordline_studies.hu2011 import causes
from wordline_studies.hu2011.drives import dynamic, variant
from wordline_studies.hu2011.loads import PROFILES, names, surrogate

READS = Metric("share of reads", "firmware.share.read", "of the response time", relative=False)
WRITES = Metric("share of writes", "firmware.share.write", "of the response time", relative=False)

LONE = "lone reads"
"""A load of reads of a page that never meet."""
LITTLE = 0.01
"""Share of a response below which the firmware is negligible."""


def judged(text: str, loads: Sequence[str], *, compare: bool, why: str = "") -> Judge:
    """The claim that the share of reads is not negligible, or larger than that of writes."""

    def holds(read: float, write: float) -> bool:
        return read > write if compare else min(read, write) >= LITTLE

    def judge(measured: Measured) -> Claim:
        cases = []
        for load in measured.loads:
            if load not in loads:
                continue
            read = measured.value(READS.name, "", "prototype", load)
            write = measured.value(WRITES.name, "", "prototype", load)
            if not (read and write):
                cases.append(Case(load, None))
                continue
            shown = f"{100 * read.mean:.1f} % and {100 * write.mean:.1f} %"
            certain = decided(holds, read, write)
            cases.append(Case(load, holds(read.mean, write.mean), shown, certain))
        ours = "; ".join(f"{case.name} {case.shown}" for case in cases if case.holds is not None)
        return finding(
            text, "section 3.1", f"share of firmware, reads and writes: {ours}", cases, why=why
        )

    return judge


FIGURE = GridFigure(
    heading="Share of the software",
    text=(
        "Like the source's prototype: 8 chips on 2 channels, one core at 100 MHz with one instruction per cycle. The instructions of each step are assumed and multiplied by one number, so that software is 18.9 % of a lone read of a page, as printed "
        "(`firmware.*`); so it is in all figures. Dynamic allocation, basic commands, not aged."
    ),
    title="Share of the mean response that firmware takes",
    variants=[variant("prototype", dynamic("CWDP"), channels=2)],
    loads=[
        *(surrogate(trace) for trace in PROFILES),
        Load(
            LONE,
            {
                "kind": "random",
                "read_fraction": 1.0,
                "request_size": "2 KiB",
                "align": "2 KiB",
                "interarrival": "10 ms",
                "requests": 1_000,
            },
        ),
    ],
    metrics=[READS, WRITES],
    chart=charts.bars,
    claims=[
        judged(
            "Firmware takes at least 1 % of the mean response time of reads and of writes, under Web, Dev, Fin2, MSN, Ex, Fin1 and Rad",
            names(*PROFILES),
            compare=False,
            why=causes.QUEUES_IN_BURSTS,
        ),
        judged(
            "Firmware takes a larger share of the mean response time of reads than of writes, under Fin1 and Fin2",
            names("Fin1", "Fin2"),
            compare=True,
        ),
    ],
)
