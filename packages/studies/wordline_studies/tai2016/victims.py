"""The second axis of the ladder: which block collection takes."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp

from wordline.points.outcome import Outcome
from wordline.points.point import Point
from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure, Variant
from wordline.studies.measured import Measured
from wordline_studies.ftl_family import sources
from wordline_studies.ftl_family.temperature import separated
from wordline_studies.tai2016.drives import (
    AMPLIFICATION,
    DESIGNS,
    HOT_COLD,
    LOGICAL,
    PAGES,
    PRESET,
    SKEWS,
    UTILISATION,
    layered,
    written,
)
from wordline_studies.tai2016.judges import NEAR, lower_across, near

POLICIES = {"greedy": "greedy", "cost-benefit": "cost_benefit", "FIFO": "fifo"}
"""Victim policies, by the panels that they stand in."""
DESIGNS_OF_DRIVES = ("none", "classifier", "streams", "FDP, initially isolated", "superblocks")
"""Designs in which the drive collects. FDP with persistently isolated handles collects as streams do, and of zones the host collects."""
OPTIMUM = "optimum"
SKEWED = list(SKEWS)


def optimum(point: Point, outcome: Outcome) -> Mapping[str, float]:
    """What a run would have programmed if hot and cold pages were told apart without error and the spare space were divided in the best way."""
    keys = dict(point.overrides)
    hot, writes = (float(keys[f"workload.hot_{part}"]) for part in ("space", "requests"))
    return {"ftl.pages_programmed": separated(hot, writes, LOGICAL / PAGES) * written(outcome)}


def turned(hot: float, writes: float, utilisation: float, turn: float) -> float:
    """Pages in use beside each logical page, after `turn` host writes for each logical page in a full turn of the blocks."""
    shares = ((hot, writes), (1 - hot, 1 - writes))
    return (
        sum(part * turn / (1 - exp(-part * turn / space)) for space, part in shares) * utilisation
    )


def mixed_fifo(hot: float, writes: float, utilisation: float) -> float:
    """Write amplification of FIFO where hot and cold pages share blocks (Desnoyers, SYSTOR 2012).

    In a full turn of `turn` host writes for each logical page, a page of a class that gets the share r of the writes in the share f of the space
    is written once or more with the probability 1 - exp(-r turn / f). All pages of flash are programmed in it once.
    """
    low, high = 1e-9, 1 / utilisation
    for _ in range(100):
        middle = (low + high) / 2
        if turned(hot, writes, utilisation, middle) < 1:
            low = middle
        else:
            high = middle
    return 1 / (utilisation * (low + high) / 2)


def of_fifo(measured: Measured, panel: str, variant: str, load: str) -> float | None:
    """The closed form at the utilisation that the run had beside free and open blocks."""
    beside = measured.value(UTILISATION.name, panel, variant, load)
    return mixed_fifo(*SKEWS[load], beside.mean) if beside else None


FIGURE = GridFigure(
    heading="Victims beside placement",
    text=(
        "The hot and cold loads of the ladder with other victims (`ftl.gc.victim`). Greedy takes the block with the fewest valid pages, whichever data it holds: blocks with cold data "
        "are collected only once they are as empty as those with hot data, so that utilisation evens out and what is told apart is worth little. Cost-benefit also weighs how long a block was left alone, "
        "and takes cold blocks while they are fuller. FIFO takes blocks in the order in which they were filled. The optimum tells hot and cold pages apart without error and divides the spare space in the best way (closed form of greedy in two pools)."
    ),
    title="Write amplification by design and victim policy",
    variants=[
        variant
        for panel, policy in POLICIES.items()
        for variant in (
            *(
                Variant(name, PRESET, {**layered(DESIGNS[name]), "ftl.gc.victim": policy}, panel)
                for name in DESIGNS_OF_DRIVES
            ),
            Variant(
                OPTIMUM, PRESET, {**layered({}), "ftl.gc.victim": policy}, panel, worked_out=optimum
            ),
        )
    ],
    loads=HOT_COLD,
    metrics=[AMPLIFICATION, UTILISATION],
    chart=charts.bars,
    claims=[
        *(
            lower_across(
                f"Cost-benefit victims amplify less than greedy ones with {name}, with hot and cold data",
                f"{sources.OWN}: greedy evens utilisation out",
                metric=AMPLIFICATION.name,
                of=("cost-benefit", name),
                than=("greedy", name),
                loads=SKEWED,
            )
            for name in DESIGNS_OF_DRIVES
        ),
        *(
            lower_across(
                f"Greedy victims amplify less than FIFO with {name}, with hot and cold data",
                f"{sources.OWN}: FIFO collects blocks that are full of cold pages, again and again",
                metric=AMPLIFICATION.name,
                of=("greedy", name),
                than=("FIFO", name),
                loads=SKEWED,
            )
            for name in DESIGNS_OF_DRIVES
        ),
        ordering(
            "With cost-benefit victims a classifier amplifies less than none, with hot and cold data",
            f"{sources.OWN}: what is told apart is worth more where utilisation does not even out",
            metric=AMPLIFICATION.name,
            of="classifier",
            than="none",
            relation="below",
            panels=["cost-benefit"],
        ),
        *(
            ordering(
                f"Whatever the victims, separation without error is not beaten with {name}, with hot and cold data",
                f"{sources.OWN}: the closed form of greedy in two pools, their spare space divided in the best way",
                metric=AMPLIFICATION.name,
                of=name,
                than=OPTIMUM,
                relation="not below",
                margin=NEAR,
            )
            for name in DESIGNS_OF_DRIVES
        ),
        near(
            f"With FIFO victims none amplifies as the closed form of mixed FIFO, within {100 * NEAR:.0f} %, with hot and cold data",
            f"{sources.OWN}, from the closed form of FIFO ({sources.GREEDY})",
            metric=AMPLIFICATION.name,
            cells=[("FIFO", "none", load) for load in SKEWED],
            expected=of_fifo,
        ),
    ],
)
