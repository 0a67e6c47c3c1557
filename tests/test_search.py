"""Searches: what is wanted, which points are tried, and what is found."""

from __future__ import annotations

import json
import sys
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import wordline as wl
from options import AtOnce, call, effect
from wordline import _wordline
from wordline.points.job import PointJob
from wordline.searching.expressions import Expression
from wordline.searching.goal import Constraint, best_third, front

LOAD = {"requests": 60}
FRESH = {"age.method": "fresh"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 * a.b + 1", 7.0),
        ("-(a.b - 5) / 4", 0.5),
        ("a.b ** 2", 9.0),
        ("1 / (a.b - 3)", None),
        ("missing + 1", None),
        # at once, and not as a whole number of billions of digits
        ("9 ** 9 ** 9 ** 9", None),
        ("(0 - a.b) ** 0.5", None),
    ],
)
def test_expressions(text: str, value: float | None) -> None:
    assert Expression(text).evaluate({"a.b": 3.0}.get) == value


@pytest.mark.parametrize(
    "text", ["", "1 +", "f(1)", "a['b']", "a if b else c", "'x'", "True", "a.b < 1"]
)
def test_what_is_no_arithmetic_is_refused(text: str) -> None:
    with pytest.raises(wl.ConfigError):
        Expression(text)


def test_constraints_say_by_how_much_they_are_broken() -> None:
    figures = {"x": 8.0, "y": 3.0}.get
    assert Constraint("x >= 10").excess(figures) == 2.0
    assert Constraint("x - y <= 6").excess(figures) == -1.0
    assert Constraint("z <= 6").excess(figures) is None
    for text in ("x", "x < 3", "1 <= x <= 3", "x == 3"):
        with pytest.raises(
            wl.ConfigError, match=r"accepted is a comparison|no expression|not accepted"
        ):
            Constraint(text)


def test_the_front_is_what_nobody_beats() -> None:
    values = [(1, 5), (2, 2), (3, 3), (5, 1), (2, 2), (1, 6)]
    assert front(values) == [0, 1, 3, 4]
    # the front has four, a third of six is two
    assert best_third(values) == [0, 1]
    # the second front follows where the first is too small
    assert best_third([(1,), (3,), (2,), (9,), (8,), (7,)]) == [0, 2]
    assert best_third([(4,)]) == [0]


SPACE: dict[str, list[Any]] = {
    "geometry.channels": [1, 2, 3, 4],
    "timing.t_prog": ["100 us", "200 us", "300 us", "400 us", "500 us", "600 us"],
    "workload.queue_depth": [1, 2, 4, 8, 16],
}


def small(tmp_path: Path, **more: Any) -> wl.Search:
    """A search over 120 designs."""
    asked: dict[str, Any] = {"vary": SPACE, "progress": False, "cache": tmp_path / "kept"}
    return wl.search(wl.Drive("tiny", **FRESH), {**LOAD, "read_fraction": 0.0}, **(asked | more))


COST = "host.all.latency.mean_us + 100 * geometry.channels"


def test_the_optimum_is_found_with_a_third_of_the_evaluations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = wl.sweep(
        wl.Drive("tiny", **FRESH),
        {**LOAD, "read_fraction": 0.0},
        vary=SPACE,
        cache=tmp_path / "kept",
        progress=False,
    ).table
    best = (every["host.all.latency.mean_us"] + 100 * every["geometry.channels"]).min()
    found = [small(tmp_path, minimize=COST, trials=40, seed=seed) for seed in (1, 2, 3)]
    for each in found:
        assert each.table.height == 40 == every.height // 3
        assert each.table.select(*SPACE).n_unique() == 40
        assert each.best[COST].to_list() == [best]


def test_the_search_depends_on_its_seed_alone_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[str] = []
    real = PointJob.run

    def stopping(job: PointJob, goes_on: Any) -> Any:
        if len(runs) == 7:
            raise KeyboardInterrupt
        runs.append(job.key)
        return real(job, goes_on)

    with monkeypatch.context() as patch:
        patch.setattr(PointJob, "run", stopping)
        with pytest.raises(KeyboardInterrupt):
            small(tmp_path, minimize=COST, trials=18, jobs=1)
    stopped = small(tmp_path, minimize=COST, trials=18, jobs=2)
    whole = small(tmp_path / "other", minimize=COST, trials=18, jobs=1)
    assert stopped.table.equals(whole.table)
    for each, name in ((stopped, "a"), (whole, "b")):
        each.save(tmp_path / name)
    for name in ("search.parquet", "search.json", "report.html", "explorer.html"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert not small(tmp_path, minimize=COST, trials=18, seed=2).table.equals(whole.table)


def test_the_pareto_set_keeps_the_constraints_and_is_not_dominated(tmp_path: Path) -> None:
    found = small(
        tmp_path,
        minimize=["geometry.channels", "workload.queue_depth"],
        maximize="host.iops",
        where="host.all.latency.p99_us <= 2000",
        trials=40,
    )
    table = found.table.filter(pl.col("state") == "complete")
    rows = [
        (row["geometry.channels"], row["workload.queue_depth"], -row["host.iops"])
        for row in table.filter(pl.col("feasible")).iter_rows(named=True)
    ]
    expected = sorted(rows[place] for place in front(rows))
    shown = [
        (row["geometry.channels"], row["workload.queue_depth"], -row["host.iops"])
        for row in found.best.iter_rows(named=True)
    ]
    assert sorted(shown) == expected
    broken = set(table.filter(~pl.col("feasible"))["trial"])
    latencies = dict(found.sweep.table.select("point", "host.all.latency.p99_us").iter_rows())
    assert broken == {trial for trial, latency in latencies.items() if latency > 2000}
    assert broken


def test_a_space_that_is_exhausted_ends_the_search(tmp_path: Path) -> None:
    found = small(tmp_path, vary={"geometry.channels": [1, 2]}, minimize="sim.time_s", trials=50)
    assert sorted(found.table["geometry.channels"]) == [1, 2]


@pytest.mark.parametrize("several", [False, True])
def test_short_runs_choose_who_goes_on(several: bool, tmp_path: Path) -> None:
    wanted = {"minimize": [COST, "geometry.channels"] if several else COST}
    # no two proposals of a range are the same
    vary = {**SPACE, "timing.t_r": wl.Range("20 us", "30 us")}
    found = small(tmp_path, vary=vary, **wanted, trials=36, batch=12 if several else 6, short=0.5)
    states = found.table["state"].value_counts()
    counts = dict(states.iter_rows())
    # with one objective, the pruner knows nothing before the first batch is done
    assert counts["short run only"] >= (24 if several else 12)
    if several:
        # the best third of three batches of twelve
        assert counts["complete"] == 12
    full = {row["host.requests"] for row in found.sweep.table.iter_rows(named=True)}
    assert full == {60}
    requests = {
        json.loads(file.read_text())["summary"]["host.requests"]
        for file in (tmp_path / "kept").iterdir()
    }
    assert requests == {30, 60}


def test_the_key_that_matters_is_told(tmp_path: Path) -> None:
    # the third key has no effect on a run of reads from a fresh drive
    vary = {"geometry.channels": [1, 2, 3, 4], "timing.t_prog": SPACE["timing.t_prog"]}
    found = wl.search(
        wl.Drive("tiny", **FRESH),
        {**LOAD, "read_fraction": 0.0, "queue_depth": 1},
        vary=vary,
        minimize="host.all.latency.mean_us",
        trials=20,
        cache=tmp_path / "kept",
        progress=False,
    )
    shares = found.importance["host.all.latency.mean_us"]
    assert sum(shares.values()) == pytest.approx(1)
    assert shares["timing.t_prog"] > 0.8


@effect("search", "source", "--vary", "--set", "--minimize", "--trials", "--json", "--cache")
def test_a_search_on_the_command_line(tmp_path: Path) -> None:
    options = ("--set", "workload.requests=60", "--set", "age.method=fresh", "--cache", tmp_path)
    vary = ("--vary", "timing.t_prog=100 us..900 us")
    done = call(
        "search", "tiny", *vary, *options, "--minimize", "sim.time_s", "--trials", 5, "--json"
    ).json
    assert done["points"] == 5
    (best,) = done["pareto"]
    assert 100 <= best["timing.t_prog"] <= 900
    assert len([*tmp_path.iterdir()]) == 5


@effect(
    "search",
    "--maximize",
    "--where",
    "--batch",
    "--seed",
    "--seeds",
    "--together",
    "--workload",
    "--out",
)
def test_further_options_of_a_search(tmp_path: Path) -> None:
    workload = tmp_path / "load.toml"
    workload.write_text("[workload]\nrequests = 40\n")
    pairs = (
        "--together",
        "geometry.channels=1,2,4",
        "--together",
        "geometry.chips_per_channel=4,2,1",
    )
    options = (
        "--workload",
        workload,
        *pairs,
        "--set",
        "age.method=fresh",
        "--cache",
        tmp_path / "kept",
    )
    out = ("--out", tmp_path / "out")
    wanted = (
        "--maximize",
        "host.iops",
        "--where",
        "geometry.channels <= 2",
        "--trials",
        3,
        "--seeds",
        2,
    )
    done = call("search", "tiny", *options, *wanted, *out)
    assert "3 points: 3 complete" in done.stdout
    table = pl.read_parquet(tmp_path / "out" / "search.parquet")
    pairs_found = sorted(
        zip(table["geometry.channels"], table["geometry.chips_per_channel"], strict=True)
    )
    assert pairs_found == [(1, 4), (2, 2), (4, 1)]
    assert dict(table.select("geometry.channels", "feasible").iter_rows()) == {
        1: True,
        2: True,
        4: False,
    }
    assert table.filter(pl.col("pareto"))["geometry.channels"].to_list() == [2]
    assert {each.name for each in (tmp_path / "out").iterdir()} == {
        "search.parquet",
        "search.json",
        "report.html",
        "explorer.html",
    }
    # three designs with two seeds
    assert len([*(tmp_path / "kept").iterdir()]) == 6
    drawn = set()
    for seed, batch in product((1, 2), (2, 3)):
        more = (
            "--vary",
            "timing.t_prog=100 us..900 us",
            "--seed",
            seed,
            "--batch",
            batch,
            "--json",
        )
        few = (
            "--set",
            "workload.requests=20",
            "--set",
            "age.method=fresh",
            "--cache",
            tmp_path / "kept",
        )
        best = call("search", "tiny", *few, *more, "--minimize", "sim.time_s", "--trials", 14).json[
            "pareto"
        ]
        drawn.add(best[0]["timing.t_prog"])
    assert len(drawn) > 2


@effect("search", "--short", "--jobs", "--cluster")
def test_how_points_of_a_search_are_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = ("--set", "workload.requests=60", "--set", "age.method=fresh", "--minimize", "sim.time_s")
    vary = ("--vary", "geometry.channels=1,2,3,4,5,6", "--trials", 6)
    call("search", "tiny", *few, *vary, "--short", 0.5, "--cache", tmp_path / "short")
    assert len([*(tmp_path / "short").iterdir()]) > 6
    counted = AtOnce(_wordline.simulate, 2)
    with monkeypatch.context() as patch:
        patch.setattr(_wordline, "simulate", counted)
        call("search", "tiny", *few, *vary, "--jobs", 2, "--cache", tmp_path / "two")
    assert counted.most == 2
    done = call("search", "tiny", *few, *vary, "--cluster", "nonsense://x", status=2)
    assert "no Dask scheduler answers there" in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "no objective"),
        (["--minimize", "f(x)"], "not accepted"),
        (["--minimize", "sim.time_s", "--where", "host.iops"], "comparison"),
        (["--minimize", "sim.time_s", "--short", "1"], "between 0 and 1"),
        (["--minimize", "sim.tme_s"], "sim.tme_s: a figure is missing"),
        (["--minimize", "sim.time_s", "--seed", "-1"], "seed"),
        (["--minimize", "sim.time_s", "--vary", "geometry.channels=0"], "geometry.channels"),
    ],
)
def test_searches_that_make_no_sense_are_refused(
    options: list[str], said: str, tmp_path: Path
) -> None:
    few = ("--set", "workload.requests=20", "--cache", tmp_path, "--trials", "3")
    vary = () if "--vary" in options else ("--vary", "geometry.channels=1,2")
    assert said in call("search", "tiny", *few, *vary, *options, status=2).stderr


def test_nothing_varied_and_runs_that_cannot_be_shortened(tmp_path: Path) -> None:
    assert (
        "nothing is varied" in call("search", "tiny", "--minimize", "sim.time_s", status=2).stderr
    )
    trace = tmp_path / "t.spc"
    trace.write_text("0,0,4096,r,0.0\n")
    with pytest.raises(wl.ConfigError, match="no shorter run"):
        wl.search(
            "tiny",
            {"kind": "trace", "path": str(trace), "format": "spc"},
            vary={"geometry.channels": [1, 2]},
            minimize="sim.time_s",
            short=0.5,
            cache=tmp_path,
            progress=False,
        )


def test_without_optuna_the_pip_line_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    vary = ("--vary", "geometry.channels=1,2", "--minimize", "sim.time_s")
    done = call("search", "tiny", *vary, status=2)
    assert 'python -m pip install "wordline[sweep]"' in done.stderr


FEW = {**FRESH, "geometry.blocks_per_plane": 16}
SERVED: dict[str, Any] = {
    "vary": {"ftl.over_provisioning": [0.28, 0.5]},
    "minimize": "service.cost",
    "where": "service.drives >= 1",
    "service": wl.Service(
        0.5, length=5 * 86_400.0, writes_per_day=50, required=8 * 365 * 86_400.0, cell="mlc"
    ),
}


def test_a_search_weighs_the_cost_of_a_service(tmp_path: Path) -> None:
    load = {"read_fraction": 0.0, "requests": 60}
    found = wl.search(
        wl.Drive("tiny", **FEW), load, progress=False, cache=tmp_path, trials=2, **SERVED
    )
    for row in found.table.to_dicts():
        drive = wl.Drive("tiny", **FEW, **{"ftl.over_provisioning": row["ftl.over_provisioning"]})
        asked = SERVED["service"].asked
        life = wl.lifetime(drive, load, asked, progress=False).summary["life_s"]
        # 128 blocks of 64 pages of 4 KiB, and as many drives as the service outlasts
        flash = 128 * 64 * 4096 / 1e9
        drives = 1 if life is None else -(-5 * 86_400 // float(life))
        assert row["service.cost"] == pytest.approx(0.5 * flash * drives)
    costs = found.table["service.cost"].to_list()
    assert costs[0] != costs[1]


def test_services_that_make_no_sense_are_refused() -> None:
    for price in (0.0, -1.0, float("nan")):
        with pytest.raises(wl.ConfigError, match="price_per_gb"):
            wl.Service(price)
    with pytest.raises(wl.ConfigError, match="horizon"):
        wl.Service(1.0, length=-1.0)


@effect("search", "--service", "--price", "--writes-per-day", "--require")
def test_the_options_of_a_service() -> None:
    command = ("search", "tiny", "--vary", "ftl.over_provisioning=0.27,0.28", "--trials", 2)
    load = (
        *("--set", "workload.requests=60", "--set", "workload.read_fraction=0"),
        *("--set", "geometry.blocks_per_plane=24", "--set", "geometry.cell_type=mlc"),
    )
    asked = ("--minimize", "service.cost", "--maximize", "service.life_s")

    def best(price: float, writes: int, require: str, service: str) -> list[dict[str, Any]]:
        options = ("--price", price, "--writes-per-day", writes, "--require", require)
        found = call(*command, *load, *asked, *options, "--service", service, "--json").json
        rows: list[dict[str, Any]] = found["pareto"]
        return rows

    plain = best(1.0, 25, "9 y", "20 d")
    dear = best(2.0, 25, "9 y", "20 d")
    assert [2 * row["service.cost"] for row in plain] == [row["service.cost"] for row in dear]
    assert best(1.0, 50, "9 y", "20 d")[0]["service.life_s"] < plain[0]["service.life_s"]
    assert best(1.0, 25, "8 y", "20 d")[0]["service.life_s"] > plain[0]["service.life_s"]
    longer = best(1.0, 25, "9 y", "50 d")
    assert longer[0]["service.cost"] > plain[0]["service.cost"]
    for option in ("--price", "--writes-per-day", "--require"):
        told = call(*command, *load, *asked, option, 1, status=2).stderr
        assert "--service" in told
    assert "--price" in call(*command, *load, *asked, "--service", "1 y", status=2).stderr


def test_a_constraint_has_units_and_its_figure_is_shown(tmp_path: Path) -> None:
    figure = "host.write.latency.p99_us"
    found = small(tmp_path, minimize="geometry.channels", where=f"{figure} <= 1.5 ms", trials=12)
    bound = found.table.filter(pl.col("state") == "complete")
    assert (
        bound.select(pl.col(figure) <= 1_500).to_series().to_list() == bound["feasible"].to_list()
    )
    assert figure in found.best.columns
    for text, named in (
        (f"{figure} <= 1 MB", "has the unit"),
        ("geometry.channels <= 1 ms", "no figure with a unit"),
    ):
        with pytest.raises(wl.ConfigError, match=named):
            Constraint(text)
    assert Constraint("host.bandwidth_mb_s >= 1.5 GB/s").excess(lambda _: 1_600.0) == -100.0
    assert Constraint("10 % >= nand.die_utilization").excess(lambda _: 0.25) == pytest.approx(0.15)


def test_what_points_came_to_is_said_where_none_keeps_a_constraint(tmp_path: Path) -> None:
    figure = "host.all.latency.mean_us"
    asked = ("--minimize", figure, "--where", f"{figure} <= 1 us", "--trials", 2)
    vary = ("--vary", "geometry.channels=1,2", "--set", "workload.requests=60")
    done = call("search", "tiny", *vary, *asked, "--cache", tmp_path)
    _, told = done.stdout.split("no point keeps the constraints\n")
    assert told.startswith(f"{figure} <= 1 us: the points have ")
    assert not [line for line in told.splitlines() if line.startswith("geometry.channels")]


def test_why_points_failed_is_said(tmp_path: Path) -> None:
    vary = ("--vary", "geometry.channels=1,2", "--vary", "timing.t_prog=200 us,-1 us")
    asked = (
        "--minimize",
        "host.all.latency.mean_us",
        "--trials",
        4,
        "--set",
        "workload.requests=60",
    )
    done = call("search", "tiny", *vary, *asked, "--cache", tmp_path)
    assert "4 points: 2 complete, 2 failed" in done.stdout
    assert "failed: " in done.stdout
    assert "timing.t_prog" in done.stdout.partition("failed: ")[2]


POLICY = """
import wordline as wl

class Chosen:
    def choose(self, blocks):
        return {choice}(blocks, key=lambda block: block.valid)

wl.register_victim("chosen", Chosen, replace=True)
"""


@effect("search", "--policies")
@effect("sweep", "--policies")
def test_policies_of_a_file_are_varied_and_kept_by_its_text(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    load = ("--set", "workload.requests=1500", "--set", "workload.read_fraction=0")
    vary = ("--vary", "ftl.gc.victim=greedy,chosen", "--cache", tmp_path, "--policies", file)
    found = {}
    for choice in ("min", "max", "min"):
        file.write_text(POLICY.format(choice=choice))
        rows = call("sweep", "tiny", *load, *vary, "--json").json["rows"]
        found[choice] = [row["ftl.write_amplification"] for row in rows]
    # one that takes full blocks never comes free of a full drive
    assert found["min"] == pytest.approx([found["max"][0]] * 2, rel=0.01)
    assert found["max"][1] is None
    goal = ("--minimize", "ftl.write_amplification", "--trials", 2)
    designs = call("search", "tiny", *load, *vary, *goal, "--json").json["pareto"]
    assert {row["ftl.write_amplification"] for row in designs} == {min(found["min"])}
    told = call("sweep", "tiny", *load, *vary, "--cluster", "local", "--json").json["rows"]
    assert (
        "--policies without --cluster" in told[1]["error"]
        or "leave `cluster` out" in told[1]["error"]
    )
