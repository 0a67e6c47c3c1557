"""Which figures of a sweep are shown first, and what they are called."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from wordline import _wordline
from wordline.headlines import HEADLINES

if TYPE_CHECKING:
    from wordline.sweeps.sweep import Sweep

FIRST = (
    "host.iops",
    "host.read.latency.mean_us",
    "host.read.latency.p99_us",
    "host.write.latency.mean_us",
    "host.write.latency.p99_us",
    "ftl.write_amplification",
    "nand.die_utilization",
    "sim.time_s",
)
"""Figures that are shown where they differ between runs."""
NAMES = {key: name for key, name, _ in HEADLINES}


def chosen_figures(found: Sweep) -> list[str]:
    """The headline figures that differ between runs; all headline figures where none does."""
    present = [key for key in FIRST if key in found.figures]
    differing = [key for key in present if found.table[key].drop_nulls().n_unique() > 1]
    return differing or present


def figure_name(key: str) -> str:
    """A figure in words with its unit, or its key."""
    return heading(NAMES.get(key, key), units().get(key, ""))


@cache
def units() -> dict[str, str]:
    """Units of the figures that have one."""
    return {name: unit for name, unit, _ in _wordline.summary_keys() if unit != "1"}


def heading(name: str, unit: str) -> str:
    """A name with its unit."""
    return f"{name} ({unit})" if unit else name
