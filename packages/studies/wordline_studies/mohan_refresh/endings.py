"""Why the gain of EDF is negative at weak requirements: which blocks end a drive that refreshes."""

from __future__ import annotations

import math
from itertools import groupby
from operator import itemgetter

from wordline.report.section import Figure, Row
from wordline.retention import RetentionModel
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict
from wordline_studies.mohan_refresh.common import DAY, YEAR, lines, of, study
from wordline_studies.mohan_refresh.lives import refreshing, with_refresh

SHOWN = 10
"""Blocks that are shown of each drive."""
MONTH = YEAR / 12
"""The requirement."""
RESTS = {"1 s": 1.0, "1 min": 60.0, "1 h": 3600.0, "1 d": DAY}
"""Rests of the curves, each before a program as before an erase."""
LEAST_REST = 1.0
"""Rests are at least so long in the model, in seconds."""


def shortest(load: str, *, quick: bool) -> list[Row]:
    """The blocks that keep data for the shortest time in the last whole month before a drive with EDF ends, the shortest first."""
    life = with_refresh(refreshing(load, "edf", MONTH, quick=quick))
    if life is None or life < 2:
        return []
    months = math.ceil(life) - 1
    found = study(load, "edf", MONTH, quick=quick, months=months)
    tenth = float(found.snapshots["retention_p10_s"][-1])
    blocks = found.blocks.sort("retention_s").head(SHOWN)
    return [
        {
            "load": load,
            "month": months,
            "block": block["block"],
            "wear (equivalent events)": block["equivalent_events"],
            "rest before its program (s)": block["rest_erased_s"],
            "rest before its erase (s)": block["rest_data_s"],
            "retention (days)": block["retention_s"] / DAY,
            "R10 (days)": tenth / DAY,
            "after two rests of 1 s (days)": two_short_rests(block["equivalent_events"]),
        }
        for block in blocks.to_dicts()
    ]


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
    """The blocks that end drives with EDF at a requirement of a month."""
    rows = [row for load in of(quick) for row in shortest(load, quick=quick)]
    told, cases = [], []
    for load, group in groupby(rows, key=itemgetter("load")):
        first = next(group)
        least, tenth = float(first["retention (days)"]), float(first["R10 (days)"])  # type: ignore[arg-type]  # numbers by construction
        short = float(first["after two rests of 1 s (days)"])  # type: ignore[arg-type]  # a number by construction
        told.append(
            f"{load}: {least:.0f} days where the tenth percentile is {tenth:.0f}; {short:.1f} after two rests of 1 s"
        )
        cases.append(least < tenth / 2)
    return Part(
        "What ends a drive with refresh at a requirement of a month",
        "The ten blocks of each drive that keep data for the shortest time, at the last whole month before its end with EDF. How long a block keeps data depends on its wear and on its last two rests (before its program, and before its erase), "
        "of which the geometric mean counts (our reading). A burst of the load erases and programs some blocks within a second; the others, worn as much, rest for hours. At a wear of 21,200 equivalent events a block keeps data for "
        "1.2 days after two rests of 1 s, for 63 after two of a minute and for 129 after two of an hour. Nothing is refreshed in these drives: their data are overwritten within days. The first block that is erased with a retention below two days is to be retired, which the pools of the small "
        "drive cannot bear, and that ends it, while the tenth percentile, by which a drive without refresh is judged, is still above a month: the two lives have different ends, and what lies between them is chance in the lengths of rests. Without retirement "
        '(`ftl.refresh.retire_below = "0 s"`) MSNFS ends about a month later, when data are lost in such a block, which no refresh every 100 s can save.',
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
                "The first block whose data do not last keeps them for less than half as long as the tenth percentile says, with rests of seconds",
                "R4 (traced)",
                "; ".join(told) or "no drive ended",
                Verdict.of_cases(cases),
            )
        ],
        open_table=True,
    )
