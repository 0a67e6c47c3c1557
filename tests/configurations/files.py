"""Traces, fio jobs and chips, written on the fly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import strategies as st

from configurations.case import Keys, toml


class Row(NamedTuple):
    """A request of a trace."""

    ms: float
    is_write: bool
    sector: int
    sectors: int


ROW = st.builds(
    Row,
    st.floats(0, 20).map(lambda gap: round(gap, 3)),
    st.booleans(),
    st.one_of(st.integers(0, 400), st.integers(0, 200_000)),
    st.one_of(st.integers(1, 16), st.integers(0, 300)),
)
TEXT_OF: dict[str, Callable[[Row], str]] = {
    "spc": lambda r: (
        f"0,{r.sector},{r.sectors * 512},{'w' if r.is_write else 'r'},{r.ms / 1e3:.6f}"
    ),
    "disksim": lambda r: (
        f"{r.ms:.3f} {r.sector % 2} {r.sector} {r.sectors} {0 if r.is_write else 1}"
    ),
    "mqsim": lambda r: f"{r.ms * 1e6:.0f} 0 {r.sector} {r.sectors} {0 if r.is_write else 1}",
    "msr": lambda r: (
        f"{128166372000000000 + round(r.ms * 1e4)},hm,{r.sector % 3},{'Write' if r.is_write else 'Read'},"
        f"{r.sector * 512},{r.sectors * 512},100"
    ),
    "alibaba": lambda r: (
        f"{r.sector % 2},{'W' if r.is_write else 'R'},{r.sector * 512},{r.sectors * 512},{r.ms * 1e3:.0f}"
    ),
}
"""A line of a request, by format."""


@st.composite
def traces(draw: st.DrawFn) -> tuple[Keys, dict[str, str]]:
    """The keys that replay a trace, and the trace."""
    name = draw(st.sampled_from(sorted(TEXT_OF)))
    rows = draw(st.lists(ROW, min_size=1, max_size=60))
    at, lines = 0.0, []
    for row in rows:
        at += row.ms
        lines.append(TEXT_OF[name](row._replace(ms=at)))
    file = f"trace.{name}"
    keys: Keys = {"kind": "trace", "path": file, "format": name}
    # most addresses are beyond a small drive, and a length of 0 is refused without a word on what to do
    keys |= {"fold": "modulo", "zero_length": draw(st.sampled_from(("skip", "refuse")))}
    return keys, {file: "\n".join(lines) + "\n"}


def lines(options: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[list[str]]:
    """Some of the options of a job, as lines."""
    drawn = st.fixed_dictionaries({}, optional=options)
    return drawn.map(lambda chosen: [f"{key}={value}" for key, value in chosen.items()])


SIZES = st.sampled_from(("512", "4k", "8k", "16k", "24k"))
OPTIONS: dict[str, st.SearchStrategy[Any]] = {
    "rw": st.sampled_from(
        ("read", "write", "randread", "randwrite", "readwrite", "randrw", "randtrim", "trimwrite")
    ),
    "bs": SIZES,
    "bssplit": st.sampled_from(("4k/60:8k/40", "512/50:4k/50")),
    "iodepth": st.integers(1, 40),
    "size": st.sampled_from(("64k", "256k", "50%", "100%")),
    "rwmixread": st.integers(0, 100),
    "numjobs": st.integers(1, 3),
    "rate_iops": st.integers(1, 100_000),
    "rate_process": st.sampled_from(("linear", "poisson")),
    "thinktime": st.sampled_from(("10", "1ms", "1s")),
    "random_distribution": st.sampled_from(
        ("random", "zipf:1.1", "pareto:0.3", "normal:10", "zoned:60/10:40/90")
    ),
    "norandommap": st.integers(0, 1),
    "offset": st.sampled_from(("0", "4k", "25%")),
    "fsync": st.integers(0, 5),
    "randseed": st.integers(0, 9),
    "startdelay": st.sampled_from(("0", "1ms")),
    "percentage_random": st.integers(0, 100),
}


@st.composite
def jobs(draw: st.DrawFn) -> tuple[Keys, dict[str, str]]:
    """The keys that run a fio job file, and the file."""
    count = draw(st.integers(1, 3))
    # the rest of the options decide what is sent; this one how much
    text = ["[global]", "filename=/dev/nvme0n1", f"number_ios={draw(st.integers(1, 60))}"]
    for number in range(count):
        stonewall = ["stonewall"] if draw(st.booleans()) else []
        text += [f"[job{number}]", *stonewall, *draw(lines(OPTIONS))]
    return {"kind": "fio", "path": "jobs.fio"}, {"jobs.fio": "\n".join(text) + "\n"}


CHIPS: dict[str, Keys] = {
    "a-slc4": {"geometry.cell_type": "slc", "timing.t_prog": "300 us", "timing.t_bers": "1.5 ms"},
    "b-mlc8": {"geometry.cell_type": "mlc", "timing.t_prog": "300 us", "timing.t_bers": "1.5 ms"},
    "planar-tlc": {
        "geometry.cell_type": "tlc",
        "timing.t_prog": ["600 us", "1.8 ms", "1.8 ms"],
        "timing.t_bers": "3 ms",
    },
}
"""Keys in which a drive agrees with each built-in chip, whatever its size."""


@st.composite
def chips(draw: st.DrawFn, drive: Keys) -> tuple[Keys, dict[str, str]]:
    """The keys that give a drive of these sizes a chip, and the chip."""
    name = draw(st.sampled_from(sorted(CHIPS)))
    size = {
        "page_size": drive["geometry.page_size"],
        "spare_size": drive["geometry.spare_size"],
        "pages_per_block": drive["geometry.pages_per_block"],
        "block_rows": drive["geometry.blocks_per_plane"],
        "planes_per_die": drive["geometry.planes_per_die"],
        "dies": drive["geometry.dies_per_chip"],
    }
    if name == "planar-tlc":
        size["word_lines_per_block"] = max(1, size["pages_per_block"] // 3)
    geometry = [f"{key} = {toml(value)}" for key, value in size.items()]
    text = "\n".join([f"base = {toml(name)}", "[geometry]", *geometry]) + "\n"
    return {**CHIPS[name], "power.chip": "chip.toml"}, {"chip.toml": text}
