"""How large requests are."""

from __future__ import annotations

from wordline.formatting import binary_size, percentage
from wordline.report.section import Figure, Row, Section
from wordline.report.trace.bars import KINDS, bars
from wordline.traces import Tree


def section(stats: Tree) -> Section:
    """Sizes of reads and of writes."""
    histograms = {kind: stats[f"{kind}_size_histogram"] for kind in KINDS}
    if not any(histograms.values()):
        return Section("Sizes", absent="The trace holds no reads and no writes.")
    chart, _ = bars(histograms, binary_size, "size from", "requests")
    rows: list[Row] = [
        {
            "class": kind,
            "size": binary_size(row["bytes"]),
            "requests": row["count"],
            "share": row["count"] / stats[f"{kind}s"],
        }
        for kind in KINDS
        for row in stats[f"{kind}_sizes"]
    ]
    commonest = (
        f"the commonest {kind} has {binary_size(stats[f'{kind}_sizes'][0]['bytes'])} "
        f"({percentage(stats[f'{kind}_sizes'][0]['count'] / stats[f'{kind}s'])})"
        for kind in KINDS
        if stats[f"{kind}_sizes"]
    )
    text = ", ".join(commonest)
    remark = (
        "A bar counts the sizes from its label to below twice that. "
        f"{stats['aligned_percent']:.1f} % of the requests start and end at multiples of 4 KiB. "
        "The table lists the commonest sizes."
    )
    return Section("Sizes", [Figure(text[0].upper() + text[1:], chart, rows, remark)])
