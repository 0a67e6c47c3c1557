"""FEMU: the device of QEMU's command line (`-device femu,...`), alone or in the script that starts the machine."""

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
    positive,
    shown,
    transfer_rate,
)
from wordline.importing.text import numbered

DEVICE = re.compile(r"-device\s+[\"']?(femu,[^\s\"']+)")
ASSIGNMENT = re.compile(r"(?:export\s+)?([A-Za-z_]\w*)(\+?=)(.*)")
VARIABLE = re.compile(r"\$(?:\{(\w+)(?::-([^}]*))?\}|(\w+))")
LONGEST = 1 << 16
"""Characters that a variable of a script may grow to."""
SPARE = 0.07
"""Share of spare space where the size of the device leaves none."""


def read(text: str, file: str) -> Mapping[str, Value]:
    """The properties of the device by their names.

    Raises:
        ConfigError: no such device, or a property without a value.
    """
    devices = list(devices_of(text))
    if not devices:
        raise ConfigError(f"{file}: has no device of FEMU; accepted: -device femu,NAME=VALUE,...")
    # a script may put the device together over several lines, of which the last has all
    line, device = max(devices, key=lambda found: found[1].count(","))
    found: dict[str, Value] = {}
    for part in device.replace(",,", "\0").split(",")[1:]:
        name, sign, value = part.replace("\0", ",,").partition("=")
        if not sign or not name:
            raise ConfigError(f"{file}: line {line}: {shown(part)!r}; accepted: NAME=VALUE")
        found[name] = Value(value, line)
    return found


def devices_of(text: str) -> Iterator[tuple[int, str]]:
    """Each device and its line, with the variables of the script in their places."""
    variables: dict[str, str] = {}
    for line, content in joined(text):
        assignment = ASSIGNMENT.fullmatch(content)
        if assignment:
            name, sign, said = assignment.groups()
            said = expanded(re.sub(r"[\"']", "", said), variables)
            before = variables.get(name, "") if sign == "+=" else ""
            content = variables[name] = (before + said).strip()[:LONGEST]
        if device := DEVICE.search(expanded(content, variables)):
            yield line, device[1]


def expanded(text: str, variables: Mapping[str, str]) -> str:
    """A text with the values of variables in their places, cut where it becomes too long."""
    parts: list[str] = []
    length = last = 0
    for match in VARIABLE.finditer(text):
        default = match[0] if match[2] is None else match[2]
        parts += [text[last : match.start()], variables.get(match[1] or match[3], default)]
        length += len(parts[-2]) + len(parts[-1])
        last = match.end()
        if length > LONGEST:
            break
    return "".join([*parts, text[last:]])[:LONGEST]


def joined(text: str) -> Iterator[tuple[int, str]]:
    """The lines, those that end in a backslash with what follows them."""
    pending, first = "", 0
    for line, content in numbered(text):
        first = first or line
        if content.endswith("\\"):
            # options are on lines of their own, a value that is cut goes on
            pending += content[:-1] if content.endswith(",\\") else content[:-1] + " "
            pending = pending[:LONGEST]
            continue
        yield first, pending + content
        pending, first = "", 0
    if pending:
        yield first, pending


def page_size(sector: str, sectors: str) -> str:
    """Bytes of a page."""
    return in_bytes(positive(sector) * positive(sectors))


def spare(device: str, *geometry: str) -> float:
    """What the flash has beyond the device, as a share of the flash."""
    flash = 1
    for part in geometry:
        flash *= positive(part)
    left = 1 - positive(device) * 2**20 / flash
    return round(left, 6) if left > 0 else SPARE


def rate(delay: str, sector: str, sectors: str) -> str:
    """Rate of the bus."""
    return transfer_rate(number(delay), positive(sector) * positive(sectors))


GEOMETRY = (
    "secsz",
    "secs_per_pg",
    "pgs_per_blk",
    "blks_per_pl",
    "pls_per_lun",
    "luns_per_ch",
    "nchs",
)
USUAL = ("512", "8", "256", "256", "1", "8", "8")
ROWS = (
    Row(("nchs",), "geometry.channels", positive, ("8",)),
    Row(("luns_per_ch",), "geometry.chips_per_channel", positive, ("8",), "a LUN is a chip"),
    Fixed("geometry.dies_per_chip", 1, "a LUN is a chip"),
    Row(("pls_per_lun",), "geometry.planes_per_die", positive, ("1",)),
    Row(("blks_per_pl",), "geometry.blocks_per_plane", positive, ("256",)),
    Row(("pgs_per_blk",), "geometry.pages_per_block", positive, ("256",)),
    Row(("secsz", "secs_per_pg"), "geometry.page_size", page_size, ("512", "8")),
    Fixed("geometry.cell_type", "slc", "all pages of FEMU take as long"),
    Row(("pg_rd_lat",), "timing.t_r", duration(1), ("40000",)),
    Row(("pg_wr_lat",), "timing.t_prog", duration(1), ("200000",)),
    Row(("blk_er_lat",), "timing.t_bers", duration(1), ("2000000",)),
    Row(
        ("ch_xfer_lat", "secsz", "secs_per_pg"),
        "timing.transfer_rate",
        rate,
        ("0", "512", "8"),
        "the delay of a page over its bytes; 0 is 10,000 MT/s",
    ),
    Fixed("timing.t_cad", "0 ns", "FEMU gives commands no time on the bus"),
    Fixed("allocation.order", "CWDP", "FEMU fills channels, then LUNs, then planes"),
    Fixed("ftl.mapping", "page", "FEMU's black-box drive maps pages"),
    Row(
        ("devsz_mb", *GEOMETRY),
        "ftl.over_provisioning",
        spare,
        ("12288", *USUAL),
        f"the rest of the flash, or {SPARE} where the device takes all of it",
    ),
    Fixed("ftl.over_provisioning_basis", "raw", "a share of the flash"),
    Fixed("ftl.gc.victim", "greedy", "FEMU takes the line with the fewest valid pages"),
    Fixed("age.method", "fresh", "FEMU starts with erased blocks"),
    Fixed("host.interface", "nvme", "FEMU is an NVMe device"),
    Row(
        ("femu_mode",),
        why="the black-box drive (1) is what is taken over; modes 0, 2, 3 and 4 are other devices",
    ),
    Row(
        ("gc_thres_pcent", "gc_thres_pcent_high"),
        why="FEMU counts lines of blocks over all dies; ftl.gc.low and hard count free blocks of a pool",
    ),
)
SIMULATOR = Simulator(
    name="FEMU",
    file="run-blackbox.sh, or `-device femu,...`",
    source="FEMU's public repository (MoatLab/FEMU): README.md, femu-scripts/run-blackbox.sh",
    defaults="as in FEMU's run-blackbox.sh",
    is_one=lambda text: "femu" in text and "-device" in text,
    read=read,
    rows=ROWS,
    passed_over=frozenset({"id", "namespaces", "serial", "queues", "multipoller_enabled"}),
)
