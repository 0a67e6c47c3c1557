"""Very large drives: closed forms, simulation and command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from options import call, effect
from shared import refused
from wordline_fscale import LargeDrive, large_drives


def conventional(**keys: object) -> LargeDrive:
    return LargeDrive("conventional-8tb", **keys)


def test_worked_numbers() -> None:
    outlook = conventional().outlook()
    assert outlook["hit_rate"] == 1
    processor = next(limit for limit in outlook["limits"] if limit["unit"] == "processor")
    assert processor["iops"] == pytest.approx(80_000, rel=1e-6)
    assert LargeDrive("conventional-128tb").outlook()["hit_rate"] == 0.0625
    tree = LargeDrive("fscale-128tb", **{"local.look_up": "btree"})
    assert tree.outlook()["node_reads"] == 2
    assert tree.changed(**{"local.memory": "5 MiB"}).outlook()["node_reads"] == 1
    assert len(large_drives()) == 24


def test_the_simulation_meets_the_closed_form() -> None:
    drive = conventional(**{"workload.write_fraction": 0.5, "workload.queue_depth": 64})
    found = drive.simulate(40_000)
    assert found["iops"] == pytest.approx(drive.outlook()["iops"], rel=0.01)
    assert drive.simulate(40_000) == found
    assert drive.simulate(40_000, seed=2) != found
    assert found["waf"] == pytest.approx(5, abs=0.05)


def test_power_of_local_controllers() -> None:
    watts = LargeDrive("fscale-128tb").power(1e5)
    assert watts["local_memory"] == pytest.approx(287 * 0.02)
    assert watts["total"] == pytest.approx(1e5 * watts["joules_per_operation"])
    with pytest.raises(wl.ConfigError, match="iops = 0"):
        LargeDrive().power(0)


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
        LargeDrive(name, **keys)


def test_bad_settings_are_refused() -> None:
    with pytest.raises(wl.ConfigError, match="operations = 1: accepted are"):
        LargeDrive().simulate(1)
    with pytest.raises(wl.ConfigError, match="backend = exact, which takes"):
        LargeDrive().simulate(1000, backend="exact")
    with pytest.raises(wl.ConfigError, match="most"):
        LargeDrive().cores_to_match(0)


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
    found = LargeDrive("fscale-128tb", **{"workload.write_fraction": 1.0}).simulate(5000)
    assert simulated["fscale"]["simulated"] == found


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """A trace of writes of 4 KiB and 32 KiB and of reads of what was written."""
    rows = []
    for number in range(400):
        offset, time = 4096 * (number * 37 % 1000), 128166372000000000 + number * 10_000
        size = 32768 if number % 10 == 0 else 4096
        rows.append(f"{time},host,0,{'Write' if number % 2 else 'Read'},{offset},{size},0")
    path = tmp_path / "small.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_a_trace_is_replayed(trace: Path) -> None:
    drive = LargeDrive("fscale-8tb")
    found = drive.replay(trace, warm_up=0)
    # 200 reads, of which 40 have eight pages
    count = {row["kind"]: row["count"] for row in found["operations"]}
    assert (count["host_read"], count["host_write"]) == (200 + 40 * 7, 200)
    assert [row["requests"] for row in found["latencies"]] == [200, 200]
    assert drive.replay(trace, warm_up=0) == found
    # at its times it lasts as long as the trace, 0.4 s
    recorded = drive.replay(trace, warm_up=0, arrivals="recorded")
    assert 0.39 < recorded["seconds"] < 0.41
    assert found["seconds"] < recorded["seconds"]
    few = drive.replay(trace, warm_up=0, operations=100)
    assert sum(row["requests"] for row in few["latencies"]) == 100


def test_a_trace_is_read_as_the_options_say(trace: Path, tmp_path: Path) -> None:
    # the same requests in columns that have to be described, in a file whose name is no text
    rows = ["what;where;size"]
    for line in trace.read_text(encoding="utf-8").splitlines():
        _, _, _, operation, offset, size, _ = line.split(",")
        rows.append(f"{operation};{int(offset) // 512};{size}")
    described = tmp_path / "described\udcff"
    described.write_text("\n".join(rows) + "\n", encoding="utf-8")
    columns = {"op": "what", "offset": "where", "size": "size", "offset_unit": "512 B"}
    options = {"workload": {"csv": {**columns, "separator": ";"}}}
    drive = LargeDrive("fscale-8tb")
    found = drive.replay(described, format="csv", options=options)
    assert found["operations"] == drive.replay(trace)["operations"]
    with pytest.raises(wl.ConfigError, match=r"workload\.csv\.op: not set"):
        drive.replay(described, format="csv")
    with pytest.raises(wl.ConfigError, match="does not say how a trace is read"):
        drive.replay(described, options={"workload.fold": "modulo"})


@pytest.mark.parametrize(
    ("keys", "settings", "words"),
    [
        ({"workload.zipf": 1}, {}, "workload.zipf = set"),
        ({"workload.host_bytes": "4 KiB"}, {}, "workload.host_bytes = set"),
        ({}, {"arrivals": {"open": 10}}, "arrivals = open"),
        ({}, {"backend": "exact"}, "backend = exact"),
        ({}, {"operations": 3}, "operations = 3"),
    ],
)
def test_replays_that_are_refused(
    trace: Path, keys: dict[str, object], settings: dict[str, Any], words: str
) -> None:
    with pytest.raises(wl.ConfigError, match=words):
        LargeDrive("fscale-8tb", **keys).replay(trace, **settings)


def test_traces_that_are_refused(tmp_path: Path) -> None:
    drive = LargeDrive("fscale-8tb")
    with pytest.raises(wl.TraceError, match=r"absent\.csv"):
        drive.replay(tmp_path / "absent.csv")
    bad = tmp_path / "bad.csv"
    bad.write_text(
        "128166372000000000,host,0,Read,0,4096,0\n" * 5 + "not a row\n", encoding="utf-8"
    )
    with pytest.raises(wl.TraceError, match="6"):
        drive.replay(bad, format="msr")


def test_rivals_with_the_same_power_or_area() -> None:
    drive = LargeDrive("fscale-128tb", **{"workload.write_fraction": 1.0})
    area = drive.same_budget("area", 4096)
    assert area["cores"] == 1810
    assert area["available"] == pytest.approx(2 + 287 * 6.3)
    power = drive.same_budget("power", rival="hybrid")
    assert power["fscale_iops"] == drive.outlook()["iops"]
    hybrid = drive.cores_to_match(rival="hybrid")
    assert hybrid["cores"] <= drive.cores_to_match()["cores"]
    assert drive.die_cost() == pytest.approx((1 + 25.2 / 130) * 2.718281828**0.0252)
    with pytest.raises(wl.ConfigError, match="rival: unknown variant `none`"):
        drive.cores_to_match(rival="none")  # type: ignore[arg-type]
    with pytest.raises(wl.ConfigError, match="budget: unknown variant `time`"):
        drive.same_budget("time")  # type: ignore[arg-type]


def test_tiers_of_the_table() -> None:
    tiers = [{"memory": "dram", "size": "8 GiB"}, {"memory": "host", "size": "56 GiB"}]
    drive = LargeDrive("conventional-128tb", **{"table.tiers": tiers})
    assert drive.outlook()["hit_rate"] == 0.5
    kinds = {row["kind"]: row["count"] for row in drive.simulate(20_000)["operations"]}
    share = kinds["host_memory_look_up"] / kinds["dram_look_up"]
    assert share == pytest.approx(7, rel=0.1)
    with pytest.raises(wl.ConfigError, match=r"table\.tiers\[0\]\.memory: unknown variant `tape`"):
        drive.changed(**{"table.tiers": [{"memory": "tape", "size": "1 GiB"}]})


@effect("fscale", "--out")
def test_a_report_is_written(tmp_path: Path) -> None:
    out = tmp_path / "large"
    asked = ("fscale", "--capacity", "8tb,128tb", "--writes", "0.5", "--operations", 2000)
    said = call(*asked, "--out", out)
    assert "report.html" in said.stdout
    page = (out / "report.html").read_text(encoding="utf-8")
    for heading in ("Requests per second", "Latency", "Tables", "Power", "Recovery and endurance"):
        assert f"<h2>{heading}" in page or f">{heading}</h2>" in page
    written = json.loads((out / "fscale.json").read_text(encoding="utf-8"))
    assert written == call(*asked, "--json").json
    rows = (out / "fscale.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 3
    assert rows[0].startswith("capacity,writes,queue depth")


@effect("fscale", "--trace")
def test_a_trace_on_each_drive(trace: Path, tmp_path: Path) -> None:
    asked = ("fscale", "--capacity", "8tb,128tb", "--writes", "0.5", "--trace", trace)
    replays = call(*asked, "--json").json["replays"]
    assert [replay["capacity"] for replay in replays] == ["8tb", "128tb"]
    assert replays[0]["fscale"] == LargeDrive("fscale-8tb").replay(trace)
    assert "small.csv" in call(*asked).stdout
    call(*asked, "--out", tmp_path / "large")
    page = (tmp_path / "large/report.html").read_text(encoding="utf-8")
    assert "small.csv on every drive" in page
    assert "absent" in refused("fscale", "--capacity", "8tb", "--trace", "absent.csv")


def test_the_table_for_people() -> None:
    said = call("fscale", "--capacity", "128tb", "--writes", "0.5").stdout
    assert "cores to match" in said
    assert "processor" in said


def test_bad_options_are_refused() -> None:
    assert "fscale-8tb" in refused("fscale", "--capacity", "9tb")
    assert "--queue-depth 1.5" in refused("fscale", "--queue-depth", "1.5")
