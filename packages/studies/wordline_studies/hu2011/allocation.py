"""A1 and A2: static and dynamic allocation."""

from __future__ import annotations

from operator import lt
from statistics import pstdev

from wordline.points.outcome import Outcome
from wordline.studies import charts
from wordline.studies.claims import Case, compared, decided, finding, ordering, places
from wordline.studies.grid import GridFigure, Judge, Metric
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim
from wordline_studies.hu2011.drives import READ, RESPONSE, STATES, WRITE, dynamic, static, variant
from wordline_studies.hu2011.loads import SIX, loads, names

DYNAMIC, STATIC = "dynamic", "static s2"
OBSERVERS = ("gc_onset", "plane_erases")


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
    observers=OBSERVERS,
    chart=charts.bars,
    claims=[
        ordering(
            "Mean read response time is longer with dynamic allocation than with static s2, aged or not, under every load",
            "figure 12",
            metric="read response time",
            of=DYNAMIC,
            than=STATIC,
            relation="above",
            why="the excerpt of Web has almost no writes, so both drives hold the same data in the same places",
        ),
        ordering(
            "On drives that are not aged, mean write response time is shorter with dynamic allocation than with static s2, under every load",
            "figure 12",
            metric="write response time",
            of=DYNAMIC,
            than=STATIC,
            relation="below",
            panels=["not aged"],
            why="the excerpt of Web has four writes, and none of them waits",
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
            why=(
                "dynamic allocation can save at most the time that writes wait. Under Fin2 they do not wait (the drive is 0.2 % "
                "busy; a write is an un-covered read and a program), while its reads, four of five requests, become slower, "
                "because pages were written to whichever chip was idle"
            ),
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
            "the writes of Fin2 are so rare that none waits for garbage collection",
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
            why=(
                "fails where most requests are reads. Random overwriting has moved neighbouring pages to arbitrary chips, while "
                "static allocation keeps them on different chips: under Dev a read waits 117 µs for other pages of the same "
                "request on the same chip, compared with 32 µs with s2. SSDsim writes data before the run in the order in which "
                "they are read, which avoids this"
            ),
        ),
    ],
)


def spread(outcome: Outcome) -> float:
    """Standard deviation over the planes of their erases."""
    return float(pstdev(outcome.observed["plane_erases"]))


WEAR = GridFigure(
    heading="Wear of planes",
    text="As above, aged: how unevenly the erases are distributed over the 64 planes.",
    title="Standard deviation over the planes of their erases",
    variants=[
        variant(name, keys, aged=True)
        for name, keys in ((STATIC, static("CWDP")), (DYNAMIC, dynamic("CWDP")))
    ],
    loads=loads("Dev", "Ex", "Fin1", "MSN", "Rad"),
    metrics=[Metric("deviation of erases", spread, "erases", relative=False)],
    observers=OBSERVERS,
    chart=charts.bars,
    claims=[
        ordering(
            "On aged drives, erases are spread more evenly over the planes with dynamic allocation than with static s2, under every load",
            "table 3",
            metric="deviation of erases",
            of=DYNAMIC,
            than=STATIC,
            relation="below",
        ),
    ],
)
