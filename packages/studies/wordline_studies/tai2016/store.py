"""Kang et al. 2014: a log-structured store on a drive with streams."""

from __future__ import annotations

from collections.abc import Mapping

from wordline.studies import charts
from wordline.studies.claims import compared, finding, judged_ratios, ordering, typical
from wordline.studies.grid import GridFigure, Judge, Load, Variant
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim
from wordline_studies.tai2016.drives import (
    AMPLIFICATION,
    DESIGNS,
    PRESET,
    QUICK,
    REQUESTS,
    STORE_KEYS,
    THROUGHPUT,
    Keys,
    layered,
)

PLACEMENTS: Mapping[str, Keys] = {
    "normal, no TRIM": {"workload.store.placement": "normal", "workload.store.trim": False},
    "normal": {"workload.store.placement": "normal"},
    "single": {"workload.store.placement": "single"},
    "multi-log": {"workload.store.placement": "multi_log"},
    "multi-data": {"workload.store.placement": "multi_data"},
}
"""What the store says, and whether it deallocates files."""


def below(of: str, than: str, text: str, why: str = "") -> Judge:
    """The claim that the store amplifies less with one placement than with another."""
    return ordering(
        text,
        "Kang et al. 2014, figure of Cassandra",
        metric=AMPLIFICATION.name,
        of=of,
        than=than,
        relation="below",
        why=why,
    )


SPACIOUS, TIGHT, WIDE = "28 % of spare space", "7 %", "7 %, superblocks of four blocks"
"""Panels of the figure."""
SPARE = 0.07
"""Spare space of a tight drive, of the user space: the least that drives have, 1 GiB of flash being sold as 1 GB (assumed)."""
FASTER, QUARTER = 0.56, 0.25
"""What the source says the store gains in throughput, and how far ours may miss it: the band of the other studies, set before the runs."""


def faster(text: str, where: str) -> Judge:
    """The claim that streams make the store as much faster as the source says."""

    def in_band(ratio: float) -> bool:
        return abs(ratio - 1 - FASTER) <= QUARTER * FASTER

    def judge(measured: Measured) -> Claim:
        at = [(panel, panel, "store") for panel in (TIGHT, WIDE)]
        pair = ("multi-data", "normal")
        ratios, cases = judged_ratios(measured, THROUGHPUT.name, pair, in_band, at)
        what = compared(THROUGHPUT.name, *pair)
        shown = "; ".join(f"{name} {ratio:.3f} for {1 + FASTER}" for name, ratio in ratios.items())
        return finding(text, where, f"{what}: {shown}", cases, number=typical(what, ratios))

    return judge


STREAMS = DESIGNS["streams"]
DRIVES: Mapping[str, Keys] = {
    SPACIOUS: STREAMS,
    TIGHT: {**STREAMS, "ftl.over_provisioning": SPARE},
    WIDE: {
        "ftl.mapping": "striped",
        "ftl.span": "C",
        "ftl.placement.directive": STREAMS["ftl.placement.directive"],
        "ftl.over_provisioning": SPARE,
    },
}
"""Drives with streams, a panel each."""

FIGURE = GridFigure(
    heading="A log-structured store",
    text=(
        "The store of the ladder on drives with streams, with what it says of its data as in the source: nothing, one stream for all of it, one for the commit log, one for each kind of file. In the source system data, log, flushed tables and the tiers of merges take 1.0, 48.6, 31.3, 4.4 and 14.7 % of the writes "
        "(read with care: its table is partly illegible). Here the shares follow from the sizes of tables: 1, 16, 15, 16 and 52 %. "
        "With 28 % of spare space the store hardly amplifies. Collection finds blocks that are empty or nearly so: 0.2 % of the pages of its victims are current, 2 % without TRIM. Files are written in one go and die as a whole, and merges of the last tier write all data anew in turn. "
        "With TRIM 49 % of the pages of flash hold data, as if there were 104 % of over-provisioning; more data do not fit, as a merge of the last tier needs their room twice. "
        "Shares of data from 0.05 to 0.4 with two to five tiers amplify by 1.000 to 1.063 (runs of their own). "
        "With 7 % of spare space collection has to take blocks while a part of their files lives, and the ladder of the source is there: TRIM, a stream for the log and one for each kind of file help, and with the last nothing is moved."
    ),
    title="Write amplification of the store by placement",
    variants=[
        Variant(name, PRESET, {**layered(drive), **keys}, panel)
        for panel, drive in DRIVES.items()
        for name, keys in PLACEMENTS.items()
    ],
    loads=[Load("store", {**STORE_KEYS, "requests": 2 * REQUESTS}, {"requests": 2 * QUICK})],
    metrics=[AMPLIFICATION, THROUGHPUT],
    chart=charts.bars,
    claims=[
        below("normal", "normal, no TRIM", "TRIM lowers the write amplification of the store"),
        below(
            "single",
            "normal",
            "One stream for the store is better than none",
            why="Only the system data, 1 % of the writes, are kept apart by it, and the stream takes an open block of each die for the host and one for collection: 8 of the 67 spare blocks of a drive with 7 %. "
            "With 8 spare blocks more (`ftl.over_provisioning = 0.079`) a single stream amplified by 1.403, against 1.440 of none without them; on a drive of four times the blocks, with files of four times the size, both amplified alike, 1.386 and 1.387 "
            "(runs of their own, 400,000 requests, one seed)",
        ),
        below(
            "multi-log", "single", "A stream for the log is better than one for all of the store"
        ),
        below(
            "multi-data",
            "multi-log",
            "A stream for each kind of file is better than one for the log",
        ),
        faster(
            f"A stream for each kind of file has the store write nearly {100 * FASTER:.0f} % more in a second than none, within a quarter of that, with 7 % of spare space",
            "Kang et al. 2014, in their words",
        ),
    ],
)
