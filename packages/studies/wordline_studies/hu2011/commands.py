"""C1, C2 and C4: the advanced commands one by one, on a single channel; multi-plane reads are in `reads`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wordline.points.outcome import Outcome
from wordline.statistics import Interval
from wordline.studies import charts
from wordline.studies.claims import Case, compared, decided, finding, ordering
from wordline.studies.grid import GridFigure, Judge, Metric, Variant
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim
from wordline_studies.hu2011 import causes
from wordline_studies.hu2011.drives import (
    ERASES,
    RESPONSE,
    STATES,
    WISE_PLANES,
    Keys,
    dynamic,
    static,
    variant,
)
from wordline_studies.hu2011.loads import SIX, loads, names
from wordline_studies.hu2011.sizes import QUARTER, Size, in_size, ratios

THREE = names("Dev", "MSN", "Ex")
BASIC, INTERLEAVED = "basic", "interleave"
"""Variants without the advanced commands of a figure, and with some."""
CLOSE = 0.05
"""By how much a ratio may miss 1 and count as close to it."""


def skipped(outcome: Outcome) -> float | None:
    """Pages given up for each copy-back; nothing without any."""
    given_up, copies = outcome.number("ftl.pages_skipped"), outcome.number("ftl.copy_backs")
    return given_up / copies if given_up is not None and copies else None


SKIPPED = Metric("pages given up", skipped, "per copy-back", relative=False)


def given_up(load: str) -> Callable[[Measured], Interval | None]:
    """Pages given up for each blind copy-back under a load."""
    return lambda measured: measured.value(SKIPPED.name, "", "blind", load)


COPY_BACK = GridFigure(
    heading="Copy-back",
    text=(
        "One channel (1-4-2-2), aged, dynamic allocation: pages are moved through the controller, by copy-back wherever possible (`blind`, pages of the wrong parity are "
        "skipped) or where parities agree (`wise`)."
    ),
    title="Mean response and erases over those with basic commands",
    variants=[
        variant("basic", dynamic("CWDP"), channels=1, aged=True),
        variant("blind", dynamic("CWDP"), {"commands.copyback": "blind"}, channels=1, aged=True),
        variant("wise", dynamic("CWDP"), {"commands.copyback": "wise"}, channels=1, aged=True),
    ],
    loads=loads(*SIX),
    metrics=[RESPONSE, ERASES, SKIPPED],
    baseline="basic",
    chart=charts.bars,
    claims=[
        *(
            in_size(
                f"On aged drives, {said} with blind copy-back is {printed:g} times that with basic commands, {QUARTER}, under MSN",
                "figure 14",
                compared(metric, "blind", "basic"),
                ratios({"MSN": printed}, metric, "blind", "basic"),
                why=causes.LITTLE_MOVED,
            )
            for said, metric, printed in (
                ("the number of erased blocks", "erased blocks", 17.8),
                ("mean response time", "response time", 7.7),
            )
        ),
        in_size(
            "On aged drives, half of the blind copy-backs give up a page, within a quarter of that, under every load",
            "figure 14",
            "pages given up, blind",
            [Size(load.name, 0.5, given_up(load.name), load.name) for load in loads(*SIX)],
            nothing=0,
            unit=" per copy-back",
        ),
        ordering(
            "More blocks are erased with blind copy-back than with basic commands, on aged drives, under Dev, MSN and Ex",
            "figure 14",
            metric="erased blocks",
            of="blind",
            than="basic",
            relation="above",
            loads=THREE,
            why=causes.LITTLE_MOVED,
        ),
        ordering(
            "Mean response time is longer with blind copy-back than with basic commands, on aged drives, under Dev, MSN and Ex",
            "figure 14",
            metric="response time",
            of="blind",
            than="basic",
            relation="above",
            loads=THREE,
            why=causes.CHANNEL_FREED,
        ),
        ordering(
            "Mean response time is no longer with wise copy-back than with basic commands, on aged drives, under every load",
            "figure 14",
            metric="response time",
            of="wise",
            than="basic",
            relation="not above",
            why="a tenth of a percent, less than the interval",
        ),
        ordering(
            "At most 1 % more blocks are erased with wise copy-back than with basic commands, on aged drives, under every load",
            "figure 14",
            metric="erased blocks",
            of="wise",
            than="basic",
            relation="not above",
            margin=0.01,
        ),
    ],
)

MODES: dict[str, Keys] = {"dynamic": dynamic("CPWD"), "static s3": static("CPWD")}
"""Allocation with the plane next to the channel."""


def on_one_side(one: float, other: float) -> bool:
    """Whether two ratios say the same: both below 1 or both not."""
    return (one < 1) == (other < 1)


def alike(text: str, where: str, metric: str, why: str) -> Judge:
    """The claim that blind multi-plane writes do the same under both allocations."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for load in measured.loads:
            ratios = [measured.ratio(metric, panel, "blind", "basic", load) for panel in MODES]
            one, other = ratios
            if not (one and other):
                cases.append(Case(load, None))
                continue
            shown = f"{one.mean:.3f} and {other.mean:.3f}"
            certain = decided(on_one_side, one, other)
            cases.append(Case(load, on_one_side(one.mean, other.mean), shown, certain))
        ours = "; ".join(f"{case.name} {case.shown}" for case in cases if case.holds is not None)
        return finding(
            text,
            where,
            f"{compared(metric, 'blind', BASIC)}, {' and '.join(MODES)}: {ours}",
            cases,
            why=why,
        )

    return judge


MULTI_PLANE_WRITE = GridFigure(
    heading="Multi-plane writes",
    text=(
        "One channel, aged: dynamic allocation (channel > plane > chip) and static s3. Multi-plane writes wherever possible (`blind`, pages are skipped in the plane that is behind) or where the "
        "planes are aligned (`wise`)."
    ),
    title="Mean response and erases over those with basic commands",
    variants=[
        variant(name, keys, commands, panel=panel, channels=1, aged=True)
        for panel, keys in MODES.items()
        for name, commands in (
            ("basic", {}),
            ("blind", {"commands.multi_plane_write": "blind"}),
            ("wise", WISE_PLANES),
        )
    ],
    loads=loads(*SIX),
    metrics=[RESPONSE, ERASES],
    baseline="basic",
    chart=charts.bars,
    claims=[
        ordering(
            "Mean response time is shorter with blind multi-plane writes than with basic commands, on aged drives, under every load",
            "figure 16",
            metric="response time",
            of="blind",
            than="basic",
            relation="below",
            why=causes.PAIRS_COST_ERASES,
        ),
        ordering(
            "More blocks are erased with blind multi-plane writes than with basic commands, on aged drives, under every load",
            "figure 16",
            metric="erased blocks",
            of="blind",
            than="basic",
            relation="above",
        ),
        ordering(
            "Mean response time with wise multi-plane writes is within 5 % of that with basic commands, on aged drives, under every load",
            "figure 16",
            metric="response time",
            of="wise",
            than="basic",
            relation="equal to",
            margin=CLOSE,
        ),
        ordering(
            "With wise multi-plane writes as many blocks are erased as with basic commands, within 5 %, on aged drives, under every load",
            "figure 16",
            metric="erased blocks",
            of="wise",
            than="basic",
            relation="equal to",
            margin=CLOSE,
        ),
        alike(
            "Blind multi-plane writes, compared with basic commands, shorten mean response time under both dynamic and static allocation or under neither, on aged drives, under every load",
            "figure 16",
            "response time",
            causes.WRITES_ELSEWHERE,
        ),
    ],
)


def on_and_off(modes: dict[str, Keys], name: str, commands: Keys) -> Sequence[Variant]:
    """Drives with and without the commands called `name`, not aged and aged."""
    return [
        variant(used, keys, more, panel=f"{mode}, {state}", channels=1, aged=state == "aged")
        for state in STATES
        for mode, keys in modes.items()
        for used, more in ((BASIC, {}), (name, commands))
    ]


INTERLEAVE = GridFigure(
    heading="Interleave",
    text="One channel: dynamic allocation (channel > die > chip) and static s4, not aged and aged; with interleave and without.",
    title="Mean response and erases over those without interleave",
    variants=on_and_off(
        {"dynamic": dynamic("CDWP"), "static s4": static("CDWP")},
        INTERLEAVED,
        {"commands.interleave": True},
    ),
    loads=loads(*SIX),
    metrics=[RESPONSE, ERASES],
    baseline=BASIC,
    chart=charts.bars,
    claims=[
        ordering(
            "Mean response time is no longer with interleave than with basic commands, aged or not, under every load",
            "figure 17",
            metric="response time",
            of=INTERLEAVED,
            than=BASIC,
            relation="not above",
            margin=0.005,
            note="less than 0.5 % counts as nothing",
            why=causes.HOLDS_CHIP,
        ),
        ordering(
            "As many blocks are erased with interleave as with basic commands, within 2 %, on aged drives, under every load",
            "figure 17",
            metric="erased blocks",
            of=INTERLEAVED,
            than=BASIC,
            relation="equal to",
            margin=0.02,
            panels=["dynamic, aged", "static s4, aged"],
            why=causes.FEW_ERASES,
        ),
        ordering(
            "With static allocation s4, interleave changes mean response time by at most 1 %, compared with basic commands, under Fin1 and Fin2",
            "figure 17",
            metric="response time",
            of=INTERLEAVED,
            than=BASIC,
            relation="equal to",
            margin=0.01,
            panels=["static s4, not aged", "static s4, aged"],
            loads=names("Fin1", "Fin2"),
            why=causes.SPANS_TWO,
        ),
    ],
)
