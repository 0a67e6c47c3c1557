"""Simulation of a load point."""

from __future__ import annotations

import tempfile
import tomllib
from pathlib import Path
from typing import Any

import wordline as wl

from .drives import Entry
from .loads import Point
from .scale import scaled_spare


def scale(drive: Entry, blocks: int | None = None) -> dict[str, Any]:
    """Settings that give a drive as many blocks in each plane; None: as many as are simulated."""
    described = tomllib.loads(drive.path.read_text(encoding="utf-8"))
    full = int(described["geometry"]["blocks_per_plane"])
    fewer = blocks or drive.blocks
    spare = float(described["ftl"]["over_provisioning"])
    if described["age"]["method"] == "steady_state":
        spare = scaled_spare(full, fewer, spare)
    return {"geometry.blocks_per_plane": fewer, "ftl.over_provisioning": round(spare, 5)}


def simulate(drive: Entry, point: Point, **changed: Any) -> dict[str, float]:
    """What a drive does under a load, by the quantities of the measurement."""
    settings = {**scale(drive), "output.request_log": 0, **point.settings, **changed}
    described = wl.Drive.from_toml(drive.path, **settings)
    if point.job is None:
        result = wl.simulate(described)
    else:
        with tempfile.TemporaryDirectory() as folder:
            job = Path(folder) / "load.fio"
            job.write_text(point.job, encoding="utf-8")
            result = wl.simulate(described, wl.Workload(job))
    return {
        quantity: float(value)
        for quantity, key in point.figures.items()
        if isinstance(value := result.summary.get(key), (int, float))
    }
