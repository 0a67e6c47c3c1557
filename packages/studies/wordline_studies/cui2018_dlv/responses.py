"""V3 to V6: response times of the eight schemes, and how many requests they reorder."""

from __future__ import annotations

from collections.abc import Mapping

from wordline.studies import charts
from wordline.studies.grid import GridFigure, Judge
from wordline.studies.verdict import BEYOND
from wordline_studies.cui2018_dlv.causes import AGAIN, AT_THE_HOST, LEVELS, OPENING, PLENTY
from wordline_studies.cui2018_dlv.drives import (
    AMPLIFICATION,
    ATTEMPTS,
    EXPIRED_READS,
    EXPIRED_WRITES,
    MAIN,
    MEDIAN_READ,
    MEDIAN_WRITE,
    P95,
    P99,
    READ,
    REORDERED_READS,
    REORDERED_WRITES,
    RESPONSE,
    STRONG,
    WRITE,
    schemes,
)
from wordline_studies.cui2018_dlv.judges import follows, sized
from wordline_studies.cui2018_dlv.loads import (
    BALANCED,
    COMPRESSION,
    FOUR,
    READING,
    SHORT,
    SLOWER,
    VOLUMES,
    WRITING,
    Volume,
    busy,
    recorded,
)

CLOSE = 0.05


def lower(
    metric: str,
    of: str,
    than: str,
    where: str,
    *,
    relation: str = "below",
    margin: float = 0.0,
    why: str = "",
) -> Judge:
    """A scheme against another one, under every load."""
    words = {
        "response": "Mean response",
        "write response": "Mean response of writes",
        "read response": "Mean response of reads",
        "read response, median": "Median response of reads",
        "write response, median": "Median response of writes",
    }[metric]
    how = {"below": "is lower", "not above": "is not higher", "equal to": "is the same"}[relation]
    other = "in the baseline" if than == "baseline" else f"with {than}"
    within = f", within {100 * margin:.0f} %" if margin else ""
    return sized(
        f"{words} {how} with {of} than {other}{within}, under every load",
        where,
        metric=metric,
        of=of,
        than=than,
        relation=relation,
        margin=margin,
        why=why,
    )


RESPONSES = GridFigure(
    heading="Response times",
    text=f"Reads and writes together, on full drives, with requests {COMPRESSION:g} times as fast as recorded; the traces that overload the drive at that speed are slower: {', '.join(f'{name} ×{speed:.3g}' for name, speed in SLOWER.items())}.",
    title="Response over that of the baseline",
    variants=schemes(MAIN),
    loads=busy(VOLUMES),
    metrics=[RESPONSE, P95, P99, AMPLIFICATION],
    baseline="baseline",
    chart=charts.bars,
    claims=[
        lower("response", "DLV", "baseline", "V3, figure 11"),
        lower("response", "WOO", "baseline", "V3, figure 11", why=OPENING),
        lower("response", "ROO", "baseline", "V3, figure 11"),
        lower("response", "DLV", "WOO", "V3, figure 11"),
        lower("response", "DLV", "ROO", "V3, figure 11", why=OPENING),
    ],
)

RECORDED = GridFigure(
    heading="At the recorded rates",
    text="The same with requests as fast as they were recorded, as bursty: planes are busy for a thousandth of the time or less, and few requests meet another one.",
    title="Response over that of the baseline, at recorded rates",
    variants=schemes(MAIN),
    loads=recorded(FOUR, SHORT),
    metrics=[RESPONSE, REORDERED_READS, REORDERED_WRITES],
    baseline="baseline",
    chart=charts.bars,
    claims=[
        sized(
            "Mean response at recorded rates is lower with DLV than in the baseline, under every load",
            BEYOND,
            metric="response",
            of="DLV",
            than="baseline",
            relation="below",
        ),
    ],
    seeds=(1,),
    whole_only=True,
)

WRITE_LOADS: Mapping[str, Volume] = {**WRITING, **BALANCED}
READ_LOADS: Mapping[str, Volume] = {**READING, **BALANCED}

WRITES = GridFigure(
    heading="Writes",
    text=(
        "HWS against its rivals under the write-intensive and the balanced traces: PV+reorder gives strong pages to all writes in the order of their ends, PV+Allocation to small writes as they come. A write is reordered if it is let in before one that came earlier "
        "and could have gone."
    ),
    title="Response of writes over that of the baseline",
    variants=schemes(["baseline", "WOO", "PV+reorder", "PV+Allocation"]),
    loads=busy(WRITE_LOADS),
    metrics=[WRITE, MEDIAN_WRITE, REORDERED_WRITES, STRONG, EXPIRED_WRITES],
    baseline="baseline",
    chart=charts.bars,
    claims=[
        lower("write response", "WOO", "baseline", "V5, figure 13"),
        lower("write response", "PV+reorder", "baseline", "V5, figure 13"),
        lower("write response", "PV+Allocation", "baseline", "V5, figure 13"),
        lower("write response", "WOO", "PV+Allocation", "V5, figure 13", why=PLENTY),
        lower("write response", "PV+reorder", "PV+Allocation", "V5, figure 13", why=PLENTY),
        lower(
            "write response",
            "WOO",
            "PV+reorder",
            "V5, figure 13",
            relation="not above",
            margin=CLOSE,
            why=PLENTY,
        ),
        follows(
            "The more writes are reordered with WOO, the more it gains over the baseline in mean response of writes, by rank, under every load",
            "V5, figure 14a",
            metric=WRITE.name,
            of="WOO",
            than="baseline",
            share=REORDERED_WRITES.name,
        ),
    ],
    whole_only=True,
)

READS = GridFigure(
    heading="Reads",
    text=(
        "RRS against its rivals under the read-intensive and the balanced traces: LV-LDPC starts reads at the level that the age of the block has taught, LaLDPC at the level at which the page was read last; both let requests go as they come."
    ),
    title="Response of reads over that of the baseline",
    variants=schemes(["baseline", "ROO", "LV-LDPC", "LaLDPC"]),
    loads=busy(READ_LOADS),
    metrics=[READ, MEDIAN_READ, REORDERED_READS, ATTEMPTS, EXPIRED_READS],
    baseline="baseline",
    chart=charts.bars,
    claims=[
        lower("read response", "ROO", "baseline", "V6, figure 15"),
        lower("read response, median", "ROO", "baseline", BEYOND),
        lower("read response", "LV-LDPC", "baseline", "V6, figure 15"),
        lower("read response", "LaLDPC", "baseline", "V6, figure 15"),
        lower("read response", "ROO", "LV-LDPC", "V6, figure 15", why=AT_THE_HOST),
        lower("read response", "LV-LDPC", "LaLDPC", "V6, figure 15", why=AGAIN),
        follows(
            "The more reads are reordered with ROO, the more it gains over the baseline in mean response of reads, by rank, under every load",
            "V6, figure 14b",
            metric=READ.name,
            of="ROO",
            than="baseline",
            share=REORDERED_READS.name,
            why=LEVELS,
        ),
    ],
    whole_only=True,
)
