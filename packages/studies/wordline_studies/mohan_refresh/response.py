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
    REST_CYCLES,
    SERVERS,
    YEAR,
    crossed,
    horizon,
    inside,
    lines,
    load_of,
    months_of,
    of,
    required,
)

SHARE = 1 / 512
"""Of M-SSD: a thirty-second of one of its sixteen packages, with that share of the requests."""
BLOCKS = 32
"""Blocks of a plane, of 1,024."""
SAMPLES = 10
"""Samples over the longest life of a load."""
LENGTH = 1800.0
"""Seconds of a sample."""
FLAT = 1.1
"""A response time up to so many times that of the fresh drive counts as unchanged (assumed)."""
SLOW = 3.0
"""The normalised response time beyond which a drive has ended."""


@cache
def sampled(load: str, policy: str, requirement: float, *, quick: bool) -> Lifetime:
    """A study of a part of a package of M-SSD, with samples of response times.

    Wear, and so retention, are those of blocks that are written as often as in the whole drive. The quick form has an eighth of the pages in a block.
    """
    server = SERVERS[load]
    keys: dict[str, object] = {
        "geometry.channels": 1,
        "geometry.blocks_per_plane": BLOCKS,
        "ftl.gc.mode": "foreground",
        "ftl.gc.hard": 0.05,
        "ftl.refresh.policy": policy,
    }
    if quick:
        keys["geometry.pages_per_block"] = 16
    months = horizon(load, quick=quick)
    samples = 3 if quick else SAMPLES
    return kept_lifetime(
        Drive("mohan-m-ssd", **keys),
        # as many requests for each block; a block of the quick form has an eighth of the pages
        load_of(server, compress_time=server.acceleration * SHARE / (8 if quick else 1)),
        LifetimeStudy(
            required=requirement,
            horizon=months * MONTH,
            every=months / (8 * samples) * MONTH,
            writes_per_day=server.writes_per_day,
            inside=inside(1.0),
            rest_cycles=REST_CYCLES,
            samples=TimedSamples(
                every_snapshots=8, length=120.0 if quick else LENGTH, end_ratio=SLOW
            ),
        ),
    )


def ratios(found: Lifetime) -> list[tuple[float, float]]:
    """Months and normalised response times of the samples of the whole drive."""
    assert found.samples is not None
    return [
        (row["time_s"] / MONTH, row["response_ratio"])
        for row in found.samples.to_dicts()
        if not row["without_weak_blocks"]
    ]


def lasting(series: Sequence[tuple[float, float]], ratio: float) -> list[float]:
    """Months at which a ratio is reached that the next sample reaches too: one sample in a busy phase of collection is no end."""
    return [
        month
        for (month, found), (_, after) in pairwise(series)
        if found >= ratio and after >= ratio
    ]


def response(quick: bool) -> Part:
    """Response times by month, with and without refresh, for every load and requirement."""
    rows: list[Row] = []
    points: list[Row] = []
    flat, ended = [], []
    for name in of(quick):
        plain = sampled(name, "none", YEAR, quick=quick)
        without = ratios(plain)
        points += [
            {"load": name, "drive": "without refresh", "months": month, "ratio": ratio}
            for month, ratio in without
        ]
        for words, value in required(quick).items():
            before = crossed(plain, value)
            found = sampled(name, "remaining", value, quick=quick)
            series, life = ratios(found), months_of(found)
            slow = lasting(series, SLOW)
            rows.append(
                {
                    "load": name,
                    "required": words,
                    "life without refresh (months)": before,
                    "life with refresh (months)": life,
                    "slow after (months)": slow[0] if slow else None,
                    "largest NRT with refresh": max(ratio for _, ratio in series),
                    "largest NRT without, in that time": max(
                        ratio for month, ratio in without if life is None or month <= life
                    ),
                }
            )
            points += [
                {"load": name, "drive": words, "months": month, "ratio": ratio}
                for month, ratio in series
            ]
            after = [ratio for month, ratio in series if before is not None and month > before]
            flat.append(bool(after) and all(ratio <= FLAT for ratio in after))
            ended.append(bool(slow) and (life is None or slow[0] < life))
    share = f"1/{round(1 / SHARE)}"
    return Part(
        "Response times",
        f"Normalised response (the 80th percentile over that of the fresh drive) against months, for every load and requirement, with refresh by what is left and without refresh. A part of a package of M-SSD ({share} of the blocks and of the requests; blocks of full size): "
        f"{SAMPLES} times over the life of a load a copy of it runs {LENGTH / 60:.0f} minutes of the load with a clock, refresh included (the source measures an hour on the whole drive). Where a chip has as many blocks as in M-SSD, it refreshes 32 times as many in a time and serves 32 times as many requests: what waits for what is not seen in a part of it, so that the claims on the rise of response times hang on this size. A line ends with the life of its drive; two samples in a row above {SLOW:.0f} end it.",
        Figure(
            "Response times over the months",
            lines(points, ("months", "months"), ("ratio", "NRT"), "drive", facet="load"),
            rows,
        ),
        [
            Claim(
                "Response stays at the fresh drive's for a while after the baseline's end of life",
                "R6, first half",
                f"NRT up to {FLAT} after it in {sum(flat)} of {len(flat)} cases",
                Verdict.of_cases(flat),
                "both drives have one end of life, which comes with refresh no later than without: no drive with refresh serves on after the baseline's end, however fast it still is",
            ),
            Claim(
                "Then it rises sharply, and ends the life of the drive before blocks do",
                "R6, second half",
                "; ".join(
                    f"{row['load']}, {row['required']}: at most {row['largest NRT with refresh']:.2f}"
                    for row in rows
                ),
                Verdict.of_cases(ended),
                "refresh of blocks that cannot keep data as required fills little of a chip's time while they are fewer than a tenth, and a tenth of them is the end",
            ),
        ],
        open_table=True,
    )
