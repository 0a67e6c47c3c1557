"""R4, R5, R8, R10: life by requirement and policy."""

from __future__ import annotations

from wordline.lifetimes import Lifetime
from wordline.report.section import Figure, Row
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict
from wordline_studies.mohan_refresh.common import (
    SERVERS,
    YEAR,
    bars,
    falling,
    horizon,
    lasts,
    months_of,
    of,
    required,
    shown,
    study,
)

POLICIES = ("remaining", "last_moment", "periodic", "oracle")
BOUNDED = ("1 year", "3 months")
"""Requirements at which the other policies are studied too."""
WHY = (
    "one end of life holds for both drives: it comes when less is left of the retention of a tenth of the blocks than is required. These loads overwrite what they write within days, and what they never write lies "
    "in blocks that were young when it was written: without refresh next to no data are old when new data are kept too short, so that refresh has nothing to save (the oracle, at no cost, gains as little). What refresh does "
    "cost is wear: a block that cannot keep data as long as required is written anew at every look, until a tenth of the blocks is like it"
)


def refreshing(load: str, policy: str, value: float, *, quick: bool) -> Lifetime:
    """A study of a drive that refreshes its blocks."""
    return study(load, policy, value, quick=quick, months=horizon(load, quick=quick))


def lives(quick: bool) -> Part:
    """Life by load, requirement and policy."""
    rows: list[Row] = []
    gains: dict[tuple[str, str], float] = {}
    in_order: list[bool] = []
    for name in of(quick):
        for words, value in required(quick).items():
            before = lasts(name, value, quick=quick)
            found = {
                policy: refreshing(name, policy, value, quick=quick)
                for policy in POLICIES
                if policy == "remaining" or (words in BOUNDED and not quick)
            }
            lived = {policy: months_of(own) for policy, own in found.items()}
            lost = found["remaining"].summary["refresh.first_lost_s"]
            last = found["remaining"].snapshots
            rows.append(
                {
                    "load": name,
                    "required": words,
                    "none": before,
                    **{policy: lived.get(policy) for policy in POLICIES},
                    "blocks refreshed": found["remaining"].summary["refresh.blocks"],
                    "first data lost (days)": None if lost is None else float(lost) / 86_400,
                    "blocks short at the end": int(last["blocks_short"][-1]),
                }
            )
            after = lived["remaining"]
            if before is not None and after is not None:
                gains[name, words] = after / before - 1
            if before is not None and lived.get("oracle") is not None:
                in_order.append(falling([float(lived["oracle"] or 0), float(after or 0)], 0.03))
    names, all_words = list(of(quick)), list(required(quick))
    by_load = {
        name: [gains[name, words] for words in all_words if (name, words) in gains]
        for name in names
    }
    ranked = sorted(names, key=lambda name: SERVERS[name].writes_per_day)
    less = []
    for words in all_words:
        of_words = [gains[name, words] for name in ranked if (name, words) in gains]
        if len(of_words) > 1:
            less.append(falling(of_words, 0.02))
    told = "gain of life (ratio): " + "; ".join(
        f"{name} {shown(by_load[name], 2)}" for name in names
    )
    more = []
    for name in names:
        own = refreshing(name, "remaining", YEAR, quick=quick)
        life, before = months_of(own), lasts(name, YEAR, quick=quick)
        if life is not None and before is not None:
            more.append(float(own.summary["refresh.pages"] or 0) > 0 and life > before)
    chart: list[Row] = [
        {"load and requirement": f"{name}, {words}", "gain": gain, "load": name}
        for (name, words), gain in gains.items()
    ]
    assumed = ", ".join(name for name in names if not SERVERS[name].sizes_are_published)
    return Part(
        "Life by requirement and policy",
        "The same end for all: less is left of the retention of a tenth of the blocks than is required, of data that they hold or, where they hold none, of data that are written then. `remaining` refreshes a block when what is left of its retention falls "
        "to the requirement, `last_moment` weak blocks when their data are about to fade, `periodic` every block after the required time, `oracle` as `remaining` at no cost. Months of 30 days, up to 60 years.",
        Figure(
            "Gain of life by refresh",
            bars(chart, ("load and requirement", ""), ("gain", "gain of life"), "load"),
            rows,
        ),
        [
            Claim(
                "Refresh extends life for every load and every requirement",
                "R4",
                told,
                Verdict.of_cases([gain > 0 for gain in gains.values()]),
                WHY,
            ),
            Claim(
                "The gain shrinks as the requirement does, for every load",
                "R5",
                told,
                Verdict.of_cases([falling(by_load[name], 0.02) for name in names]),
                "there is no gain that could shrink: the loss does, as blocks fall from a month to nothing within a tenth of their life",
            ),
            Claim(
                "Loads that write less gain more, at every requirement",
                "R8",
                "; ".join(
                    f"{words}: {shown([gains.get((name, words)) for name in ranked], 2)}"
                    for words in all_words
                ),
                Verdict.of_cases(less),
                f"in the order of writes: {', '.join(ranked)}; that order hangs on sizes of requests, which are assumed for {assumed or 'none'}",
            ),
            Claim(
                "Refresh adds writes and still lengthens life",
                "R10",
                "; ".join(
                    f"{name} {float(refreshing(name, 'remaining', YEAR, quick=quick).summary['refresh.pages'] or 0):,.0f} pages"
                    for name in names
                ),
                Verdict.of_cases(more),
                "it adds writes, and they shorten life here",
            ),
            Claim(
                "Refresh without costs in time and wear lets a drive live as long as refresh with them at least",
                "beyond the source (invariant 7)",
                f"{len(in_order)} comparisons",
                Verdict.of_cases(in_order),
                "within 3 %, the error of studies that skip time",
            ),
        ],
        open_table=True,
    )
