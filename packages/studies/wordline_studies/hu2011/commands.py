"""C1 to C4: the advanced commands one by one, on a single channel."""

from __future__ import annotations

from collections.abc import Sequence

from wordline.studies import charts
from wordline.studies.claims import Case, compared, decided, finding, ordering
from wordline.studies.grid import GridFigure, Judge, Metric, Variant
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim
from wordline_studies.hu2011.drives import (
    ERASES,
    RESPONSE,
    STATES,
    Keys,
    dynamic,
    static,
    variant,
)
from wordline_studies.hu2011.loads import SIX, loads, names

NOTHING = 0.001
"""Gain below which there is none."""
THREE = names("Dev", "MSN", "Ex")
BASIC, READS, INTERLEAVED = "basic", "multi-plane reads", "interleave"
"""Variants without the advanced commands of a figure, and with some."""
CLOSE = 0.05
"""By how much a ratio may miss 1 and count as close to it."""

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
    metrics=[RESPONSE, ERASES],
    baseline="basic",
    chart=charts.bars,
    claims=[
        ordering(
            "More blocks are erased with blind copy-back than with basic commands, on aged drives, under Dev, MSN and Ex",
            "figure 14",
            metric="erased blocks",
            of="blind",
            than="basic",
            relation="above",
            loads=THREE,
            why="the excerpt of MSN writes too little for skipped pages to fill a block",
        ),
        ordering(
            "Mean response time is longer with blind copy-back than with basic commands, on aged drives, under Dev, MSN and Ex",
            "figure 14",
            metric="response time",
            of="blind",
            than="basic",
            relation="above",
            loads=THREE,
            why=(
                "a move by copy-back leaves the channel free, and few pages are moved (6 % of a victim are valid). The time for "
                "additional erases because of skipped pages is less than the time that other requests no longer wait. The last "
                "figure has drives with more valid data and with none"
            ),
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
            ("wise", {"commands.multi_plane_write": "wise"}),
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
            why=(
                "two writes of Fin2 seldom wait at the same time; under Ex with static allocation the additional erases take longer than the combined programs save"
            ),
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
            why="wise multi-plane writes still find pairs where writes wait, by opening free blocks of the same index in both planes; under Ex a third of the pages are written in this way",
        ),
        ordering(
            "With wise multi-plane writes as many blocks are erased as with basic commands, within 5 %, on aged drives, under every load",
            "figure 16",
            metric="erased blocks",
            of="wise",
            than="basic",
            relation="equal to",
            margin=CLOSE,
            why=(
                "no page is skipped, but each pair opens free blocks and leaves partly written blocks open. These are filled "
                "later and cannot be collected before, so more blocks must be erased for the same number of pages: under Ex 9 % "
                "more"
            ),
        ),
        alike(
            "Blind multi-plane writes, compared with basic commands, shorten mean response time under both dynamic and static allocation or under neither, on aged drives, under every load",
            "figure 16",
            "response time",
            "s3 puts the two pages of a small request into two planes of one die, which only a multi-plane write programs "
            "at the same time; under Ex the additional erases delay writes that static allocation cannot send elsewhere",
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


SPEED_UP = Metric("speed-up", "host.all.latency.mean_us", inverse=True)


def largest(text: str, where: str, traces: Sequence[str], why: str) -> Judge:
    """The claim that the speed-up is largest for these traces, in each panel and kind of load."""

    def judge(measured: Measured) -> Claim:
        cases, said = [], []
        for panel in measured.panels:
            for kind in ("surrogate", "excerpt"):
                gains = {
                    load: gain
                    for load in measured.loads
                    if load.endswith(kind)
                    and (gain := measured.ratio("speed-up", panel, READS, BASIC, load))
                }
                if len(gains) < 2:
                    cases.append(Case(f"{kind}s, {panel}", None))
                    continue
                best = max(gains, key=lambda load: gains[load].mean)
                if gains[best].mean < 1 + NOTHING:
                    cases.append(Case(f"{kind}s, {panel}", None))
                    continue

                def holds(*found: float, names: Sequence[str] = tuple(gains)) -> bool:
                    return names[found.index(max(found))].split()[0] in traces

                shown = f"{best} {gains[best].mean:.3f}"
                said.append(f"{panel}: {shown}")
                verdict = holds(*(gain.mean for gain in gains.values()))
                certain = decided(holds, *gains.values())
                cases.append(Case(f"{kind}s, {panel}", verdict, shown, certain))
        return finding(
            text,
            where,
            f"largest speed-up by {READS}: {'; '.join(said)}",
            cases,
            why=why,
            note="if no gain is 0.1 % or more, there is no case",
        )

    return judge


MULTI_PLANE_READ = GridFigure(
    heading="Multi-plane reads",
    text="One channel: dynamic allocation (channel > plane > chip) and static s3, not aged and aged; with multi-plane reads and without.",
    title="Speed-up of the mean response by multi-plane reads",
    variants=on_and_off(MODES, READS, {"commands.multi_plane_read": True}),
    loads=loads(*SIX),
    metrics=[SPEED_UP],
    baseline=BASIC,
    chart=charts.bars,
    claims=[
        ordering(
            "Mean response time is no longer with multi-plane reads than with basic commands, aged or not, under every load",
            "table 4",
            metric="speed-up",
            of=READS,
            than=BASIC,
            relation="not below",
            margin=0.005,
            note="less than 0.5 % counts as nothing",
            why="combined reads keep the chip busy until the data of both have been transferred",
        ),
        ordering(
            "Mean response time with basic commands is at most 20 % longer than with multi-plane reads, aged or not, under every load",
            "table 4",
            metric="speed-up",
            of=READS,
            than=BASIC,
            relation="not above",
            margin=0.2,
        ),
        largest(
            "Of Web, Dev, Fin2, MSN, Ex and Fin1, Web or Dev has the largest speed-up of mean response time by multi-plane reads over basic commands",
            "table 4",
            ("Web", "Dev"),
            "nothing gains much: two reads of one die seldom wait at one block and page index, on an aged drive hardly ever. What wait together are the two pages of a small "
            "request, so that Fin2 gains most",
        ),
        ordering(
            "Multi-plane reads change mean response time by at most 2 %, compared with basic commands, under Fin1, Fin2 and Ex",
            "table 4",
            metric="speed-up",
            of=READS,
            than=BASIC,
            relation="equal to",
            margin=0.02,
            loads=names("Fin1", "Fin2", "Ex"),
        ),
    ],
)

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
            why=(
                "an interleaved read keeps the chip busy until the data of both dies have been transferred, since the "
                "controller sees only one ready signal for the chip; where reads queue, as under Dev, the next one must wait "
                "for both transfers"
            ),
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
            why=(
                "a small request that begins at any sector often spans two pages of 2 KiB. s4 puts them on the two dies of a chip, and without interleave the second waits "
                "for the first: 127 µs of a mean write of Fin1, 11 µs with it"
            ),
        ),
    ],
)
