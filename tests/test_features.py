"""External crates have the same features whichever crate is built, so that Cargo compiles each of them once."""

from __future__ import annotations

import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CRATES = sorted(
    tomllib.loads(place.read_text(encoding="utf-8"))["package"]["name"]
    for places in ("crates/*/Cargo.toml", "packages/*/*/Cargo.toml")
    for place in ROOT.glob(places)
    if place.parent.name != "features"
)


@cache
def features(*selection: str) -> frozenset[str]:
    """Every crate with its features, as lines of text."""
    tree = ("cargo", "tree", "--locked", "--quiet", "--edges=normal,build,dev")
    form = ("--format={p} {f}", "--prefix=none")
    done = subprocess.run(
        [*tree, *form, *selection], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return frozenset(line.removesuffix(" (*)") for line in done.stdout.splitlines())


@pytest.mark.parametrize("crate", CRATES)
def test_a_crate_alone_has_the_features_of_the_workspace(crate: str) -> None:
    alone = features(f"--package={crate}")
    assert len(alone) > 1
    differing = alone - features("--workspace")
    assert not differing, f"crates/features/Cargo.toml lacks features of {sorted(differing)}"
