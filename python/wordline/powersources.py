"""Where the powers, voltages and currents of a drive come from, and what its file says beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordline import _wordline
from wordline.config import Overrides
from wordline.described import MOST_BASES, tree_of

CURRENTS = {"read": "i_read", "program": "i_program", "erase": "i_erase"}
"""Keys of `[power]` with the supply current of each operation."""
OF_CIRCUIT = ("chip", "pattern", "ones", "ones_min", "ones_max")
"""Keys of `[power]` that say what FlashPower computes."""
DEFAULTS = ("25 mA", "0 W", "fixed", "0.0", "1.0", "156 mW", "72 pJ")
"""Values of keys of `[power]` that a drive has which does not set them."""
STEADY = ("controller", "dram", "dram_size", "dram_per_gib", "dram_per_byte", "channel_io", "idle")
"""Keys of `[power]` with what does not depend on flash operations."""
LIMITS = ("cap", "peak", "ps3", "ps4")
"""Keys of `[power]` with limits and idle states, which a drive need not have."""
OF_DRAM = ("dram_per_gib", "dram_per_byte")
"""Keys that count with a capacity of the DRAM only."""


SAID_OF_DEFAULTS = dict.fromkeys(
    CURRENTS.values(), "a usual typical value of data sheets of planar parts (assumed)"
) | dict.fromkeys(OF_DRAM, "from currents of a module of DDR4-2133 (data sheet of Transcend)")
"""What is said of values that a drive does not set."""


@dataclass(frozen=True)
class Source:
    """Where a number that all others depend on comes from."""

    key: str
    """The key of the drive."""
    value: str
    """Its value."""
    origin: str
    """`drive` (its file or preset), `option` (an override), `default`, or `assumed` (neither the drive nor a default has it)."""
    remark: str
    """What the file says beside the key, or why the value is assumed; empty where neither says anything."""


def sources_of(
    source: str, overrides: Overrides, config: Mapping[str, Any], *, is_assumed: bool
) -> Iterator[Source]:
    """Where the numbers of `[power]` come from."""
    power = config["power"]
    basis = OF_CIRCUIT if "chip" in power else ("supply", *CURRENTS.values())
    texts = [*texts_of(source)]
    unused = ("dram",) if "dram_size" in power else OF_DRAM
    names = [name for name in (*basis, *STEADY, *LIMITS) if name in power and name not in unused]
    given = {key for key, _ in overrides}
    for name in names:
        key, value = f"power.{name}", str(power[name])
        remarks = [found for text in texts if (found := remark_of(text, name)) is not None]
        if name == "supply" and is_assumed:
            cells = config["geometry"]["cell_type"]
            why = f"usual of {cells.upper()}; the drive has neither power.supply nor power.chip"
            yield Source(key, value, "assumed", why)
        elif key in given:
            yield Source(key, value, "option", "")
        elif remarks or value not in DEFAULTS:
            yield Source(key, value, "drive", remarks[0] if remarks else "")
        else:
            yield Source(key, value, "default", SAID_OF_DEFAULTS.get(name, ""))


def texts_of(source: str) -> Iterator[str]:
    """The text of a description and of those that it stands on, its own first."""
    presets = {preset["name"]: preset["text"] for preset in _wordline.presets()}
    folder = Path()
    for _ in range(MOST_BASES):
        if source in presets:
            text = presets[source]
        else:
            path = folder / source
            folder = path.parent
            text = path.read_text(encoding="utf-8", errors="replace")
        yield text
        base = tree_of(text).get("base")
        if not isinstance(base, str):
            return
        source = base


def remark_of(text: str, name: str) -> str | None:
    """What a description says beside a key of `[power]`: empty where it says nothing, `None` where it has no such key."""
    table = tree_of(text).get("power", {})
    if not isinstance(table, dict) or name not in table:
        return None
    section = ""
    for line in text.splitlines():
        if found := re.match(r"\s*\[+\s*([\w.]+)", line):
            section = found[1]
        key = name if section == "power" else rf"power\.{name}"
        found = re.match(rf"\s*{key}\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^#]*?)\s*#\s*(.*)", line)
        if found and section in ("power", ""):
            return found[1].strip()
    return ""
