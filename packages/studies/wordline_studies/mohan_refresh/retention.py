"""R1, R2, R3, R7: how retention falls without refresh."""

from __future__ import annotations

import polars as pl

from wordline.report.section import Figure, Row
from wordline.retention import RetentionModel
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict
from wordline_studies.mohan_refresh.common import (
    DAY,
    INTENSE,
    MONTH,
    REQUIREMENTS,
    SERVICE_MONTHS,
    YEAR,
    horizon,
    lasts,
    lines,
    months_of,
    of,
    shown,
    study,
)

SIZES = (
    "sizes of requests are published for servers like Exchange and MSNFS, and assumed for DAPPS and MSNCFS: with them DAPPS writes the drive 1.1 times a day and MSNCFS 2.2 times, though the source calls DAPPS the more write-intense. The verdicts on these two hang on that: "
    "life goes about as one over the size, so that DAPPS would end within five years with writes above about 11 KiB times its life over 60 months, and MSNCFS would not with smaller ones"
)


def below_a_year(quick: bool) -> Part:
    """Drive retention over a five-year service."""
    rows: list[Row] = []
    first: dict[str, float | None] = {}
    for name in of(quick):
        found = study(name, quick=quick)
        first[name] = lasts(name, YEAR, quick=quick)
        for time, tenth in found.snapshots.select("time_s", "retention_p10_s").rows():
            if time <= SERVICE_MONTHS * MONTH and tenth > 0:
                rows.append({"load": name, "month": time / MONTH, "R10": tenth / DAY})
    within = {name: life is not None and life < SERVICE_MONTHS for name, life in first.items()}
    cases = [within[name] for name in INTENSE if name in within]
    if "SSD-MSNCFS" in within:
        cases.append(not within["SSD-MSNCFS"])
    worn = []
    for name in of(quick):
        life = lasts(name, YEAR, quick=quick)
        full = lasts(name, 2 * DAY, quick=quick)
        if life is not None:
            worn.append(full is None or full > 1.05 * life)
    return Part(
        "Retention without refresh",
        "Tenth percentile of the retention of all blocks, of data written then, over five years of the accelerated loads.",
        Figure(
            "Drive retention over five years",
            lines(rows, ("month", "month"), ("R10", "R10 (days)"), "load", log=True),
            rows,
        ),
        [
            Claim(
                "Without refresh DAPPS, Exchange and MSNFS bring the retention of the drive below a year within five years of service, MSNCFS never",
                "R1",
                "; ".join(f"{name} {shown([life])} months" for name, life in first.items()),
                Verdict.of_cases(cases),
                SIZES,
            ),
            Claim(
                "When retention falls below a year, blocks still have endurance left: they keep data for days long afterwards",
                "R3",
                "life to a retention of 2 days over that to a year (ratio): "
                + shown(
                    [
                        (full or 0) / life
                        for name in of(quick)
                        if (life := lasts(name, YEAR, quick=quick))
                        and (full := lasts(name, 2 * DAY, quick=quick))
                    ],
                    2,
                ),
                Verdict.of_cases(worn),
            ),
        ],
    )


def recovery(quick: bool) -> Part:
    """What rests and wear levelling bring."""
    model = RetentionModel("mlc")
    rows: list[Row] = []
    rested, levelled = [], []
    for name in of(quick):
        found = study(name, quick=quick)
        life = lasts(name, YEAR, quick=quick)
        cycles = found.snapshots.filter(pl.col("retention_p10_s") >= YEAR)["erase_count_mean"].max()
        without = float(model.cycles_to_retention(YEAR, rest=0.0))
        plain = study(name, quick=quick, wear="off", months=horizon(name, quick=quick))
        other = months_of(plain)
        rows.append(
            {
                "load": name,
                "erases to a year, with rests": float(cycles or 0.0),  # type: ignore[arg-type]  # a number in a row of mixed types
                "erases to a year, without rests": without,
                "life with wear levelling (months)": life,
                "life without (months)": other,
            }
        )
        rested.append(float(cycles or 0.0) > without)  # type: ignore[arg-type]  # a number in a row of mixed types
        if life is not None:
            levelled.append(life < 2 * SERVICE_MONTHS if name in INTENSE else None)
    return Part(
        "Recovery and wear levelling",
        "Erases of a block until it keeps data for a year, with the rests that the load leaves it and without any, and the life of the drive with and without hot-cold swap and rate-limited wear-out.",
        Figure(
            "What recovery and wear levelling bring",
            lines(
                [
                    {"load": row["load"], "kind": kind, "erases": row[key], "at": place}
                    for place, row in enumerate(rows)
                    for kind, key in (
                        ("with rests", "erases to a year, with rests"),
                        ("without", "erases to a year, without rests"),
                    )
                ],
                ("at", "load (in the order of the table)"),
                ("erases", "erases"),
                "kind",
                log=True,
            ),
            rows,
        ),
        [
            Claim(
                "Recovery in idle intervals lengthens the life of blocks, and neither it nor wear levelling keeps retention above a year for ten years under DAPPS, Exchange and MSNFS",
                "R2",
                "; ".join(
                    f"{row['load']} {row['erases to a year, with rests']:,.0f} erases instead of {row['erases to a year, without rests']:,.0f}"
                    for row in rows
                ),
                Verdict.of_cases([*rested, *levelled]),
            )
        ],
        open_table=True,
    )


def fall(quick: bool) -> Part:
    """From the first degradation to the end."""
    rows: list[Row] = []
    cases = []
    for name in of(quick):
        lives = {
            words: lasts(name, value, quick=quick)
            for words, value in {**REQUIREMENTS, "2 days": 2 * DAY}.items()
        }
        for words, life in lives.items():
            rows.append({"load": name, "required": words, "months": life})
        month, end = lives["1 month"], lives["2 days"]
        if month is not None and end is not None:
            cases.append(end / month < 1.1)
    return Part(
        "From a month to nothing",
        "Time at which the drive's retention falls below each requirement, down to the two days at which blocks are no longer used.",
        Figure(
            "Times at which retention falls below requirements",
            lines(
                [{**row, "place": place % 5} for place, row in enumerate(rows) if row["months"]],
                ("place", "requirement (1 year, 6, 3, 1 months, 2 days)"),
                ("months", "months"),
                "load",
            ),
            rows,
        ),
        [
            Claim(
                "From a retention of a month to unusable blocks takes little time: less than a tenth of the life until then",
                "R7",
                "; ".join(
                    f"{name} {shown([row['months'] for row in rows if row['load'] == name and row['required'] in ('1 month', '2 days')])} months"  # type: ignore[misc]
                    for name in of(quick)
                ),
                Verdict.of_cases(cases),
                "judged by retention, not by response times",
            ),
        ],
        open_table=True,
    )
