"""Which blocks end a drive with refresh: wear, cells and rests of the weakest tenth."""

from __future__ import annotations

import polars as pl

from wordline.report.section import Figure, Row
from wordline.retention import RetentionModel
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict
from wordline_studies.mohan_refresh.common import DAY, YEAR, lines, months_of, of
from wordline_studies.mohan_refresh.lives import refreshing

MONTH = YEAR / 12
"""The requirement."""
RESTS = {"1 s": 1.0, "1 min": 60.0, "1 h": 3600.0, "1 d": DAY}
"""Rests of the curves, each before a program as before an erase."""
ALIKE = 0.05
"""Wear that differs by less counts as the same."""
LEAST_REST = 1.0
"""Rests are at least so long in the model, in seconds."""


def two_short_rests(wear: float) -> float:
    """Days for which a block keeps data that was erased and programmed without pauses."""
    return float(RetentionModel("mlc").retention(wear, LEAST_REST)) / DAY


def curves() -> list[Row]:
    """Retention against wear, by the rests of the last cycle."""
    model = RetentionModel("mlc")
    return [
        {
            "wear": wear,
            "days": max(float(model.retention(wear, rest)) / DAY, 0.01),
            "both rests": name,
        }
        for name, rest in RESTS.items()
        for wear in range(14_000, 25_001, 250)
    ]


def endings(quick: bool) -> Part:
    """The blocks that end drives at a requirement of a month."""
    rows: list[Row] = []
    cases: list[bool | None] = []
    told = []
    for load in of(quick):
        found = refreshing(load, "remaining", MONTH, quick=quick)
        if months_of(found) is None:
            continue
        short = pl.col("left_s") < MONTH
        parts = {"short": found.blocks.filter(short), "others": found.blocks.filter(~short)}
        for words, blocks in parts.items():
            if blocks.height:
                rows.append(
                    {
                        "load": load,
                        "blocks": words,
                        "number": blocks.height,
                        "wear (equivalent events)": blocks["equivalent_events"].mean(),
                        "rest before a program (s), median": blocks["rest_erased_s"].median(),
                        "rest before an erase (s), median": blocks["rest_data_s"].median(),
                        "retention (days), median": (blocks["retention_s"] / DAY).median(),
                        "erases": blocks["erase_count"].mean(),
                    }
                )
        wear = [
            float(str(blocks["equivalent_events"].mean())) if blocks.height else 0.0
            for blocks in parts.values()
        ]
        cases.append(abs(wear[0] / wear[1] - 1) < ALIKE if wear[1] else None)
        told.append(
            f"{load}: {parts['short'].height} blocks, {wear[0]:,.0f} against {wear[1]:,.0f}"
        )
    return Part(
        "What ends a drive with refresh at a requirement of a month",
        "The blocks of each drive when it ends, those of which less than a month is left and the others. How long a block keeps data depends on its cells, on its wear, and on its last rests (before its program, and before its erase), of whose last cycles the "
        "geometric mean counts. A burst of the load erases and programs some blocks within seconds; others, worn as much, rest for hours. The curves are of mean cells.",
        Figure(
            "Retention by wear and by the last two rests",
            lines(
                curves(),
                ("wear", "wear (equivalent events)"),
                ("days", "retention (days)"),
                "both rests",
                log=True,
            ),
            rows,
        ),
        [
            Claim(
                "The blocks that end a drive are worn as much as the others, within 5 %",
                "beyond the source",
                "equivalent events: " + ("; ".join(told) or "no drive ended"),
                Verdict.of_cases(cases),
                "a block that cannot keep data as long as required is emptied at the next look and written again soon: it wears faster than the others from then on",
            )
        ],
        open_table=True,
    )
