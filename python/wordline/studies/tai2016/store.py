"""Kang et al. 2014: a log-structured store on a drive with streams."""

from __future__ import annotations

from collections.abc import Mapping

from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure, Judge, Load, Variant
from wordline.studies.tai2016.drives import (
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


FIGURE = GridFigure(
    heading="A log-structured store",
    text=(
        "The store of the ladder on the drive with streams, with what it says of its data as in the source: nothing, one stream for all of it, one for the commit log, one for each kind of file. In the source system data, log, flushed tables and the tiers of merges take 1.0, 48.6, 31.3, 4.4 and 14.7 % of the writes "
        "(read with care: its table is partly illegible). Here the shares follow from the sizes of tables: 1, 16, 15, 16 and 52 %. "
        "The store hardly amplifies, and so the figure of the source is not reproduced. Collection finds blocks that are empty or nearly so: 0.2 % of the pages of its victims are current, 2 % without TRIM. Files are written in one go and die as a whole, and merges of the last tier write all data anew in turn. "
        "With TRIM 49 % of the pages of flash hold data, as if there were 104 % of over-provisioning; more data do not fit, as a merge of the last tier needs their room twice. "
        "Shares of data from 0.05 to 0.4 with two to five tiers amplify by 1.000 to 1.063 (runs of their own)."
    ),
    title="Write amplification of the store by placement",
    variants=[
        Variant(name, PRESET, {**layered(DESIGNS["streams"]), **keys})
        for name, keys in PLACEMENTS.items()
    ],
    loads=[Load("store", {**STORE_KEYS, "requests": 2 * REQUESTS}, {"requests": 2 * QUICK})],
    metrics=[AMPLIFICATION, THROUGHPUT],
    chart=charts.bars,
    claims=[
        below("normal", "normal, no TRIM", "TRIM lowers the write amplification of the store"),
        below("single", "normal", "One stream for the store is better than none"),
        below(
            "multi-log", "single", "A stream for the log is better than one for all of the store"
        ),
        below(
            "multi-data",
            "multi-log",
            "A stream for each kind of file is better than one for the log",
        ),
    ],
)
