"""V12: what the source leaves open, and what is derived; and the excerpts of real traces."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure
from wordline_studies.cui2018_dlv.drives import (
    ATTEMPTS,
    MAIN,
    READ,
    RESPONSE,
    SCHEMES,
    SEARCH,
    STRONG,
    UNCORRECTABLE,
    WRITE,
    Keys,
    schemes,
    variant,
)
from wordline_studies.cui2018_dlv.loads import EXCERPTS, busy, chosen


def classes(quantile: float, program: str | None = None) -> Keys:
    """The strongest blocks of a share; programmed in the time that the cells allow, or in a given one."""
    mode: dict[str, object] = {"name": "strong", "quantile": quantile}
    return {"modes": [mode | ({"t_prog": program} if program else {})]}


READINGS: dict[str, Keys] = {
    "DLV": {},
    "10 % strong": classes(0.10),
    "50 % strong": classes(0.50),
    "strong 300 µs": classes(0.25, "300 us"),
    "strong 550 µs": classes(0.25, "550 us"),
    "1000 cycles": {"age.initial_cycles": 1000},
    "5000 cycles": {"age.initial_cycles": 5000},
    "bound 3 deviations": {"cell.process_variation.bound_sd": 3.0},
    "no relaxation": {"ecc.ldpc.ages.relax": "off"},
    "relaxation as printed": {"ecc.ldpc.ages.relax": "lower_start_age"},
    "all at once": {"scheduler.dispatch": "all_at_once"},
    "exception idle only": {"scheduler.exception_b": "idle_only"},
}
"""Readings of the source, laid over DLV."""
BASELINES: dict[str, Keys] = {
    "baseline": SCHEMES["baseline"],
    "baseline, seven references": {**SCHEMES["baseline"], "ecc.ldpc.start": 7},
    "baseline with classes": {"scheduler.policy": "out_of_order", **SEARCH},
}
"""Baselines: reads from one reference upward, reads with all references, and blocks of two classes."""

FIGURE = GridFigure(
    heading="What the source leaves open",
    text=(
        "DLV with other shares and speeds of strong blocks, at other wear, with a wider spread of blocks, other rules of relaxation and of dispatch; and baselines whose reads make one attempt with seven references, or whose blocks have classes. "
        "At 5000 cycles the oldest pages are beyond the code."
    ),
    title="Readings of the source over the baseline",
    variants=[
        *(variant(name, keys) for name, keys in BASELINES.items()),
        *(variant(name, keys) for name, keys in READINGS.items()),
    ],
    loads=busy(chosen("hm0", "prn0", "proj3")),
    metrics=[RESPONSE, READ, WRITE, STRONG, ATTEMPTS, UNCORRECTABLE],
    baseline="baseline",
    chart=charts.bars,
    claims=[
        ordering(
            "Mean response is lower with DLV than in a baseline whose reads make one attempt with seven references (baseline, seven references), under every load",
            "V12",
            metric=RESPONSE.name,
            of="DLV",
            than="baseline, seven references",
            relation="below",
        ),
        ordering(
            "Mean response is lower with DLV than in a baseline whose blocks have classes too (baseline with classes), under every load",
            "V12",
            metric=RESPONSE.name,
            of="DLV",
            than="baseline with classes",
            relation="below",
        ),
    ],
    seeds=(1, 2),
    whole_only=True,
)

REAL = GridFigure(
    heading="Excerpts of the traces",
    text="The first requests of two of the source's traces, at the recorded times; addresses beyond the drive wrap around.",
    title="Response over that of the baseline, excerpts",
    variants=schemes(MAIN),
    loads=EXCERPTS,
    metrics=[RESPONSE, READ, WRITE],
    baseline="baseline",
    chart=charts.bars,
    claims=[
        ordering(
            "Mean response is lower with DLV than in the baseline, under the excerpts of hm0 and fin1",
            "V3, figure 11",
            metric=RESPONSE.name,
            of="DLV",
            than="baseline",
            relation="below",
        ),
    ],
    seeds=(1,),
)
