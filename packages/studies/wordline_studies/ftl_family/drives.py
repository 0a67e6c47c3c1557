"""The drives of the study: mappings over one preset, and what is looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from wordline.points.outcome import Outcome
from wordline.points.point import Point
from wordline.studies.grid import Metric, Variant

Keys = Mapping[str, object]

PRESET = "ftl-family"
PAGES_PER_BLOCK = 64
ENTRIES = 51_200
"""Logical pages of the preset: 65,536 pages with 28 % beyond."""

LOGS: Keys = {"ftl.log_blocks": 32}
"""Log blocks of a plane, which has 56 spare blocks."""
CACHE = 6_400
"""Cached entries of `dftl`, an eighth of all."""

MAPPINGS: Mapping[str, Keys] = {
    "page": {},
    "dftl": {"ftl.cached_entries": CACHE},
    "superblock": {"ftl.cached_maps": 16},
    "last": {**LOGS, "ftl.sequential_log_blocks": 8},
    "fast": LOGS,
    "sast": LOGS,
    "bast": LOGS,
    "block": {},
}
"""Keys of each mapping: all but `page` and `block` take 35 to 50 KiB of the controller's memory."""
LOG_BLOCKS = ("last", "fast", "sast", "bast")
WHOLE_BLOCKS = (*LOG_BLOCKS, "block")

RESPONSE = Metric("response time", "host.all.latency.mean_us")
ERASES = Metric("erased blocks", "ftl.blocks_erased")
AMPLIFICATION = Metric("write amplification", "ftl.write_amplification_total", relative=False)


def of_mapping(name: str, *layers: Keys, panel: str = "", called: str = "") -> Variant:
    """The preset with a mapping, its keys, and what is laid over them."""
    keys: dict[str, object] = {"ftl.mapping": name, **MAPPINGS[name]}
    for layer in layers:
        keys |= layer
    return Variant(called or name, PRESET, keys, panel, aged=True)


def of_table(design: str, amount: int) -> Variant:
    """Page-level mapping with a map that is not simulated: what it costs is worked out beside the run of `page`."""

    def work_out(point: Point, outcome: Outcome) -> Mapping[str, float]:
        costs = point.resolved.table_design(design, amount)
        writes = outcome.number("host.page_writes") or 0.0
        # a write looks its page up once
        return {**costs, "ftl.pages_read.mapping": costs.pop("reads_per_lookup") * writes}

    page = of_mapping("page")
    return replace(page, name=design, worked_out=work_out)


def pages(name: str, *layers: Keys, panel: str = "") -> Variant:
    """The preset with its page-level mapping, and what is laid over it."""
    return of_mapping("page", *layers, panel=panel, called=name)
