"""The drives that are compared, and how they are scaled."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from .assemble import FOLDER
from .parts import CLIENT, GB1000, HMB, PARTS, QLC, Parts
from .scale import KEPT_FREE, scaled_spare

FEWEST = {QLC: 512, CLIENT: 171, HMB: 195}
"""Blocks of a plane that a drive keeps at least, by class: what its open blocks and SLC cache need beside its data."""
UNITS = 1_500_000
"""User units of 4 KiB, about, of a drive whose load overwrites it several times."""
SMALL_BLOCKS = 96
"""Blocks of a plane of such a drive."""
SMALL_KEPT = 5.5
"""Blocks of a plane of such a drive that hold nothing in the long run: the five of `ftl.gc.low`, and half of one that is being filled. The write amplification of the larger scale lies between those with five and with six."""


@dataclass(frozen=True)
class Entry:
    """A drive of the validation."""

    parts: Parts
    blocks: int
    """Blocks of a plane that are simulated."""

    @property
    def name(self) -> str:
        """As the tables of measurements have it."""
        return self.parts.name

    @property
    def title(self) -> str:
        """As the page has it."""
        return self.parts.title

    @property
    def file(self) -> str:
        """In `validation/drives`."""
        return f"{self.parts.file}.toml"

    @property
    def path(self) -> Path:
        """The drive file."""
        return FOLDER / self.file

    @property
    def kind(self) -> str:
        """The class."""
        return self.parts.kind

    @property
    def blind(self) -> bool:
        """Whether nothing measured of it was at hand."""
        return self.parts.blind

    @property
    def described(self) -> dict[str, Any]:
        """What its file has."""
        return parsed(self.path)

    @property
    def share(self) -> float:
        """The simulated part of its blocks."""
        return self.blocks / int(self.described["geometry"]["blocks_per_plane"])


@cache
def parsed(path: Path) -> dict[str, Any]:
    """A drive file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def simulated(parts: Parts) -> int:
    """Blocks of a plane that are simulated: a quarter, and fewer of larger drives; 64 where nothing is collected."""
    described = parsed(FOLDER / f"{parts.file}.toml")
    if described["age"]["method"] == "overwritten":
        return 64
    larger = max(1, round(parts.user_bytes / GB1000))
    quarter = math.ceil(int(described["geometry"]["blocks_per_plane"]) / (4 * larger))
    return max(FEWEST.get(parts.kind, 48), quarter)


DRIVES = tuple(Entry(parts, simulated(parts)) for parts in PARTS)


def scale(drive: Entry, blocks: int | None = None, kept: float = KEPT_FREE) -> dict[str, Any]:
    """Settings that give a drive as many blocks in each plane; None: as many as are simulated."""
    described = drive.described
    full = int(described["geometry"]["blocks_per_plane"])
    fewer = blocks or drive.blocks
    spare = float(described["ftl"]["over_provisioning"])
    if described["age"]["method"] == "steady_state":
        spare = scaled_spare(full, fewer, spare, kept)
    return {"geometry.blocks_per_plane": fewer, "ftl.over_provisioning": round(spare, 5)}


def small(drive: Entry) -> tuple[dict[str, Any], float]:
    """Settings of a drive that is overwritten in seconds, and its user space over that of the full one.

    Its blocks are fewer, and shorter: erases take less time in proportion, so that they take the same share of it.
    """
    described = drive.described
    geometry = described["geometry"]
    full, pages = int(geometry["blocks_per_plane"]), int(geometry["pages_per_block"])
    settings = scale(drive, SMALL_BLOCKS, SMALL_KEPT)
    planes = (
        int(geometry["channels"])
        * int(geometry["chips_per_channel"])
        * int(geometry["planes_per_die"])
    )
    # a page of 16 KiB has four units
    fewer = max(24, UNITS // (4 * planes * SMALL_BLOCKS) // 12 * 12)
    erase = float(str(described["timing"]["t_bers"]).removesuffix(" ms"))
    settings |= {
        "geometry.pages_per_block": fewer,
        "timing.t_bers": f"{1000 * erase * fewer / pages:.1f} us",
    }
    spare = float(described["ftl"]["over_provisioning"])
    ratio = SMALL_BLOCKS * fewer / (1 + settings["ftl.over_provisioning"])
    return settings, ratio / (full * pages / (1 + spare))
