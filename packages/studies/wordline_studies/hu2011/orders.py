"""O1 and O2: the order of the levels of parallelism."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from wordline.studies import charts
from wordline.studies.claims import Case, compared, decided, finding, ordering, spread, typical
from wordline.studies.grid import BEST, GridFigure, Judge
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim
from wordline_studies.hu2011.drives import RESPONSE, STATES, variant
from wordline_studies.hu2011.loads import SIX, SYNTHETIC, loads

ORDERS: Mapping[str, str] = {
    "SSD1": "chip > die > plane > channel",
    "SSD2": "channel > chip > die > plane",
    "SSD3": "chip > die > plane",
    "SSD4": "die > chip > plane",
    "SSD5": "die > plane > chip",
    "SSD6": "plane > die > chip",
}
"""Order of the levels of the drives of Table 5, the fastest-varying first."""


def named(channels: int) -> str:
    """Channels in words."""
    return f"{channels} channels" if channels > 1 else "1 channel"


def ordered(name: str) -> str:
    """A drive of Table 5 with the order of its levels."""
    return f"{name} ({ORDERS[name]})"


def pair(
    better: str, worse: str, channels: int, why: str, note: str = "", given: str = ""
) -> Judge:
    """The claim that one order of Table 5 is faster than another."""
    return ordering(
        f"Mean response time is shorter with {ordered(better)} than with {ordered(worse)}, on {named(channels)}{given}, aged or not, under every load",
        "figure 20, table 5",
        metric="response time",
        of=better,
        than=worse,
        relation="below",
        panels=[f"{named(channels)}, {state}" for state in STATES],
        why=why,
        note=note,
    )


LITTLE = (
    "the differences are small, because the order matters only if several writes wait at the same time. Under MSN "
    "and Ex they do, and the ranking is that of the source; elsewhere the difference is chance, or an effect on "
    "later reads"
)
PLANES = (
    "a pair of pages takes the same time on two dies as on two planes of one die, except for tDBSY (0.5 µs) and "
    "skipped pages, and both orders issue the same number of combined programs (22,872 and 22,874 for 20,000 "
    "requests of Ex). With plane before die, neighbouring pages have the same index in two planes, so that multi- "
    "plane reads can combine them (4,062 such commands, compared with 612), which makes up for the cost; on a drive "
    "that is not aged, a skipped page costs nothing"
)

DYNAMIC = GridFigure(
    heading="Order of levels, dynamic allocation",
    text=(
        f"All advanced commands. {ordered('SSD1')} and {ordered('SSD2')} have eight channels; SSD3 to SSD6 have one: "
        f"{ORDERS['SSD3']}, {ORDERS['SSD4']}, {ORDERS['SSD5']} and {ORDERS['SSD6']}. The source does not say whether the drives are aged: "
        "both are shown."
    ),
    title="Mean response over that of the best order of the panel",
    variants=[
        variant(
            f"SSD{number}",
            panel=f"{named(channels)}, {state}",
            preset=f"hu2011-ssd{number}",
            channels=channels,
            aged=state == "aged",
        )
        for state in STATES
        for channels, numbers in ((8, (1, 2)), (1, (3, 4, 5, 6)))
        for number in numbers
    ],
    loads=loads(*SIX),
    metrics=[RESPONSE],
    baseline=BEST,
    chart=charts.bars,
    claims=[
        pair(
            "SSD2",
            "SSD1",
            8,
            "the excerpt of MSN has mostly reads, and on an aged drive its data are scattered, whatever the order",
        ),
        pair("SSD4", "SSD3", 1, LITTLE),
        pair("SSD5", "SSD4", 1, LITTLE),
        pair("SSD5", "SSD6", 1, PLANES),
    ],
)

BUS = " with SSDsim's bus"

SSDSIM = replace(
    DYNAMIC,
    heading="Order of levels, with SSDsim's bus",
    text=(
        "SSD3 to SSD6 again, with a defect of the public SSDsim 2.x put in (`compat.ssdsim_combined_bus`): a program that is interleaved and multi-plane at "
        "once holds the channel for one page instead of one page after the other. Orders that put die and plane before the chip use that program."
    ),
    variants=[
        replace(
            entry,
            keys={**entry.keys, "compat.ssdsim_combined_bus": True},
        )
        for entry in DYNAMIC.variants
        if entry.panel.startswith(named(1))
    ],
    claims=[
        pair(
            "SSD5",
            "SSD4",
            1,
            LITTLE,
            "the previous figure has the same drives without the defect: most of this difference is caused by the defect",
            BUS,
        ),
        pair("SSD5", "SSD6", 1, PLANES, given=BUS),
    ],
)

CHANNEL_LAST = "s1"
CHANNEL_FIRST = ("s2", "s3", "s4", "s5", "s6")


def faster(ratio: float) -> bool:
    """Whether a response time is below the other."""
    return ratio < 1


def channel_first(text: str, where: str, why: str) -> Judge:
    """The claim that each order with the channel first is faster than the one with it last."""

    def judge(measured: Measured) -> Claim:
        cases, ratios = [], {}
        for load in measured.loads:
            for order in CHANNEL_FIRST:
                name = f"{order}, {load}"
                ratio = measured.ratio("response time", "", order, CHANNEL_LAST, load)
                if ratio is None:
                    cases.append(Case(name, None))
                    continue
                ratios[name] = ratio.mean
                shown, certain = f"{ratio.mean:.3f}", decided(faster, ratio)
                cases.append(Case(name, faster(ratio.mean), shown, certain))
        what = compared("response time", f"{CHANNEL_FIRST[0]} to {CHANNEL_FIRST[-1]}", CHANNEL_LAST)
        ours, number = f"{what}: {spread(ratios)}", typical(what, ratios)
        return finding(text, where, ours, cases, number=number, why=why)

    return judge


STATIC = GridFigure(
    heading="Order of levels, static allocation",
    text=(
        "Eight channels, all advanced commands, not aged. s1 puts the channel last; s2 to s6 put it first and order the chip (W), the die and the plane: "
        "WDP, PWD, DWP, PDW, DPW."
    ),
    title="Mean response over that of the best order",
    variants=[
        variant(f"s{number}", preset=f"hu2011-s{number}", channels=8) for number in range(1, 7)
    ],
    loads=[*loads(*SIX), *SYNTHETIC],
    metrics=[RESPONSE],
    baseline=BEST,
    chart=charts.bars,
    claims=[
        channel_first(
            "Mean response time is shorter with the channel first (s2 to s6) than with the channel last (s1), not aged, under every load",
            "figure 21",
            "",
        ),
    ],
)
