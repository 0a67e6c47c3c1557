"""O1 and O2: the order of the levels of parallelism."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from wordline.statistics import Interval
from wordline.studies import charts
from wordline.studies.claims import (
    Case,
    compared,
    decided,
    finding,
    ordering,
    places,
    spread,
    typical,
)
from wordline.studies.grid import BEST, GridFigure, Judge
from wordline.studies.measured import Measured
from wordline.studies.verdict import BEYOND, Claim
from wordline_studies.hu2011 import causes
from wordline_studies.hu2011.drives import RESPONSE, STATES, variant
from wordline_studies.hu2011.loads import SIX, SYNTHETIC, loads, names
from wordline_studies.hu2011.sizes import QUARTER, Size, in_size

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
    better: str,
    worse: str,
    channels: int,
    why: str,
    *,
    note: str = "",
    given: str = "",
    where: str = "figure 20, table 5",
) -> Judge:
    """The claim that one order of Table 5 is faster than another."""
    return ordering(
        f"Mean response time is shorter with {ordered(better)} than with {ordered(worse)}, on {named(channels)}{given}, aged or not, under every load",
        where,
        metric="response time",
        of=better,
        than=worse,
        relation="below",
        panels=[f"{named(channels)}, {state}" for state in STATES],
        why=why,
        note=note,
    )


PAIRS = ((8, "SSD1", "SSD2"), (1, "SSD3", "SSD5"), (1, "SSD4", "SSD5"), (1, "SSD6", "SSD5"))
"""Channels, a worse order, and the best by the source."""


def worst(state: str) -> Callable[[Measured], Interval | None]:
    """The largest ratio of a worse order to the best in a state, over all loads."""

    def ours(measured: Measured) -> Interval | None:
        found = [
            ratio
            for channels, worse, best in PAIRS
            for load in measured.loads
            if (
                ratio := measured.ratio(
                    "response time", f"{named(channels)}, {state}", worse, best, load
                )
            )
        ]
        return max(found, key=lambda ratio: ratio.mean, default=None)

    return ours


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
            causes.SCATTERED_READS,
        ),
        pair("SSD4", "SSD3", 1, causes.ORDER_NEEDS_QUEUE),
        pair("SSD5", "SSD4", 1, causes.ORDER_NEEDS_QUEUE),
        pair("SSD5", "SSD6", 1, causes.EQUAL_COMMANDS),
        in_size(
            f"The wrong order costs up to 1.6 times the mean response time of {ordered('SSD2')} on 8 channels or of {ordered('SSD5')} on 1, {QUARTER}, aged or not, under every load",
            "figure 20",
            compared("response time", "the worst order", "SSD2 or SSD5"),
            [Size(state, 1.6, worst(state)) for state in STATES],
            why=causes.LENGTH_OF_READS,
        ),
    ],
)

BUS = " with SSDsim's bus"
OTHER_BUS = f"{BEYOND}: figure 20 with SSDsim's bus"

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
            causes.ORDER_NEEDS_QUEUE,
            note="the previous figure has the same drives without the defect: most of this difference is caused by the defect",
            given=BUS,
            where=OTHER_BUS,
        ),
        pair("SSD5", "SSD6", 1, causes.EQUAL_COMMANDS, given=BUS, where=OTHER_BUS),
    ],
    whole_only=True,
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


def nearly_equal(measured: Measured, load: str) -> Sequence[Interval]:
    """The orders with the channel first over the best of them."""
    values = {order: measured.value("response time", "", order, load) for order in CHANNEL_FIRST}
    known = {order: value.mean for order, value in values.items() if value}
    if len(known) < len(CHANNEL_FIRST):
        return []
    best = min(known, key=known.__getitem__)
    found = [measured.ratio("response time", "", order, best, load) for order in CHANNEL_FIRST]
    return [ratio for ratio in found if ratio]


ALIKE = 1.05
"""Ratio up to which orders are almost equal."""


def alike(ratio: float) -> bool:
    """Whether an order is little slower than the best."""
    return ratio <= ALIKE


def almost_equal(text: str, where: str, loads: Sequence[str], why: str) -> Judge:
    """The claim that the orders with the channel first are almost equal."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for name, _, load in places(measured, None, loads):
            found = nearly_equal(measured, load)
            if not found:
                cases.append(Case(name, None))
                continue
            most = max(ratio.mean for ratio in found)
            certain = all(decided(alike, ratio) for ratio in found)
            cases.append(Case(name, alike(most), f"{most:.3f}", certain))
        ours = f"response time, slowest over fastest of {CHANNEL_FIRST[0]} to {CHANNEL_FIRST[-1]} (ratio): {'; '.join(f'{case.name} {case.shown}' for case in cases if case.shown)}"
        return finding(text, where, ours, cases, why=why)

    return judge


def best_is(text: str, where: str, best: str, loads: Sequence[str], why: str) -> Judge:
    """The claim that one order is fastest."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for name, panel, load in places(measured, None, loads):
            others = [f"s{number}" for number in range(1, 7) if f"s{number}" != best]
            ratios = [measured.ratio("response time", panel, best, each, load) for each in others]
            known = {each: ratio for each, ratio in zip(others, ratios, strict=True) if ratio}
            if len(known) < len(others):
                cases.append(Case(name, None))
                continue
            nearest = max(known, key=lambda each: known[each].mean)
            shown = f"{known[nearest].mean:.3f} of {nearest}"
            certain = all(decided(faster, ratio) for ratio in known.values())
            cases.append(Case(name, faster(known[nearest].mean), shown, certain))
        ours = f"response time, {best} over the best of the others (ratio): {'; '.join(f'{case.name} {case.shown}' for case in cases if case.shown)}"
        return finding(text, where, ours, cases, why=why)

    return judge


TRACES = names(*SIX)
TABLE_6 = [load.name for load in SYNTHETIC]

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
        almost_equal(
            "Mean response times with s2 to s6 are within 5 % of the shortest of them, not aged, under Web, Dev, Fin2, MSN, Ex and Fin1",
            "figure 21",
            TRACES,
            causes.LARGE_WRITES,
        ),
        best_is(
            "Mean response time is shorter with s6 than with any other order, not aged, under Syn1, Syn2, Syn3 and Syn4",
            "figure 21",
            "s6",
            TABLE_6,
            causes.ONE_AT_A_TIME,
        ),
    ],
)

UNCHARGED = replace(
    STATIC,
    heading="Order of levels, static allocation, without software cost",
    text="The loads of table 6 again on drives whose software takes no time. With it, the processor is busy for 98 % of the time under Syn1, which overloads the drive, and for 89 % under Syn2.",
    variants=[
        replace(entry, keys={**entry.keys, "firmware.enabled": False}) for entry in STATIC.variants
    ],
    loads=SYNTHETIC,
    claims=[
        best_is(
            "Without software cost, mean response time is shorter with s6 than with any other order, not aged, under every load",
            f"{BEYOND}: figure 21 without software cost",
            "s6",
            TABLE_6,
            causes.PLANES_FIRST,
        ),
    ],
    whole_only=True,
)
