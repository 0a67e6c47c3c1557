"""DiskSim with its SSD extension (Agrawal et al., USENIX ATC 2008): the device `ssdmodel_ssd` of a parameter file (`.parv`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from wordline.errors import ConfigError
from wordline.importing.rows import (
    Fixed,
    Row,
    Simulator,
    Value,
    duration,
    in_bytes,
    number,
    one_of,
    positive,
    shown,
    switch,
    transfer_rate,
)
from wordline.importing.text import numbered

MS = 1e6
"""Nanoseconds of DiskSim's unit of time."""
SECTOR = 512
BEGIN = re.compile(r"\bssdmodel_ssd\s+(\w+)\s*\{")
DEEPEST = 64
LONGEST = 1 << 12
"""Characters of a parameter."""


def read(text: str, file: str) -> Mapping[str, Value]:
    """The parameters of the first device that is an SSD, without those of the blocks in it.

    Raises:
        ConfigError: no such device, a block that does not end.
    """
    found: dict[str, Value] = {}
    for line, parameter in parameters(text, file):
        name, sign, value = parameter.partition("=")
        name = " ".join(name.split())
        if not sign or not name:
            raise ConfigError(f"{file}: line {line}: {shown(parameter)!r}; accepted: NAME = VALUE,")
        found[name] = Value(" ".join(value.split()), line)
    return found


def parameters(text: str, file: str) -> Iterator[tuple[int, str]]:
    """The parameters of the device, each with its line; blocks in it are left out."""
    depth, pending, first = 0, "", 0
    for line, content in numbered(text):
        if depth == 0:
            begin = BEGIN.search(content)
            if not begin:
                continue
            depth, content = 1, content[begin.end() :]
        for part in re.split(r"([{},])", content):
            if part == "{":
                depth += 1
                if depth > DEEPEST:
                    raise ConfigError(f"{file}: line {line}: blocks are more than {DEEPEST} deep")
            elif part == "}":
                depth -= 1
                if depth == 1:
                    # a block as a value: what stands in it is no parameter of the device
                    pending = f"{pending} {{...}}"
                elif depth == 0:
                    if pending.strip():
                        yield first, pending
                    return
            elif depth == 1 and part == ",":
                if pending.strip():
                    yield first, pending
                pending, first = "", 0
            elif depth == 1 and part.strip():
                pending, first = f"{pending} {part}", first or line
                if len(pending) > LONGEST:
                    raise ConfigError(
                        f"{file}: line {first}: a parameter of more than {LONGEST} characters; is a comma missing?"
                    )
    if depth:
        raise ConfigError(f"{file}: the block of ssdmodel_ssd does not end; is the file complete?")
    raise ConfigError(f"{file}: has no device ssdmodel_ssd NAME {{ ... }}")


def page_size(sectors: str) -> str:
    """Bytes of a page, given in sectors."""
    return in_bytes(positive(sectors) * SECTOR)


def percent(text: str) -> float:
    """A share, given in percent."""
    if (value := number(text)) < 100:
        return value / 100
    raise ValueError("percent, from 0 to below 100")


def rate(latency: str) -> str:
    """Rate of the bus."""
    return transfer_rate(number(latency) * MS)


ROWS = (
    Row(
        ("Flash chip elements",),
        "geometry.channels",
        positive,
        ("8",),
        "each element has pins of its own (a gang of one)",
    ),
    Fixed("geometry.chips_per_channel", 1, "elements that share a gang's bus have no equal"),
    Fixed("geometry.dies_per_chip", 1, "parallel units of an element have no equal"),
    Row(("Planes per package",), "geometry.planes_per_die", positive, ("8",)),
    Row(("Blocks per plane",), "geometry.blocks_per_plane", positive, ("2048",)),
    Row(("Pages per block",), "geometry.pages_per_block", positive, ("64",)),
    Row(("Page size",), "geometry.page_size", page_size, ("8",), "in sectors of 512 B"),
    Fixed("geometry.cell_type", "slc", "all pages of the model take as long"),
    Row(("Page read latency",), "timing.t_r", duration(MS), ("0.025",), "in ms"),
    Row(("Page write latency",), "timing.t_prog", duration(MS), ("0.200",), "in ms"),
    Row(("Block erase latency",), "timing.t_bers", duration(MS), ("1.5",), "in ms"),
    Row(
        ("Chip xfer latency",),
        "timing.transfer_rate",
        rate,
        ("0.000025",),
        "ms of a byte",
    ),
    Row(
        ("Copy back",),
        "commands.copyback",
        lambda text: "wise" if switch(text) else "off",
        ("1",),
    ),
    Fixed("allocation.mode", "static", "DiskSim chooses the element by the address"),
    Fixed("allocation.order", "CWDP", "pages go from element to element"),
    Row(("Reserve pages percentage",), "ftl.over_provisioning", percent, ("15",)),
    Fixed("ftl.over_provisioning_basis", "raw", "a share of all pages, as in DiskSim"),
    Row(
        ("Cleaning policy",),
        "ftl.gc.victim",
        one_of({"1": "random", "2": "greedy", "3": "wear_greedy"}),
        ("2",),
    ),
    Fixed("ftl.gc.basis", "pool", "DiskSim's threshold is a share of the blocks"),
    Row(("Minimum free blocks percentage",), "ftl.gc.hard", percent, ("5",)),
    Row(("Minimum free blocks percentage",), "ftl.gc.low", percent, ("5",)),
    Row(
        ("Minimum free blocks percentage",),
        "ftl.gc.high",
        percent,
        ("5",),
        "up to where it began",
    ),
    Row(
        ("Cleaning in background",),
        "ftl.gc.mode",
        lambda text: "background" if switch(text) else "foreground",
        ("0",),
    ),
    Fixed("age.method", "steady_state", "DiskSim starts with every page in use"),
    Fixed("scheduler.policy", "fcfs", "the queue of each element is served in its order"),
    Row(
        ("Write policy", "Plane block mapping", "Allocation pool logic"),
        why="pages are mapped one by one",
    ),
    Row(("Blocks per element",), why="follows from planes and blocks per plane"),
    Row(
        ("Elements per gang", "Gang share", "Element stride pages"),
        why="each element has a channel",
    ),
    Row(("Number of parallel units",), why="planes of an element work together"),
    Row(
        ("Command overhead", "Bus transaction latency", "Bulk sector transfer time"),
        why="the host's bus is [host]",
    ),
    Row(("Max queue length", "Scheduler", "Timing model"), why="the queue of the device is [host]"),
)
SIMULATOR = Simulator(
    name="DiskSim with the SSD extension",
    file="a .parv file",
    source="the SSD extension for DiskSim (Microsoft Research, 2008): ssdmodel/valid/*.parv and its README",
    defaults="as in the extension's parameter files",
    is_one=lambda text: bool(BEGIN.search(text)),
    read=read,
    rows=ROWS,
    passed_over=frozenset({"Never disconnect", "Print stats"}),
)
