"""R6: response times over the months, with and without refresh."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from wordline.config import Drive
from wordline.lifetimes import Lifetime, LifetimeStudy, TimedSamples
from wordline.report.section import Figure, Row
from wordline.studies.kept import kept_lifetime
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict
from wordline_studies.mohan_refresh.common import (
    MONTH,
    REQUIREMENTS,
    SERVERS,
    horizon,
    lasts,
    lines,
    months_of,
)

PACKAGES = 16
"""Of M-SSD: one of them gets its share of the requests."""
LOADS = ("SSD-DAPPS", "SSD-EXCH")
FLAT = 1.1
"""A response time up to so many times that of the fresh drive counts as unchanged (assumed)."""


@cache
def sampled(load: str, policy: str, requirement: float, *, quick: bool) -> Lifetime:
    """A study of one package of M-SSD at its full size, with samples of an hour.

    Wear, and so retention, are those of blocks that are written as often as in the whole drive. The quick form has a 32nd of the blocks, and an eighth of their pages.
    """
    server = SERVERS[load]
    keys: dict[str, object] = {
        "geometry.channels": 1,
        "ftl.gc.mode": "foreground",
        "ftl.gc.hard": 0.05,
        "ftl.refresh.policy": policy,
    }
    if quick:
        keys |= {"geometry.blocks_per_plane": 32, "geometry.pages_per_block": 16}
    months = horizon(load, quick=quick)
    return kept_lifetime(
        Drive("mohan-m-ssd", **keys),
        {
            "kind": "profile",
            "profile": server.profile,
            "compress_time": server.acceleration / PACKAGES,
        },
        LifetimeStudy(
            required=requirement,
            horizon=months * MONTH,
            every=MONTH,
            writes_per_day=server.writes_per_day,
            samples=TimedSamples(
                every_snapshots=12 if quick else 2, length=300.0 if quick else 3600.0
            ),
        ),
    )


def lasting(series: Sequence[tuple[float, float]], ratio: float) -> list[float]:
    """Months at which a ratio is reached that the next sample reaches too: one hour in a busy phase of collection is no end."""
    return [
        month
        for (month, found), (_, after) in pairwise(series)
        if found >= ratio and after >= ratio
    ]


def response(quick: bool) -> Part:
    """Response times by month, and which end of life comes first."""
    rows: list[Row] = []
    points: list[Row] = []
    flat, ended = [], []
    wanted = ("1 year",) if quick else ("1 year", "1 month")
    for name in LOADS[1:] if quick else LOADS:
        for words in wanted:
            value = REQUIREMENTS[words]
            plain = sampled(name, "none", value, quick=quick)
            found = sampled(name, "edf", value, quick=quick)
            assert found.samples is not None
            before = months_of(plain)
            if before is None:
                before = lasts(name, value, quick=quick)
            allowed = plain.summary["samples.ratio_at_end"]
            by_data = months_of(found, "refresh.life_s")
            series = [
                (row["time_s"] / MONTH, row["response_ratio"])
                for row in found.samples.to_dicts()
                if not row["without_weak_blocks"]
            ]
            slow = [] if allowed is None else lasting(series, float(allowed))
            served = [ratio for month, ratio in series if by_data is None or month <= by_data]
            rows.append(
                {
                    "load": name,
                    "required": words,
                    "life without refresh (months)": before,
                    "ratio allowed": allowed,
                    "slow after (months)": round(slow[0], 1) if slow else None,
                    "data lost or too few blocks after (months)": by_data and round(by_data, 1),
                    "largest ratio until then": max(served),
                }
            )
            points += [
                {"load": f"{name}, {words}", "months": month, "ratio": ratio}
                for month, ratio in series
            ]
            if before is not None:
                after = [ratio for month, ratio in series if before < month <= before + 6]
                flat.append(all(ratio <= FLAT for ratio in after))
                ended.append(bool(slow) and (by_data is None or slow[0] < by_data))
    told = "; ".join(
        f"{row['load']}, {row['required']}: slow after {row['slow after (months)'] or 'the horizon'}, "
        f"ended by blocks after {row['data lost or too few blocks after (months)'] or 'the horizon'} months"
        for row in rows
    )
    return Part(
        "Response times",
        "One of the sixteen packages of M-SSD at its full size, with its share of the requests. Every few months a copy of it runs an hour of the load with a clock, refresh included. NRT is at the 80th percentile, over the "
        "fresh drive. What refresh may slow it down to is the NRT of the drive without refresh at its end of life, without its weak blocks, within 1.1 and 3; two samples in a row must reach it.",
        Figure(
            "Response times over the months, with EDF",
            lines(points, ("months", "months"), ("ratio", "NRT"), "load"),
            rows,
        ),
        [
            Claim(
                "Response stays at the fresh drive's for a while after the baseline's end of life",
                "R6, first half",
                f"NRT up to {FLAT} in the six months after it in {sum(flat)} of {len(flat)} cases",
                Verdict.of_cases(flat),
            ),
            Claim(
                "Then it rises sharply, and ends the life of the drive before blocks do",
                "R6, second half",
                told,
                Verdict.of_cases(ended),
                "refresh of full blocks takes 1.2 % of a chip's time where blocks keep data for a day (worked out for 8,192 full blocks a chip); blocks are retired below two days, so that wear ends the life before refresh fills the chips",
            ),
        ],
        open_table=True,
    )
