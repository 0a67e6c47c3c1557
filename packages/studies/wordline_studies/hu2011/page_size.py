"""P1: page size against un-covered updates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from wordline.statistics import Interval
from wordline.studies import charts
from wordline.studies.claims import (
    Case,
    best_inside,
    compared,
    decided,
    finding,
    means,
    ordering,
    places,
    relatives,
    rising,
)
from wordline.studies.grid import GridFigure, Judge, Load, Metric, Variant
from wordline.studies.measured import Measured
from wordline.studies.verdict import BEYOND, Claim
from wordline_studies.hu2011 import causes
from wordline_studies.hu2011.drives import RESPONSE, WHOLE, Keys, dynamic, variant
from wordline_studies.hu2011.loads import loads, names, surrogate
from wordline_studies.hu2011.sizes import QUARTER, Size, in_size

SIZES = (2, 4, 8, 16)
"""Page sizes in KiB."""
KEPT, GROWS = "capacity kept", "blocks kept"
"""Panels."""
NAMES = tuple(f"{size} KiB" for size in SIZES)
FIVE = ("Dev", "MSN", "Ex", "Rad", "Fin1")
FOUR = names("Dev", "MSN", "Ex", "Rad")

UNCOVERED = Metric("un-covered updates", "ftl.uncovered_ratio", "per page written", relative=False)


def page(size: int, *, keep_capacity: bool) -> Keys:
    """The drive with pages of this size, fewer blocks making up for it or not."""
    blocks = 2048 * 2 // size if keep_capacity else 2048
    return {"geometry.page_size": f"{size} KiB", "geometry.blocks_per_plane": blocks}


def variants(
    panel: str, *, keep_capacity: bool = True, state: Keys | None = None
) -> Sequence[Variant]:
    """The four drives."""
    return [
        variant(
            name,
            dynamic("CWDP"),
            page(size, keep_capacity=keep_capacity),
            panel=panel,
            state=state,
            grown=1 if keep_capacity else size // 2,
        )
        for name, size in zip(NAMES, SIZES, strict=True)
    ]


def gained(response: float, least: float, most: float) -> bool:
    """Whether the response time falls while un-covered updates change by at most 0.1 per page written."""
    return response < 1 and abs(most - least) <= 0.1


def gains(text: str, where: str, why: str) -> Judge:
    """The claim that Fin1 gains from larger pages and its un-covered ratio hardly changes."""

    def judge(measured: Measured) -> Claim:
        cases, said = [], []
        for name, panel, load in places(measured, None, names("Fin1")):
            response = measured.ratio("response time", panel, NAMES[-1], NAMES[0], load)
            least = measured.value("un-covered updates", panel, NAMES[0], load)
            most = measured.value("un-covered updates", panel, NAMES[-1], load)
            if not (response and least and most):
                cases.append(Case(name, None))
                continue
            change = most.mean - least.mean
            shown = f"response time, ratio {response.mean:.3f}, un-covered updates {change:+.2f} per page written"
            said.append(f"{name}: {shown}")
            certain = decided(gained, response, least, most)
            holds = gained(response.mean, least.mean, most.mean)
            cases.append(Case(name, holds, shown, certain))
        return finding(
            text,
            where,
            f"response time and un-covered updates, 16 KiB against 2 KiB: {'; '.join(said)}",
            cases,
            why=why,
        )

    return judge


PRINTED_BEST: Mapping[str, str] = {
    "Dev": "4 KiB",
    "MSN": "4 KiB",
    "Ex": "4 KiB",
    "Rad": "4 KiB",
    "Fin1": "16 KiB",
}
"""The page size with the shortest mean response."""


def best_as_printed(text: str, where: str, why: str) -> Judge:
    """The claim that each trace is served soonest with the page size that is printed."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for name, panel, load in places(measured, [KEPT], None):
            values = means(measured, RESPONSE.name, panel, NAMES, load)
            if not values:
                cases.append(Case(name, None))
                continue
            printed, best = PRINTED_BEST[load.split()[0]], NAMES[values.index(min(values))]
            pairs = [(printed, other) for other in NAMES if other != printed]
            others = relatives(measured, RESPONSE.name, panel, pairs, load)
            certain = all(decided(lambda ratio: ratio > 1, ratio) for ratio in others)
            cases.append(Case(name, best == printed, best, certain))
        said = "; ".join(f"{case.name} {case.shown}" for case in cases if case.shown)
        return finding(text, where, f"page size with the shortest response: {said}", cases, why=why)

    return judge


def over_best(load: str) -> Callable[[Measured], Interval | None]:
    """The response with the largest page over that with the best."""

    def ours(measured: Measured) -> Interval | None:
        values = means(measured, RESPONSE.name, KEPT, NAMES, load)
        if not values:
            return None
        best = NAMES[values.index(min(values))]
        return measured.ratio(RESPONSE.name, KEPT, NAMES[-1], best, load)

    return ours


FIGURE = GridFigure(
    heading="Page size",
    text=(
        "The 4-4-2-2 drive, dynamic allocation, basic commands, not aged. Larger pages at the same array times; the blocks of a plane are "
        "reduced so that the capacity stays, or kept so that it grows."
    ),
    title="Mean response, over that with pages of 2 KiB, and un-covered updates for each page written",
    variants=[
        *variants(KEPT),
        *variants(GROWS, keep_capacity=False),
    ],
    loads=loads(*FIVE),
    metrics=[RESPONSE, UNCOVERED],
    baseline=NAMES[0],
    chart=charts.lines,
    variants_are="page size",
    claims=[
        ordering(
            "At the same capacity, mean response time is longer with pages of 16 KiB than of 8 KiB, under Dev, MSN, Ex and Rad",
            "figure 10",
            metric="response time",
            of="16 KiB",
            than="8 KiB",
            relation="above",
            panels=[KEPT],
            loads=FOUR,
        ),
        best_inside(
            "At the same capacity, mean response time is shortest with pages of 4 or 8 KiB, neither 2 nor 16, under Dev, MSN, Ex and Rad",
            "figure 10",
            metric="response time",
            variants=NAMES,
            panels=[KEPT],
            loads=FOUR,
            why=causes.OTHER_SIZES,
        ),
        in_size(
            f"At the same capacity, mean response time with pages of 16 KiB is 1.8 times that of the best of 2, 4 and 8 KiB, {QUARTER}, under MSN",
            "figure 10",
            compared("response time", "16 KiB", "the best"),
            [Size(load, 1.8, over_best(load), load) for load in names("MSN")],
            why=causes.BURSTS_DECIDE,
        ),
        best_as_printed(
            "At the same capacity, mean response time is shortest with pages of 4 KiB under Dev, MSN, Ex and Rad and of 16 KiB under Fin1",
            "figure 10",
            causes.OTHER_SIZES,
        ),
        rising(
            "Un-covered updates per page written do not become fewer with larger pages (2 to 16 KiB), under every load",
            "figure 10",
            metric="un-covered updates",
            variants=NAMES,
            margin=0.01,
        ),
        gains(
            "Under Fin1, mean response time is shorter with pages of 16 KiB than of 2 KiB, while un-covered updates per page written change by at most 0.1",
            "figure 10",
            causes.FULL_PAGES,
        ),
    ],
)

PAGES_OF_DATA = GridFigure(
    heading="Page size, on a drive that holds whole pages",
    text=(
        "As before, but the drive holds whole pages of data in a third of its user space, instead of the sectors that the load reads: every page that is "
        "not written as a whole is un-covered then."
    ),
    title="Mean response, over that with pages of 2 KiB, and un-covered updates for each page written",
    variants=variants("", state=WHOLE),
    loads=loads(*FIVE),
    metrics=[RESPONSE, UNCOVERED],
    baseline=NAMES[0],
    chart=charts.lines,
    variants_are="page size",
    claims=[
        rising(
            "On a drive that holds whole pages, un-covered updates per page written do not become fewer with larger pages (2 to 16 KiB), under every load",
            f"{BEYOND}: the state of the drive",
            metric="un-covered updates",
            variants=NAMES,
            margin=0.01,
        ),
    ],
    whole_only=True,
)

FASTER = 8

BUSY = GridFigure(
    heading="Page size, on a busy drive",
    text=(
        f"Not in the source: the surrogates once more, their requests {FASTER} times as fast, to see what the published rates have to do with the best "
        "page. Not aged, capacity kept."
    ),
    title="Mean response, over that with pages of 2 KiB, and un-covered updates for each page written",
    variants=variants(""),
    loads=[
        Load(f"{trace} surrogate ×{FASTER}", {**load.keys, "compress_time": FASTER}, load.quick)
        for trace in FIVE
        for load in [surrogate(trace)]
    ],
    metrics=[RESPONSE, UNCOVERED],
    baseline=NAMES[0],
    chart=charts.lines,
    variants_are="page size",
    claims=[],
    whole_only=True,
)

TIMES = (2, 4, 8)
"""By how much the capacity grows."""
AS_IT_IS, PAGES, CHIPS = "as it is", "larger pages", "more chips"


def grown(times: int) -> Sequence[Variant]:
    """The drive, and two ways to give it several times its capacity: of its panel all loads fall in the same share."""
    ways: Sequence[tuple[str, Keys, int]] = (
        (AS_IT_IS, {}, 1),
        (PAGES, page(2 * times, keep_capacity=False), times),
        (CHIPS, {"geometry.chips_per_channel": 4 * times}, times),
    )
    return [
        variant(name, dynamic("CWDP"), keys, panel=f"{times} times the capacity", grown=factor)
        for name, keys, factor in ways
    ]


CAPACITY = GridFigure(
    heading="Capacity by more chips or by larger pages",
    text=(
        "The alternative of the source's first insight: the 4-4-2-2 drive with pages of 2 KiB, and the drive with 2, 4 and 8 times its capacity, by pages of 4, 8 and 16 KiB or by "
        "8, 16 and 32 chips on each channel. Dynamic allocation, basic commands, not aged."
    ),
    title="Mean response over that of the drive as it is",
    variants=[entry for times in TIMES for entry in grown(times)],
    loads=loads(*FIVE),
    metrics=[RESPONSE],
    baseline=AS_IT_IS,
    chart=charts.bars,
    claims=[
        ordering(
            "Mean response time is shorter with more chips than with larger pages, at 2, 4 and 8 times the capacity, under every load",
            "first insight",
            metric="response time",
            of=CHIPS,
            than=PAGES,
            relation="below",
            why=causes.FEWER_PAGES,
        ),
        ordering(
            "Mean response time with more chips is not longer than on the drive as it is, at 2, 4 and 8 times the capacity, under every load",
            "first insight",
            metric="response time",
            of=CHIPS,
            than=AS_IT_IS,
            relation="not above",
            margin=0.005,
            note="less than 0.5 % counts as nothing",
        ),
    ],
)
