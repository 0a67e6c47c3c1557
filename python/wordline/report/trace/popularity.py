"""How unevenly pages are used."""

from __future__ import annotations

import altair as alt

from wordline.formatting import display
from wordline.report.section import Figure, Row, Section
from wordline.report.theme import WIDTH, class_colour, data, specification
from wordline.report.trace.bars import KINDS
from wordline.traces import Tree

COLUMNS = {
    "hottest page": "hottest_percent",
    "top 1 %": "top_1_percent",
    "top 10 %": "top_10_percent",
    "top 20 %": "top_20_percent",
    "used once": "once_percent",
}


def section(stats: Tree) -> Section:
    """The share of the accesses over the share of the pages."""
    present = {
        kind: stats[f"{kind}_popularity"]
        for kind in KINDS
        if stats[f"{kind}_popularity"] is not None
    }
    if not present:
        return Section("Popularity", absent="No page is read or written.")
    points = [
        {
            "class": kind,
            "pages": point["pages_percent"] / 100,
            "accesses": point["accesses_percent"] / 100,
        }
        for kind, figures in present.items()
        for point in figures["curve"]
    ]
    chart = (
        alt.Chart(data(points))
        .mark_line(strokeWidth=2)
        .encode(
            x=alt.X(
                "pages:Q",
                title="share of the pages, the most used first (log scale)",
                scale=alt.Scale(type="log"),
                axis=alt.Axis(format="~%", tickCount=6),
            ),
            y=alt.Y("accesses:Q", title="share of the accesses", axis=alt.Axis(format="%")),
            color=class_colour(present),
            tooltip=[
                "class:N",
                alt.Tooltip("pages:Q", format=".3~%"),
                alt.Tooltip("accesses:Q", format=".2%"),
            ],
        )
        .properties(width=WIDTH, height=240)
    )
    rows: list[Row] = [
        {
            "class": kind,
            **{f"{name} (%)": figures[key] for name, key in COLUMNS.items()},
            "Zipf exponent": figures["zipf_exponent"],
        }
        for kind, figures in present.items()
    ]
    text = ", ".join(
        f"a tenth of the pages takes {figures['top_10_percent']:.0f} % of the page {kind}s"
        for kind, figures in present.items()
    )
    exponents = " and ".join(
        f"{display(figures['zipf_exponent'])} ({kind}s)"
        for kind, figures in present.items()
        if figures["zipf_exponent"] is not None
    )
    remark = f"Fitted Zipf exponent: {exponents}." if exponents else ""
    return Section(
        "Popularity", [Figure(text[0].upper() + text[1:], specification(chart), rows, remark)]
    )
