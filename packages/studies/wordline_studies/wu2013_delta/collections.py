"""M1 to M5, M7 and M9: what deltas bring, and what collection does with them."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.claims import ordering, rising
from wordline.studies.grid import GridFigure
from wordline_studies.wu2012.judges import most
from wordline_studies.wu2013_delta.drives import (
    AMPLIFICATION,
    BASELINE,
    COLLECTIONS,
    DELTA_SHARE,
    DRIVES,
    DURATION,
    ERASES,
    FOREGROUND,
    GAIN,
    MERGES,
    PAGES_PER_DELTA,
    RATIOS,
    UPWARDS,
    VICTIMS,
)
from wordline_studies.wu2013_delta.judges import least, majority, programs, shares
from wordline_studies.wu2013_delta.loads import FINANCIAL, NAMES, SERVERS, SURROGATES

ALL = "F1, F2, C3, C8, DAP and MSN"
NEEDLESS = (
    "pages of deltas take a part of the spare space, so that blocks of pages are collected sooner, and deltas are not divided over two pages: at 0.50 most pages of deltas hold one delta "
    "(0.71 pages for each delta under the normal law, [packing](#packing)). A twentieth of the spare space is the block that is open for deltas in each of these small planes ([size](#size))"
)
LIMITED = "pages of deltas may take half of the spare space at most (`ftl.delta.log_share`); the larger the deltas, the sooner they do, and writes are then not encoded"
LESS_SPARE = "what deltas take of the spare space is missing when blocks of pages are collected: they are collected with more current pages"
FEW_LOG_VICTIMS = (
    "deltas of a page of flash become stale at different times, and those that are current are merged or packed into a page that is as empty as the old one. Emptying a block of deltas therefore "
    "rarely gains as much as emptying a block of pages, to which every write of a whole page and every merge adds stale pages"
)

COLLECTED = GridFigure(
    heading="Collections and programs",
    text="Deltas of three ratios against the drive that encodes nothing.",
    title="Collections, foreground programs, erases and write amplification over the baseline",
    variants=DRIVES,
    loads=SURROGATES,
    metrics=[COLLECTIONS, FOREGROUND, ERASES, AMPLIFICATION],
    baseline=BASELINE,
    chart=charts.bars,
    claims=[
        *(
            ordering(
                f"Collections are fewer with {name} than in the baseline, under every load",
                "claim 1",
                metric=COLLECTIONS.name,
                of=name,
                than=BASELINE,
                relation="below",
                why=NEEDLESS,
            )
            for name in RATIOS
        ),
        rising(
            "Collections never become fewer from ratio 0.20 over ratio 0.35 to ratio 0.50, under every load",
            "claim 1",
            metric=COLLECTIONS.name,
            variants=UPWARDS,
        ),
        rising(
            "Foreground programs never become fewer from ratio 0.20 over ratio 0.35 to ratio 0.50, under every load",
            "claim 3",
            metric=FOREGROUND.name,
            variants=UPWARDS,
        ),
        most(
            f"With ratio 0.35 instead of the baseline, collections fall least under F1 and F2, of {ALL}",
            "claim 2",
            metric=COLLECTIONS.name,
            of="ratio 0.35",
            than=BASELINE,
            winners=FINANCIAL,
            loads=NAMES,
        ),
    ],
)

SHARES = GridFigure(
    heading="Writes that become deltas",
    text="The share of the host's page writes that is kept as deltas (P_c of the source), the pages that a delta takes, and the foreground programs that follow from both.",
    title="Shares of deltas, and pages for each",
    variants=DRIVES,
    loads=SURROGATES,
    metrics=[DELTA_SHARE, PAGES_PER_DELTA, FOREGROUND],
    baseline=BASELINE,
    chart=charts.bars,
    claims=[
        shares(
            "The share of writes kept as deltas differs by at most 2 % between ratio 0.50, ratio 0.35 and ratio 0.20, under every load",
            "claim 4",
            why=LIMITED,
        ),
        least(
            f"With ratio 0.35 the share of writes kept as deltas is least under F1 and F2, of {ALL}",
            "claim 3",
            metric=DELTA_SHARE.name,
            of="ratio 0.35",
            losers=FINANCIAL,
        ),
        programs(
            "Foreground programs are 1 - P_c + P_c · (pages for each delta) of those of the baseline within 1 %, with ratio 0.50, ratio 0.35 and ratio 0.20, under every load",
            "section 4.4, with the pages that deltas take",
        ),
    ],
)

VICTIM = GridFigure(
    heading="What collection finds",
    text=(
        "Pages that a collected block gives back, parts of pages of deltas included; the time that its reads, programs and erase take, those of merges included; the share of collected blocks that were full of deltas; "
        "and merges for each delta that was written."
    ),
    title="Gain, time and victims of collection",
    variants=DRIVES,
    loads=SURROGATES,
    metrics=[GAIN, DURATION, VICTIMS, MERGES],
    baseline=BASELINE,
    chart=charts.bars,
    claims=[
        ordering(
            "The gain of a collection is higher with ratio 0.35 than in the baseline, under C3, C8, DAP and MSN",
            "claim 6",
            metric=GAIN.name,
            of="ratio 0.35",
            than=BASELINE,
            relation="above",
            loads=SERVERS,
            why=LESS_SPARE,
        ),
        ordering(
            "The gain of a collection is not higher with ratio 0.50 than in the baseline, under F1 and F2",
            "claim 6",
            metric=GAIN.name,
            of="ratio 0.50",
            than=BASELINE,
            relation="not above",
            loads=FINANCIAL,
        ),
        majority(
            "Most collected blocks are full of deltas with ratio 0.35, under C3, C8, DAP and MSN",
            "claim 5",
            loads=SERVERS,
            most=True,
            why=FEW_LOG_VICTIMS,
        ),
        majority(
            "Most collected blocks are full of pages with ratio 0.35, under F1 and F2",
            "claim 5",
            loads=FINANCIAL,
            most=False,
        ),
        ordering(
            "A collection takes at most 10 % more time of the array with ratio 0.35 than in the baseline, under every load",
            "claim 8",
            metric=DURATION.name,
            of="ratio 0.35",
            than=BASELINE,
            relation="not above",
            margin=0.10,
        ),
    ],
)
