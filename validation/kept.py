"""Outcomes of simulations that were done before, so that a run which was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import json
import os
from functools import cache
from pathlib import Path

import wordline
from wordline import _wordline

from .drives import Entry, scale
from .loads import Point
from .measured import ROOT
from .simulate import simulate

FOLDER = ROOT / "target" / "validation"


@cache
def simulator() -> str:
    """What tells one build of the simulator from another."""
    return hashlib.sha256(Path(_wordline.__file__).read_bytes()).hexdigest()


def name(drive: Entry, point: Point) -> str:
    """The same for two load points that are one simulation."""
    described = {
        "simulator": simulator(),
        "version": wordline.__version__,
        "drive": drive.described,
        "scale": scale(drive),
        "settings": point.settings,
        "before": point.before,
        "job": point.job,
        "derived": sorted({key for key in point.answers.values() if ":" in key}),
    }
    text = json.dumps(described, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def outcome(drive: Entry, point: Point) -> dict[str, float]:
    """What a drive does under a load, simulated unless it was before."""
    path = FOLDER / f"{name(drive, point)}.json"
    if path.is_file():
        return {key: float(value) for key, value in json.loads(path.read_text()).items()}
    found = simulate(drive, point)
    FOLDER.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}")
    part.write_text(json.dumps(found))
    part.replace(path)
    return found
