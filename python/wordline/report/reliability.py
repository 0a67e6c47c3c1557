"""How reliable what was read was: bit error rates, sensing levels, attempts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from wordline.formatting import display
from wordline.report.section import Figure, Row, Section
from wordline.report.theme import WIDTH, counts, data, specification

if TYPE_CHECKING:
    from wordline.results import Result

RATES = "cell.rber.from."
READS = ".reads"


def section(result: Result) -> Section | None:
    """Rates, levels and attempts; nothing where no code is modelled."""
    if "ecc.attempts.mean" not in result.summary:
        return None
    figures = [figure for figure in (rates(result), attempts(result)) if figure]
    return Section("Reliability", figures, absent="No page was read.")


def family(result: Result, prefix: str) -> dict[str, int]:
    """Reads by what stands between `prefix` and `.reads`."""
    return {
        key.removeprefix(prefix).removesuffix(READS): value
        for key, value in result.summary.items()
        if key.startswith(prefix) and key.endswith(READS) and isinstance(value, int)
    }


def rates(result: Result) -> Figure | None:
    """Reads by raw bit error rate."""
    found = {float(rate): reads for rate, reads in family(result, RATES).items()}
    total = sum(found.values())
    if not total:
        return None
    rows: list[Row] = [
        {"from": f"{rate:.1e}", "reads": reads, "share": reads / total}
        for rate, reads in sorted(found.items())
    ]
    chart = (
        alt.Chart(data(rows))
        .mark_bar(color="#0072b2")
        .encode(
            x=alt.X("from:N", title="raw bit error rate, from", sort=None),
            y=alt.Y("reads:Q", title="page reads", axis=counts()),
            tooltip=[
                "from:N",
                alt.Tooltip("reads:Q", format=","),
                alt.Tooltip("share:Q", format=".2%"),
            ],
        )
        .properties(width=WIDTH - 60, height=200)
    )
    mean, most = (result.summary[f"cell.rber.{which}"] for which in ("mean", "max"))
    title = f"Pages were read at a raw bit error rate of {display(mean)} on average, {display(most)} at most"
    return Figure(title, specification(chart), rows, "Four bins for each power of ten.")


def attempts(result: Result) -> Figure | None:
    """Reads by the level at which they succeeded, and by attempts."""
    tables = {
        "level of success": family(result, "ecc.level."),
        "attempts": family(result, "ecc.attempts."),
    }
    total = sum(tables["attempts"].values())
    if not total:
        return None
    rows: list[Row] = [
        {"by": by, "number": int(number), "reads": reads, "share": reads / total}
        for by, family_ in tables.items()
        for number, reads in family_.items()
    ]
    chart = (
        alt.Chart(data(rows))
        .mark_bar(color="#009e73")
        .encode(
            x=alt.X("number:O", title=None),
            y=alt.Y("reads:Q", title="page reads", axis=counts()),
            column=alt.Column("by:N", title=None, sort=None),
            tooltip=[
                "number:O",
                alt.Tooltip("reads:Q", format=","),
                alt.Tooltip("share:Q", format=".2%"),
            ],
        )
        .properties(width=WIDTH // 2 - 80, height=200)
    )
    failed = result.summary["ecc.uncorrectable_reads"]
    mean = display(result.summary["ecc.attempts.mean"])
    title = f"A page read took {mean} attempts on average; {display(failed)} could not be corrected"
    remark = "Level: reference voltages per boundary of states. Each attempt is a flash command."
    return Figure(title, specification(chart), rows, remark)
