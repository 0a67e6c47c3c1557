"""V12: what the source leaves open, and what is derived; and the excerpts of real traces."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure
from wordline.studies.verdict import BEYOND
from wordline_studies.cui2018_dlv.causes import SEARCHING
from wordline_studies.cui2018_dlv.drives import (
    ATTEMPTS,
    FIXED,
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
from wordline_studies.cui2018_dlv.judges import sized
from wordline_studies.cui2018_dlv.loads import EXCERPTS, SHORT, THREE, busy


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
    "baseline, search": {**SCHEMES["baseline"], **SEARCH},
    "baseline with classes": {"scheduler.policy": "out_of_order", **FIXED},
    "DLV, search": {"scheduler.policy": "dlv", **SEARCH},
}
"""Baselines: reads with seven references, reads from one reference upward, and blocks of two classes; and DLV that searches."""

FIGURE = GridFigure(
    heading="What the source leaves open",
    text=(
        "DLV with other shares and speeds of strong blocks, at other wear, with a wider spread of blocks, other rules of relaxation and of dispatch; and baselines whose reads start with one reference and try one more each time, or whose blocks have classes. "
        "At 5000 cycles the oldest pages are beyond the code."
    ),
    title="Readings of the source over the baseline",
    variants=[variant(name, keys) for name, keys in {**BASELINES, **READINGS}.items()],
    loads=busy(THREE, SHORT),
    metrics=[RESPONSE, READ, WRITE, STRONG, ATTEMPTS, UNCORRECTABLE],
    baseline="baseline",
    chart=charts.bars,
    claims=[
        ordering(
            "Mean response is lower with DLV than in a baseline whose reads start with one reference (baseline, search), under every load",
            BEYOND,
            metric=RESPONSE.name,
            of="DLV",
            than="baseline, search",
            relation="below",
            why=SEARCHING,
        ),
        ordering(
            "Mean response is lower with DLV than in a baseline whose blocks have classes too (baseline with classes), under every load",
            BEYOND,
            metric=RESPONSE.name,
            of="DLV",
            than="baseline with classes",
            relation="below",
        ),
    ],
    seeds=(1,),
    whole_only=True,
)

REFERENCE = "37500 ns"
SLOW_READS: Keys = {"timing.t_r": REFERENCE, "ecc.ldpc.sense_max": "262500 ns"}
"""Each reference takes as long as in table I, where one takes 38 µs and two and four twice and four times that: seven take 262.5 µs."""
BASES: dict[str, Keys] = {"90 µs with seven references": {}, "37.5 µs a reference": SLOW_READS}
"""The two time bases of the source."""

TIME_BASES = GridFigure(
    heading="Two time bases",
    text=(
        "Table II prints 90 µs for a read with seven references, and the text says that levels take times in the ratio 1:2:4, so that one reference takes 12.9 µs. Table I prints 38 µs for one reference, so that seven take 262.5 µs. The other figures use the first; here stand both, and with each the search from one reference upward."
    ),
    title="Response over that of the baseline, by the time of a reference",
    variants=[
        variant(name, keys, base, panel=panel)
        for panel, base in BASES.items()
        for name, keys in {
            **{name: SCHEMES[name] for name in MAIN},
            "baseline, search": BASELINES["baseline, search"],
        }.items()
    ],
    loads=busy(("hm0", "proj3", "web2"), SHORT),
    metrics=[RESPONSE, READ, WRITE, ATTEMPTS],
    baseline="baseline",
    chart=charts.bars,
    claims=[
        ordering(
            f"Mean response is lower with DLV than {where}, with either time base, under every load",
            BEYOND,
            metric=RESPONSE.name,
            of="DLV",
            than=than,
            relation="below",
            why=SEARCHING,
        )
        for than, where in (
            ("baseline", "in the baseline"),
            (
                "baseline, search",
                "in a baseline whose reads start with one reference (baseline, search)",
            ),
        )
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
        sized(
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
