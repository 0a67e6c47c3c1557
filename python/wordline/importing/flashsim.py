"""FlashSim: `ssd.conf`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from wordline.errors import ConfigError
from wordline.importing.rows import (
    Fixed,
    Row,
    Simulator,
    Value,
    counts,
    duration,
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


def read(text: str, file: str) -> Mapping[str, Value]:
    """The values by their names: a name, then blanks, then a value."""
    found: dict[str, Value] = {}
    for line, content in numbered(text):
        parts = content.split()
        if len(parts) != 2:
            raise ConfigError(f"{file}: line {line}: {shown(content)!r}; accepted: NAME VALUE")
        found[parts[0]] = Value(parts[1], line)
    return found


def rate(delay: str, page: str) -> str:
    """Rate of the bus."""
    return transfer_rate(number(delay) * US, positive(page))


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
    Row(("PAGE_READ_DELAY",), "timing.t_r", duration(US), ("25",), "in us"),
    Row(("PAGE_WRITE_DELAY",), "timing.t_prog", duration(US), ("200",), "in us"),
    Row(
        ("BLOCK_ERASE_DELAY",),
        "timing.t_bers",
        duration(US),
        ("1500",),
        "in us, as the other delays; files with 1500000 mean ns: lower it then",
    ),
    Row(
        ("BUS_DATA_DELAY", "PAGE_SIZE"),
        "timing.transfer_rate",
        rate,
        ("10", "4096"),
        "the delay of a page, in us, over its bytes",
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
    Fixed("ftl.over_provisioning", 0.28, "FlashSim has no value for it"),
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
