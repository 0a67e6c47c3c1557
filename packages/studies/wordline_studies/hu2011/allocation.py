"""A1: static and dynamic allocation."""

from __future__ import annotations

from operator import lt

from wordline.studies import charts
from wordline.studies.claims import Case, compared, decided, finding, ordering, places
from wordline.studies.grid import GridFigure, Judge
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim
from wordline_studies.hu2011 import causes
from wordline_studies.hu2011.drives import READ, RESPONSE, STATES, WRITE, dynamic, static, variant
from wordline_studies.hu2011.loads import SIX, loads, names

DYNAMIC, STATIC = "dynamic", "static s2"


def lead_grows(text: str, where: str, why: str) -> Judge:
    """The claim that dynamic allocation shortens writes by more on an aged drive."""

    def judge(measured: Measured) -> Claim:
        cases, leads = [], []
        for name, _, load in places(measured, ["aged"], None):
            load_name = name.removesuffix(", aged")
            both = [
                measured.ratio("write response time", panel, DYNAMIC, STATIC, load)
                for panel in STATES
            ]
            before, after = both
            if not (before and after):
                cases.append(Case(load_name, None))
                continue
            shown = f"{before.mean:.3f} → {after.mean:.3f}"
            leads.append(after.mean / before.mean)
            certain = decided(lt, after, before)
            cases.append(Case(load_name, lt(after.mean, before.mean), shown, certain))
        ours = "; ".join(f"{case.name} {case.shown}" for case in cases if case.holds is not None)
        return finding(
            text,
            where,
            f"{compared('write response time', DYNAMIC, STATIC)}, not aged → aged: {ours}",
            cases,
            why=why,
        )

    return judge


FIGURE = GridFigure(
    heading="Static and dynamic allocation",
    text="The 4-4-2-2 drive, basic commands: static s2 (channel > chip > die > plane) and dynamic (channel > chip), not aged and aged.",
    title="Mean response over that of static allocation s2",
    variants=[
        variant(name, keys, panel=panel, aged=panel == "aged")
        for panel in STATES
        for name, keys in ((STATIC, static("CWDP")), (DYNAMIC, dynamic("CWDP")))
    ],
    loads=loads(*SIX),
    metrics=[READ, WRITE, RESPONSE],
    baseline=STATIC,
    chart=charts.bars,
    claims=[
        ordering(
            "Mean read response time is longer with dynamic allocation than with static s2, aged or not, under every load",
            "figure 12",
            metric="read response time",
            of=DYNAMIC,
            than=STATIC,
            relation="above",
            why=causes.READ_AT_ONCE,
        ),
        ordering(
            "On drives that are not aged, mean write response time is shorter with dynamic allocation than with static s2, under every load",
            "figure 12",
            metric="write response time",
            of=DYNAMIC,
            than=STATIC,
            relation="below",
            panels=["not aged"],
            why=causes.NOTHING_WAITS,
        ),
        ordering(
            "On drives that are not aged, mean response time is shorter with dynamic allocation than with static s2, under Fin2, MSN, Ex and Fin1",
            "figure 12",
            metric="response time",
            of=DYNAMIC,
            than=STATIC,
            relation="below",
            panels=["not aged"],
            loads=names("Fin2", "MSN", "Ex", "Fin1"),
            why=causes.NOTHING_WAITS,
        ),
        ordering(
            "On drives that are not aged, mean response time is not shorter with dynamic allocation than with static s2, under Web and Dev",
            "figure 12",
            metric="response time",
            of=DYNAMIC,
            than=STATIC,
            relation="not below",
            margin=0.005,
            panels=["not aged"],
            loads=names("Web", "Dev"),
            note="less than 0.5 % counts as nothing",
        ),
        lead_grows(
            "Dynamic allocation shortens mean write response time, compared with static s2, by more when aged than when not, under every load",
            "figure 12",
            causes.RARE_WRITES,
        ),
        ordering(
            "On aged drives, mean response time is shorter with dynamic allocation than with static s2, under Dev, Fin2, MSN, Ex and Fin1",
            "figure 12",
            metric="response time",
            of=DYNAMIC,
            than=STATIC,
            relation="below",
            panels=["aged"],
            loads=names("Dev", "Fin2", "MSN", "Ex", "Fin1"),
            why=causes.SCATTERED,
        ),
    ],
)
