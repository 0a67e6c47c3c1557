"""Beyond the source: the same knob for cells of three bits and LDPC with soft sensing, on a drive of today."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import numpy as np
from numpy.typing import NDArray

from wordline.cell import Cells
from wordline.ecc import Ldpc
from wordline.report.section import Figure, Row
from wordline.report.theme import data, specification
from wordline.studies.study import Part

DRIVE = "onfi5-tlc"
"""Preset of the times: a read of 50 µs and a program of 500 µs in the mean of its page types, 16 KiB at 2400 MB/s."""
SENSE_US, TRANSFER_US, PROGRAM_US = 50.0, 6.827, 500.0
CELLS = "mlc_late_life"
LONGER = (1.0, 1.1, 1.25, 1.5)
"""Program times, relative to that of the preset."""
AGE_DAYS = 7.0
"""Age of the data: the design age of the cells, by which a drive would have refreshed them."""
LEVELS = 7
MOST_CYCLES = 12_000

Floats = NDArray[np.float64]


def cells() -> Cells:
    """The cells, with three bits."""
    return Cells.from_toml(CELLS, **{"cell.bits_per_cell": 3})


def code() -> Ldpc:
    """LDPC whose levels sense and transfer in proportion to what one reference takes in the preset.

    Level L senses L times as long and transfers the bits that tell L + 1 regions apart, three at level 7.
    """
    return Ldpc(
        sense_max=f"{LEVELS * SENSE_US:.0f} us", transfer_max=f"{round(3 * TRANSFER_US * 1e3)} ns"
    )


def rates(cycles: Floats, longer: float) -> Floats:
    """Raw bit error rate of a nominal block after `AGE_DAYS`, programmed in `longer` times the time: in steps smaller by as much."""
    found = cells()
    return found.rber(
        cycles=cycles.astype(np.int64), age_days=AGE_DAYS, step=found.reference_step / longer
    )


def lives(longer: float) -> Mapping[str, int]:
    """Cycles up to which one reference is enough, and up to which the most are."""
    cycles = np.arange(1, MOST_CYCLES, dtype=np.float64)
    levels = code().thresholds
    errors = rates(cycles, longer)
    return {
        name: int(np.count_nonzero(errors <= limit))
        for name, limit in (("one", levels[0]), ("most", levels[-1]))
    }


def read_us(cycles: Floats, longer: float) -> Floats:
    """A read of a page on an idle drive with all attempts, the first with one reference; NaN where none succeeds."""
    found = code().read(rates(cycles, longer))
    return np.where(found["corrected"], found["us"], np.nan)


def beyond(quick: bool) -> Part:
    """Read latency by wear for several program times, and the lives that they buy."""
    cycles = np.linspace(100, 8_000, 40 if quick else 400).round()
    points: list[Row] = []
    rows: list[Row] = []
    usual = lives(LONGER[0])
    whole_life = np.linspace(1, usual["most"], 400).round()
    for longer in LONGER:
        name = f"{PROGRAM_US * longer:.0f} µs"
        times = read_us(cycles, longer)
        points += [
            {"cycles": int(cycle), "read": round(float(time), 2), "program": name}
            for cycle, time in zip(cycles, times, strict=True)
            if np.isfinite(time)
        ]
        life = lives(longer)
        rows.append(
            {
                "program, µs": round(PROGRAM_US * longer, 1),
                "step, gaps": round(cells().reference_step / longer, 4),
                "cycles with one reference": life["one"],
                "cycles in all": life["most"],
                "lifetime, relative": round(life["most"] / usual["most"], 3),
                "mean read up to the life of 500 µs, µs": round(
                    float(np.mean(read_us(whole_life, longer))), 1
                ),
            }
        )
    chart = (
        alt.Chart(data(points))
        .mark_line(interpolate="step-after")
        .encode(
            x=alt.X("cycles:Q", title="program/erase cycles"),
            y=alt.Y("read:Q", title="read of a page (µs)"),
            color=alt.Color("program:N", title="program", sort=None),
        )
        .properties(width=480, height=260)
    )
    return Part(
        "Beyond: three bits and LDPC",
        "The source's knob on a drive of today, computed: the read of a page that was programmed in more time and smaller steps, by wear, where LDPC decodes with up to seven references for each boundary of states. "
        f"Times of a read with one reference and of a program are the means over the page types of the preset [`{DRIVE}`](../reference/presets.md) (50 and 500 µs, 16 KiB in 6.8 µs); a level senses in proportion to its references and is tried after the one before, as in DLV. "
        f"**Assumed**, not measured: error rates of the cells `{CELLS}`, which are made for two bits, in cells of three; data of {AGE_DAYS:.0f} days, then refreshed; blocks without variation; a reference step of 0.3163 gaps, and program times in inverse proportion to it. "
        "Cycle counts stand and fall with these constants; what carries over is by how much smaller steps move them. No claim of the source is about this.",
        Figure("Read latency by wear, for four program times", specification(chart), rows),
        open_table=True,
    )
