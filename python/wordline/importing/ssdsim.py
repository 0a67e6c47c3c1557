"""SSDsim: `page.parameters`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from wordline.importing.rows import (
    Fixed,
    Row,
    Simulator,
    Value,
    counts,
    duration,
    one_of,
    positive,
    rounded_down,
    share,
    size,
)
from wordline.importing.text import assignments

CHIPS = "chip number[*]"
"""The chips of each channel, as one name."""
COPYBACK, TWO_PLANE_PROGRAM, INTERLEAVE, TWO_PLANE_READ = 0b10, 0b100, 0b1000, 0b10000
"""Bits of `advanced command`."""


def read(text: str, file: str) -> Mapping[str, Value]:
    """The values by their names; those of the channels' chips joined."""
    found = assignments(text, file, separator="=", ends=";")
    each = {
        name: value for name, value in found.items() if re.fullmatch(r"chip number ?\[\d+\]", name)
    }
    rest = {name: value for name, value in found.items() if name not in each}
    chips = [value for value in each.values() if value.text != "0"]
    if chips:
        rest[CHIPS] = Value(", ".join(value.text for value in chips), chips[0].line)
    return rest


def chips_per_channel(text: str) -> int:
    """Chips of a channel, of which all must have as many."""
    each = {positive(part.strip()) for part in text.split(",")}
    if len(each) > 1:
        raise ValueError("as many chips on every channel")
    return each.pop()


def command(bit: int) -> Row:
    """Whether an advanced command is used."""
    keys = {
        COPYBACK: ("commands.copyback", "wise", "off"),
        INTERLEAVE: ("commands.interleave", True, False),
        TWO_PLANE_READ: ("commands.multi_plane_read", True, False),
    }
    key, yes, no = keys[bit]
    return Row(
        ("advanced command",),
        key,
        lambda text: yes if rounded_down(text) & bit else no,
        ("0",),
        f"bit {bit.bit_length() - 1}",
    )


def multi_plane_write(commands: str, greedy: str) -> str:
    """How planes of a die are programmed together."""
    if not rounded_down(commands) & TWO_PLANE_PROGRAM:
        return "off"
    return "blind" if rounded_down(greedy) else "wise"


def aged(is_aged: str, ratio: str) -> float | None:
    """Share of the pages that are programmed and invalid."""
    return share(ratio) if rounded_down(is_aged) else None


def buffer_policy(capacity: str) -> str:
    """SSDsim's buffer, where it has one."""
    return "lru" if rounded_down(capacity) else "none"


def in_sectors(capacity: str) -> str | None:
    """Size of the buffer in whole sectors."""
    sectors = rounded_down(capacity) // 512
    return f"{sectors * 512} B" if sectors else None


ROWS: tuple[Row | Fixed, ...] = (
    Row(("channel number",), "geometry.channels", positive, ("2",)),
    Row((CHIPS,), "geometry.chips_per_channel", chips_per_channel, ("2",)),
    *counts(
        ("die number", "2"), ("plane number", "2"), ("block number", "2048"), ("page number", "64")
    ),
    Row(("page capacity",), "geometry.page_size", size, ("2048",)),
    Fixed("geometry.cell_type", "slc", "all pages of SSDsim take as long"),
    Fixed("timing.model", "two_step", "command and data cycles, then array time, as in SSDsim"),
    Row(("t_R",), "timing.t_r", duration(1), ("20000",)),
    Row(("t_PROG",), "timing.t_prog", duration(1), ("200000",)),
    Row(("t_BERS",), "timing.t_bers", duration(1), ("1500000",)),
    Row(("t_DBSY",), "timing.t_dbsy", duration(1), ("50",)),
    Row(("t_RC",), "timing.t_rc", duration(1), ("25",)),
    Row(("t_WC",), "timing.t_wc", duration(1), ("25",)),
    command(COPYBACK),
    Row(
        ("advanced command", "greed MPW command"),
        "commands.multi_plane_write",
        multi_plane_write,
        ("0", "0"),
        "bit 2; greedy is blind",
    ),
    command(INTERLEAVE),
    command(TWO_PLANE_READ),
    Row(
        ("allocation",),
        "allocation.mode",
        one_of({"0": "dynamic", "1": "static"}),
        ("0",),
    ),
    Row(
        ("allocation", "dynamic_allocation"),
        "allocation.dynamic",
        lambda static, bound: (
            None if rounded_down(static) else one_of({"0": "full", "1": "channel_bound"})(bound)
        ),
        ("0", "0"),
    ),
    Fixed("allocation.order", "CWDP", "static_allocation numbers its orders otherwise"),
    Row(
        ("address mapping",),
        "ftl.mapping",
        one_of({"1": "page", "2": "block", "3": "fast"}),
        ("1",),
    ),
    Row(("overprovide",), "ftl.over_provisioning", share, ("0.10",)),
    Fixed("ftl.over_provisioning_basis", "raw", "a share of all space, as in SSDsim"),
    Fixed("ftl.gc.victim", "greedy", "SSDsim takes the block with the most invalid pages"),
    Fixed("ftl.gc.pool", "plane", "SSDsim collects in each plane"),
    Row(
        ("aged",),
        "age.method",
        lambda text: "invalidated" if rounded_down(text) else "fresh",
        ("0",),
    ),
    Row(("aged", "aged ratio"), "age.ratio", aged, ("0", "0.7")),
    Fixed("age.place_reads", "allocation", "SSDsim places the data that a trace reads before it"),
    Row(
        ("scheduling algorithm",),
        "scheduler.policy",
        one_of({"1": "fcfs"}),
        ("1",),
        "requests first come, first served",
    ),
    Row(("dram capacity",), "buffer.policy", buffer_policy, ("0",)),
    Row(("dram capacity",), "buffer.size", in_sectors),
    Fixed("buffer.unit", "sector", "SSDsim's buffer holds sectors"),
    Row(
        ("gc threshold", "gc hard threshold", "gc"),
        why="SSDsim counts free pages of a plane and collects a block at a time; ftl.gc.basis, low and hard count otherwise",
    ),
    Row(("static_allocation",), why="set allocation.order"),
    Row(("chip number", "subpage page", "subpage capacity"), why="follows from other values"),
    Row(
        ("wear leveling", "buffer management", "advanced command priority", "greed CB command"),
        why="SSDsim does not use it, or in another way",
    ),
    Row(("erase limit",), why="blocks wear as [cell] says"),
    Row(
        (
            "flash operating current",
            "flash supply voltage",
            "dram active current",
            "dram standby current",
            "dram refresh current",
            "dram voltage",
        ),
        why="set power.chip for the energy of the flash",
    ),
    Row(
        tuple(
            f"t_{name}"
            for name in [
                "CLS",
                "CLH",
                "CS",
                "CH",
                "WP",
                "ALS",
                "ALH",
                "DS",
                "DH",
                "WH",
                "ADL",
                "AR",
                "CLR",
                "RR",
                "RP",
                "WB",
                "REA",
                "CEA",
                "RHZ",
                "CHZ",
                "RHOH",
                "RLOH",
                "COH",
                "REH",
                "IR",
                "RHW",
                "WHR",
                "RST",
            ]
        ),
        why='a time within a cycle of the bus, which timing.model = "two_step" does not part',
    ),
)
SIMULATOR = Simulator(
    name="SSDsim",
    file="page.parameters",
    source="SSDsim 2.0 (the copy huaicheng/ssdsim): page.parameters, initialize.c",
    defaults="as in SSDsim's page.parameters",
    is_one=lambda text: bool(
        re.search(r"^[ \t]*chip number ?\[0\][ \t]*=|^[ \t]*page capacity[ \t]*=", text, re.M)
    ),
    read=read,
    rows=ROWS,
)
