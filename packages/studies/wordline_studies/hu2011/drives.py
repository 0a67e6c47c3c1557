"""The drives of the study: states, commands and orders, each laid over a preset."""

from __future__ import annotations

from collections.abc import Mapping

from wordline.studies.grid import Metric, Variant

Keys = Mapping[str, object]

LIVE = 1 / 3
"""Share of the user space that holds data. SSDsim ages a drive until 0.7 of its pages are dead; what is left for live
ones, 0.3 of the raw space, is a third of the user space, which is 0.9 of it."""
SPACE = 1228
"""MiB of each channel that requests fall in: the same, in whole MiB, so that folding keeps their alignment to pages."""

UNAGED: Keys = {"age.method": "fresh", "age.place_reads": "allocation"}
"""Every block erased but those with the data that will be read, of each page the sectors that are read and no others, in the order of the allocation;
collection does not run. The source compares orders under loads that hardly write, such as Web: it must place data by them."""
WHOLE: Keys = {"age.fill": LIVE}
"""The same with whole pages of data in a third of the user space, whether they are read or not."""
AGED: Keys = {"age.method": "steady_state", "age.fill": LIVE}
"""After endless overwriting of the same data: every plane is at the watermark of collection."""

WISE_PLANES: Keys = {
    "commands.multi_plane_write": "wise",
    "commands.multi_plane_search": "own",
}
"""Multi-plane writes without pages that are given up, in the planes' own blocks, as SSDsim searches them."""
ADVANCED: Keys = {
    "commands.copyback": "wise",
    "commands.multi_plane_read": True,
    "commands.multi_plane_erase": True,
    "commands.interleave": True,
}
WISE: Keys = {**ADVANCED, **WISE_PLANES}
"""Approach 1: no command that gives up a page."""
BLIND: Keys = {**ADVANCED, "commands.multi_plane_write": "blind"}
"""Approach 2: multi-plane writes wherever possible."""

RESPONSE = Metric("response time", "host.all.latency.mean_us")
READ = Metric("read response time", "host.read.latency.mean_us")
WRITE = Metric("write response time", "host.write.latency.mean_us")
ERASES = Metric("erased blocks", "ftl.blocks_erased")

STATES: Mapping[str, Keys] = {"not aged": UNAGED, "aged": AGED}
"""States of a drive, by the name of their panel."""


def dynamic(order: str) -> Keys:
    """Dynamic allocation with the levels in this order, fastest-varying first."""
    return {"allocation.mode": "dynamic", "allocation.order": order}


def static(order: str) -> Keys:
    """Static allocation in this order."""
    return {"allocation.mode": "static", "allocation.order": order}


def variant(
    name: str,
    *layers: Keys,
    panel: str = "",
    preset: str = "hu2011",
    channels: int = 4,
    aged: bool = False,
    state: Keys | None = None,
    grown: int = 1,
) -> Variant:
    """A drive over a preset: its state, its channels, then the layers.

    Args:
        name: name of the variant.
        layers: keys laid over the preset.
        panel: panel that it stands in.
        preset: the preset.
        channels: channels of the drive.
        aged: whether it is aged.
        state: the state itself; that of the study if left out.
        grown: how many times the capacity of the preset's channels it has.
    """
    keys: dict[str, object] = {
        **(state or (AGED if aged else UNAGED)),
        "geometry.channels": channels,
    }
    for layer in layers:
        keys |= layer
    return Variant(name, preset, keys, panel, f"{SPACE * channels * grown} MiB", aged)
