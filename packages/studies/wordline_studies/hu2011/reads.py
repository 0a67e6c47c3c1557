"""C3: multi-plane reads, with as many chips on the channel as in table 4 and with fewer, and the command alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wordline.studies import charts
from wordline.studies.claims import Case, compared, decided, finding, ordering
from wordline.studies.grid import GridFigure, Judge, Load, Metric, Variant
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim
from wordline_studies.hu2011 import causes
from wordline_studies.hu2011.commands import BASIC, MODES, on_and_off
from wordline_studies.hu2011.drives import SPACE, STATES, UNAGED, dynamic, static
from wordline_studies.hu2011.loads import SIX, loads, names, surrogate
from wordline_studies.hu2011.sizes import GAIN, Size, in_size, ratios

NOTHING = 0.001
"""Gain below which there is none."""
READS = "multi-plane reads"
"""The variant with them."""
LONE = "lone reads"
"""A load of reads that never meet."""

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


TABLE_4: Mapping[str, Mapping[str, float]] = {
    "dynamic": {"Web": 1.15, "Dev": 1.11, "Fin2": 1.02, "MSN": 1.04, "Ex": 1.00, "Fin1": 1.00},
    "static s3": {"Web": 1.09, "Dev": 1.01, "Fin2": 1.00, "MSN": 1.01, "Ex": 1.00, "Fin1": 1.00},
}
"""Speed-up of the mean response by multi-plane reads."""

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
        *(
            in_size(
                f"With {said}, mean response time with basic commands over that with multi-plane reads is as printed, {GAIN}, aged or not, under every load",
                "table 4",
                compared("speed-up", READS, BASIC),
                ratios(row, "speed-up", READS, BASIC, [f"{named}, {state}" for state in STATES]),
                why=causes.HIDDEN,
            )
            for named, said in (
                ("dynamic", "dynamic allocation"),
                ("static s3", "static allocation s3"),
            )
            for row in [TABLE_4[named]]
        ),
        ordering(
            "Mean response time is no longer with multi-plane reads than with basic commands, aged or not, under every load",
            "table 4",
            metric="speed-up",
            of=READS,
            than=BASIC,
            relation="not below",
            margin=0.005,
            note="less than 0.5 % counts as nothing",
            why=causes.HOLDS_CHIP,
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
            causes.HIDDEN,
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

CHIPS = (1, 2, 4)
"""Chips of the channel."""

BY_CHIPS = GridFigure(
    heading="Multi-plane reads by chips",
    text="One channel with one, two and four chips, dynamic allocation (channel > plane > chip), not aged: the fewer chips a channel has, the more reads wait for one die.",
    title="Speed-up of the mean response by multi-plane reads, by chips",
    variants=[
        Variant(
            name,
            "hu2011",
            {
                **UNAGED,
                "geometry.channels": 1,
                "geometry.chips_per_channel": chips,
                **dynamic("CPWD"),
                **commands,
            },
            f"{chips} chip{'s' if chips > 1 else ''}",
            f"{SPACE // 4 * chips} MiB",
        )
        for chips in CHIPS
        for name, commands in ((BASIC, {}), (READS, {"commands.multi_plane_read": True}))
    ],
    loads=[surrogate(trace) for trace in SIX],
    metrics=[SPEED_UP],
    baseline=BASIC,
    chart=charts.bars,
    claims=[],
    whole_only=True,
)

ISOLATED = GridFigure(
    heading="A multi-plane read alone",
    text="Reads of 4 KiB, two pages of one die, a long time apart, static allocation s3, one channel, not aged, without the time of software: the command of two pages that the source times alone.",
    title="Speed-up of the response of a lone read of two pages by multi-plane reads",
    variants=[
        Variant(
            name,
            "hu2011",
            {
                **UNAGED,
                "geometry.channels": 1,
                "firmware.enabled": False,
                **static("CPWD"),
                **commands,
            },
            space=f"{SPACE} MiB",
        )
        for name, commands in ((BASIC, {}), (READS, {"commands.multi_plane_read": True}))
    ],
    loads=[
        Load(
            LONE,
            {
                "kind": "random",
                "read_fraction": 1.0,
                "request_size": "4 KiB",
                "align": "4 KiB",
                "arrival": "fixed",
                "interarrival": "10 ms",
                "requests": 1_000,
            },
        )
    ],
    metrics=[SPEED_UP],
    baseline=BASIC,
    chart=charts.bars,
    claims=[
        in_size(
            f"Mean response time of lone reads with basic commands over that with multi-plane reads is 1.16, {GAIN}",
            "table 4",
            compared("speed-up", READS, BASIC),
            [
                Size(
                    LONE,
                    1.16,
                    lambda measured: measured.ratio("speed-up", "", READS, BASIC, LONE),
                )
            ],
        )
    ],
)
