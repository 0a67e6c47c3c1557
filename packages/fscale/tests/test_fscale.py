"""Very large drives: closed forms, simulation and command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
    assert processor["iops_bound"] == pytest.approx(80_000, rel=1e-6)
    assert LargeDrive("conventional-128tb").outlook()["hit_rate"] == 0.0625
    tree = LargeDrive("fscale-128tb", **{"local.look_up": "btree"})
    assert tree.outlook()["node_reads"] == 2
    assert tree.changed(**{"local.memory": "5 MiB"}).outlook()["node_reads"] == 1
    assert len(large_drives()) == 24


def test_the_simulation_meets_the_closed_form() -> None:
    drive = conventional(**{"workload.write_fraction": 0.5, "workload.queue_depth": 64})
    found = drive.simulate(40_000)
    assert found["iops"] == pytest.approx(drive.outlook()["iops_bound"], rel=0.01)
    assert found["limited_by"] == drive.outlook()["limited_by"] == "processor"
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
        ("fscal-9tb", {}, "drive 'fscal-9tb': accepted are conventional-"),
        ("fscale-9xb", {}, "unknown unit `xb`"),
        ("fscale-tb-today", {}, "no number at its start"),
        ("fscale-64gb-today", {}, "at least what one die of 128 GiB holds"),
        ("fscale-8tb", {"max_moves": 0}, "max_moves = 0: accepted are 1 to 65536"),
        ("fscale-8tb", {"processor.look_up_wait": "sleep"}, "unknown variant `sleep`"),
        ("fscale-8tb", {"placement": "best"}, "unknown variant `best`"),
        ("fscale-8tb", {"interconnect.bandwidth": 0}, "interconnect.bandwidth = 0"),
        (
            "fscale-1pb-today",
            {"logical_page": "16 KiB"},
            "48 of 16 KiB: accepted are 1, or as many",
        ),
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
    with pytest.raises(wl.ConfigError, match="operations = 1: accepted are"):
        LargeDrive().cores_to_match(operations=1)
    with pytest.raises(wl.ConfigError, match="max_moves"):
        LargeDrive().simulate(1000, max_moves=3)
    for available in (0, -1, float("nan"), float("inf")):
        with pytest.raises(wl.ConfigError, match="available = "):
            LargeDrive().same_budget("area", available=available)


def test_any_capacity() -> None:
    def of(name: str) -> tuple[str, int]:
        outlook = LargeDrive(name).outlook()
        return outlook["capacity"], outlook["tables"]["entries"]

    assert of("conventional-30.72TB-today") == ("30.72 TB", 7_500_000_000)
    assert of("fscale-7.68tb-today") == ("7.68 TB", 1_875_000_000)
    assert of("fscale-61tb-today") == ("61 TB", 14_892_578_125)
    # TB of the source are those of 2^40 bytes
    assert of("fscale-128tb") == of("fscale-128tib") == ("128 TiB", 2**35)
    assert of("fscale-128tib-today") == ("128 TiB", 2**35)


@settings(max_examples=30, deadline=None)
@given(
    tib=st.floats(1, 900),
    writes=st.floats(0, 1),
    depth=st.integers(1, 2000),
    today=st.booleans(),
    design=st.sampled_from(["conventional", "fscale", "hybrid"]),
)
def test_any_drive_has_an_answer(
    tib: float, writes: float, depth: int, today: bool, design: str
) -> None:
    drive = LargeDrive(
        f"{design}-{tib:.2f}tb{'-today' if today else ''}",
        **{"workload.write_fraction": writes, "workload.queue_depth": depth},
    )
    outlook = drive.outlook()
    assert 0 <= outlook["hit_rate"] <= 1
    assert outlook["iops_bound"] == min(limit["iops_bound"] for limit in outlook["limits"])
    even = drive.cores_to_match(16)
    if even["cores"] is None:
        assert even["rival_iops_bound"] < even["fscale_iops_bound"]
    else:
        rival = drive.changed(design="conventional", **{"processor.cores": even["cores"]})
        assert rival.outlook()["iops_bound"] == even["rival_iops_bound"]
        assert even["rival_iops_bound"] >= even["fscale_iops_bound"]


def test_cores_to_match_of_simulations() -> None:
    drive = LargeDrive(
        "fscale-128tb", **{"workload.write_fraction": 1.0, "workload.queue_depth": 64}
    )
    even = drive.cores_to_match(64, operations=4000)
    assert even["fscale_iops"] == drive.simulate(4000)["iops"]

    def rival(cores: int) -> dict[str, Any]:
        found = drive.changed(design="conventional", **{"processor.cores": cores})
        return found.simulate(4000)

    cores = even["cores"]
    assert cores is not None
    assert rival(cores)["iops"] == even["rival_iops"] >= even["fscale_iops"]
    assert rival(cores - 1)["iops"] < even["fscale_iops"]
    # a bound is no lower, so that it is no more cores
    assert drive.cores_to_match(64)["cores"] is not None
    few = drive.cores_to_match(cores - 1, operations=4000)
    assert few["cores"] is None
    assert few["rival_iops"] < few["fscale_iops"]


@effect("fscale", "--capacity", "--writes", "--queue-depth", "--json")
def test_a_case_for_each_capacity_and_load() -> None:
    asked_for = ("--capacity", "8tb,1PB", "--writes", "0,1", "--queue-depth", "1,64", "--json")
    cases = call("fscale", *asked_for).json["cases"]
    asked = [(case["capacity"], case["writes"], case["queue_depth"]) for case in cases]
    assert asked == [(tb, w, d) for tb in ("8 TB", "1 PB") for w in (0, 1) for d in (1, 64)]
    load = {"workload.write_fraction": 1.0, "workload.queue_depth": 64}
    drive = LargeDrive("conventional-8tb-today", **load)
    assert cases[3]["conventional"]["iops_bound"] == drive.outlook()["iops_bound"]
    assert {case["source"] for case in cases} == {"bounds"}


@effect("fscale", "--most-cores", "--set", "--operations")
def test_cores_keys_and_simulation() -> None:
    drives = ("--controller", "2015", "--capacity", "128tb")
    base = ("fscale", *drives, "--writes", "1", "--queue-depth", "32", "--json")
    (case,) = call(*base).json["cases"]
    cores = case["cores_to_match"]["cores"]
    assert cores > 2
    (few,) = call(*base, "--most-cores", cores - 1).json["cases"]
    assert few["cores_to_match"]["cores"] is None
    (fast,) = call(*base, "--set", "processor.frequency=4 GHz", "--set", "processor.cores=1").json[
        "cases"
    ]
    assert fast["conventional"]["cycles"] == case["conventional"]["cycles"]
    assert fast["conventional"]["iops_bound"] > case["conventional"]["iops_bound"]
    (simulated,) = call(*base, "--operations", 5000).json["cases"]
    found = LargeDrive("fscale-128tb", **{"workload.write_fraction": 1.0}).simulate(5000)
    assert simulated["fscale"]["simulated"] == found
    assert simulated["source"] == "simulation"
    assert simulated["cores_to_match"]["fscale_iops"] == found["iops"]
    assert "fscale_iops_bound" not in simulated["cores_to_match"]


@effect("fscale", "--controller")
def test_controllers_of_today_and_of_2015() -> None:
    base = ("fscale", "--capacity", "128tb", "--writes", "0.5", "--json")
    today, of_2015 = (call(*base, *more).json for more in ((), ("--controller", "2015")))
    assert (today["controller"], of_2015["controller"]) == ("today", "2015")
    cases = [answer["cases"][0] for answer in (today, of_2015)]
    assert [case["capacity"] for case in cases] == ["128 TB", "128 TiB"]
    assert [case["fscale_cores"] for case in cases] == [8, 2]
    assert cases[0]["conventional"]["iops_bound"] > 20 * cases[1]["conventional"]["iops_bound"]


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
    drive = LargeDrive(
        "fscale-128tb", **{"workload.write_fraction": 1.0, "workload.queue_depth": 256}
    )
    area = drive.same_budget("area", 4096)
    assert area["available"] == pytest.approx(2 + 287 * 6.3)
    assert (area["fscale"]["cores"], area["fscale"]["local_cores"]) == (2, 1)
    assert area["fscale"]["iops_bound"] == drive.outlook()["iops_bound"]
    # twice the area buys FScale central cores too, and each design is no slower for it
    more = drive.same_budget("area", 4096, available=2 * area["available"])
    assert more["fscale"]["cores"] > 2
    for design in ("fscale", "rival"):
        assert more[design]["iops_bound"] >= area[design]["iops_bound"]
        assert more[design]["needed"] <= more["available"]
    assert drive.same_budget("area", available=1.5)["fscale"] is None
    power = drive.same_budget("power", rival="hybrid")
    assert power["rival"]["local_cores"] == 0
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
    assert [replay["capacity"] for replay in replays] == ["8 TB", "128 TB"]
    drive = LargeDrive("fscale-8tb-today", **{"workload.queue_depth": 256})
    assert replays[0]["fscale"] == drive.replay(trace)
    assert "small.csv" in call(*asked).stdout
    call(*asked, "--out", tmp_path / "large")
    page = (tmp_path / "large/report.html").read_text(encoding="utf-8")
    assert "small.csv on every drive" in page
    assert "absent" in refused("fscale", "--capacity", "8tb", "--trace", "absent.csv")


def test_the_table_for_people() -> None:
    asked = ("fscale", "--capacity", "128tb", "--queue-depth", "32", "--controller", "2015")
    said = call(*asked, "--writes", "0.5").stdout
    assert "upper bounds from closed forms" in said
    assert "per s at most" in said
    assert "processor" in said
    assert "info: Throughputs are upper bounds" in said
    assert "info: Controller and flash are those of the source (2015)" in said
    assert "warning: 128 TiB: table.entry" in said
    # the question in words
    (case,) = call(*asked, "--writes", "0.5", "--json").json["cases"]
    cores = case["cores_to_match"]["cores"]
    load = "50 % writes, 32 outstanding; from the bounds"
    sentence = f"To match FScale with 2 central cores ({load}), a conventional drive needs {cores} cores at 128 TiB."
    assert sentence in " ".join(said.split())
    none = call(*asked, "--writes", "1,0.5", "--most-cores", 2).stdout
    assert "needs more than any number up to 2 (limit: processor) at 128 TiB" in none
    simulated = call(*asked, "--writes", "1", "--operations", 2000).stdout
    assert "Requests per second, simulated" in simulated
    assert "at most" not in simulated
    assert "(writes only, 32 outstanding; simulated)" in simulated


def test_notes_are_in_json_too(tmp_path: Path) -> None:
    asked = ("fscale", "--capacity", "1pb", "--writes", "0", "--json", "--out", tmp_path)
    notes = call(*asked).json["notes"]
    assert [note["severity"] for note in notes] == ["info", "info", "warning"]
    assert notes[2]["text"].startswith("1 PB: 32 packages share a channel")
    assert json.loads((tmp_path / "fscale.json").read_text(encoding="utf-8"))["notes"] == notes


def test_bad_options_are_refused() -> None:
    assert "--capacity 9xb: `9xb` is not a size" in refused("fscale", "--capacity", "8tb,9xb")
    assert "--capacity 0tb: capacity = 0 B: accepted" in refused("fscale", "--capacity", "0tb")
    assert "at least what one die" in refused("fscale", "--capacity", "64gb")
    for option, value, accepted in (
        ("--writes", "1.5", "0 to 1"),
        ("--writes", "nan", "0 to 1"),
        ("--most-cores", "0", "1 to 4096"),
        ("--operations", "-5", "100 to 1000000000000"),
    ):
        assert f"{option} {value}: accepted are {accepted}" in refused("fscale", option, value)
    for key, option in (("capacity", "--capacity"), ("workload.queue_depth", "--queue-depth")):
        assert option in refused("fscale", "--set", f"{key}=1")
    assert "--queue-depth 1.5" in refused("fscale", "--queue-depth", "1.5")
