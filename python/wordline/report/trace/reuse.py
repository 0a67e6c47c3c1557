"""How soon pages are touched again."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt

from wordline.formatting import binary_size, display, percentage
from wordline.report.section import Figure, Row, Section
from wordline.report.theme import WIDTH, class_colour, data, specification
from wordline.report.trace.bars import KINDS, bars
from wordline.traces import Tree

PAGE = 4096


def section(stats: Tree) -> Section:
    """LRU stack distances, and the cache that would use them."""
    reuse = {kind: stats[f"{kind}_reuse"] for kind in KINDS}
    present = {kind: figures for kind, figures in reuse.items() if figures["histogram"]}
    if not present:
        return Section("Reuse", absent="No page is touched twice.")
    return Section("Reuse", [distances(present), cache(reuse)])


def distances(present: Mapping[str, Tree]) -> Figure:
    """The distribution of the distances."""
    chart, rows = bars(
        {kind: figures["histogram"] for kind, figures in present.items()},
        lambda start: binary_size(start * PAGE),
        "distance from",
        "page accesses",
    )
    text = ", ".join(
        f"half of the {kind}s of known pages come within "
        f"{display(figures['median_pages'] * PAGE / (1 << 20))} MiB of other pages"
        for kind, figures in present.items()
    )
    remark = (
        "Different pages touched between two touches of a page (LRU stack distance); first touches "
        "are left out."
    )
    return Figure(text[0].upper() + text[1:], chart, rows, remark)


def cache(reuse: Mapping[str, Tree]) -> Figure:
    """The hit ratio of an LRU cache over its size."""
    rows: list[Row] = []
    for kind, figures in reuse.items():
        total = figures["first_touches"] + sum(bucket["count"] for bucket in figures["histogram"])
        hits = 0
        for bucket in figures["histogram"]:
            hits += bucket["count"]
            # a bucket holds distances below twice its bound; a cache of that many pages serves all
            pages = max(2 * bucket["from"], 1)
            rows.append(
                {"class": kind, "cache (MiB)": pages * PAGE / (1 << 20), "hits": hits / total}
            )
    chart = (
        alt.Chart(data(rows))
        .mark_line(point=True, strokeWidth=2)
        .encode(
            x=alt.X("cache (MiB):Q", scale=alt.Scale(type="log"), axis=alt.Axis(format="~g")),
            y=alt.Y("hits:Q", title="share of page accesses served", axis=alt.Axis(format="%")),
            color=class_colour(dict.fromkeys(str(row["class"]) for row in rows)),
            tooltip=["class:N", "cache (MiB):Q", alt.Tooltip("hits:Q", format=".2%")],
        )
        .properties(width=WIDTH, height=240)
    )
    best = max(rows, key=lambda row: float(str(row["hits"])))
    title = (
        f"An LRU cache of {display(best['cache (MiB)'])} MiB would serve "
        f"{percentage(float(str(best['hits'])))} of the page {best['class']}s"
    )
    remark = "What no cache serves are first touches. Reads and writes share the cache."
    return Figure(title, specification(chart), rows, remark)
