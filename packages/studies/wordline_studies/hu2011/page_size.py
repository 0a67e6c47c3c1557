"""P1: page size against un-covered updates."""

from __future__ import annotations

from collections.abc import Sequence

from wordline.studies import charts
from wordline.studies.claims import Case, best_inside, decided, finding, ordering, places, rising
from wordline.studies.grid import GridFigure, Judge, Load, Metric, Variant
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim
from wordline_studies.hu2011.drives import RESPONSE, WRITE, Keys, dynamic, variant
from wordline_studies.hu2011.loads import loads, names, surrogate

SIZES = (2, 4, 8, 16)
"""Page sizes in KiB."""
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


FIGURE = GridFigure(
    heading="Page size",
    text=(
        "The 4-4-2-2 drive, dynamic allocation, basic commands, not aged. Larger pages at the same array times; the blocks of a plane are "
        "reduced so that the capacity stays, or kept so that it grows."
    ),
    title="Mean response, over that with pages of 2 KiB, and un-covered updates for each page written",
    variants=[
        *variants("capacity kept"),
        *variants("blocks kept", keep_capacity=False),
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
            panels=["capacity kept"],
            loads=FOUR,
        ),
        best_inside(
            "At the same capacity, mean response time is shortest with pages of 4 or 8 KiB, neither 2 nor 16, under Dev, MSN, Ex and Rad",
            "figure 10",
            metric="response time",
            variants=NAMES,
            panels=["capacity kept"],
            loads=FOUR,
            why=(
                "at the published rates requests hardly wait for each other (the channels are less than 10 % busy under Ex). "
                "The response time then consists of the transfer of a page and, for an un-covered update, its read; both grow "
                "with the page size. At eight times the rate, waiting for a chip dominates and 4 KiB is best for Ex, as the "
                "figure after the next shows"
            ),
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
            "the writes of Fin1 begin and end at arbitrary sectors, in the surrogate and in the excerpt. With 16 KiB pages "
            "that hold data, twice as many of them are un-covered as with 2 KiB, and none waits long enough for larger "
            "pages to help. On an erased drive fewer are un-covered, but their number still doubles",
        ),
    ],
)

ERASED = GridFigure(
    heading="Page size, on an erased drive",
    text=(
        "As before, but no data are placed before the run: a page holds what the run has written and nothing else, as it does in SSDsim for pages "
        "that are never read. Reads of what was never written are then answered without flash, so only the writes are shown."
    ),
    title="Mean write response, over that with pages of 2 KiB, and un-covered updates for each page written",
    variants=variants("", state={"age.method": "fresh"}),
    loads=loads(*FIVE),
    metrics=[WRITE, UNCOVERED],
    baseline=NAMES[0],
    chart=charts.lines,
    variants_are="page size",
    claims=[
        rising(
            "On an erased drive, un-covered updates per page written do not become fewer with larger pages (2 to 16 KiB), under every load",
            "figure 10",
            metric="un-covered updates",
            variants=NAMES,
            margin=0.01,
        ),
    ],
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
