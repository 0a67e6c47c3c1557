"""F12: the ladder of who tells hot from cold."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.claims import Case, decided, finding, ordering
from wordline.studies.grid import GridFigure, Judge
from wordline.studies.measured import Measured
from wordline.studies.verdict import Claim
from wordline_studies.ftl_family import sources
from wordline_studies.ftl_family.temperature import separated
from wordline_studies.tai2016.drives import (
    AMPLIFICATION,
    HOST,
    HOT_COLD,
    LOGICAL,
    PAGES,
    SKEWS,
    STORE,
    THROUGHPUT,
    UNIFORM,
    variants,
)

SUPERBLOCK = (2.4028, 2.4610)
"""Greedy at 28 % over-provisioning: blocks of 64 pages, and four of them together (closed form: Van Houdt, SIGMETRICS 2013; Desnoyers, SYSTOR 2012)."""
NEAR = 0.03
"""The closed forms are to hold within so much: a bound of our own."""


def not_better_than_separated(text: str, where: str) -> Judge:
    """The claim that no design does better than separation without error and the best division of the spare space."""

    def judge(measured: Measured) -> Claim:
        cases = []
        for load, (hot, writes) in SKEWS.items():
            best = separated(hot, writes, LOGICAL / PAGES)
            for name in HOST:
                found = measured.value(AMPLIFICATION.name, "", name, load)
                if found is None:
                    cases.append(Case(f"{name}, {load}", None))
                    continue

                def above(value: float, best: float = best) -> bool:
                    return value >= (1 - NEAR) * best

                shown = f"{found.mean:.2f} for {best:.2f}"
                cases.append(
                    Case(f"{name}, {load}", above(found.mean), shown, decided(above, found))
                )
        shown = "; ".join(f"{case.name} {case.shown}" for case in cases)
        return finding(text, where, f"write amplification over the best: {shown}", cases)

    return judge


def larger_units(text: str, where: str) -> Judge:
    """The claim that zones of four blocks amplify uniform writes as much more as the closed form of larger blocks says."""

    def judge(measured: Measured) -> Claim:
        ratio = measured.ratio(AMPLIFICATION.name, "", "zones", "zones of a block", UNIFORM.name)
        expected = SUPERBLOCK[1] / SUPERBLOCK[0]

        def near(value: float) -> bool:
            return abs(value / expected - 1) <= NEAR

        cases = [
            Case(
                UNIFORM.name,
                near(ratio.mean),
                f"{ratio.mean:.3f} for {expected:.3f}",
                decided(near, ratio),
            )
            if ratio
            else Case(UNIFORM.name, None)
        ]
        shown = "; ".join(case.shown for case in cases)
        return finding(
            text, where, f"write amplification, zones over zones of a block (ratio): {shown}", cases
        )

    return judge


SKEWED = list(SKEWS)

FIGURE = GridFigure(
    heading="The ladder: nobody, the drive, the host",
    text=(
        "The same writes through seven drives. Uniform writes have one lifetime, and nothing is to be gained from placement; hot and cold pages have two, "
        "which the host tells by a handle; the store has a log, flushed tables and two tiers of merged ones."
    ),
    title="Write amplification by design",
    variants=variants(),
    loads=[UNIFORM, *HOT_COLD, STORE],
    metrics=[AMPLIFICATION, THROUGHPUT],
    chart=charts.bars,
    claims=[
        ordering(
            "A classifier amplifies less than none, with hot and cold data",
            "Tai 2016",
            metric=AMPLIFICATION.name,
            of="classifier",
            than="none",
            relation="below",
            loads=SKEWED,
        ),
        *(
            ordering(
                f"With {name} the drive, or its host, amplifies less than with none, with hot and cold data",
                "Kang et al. 2014" if name == "streams" else sources.OWN,
                metric=AMPLIFICATION.name,
                of=name,
                than="none",
                relation="below",
                loads=SKEWED,
            )
            for name in HOST
        ),
        *(
            ordering(
                f"With {name} the store amplifies less than with none",
                "Kang et al. 2014",
                metric=AMPLIFICATION.name,
                of=name,
                than="none",
                relation="below",
                loads=[STORE.name],
            )
            for name in HOST
        ),
        ordering(
            "Streams amplify less than a classifier, which has to guess, with hot and cold data",
            "Tai 2016",
            metric=AMPLIFICATION.name,
            of="streams",
            than="classifier",
            relation="not above",
            loads=SKEWED,
        ),
        ordering(
            "Persistently isolated FDP amplifies as streams do, under every load",
            "TP4146: both keep the data of a handle apart, also in collection",
            metric=AMPLIFICATION.name,
            of="FDP, persistently isolated",
            than="streams",
            relation="equal to",
            margin=0.02,
        ),
        ordering(
            "Zones amplify no more than streams, under every load",
            f"{sources.OWN}: a zone that the host empties needs no move",
            metric=AMPLIFICATION.name,
            of="zones",
            than="streams",
            relation="not above",
            margin=NEAR,
        ),
        not_better_than_separated(
            "No host does better than separation without error with the best division of the spare space, with hot and cold data",
            f"{sources.OWN}: the closed form of greedy in two pools, their spare space divided in the best way",
        ),
        larger_units(
            "Zones of four blocks amplify uniform writes as blocks of 256 pages do beside blocks of 64",
            f"{sources.OWN}, from the closed form of greedy ({sources.CHOICES}; {sources.GREEDY})",
        ),
    ],
)
