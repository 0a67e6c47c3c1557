"""Features beside the presets of today: every pair that is accepted runs, audited, and every refused one says why."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import wordline as wl

sys.path.insert(0, str(Path(__file__).parent.parent / "docs"))
import combinations as today

WORN = {
    "age.method": "overwritten",
    "workload.kind": "random",
    "workload.request_size": "4 KiB",
    "workload.requests": 10_000,
    "workload.read_fraction": 0.3,
}


@pytest.mark.parametrize("feature", today.FEATURES)
@pytest.mark.parametrize("preset", today.PRESETS)
def test_what_is_accepted_runs(preset: str, feature: str) -> None:
    refused = today.refusal(preset, feature)
    if refused is not None:
        reason = today.reason(refused)
        assert "not accepted" in reason or "no effect" in reason
        return
    more = {"workload.placement": 1} if "ftl.placement.directive" in today.FEATURES[feature] else {}
    # a cache of SLC is folded in step with writes, and erases its first block later
    more |= {"workload.requests": 20_000} if preset == "client-qlc" else {}
    drive = today.drive(preset, feature, {**WORN, **more})
    run = wl.simulate(drive, audit=True, progress=False)
    assert run.number("host.requests") > 5_000
    assert run.number("ftl.blocks_erased") > 0
