"""What the source prints of its baseline, what it leaves open, and the settings that the baselines alone were found to allow.

`python packages/studies/benchmarks/wu2012_baselines.py` infers the settings and writes them to `inferred.toml` beside this file. No published effect is an input of it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from wordline import _wordline
from wordline.sweeps.values import Range

PLACE = Path(__file__).parent
INFERRED = PLACE / "inferred.toml"
"""The settings that were inferred, by trace and kind of cell."""

TABLE_3_3: Mapping[tuple[str, str], tuple[float, float]] = {
    ("F1", "SLC"): (370.0, 870.0),
    ("F1", "MLC"): (440.0, 1_580.0),
    ("F2", "SLC"): (240.0, 570.0),
    ("F2", "MLC"): (270.0, 1_030.0),
    ("DAP", "SLC"): (1_920.0, 6_850.0),
    ("DAP", "MLC"): (5_740.0, 11_740.0),
    ("MSN", "SLC"): (4_130.0, 4_580.0),
    ("MSN", "MLC"): (8_470.0, 25_210.0),
}
"""Mean read and write latency in µs with FIFO: table 3.3."""

SIZES_PUBLISHED = ("F1", "F2")
"""Traces whose request sizes are published; those of the others are unknowns."""

SIZE_FACTORS = (1, 2, 4, 8, 16)
"""By how much the mean sizes of another server of MSN's are multiplied for the traces whose sizes are not published."""

DRIVE: Mapping[Any, Any] = {
    ("ftl.gc.mode", "scheduler.collection_first"): [
        ("background", False),
        ("background", True),
        ("foreground", False),
        ("foreground", True),
    ],
    "scheduler.policy": ["out_of_order", "fcfs"],
    "nand.independent_planes": [True, False],
    "buffer.read_cache": [False, True],
    "age.fill": Range(0.5, 1.0),
    "age.random_factor": Range(0.5, 2.0),
}
"""What the source leaves open of its drive. Cleaning in the foreground that goes first is one piece of work, as in the SSD extension of DiskSim;
`fcfs` serves the operations of a chip strictly in their order, and dependent planes one at a time."""


@dataclass(frozen=True)
class Settings:
    """What was inferred for a trace on one kind of cell."""

    frozen: Mapping[str, object]
    """The best settings: keys and values."""
    known: Mapping[str, str]
    """What the baselines say of each unknown."""
    scale: float
    """What the tolerances had to be multiplied by for any settings to fit."""


@cache
def inferred() -> Mapping[tuple[str, str], Settings]:
    """What was inferred, by trace and kind of cell; nothing before that was done."""
    if not INFERRED.is_file():
        return {}
    table = tomllib.loads(INFERRED.read_text(encoding="utf-8"))
    return {
        (trace, cell): Settings(found["frozen"], found["known"], found["tolerances_times"])
        for trace, cells in table.items()
        for cell, found in cells.items()
    }


BIAS = Range(0.5, 0.8)
"""Burstiness of the traces of which no excerpt is at hand: from none to more than in any excerpt."""
KNOWN_BIAS: Mapping[str, float] = {"F1": 0.63}
"""`burst bias` of the excerpts of the traces themselves (`wordline trace-stats`)."""


def scaled_profile(name: str, factor: float) -> str:
    """The profile called `name` with mean sizes of its reads and writes multiplied, as TOML."""
    text = next(each["text"] for each in _wordline.profiles() if each["name"] == name)

    def times(found: re.Match[str]) -> str:
        return f'mean_size = "{round(int(found[1]) * factor)} B"'

    return re.sub(r'mean_size = "(\d+) B"', times, text)


def profile_file(trace: str, factor: float) -> str:
    """Name of the file of a profile with other sizes."""
    return f"{trace.lower()}-sizes-times-{factor:g}.toml"


SHOWN: Mapping[str, str] = {
    "ftl.gc.mode and scheduler.collection_first": "cleaning",
    "nand.independent_planes": "planes of a chip independent",
    "scheduler.policy": "order of the operations of a chip",
    "buffer.read_cache": "buffer keeps what was read",
    "age.fill": "fill",
    "age.random_factor": "random overwrites",
    "workload.burst_bias": "bursts",
    "request sizes": "request sizes",
}
"""The unknowns as the chapter names them."""
GIVEN: Mapping[str, str] = {
    "workload.burst_bias": "of its excerpt",
    "request sizes": "published",
}
"""Where what is an unknown of some traces is from for the others."""
CLEANING: Mapping[str, str] = {
    "foreground and true": "in one piece, ahead of reads",
    "foreground and false": "in one piece",
    "background and true": "background, ahead of reads",
    "background and false": "background",
}
"""The ways to clean, in words: `ftl.gc.mode` and `scheduler.collection_first`."""


def allowed() -> str:
    """What the baselines say of every unknown, as a table in Markdown."""
    cases = inferred()
    names = [f"{trace}, {cell}" for trace, cell in cases]
    lines = [f"| | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    for key, told in SHOWN.items():
        cells = (in_words(each.known.get(key, GIVEN.get(key, "–"))) for each in cases.values())
        lines.append(f"| {told} | {' | '.join(cells)} |")
    scales = (f"{each.scale:.1f}" for each in cases.values())
    return "\n".join([*lines, f"| tolerances had to be multiplied by | {' | '.join(scales)} |"])


def in_words(text: str) -> str:
    """What is known of an unknown, with the ways to clean in words."""
    for value, told in CLEANING.items():
        text = text.replace(value, told)
    return text.replace("%", " %").replace("true", "yes").replace("false", "no")
