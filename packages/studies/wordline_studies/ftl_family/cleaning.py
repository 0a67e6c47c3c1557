"""F1, F6, F7 and F10: victim policies, modes of collection, wear levelling, TRIM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from wordline import _wordline
from wordline.studies import charts
from wordline.studies.claims import Case, decided, finding, ordering
from wordline.studies.grid import GridFigure, Judge, Metric
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim
from wordline_studies.ftl_family import sources
from wordline_studies.ftl_family.drives import (
    AMPLIFICATION,
    PAGES_PER_BLOCK,
    Keys,
    pages,
)
from wordline_studies.ftl_family.loads import synthetic

STEADY: Keys = {"age.random_factor": 5.0, "ftl.gc.pool": "drive"}
"""Five random overwrites, and one pool of 1,024 blocks: the model of the closed forms."""
SETTLED = 100_000
"""Requests, about two drive writes, after which a drive that was overwritten evenly is used to another load."""
WARMED: Keys = {"run.warm_up": f"{SETTLED} requests"}
PRECISE = 0.03
"""The closed forms are to hold within so much: a bound of our own for pools of 1,024 blocks."""

CHOICES: Mapping[str, tuple[Keys, tuple[str, int]]] = {
    "random": ({"ftl.gc.victim": "random"}, ("random", 1)),
    "d = 2": ({"ftl.gc.victim": "d_choices", "ftl.gc.d": 2}, ("d_choices", 2)),
    "d = 5": ({"ftl.gc.victim": "d_choices", "ftl.gc.d": 5}, ("d_choices", 5)),
    "d = 10": ({"ftl.gc.victim": "d_choices", "ftl.gc.d": 10}, ("d_choices", 10)),
    "greedy": ({"ftl.gc.victim": "greedy"}, ("greedy", 1)),
    "FIFO": ({"ftl.gc.victim": "fifo"}, ("fifo", 1)),
}
"""Victim policies with a closed form: keys, and its name and draws there."""
SPACES = {"7 %": 0.07, "28 %": 0.28}
"""Over-provisioning."""
BLOCKS = {"64": 64, "256": 256}
"""Pages of a block."""
UTILISATION = Metric("utilisation", "ftl.gc.rho_effective", "share", relative=False)


def panel_of(space: str, block: str) -> str:
    """A panel of the figure on victim policies."""
    return f"{space}, {block} pages a block"


def closed_form(policy: str, draws: int, utilisation: float, pages_per_block: int) -> float:
    """Write amplification at a utilisation."""
    return _wordline.write_amplification(policy, 1 / utilisation - 1, pages_per_block, draws)


def as_worked_out(text: str, where: str) -> Judge:
    """The claim that write amplification is that of the closed form beside the reserve of free blocks."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for panel in measured.panels:
            pages_per_block = int(panel.split()[2])
            for name, (_, form) in CHOICES.items():
                found = measured.value("write amplification", panel, name, "random")
                beside = measured.value("utilisation", panel, name, "random")
                if not (found and beside):
                    cases.append(Case(f"{name}, {panel}", None))
                    continue
                expected = closed_form(*form, beside.mean, pages_per_block)

                def near(value: float, expected: float = expected) -> bool:
                    return abs(value / expected - 1) <= PRECISE

                shown = f"{100 * (found.mean / expected - 1):+.1f} %"
                case = Case(f"{name}, {panel}", near(found.mean), shown, decided(near, found))
                cases.append(case)
        shown = "; ".join(f"{case.name} {case.shown}" for case in cases if case.shown)
        ours = f"write amplification, simulation over closed form: {shown}"
        return finding(text, where, ours, cases)

    return judge


VICTIMS = GridFigure(
    heading="Victim policies",
    text=(
        "Uniform random writes of whole pages to a drive that was overwritten five times, with one pool for all 1,024 blocks. The utilisation is that beside the "
        "free and the open blocks (`ftl.gc.rho_effective`)."
    ),
    title="Write amplification by victim policy, over-provisioning and pages of a block",
    variants=[
        pages(
            name,
            STEADY,
            keys,
            {"ftl.over_provisioning": share, "geometry.pages_per_block": size},
            panel=panel_of(space, block),
        )
        for space, share in SPACES.items()
        for block, size in BLOCKS.items()
        for name, (keys, _) in CHOICES.items()
    ],
    loads=[synthetic("random", requests=150_000, quick=2_000)],
    metrics=[AMPLIFICATION, UTILISATION],
    chart=charts.bars,
    claims=[
        *(
            ordering(
                f"Write amplification with {better} is below that with {worse}, under random writes at every over-provisioning and size of blocks",
                sources.CHOICES,
                metric="write amplification",
                of=better,
                than=worse,
                relation="below",
            )
            for worse, better in pairwise(("random", "d = 2", "d = 5", "d = 10", "greedy"))
        ),
        as_worked_out(
            f"Write amplification is within {100 * PRECISE:.0f} % of the closed form of the policy, under random writes",
            f"{sources.CHOICES}; {sources.GREEDY}; that free and open blocks count as not there is {sources.OWN}",
        ),
    ],
)

MODES = ("foreground", "background", "preemptible")
COLLECTION = GridFigure(
    heading="Modes of collection",
    text=(
        "As many writes as reads of 4 KiB: in bursts of 10 ms with pauses of 40 ms, in which background collection can run, and without pauses. Collection has "
        "priority below two free blocks in each plane; the other modes start it below six."
    ),
    title="Latencies over those of collection in the foreground",
    variants=[
        pages(mode, {"ftl.gc.mode": mode, "ftl.gc.low": 6.0, "ftl.gc.high": 6.0}) for mode in MODES
    ],
    loads=[
        *(
            synthetic(
                name,
                read_fraction=0.5,
                arrival="on_off",
                interarrival=gap,
                on="10 ms",
                off="40 ms",
                requests=60_000,
            )
            for name, gap in (("light bursts", "250 us"), ("heavy bursts", "125 us"))
        ),
        synthetic(
            "steady", read_fraction=0.5, arrival="poisson", interarrival="250 us", requests=60_000
        ),
    ],
    metrics=[
        Metric("p99.9 of all requests", "host.all.latency.p999_us"),
        Metric("p99 of all requests", "host.all.latency.p99_us"),
        Metric("mean of all requests", "host.all.latency.mean_us"),
    ],
    baseline="foreground",
    chart=charts.bars,
    claims=[
        ordering(
            "The 99.9th percentile is lower with background collection than in the foreground, under every load",
            sources.OWN,
            metric="p99.9 of all requests",
            of="background",
            than="foreground",
            relation="below",
        ),
        ordering(
            "The 99.9th percentile is lower with preemptible than with background collection, under every load",
            sources.PREEMPTIBLE,
            metric="p99.9 of all requests",
            of="preemptible",
            than="background",
            relation="below",
            why=(
                "the pauses between bursts are long enough for background collection, and even without pauses a plane often has no request for 1 ms, so that few "
                "requests wait for it; preemptible collection starts as soon "
                "as blocks are short, and a request may find one of its operations under way"
            ),
        ),
    ],
)

LEVELLING: Sequence[str] = ("swap", "dual_pool", "hot_cold_swap", "rate_limited")
CHECKED: Keys = {"ftl.wear.check_erases": 20}
WEAR = GridFigure(
    heading="Wear levelling",
    text=(
        "Nine of ten writes go to a tenth of the pages, fifteen times the capacity in all. Static wear levelling looks at each pool every 20 erases, and moves "
        "data where erase counts differ by more than 10; blocks endure 60 erases, of which the run takes about half."
    ),
    title="Spread of the erase counts, and pages programmed for each page written",
    variants=[
        pages("off"),
        *(
            pages(
                name,
                {"ftl.wear.static": name},
                CHECKED,
                {"ftl.wear.gap": 10} if name in {"swap", "dual_pool"} else {},
                {"ftl.wear.erase_limit": 60} if name == "rate_limited" else {},
            )
            for name in LEVELLING
        ),
    ],
    loads=[
        synthetic(
            "skewed",
            kind="hot_cold",
            hot_space=0.1,
            hot_requests=0.9,
            requests=750_000,
            quick=40_000,
        )
    ],
    metrics=[
        Metric(
            "standard deviation of erase counts", "ftl.erase_count.stddev", "erases", relative=False
        ),
        AMPLIFICATION,
    ],
    chart=charts.bars,
    claims=[
        *(
            ordering(
                f"Erase counts are spread less with `{name}` than with static wear levelling off, under skewed writes",
                sources.LEVELLING.get(name, sources.OWN),
                metric="standard deviation of erase counts",
                of=name,
                than="off",
                relation="below",
            )
            for name in LEVELLING
        ),
        *(
            ordering(
                f"Write amplification is higher with `{name}` than with static wear levelling off, under skewed writes",
                f"{sources.OWN}: wear levelling moves data that collection would leave",
                metric="write amplification",
                of=name,
                than="off",
                relation="above",
            )
            for name in LEVELLING
        ),
    ],
)

TRIMS = {"5 %": 0.05, "10 %": 0.10, "20 %": 0.20}
"""Shares of operations that are TRIM."""


def with_trim(text: str, where: str) -> Judge:
    """The claim that the gain of TRIM is that of the closed form.

    A share q of the operations is TRIM of any page: in equilibrium (1 - q)(1 - p) = q p, so that the share p = 1 - q of the pages
    is in use, each of which loses its data as often as the others.
    """

    def judge(measured: Measured) -> Claim:
        cases = []
        for name, share in TRIMS.items():
            load = trimming(name)
            found = measured.value("write amplification", "", "TRIM", load)
            without = measured.value("utilisation", "", "no TRIM", load)
            if not (found and without):
                cases.append(Case(load, None))
                continue
            expected = closed_form("greedy", 1, without.mean * (1 - share), PAGES_PER_BLOCK)

            def near(value: float, expected: float = expected) -> bool:
                return abs(value / expected - 1) <= PRECISE

            shown = f"{found.mean:.3f} for {expected:.3f}"
            cases.append(Case(load, near(found.mean), shown, decided(near, found)))
        shown = "; ".join(f"{case.name} {case.shown}" for case in cases if case.shown)
        return finding(text, where, f"write amplification, ours for closed form: {shown}", cases)

    return judge


def trimming(share: str) -> str:
    """Name of a load."""
    return f"{share} TRIM"


TRIM = GridFigure(
    heading="TRIM",
    text=(
        "Random writes and TRIM of single pages; every operation is TRIM with the given probability. Without TRIM the drive acknowledges it and does nothing. "
        "Any page may be trimmed, in use or not, so that a share of the pages equal to that of the writes is in use; the closed form is that of greedy at this utilisation."
    ),
    title="Write amplification with and without TRIM",
    variants=[
        pages("TRIM", STEADY, WARMED),
        pages("no TRIM", STEADY, WARMED, {"ftl.trim.enabled": False}),
    ],
    loads=[
        synthetic(trimming(name), trim_fraction=share, requests=300_000, quick=SETTLED + 5_000)
        for name, share in TRIMS.items()
    ],
    metrics=[AMPLIFICATION, UTILISATION],
    chart=charts.bars,
    claims=[
        ordering(
            "Write amplification is lower with TRIM than with no TRIM, under every load",
            sources.TRIM,
            metric="write amplification",
            of="TRIM",
            than="no TRIM",
            relation="below",
        ),
        with_trim(
            f"Write amplification with TRIM is within {100 * PRECISE:.0f} % of the closed form at the utilisation of no TRIM, under every load",
            f"{sources.OWN}, after {sources.TRIM}",
        ),
    ],
)
