"""SimpleSSD: the configuration of a device (`sample.cfg`)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from wordline.errors import ConfigError
from wordline.importing.rows import (
    PAGES,
    Fixed,
    Row,
    Simulator,
    Value,
    counts,
    duration,
    latency,
    number,
    one_of,
    positive,
    rounded_down,
    share,
    shown,
    size,
    switch,
)
from wordline.importing.text import numbered

PS = 1e-3
"""Nanoseconds of SimpleSSD's unit of time."""
CELLS = {"0": "slc", "1": "mlc", "2": "tlc"}


def read(text: str, file: str) -> Mapping[str, Value]:
    """The values under `section.name`."""
    found: dict[str, Value] = {}
    section = ""
    for line, content in numbered(text, "#;"):
        if match := re.fullmatch(r"\[(\w+)\]", content):
            section = match[1]
            continue
        name, sign, value = content.partition("=")
        if not sign or not section or not name.strip():
            raise ConfigError(
                f"{file}: line {line}: {shown(content)!r}; accepted: [section], then NAME = VALUE"
            )
        found[f"{section}.{name.strip()}"] = Value(value.strip(), line)
    return found


def page_latency(key: str, kind: str, *defaults: str) -> Row:
    """The row of a latency that depends on the page."""
    names = {page: f"pal.{page}{kind}" for page in PAGES["tlc"]}
    return latency(key, "pal.NANDType", CELLS, names, PS, ("1", *defaults))


def megatransfers(speed: str, width: str) -> str:
    """Rate of a channel of 8 bits that is as fast."""
    return f"{number(speed) * positive(width) / 8:g} MT/s"


def aged(fill: str) -> str:
    """A drive is filled as the file says, or fresh."""
    return "overwritten" if share(fill) else "fresh"


def some_share(fill: str) -> float | None:
    """A share, where it is not 0."""
    return share(fill) or None


def overwrites(fill: str, invalid: str) -> float | None:
    """Random overwrites, as a multiple of what is filled."""
    return share(invalid) if share(fill) else None


def order(text: str) -> str:
    """An order of all four levels."""
    if sorted(text.strip().upper()) == sorted("CWDP"):
        return text.strip().upper()
    raise ValueError("an order of the letters C, W, D and P")


def buffered(enabled: str, capacity: str) -> str | None:
    """Size of the write cache, where there is one."""
    return size(capacity) if switch(enabled) else None


ROWS: tuple[Row | Fixed, ...] = (
    *counts(
        ("pal.Channel", "8"),
        ("pal.Package", "4"),
        ("pal.Die", "2"),
        ("pal.Plane", "2"),
        ("pal.Block", "512"),
        ("pal.Page", "512"),
    ),
    Row(("pal.PageSize",), "geometry.page_size", size, ("16384",)),
    Row(("pal.NANDType",), "geometry.cell_type", one_of(CELLS), ("1",)),
    Fixed("timing.model", "onfi", "SimpleSSD times commands, addresses and data of ONFI"),
    Row(
        ("pal.DMASpeed", "pal.DMAWidth"),
        "timing.transfer_rate",
        megatransfers,
        ("400", "8"),
        "Wordline's channels are 8 bits wide",
    ),
    page_latency("timing.t_r", "Read", "40000000", "0", "65000000"),
    page_latency("timing.t_prog", "Write", "500000000", "0", "1300000000"),
    Row(("pal.Erase",), "timing.t_bers", duration(PS), ("3500000000",)),
    Row(
        ("pal.EnableMultiPlaneOperation",),
        "commands.multi_plane_write",
        lambda text: "wise" if switch(text) else "off",
        ("1",),
    ),
    Row(("pal.EnableMultiPlaneOperation",), "commands.multi_plane_read", switch, ("1",)),
    Row(("pal.EnableMultiPlaneOperation",), "commands.multi_plane_erase", switch, ("1",)),
    Fixed("commands.interleave", True, "dies of a package work at the same time"),
    Row(("pal.PageAllocation",), "allocation.order", order, ("CWDP",)),
    Row(
        ("ftl.MappingMode",),
        "ftl.mapping",
        one_of({"0": "page"}),
        ("0",),
        "superpages (SuperblockSize) have no equal",
    ),
    Row(("ftl.OverProvisioningRatio",), "ftl.over_provisioning", share, ("0.25",)),
    Fixed("ftl.over_provisioning_basis", "raw", "a share of all space, as in SimpleSSD"),
    Row(
        ("ftl.EvictPolicy",),
        "ftl.gc.victim",
        one_of({"0": "greedy", "1": "cost_benefit", "2": "random", "3": "d_choices"}),
        ("0",),
    ),
    Row(("ftl.DChoiceParam",), "ftl.gc.d", positive),
    Fixed("ftl.gc.basis", "pool", "SimpleSSD's threshold is a share of the blocks"),
    Fixed("ftl.gc.pool", "drive", "SimpleSSD collects superblocks of the whole drive"),
    Row(("ftl.GCThreshold",), "ftl.gc.hard", share, ("0.05",)),
    Row(("ftl.GCThreshold",), "ftl.gc.low", share, ("0.05",)),
    Row(("ftl.GCThreshold",), "ftl.gc.high", share, ("0.05",), "up to where it began"),
    Row(("ftl.FillRatio",), "age.method", aged, ("0",)),
    Row(("ftl.FillRatio",), "age.fill", some_share),
    Row(
        ("ftl.FillRatio", "ftl.InvalidPageRatio"),
        "age.random_factor",
        overwrites,
        (),
        "in place of a share of invalid pages",
    ),
    Fixed("host.interface", "nvme", "the section [nvme]"),
    Row(
        ("nvme.PCIEGeneration",),
        "host.pcie.generation",
        lambda text: rounded_down(text) + 1,
        ("2",),
        "SimpleSSD counts generations from 0",
    ),
    Row(("nvme.PCIELane",), "host.pcie.lanes", positive, ("4",)),
    Row(
        ("icl.EnableWriteCache",),
        "buffer.policy",
        lambda text: "lru" if switch(text) else "none",
        ("0",),
        "the order in which pages leave is least recently used",
    ),
    Row(("icl.EnableWriteCache", "icl.CacheSize"), "buffer.size", buffered),
    Row(
        ("icl.EnableReadCache",),
        "buffer.read_cache",
        lambda text: switch(text) or None,
    ),
    Row(("pal.SuperblockSize",), why="pages are mapped one by one"),
    Row(("ftl.EraseThreshold",), why="blocks wear as [cell] says"),
    Row(
        (
            "ftl.FillingMode",
            "ftl.MinFillBytes",
            "ftl.GCMode",
            "ftl.GCReclaimBlocks",
            "ftl.GCReclaimThreshold",
            "ftl.EnableRandomIOTweak",
        ),
        why="see ftl.gc.mode, ftl.gc.high and [age]",
    ),
    Row(
        (
            "icl.CacheWaySize",
            "icl.EnableReadPrefetch",
            "icl.ReadPrefetchMode",
            "icl.ReadPrefetchCount",
            "icl.ReadPrefetchRatio",
            "icl.EvictPolicy",
            "icl.EvictMode",
            "icl.CacheLatency",
        ),
        why="see [buffer]",
    ),
)


SIMULATOR = Simulator(
    name="SimpleSSD",
    file="a device's .cfg",
    source="SimpleSSD's public documentation (docs.simplessd.org, configuration) and config/sample.cfg of SimpleSSD 2.0",
    defaults="as in SimpleSSD's sample.cfg",
    is_one=lambda text: bool(re.search(r"^[ \t]*\[pal\][ \t]*$", text, re.M)),
    read=read,
    rows=ROWS,
)
