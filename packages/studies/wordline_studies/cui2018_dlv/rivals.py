"""Schemes that the source cites beside its own: programs in coarser steps for data that do not last, and while the chip is young."""

from __future__ import annotations

from wordline.cell import Cells
from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure, Variant
from wordline.studies.verdict import BEYOND
from wordline_studies.cui2018_dlv.drives import (
    ATTEMPTS,
    READ,
    RESPONSE,
    SCHEMES,
    UNCORRECTABLE,
    WRITE,
    Keys,
    variant,
)
from wordline_studies.cui2018_dlv.loads import SHORT, THREE, busy
from wordline_studies.cui2018_dlv.tables import CELLS, CYCLES, WEEK

PROGRAM_US = 600.0
"""Program time of the preset in the normal step."""
PRICE = "at few cycles the rival programs every page in a coarser step, DLV those of a quarter of the blocks; where writes fill the planes that counts for more than their order"
"""Why programs in coarser steps everywhere look better."""
YOUNG = 1000
"""Cycles of the younger drive (assumed: a third of those of the study)."""


def step_at(cycles: int) -> float:
    """The largest program step with which the weakest block has at these cycles, after a week, no more errors than at the cycles of the study in the normal step: by bisection."""
    cells = Cells.from_toml(CELLS)
    normal = cells.classes()[-1]

    def rate(at: int, step: float) -> float:
        return float(cells.rber(cycles=at, age_days=WEEK, factor=normal.factor, step=step))

    limit = rate(CYCLES, normal.step)
    low, high = normal.step, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if rate(cycles, middle) <= limit else (low, middle)
    return low


def programmed(name: str, step: float, copies: str) -> Keys:
    """What the host writes in a step, in the time that follows from it, wherever it goes; what is moved in the mode of `copies`."""
    time = PROGRAM_US * Cells.from_toml(CELLS).step / step
    return {
        **SCHEMES["baseline"],
        "modes": [{"name": name, "step": step, "t_prog": f"{round(time * 1000)} ns"}],
        "ftl.modes.policy": "fixed",
        "ftl.modes.host": name,
        "ftl.modes.copies": copies,
    }


def relaxed() -> Keys:
    """What the host writes in the step of strong blocks; what is moved in the normal step, since it has lasted already."""
    return programmed("relaxed", Cells.from_toml(CELLS).classes()[0].step, "normal")


def adapted(cycles: int) -> Keys:
    """All programs in the step that the wear allows; at the cycles of the study that is the normal one, and the baseline."""
    if cycles >= CYCLES:
        return SCHEMES["baseline"]
    return programmed("adapted", step_at(cycles), "adapted")


def rivals(cycles: int) -> list[Variant]:
    """The schemes on a drive of this wear."""
    worn: Keys = {"age.initial_cycles": cycles}
    schemes: dict[str, Keys] = {
        "baseline": SCHEMES["baseline"],
        "DLV": SCHEMES["DLV"],
        "retention relaxation": relaxed(),
        "wear-adaptive step": adapted(cycles),
    }
    return [variant(name, keys, worn, panel=f"{cycles} cycles") for name, keys in schemes.items()]


FIGURE = GridFigure(
    heading="Rivals",
    text=(
        "Two schemes that the source cites. Retention relaxation programs what the host writes in the coarser step of the strong blocks (459.5 µs), wherever it goes, and what collection moves in the normal step, since such data last longer. "
        f"A wear-adaptive step programs all pages in the largest step with which the weakest block has after a week no more errors than at {CYCLES} cycles in the normal one: at {YOUNG} cycles that is {PROGRAM_US * Cells.from_toml(CELLS).step / step_at(YOUNG):.0f} µs instead of 600, "
        f"and at {CYCLES} it is the baseline; the data of the state at the start are in the normal step. Both have the baseline's order of requests and its reads. Wear levelling by error rate, the third, needs error rates in the FTL and is not built."
    ),
    title="Response over that of the baseline, rivals",
    variants=[*rivals(YOUNG), *rivals(CYCLES)],
    loads=busy(THREE, SHORT),
    metrics=[RESPONSE, READ, WRITE, ATTEMPTS, UNCORRECTABLE],
    baseline="baseline",
    chart=charts.bars,
    claims=[
        ordering(
            f"Mean response is lower with DLV than with {rival}, under every load",
            BEYOND,
            metric=RESPONSE.name,
            of="DLV",
            than=rival,
            relation="below",
            why=PRICE,
        )
        for rival in ("retention relaxation", "wear-adaptive step")
    ],
    seeds=(1,),
    whole_only=True,
)
