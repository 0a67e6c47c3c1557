"""P9: what the results are sensitive to."""

from __future__ import annotations

from collections.abc import Mapping

from wordline.studies import charts
from wordline.studies.claims import ordering, rising
from wordline.studies.grid import GridFigure, Load, Metric
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
from wordline_studies.wu2012.loads import JUDGED, SIZED, TWO, surrogate
from wordline_studies.wu2012.sizes import own

LITTLE = 0.01
"""Change of a latency that counts as little."""

SCOPE = GridFigure(
    heading="Planes that work on their own",
    text=(
        "A chip executes one operation at a time, as in the simulator behind the source, or its planes work independently, which the source's text also allows for."
    ),
    title="Latencies over those of RPS in the same scope",
    variants=[
        variant(name, f"{scope}, {cell}", cell, POLICIES[name], {"nand.independent_planes": apart})
        for cell in CELLS
        for scope, apart in (("chip", False), ("plane", True))
        for name in ("RPS", "IPC", "PE0")
    ],
    loads=TWO,
    seeds=(1,),
    metrics=[READ, P99, WRITE],
    baseline="RPS",
    chart=charts.bars,
    claims=[
        own(
            ordering(
                f"Mean read latency is lower with {spelled('IPC')} than with {spelled('RPS')} alone, whether planes work independently or one at a time, under F1 and F2",
                "P9, ours",
                metric="read latency",
                of="IPC",
                than="RPS",
                relation="below",
            )
        ),
    ],
)

CLEANING = GridFigure(
    heading="Reads that overtake cleaning",
    text=(
        "Where nothing is suspended the cleaning of a block is one event, or reads go between two of its operations. The source says that reads go before cleaning, and the simulator behind it that cleaning is one event."
    ),
    title="Mean read latency over that of FIFO with cleaning as one event",
    variants=[
        variant(name, cell, cell, POLICIES[policy], keys)
        for cell in CELLS
        for name, policy, keys in (
            ("FIFO", "FIFO", {}),
            ("RPS", "RPS", {}),
            ("RPS, between operations", "RPS", {"scheduler.collection_first": False}),
            ("PE0", "PE0", {}),
            ("PE0, between operations", "PE0", {"scheduler.collection_first": False}),
            ("IPC", "IPC", {}),
        )
    ],
    loads=TWO,
    seeds=(1,),
    metrics=[READ],
    baseline="FIFO",
    chart=charts.bars,
    claims=[
        own(
            ordering(
                f"Mean read latency with {spelled('IPC')} is within 5 % of that with {spelled('PE0')} and reads between the operations of cleaning, under F1 and F2",
                "P9, ours",
                metric="read latency",
                of="IPC",
                than="PE0, between operations",
                relation="equal to",
                margin=0.05,
            )
        ),
    ],
)

SERVER = GridFigure(
    heading="A chip that finishes batches",
    text=(
        "FIFO in which a chip takes all that waits for it as a batch, and finishes that, its reads first, before it takes what came later: the SSD extension of DiskSim where several requests are issued at "
        "once (there 100 at most)."
    ),
    title="Latencies over those of FIFO",
    variants=[
        variant(name, cell, cell, POLICIES["FIFO"], keys)
        for cell in CELLS
        for name, keys in (("FIFO", {}), ("batches", {"scheduler.policy": "batches"}))
    ],
    loads=TWO,
    seeds=(1,),
    metrics=[READ, P99, WRITE],
    baseline="FIFO",
    chart=charts.bars,
    claims=[],
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
    loads=TWO,
    seeds=(1,),
    metrics=[READ, P99, WRITE],
    baseline="no limit",
    chart=charts.bars,
    claims=[
        own(
            ordering(
                "Mean read latency if no operation is suspended once it is behind by 1.00 of its length exceeds that with no limit by at most 1 %, under F1 and F2",
                "P9, ours",
                metric="read latency",
                of="behind by 1.00",
                than="no limit",
                relation="not above",
                margin=LITTLE,
            )
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
    loads=TWO,
    seeds=(1,),
    metrics=[
        READ,
        WRITE,
        Metric("program phases done again", "suspension.redone_share", "of all", relative=False),
    ],
    baseline="always",
    chart=charts.bars,
    claims=[
        own(
            ordering(
                "Mean read latency if cancelled program phases are never done again is within 1 % of that if they always are, under F1 and F2",
                "P9, ours",
                metric="read latency",
                of="never",
                than="always",
                relation="equal to",
                margin=LITTLE,
            )
        ),
    ],
)

SHADOW = GridFigure(
    heading="Without a shadow buffer",
    text="The data of a suspended program stay in the die, or are sent over the channel again.",
    title="Latencies over those with a shadow buffer",
    variants=over_ipc({"shadow buffer": {}, "sent again": {"nand.shadow_buffer": False}}),
    loads=TWO,
    seeds=(1,),
    metrics=[READ, P99, WRITE],
    baseline="shadow buffer",
    chart=charts.bars,
    claims=[
        own(
            ordering(
                "Mean read latency if the data of a suspended program are sent again exceeds that with a shadow buffer by at most 1 %, under F1 and F2",
                "P9, ours",
                metric="read latency",
                of="sent again",
                than="shadow buffer",
                relation="not above",
                margin=LITTLE,
            )
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
    loads=TWO,
    seeds=(1,),
    metrics=[READ],
    baseline="4 µs",
    chart=charts.lines,
    variants_are="length of the voltage reset",
    claims=[
        own(
            rising(
                f"On {cell}, mean read latency does not fall with a longer voltage reset, {RESETS[cell][0]} to {RESETS[cell][-1]} µs, under F1 and F2",
                "P9, ours",
                metric="read latency",
                variants=[f"{us} µs" for us in RESETS[cell]],
                panels=[cell],
            )
        )
        for cell in CELLS
    ],
)

LENGTH = GridFigure(
    heading="The length of a run",
    text=(
        "The loads of the sensitivities, of 131,072 requests each, beside those of the figures above. What the sensitivities show are ratios of two drives under one load."
    ),
    title="Mean read latency over that of FIFO",
    variants=[
        variant(name, f"{cell}", cell, POLICIES[name])
        for cell in CELLS
        for name in ("FIFO", "RPS", "IPC")
    ],
    loads=[Load(f"{load.name}, short", load.keys, load.quick) for load in TWO] + [*JUDGED],
    metrics=[READ],
    baseline="FIFO",
    chart=charts.bars,
    claims=[],
)

LARGER = SMALLER // 4
SIZE = GridFigure(
    heading="The size of the drive",
    text=(
        f"Drives {SMALLER} times smaller than the source's, as in all other figures, and {LARGER} times, with footprints of the same share. On a drive as large as the source's cleaning "
        "begins after 25 million requests of F2. One seed; not run in the quick form."
    ),
    title="Latencies over those of FIFO",
    variants=[
        variant(name, f"1/{smaller}, {cell}", cell, POLICIES[name], smaller=smaller)
        for cell in CELLS
        for smaller in (SMALLER, LARGER)
        for name in ("FIFO", "RPS", "IPC")
    ],
    loads=[surrogate(SIZED[0], smaller=LARGER)],
    metrics=[READ, WRITE],
    baseline="FIFO",
    seeds=(1,),
    whole_only=True,
    chart=charts.bars,
    claims=[
        own(
            ordering(
                f"Mean read latency is lower with {spelled('IPC')} than with {spelled('RPS')} alone, on drives {SMALLER} and {LARGER} times smaller than the source's, under F1",
                "P9, ours",
                metric="read latency",
                of="IPC",
                than="RPS",
                relation="below",
            )
        ),
    ],
)
