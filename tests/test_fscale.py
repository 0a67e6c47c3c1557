"""Very large drives: closed forms, simulation, command and study."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import wordline as wl
from options import call, effect
from test_bad_input import refused


def conventional(**keys: object) -> wl.LargeDrive:
    return wl.LargeDrive("conventional-8tb", **keys)


def test_worked_numbers() -> None:
    outlook = conventional().outlook()
    assert outlook["hit_rate"] == 1
    processor = next(limit for limit in outlook["limits"] if limit["unit"] == "processor")
    assert processor["iops"] == pytest.approx(80_000, rel=1e-6)
    assert wl.LargeDrive("conventional-128tb").outlook()["hit_rate"] == 0.0625
    tree = wl.LargeDrive("fscale-128tb", **{"local.look_up": "btree"})
    assert tree.outlook()["node_reads"] == 2
    assert tree.changed(**{"local.memory": "5 MiB"}).outlook()["node_reads"] == 1
    assert len(wl.large_drives()) == 16


def test_the_simulation_meets_the_closed_form() -> None:
    drive = conventional(**{"workload.write_fraction": 0.5, "workload.queue_depth": 64})
    found = drive.simulate(40_000)
    assert found["iops"] == pytest.approx(drive.outlook()["iops"], rel=0.01)
    assert drive.simulate(40_000) == found
    assert drive.simulate(40_000, seed=2) != found
    assert found["waf"] == pytest.approx(5, abs=0.05)


def test_power_of_local_controllers() -> None:
    watts = wl.LargeDrive("fscale-128tb").power(1e5)
    assert watts["local_memory"] == pytest.approx(287 * 0.02)
    assert watts["total"] == pytest.approx(1e5 * watts["joules_per_operation"])
    with pytest.raises(wl.ConfigError, match="iops = 0"):
        wl.LargeDrive().power(0)


@pytest.mark.parametrize(
    ("name", "keys", "words"),
    [
        ("fscale-9tb", {}, "fscale-8tb"),
        ("fscale-8tb", {"processor.core": 2}, "processor"),
        ("fscale-8tb", {"processor.cores": 0}, "processor.cores = 0: accepted are 1 to 4096"),
        ("fscale-8tb", {"nand.read": "75"}, "nand.read"),
        ("fscale-8tb", {"capacity.x": 1}, "capacity"),
        ("fscale-8tb", {"workload.write_fraction": 2}, "accepted is a share"),
    ],
)
def test_bad_drives_are_refused(name: str, keys: dict[str, object], words: str) -> None:
    with pytest.raises(wl.ConfigError, match=words):
        wl.LargeDrive(name, **keys)


def test_bad_settings_are_refused() -> None:
    with pytest.raises(wl.ConfigError, match="operations = 1: accepted are"):
        wl.LargeDrive().simulate(1)
    with pytest.raises(wl.ConfigError, match="backend = exact, which takes"):
        wl.LargeDrive().simulate(1000, backend="exact")
    with pytest.raises(wl.ConfigError, match="most"):
        wl.LargeDrive().cores_to_match(0)


@effect("fscale", "--capacity", "--writes", "--queue-depth", "--json")
def test_a_case_for_each_capacity_and_load() -> None:
    cases = call(
        "fscale", "--capacity", "8tb,1pb", "--writes", "0,1", "--queue-depth", "1,64", "--json"
    ).json["cases"]
    asked = [(case["capacity"], case["writes"], case["queue_depth"]) for case in cases]
    assert asked == [(tb, w, d) for tb in ("8tb", "1pb") for w in (0, 1) for d in (1, 64)]
    drive = conventional(**{"workload.write_fraction": 1.0, "workload.queue_depth": 64})
    assert cases[3]["conventional"]["iops"] == drive.outlook()["iops"]


@effect("fscale", "--most-cores", "--set", "--operations")
def test_cores_keys_and_simulation() -> None:
    base = ("fscale", "--capacity", "128tb", "--writes", "1", "--json")
    (case,) = call(*base).json["cases"]
    cores = case["cores_to_match"]["cores"]
    assert cores > 2
    (few,) = call(*base, "--most-cores", cores - 1).json["cases"]
    assert few["cores_to_match"]["cores"] is None
    (fast,) = call(*base, "--set", "processor.frequency=4 GHz", "--set", "processor.cores=1").json[
        "cases"
    ]
    assert fast["conventional"]["cycles"] == case["conventional"]["cycles"]
    assert fast["conventional"]["iops"] > case["conventional"]["iops"]
    (simulated,) = call(*base, "--operations", 5000).json["cases"]
    found = wl.LargeDrive("fscale-128tb", **{"workload.write_fraction": 1.0}).simulate(5000)
    assert simulated["fscale"]["simulated"] == found


def test_the_table_for_people() -> None:
    said = call("fscale", "--capacity", "128tb", "--writes", "0.5").stdout
    assert "cores to match" in said
    assert "processor" in said


def test_bad_options_are_refused() -> None:
    assert "fscale-8tb" in refused("fscale", "--capacity", "9tb")
    assert "--queue-depth 1.5" in refused("fscale", "--queue-depth", "1.5")


def test_the_committed_chapter_has_every_claim(tmp_path: Path) -> None:
    call("reproduce", "mohan-fscale", "--quick", "--out", tmp_path)
    chapters = [
        (place / "mohan-fscale.md").read_text(encoding="utf-8")
        for place in (tmp_path, Path(__file__).parents[1] / "docs/studies")
    ]
    claims = [re.findall(r"^\| . \[(.+?)\]\(#", text, re.M) for text in chapters]
    assert claims[0] == claims[1]
    assert len(claims[0]) > 30
    # what no run decides is the same
    for line in chapters[0].splitlines():
        if "(#table-size)" in line or "(#directory-size)" in line or "(#hit-rate)" in line:
            assert line in chapters[1]
    assert len(list(tmp_path.glob("*.svg"))) == 14
