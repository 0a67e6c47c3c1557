"""How fast the loads of the experiments on response times are: what sets their speed, and which traces are slower."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wordline.studies import charts
from wordline.studies.claims import Case, finding
from wordline.studies.grid import GridFigure, Judge, Load, Metric
from wordline.studies.measured import Measured
from wordline.studies.verdict import BEYOND, Claim
from wordline_studies.cui2018_dlv.curves import LOGGED, OBSERVERS, WRITES_WITHIN
from wordline_studies.cui2018_dlv.drives import AMPLIFICATION, BUSY, RESPONSE, scheme, schemes
from wordline_studies.cui2018_dlv.loads import COMPRESSION, SLOWER, faster, load

SPEEDS = (1.0, 30.0, 75.0, 150.0, 232.0, COMPRESSION, 464.0)
"""Speeds at which hm0 is run."""
STEP = math.sqrt(2)
"""From one speed of a slower trace to the next."""

FIGURE = GridFigure(
    heading="The speed of the loads",
    text=(
        "The source prints of its baseline that 60.1 % of the writes of hm0 end within 2 ms. At the rate at which hm0 was recorded nearly all of ours do, so time is compressed. Shown is that share by the compression; the one with the printed share holds for all traces, "
        "in all experiments on response times. It is the only number of the study that is inferred, and from the baseline alone."
    ),
    title="Writes of hm0 within 2 ms in the baseline, by compression",
    variants=[scheme("baseline", LOGGED)],
    loads=[load("hm0", speed, name=faster("hm0", speed)) for speed in SPEEDS],
    metrics=[WRITES_WITHIN, BUSY, AMPLIFICATION],
    chart=charts.bars,
    claims=[],
    observers=OBSERVERS,
    whole_only=True,
)


def two_speeds(volume: str) -> Sequence[Load]:
    """A slower trace at the speed of the experiments, and at the next one."""
    own = SLOWER[volume]
    return [
        load(volume, speed, name=faster(volume, round(speed, 1))) for speed in (own, own * STEP)
    ]


TRIED = ("baseline", "ROO")
"""The schemes that bear least."""
PLAIN_RESPONSE = Metric("response", str(RESPONSE.value), relative=False)


def largest(text: str) -> Judge:
    """The claim that each slower trace runs at its own speed with every scheme, and overloads one of them at the next speed."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for volume in SLOWER:
            overloaded = [
                any(
                    measured.value(PLAIN_RESPONSE.name, "", name, each.name) is None
                    for name in TRIED
                )
                for each in two_speeds(volume)
            ]
            cases.append(Case(volume, overloaded == [False, True]))
        ours = f"speeds: in {sum(bool(case.holds) for case in cases)} of {len(cases)} traces"
        number = f"speeds: in {sum(bool(case.holds) for case in cases)} of {len(cases)} cases"
        return finding(text, BEYOND, ours, cases, number=number)

    return judge


SLOW = GridFigure(
    heading="Traces that are slower",
    text=(
        f"At {COMPRESSION:g} times their rates these traces overload the drive, as their pages a second let expect. Each runs at the largest speed at which none of the four main schemes is overloaded with any seed, which baseline and ROO, those that bear least, decide, in steps of the square root of two down from {COMPRESSION:g}; shown are that speed and the next one. "
        "A drive is overloaded if it could not keep up with its load in a run (the note of that name)."
    ),
    title="Response under the slower traces",
    variants=schemes(TRIED),
    loads=[each for volume in SLOWER for each in two_speeds(volume)],
    metrics=[PLAIN_RESPONSE, BUSY],
    chart=charts.bars,
    claims=[
        largest(
            f"Slower traces overload baseline or ROO at the next speed and neither at their own: {', '.join(SLOWER)}"
        )
    ],
    whole_only=True,
)
