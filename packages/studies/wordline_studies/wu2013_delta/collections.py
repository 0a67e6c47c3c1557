"""M1 to M5, M7 and M9: what deltas bring under the six loads, and what collection does with them."""

from __future__ import annotations

from collections.abc import Sequence

from wordline.studies import charts
from wordline.studies.claims import ordering, rising
from wordline.studies.grid import GridFigure, Judge
from wordline.studies.verdict import BEYOND
from wordline_studies.cui2018_dlv.judges import sized
from wordline_studies.wu2012.sizes import not_judged
from wordline_studies.wu2013_delta.causes import BUFFERED, LIMITED, MERGES_COUNT, NEARLY_ALIKE
from wordline_studies.wu2013_delta.drives import (
    AMPLIFICATION,
    BASELINE,
    COLLECTIONS,
    DELTA_SHARE,
    DRIVES,
    DURATION,
    ERASES,
    FILLED,
    FOREGROUND,
    GAIN,
    MERGES,
    PAGES_PER_DELTA,
    RATIOS,
    SUPERSEDED,
    UPWARDS,
    VICTIMS,
    variant,
    with_baseline,
)
from wordline_studies.wu2013_delta.judges import foreground_programs, shares
from wordline_studies.wu2013_delta.loads import LONGER, SAME_LAW, SERVERS, SURROGATES, THREE

ALL = "F1, F2, C3, C8, DAP and MSN"


def fewer(start: str, where: str, why: str = "") -> Sequence[Judge]:
    """The claims that collections are fewer with deltas, and the fewer the smaller these are."""

    def said(text: str) -> str:
        return f"{start}{text}" if start else text[0].upper() + text[1:]

    return [
        *(
            sized(
                said(f"collections are fewer with {name} than in the baseline, under every load"),
                where,
                metric=COLLECTIONS.name,
                of=name,
                than=BASELINE,
                relation="below",
                why=why,
            )
            for name in RATIOS
        ),
        rising(
            said(
                "collections never become fewer from ratio 0.20 over ratio 0.35 to ratio 0.50, under every load"
            ),
            where,
            metric=COLLECTIONS.name,
            variants=UPWARDS,
            why=NEARLY_ALIKE,
        ),
    ]


COLLECTED = GridFigure(
    heading="Collections and programs under six loads",
    text="Deltas of three ratios against the drive that encodes nothing. Pages are write-hot as the source says, from two writes on; which share of the writes becomes deltas by that stands in the [next figure](#shares).",
    title="Collections, foreground programs, erases and write amplification over the baseline",
    variants=DRIVES,
    loads=SURROGATES,
    metrics=[COLLECTIONS, FOREGROUND, ERASES, AMPLIFICATION],
    baseline=BASELINE,
    chart=charts.bars,
    claims=[
        *fewer("", "claim 1", MERGES_COUNT),
        *(
            sized(
                f"Foreground programs are fewer with {name} than in the baseline, under every load",
                "claim 3",
                metric=FOREGROUND.name,
                of=name,
                than=BASELINE,
                relation="below",
            )
            for name in RATIOS
        ),
        rising(
            "Foreground programs never become fewer from ratio 0.20 over ratio 0.35 to ratio 0.50, under every load",
            "claim 3",
            metric=FOREGROUND.name,
            variants=UPWARDS,
        ),
        not_judged(
            f"With ratio 0.35 instead of the baseline, collections fall least under F1 and F2, of {ALL}",
            "claim 2",
            SAME_LAW,
        ),
    ],
    seeds=(1,),
)

SEQUENTIAL = GridFigure(
    heading="A drive that was filled in order",
    text="The same on a drive that was written once, in the order of its addresses, where the others begin in the steady state of random overwriting. Collection begins when the spare space is used up, so that counts are those of a part of the run, which is twice as long as others. What the few hot pages leave behind holds nothing that is current: a collection gains all 64 pages and moves nothing, so that collections follow the programs, those of merges included.",
    title="Collections, foreground programs and write amplification over the baseline, drive filled in order",
    variants=with_baseline(
        *(variant(name, keys, FILLED) for name, keys in RATIOS.items()), keys=FILLED
    ),
    loads=LONGER,
    metrics=[COLLECTIONS, FOREGROUND, AMPLIFICATION, GAIN],
    baseline=BASELINE,
    chart=charts.bars,
    claims=fewer("On a drive filled in order, ", "claim 1", MERGES_COUNT),
    seeds=(1,),
    whole_only=True,
)

SHARES = GridFigure(
    heading="Writes that become deltas",
    text="The share of the host's page writes that is kept as deltas (P_c of the source), the pages that a delta takes, the share of the deltas that a later write makes needless (P_ow), and the foreground programs that follow.",
    title="Shares of deltas, and pages for each",
    variants=DRIVES,
    loads=SURROGATES,
    metrics=[DELTA_SHARE, PAGES_PER_DELTA, SUPERSEDED, FOREGROUND],
    baseline=BASELINE,
    chart=charts.bars,
    claims=[
        shares(
            "The share of writes kept as deltas differs by at most 2 % between ratio 0.50, ratio 0.35 and ratio 0.20, under every load",
            "claim 4",
            why=LIMITED,
        ),
        not_judged(
            f"With ratio 0.35 the share of writes kept as deltas is least under F1 and F2, of {ALL}",
            "claim 3",
            SAME_LAW,
        ),
        foreground_programs(
            "Foreground programs with a ratio of deltas are 1 - P_c + P_c · (pages for each delta) of those of the baseline within 1 %, under every load",
            "section 4.4, with the pages that deltas take",
            why=BUFFERED,
        ),
    ],
    seeds=(1,),
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
        sized(
            "The gain of a collection is higher with ratio 0.35 than in the baseline, under C3, C8, DAP and MSN",
            "claim 6",
            metric=GAIN.name,
            of="ratio 0.35",
            than=BASELINE,
            relation="above",
            loads=SERVERS,
        ),
        not_judged(
            "The gain of a collection is not higher with ratio 0.50 than in the baseline, under F1 and F2, unlike the others",
            "claim 6",
            SAME_LAW,
        ),
        not_judged(
            "Most collected blocks are full of deltas with ratio 0.35, under C3, C8, DAP and MSN, and full of pages under F1 and F2",
            "claim 5",
            SAME_LAW,
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
    seeds=(1,),
)

POLICIES = {
    "ratio 0.35": {},
    "stale pages": {"ftl.delta.log_gain": "whole_pages"},
    "stale bytes": {"ftl.delta.log_gain": "bytes"},
}
"""What a block of deltas gains: pages that packing saves, pages without a current delta, as the source prints, and bytes that are not current."""
VICTIMS_BY = GridFigure(
    heading="What a block of deltas gains",
    text="Ratio 0.35 with three rules for victims: in the other figures a block of deltas gains the pages that packing its current deltas saves. By stale pages, as the source has it, a page of deltas counts once no delta of it is current; by stale bytes every delta that is not current counts.",
    title="Collections, write amplification and victims, by the rule",
    variants=with_baseline(*(variant(name, keys) for name, keys in POLICIES.items())),
    loads=THREE,
    metrics=[COLLECTIONS, AMPLIFICATION, GAIN, VICTIMS],
    baseline=BASELINE,
    chart=charts.bars,
    claims=[
        sized(
            "Collections are fewer with victims by stale pages than in the baseline, under every load",
            "claim 1",
            metric=COLLECTIONS.name,
            of="stale pages",
            than=BASELINE,
            relation="below",
        ),
        ordering(
            "Collections by stale pages are not more than with the pages that packing saves (ratio 0.35), under every load",
            BEYOND,
            metric=COLLECTIONS.name,
            of="stale pages",
            than="ratio 0.35",
            relation="not above",
        ),
    ],
    seeds=(1,),
    whole_only=True,
)
