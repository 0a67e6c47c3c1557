"""Equation 2.1: the mean read latency from the shares of the modes, beside the simulation."""

from __future__ import annotations

import math
from collections.abc import Mapping

from wordline.points.outcome import Outcome
from wordline.studies import charts
from wordline.studies.claims import Case, decided, finding
from wordline.studies.grid import GridFigure, Load, Metric, Variant
from wordline.studies.measured import Measured
from wordline.studies.verdict import BEYOND, Claim
from wordline_studies.wu2013_diffecc.codes import read_us
from wordline_studies.wu2013_diffecc.drives import BLOCKS, DRIVES, SMALLER, Keys

SECTORS = (1, 2, 4, 8)
"""Sizes of the requests, equally likely; all begin at a page."""
CLOSE = 0.01
"""By how much the two may differ and agree."""
NEARLY_IDLE = {
    "buffer.policy": "none",
    "age.method": "overwritten",
    "age.random_factor": 0.0,
    "age.fill": 0.5,
    "geometry.blocks_per_plane": BLOCKS // SMALLER,
}
"""Requests go to flash; nothing has to be collected, so that hardly anything is waited for."""
OFTEN: Mapping[str, Keys] = {"DiffECC": {"ftl.modes.sample_period": "100 ms"}}
"""The run is short."""


def expected(outcome: Outcome) -> float | None:
    """Equation 2.1, in µs, for the shares of the modes that were read."""
    found = 0.0
    for name, codewords in (("normal", 1), ("n2", 2), ("n4", 4), ("n8", 8)):
        share = outcome.number(f"modes.{name}.host_read_share")
        if share is None:
            return None
        # codewords that hold the sectors of a request, which begins at a page
        wanted = [math.ceil(sectors * codewords / 8) for sectors in SECTORS]
        found += share * sum(read_us(codewords, each) for each in wanted) / len(wanted)
    return found


SIMULATED = Metric("read latency", "host.read.latency.mean_us", relative=False)
EQUATION = Metric("equation 2.1", expected, "µs", relative=False)


def agrees(measured: Measured) -> Claim:
    """Whether simulation and equation agree in every drive."""
    cases = []
    for load in measured.loads:
        for name in DRIVES:
            simulated = measured.value(SIMULATED.name, "", name, load)
            equation = measured.value(EQUATION.name, "", name, load)
            if not (simulated and equation):
                cases.append(Case(name, None))
                continue

            def close(one: float, other: float) -> bool:
                return abs(one / other - 1) <= CLOSE

            shown = f"{simulated.mean:.2f} for {equation.mean:.2f}"
            certain = decided(close, simulated, equation)
            cases.append(Case(name, close(simulated.mean, equation.mean), shown, certain))
    shown = "; ".join(f"{case.name} {case.shown}" for case in cases)
    return finding(
        "Mean read latency of sparse requests is that of equation 2.1 within 1 %, in the baseline, always slow and DiffECC, under every load",
        f"{BEYOND}: equation 2.1 beside our simulation",
        f"read latency (µs), simulated for computed: {shown}",
        cases,
    )


FIGURE = GridFigure(
    heading="The closed form of the read latency",
    text=(
        "Reads and writes of 512 B, 1, 2 and 4 KiB, 5 ms apart and without a buffer, so that hardly anything waits: the mean read latency beside equation 2.1 with the shares of the modes that the reads found."
    ),
    title="Mean read latency, simulated and computed",
    variants=[
        Variant(name, preset, {**NEARLY_IDLE, **OFTEN.get(name, {})})
        for name, preset in DRIVES.items()
    ],
    loads=[
        Load(
            "sparse",
            {
                "kind": "random",
                "read_fraction": 0.7,
                "request_size": ["512 B", "1 KiB", "2 KiB", "4 KiB"],
                "align": "4 KiB",
                "region": "8 MiB",
                "interarrival": "5 ms",
                "requests": 20_000,
            },
            {"requests": 4_000},
        )
    ],
    metrics=[SIMULATED, EQUATION],
    chart=charts.bars,
    claims=[agrees],
)
