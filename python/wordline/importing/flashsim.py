"""FlashSim: `ssd.conf`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from wordline.errors import ConfigError
from wordline.importing.rows import (
    Fixed,
    Row,
    Simulator,
    Value,
    counts,
    nanoseconds,
    number,
    one_of,
    positive,
    shown,
    size,
    transfer_rate,
    whole,
)
from wordline.importing.text import numbered

US = 1e3
"""Nanoseconds of FlashSim's unit of time."""
MS = 1e6
"""Nanoseconds of the unit of later versions (josehu07/flashsim), which nothing in the file says."""
SHORTEST_ERASE = 50
"""Microseconds below which no block of flash is erased: a smaller number counts milliseconds."""
SPARE = 0.28
"""What is assumed of the over-provisioning."""
KEPT = 2
"""Blocks of a plane that are no logical ones at least: one in reserve and one to merge."""


def read(text: str, file: str) -> Mapping[str, Value]:
    """The values by their names: a name, then blanks, then a value."""
    found: dict[str, Value] = {}
    for line, content in numbered(text):
        parts = content.split()
        if len(parts) != 2:
            raise ConfigError(f"{file}: line {line}: {shown(content)!r}; accepted: NAME VALUE")
        found[parts[0]] = Value(parts[1], line)
    return found


def unit(erase: str) -> float:
    """Nanoseconds that all delays of a file count in, by that of an erase."""
    return MS if number(erase) < SHORTEST_ERASE else US


def delay(text: str, erase: str) -> str:
    """A delay beside that of an erase."""
    return nanoseconds(number(text) * unit(erase))


def rate(transfer: str, page: str, erase: str) -> str:
    """Rate of the bus."""
    return transfer_rate(number(transfer) * unit(erase), positive(page))


def over_provisioning(blocks: str) -> float:
    """The usual share, or what a plane of so few blocks needs to collect garbage."""
    count = positive(blocks)
    return SPARE if count <= KEPT else max(SPARE, math.ceil(100 * KEPT / (count - KEPT)) / 100)


UNIT = f"in us, or in ms where an erase counts less than {SHORTEST_ERASE}"
ROWS: tuple[Row | Fixed, ...] = (
    Row(
        ("SSD_SIZE",),
        "geometry.channels",
        positive,
        ("4",),
        "each package has a channel of the bus to itself",
    ),
    Fixed("geometry.chips_per_channel", 1, "a package is a chip"),
    *counts(("PACKAGE_SIZE", "8"), ("DIE_SIZE", "2"), ("PLANE_SIZE", "64"), ("BLOCK_SIZE", "16")),
    Row(("PAGE_SIZE",), "geometry.page_size", size, ("4096",)),
    Fixed("geometry.cell_type", "slc", "all pages of FlashSim take as long"),
    Row(("PAGE_READ_DELAY", "BLOCK_ERASE_DELAY"), "timing.t_r", delay, ("25", "1500"), UNIT),
    Row(("PAGE_WRITE_DELAY", "BLOCK_ERASE_DELAY"), "timing.t_prog", delay, ("200", "1500"), UNIT),
    Row(
        ("BLOCK_ERASE_DELAY",),
        "timing.t_bers",
        lambda erase: delay(erase, erase),
        ("1500",),
        f"{UNIT}; files with 1500000 mean ns: lower it then",
    ),
    Row(
        ("BUS_DATA_DELAY", "PAGE_SIZE", "BLOCK_ERASE_DELAY"),
        "timing.transfer_rate",
        rate,
        ("10", "4096", "1500"),
        f"the delay of a page, {UNIT}, over its bytes",
    ),
    Fixed("allocation.mode", "static", "FlashSim places pages by their addresses"),
    Row(
        ("FTL_IMPLEMENTATION",),
        "ftl.mapping",
        one_of({"0": "page", "1": "bast", "2": "fast", "3": "dftl", "4": "page"}),
        ("0",),
        "4 (bimodal) has no equal and becomes page",
    ),
    Row(
        ("FTL_IMPLEMENTATION", "CACHE_DFTL_LIMIT"),
        "ftl.cached_entries",
        lambda kind, limit: max(2, whole(limit)) if kind == "3" else None,
    ),
    Row(
        ("PLANE_SIZE",),
        "ftl.over_provisioning",
        over_provisioning,
        ("64",),
        "FlashSim has no value for it: 0.28, or what a plane of few blocks needs to collect garbage",
    ),
    Fixed("ftl.gc.victim", "greedy", "the block with the fewest valid pages"),
    Fixed("age.method", "fresh", "FlashSim starts with erased blocks"),
    Fixed("scheduler.policy", "fcfs", "FlashSim serves events in their order"),
    Row(("RAM_READ_DELAY", "RAM_WRITE_DELAY"), why="the time of the controller's memory"),
    Row(("BUS_CTRL_DELAY",), why="cycles of commands and addresses follow from the channel"),
    Row(("PLANE_REG_READ_DELAY", "PLANE_REG_WRITE_DELAY"), why="part of the array times"),
    Row(("BLOCK_ERASES",), why="blocks wear as [cell] says"),
    Row(
        ("BAST_LOG_PAGE_LIMIT", "FAST_LOG_PAGE_LIMIT", "LOG_PAGE_LIMIT"),
        why="ftl.log_blocks counts the log blocks of a plane",
    ),
    Row(("MAP_DIRECTORY_SIZE",), why="ftl.table_spare says how much space the map has on flash"),
)
SIMULATOR = Simulator(
    name="FlashSim",
    file="ssd.conf",
    source="FlashSim's public repository (MatiasBjorling/flashsim): ssd.conf, ssd_config.cpp",
    defaults="as in FlashSim's ssd_config.cpp",
    is_one=lambda text: bool(
        re.search(r"^[ \t]*(SSD_SIZE|PACKAGE_SIZE|PAGE_READ_DELAY)[ \t]+\S", text, re.M)
    ),
    read=read,
    rows=ROWS,
    passed_over=frozenset({"PAGE_ENABLE_DATA", "BUS_MAX_CONNECT", "BUS_TABLE_SIZE"}),
)
