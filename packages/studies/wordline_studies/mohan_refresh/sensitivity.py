"""What lives hang on: cold data, cells that differ, the rests that stand for a block, temperatures, and data that were old."""

from __future__ import annotations

from typing import Any

from wordline.report.section import Figure, Row
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict
from wordline_studies.mohan_refresh.common import (
    COLD,
    MONTH,
    REST_CYCLES,
    YEAR,
    bars,
    crossed,
    horizon,
    months_of,
    study,
)

LOAD = "SSD-EXCH"
VALUE = YEAR / 4
"""The requirement."""


def cases(quick: bool) -> dict[str, dict[str, Any]]:
    """What is varied, and how."""
    warm = ((12 * MONTH, 30.0), (12 * MONTH, 45.0), (1_000 * MONTH, 30.0))
    found: dict[str, dict[str, Any]] = {
        "as elsewhere": {},
        "no cold data": {"cold": 0.0},
        "cold data twice as many": {"cold": 2 * COLD},
        "blocks alike": {"sigma": 0.0},
        "cells differ twice as much": {"sigma": 2.0},
        "the last rests alone": {"rest_cycles": 1},
        "no static wear levelling": {"wear": "off"},
        "at 45 degC in the second year": {"temperature": warm},
    }
    return {name: found[name] for name in ("as elsewhere", "blocks alike")} if quick else found


def sensitivity(quick: bool) -> Part:
    """Life of one load at three months, with and without refresh, as assumptions are varied."""
    rows: list[Row] = []
    gains: list[float] = []
    months = horizon(LOAD, quick=quick)
    for name, keys in cases(quick).items():
        plain = study(LOAD, "none", VALUE, quick=quick, months=months, **keys)
        served = study(LOAD, "remaining", VALUE, quick=quick, months=months, **keys)
        before, after = crossed(plain, VALUE), months_of(served)
        gain = None if before is None or after is None else after / before - 1
        rows.append(
            {
                "case": name,
                "without refresh (months)": before,
                "with refresh (months)": after,
                "gain": gain,
                "blocks refreshed": served.summary["refresh.blocks"],
            }
        )
        if gain is not None:
            gains.append(gain)
    chart: list[Row] = [
        {"case": row["case"], "months": row[key], "drive": words}
        for row in rows
        for key, words in (
            ("without refresh (months)", "without refresh"),
            ("with refresh (months)", "with refresh"),
        )
    ]
    return Part(
        "What lives hang on",
        f"{LOAD} with a required retention of three months, and one assumption varied in each row: how much of the drive is never written ({COLD:.0%} elsewhere), how much the cells of blocks differ (over the spreads that the specification suggests), "
        f"of how many cycles the rests stand for a block ({REST_CYCLES} elsewhere), wear levelling, and a year at 45 °C in which data use up their life faster.",
        Figure(
            "Life by assumption", bars(chart, ("case", ""), ("months", "months"), "drive"), rows
        ),
        [
            Claim(
                "Whatever is assumed, refresh changes life in the same direction",
                "beyond the source",
                "gain of life: " + ", ".join(f"{gain:.0%}" for gain in gains),
                Verdict.of_cases([bool(gains) and (max(gains) <= 0.02 or min(gains) >= -0.02)]),
                "a difference of 2 % is within the error of studies that skip time",
            )
        ],
        open_table=True,
    )
