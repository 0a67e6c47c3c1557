"""How many planes of their die the flash commands used."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

from wordline.report.section import Row, Section

if TYPE_CHECKING:
    from wordline.results import Result

KINDS = {
    "read": ("reads", "ftl.pages_read"),
    "program": ("programs", "ftl.pages_programmed"),
    "erase": ("erases", "ftl.blocks_erased"),
}
"""Kinds of commands, and the summary key of the pages or blocks that they concern."""


def section(result: Result) -> Section | None:
    """Commands by kind, the share of them with several planes, and planes of a command; nothing where dies have one plane."""
    planes = int(tomllib.loads(result.config).get("geometry", {}).get("planes_per_die", 1))
    rows = [row for kind in KINDS if (row := row_of(result, kind, planes))] if planes > 1 else []
    return Section("Planes of a command", rows=rows) if rows else None


def row_of(result: Result, kind: str, planes: int) -> Row | None:
    """The row of a kind of commands; none where there was no such command."""
    name, units = KINDS[kind]
    counts = {
        key.removeprefix("nand.commands."): int(result.number(key))
        for key in result.summary
        if key.startswith("nand.commands.") and key.endswith(kind)
    }
    total = sum(counts.values())
    if not total:
        return None
    several = sum(count for key, count in counts.items() if "multi_plane" in key)
    # copy-backs fill pages, too
    pages = result.number(units) - (result.number("ftl.copy_backs") if kind == "program" else 0)
    return {
        "commands": name,
        "number": total,
        "share with several planes": several / total,
        f"mean planes, of {planes}": pages / total,
    }
