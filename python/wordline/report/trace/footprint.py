"""Which part of the drive a trace touches, and how that grows."""

from __future__ import annotations

import altair as alt

from wordline.formatting import binary_size, display, percentage
from wordline.report.section import Figure, Section
from wordline.report.theme import WIDTH, class_colour, counts, data, specification
from wordline.report.trace.bars import KINDS
from wordline.traces import Tree

PAGES_PER_MIB = 256
BUSIEST = 6
"""Parts of the address space that the title of its figure sums up."""


def section(stats: Tree) -> Section:
    """Footprint and addresses."""
    return Section("Footprint", [growth(stats), addresses(stats)])


def growth(stats: Tree) -> Figure:
    """The footprint over the requests."""
    points = [
        {
            "class": kind,
            "requests": point["requests"],
            "time (s)": point["time_s"],
            "footprint (MiB)": point[key] / PAGES_PER_MIB,
        }
        for point in stats["growth"]
        for kind, key in (("read", "pages_read"), ("write", "pages_written"))
    ]
    chart = (
        alt.Chart(data(points))
        .mark_line(strokeWidth=2)
        .encode(
            x=alt.X("requests:Q", axis=counts()),
            y=alt.Y("footprint (MiB):Q"),
            color=class_colour(KINDS),
            tooltip=["class:N", "requests:Q", "time (s):Q", "footprint (MiB):Q"],
        )
        .properties(width=WIDTH, height=220)
    )
    shares = [stats[f"pages_{name}"] / PAGES_PER_MIB for name in ("read", "written", "touched")]
    title = (
        f"The trace reads {display(shares[0])} MiB and writes {display(shares[1])} MiB of different "
        f"4-KiB pages, {display(shares[2])} MiB together"
    )
    share = stats["pages_sampled_share"]
    remark = (
        "A line that goes flat has found its working set."
        if share == 1
        else f"Estimated from a sample: {percentage(share, '.3f')} of the pages."
    )
    return Figure(title, specification(chart), points, remark)


def addresses(stats: Tree) -> Figure:
    """Where on the drive requests start."""
    rows = [
        {
            "class": kind,
            "from": binary_size(part["from_byte"]),
            "byte": part["from_byte"],
            "requests": count,
        }
        for part in stats["addresses"]
        for kind, count in (("read", part["reads"]), ("write", part["writes"]))
    ]
    gib = 1 << 30
    points = [{**row, "address (GiB)": row["byte"] / gib} for row in rows]
    chart = (
        alt.Chart(data(points))
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(
            x=alt.X("address (GiB):Q"),
            y=alt.Y("requests:Q", axis=counts()),
            color=class_colour(KINDS),
            tooltip=["class:N", "address (GiB):Q", "requests:Q"],
        )
        .properties(width=WIDTH, height=220)
    )
    totals = sorted((part["reads"] + part["writes"] for part in stats["addresses"]), reverse=True)
    part = sum(totals[:BUSIEST]) / max(sum(totals), 1)
    title = f"The busiest {BUSIEST} of {len(totals)} equal parts of the address space take {percentage(part)} of the requests"
    remark = (
        f"The {stats['devices']:,} devices lie side by side in {display(stats['laid_out_bytes'] / gib)} "
        f"GiB, divided into {len(totals)} equal parts."
    )
    return Figure(title, specification(chart), rows, remark)
