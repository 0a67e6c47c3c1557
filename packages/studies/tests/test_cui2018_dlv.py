"""The study of DLV: its tables and loads, its judge, its distributions; and what a drive of its schemes refuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import log2
from pathlib import Path

import numpy as np
import pytest

import wordline as wl
from wordline.points.outcome import Outcome, sizes
from wordline.studies import find
from wordline.studies.grid import Cell, GridFigure, Metric
from wordline.studies.measured import Measured
from wordline.studies.study import Form
from wordline_studies.cui2018_dlv import (
    calibration,
    cost,
    curves,
    length,
    rivals,
    tables,
    variation,
)
from wordline_studies.cui2018_dlv.drives import MAIN, SCHEMES, SIZE
from wordline_studies.cui2018_dlv.judges import (
    adds_up,
    exactly,
    follows,
    saturates,
    sized,
    unjudged,
)
from wordline_studies.cui2018_dlv.laws import meeting
from wordline_studies.cui2018_dlv.loads import COMPRESSION, SLOWER, VOLUMES, speed_of
from wordline_studies.cui2018_dlv.sensitivity import SLOW_READS

STUDY = find("cui2018-dlv")


def grid(name: str) -> GridFigure:
    figure = STUDY.figures[name]
    assert isinstance(figure, GridFigure)
    return figure


def test_table_one_follows_from_the_cells() -> None:
    """Specification of cells, section 9.3: 0.010659 and 0.004464 from the spread of case B."""
    rates = tables.fitted()
    assert rates["A"] == pytest.approx(0.010659, rel=1e-3)
    assert rates["B"] == pytest.approx(0.0076, rel=1e-6)
    assert rates["C"] == pytest.approx(0.004464, rel=1e-3)
    part = tables.table_one(quick=True)
    assert [row["read, µs"] for row in part.figure.rows] == [150.0, 75.0, 37.5]


def test_what_strong_blocks_cost() -> None:
    """Specification of cells, section 6.5: levels 1, 2 and 7 at 0, 1 and 7 days at the bound of the class, 2 in the normal step."""
    rows = {str(row["blocks"]): row for row in tables.by_age(quick=True).figure.rows}
    fast = rows["strong, at the class bound"]
    assert [fast["0 d"], fast["1 d"], fast["7 d"]] == [
        "0.00392 (level 1)",
        "0.00616 (level 2)",
        "0.01115 (level 7)",
    ]
    assert rows["25 %"]["7 d"] == "0.00633 (level 2)"


LIMITS = wl.Ldpc().thresholds
ATTEMPT = [14.52380952, 29.04761905, 41.9047619, 56.42857143, 69.28571429, 82.14285714, 95.0]
"""An attempt at each level, µs: specification of cells, section 9.2."""


@pytest.mark.parametrize("start", range(1, 8))
def test_attempts_follow_from_start_and_need(start: int) -> None:
    """All levels from the first to the needed one, or to the last; the level of the start where it is enough. Starting with all
    references never needs a second attempt, and is never faster than the level that is needed."""
    rates = [*LIMITS, 0.02]
    found = wl.Ldpc(start=start).read(rates)
    exact = wl.Ldpc(start="needed").read(rates)
    for needed, rate in enumerate(rates, start=1):
        last = max(start, min(needed, 7))
        took = sum(ATTEMPT[start - 1 : last])
        place = needed - 1
        assert found["us"][place] == pytest.approx(took, rel=1e-6), rate
        assert found["corrected"][place] == (needed < 8)
        assert found["last_level"][place] == last
        if needed < 8:
            assert exact["us"][place] <= found["us"][place] * (1 + 1e-9)
    if start == 7:
        assert set(found["first_level"]) == set(found["last_level"]) == {7}


def test_slower_traces_run_at_steps_of_the_common_speed() -> None:
    """Each at 300 over a power of the square root of two; the others at 300."""
    assert COMPRESSION in calibration.SPEEDS
    for volume in VOLUMES:
        steps = 2 * log2(COMPRESSION / speed_of(volume))
        assert steps == pytest.approx(round(steps), abs=0.02), volume
        assert (round(steps) > 0) == (volume in SLOWER), volume


def test_where_reads_and_writes_meet() -> None:
    """A write of pages 0 and 1, a read of page 1, a write of page 5, a read of pages 1 and 2: two of three page reads read what was written, 1 and 3 requests before; one of three written pages is read."""
    found = meeting(
        np.array([False, True, False, True]), np.array([0, 9, 40, 15]), np.array([16, 2, 8, 2])
    )
    assert (found.read_pages, found.written_pages) == (2, 3)
    assert found.written_read == pytest.approx(1 / 3)
    assert found.reads_of_written == pytest.approx(2 / 3)
    assert found.soon == 2.0
    nothing = meeting(np.array([True]), np.array([0]), np.array([1]))
    assert (nothing.written_read, nothing.reads_of_written, nothing.soon) == (0.0, 0.0, None)


ALONE = {
    **SIZE,
    "workload.kind": "random",
    "workload.request_size": "4 KiB",
    "workload.interarrival": "20 ms",
    "workload.requests": 200,
    "age.time_per_write": "1500 ms",
}
"""Requests of a page that meet no other one."""


@pytest.mark.parametrize("name", ["baseline", "WOO", "PV+reorder", "PV+Allocation"])
@pytest.mark.parametrize(("base", "took"), [({}, 95.0), (SLOW_READS, 267.5)])
def test_schemes_that_keep_their_reads_read_with_seven_references(
    name: str, base: dict[str, object], took: float
) -> None:
    """One attempt of 90 µs, or of seven times 37.5, and 5 µs on the channel."""
    keys = {**ALONE, **SCHEMES[name], **base, "workload.read_fraction": 1.0}
    summary = wl.simulate(wl.Drive("cui2018-dlv", **keys), progress=False).summary
    assert summary["host.read.latency.mean_us"] == pytest.approx(took, abs=0.01)
    assert summary["ecc.attempts.mean"] == 1.0


@pytest.mark.parametrize(
    ("name", "keys", "share"),
    [
        ("WOO", {}, 0.0),
        ("PV+reorder", {}, 0.0),
        ("PV+Allocation", {}, 1.0),
    ],
)
def test_lone_writes_go_to_normal_blocks_where_requests_wait(
    name: str, keys: dict[str, object], share: float
) -> None:
    """Exception b of HWS, which PV+reorder keeps: only PV+Allocation gives strong pages to writes that compete with nothing."""
    drive = wl.Drive(
        "cui2018-dlv", **{**ALONE, **SCHEMES[name], **keys, "workload.read_fraction": 0.0}
    )
    found = wl.simulate(drive, progress=False).summary["modes.strong.host_program_share"]
    assert found == pytest.approx(share)


def test_every_scheme_is_one_of_the_source() -> None:
    assert len(SCHEMES) == 8
    assert [variant.name for variant in grid("responses").variants] == list(MAIN)
    assert grid("distribution").whole_only
    fixed = {name for name, keys in SCHEMES.items() if keys.get("ecc.ldpc.start") == 7}
    assert fixed == {"baseline", "WOO", "PV+reorder", "PV+Allocation"}
    form = Form(quick=True, traces=Path("nowhere"))
    assert not grid("throughput").points(form)


GAIN = Metric("response", "response")
SHARE = Metric("share", "share", relative=False)


@pytest.mark.parametrize(("gains", "held"), [((1.0, 0.9, 0.5), 1), ((0.5, 0.9, 1.0), 0)])
def test_the_judge_of_gains_that_follow_a_share(gains: tuple[float, ...], held: int) -> None:
    figure = grid("writes")
    loads = figure.loads[:3]
    outcomes = {}
    for place, (load, gain) in enumerate(zip(loads, gains, strict=True)):
        for name, response in (("WOO", gain), ("baseline", 1.0)):
            summary = {"response": response, "share": place / 10}
            outcomes[Cell("", name, load.name)] = {1: Outcome(summary, {}, {})}
    measured = Measured(
        GridFigure(
            heading="",
            text="",
            title="",
            variants=figure.variants,
            loads=loads,
            metrics=[GAIN, SHARE],
            claims=[],
            chart=figure.chart,
        ),
        outcomes,
    )
    judge = follows("more", "", metric="response", of="WOO", than="baseline", share="share")
    claim = judge(measured)
    assert (claim.verdict.held, claim.verdict.of) == (held, 1)
    assert ("1.00" in claim.ours) == bool(held) or "-1.00" in claim.ours


@pytest.mark.parametrize(("both", "held"), [(0.4, 1), (0.385, 1), (0.5, 0)])
def test_the_judge_of_what_adds_up(both: float, held: int) -> None:
    """Half the response with each of two is 0.4 of it with both, within 5 %."""
    figure = grid("writes")
    values = {"baseline": 1.0, "one": 0.5, "other": 0.8, "both": both}
    load = figure.loads[0]
    outcomes = {
        Cell("", name, load.name): {1: Outcome({"response": value}, {}, {})}
        for name, value in values.items()
    }
    variants = [replace(figure.variants[0], name=name) for name in values]
    measured = Measured(
        replace(figure, variants=variants, loads=[load], metrics=[GAIN], claims=[]), outcomes
    )
    judge = adds_up(
        "both",
        "",
        metric="response",
        both="both",
        each=("one", "other"),
        than="baseline",
        margin=0.05,
    )
    claim = judge(measured)
    assert (claim.verdict.held, claim.verdict.of) == (held, 1)
    assert f"{both:.3f} for 0.400" in claim.ours


def of(
    figure: GridFigure,
    values: Mapping[str, Mapping[str, tuple[float, ...]]],
    overloaded: str = "",
) -> Measured:
    """What a figure would have measured: by variant and load, a value for each seed."""
    loads = list(dict.fromkeys(load for each in values.values() for load in each))
    noted = {load: {"overloaded": None} if load == overloaded else {} for load in loads}
    outcomes = {
        Cell("", name, load): {
            # only the keys of notes are looked at
            seed: Outcome({"response": value}, noted[load], {})  # type: ignore[arg-type]
            for seed, value in enumerate(own, start=1)
        }
        for name, each in values.items()
        for load, own in each.items()
    }
    variants = [replace(figure.variants[0], name=name, panel="") for name in values]
    renamed = [replace(figure.loads[0], name=load) for load in loads]
    return Measured(
        replace(figure, variants=variants, loads=renamed, metrics=[GAIN], claims=[]), outcomes
    )


def test_a_claim_with_its_predicted_size() -> None:
    """Ratios of 0.8 and 0.6 with one seed, 0.9 and 0.5 with the other: 0.7 in the mean with both; what is overloaded is not judged, and says so."""
    values = {
        "DLV": {"hm0": (8.0, 9.0), "usr0": (6.0, 5.0), "prn0": (1.0, 1.0)},
        "baseline": {"hm0": (10.0, 10.0), "usr0": (10.0, 10.0), "prn0": (9.0, 9.0)},
    }
    found = of(grid("writes"), values, overloaded="prn0")
    for where, mark in (("V3", ", to be compared"), ("beyond the source", "")):
        judge = sized(
            "lower", where, metric="response", of="DLV", than="baseline", relation="below"
        )
        claim = judge(found)
        assert (claim.verdict.held, claim.verdict.of, claim.verdict.void) == (2, 2, 1)
        size = f"response, DLV over baseline (ratio): 0.7000 ± 0.0000{mark}; 2 of 2 uncertain"
        assert claim.in_short == size
        assert "; not judged, since the drive is overloaded: prn0" in claim.ours
        assert claim.is_own == (not mark)


def test_with_one_seed_the_interval_is_that_over_the_cases() -> None:
    """Ratios of 0.5, 0.7 and 0.9: 0.7 in the mean, with t = 4.303 times 0.2 over the root of three."""
    values = {
        "DLV": {"hm0": (5.0,), "usr0": (7.0,), "stg1": (9.0,)},
        "baseline": dict.fromkeys(("hm0", "usr0", "stg1"), (10.0,)),
    }
    judge = sized("lower", "V9", metric="response", of="DLV", than="baseline", relation="below")
    assert "(ratio): 0.7000 ± 0.4968, to be compared" in judge(of(grid("writes"), values)).in_short


def test_what_is_not_judged_says_why() -> None:
    found = of(grid("writes"), {"DLV": {"hm0": (1.0,)}})
    claim = unjudged("ages differ", "V10", lambda _: "ages: 1 to 2", "because")(found)
    assert str(claim.verdict) == "void"
    assert claim.in_short == "not judged, since the load is not that of the source"
    assert claim.ours.startswith("ages: 1 to 2; not judged")


@pytest.mark.parametrize(
    ("responses", "held", "end"),
    [
        ((9.0, 4.0, 1.04, 1.0), 1, "flat from 4"),
        ((1.04, 1.0, 1.0, 1.0), 0, "flat from 1"),
        ((9.0, 4.0, 1.2, 1.0), 0, "flat from 8"),
        ((9.0, 1.0, 1.2, 1.0), 0, "flat from 8"),
    ],
)
def test_the_judge_of_what_falls_and_then_saturates(
    responses: tuple[float, ...], held: int, end: str
) -> None:
    names = ("1", "2", "4", "8")
    values = {name: {"hm0": (value,)} for name, value in zip(names, responses, strict=True)}
    judge = saturates("falls", "V7", metric="response", variants=names, within=0.05)
    claim = judge(of(grid("writes"), values))
    assert (claim.verdict.held, claim.verdict.of) == (held, 1)
    assert f"{end.removeprefix('flat from ')} (hm0), to be compared" in claim.ours


def test_the_judge_of_a_printed_number() -> None:
    found = of(grid("writes"), {"two classes": {"hm0": (18.0,)}})
    for printed, held in ((18.0, 1), (19.0, 0)):
        claim = exactly(
            "", "", metric="response", variant="two classes", load="hm0", printed=printed, unit="B"
        )(found)
        assert (claim.verdict.held, claim.verdict.of) == (held, 1)


def test_the_judge_of_longer_runs() -> None:
    short, whole = (length.LENGTHS[1], length.LENGTHS[-1])
    loads = {length.long(each, n): n for each in length.TRACES for n in (short, whole)}
    for changed, held in ((0.72, 2), (0.9, 0)):
        ratios = {load: 0.7 if n == short else changed for load, n in loads.items()}
        values = {
            "DLV": {load: (ratio,) for load, ratio in ratios.items()},
            "baseline": dict.fromkeys(ratios, (1.0,)),
        }
        claim = length.unchanged("", "response", "DLV")(of(grid("writes"), values))
        assert (claim.verdict.held, claim.verdict.of) == (held, 2)


def test_the_share_of_the_scheduler() -> None:
    """13,359 instructions for each of 1,000 requests a second, of 400 million a second."""
    share = cost.share(Outcome({"host.iops": 1000.0}, {}, {}))
    assert share == pytest.approx(0.0333975)
    assert cost.share(Outcome({}, {}, {})) is None


def test_sizes_over_time() -> None:
    """Groups of four of two hundred requests, by hand."""
    drive = wl.Drive("tiny", **{"output.request_log": 1000, "workload.requests": 200})
    result = wl.simulate(drive, progress=False)
    found = sizes(result)
    own = result.requests.sort("arrival_ns", "number")["sectors"].to_numpy() / 2
    assert len(found) == 50
    assert [group["mean_kib"] for group in found] == pytest.approx(own.reshape(50, 4).mean(axis=1))
    table = result.requests.sort("arrival_ns", "number")
    first, sectors = (table[name].cast(int).to_numpy() for name in ("sector", "sectors"))
    parts = (first + sectors - 1) // 8 - first // 8 + 1
    assert [group["parts"] for group in found] == pytest.approx(parts.reshape(50, 4).mean(axis=1))
    seen = Outcome({}, {}, {"sizes": found})
    assert variation.mean_part(seen) == pytest.approx(own.sum() / parts.sum())
    assert variation.part_spread(seen) == pytest.approx(
        parts.reshape(50, 4).mean(axis=1).max() / parts.reshape(50, 4).mean(axis=1).min()
    )
    assert variation.spread(Outcome({}, {}, {"sizes": found})) == pytest.approx(
        own.reshape(50, 4).mean(axis=1).max() / own.reshape(50, 4).mean(axis=1).min()
    )


def test_a_young_chip_is_programmed_in_larger_steps() -> None:
    """At the cycles of the study the step is the normal one; at fewer the weakest block has as many errors as at those, after a week."""
    assert rivals.step_at(tables.CYCLES) == pytest.approx(wl.Cells.from_toml(tables.CELLS).step)
    cells = wl.Cells.from_toml(tables.CELLS)
    weakest = cells.classes()[-1]
    step = rivals.step_at(rivals.YOUNG)
    assert step > weakest.step
    young = cells.rber(cycles=rivals.YOUNG, age_days=7.0, factor=weakest.factor, step=step)
    old = cells.rber(cycles=tables.CYCLES, age_days=7.0, factor=weakest.factor, step=weakest.step)
    assert float(young) == pytest.approx(float(old), rel=1e-6)


def test_ages_at_reads_are_told_where_levels_go_by_age() -> None:
    """Reads of data of one age, and nothing is moved."""
    keys = {
        "ecc.kind": "ldpc",
        "age.time_per_write": "0 ns",
        "workload.read_fraction": 1.0,
        "workload.requests": 100,
    }
    by_age = wl.simulate(wl.Drive("tiny", **keys, **{"ecc.ldpc.start": "by_age"}), progress=False)
    assert by_age.summary["ecc.read_days.host.p95"] == by_age.summary["ecc.read_days.host.p50"]
    assert by_age.summary["ecc.read_days.moves.mean"] is None
    other = wl.simulate(wl.Drive("tiny", **keys, **{"ecc.ldpc.start": 1}), progress=False)
    assert not [key for key in other.summary if key.startswith("ecc.read_days.")]


def test_shares_within_two_milliseconds() -> None:
    levels = [50.0 * each for each in range(1, 102)]  # 40 % are at 2000
    halves = {
        "first": {"write": {"count": 30, "levels_us": levels}},
        "second": {"write": {"count": 10, "levels_us": [1.0] * 101}},
    }
    share = curves.within("write")
    assert share(Outcome({}, {}, {"latencies": halves})) == pytest.approx(
        (30 * 0.40 + 10 * 0.999) / 40
    )
    assert share(Outcome({}, {}, {})) is None
    assert curves.below([3000.0] * 101) == 0.0


STRONG = [{"name": "strong", "quantile": 0.25}]
FOUR = [{"name": f"c{number}", "quantile": number / 10} for number in range(1, 5)]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"modes": [{**STRONG[0], "t_prog": "601 us"}]}, ["modes", "t_prog"]),
        (
            {"modes": [{"name": "a", "quantile": 0.5}, {"name": "b", "quantile": 0.25}]},
            ["quantile", "0.25"],
        ),
        ({"modes": FOUR}, ["quantile"]),
        ({"scheduler.write_deadline": "-1 s"}, ["scheduler.write_deadline", "-1 s"]),
        ({"scheduler.read_deadline": "-1 s"}, ["scheduler.read_deadline", "-1 s"]),
        ({"host.queue_limit": 0}, ["host.queue_limit"]),
        ({"ecc.ldpc.thresholds": [0.001, 0.002, 0.003, 0.004, 0.005, 0.006]}, ["thresholds"]),
        (
            {"ecc.ldpc.thresholds": [0.001, 0.002, 0.003, 0.004, 0.005, 0.007, 0.006]},
            ["thresholds"],
        ),
        ({"ecc.ldpc.ages.initial": [1, 2, 3, 4, 5, 512]}, ["ecc.ldpc.ages.initial", "512"]),
        ({"ecc.ldpc.ages.initial": [1, 2, 3, 4, 5, 4]}, ["ecc.ldpc.ages.initial"]),
        ({"ecc.ldpc.ages.period": 0}, ["ecc.ldpc.ages.period"]),
        ({"buffer.policy": "cflru", "buffer.window": 1.5}, ["buffer.window", "1.5"]),
        ({"buffer.policy": "pt_lru", "buffer.probability": -0.1}, ["buffer.probability", "-0.1"]),
        ({"buffer.policy": "lru", "buffer.size": "2 KiB"}, ["buffer.size", "2 KiB"]),
    ],
)
def test_what_a_drive_refuses(keys: dict[str, object], words: list[str]) -> None:
    """Section 11 of the specification, as far as the configuration says it."""
    with pytest.raises(wl.ConfigError) as refused:
        wl.Drive("cui2018-dlv", **keys)
    for word in words:
        assert word in str(refused.value)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("0,0,0,w,0.0\n", ["row 1", "without length"]),
        ("0,0,4096,w,0.0\n0,99999999999,4096,w,1.0\n", ["row 2", "highest address"]),
        ("0,0,4096,w,1.0\n0,8,4096,w,0.5\n", ["time"]),
    ],
)
def test_what_a_trace_may_not_ask_for(rows: str, words: list[str], tmp_path: Path) -> None:
    """Requests without pages, beyond the drive, and before the one in front of them where no disorder is allowed."""
    path = tmp_path / "small.spc"
    path.write_text(rows)
    drive = wl.Drive(
        "cui2018-dlv",
        **{
            "geometry.blocks_per_plane": 512,
            "geometry.pages_per_block": 64,
            "workload.kind": "trace",
            "workload.path": str(path),
            "workload.disorder": "refuse",
        },
    )
    with pytest.raises(wl.TraceError) as refused:
        wl.simulate(drive, progress=False)
    for word in words:
        assert word in str(refused.value)
