"""Beyond the source: a drive of today, worn, that programs all pages in more time, simulated."""

from __future__ import annotations

from wordline.cell import Cells
from wordline.studies import charts
from wordline.studies.grid import GridFigure, Load, Metric, Variant
from wordline_studies.wu2013_diffecc.beyond import CELLS, DRIVE, LONGER, PROGRAM_US
from wordline_studies.wu2013_diffecc.drives import READ, WRITE, Keys

CYCLES = (1_000, 3_000, 4_000, 5_000)
"""Program/erase cycles of all blocks, which are the panels."""
STEP = Cells.from_toml(CELLS).reference_step
FILLED = 0.6
"""Share of the user space that is written and read."""
WORN: Keys = {
    "geometry.channels": 2,
    "geometry.chips_per_channel": 2,
    "geometry.blocks_per_plane": 48,
    "geometry.pages_per_block": 192,
    "ecc.kind": "ldpc",
    "cell.process_variation.sd": 0.0,
    "age.method": "overwritten",
    "age.random_factor": 0.0,
    "age.fill": FILLED,
    "age.storage": "7 d",
}
"""A small drive with room, so that little is collected, whose data are 7 days old and whose pages need one reference or more; error rates are those of the cells."""


def slower(longer: float) -> Keys:
    """All pages in a mode whose programs take `longer` times the time; none for the usual one."""
    if longer == 1.0:
        return {}
    return {
        "cell.vth.step": STEP,
        "modes": [{"name": "fine", "step": STEP / longer}],
        "ftl.modes.policy": "fixed",
        "ftl.modes.host": "fine",
        "ftl.modes.copies": "fine",
    }


def name_of(longer: float) -> str:
    """As charts show a program time."""
    return f"{PROGRAM_US * longer:.0f} µs"


LOST = Metric("requests not corrected", "host.uncorrectable", "requests", relative=False)

FIGURE = GridFigure(
    heading="Beyond: a worn drive",
    text=(
        f"The same in simulation, on a small drive of the preset `{DRIVE}` with room, so that hardly anything is collected, whose data are 7 days old, under random requests of 16 KiB, 70 % of them reads, 3 ms apart in the mean: every page programmed in the usual time or in more, "
        "at 1,000 to 5,000 program/erase cycles. What a longer program costs writes, what it saves reads, and where the usual one loses data. No claim of the source is about this."
    ),
    title="Latency of a worn drive by program time",
    variants=[
        Variant(
            name_of(longer),
            DRIVE,
            {**WORN, "age.initial_cycles": cycles, **slower(longer)},
            panel=f"{cycles:,} cycles",
        )
        for cycles in CYCLES
        for longer in LONGER
    ],
    loads=[
        Load(
            "random",
            {
                "kind": "random",
                "region": FILLED,
                "read_fraction": 0.7,
                "request_size": "16 KiB",
                "arrival": "poisson",
                "interarrival": "3 ms",
                "requests": 10_000,
            },
            {"requests": 2_000},
        )
    ],
    metrics=[READ, WRITE, LOST],
    claims=[],
    baseline=name_of(1.0),
    chart=charts.bars,
)
