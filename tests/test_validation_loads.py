"""Conditions of the tables of measurements as loads, and what is predicted of them."""

from __future__ import annotations

import csv
import io

import pytest

from validation import intervals, measured, predictions
from validation.drives import DRIVES, Entry
from validation.intervals import Deviation, deviation, deviations, kind_of, load_of
from validation.loads import Point, later, points
from validation.measured import Conditions, Measured
from validation.parts import CLIENT, DATACENTER, HMB
from validation.pictures import picture
from validation.predictions import Answer
from validation.reasons import unanswered

OFFERED = (
    "4 KiB uniform over the whole drive, steady state (seq fill, 3x random overwrite); open loop, {rate} writes/s offered in all (nearly): "
    "6 threads of 99 % writes with {rest} /s in all + one thread of 50/50 with 10000 /s; latencies of that thread; median of 48 windows of 60 s"
)
SATURATED = (
    "4 KiB uniform over the whole drive, steady state (seq fill, 3x random overwrite); saturated: offered more than the drive takes, "
    "6 threads 99 % writes of depth 64 each + a 10k/s thread of 50/50; latencies of the 50/50 thread"
)
BLIND = next(drive for drive in DRIVES if drive.blind)
present = pytest.mark.skipif(not measured.ASKED.is_file(), reason=measured.ABSENT)


def asked(*rows: tuple[str, str], value: float | None = None) -> Conditions:
    found: dict[str, dict[str, Measured]] = {}
    for condition, quantity in rows:
        found.setdefault(condition, {})[quantity] = Measured(value, "MB/s", "")
    return found


def named(name: str) -> Entry:
    return next(drive for drive in DRIVES if name in drive.name)


def test_offered_writes_are_simulated_below_what_the_drive_takes() -> None:
    slow, fast = (
        OFFERED.format(rate=20_000, rest=15_000),
        OFFERED.format(rate=90_000, rest=85_000),
    )
    conditions = asked(
        (slow, "read latency p50"), (fast, "read latency p50"), (SATURATED, "write IOPS achieved")
    )
    (first,) = points(BLIND, conditions)
    assert first.answers == {(SATURATED, "write IOPS achieved"): "host.write.iops"}
    below, above = later(BLIND, conditions, {(SATURATED, "write IOPS achieved"): 80_000.0})
    assert (below.kind, below.held, below.rate) == ("open loop", True, 20_000)
    tenants = below.settings["tenants"]
    assert list(tenants) == ["watched", *(f"writer-{i}" for i in range(6))]
    # 15,000 requests a second of six writers, one each 400 us
    assert tenants["writer-0"]["workload"]["interarrival"] == "400000 ns"
    assert below.answers == {(slow, "read latency p50"): "tenants.watched.read.latency.p50_us"}
    # one simulation with the saturated point
    assert (above.kind, above.job, above.settings) == ("saturated", first.job, first.settings)
    assert later(BLIND, conditions, {}) == []


def test_skewed_writes_are_one_run_for_each_skew() -> None:
    shuffled = (
        "whole drive, 4 threads x depth 128, last fifth of several overwrites; shuffled addresses"
    )
    conditions = asked(
        (
            "whole drive, 4 threads x depth 128, after sequential fill",
            "random write 4 KiB, zipf 0.2, first tenth of run",
        ),
        (
            "whole drive, 4 threads x depth 128, last fifth of several overwrites",
            "random write 4 KiB, zipf 0.2, steady",
        ),
        (shuffled, "random write 4 KiB, 95 % of writes to 5 % of the drive, steady"),
    )
    zipf, hot = points(BLIND, conditions)
    assert (zipf.label, sorted(zipf.answers.values())) == (
        "zipf 0.2",
        ["writes_share:0.8:1", "writes_share:0:0.1"],
    )
    assert zipf.settings["workload.theta"] == 0.2
    assert (hot.settings["workload.hot_space"], hot.settings["workload.hot_requests"]) == (
        0.05,
        0.95,
    )


def test_the_write_cliff_is_one_run_whose_time_is_scaled() -> None:
    text = "4 KiB uniform, depth 128 x 4, starts after sanitize and one sequential fill; {}-{} s"
    quantity = "random write 4 KiB, write cliff"
    conditions = asked((text.format(0, 380), quantity), (text.format(1520, 1900), quantity))
    (point,) = points(BLIND, conditions)
    first, last = (point.answers[condition, quantity] for condition in conditions)
    begin, end = (float(each) for each in first.split(":")[1:])
    assert begin == 0
    assert [float(each) for each in last.split(":")[1:]] == pytest.approx(
        [4 * end, 5 * end], rel=0.01
    )
    assert point.job is not None
    assert f"runtime={5000 * end:.0f}ms" in point.job


def test_jobs_on_files_of_their_own() -> None:
    text = "4 KiB random writes, 3 jobs of depth 128, each on its own 4 GB file (small span, not steady), drive nearly full"
    conditions = asked((text, "write latency mean"))
    (point,) = points(named("P4510"), conditions)
    assert point.settings["workload.queue_depth"] == 384
    assert point.settings["workload.region"] == pytest.approx(12e9 / 1000.2e9, rel=1e-3)
    assert list(point.answers.values()) == ["host.write.latency.mean_us"]


def test_reads_of_a_client_drive_find_what_was_written_before() -> None:
    drive = named("SN770")
    conditions = asked(
        (
            "16 GB file on the drive, trimmed before, 120 s each, libaio, 8 jobs of depth 256",
            "random read 4 KiB",
        ),
        ("the published value is 1.5 times this", "random read latency p95 at 90 % of that rate"),
        ("maker figure", "random read 4 KiB"),
    )
    sheet, file = points(drive, conditions)
    assert sheet.before is not None
    assert file.before is not None
    assert file.settings["workload.queue_depth"] == 2048
    (at_ninety,) = later(drive, conditions, {next(iter(file.answers)): 100_000.0})
    # 90,000 a second
    assert at_ninety.settings["workload.interarrival"] == "11111 ns"


def test_histograms_and_lone_reads() -> None:
    act = "12000 random reads of 1.5 kB/s beside 141 writes and 141 reads of 128 KiB/s (18.5 MB/s each); 294.4 GiB used, 48 h; Aerospike ACT"
    (point,) = points(named("845DC"), asked((act, "share of reads below 1024 us")))
    assert list(point.answers.values()) == ["share_below:1024:3"]
    assert point.settings["age.fill"] == pytest.approx(294.4 * 2**30 / 400.088e9, abs=1e-4)
    beside = "4 KiB random read, one outstanding over 8 drives, while 1 jobs of 4 KiB random writes of depth 128 run over the same 8 drives (38889 writes/s a drive)"
    (lone,) = points(named("980 PRO"), asked((beside, "read latency p50")))
    assert lone.rate == 38_889


def test_load_points_of_zones_are_recognised() -> None:
    mix = "4 KiB, 75 % random reads / 25 % zone appends, depth {}, SPDK"
    rates = {1: 5_000.0, 2: 10_000.0, 4: 30_000.0, 8: 31_000.0}
    conditions = {
        mix.format(depth): {"read IOPS achieved": Measured(rate, "IOPS", "")}
        for depth, rate in rates.items()
    }
    found = {point.label: point.held for point in points(named("ZN540"), conditions)}
    # twice the depth brings 3 % more
    assert found == {f"75 % reads, depth {depth}": depth < 8 for depth in rates}


def test_loads_are_parted_by_thirds_of_the_limit() -> None:
    point = Point("open loop", "", True, {}, {}, rate=40_000)
    assert load_of(point, 80_000) == "open loop, second third"
    assert load_of(point, 55_000) == "open loop, last third"
    assert load_of(point, 45_000) == intervals.NEAR_THE_LIMIT
    assert load_of(point, None) == "open loop"
    assert kind_of(HMB, "sheet", "sequential read") == (CLIENT, "sheet", "throughput")


def test_an_interval_holds_four_in_five_of_its_own_drive() -> None:
    kind = (DATACENTER, "open loop", "read latency p50")
    (found,) = deviations({kind: {"one": [1.0, 1.1, 1.6, 0.8, 2.0]}}).values()
    # 1.1 in the middle; 1.1, 1.375 and 1.4545 to its sides, and 1.82, which is the fifth
    assert (found.middle, found.number, found.drives) == (1.1, 5, 1)
    assert found.reach == pytest.approx(1.6 / 1.1)
    # one drive tells little of another
    (few,) = deviations({kind: {"one": [1.0, 1.0]}}).values()
    assert few.reach == intervals.ALONE


def test_an_interval_is_as_wide_as_another_drive_asks_for() -> None:
    kind = (DATACENTER, "open loop", "read latency p50")
    (found,) = deviations({kind: {"one": [0.9, 0.9, 0.9], "other": [1.2, 1.2]}}).values()
    # the median is that of all; either drive is a factor of 4/3 from the other
    assert (found.middle, found.number, found.drives) == (0.9, 5, 2)
    assert found.reach == pytest.approx(4 / 3)
    prediction = intervals.predict(100.0, found)
    assert prediction.value == pytest.approx(90.0)
    assert prediction.low == pytest.approx(67.5)
    assert prediction.high == pytest.approx(120.0)
    (alike,) = deviations({kind: {"one": [1.0], "other": [1.0]}}).values()
    assert alike.reach == intervals.LEAST
    assert Deviation(1.0, 1.23, 9, 2).wide
    assert not Deviation(1.0, 1.22, 9, 2).wide


def test_kinds_that_were_not_compared_take_the_deviations_of_others() -> None:
    known = {(DATACENTER, "saturated", "write IOPS achieved"): Deviation(0.9, 1.1, 2, 2)}
    assert deviation(
        known, (DATACENTER, "steady", "random write 4 KiB, zipf 0.4, steady")
    ) == Deviation(0.9, 1.1, 2, 2)
    assert deviation(known, (CLIENT, "steady", "x")) is None
    known = {(DATACENTER, "sheet", "throughput"): Deviation(0.8, 1.1, 2, 2)}
    mean = deviation(known, (DATACENTER, "read jobs", "read latency mean"))
    assert mean == Deviation(1.25, 1.1, 2, 2)


def test_each_figure_has_a_prediction_or_a_reason() -> None:
    conditions = asked(("maker figure", "sequential read"), ("maker figure", "endurance"))
    point = Point("sheet", "sequential read", False, {}, {})
    answers = {BLIND: {("maker figure", "sequential read"): Answer(point, 1000.0, "sheet")}}
    known = {(DATACENTER, "sheet", "throughput"): Deviation(1.0, 1.2, 9, 2)}
    text = predictions.table(answers, {BLIND: conditions}, known)
    first, second = csv.DictReader(io.StringIO(text))
    assert (first["value"], first["low"], first["high"], first["why"]) == (
        "1000",
        "833.3",
        "1200",
        "",
    )
    assert (second["value"], second["why"]) == ("", unanswered("endurance"))
    wide = {(DATACENTER, "sheet", "throughput"): Deviation(1.0, 1.4, 9, 2)}
    row = next(csv.DictReader(io.StringIO(predictions.table(answers, {BLIND: conditions}, wide))))
    assert row["value"] == ""
    assert "1.96" in row["why"]
    drawn = picture(BLIND, answers[BLIND], conditions, known)
    assert "sequential read (MB/s)" in drawn
    assert "<svg" in picture(BLIND, {}, conditions, known)


@present
def test_what_is_asked_is_recognised() -> None:
    for drive in DRIVES:
        if drive.blind:
            conditions = measured.read(drive.name, measured.ASKED)
            first = points(drive, conditions)
            rates = {key: 80_000.0 for point in first for key in point.answers}
            answered = {
                key for point in first + later(drive, conditions, rates) for key in point.answers
            }
            left = {
                quantity
                for condition, figures in conditions.items()
                for quantity in figures
                if (condition, quantity) not in answered
            }
            assert all(quantity.endswith("p99.999") for quantity in left), left
