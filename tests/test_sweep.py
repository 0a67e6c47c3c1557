"""Sweeps: what is varied, what is run and kept, and the table."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import wordline as wl
from options import AtOnce, call, effect
from wordline import _wordline
from wordline.points.files import files_of, overrides_of
from wordline.points.job import Failure, PointJob
from wordline.points.outcome import Outcome
from wordline.sweeps.file import axis_from_text, read_sweep
from wordline.sweeps.layers import Layers
from wordline.sweeps.space import Space
from wordline.sweeps.values import column, range_of
from wordline.terminal.sweeps import overlapping

LOAD = {"requests": 200, "read_fraction": 0.5}
GRID: dict[Any, Any] = {"geometry.channels": [1, 2], "ftl.gc.victim": ["greedy", "fifo"]}


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Keys of the points that are really run."""
    keys: list[str] = []
    real = PointJob.run

    def counted(job: PointJob, goes_on: Any) -> Outcome | Failure:
        keys.append(job.key)
        return real(job, goes_on)

    monkeypatch.setattr(PointJob, "run", counted)
    return keys


def small(tmp_path: Path, vary: Any = GRID, **more: Any) -> wl.Sweep:
    return wl.sweep("tiny", LOAD, vary=vary, cache=tmp_path / "kept", progress=False, **more)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        # equal distances and both ends
        ("1..3:3", ["1", "2", "3"]),
        # whole numbers occur once: 1, 1.5, 2
        ("1..2:3", ["1", "2"]),
        ("1..64:7:log", ["1", "2", "4", "8", "16", "32", "64"]),
        ("0.1..0.4:4", ["0.1", "0.2", "0.3", "0.4"]),
        ("7%..28%:4", ['"7.0 %"', '"14.0 %"', '"21.0 %"', '"28.0 %"']),
        # whole nanoseconds and whole KiB, as the configuration wants them
        ("1 us..2 us:4", ['"1.0 us"', '"1.333 us"', '"1.667 us"', '"2.0 us"']),
        ("10 MT/s..20 MT/s:4", ['"10.0 MT/s"', '"13.333 MT/s"', '"16.667 MT/s"', '"20.0 MT/s"']),
        ("4 KiB..8 KiB:4", ['"4.0 KiB"', '"5.0 KiB"', '"7.0 KiB"', '"8.0 KiB"']),
        ("25 us..100 us:3:log", ['"25.0 us"', '"50.0 us"', '"100.0 us"']),
    ],
)
def test_ranges(text: str, values: list[str]) -> None:
    found = range_of(text)
    assert found is not None
    assert found.values() == values


def test_every_spelling_of_a_value_is_one_that_drives_accept(tmp_path: Path) -> None:
    vary = {
        "ftl.over_provisioning": wl.Range("10%", "20%", 2),
        "timing.t_r": wl.Range("20 us", "40 us", 2),
    }
    table = small(tmp_path, vary).table
    assert table["error"].null_count() == 4
    assert table["ftl.over_provisioning"].to_list() == [0.1, 0.1, 0.2, 0.2]
    assert table["timing.t_r"].to_list() == [20, 40, 20, 40]


def test_arrays_are_lists_of_values(tmp_path: Path) -> None:
    table = small(tmp_path, {"geometry.channels": np.array([1, 2])}).table
    assert table["geometry.channels"].to_list() == [1, 2]
    for vary in (["geometry.channels"], {"geometry.channels": "12"}):
        with pytest.raises(wl.ConfigError, match="vary"):
            small(tmp_path, vary)


def test_columns_are_numbers_where_units_agree() -> None:
    assert column(["7%", "28 %"]) == ([0.07, 0.28], "")
    assert column(['"25 us"', "1 us"]) == ([25, 1], "us")
    assert column(["1", "2"]) == ([1, 2], "")
    assert column(["1 ms", "2 us"]) == (["1 ms", "2 us"], "")
    assert column(["true", "false"]) == ([True, False], "")


def test_a_grid_has_every_combination_in_order() -> None:
    space = Space.of({"a": [1, 2], ("b", "c"): [(3, 4), (5, 6)]})
    found = [dict(each) for each in space.assignments()]
    expected = [
        {"a": a, "b": b, "c": c} for a, (b, c) in itertools.product("12", [("3", "4"), ("5", "6")])
    ]
    assert found == expected


@pytest.mark.parametrize("kind", ["random", "sobol"])
def test_samples_are_repeated_extended_and_inside(kind: Any) -> None:
    vary: dict[str, Any] = {
        "x": wl.Range(1, 4),
        "y": wl.Range(1.0, 100.0, log=True),
        "z": ["a", "b"],
    }
    few = [*Space.of(vary, wl.Sample(kind, 20)).assignments()]
    many = [*Space.of(vary, wl.Sample(kind, 200)).assignments()]
    assert many[:20] == few
    assert many != [*Space.of(vary, wl.Sample(kind, 200, seed=2)).assignments()]
    points = [dict(each) for each in many]
    # every whole number and choice about equally often, and as many values below the geometric mean as above
    for key, values in (("x", "1234"), ("z", ('"a"', '"b"'))):
        for value in values:
            share = sum(point[key] == value for point in points) / 200
            assert share == pytest.approx(1 / len(values), abs=0.1)
    assert sum(float(point["y"]) < 10 for point in points) == pytest.approx(100, abs=20)


def test_a_sweep_is_what_single_runs_give(tmp_path: Path) -> None:
    found = small(tmp_path, seeds=2)
    assert found.table.height == 8
    assert found.table["point"].to_list() == [0, 0, 1, 1, 2, 2, 3, 3]
    row = found.table.row(5, named=True)
    assert (row["geometry.channels"], row["ftl.gc.victim"], row["seed"]) == (2, "greedy", 2)
    drive = wl.Drive("tiny", geometry={"channels": 2}, seed=2)
    alone = wl.simulate(drive, {**LOAD, "seed": 2}, progress=False).summary
    for key, value in alone.items():
        if not key.startswith("run.") and value is not None:
            assert row[key] == value, key


def test_finished_runs_are_not_run_again(tmp_path: Path, ran: list[str]) -> None:
    first = small(tmp_path)
    assert len(ran) == 4
    ran.clear()
    assert small(tmp_path).table.equals(first.table)
    assert not ran
    wider = small(tmp_path, {**GRID, "geometry.channels": [1, 2, 4]})
    assert len(ran) == 2
    assert wider.table.height == 6


def test_the_number_of_threads_changes_no_byte(tmp_path: Path) -> None:
    for jobs in (1, 3):
        wl.sweep(
            "tiny", LOAD, vary=GRID, cache=tmp_path / f"kept{jobs}", jobs=jobs, progress=False
        ).save(tmp_path / f"out{jobs}")
    for name in ("sweep.parquet", "sweep.json", "report.html", "explorer.html"):
        assert (tmp_path / "out1" / name).read_bytes() == (tmp_path / "out3" / name).read_bytes()


def test_points_that_fail_are_rows_with_their_error(tmp_path: Path) -> None:
    found = small(tmp_path, {"geometry.channels": [0, 2]})
    assert found.failed == 1
    bad, good = found.table.iter_rows(named=True)
    assert bad["error"].startswith("ConfigError: ")
    assert "geometry.channels" in bad["error"]
    assert bad["host.requests"] is None
    assert good["error"] is None
    assert good["host.requests"] == 200


def test_a_run_that_fails_is_a_row_too_and_is_run_again(tmp_path: Path, ran: list[str]) -> None:
    good, bad = tmp_path / "good.spc", tmp_path / "bad.spc"
    good.write_text("0,0,4096,r,0.0\n0,8,4096,w,0.1\n")
    bad.write_text("0,0,4096,r,0.0\nno row at all\n")
    for runs in (2, 1):
        ran.clear()
        found = wl.sweep(
            "tiny",
            {"kind": "trace", "format": "spc"},
            vary={"workload.path": [str(good), str(bad)]},
            cache=tmp_path / "kept",
            progress=False,
        )
        assert len(ran) == runs
        assert found.table["host.requests"].to_list() == [2, None]
        assert "bad.spc" in found.table["error"][1]


def test_a_sobol_sequence_needs_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    space = Space.of({"x": [1, 2]}, wl.Sample("sobol", 4))
    with pytest.raises(wl.ConfigError, match=r'pip install "wordline\[sweep\]"'):
        list(space.assignments())


def test_means_are_over_the_seeds(tmp_path: Path) -> None:
    found = small(tmp_path, {"geometry.channels": [1, 2]}, seeds=3)
    means = found.means("host.iops")
    (one, _) = means.iter_rows(named=True)
    values = found.table.filter(pl.col("point") == 0)["host.iops"].to_list()
    estimate = wl.simulate_seeds(
        wl.Drive("tiny", geometry={"channels": 1}), LOAD, seeds=3, progress=False
    ).metrics["host.iops"]
    assert one["runs"] == 3
    assert one["host.iops"] == pytest.approx(sum(values) / 3)
    assert one["host.iops"] == pytest.approx(estimate.mean)
    assert one["host.iops ±"] == pytest.approx(estimate.half_width)
    with pytest.raises(KeyError, match="nothing"):
        found.means("nothing")


FILE = """
drive = "tiny"
seeds = 2

[workload]
requests = 100

[set]
"age.method" = "fresh"

[vary]
"ftl.over_provisioning" = ["10%", "20%"]
workload.queue_depth = { low = 1, high = 4, count = 3, log = true }

[[together]]
"geometry.channels" = [1, 2]
"geometry.chips_per_channel" = [2, 1]
"""


def test_a_file_says_what_the_options_say(tmp_path: Path) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text(FILE)
    asked = read_sweep(file)
    assert asked.seeds == 2
    assert asked.space.keys == [
        "ftl.over_provisioning",
        "workload.queue_depth",
        "geometry.channels",
        "geometry.chips_per_channel",
    ]
    of_file = call("sweep", file, "--cache", tmp_path / "kept", "--json").json
    workload = tmp_path / "load.toml"
    workload.write_text("[workload]\nrequests = 100\n")
    options = [
        *("--vary", "ftl.over_provisioning=10%,20%", "--vary", "workload.queue_depth=1..4:3:log"),
        *("--together", "geometry.channels=1,2", "--together", "geometry.chips_per_channel=2,1"),
        *("--set", "age.method=fresh", "--workload", workload, "--seeds", 2),
    ]
    of_options = call("sweep", "tiny", *options, "--cache", tmp_path / "other", "--json").json
    assert of_file["rows"] == of_options["rows"]
    assert len(of_file["rows"]) == 2 * 3 * 2 * 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('drive = "tiny"', "", "drive"),
        ("seeds = 2", 'seeds = "2"', "seeds"),
        ("seeds = 2", "seed = 2", "did you mean `seeds`"),
        ("count = 3", "cuont = 3", "cuont"),
        ("high = 4", "high = 0", "less than"),
        ("count = 3, ", "", "number of values"),
        ("[1, 2]", "[1, 2, 3]", "different numbers of values"),
        ('["10%", "20%"]', "[]", "no value"),
        ('["10%", "20%"]', '"10%"', "accepted are a list"),
        ('"geometry.channels"', '"ftl.over_provisioning"', "varied twice"),
        ('"ftl.over_provisioning"', '"ftl.over_provision"', "over_provisioning"),
        ("[set]", 'sample = { kind = "grid", points = 4 }\n[set]', "accepted are random and sobol"),
        ("[set]", "sample = { points = 4 }\n[set]", "sample"),
        ("[workload]\nrequests = 100", "workload = 3", "workload"),
    ],
)
def test_files_that_make_no_sense_are_refused(
    old: str, new: str, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "sweep.toml"
    assert old in FILE
    text = FILE.replace(old, new, 1)
    if new.startswith("sample"):
        # keys of the file stand before its tables
        text = new.split("\n")[0] + "\n" + FILE
    if new.startswith("workload"):
        text = new + "\n" + FILE.replace(old, "", 1)
    file.write_text(text)
    done = call("sweep", file, "--cache", tmp_path / "kept", status=2)
    assert said in done.stderr
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "nothing is varied"),
        (["--vary", "geometry.channels"], "KEY=VALUE"),
        (["--vary", "geometry.channels=1,,2"], "empty"),
        (["--vary", "geometry.channels=1..x:2"], "no number"),
        (["--vary", "geometry.channels=1..4:one"], "'one' is no number of values"),
        (["--vary", "timing.t_r=1 us..4 ms:2"], "different units"),
        (["--vary", "timing.t_r=0 us..4 us:2:log"], "above 0"),
        (["--vary", "geometry.channels=1..4:1"], "count"),
        (["--vary", "geometry.channels=1,2", "--sample", "sobol"], "KIND:POINTS"),
        (["--vary", "geometry.channels=1,2", "--sample", "grid:4"], "random and sobol"),
        (["--vary", "geometry.channels=1,2", "--sample-seed", "3"], "no --sample"),
        (["--vary", "geometry.channels=1,2", "--jobs", "0"], "--jobs"),
        (["--vary", "geometry.channels=1,2", "--figure", "nothing"], "nothing"),
        (["--vary", "seed=1,2", "--seeds", "2"], "seed is varied"),
        (["--vary", "geometry.chanels=1,2"], "geometry.channels"),
        (["--together", "a=1,2", "--together", "b=1"], "different numbers"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    options: list[str], said: str, tmp_path: Path
) -> None:
    few = ("--set", "workload.requests=50")
    done = call("sweep", "tiny", *few, *options, "--cache", tmp_path / "kept", status=2)
    assert said in done.stderr


@effect("sweep", "source", "--vary", "--set", "--json")
def test_what_is_varied_is_run(tmp_path: Path) -> None:
    options = ("--set", "workload.requests=60", "--cache", tmp_path / "kept", "--json")
    rows = call("sweep", "tiny", "--vary", "geometry.channels=1,2", *options).json["rows"]
    assert [row["geometry.channels"] for row in rows] == [1, 2]
    assert {row["host.requests"] for row in rows} == {60}
    assert rows[0]["host.iops"] < rows[1]["host.iops"]


def test_the_seed_can_be_varied_itself(tmp_path: Path) -> None:
    found = small(tmp_path, {"seed": [3, 5]})
    assert found.table["seed"].to_list() == found.table["sim.seed"].to_list() == [3, 5]
    assert "seed" in (found.save(tmp_path / "out") / "report.html").read_text()


@effect("sweep", "--workload", "--together", "--seeds")
def test_workloads_and_keys_that_change_together(tmp_path: Path) -> None:
    workload = tmp_path / "load.toml"
    workload.write_text("[workload]\nrequests = 70\n")
    pairs = ("--together", "geometry.channels=1,2", "--together", "geometry.chips_per_channel=2,1")
    options = ("--workload", workload, *pairs, "--seeds", 2, "--cache", tmp_path, "--json")
    rows = call("sweep", "tiny", *options).json["rows"]
    pairs_found = [(row["geometry.channels"], row["geometry.chips_per_channel"]) for row in rows]
    assert pairs_found == [(1, 2), (1, 2), (2, 1), (2, 1)]
    assert [row["seed"] for row in rows] == [1, 2, 1, 2]
    assert {row["host.requests"] for row in rows} == {70}


@effect("sweep", "--sample", "--sample-seed")
def test_samples_of_the_command_line(tmp_path: Path) -> None:
    few = ("--set", "workload.requests=20", "--set", "age.method=fresh", "--cache", tmp_path)
    drawn = []
    for seed in (1, 2):
        vary = ("--vary", "timing.t_prog=100 us..900 us", "--sample", "sobol:3")
        rows = call("sweep", "tiny", *few, *vary, "--sample-seed", seed, "--json").json["rows"]
        drawn.append([row["timing.t_prog"] for row in rows])
    assert len(drawn[0]) == 3
    assert drawn[0] != drawn[1]
    assert all(100 <= value <= 900 for row in drawn for value in row)


@effect("sweep", "--out", "--cache", "--figure")
def test_files_of_a_sweep(tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = ("--set", "workload.requests=60", "--cache", tmp_path / "kept", "--out", out)
    vary = ("--vary", "geometry.channels=1,2", "--vary", "ftl.gc.victim=greedy,nope")
    done = call("sweep", "tiny", *vary, *options, "--figure", "sim.time_s")
    assert "sim.time_s" in done.stdout
    assert "host.iops" not in done.stdout
    assert "failed: 2 runs" in done.stdout
    assert len([*(tmp_path / "kept").iterdir()]) == 2
    table = pl.read_parquet(out / "sweep.parquet")
    assert table["error"].null_count() == 2
    about = json.loads((out / "sweep.json").read_text())
    assert (about["points"], about["runs"], about["failed"]) == (4, 4, 2)
    names = ("sweep.parquet", "sweep.json", "report.html", "explorer.html")
    assert {each.name for each in out.iterdir()} == set(names)
    # the command of a point gives what its row has
    arguments = about["commands"][0].split()[1:-2]
    alone = call(*arguments, "--json").json
    assert alone["host.iops"] == table["host.iops"][0]


@effect("sweep", "--jobs")
def test_jobs_run_at_the_same_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    most = {}
    for jobs in (1, 2):
        counted = AtOnce(_wordline.simulate, jobs)
        with monkeypatch.context() as patch:
            patch.setattr(_wordline, "simulate", counted)
            small(tmp_path / str(jobs), {"geometry.channels": [1, 2]}, jobs=jobs)
        most[jobs] = counted.most
    assert most == {1: 1, 2: 2}


def test_the_hash_follows_the_content_of_every_file_and_not_its_place(tmp_path: Path) -> None:
    keys = []
    for folder, row in (("a", "0,0,4096,r,0.0"), ("b", "0,0,4096,r,0.0"), ("c", "0,8,4096,w,0.0")):
        (tmp_path / folder).mkdir()
        trace = tmp_path / folder / "t.spc"
        trace.write_text(row + "\n")
        tenant = {"tenants.x.workload": {"kind": "trace", "path": str(trace), "format": "spc"}}
        point = Layers.of(wl.Drive("tiny", **tenant), None).point(())
        assert [file.key for file in files_of(point.resolved.toml)] == ["tenants.x.workload.path"]
        keys.append(point.key)
    assert keys[0] == keys[1] != keys[2]


def test_schemes_of_a_job_file_stay_beside_it(tmp_path: Path) -> None:
    """The job file names them by their place beside it, which no override changes."""
    jobs = tmp_path / "jobs.fio"
    jobs.write_text("[a]\nrw=write\nsize=1m\ndp_scheme=ranges\n")
    (tmp_path / "ranges").write_text("0, 1m, 0\n")
    config = f"[workload]\nkind = 'fio'\npath = '{jobs}'\n"
    both = files_of(config)
    assert [Path(file.path).name for file in both] == ["jobs.fio", "ranges"]
    assert overrides_of(both, {}) == ()
    for file in both:
        with pytest.raises(wl.ConfigError, match=r"workload\.path: .*ranges.*all machines share"):
            overrides_of(both, {file.digest: tmp_path / "elsewhere"})


def test_bare_text_of_options_is_taken_as_it_is() -> None:
    assert axis_from_text("a=x, y").choices == (("x",), ("y",))


def test_notes_of_several_runs_are_told_once(tmp_path: Path) -> None:
    def text(notes: tuple[wl.Note, ...], key: str) -> str:
        (found,) = (note.text for note in notes if note.key == key)
        return found

    vary = {"ftl.over_provisioning": ["15%", "28%"]}
    notes = small(tmp_path, vary).notes
    # how the run was measured is no finding
    assert not {"age", "window"} & {note.key for note in notes}
    # percentiles rest on as many requests in both
    assert text(notes, "too_short").endswith("(in 2 of 2 runs)")
    severities = [note.severity for note in notes]
    assert severities == sorted(severities, reverse=True)
    assert "confidence" in text(notes, "one_run")
    assert "one_run" not in {note.key for note in small(tmp_path, vary, seeds=2).notes}


def test_short_runs_rank_policies_by_where_they_begin(tmp_path: Path) -> None:
    def keys(vary: Any, **more: Any) -> set[str]:
        return {note.key for note in small(tmp_path, vary, **more).notes}

    told = "short_of_a_drive_write"
    assert told in keys({"ftl.gc.victim": ["greedy", "fifo"]})
    assert told not in keys({"timing.t_prog": ["200 us", "300 us"]})


def test_rows_have_the_letters_of_their_notes(tmp_path: Path) -> None:
    found = small(tmp_path, {"age.method": ["fresh", "steady_state"]})
    lettered = {note.text[1]: note for note in found.told if note.text.startswith("(")}
    for point, method in enumerate(("fresh", "steady_state")):
        own = {lettered[letter].key for letter in found.marks(point).split()}
        assert ("unmapped_reads" in own) == (method == "fresh")


def test_rows_that_noise_can_order_are_marked() -> None:
    means = pl.DataFrame(
        {
            "x": [10.0, 20.0, 20.5, 30.0, 29.0],
            "x ±": [1.0, 0.3, 0.3, 0.4, None],
        }
    )
    assert overlapping(means, "x") == {1, 2}
