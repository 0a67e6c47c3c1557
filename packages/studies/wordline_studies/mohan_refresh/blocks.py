"""R9, R11, R12: the blocks of a drive at the end of a study."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from wordline.report.section import Figure, Row
from wordline.service import unpowered
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict
from wordline_studies.mohan_refresh.common import (
    DAY,
    REQUIREMENTS,
    YEAR,
    crossed,
    lasts,
    lines,
    of,
    study,
)

BYTES_OF_ENTRY = 16
"""Deadline, program time and number of a block in the queue (assumed)."""
CYCLES_OF_STEP = 20
"""Processor cycles of a step in a binary heap (assumed: two comparisons and an exchange)."""
CLOCK = 400e6
"""Cycles in a second of the controller of chapter 5 of the source."""
BLOCKS = 131_072


def normal_log_likelihood(values: NDArray[np.float64]) -> float:
    """The logarithm of the likelihood of values under their normal law."""
    variance = max(float(values.var()), 1e-12)
    return -0.5 * len(values) * (math.log(2 * math.pi * variance) + 1)


def two_normals(values: NDArray[np.float64]) -> float:
    """The same under a mixture of two normal laws, by expectation maximisation from the halves of the sorted values."""
    ordered = np.sort(values)
    floor = max(float(values.var()) * 1e-4, 1e-12)
    half = len(ordered) // 2
    means = np.array([ordered[:half].mean(), ordered[half:].mean()])
    variances = np.maximum([ordered[:half].var(), ordered[half:].var()], floor)
    share = np.array([0.5, 0.5])
    likelihood = -math.inf
    for _ in range(300):
        density = (
            share
            * np.exp(-0.5 * (values[:, None] - means) ** 2 / variances)
            / np.sqrt(2 * np.pi * variances)
        )
        total = np.maximum(density.sum(axis=1), 1e-300)
        weight = density / total[:, None]
        count = np.maximum(weight.sum(axis=0), 1e-9)
        share = count / len(values)
        means = (weight * values[:, None]).sum(axis=0) / count
        variances = np.maximum((weight * (values[:, None] - means) ** 2).sum(axis=0) / count, floor)
        new = float(np.log(total).sum())
        if new - likelihood < 1e-6 * abs(new):
            break
        likelihood = new
    return likelihood


def modes(values: NDArray[np.float64]) -> int:
    """Whether one or two normal laws describe values, by the Bayesian information criterion."""
    logarithm = math.log(len(values))
    one = 2 * logarithm - 2 * normal_log_likelihood(values)
    two = 5 * logarithm - 2 * two_normals(values)
    return 2 if two < one - 10 else 1


def distribution(quick: bool) -> Part:
    """The retention of blocks when the drive's falls below a year."""
    rows: list[Row] = []
    cases, told = [], []
    for name in of(quick):
        life = lasts(name, YEAR, quick=quick) or 60.0
        found = study(name, quick=quick, months=max(round(life), 2)).blocks
        wear = found["equivalent_events"].to_numpy()
        number = modes(wear)
        told.append(f"{name} {number}")
        cases.append(number == (2 if name == "SSD-EXCH" else 1))
        counts, edges = np.histogram(wear / wear.mean(), bins=25)
        rows += [
            {"load": name, "wear": float(edge), "blocks": int(count)}
            for count, edge in zip(counts, edges[:-1], strict=True)
        ]
    return Part(
        "Distribution over blocks",
        "Wear of the blocks of the small drive, over its mean, when its retention falls below a year. Retention falls with wear; wear is shown because the last two rests of a block, which its retention depends on too, differ by chance. Whether one or two normal laws "
        "describe it is decided by the Bayesian information criterion, by a difference of 10.",
        Figure(
            "Wear of blocks",
            lines(rows, ("wear", "wear over its mean"), ("blocks", "blocks"), "load", facet="load"),
            rows,
        ),
        [
            Claim(
                "The distribution has two modes for Exchange and one for the others",
                "R9",
                "; ".join(told) + " modes",
                Verdict.of_cases(cases),
                "the surrogates' popular places lie on few channels of the small drive, which wear faster under every load, as the source says of Exchange alone; within a channel cells differ from block to block, but wear is counted in mean cells",
            )
        ],
    )


OUTAGE = 30 * DAY
"""An outage, and the requirement beside it."""
REQUIRED = REQUIREMENTS["3 months"]


def without_power(quick: bool) -> Part:
    """What is lost while a drive is switched off."""
    times = [7 * DAY, OUTAGE, 60 * DAY, REQUIRED, 180 * DAY, YEAR, 2 * YEAR]
    rows: list[Row] = []
    kept, lost_all = [], []
    for name in of(quick):
        # where new data are kept for as long as required and as the outage takes
        months = crossed(study(name, quick=quick), REQUIRED + OUTAGE)
        if months is None or months < 2:
            continue
        found = study(name, "remaining", REQUIRED, quick=quick, months=int(months))
        lost = unpowered(found, times)
        rows += [
            {"load": name, "days": row["time_s"] / DAY, "lost": row["lost_pages"]}
            for row in lost.to_dicts()
        ]
        shares = dict(zip(times, lost["lost_pages"].to_list(), strict=True))
        kept.append(shares[OUTAGE] < 0.01)
        lost_all.append(shares[2 * YEAR] > 0.5)
    return Part(
        "Without power",
        f"Drives that refresh blocks when what is left of their retention falls to three months are switched off at a time at which new data are kept for three months and {OUTAGE / DAY:.0f} days more: the share of pages that are lost, by the time without power.",
        Figure(
            "Data lost without power",
            lines(rows, ("days", "days without power"), ("lost", "share of pages lost"), "load"),
            rows,
        ),
        [
            Claim(
                "Nothing is lost in an outage by which what is left exceeds the requirement, and most data in one of two years: refresh needs power",
                "R11 (ours)",
                "; ".join(
                    f"{row['load']} {row['days']:.0f} d: {row['lost']:.0%}"
                    for row in rows
                    if row["days"] in (OUTAGE / DAY, REQUIRED / DAY, 2 * YEAR / DAY)
                ),
                Verdict.of_cases([*kept, *lost_all]),
                "a tenth of the blocks may keep data for less than required; data that are never written lie in blocks that were young, and last for years",
            )
        ],
    )


def overhead(quick: bool) -> Part:
    """Memory and cycles of the refresh queue."""
    del quick
    memory = BLOCKS * BYTES_OF_ENTRY
    rows: list[Row] = []
    shares = []
    for words, retention in {**REQUIREMENTS, "1 week": 7 * DAY, "2 days": 2 * DAY}.items():
        rate = BLOCKS / retention
        steps = 4 * math.log2(BLOCKS)
        processor = rate * steps * CYCLES_OF_STEP / CLOCK
        shares.append(processor)
        rows.append(
            {
                "retention": words,
                "days": retention / DAY,
                "refreshes a second": rate,
                "processor": processor,
                "chip time": (BLOCKS / 16) * (128 * 0.95e-3 + 3.5e-3) / retention,
            }
        )
    return Part(
        "Overhead in the controller",
        f"Every one of the {BLOCKS:,} blocks of M-SSD in the queue, {BYTES_OF_ENTRY} bytes each, and refreshed once in its retention: cycles of a processor of 400 MHz for the heap ({CYCLES_OF_STEP} for a step, assumed), and the share of time that a chip refreshes full blocks by copy-back.",
        Figure(
            "Overhead of refresh",
            lines(
                [
                    {"days": row["days"], "kind": kind, "share": row[kind]}
                    for row in rows
                    for kind in ("processor", "chip time")
                ],
                ("days", "retention (days)"),
                ("share", "share of time"),
                "kind",
                log=True,
            ),
            rows,
        ),
        [
            Claim(
                "The overhead in the controller is small: less than 4 MiB beside a map of 64 MiB, and less than 1 % of a processor",
                "R12 (ours)",
                f"{memory / 2**20:.0f} MiB; at most {100 * max(shares):.1e} % of a processor",
                Verdict.of_cases([*(share < 0.01 for share in shares), memory < 4 * 2**20]),
            )
        ],
        open_table=True,
    )
