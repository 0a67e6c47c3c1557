"""A workload that changes in mid-run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure, Load, Variant
from wordline_studies.ftl_family import sources
from wordline_studies.ftl_family.temperature import HOT
from wordline_studies.tai2016.drives import AMPLIFICATION, PRESET, THROUGHPUT, Keys
from wordline_studies.tai2016.judges import higher_load

JOBS = Path(__file__).parent / "jobs"
BEFORE = 204_800
"""Requests before the change, four drive writes."""
FILLED: Keys = {
    "age.method": "overwritten",
    "age.random_factor": 0.0,
    "run.warm_up": f"{BEFORE} requests",
}
CLASSIFIERS: Mapping[str, Keys] = {
    "none": {},
    "dac": {"ftl.hot.classifier": "dac"},
    "two_level_lru": {
        "ftl.hot.classifier": "two_level_lru",
        "ftl.hot.candidates": HOT,
        "ftl.hot.hot_pages": HOT,
    },
    "multi_bloom": {
        "ftl.hot.classifier": "multi_bloom",
        "ftl.hot.filter_bits": 65_536,
        "ftl.hot.filter_window": HOT,
    },
}
"""Classifiers, with tables as large as a drive of this size asks for."""
LEARNS = (
    "In the first drive write after the change what a classifier had told apart is told apart wrongly: blocks of the old hot part hold what is cold now. From the second one on it is worth something again: in the three drive writes after the first "
    "the drive amplified by 2.21 with `dac` and by 2.13 with `two_level_lru`, by 2.32 with none (runs of their own, one seed)"
)
STAYS, MOVES = "the hot part stays", "the hot part moves"


def job(name: str, file: str) -> Load:
    """The two jobs of a file, one after the other."""
    return Load(name, {"kind": "fio", "path": str(JOBS / file)})


FIGURE = GridFigure(
    heading="A change of the workload",
    text=(
        "82 % of the writes go to 18 % of the drive, for four drive writes; then the hot part is another one, at the other end, or the same. What is measured is the drive write after that. What was cold and is hot now lies in blocks with what is still cold; "
        "a classifier still has it for cold. Victims are cost-benefit, with which telling data apart is worth something ([victims](#victims))."
    ),
    title="Write amplification in the drive write after the change",
    variants=[
        Variant(name, PRESET, {**FILLED, "ftl.gc.victim": "cost_benefit", **keys})
        for name, keys in CLASSIFIERS.items()
    ],
    loads=[job(STAYS, "stays.fio"), job(MOVES, "moves.fio")],
    metrics=[AMPLIFICATION, THROUGHPUT],
    chart=charts.bars,
    claims=[
        *(
            higher_load(
                f"With {name} write amplification is higher after the hot part has moved than where it stays",
                f"{sources.OWN}: what was told apart is mixed again",
                metric=AMPLIFICATION.name,
                variant=name,
                load=MOVES,
                other=STAYS,
            )
            for name in CLASSIFIERS
        ),
        *(
            ordering(
                f"After the hot part has moved, write amplification with `{name}` is not above that with none",
                f"{sources.OWN}: a classifier learns within a drive write",
                metric=AMPLIFICATION.name,
                of=name,
                than="none",
                relation="not above",
                loads=[MOVES],
                why=LEARNS,
            )
            for name in CLASSIFIERS
            if name != "none"
        ),
    ],
)
