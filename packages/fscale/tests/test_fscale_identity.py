"""Simulated results of very large drives stay what they are: FScale specification, section 12."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wordline_fscale import LargeDrive
from wordline_fscale.drives import Backend

COMMITTED = Path(__file__).with_name("large-drives.json")
"""By drive and back end. A change that is meant to alter results writes it anew and says so among the changes."""
CASES: tuple[tuple[str, Backend], ...] = (
    ("conventional-8tb", "statistical"),
    ("conventional-128tb", "permuted"),
    ("fscale-8tb", "permuted"),
    ("fscale-1pb", "statistical"),
    ("fscale-122.88tb-today", "statistical"),
    ("conventional-30.72tb-today", "permuted"),
)
LOAD = {"workload.write_fraction": 0.5, "workload.queue_depth": 64}


@pytest.mark.parametrize(("name", "backend"), CASES)
def test_large_drives_give_the_committed_results(name: str, backend: Backend) -> None:
    found = LargeDrive(name, **LOAD).simulate(20_000, backend=backend)
    committed = json.loads(COMMITTED.read_text(encoding="utf-8"))[f"{name} {backend}"]
    figures = {key: found[key] for key in committed}
    # sums of floating-point numbers may differ in the last digit between machines
    assert figures == pytest.approx(committed, rel=1e-12)
