"""P9: what the results are sensitive to."""

from __future__ import annotations

from collections.abc import Mapping

from wordline.studies import charts
from wordline.studies.claims import ordering, rising
from wordline.studies.grid import GridFigure, Metric
from wordline_studies.wu2012.drives import (
    CELLS,
    P99,
    POLICIES,
    READ,
    SMALLER,
    WRITE,
    Keys,
    over_ipc,
    spelled,
    variant,
)
from wordline_studies.wu2012.loads import REQUESTS, SURROGATES, THREE, surrogate

LITTLE = 0.01
"""Change of a latency that counts as little."""

SCOPE = GridFigure(
    heading="Planes or dies",
    text=(
        "The planes of a chip are independent, as in the source, or operate one at a time, as in ordinary chips. In the "
        "latter case a program blocks reads of all four planes, and a read suspends the operation of any of them."
    ),
    title="Latencies over those of RPS in the same scope",
    variants=[
        variant(name, f"{scope}, {cell}", cell, POLICIES[name], {"nand.independent_planes": apart})
        for cell in CELLS
        for scope, apart in (("plane", True), ("die", False))
        for name in ("RPS", "IPC")
    ],
    loads=THREE,
    metrics=[READ, P99, WRITE],
    baseline="RPS",
    chart=charts.bars,
    claims=[
        ordering(
            f"Mean read latency is lower with {spelled('IPC')} than with {spelled('RPS')} alone, whether planes work independently or one at a time, under every load",
            "P9, sensitivity",
            metric="read latency",
            of="IPC",
            than="RPS",
            relation="below",
        ),
    ],
)

LIMIT = GridFigure(
    heading="Limits of suspension",
    text=(
        "An operation that has fallen behind by this share of its length is not suspended again, and neither is one that was suspended as often as the last "
        "drive allows."
    ),
    title="Latencies over those without a limit",
    variants=over_ipc(
        {
            "no limit": {},
            **{
                f"behind by {limit:.2f}": {"scheduler.suspension.overhead_limit": limit}
                for limit in (1.0, 0.5, 0.25)
            },
            "once": {"scheduler.suspension.max_suspends_per_op": 1},
        }
    ),
    loads=THREE,
    metrics=[READ, P99, WRITE],
    baseline="no limit",
    chart=charts.bars,
    claims=[
        ordering(
            "Mean read latency if no operation is suspended once it is behind by 1.00 of its length exceeds that with no limit by at most 1 %, under every load",
            "P9, sensitivity",
            metric="read latency",
            of="behind by 1.00",
            than="no limit",
            relation="not above",
            margin=LITTLE,
        ),
    ],
)

REDO = GridFigure(
    heading="Phases that were given up",
    text=(
        "A cancelled program phase is always done again, never, or with the elapsed share as the probability that it need not be. The source leaves this open."
    ),
    title="Latencies over those with every cancelled phase done again, and phases done again",
    variants=over_ipc(
        {redo: {"scheduler.suspension.redo": redo} for redo in ("always", "linear", "never")}
    ),
    loads=THREE,
    metrics=[
        READ,
        WRITE,
        Metric("program phases done again", "suspension.redone_share", "of all", relative=False),
    ],
    baseline="always",
    chart=charts.bars,
    claims=[
        ordering(
            "Mean read latency if cancelled program phases are never done again is within 1 % of that if they always are, under every load",
            "P9, sensitivity",
            metric="read latency",
            of="never",
            than="always",
            relation="equal to",
            margin=LITTLE,
        ),
    ],
)

SHADOW = GridFigure(
    heading="Without a shadow buffer",
    text="The data of a suspended program stay in the die, or are sent over the channel again.",
    title="Latencies over those with a shadow buffer",
    variants=over_ipc({"shadow buffer": {}, "sent again": {"nand.shadow_buffer": False}}),
    loads=THREE,
    metrics=[READ, P99, WRITE],
    baseline="shadow buffer",
    chart=charts.bars,
    claims=[
        ordering(
            "Mean read latency if the data of a suspended program are sent again exceeds that with a shadow buffer by at most 1 %, under every load",
            "P9, sensitivity",
            metric="read latency",
            of="sent again",
            than="shadow buffer",
            relation="not above",
            margin=LITTLE,
        ),
    ],
)

RESETS: Mapping[str, tuple[int, ...]] = {"SLC": (2, 4, 6), "MLC": (2, 4, 8, 16)}
"""Voltage resets in µs. A reset must be shorter than a phase, and the verify of SLC takes 8 µs."""


def reset(us: int) -> Keys:
    """A drive whose voltage reset takes this long."""
    return {"timing.t_vreset": f"{us} us"}


RESET = GridFigure(
    heading="The voltage reset",
    text="The voltage of a cancelled phase falls within 2 to 16 µs (SLC: 6 µs; it must be shorter than a verify phase).",
    title="Mean read latency over that with 4 µs",
    variants=[
        variant(f"{us} µs", cell, cell, reset(us)) for cell, all_ in RESETS.items() for us in all_
    ],
    loads=THREE,
    metrics=[READ],
    baseline="4 µs",
    chart=charts.lines,
    variants_are="length of the voltage reset",
    claims=[
        rising(
            f"On {cell}, mean read latency does not fall with a longer voltage reset, {RESETS[cell][0]} to {RESETS[cell][-1]} µs, under every load",
            "P9, sensitivity",
            metric="read latency",
            variants=[f"{us} µs" for us in RESETS[cell]],
            panels=[cell],
        )
        for cell in CELLS
    ],
)

SIZE = GridFigure(
    heading="The size of the drive",
    text=f"Drives {4 * SMALLER}, {SMALLER} and {SMALLER // 4} times smaller than the source's, with buffers of the same share.",
    title="Latencies over those of RPS",
    variants=[
        variant(name, f"1/{smaller}, {cell}", cell, POLICIES[name], smaller=smaller)
        for cell in CELLS
        for smaller in (4 * SMALLER, SMALLER, SMALLER // 4)
        for name in ("RPS", "IPC", "PE0")
    ],
    loads=SURROGATES[:2],
    metrics=[READ, WRITE],
    baseline="RPS",
    chart=charts.bars,
    claims=[
        ordering(
            f"On drives {4 * SMALLER}, {SMALLER} and {SMALLER // 4} times smaller than the source's, mean read latency with {spelled('IPC')} is within 5 % of that with {spelled('PE0')}, under F1 and F2",
            "P2, sensitivity",
            metric="read latency",
            of="IPC",
            than="PE0",
            relation="equal to",
            margin=0.05,
        ),
    ],
)

FULL = GridFigure(
    heading="At full size",
    text="The presets as they are, and ten times as many requests, so that the buffer of 64 MiB is soon full. One seed; not run in the quick form.",
    title="Latencies over those of RPS",
    variants=[
        variant(name, cell, cell, POLICIES[name], smaller=1)
        for cell in CELLS
        for name in ("RPS", "IPC", "PE0")
    ],
    loads=[surrogate(trace, requests=10 * REQUESTS) for trace in ("F1", "F2")],
    metrics=[READ, WRITE],
    baseline="RPS",
    seeds=(1,),
    whole_only=True,
    chart=charts.bars,
    claims=[
        ordering(
            f"On drives as large as the source's, mean read latency with {spelled('IPC')} is within 5 % of that with {spelled('PE0')}, under F1 and F2",
            "P2, sensitivity",
            metric="read latency",
            of="IPC",
            than="PE0",
            relation="equal to",
            margin=0.05,
        ),
    ],
)
