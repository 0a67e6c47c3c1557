"""How the figures of two runs compare when one thing is changed."""

from __future__ import annotations

import pytest

import wordline as wl
from configurations.case import Keys
from configurations.relations import DRIVES, LOAD, RELATIONS, Relation, broken

CASES = [
    pytest.param(relation, DRIVES[drive], id=f"{name}: {drive}")
    for name, relation in RELATIONS.items()
    for drive in relation.drives
]


@pytest.mark.slow
@pytest.mark.parametrize(("relation", "drive"), CASES)
def test_a_relation_holds(relation: Relation, drive: Keys) -> None:
    assert not broken(relation, drive)


def test_a_relation_that_does_not_hold_is_told() -> None:
    relation = Relation({"seed": 1}, {"seed": 2}, "host.iops", 1.0, 1.2)
    found = {1: [100.0, 101.0, 99.0, 100.0], 2: [130.0, 131.0, 129.0, 130.0]}
    assert "a factor of 1.300" in broken(relation, {}, lambda keys, _: found[keys["seed"]])
    found[2] = [119.0, 123.0, 121.0, 120.0]
    assert not broken(relation, {}, lambda keys, _: found[keys["seed"]])


def requests(keys: Keys) -> wl.Result:
    """A run of the load."""
    return wl.simulate(wl.Drive("tiny", **LOAD, **keys), progress=False)


@pytest.mark.parametrize("drive", DRIVES.values(), ids=DRIVES.keys())
def test_a_tenant_without_load_changes_nothing(drive: Keys) -> None:
    """One that begins after the others are done, with a single read."""
    load = {key.removeprefix("workload."): v for key, v in LOAD.items() if "workload." in key}
    busy = {f"tenants.busy.workload.{key}": value for key, value in load.items()}
    others = {"output.timeline": False, **drive}
    late = {
        "tenants.late.workload.requests": 1,
        "tenants.late.workload.read_fraction": 1.0,
        "tenants.late.workload.arrival": "poisson",
        "tenants.late.workload.interarrival": "10 h",
    }
    alone = wl.simulate(wl.Drive("tiny", **others, **busy), progress=False)
    beside = wl.simulate(wl.Drive("tiny", **others, **busy, **late), progress=False)
    last = beside.requests.height - 1
    columns = ["arrival_ns", "completed_ns", "sector"]
    assert beside.requests[columns].head(last).equals(alone.requests[columns])
