"""What each option of `wordline lifetime` and `reproduce` does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from options import AtOnce, call, effect, sets
from small_study import FIGURE, STUDY
from wordline import _wordline
from wordline.points.job import PointJob
from wordline.studies.verdict import Claim, Verdict

DAY = 86_400.0
YEAR = 365 * DAY
BASE = ("lifetime", "tiny", "--cell", "mlc", "--horizon", "20 d", "--every", "10 d")
DAILY = ("--writes-per-day", 50)


def lifetime(*arguments: object) -> dict[str, Any]:
    """What a study prints for a program."""
    found: dict[str, Any] = call(*BASE, *arguments, "--json").json
    return found


@pytest.fixture(scope="module")
def plain() -> dict[str, Any]:
    """The study that the others are compared with."""
    return lifetime(*DAILY)


def last(found: dict[str, Any], key: str = "retention_p10_s") -> float:
    """A figure of the last snapshot."""
    return float(found["snapshots"][-1][key])


def erased(found: dict[str, Any]) -> float:
    """Erases of a block at the end."""
    return last(found, "erase_count_mean")


@effect("lifetime", "drive")
def test_the_drive_is_the_one_that_is_named(plain: dict[str, Any], tmp_path: Path) -> None:
    roomy = tmp_path / "roomy.toml"
    roomy.write_text('base = "tiny"\n[ftl]\nover_provisioning = 1.0\n')
    options = BASE[2:]
    found = call("lifetime", roomy, *options, *DAILY, "--json").json
    assert found["write_amplification"] < plain["write_amplification"] - 0.5


@effect("lifetime", "--writes-per-day")
def test_writes_per_day_wear_in_proportion(plain: dict[str, Any]) -> None:
    half = lifetime("--writes-per-day", 25)
    assert half["writes_per_day"] == 25
    assert erased(half) == pytest.approx(erased(plain) / 2, rel=0.02)
    # every block is erased once for each of its pages that is programmed, 25,600 of 32,768 pages a drive write
    programs = 50 * 20 * 25_600 * plain["write_amplification"]
    assert erased(plain) * 512 * 64 == pytest.approx(programs, rel=0.03)


@effect("lifetime", "--horizon", "--every")
def test_snapshots_come_when_they_are_asked_for() -> None:
    for horizon, every in ((20, 5), (12, 4)):
        options = ("--horizon", f"{horizon} d", "--every", f"{every} d")
        found = call("lifetime", "tiny", *options, *DAILY, "--json").json
        times = [row["time_s"] / DAY for row in found["snapshots"]]
        assert times == list(range(0, horizon + 1, every))


@effect("lifetime", "--require", "--json")
def test_a_life_ends_where_retention_falls_below_what_is_required() -> None:
    found = lifetime(*DAILY, "--require", "8 y")
    assert found["required_s"] == 8 * YEAR
    tenth = [row["retention_p10_s"] for row in found["snapshots"]]
    assert tenth[0] > 8 * YEAR > tenth[-1]
    assert 0 < found["life_s"] < 20 * DAY
    assert lifetime(*DAILY, "--require", "1 mo")["life_s"] is None
    told = " ".join(call(*BASE, *DAILY, "--require", "8 y").stdout.split())
    assert "keep data for 8 years without power, and fewer after that" in told


@effect("lifetime", "--cell")
def test_cells_with_a_wider_gap_keep_data_longer(plain: dict[str, Any]) -> None:
    wide = lifetime(*DAILY, "--cell", "1.5 V")
    slc = lifetime(*DAILY, "--cell", "slc")
    assert last(slc) > last(wide) > last(plain)
    assert erased(wide) == erased(plain)


@effect("lifetime", "--temperature")
def test_heat_shortens_retention(plain: dict[str, Any]) -> None:
    hot = lifetime(*DAILY, "--temperature", "55 degC")
    assert hot["temperature_degc"] == 55
    assert last(hot) < last(plain) / 1.5
    later = lifetime(*DAILY, "--temperature", "30 degC for 15 d, 55 degC for 5 d")
    assert later["temperature_profile"] == [
        {"for_s": 15 * DAY, "degc": 30.0},
        {"for_s": 5 * DAY, "degc": 55.0},
    ]
    assert later["snapshots"][1] == plain["snapshots"][1]
    assert last(later) == pytest.approx(last(hot), rel=0.02)


@effect("lifetime", "--samples", "--sample-length", "--end-ratio")
def test_samples_have_response_times() -> None:
    arrivals = ("--set", "workload.interarrival=2 ms")
    found = lifetime(*DAILY, *arrivals, "--samples", 1, "--sample-length", "2 s")
    rows = found["sampled"]
    assert rows[0]["time_s"] == 0.0
    assert len(rows) >= 2
    assert all(row["requests"] == 1000 for row in rows)
    assert all(row["blocks"] == 512 for row in rows)
    assert rows[0]["response_ratio"] == 1.0
    assert found["samples"] == {"every_snapshots": 1, "length_s": 2.0, "end_ratio": 3.0}
    assert found["samples.life_s"] is None
    assert found["samples.ratio_at_end"] is None
    sooner = lifetime(
        *DAILY, *arrivals, "--samples", 2, "--sample-length", "4 s", "--end-ratio", 1.0001
    )
    assert len(sooner["sampled"]) < len(rows)
    assert all(row["requests"] == 2000 for row in sooner["sampled"])
    slow = [row["time_s"] for row in sooner["sampled"] if row["response_ratio"] >= 1.0001]
    assert sooner["samples.life_s"] == (slow[0] if slow else None)


@effect("lifetime", "--heat-heals")
def test_heat_may_heal() -> None:
    hot = ("--temperature", "55 degC")
    assert last(lifetime(*DAILY, *hot, "--heat-heals")) > last(lifetime(*DAILY, *hot)) * 1.01


@effect("lifetime", "--tolerance", "--exact")
def test_tolerance_is_what_skipping_may_cost() -> None:
    short = ("lifetime", "tiny", "--horizon", "4 d", "--every", "4 d", *DAILY, "--json")
    exact = call(*short, "--exact").json
    assert (exact["simulated_share"], exact["tolerance"], exact["skips_kept"]) == (1, None, 0)
    loose, close = (call(*short, "--tolerance", tolerance).json for tolerance in (0.2, 0.001))
    assert (loose["tolerance"], close["tolerance"]) == (0.2, 0.001)
    assert loose["simulated_share"] <= close["simulated_share"] <= 1
    assert loose["simulated_share"] < 1
    assert last(loose) == pytest.approx(last(exact), rel=0.2)


@effect("lifetime", "--fleet", "--sigma-traps", "--sigma-leak", "--sigma-gap")
def test_a_fleet_varies_as_far_as_it_is_told() -> None:
    none = ("--sigma-traps", 0, "--sigma-leak", 0, "--sigma-gap", 0)
    required = ("--horizon", "4 d", "--every", "4 d", "--require", "16.5 y", "--fleet", 2)
    alike = lifetime(*DAILY, *required, *none)
    # mean cells outlast the study
    assert alike["fleet_life_s"] == [None, None]
    assert alike["variation"] == {"drives": 2, "traps": 0, "leak": 0, "gap_v": 0}
    # the wider traps are spread, the more tables are computed
    for option, value in (("traps", 0.03), ("leak", 0.2), ("gap", 0.1)):
        others = [
            part
            for name in ("traps", "leak", "gap")
            if name != option
            for part in (f"--sigma-{name}", 0)
        ]
        found = lifetime(*DAILY, *required, *others, f"--sigma-{option}", value)
        one, other = found["fleet_life_s"]
        assert one != other, option
        assert None not in (one, other), option


@effect("lifetime", "--varied-blocks")
def test_blocks_vary_in_the_drive_itself(plain: dict[str, Any]) -> None:
    """What nine blocks in ten keep is further from what one in ten does, by the spread that was asked for."""

    def ratio(found: dict[str, Any]) -> float:
        return last(found, "retention_p90_s") / last(found, "retention_p10_s")

    varied = lifetime(*DAILY, "--varied-blocks", "--sigma-leak", 0.5)
    assert varied["inside"] == {"traps": 0.05, "leak": 0.5, "gap_v": 0.01}
    assert ratio(varied) > 2 * ratio(plain)
    # without refresh the FTL does the same
    assert erased(varied) == erased(plain)


@effect("lifetime", "--rest-cycles")
def test_rests_are_means_over_cycles(plain: dict[str, Any]) -> None:
    """The more cycles stand for a block, the less blocks differ by their last rests."""

    def spread(found: dict[str, Any]) -> float:
        return last(found, "retention_p99_s") / last(found, "retention_p01_s")

    calm = lifetime(*DAILY, "--rest-cycles", 12)
    assert calm["rest_cycles"] == 12
    assert spread(calm) < spread(plain)


@effect("lifetime", "--replicas")
def test_replicas_are_studies_with_consecutive_seeds() -> None:
    found = lifetime(*DAILY, "--require", "8 y", "--replicas", 3)
    assert found["replicas"] == 3
    assert [study["seed"] for study in found["studies"]] == [1, 2, 3]
    lives = [study["life_s"] for study in found["studies"]]
    assert len(set(lives)) == 3
    assert found["life_s"]["mean"] == pytest.approx(sum(lives) / 3)


@effect("lifetime", "--jobs")
@pytest.mark.parametrize("jobs", [1, 2])
def test_jobs_is_how_many_studies_run_at_once(jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = AtOnce(_wordline.lifetime, jobs)
    monkeypatch.setattr(_wordline, "lifetime", counted)
    lifetime(*DAILY, "--replicas", 2, "--jobs", jobs)
    assert counted.most == jobs


@effect("lifetime", "--workload", "--set")
def test_the_workload_is_the_one_that_is_named(plain: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "load.toml"
    file.write_text('kind = "sequential"\nread_fraction = 0.0\nrequests = 50000\n')
    found = lifetime(*DAILY, "--workload", file)
    # blocks that are overwritten in order hold nothing when they are collected
    assert found["write_amplification"] < 1.1 < plain["write_amplification"]
    victims = lifetime(*DAILY, *sets(ftl__gc__victim="fifo"))
    assert victims["write_amplification"] > plain["write_amplification"]


SHORT = ("--horizon", "1 d", "--every", "1 d")
"""A horizon that a trace reaches without skipping time."""


def spc(file: Path, step_s: float, kind: str = "w") -> Path:
    """A trace of 1,000 requests."""
    file.write_text(
        "".join(
            f"0,{8 * (number * 7919 % 4_000)},4096,{kind},{number * step_s:.6f}\n"
            for number in range(1_000)
        )
    )
    return file


@effect("lifetime", "--trace", "--compress-time")
def test_a_trace_is_written_again_and_again(tmp_path: Path) -> None:
    trace = spc(tmp_path / "trace.spc", 0.2)
    once, twice = (
        erased(lifetime(*SHORT, "--trace", trace, "--compress-time", factor)) for factor in (1, 2)
    )
    assert once > 5
    assert twice == pytest.approx(2 * once, rel=0.05)


@effect("lifetime", "--time-unit")
def test_a_trace_is_read_in_the_unit_that_is_told(tmp_path: Path) -> None:
    trace = spc(tmp_path / "trace.spc", 0.2)
    usual, slower = (
        erased(lifetime(*SHORT, "--trace", trace, "--time-unit", unit, *more))
        for unit, more in (("s", ()), ("ms", ("--compress-time", 0.001)))
    )
    assert slower == pytest.approx(usual, rel=0.05)


@effect("lifetime", "--format")
def test_a_trace_is_read_as_it_is_told(tmp_path: Path) -> None:
    # sizes are in sectors of 512 bytes, or in pages of 4 KiB
    trace = tmp_path / "trace.txt"
    trace.write_text("".join(f"{400 * number} 0 {64 * number} 8 0\n" for number in range(1_000)))
    small, large = (
        erased(lifetime(*SHORT, "--trace", trace, "--format", name))
        for name in ("disksim", "flashsim")
    )
    # eight times as many pages; garbage collection moves fewer of them
    assert 4 * small < large < 10 * small


@effect("lifetime", "--state", "--resume")
def test_a_study_goes_on_from_its_state(
    plain: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    lifetime(*DAILY, "--state", state)
    assert state.stat().st_size > 1_000
    again = lifetime(*DAILY, "--state", state, "--resume")
    assert again["snapshots"] == plain["snapshots"]
    # it was not done again, and without --resume it is
    seen: list[object] = []
    real = _wordline.lifetime

    def watched(*arguments: Any) -> Any:
        seen.append((arguments[1]["resume"], Path(arguments[1]["state"])))
        return real(*arguments)

    monkeypatch.setattr(_wordline, "lifetime", watched)
    lifetime(*DAILY, "--state", state, "--resume")
    lifetime(*DAILY, "--state", state)
    assert seen == [(True, state), (False, state)]
    state.write_bytes(b"nothing")
    assert "state" in call(*BASE, *DAILY, "--state", state, "--resume", status=2).stderr


@effect("lifetime", "--snapshot-files", "--out")
def test_files_of_a_study(plain: dict[str, Any], tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = call(*BASE, *DAILY, "--every", "5 d", "--out", out, "--snapshot-files", 2)
    names = {path.name for path in out.iterdir()}
    assert names == {
        "report.html",
        "lifetime.json",
        "snapshots.csv",
        "blocks.csv",
        "config.toml",
        "snapshots",
    }
    files = sorted(path.name for path in (out / "snapshots").iterdir())
    assert files == ["000000.parquet", "000002.parquet", "000004.parquet"]
    assert pl.read_csv(out / "blocks.csv")["erase_count"].mean() == pytest.approx(
        erased(plain), rel=0.01
    )
    assert f"report: {out / 'report.html'}" in done.stdout


@effect("lifetime", "--force")
def test_force_replaces_another_study(tmp_path: Path) -> None:
    out = ("--out", tmp_path / "out")
    call(*BASE, *DAILY, *out)
    other = sets(ftl__gc__victim="fifo")
    assert "--force" in call(*BASE, *DAILY, *other, *out, status=2).stderr
    assert 'victim = "greedy"' in (tmp_path / "out/config.toml").read_text()
    call(*BASE, *DAILY, *other, *out, "--force")
    assert 'victim = "fifo"' in (tmp_path / "out/config.toml").read_text()


@pytest.fixture
def mini(only_mini: None, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A small study in the place of those of the literature; the labels of the runs it really does."""
    labels: list[str] = []
    real = PointJob.run

    def counted(job: PointJob, goes_on: Any) -> Any:
        labels.append(job.label)
        return real(job, goes_on)

    monkeypatch.setattr(PointJob, "run", counted)
    return labels


@effect("reproduce", "study", "--out", "--cache")
def test_a_study_leaves_its_chapter_and_its_runs(mini: list[str], tmp_path: Path) -> None:
    places = ("--cache", tmp_path / "kept", "--traces", tmp_path)
    done = call("reproduce", "mini", *places, "--out", tmp_path / "page")
    assert len(mini) == len(list((tmp_path / "kept").iterdir())) == 6
    assert f"chapter: {tmp_path / 'page' / 'mini.md'}" in done.stdout
    text = (tmp_path / "page/mini.md").read_text()
    assert "Response by channels" in text
    assert "two channels are no slower" in done.stdout
    assert "Not run, because the trace is absent (`--traces`)" in done.stdout
    mini.clear()
    call("reproduce", "mini", *places)
    assert mini == []
    call("reproduce", "mini", "--cache", tmp_path / "other", "--traces", tmp_path)
    assert len(mini) == 6


@effect("reproduce", "--kept-only")
def test_kept_only_runs_nothing(mini: list[str], tmp_path: Path) -> None:
    done = call(
        "reproduce", "mini", "--cache", tmp_path / "kept", "--kept-only", "--traces", tmp_path
    )
    assert mini == []
    assert not (tmp_path / "kept").exists() or not list((tmp_path / "kept").iterdir())
    assert "holds:" not in done.stdout


@effect("reproduce", "--quick")
def test_quick_does_fewer_runs(mini: list[str], tmp_path: Path) -> None:
    call("reproduce", "mini", "--cache", tmp_path / "kept", "--quick", "--traces", tmp_path)
    assert 0 < len(mini) < 6


@effect("reproduce", "--traces")
def test_loads_of_a_trace_are_run_where_it_is(mini: list[str], tmp_path: Path) -> None:
    spc(tmp_path / "nothing.spc", 0.002)
    places = ("--cache", tmp_path / "kept", "--traces", tmp_path)
    call("reproduce", "mini", *places)
    assert {label.split(", ")[2] for label in mini} == {"writes", "replay"}


@effect("reproduce", "--figure")
def test_one_figure_of_a_study(
    mini: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = replace(FIGURE, claims=[lambda _: Claim("it is so", "nowhere", "", Verdict(1, 1))])
    two = replace(STUDY, figures={"channels": FIGURE, "other": replace(claim, heading="Other")})
    monkeypatch.setattr("small_study.STUDY", two)
    places = ("--cache", tmp_path / "kept", "--traces", tmp_path, "--quick")
    every, one = (
        call("reproduce", "mini", *places, *options).stdout.splitlines()
        for options in ((), ("--figure", "other"))
    )
    form, _, heading, *_, said, _, total, hint = one
    assert len(every) > len(one)
    assert every[0] == form
    assert heading == "Other"
    # in full where the figure is asked for, in short beside others
    assert said == "holds (quick form): it is so (nowhere): "
    assert "✓ it is so: " in every
    assert total == "Total (quick form): 1 of 1 claims hold outright."
    assert hint == "no files were written; --out DIRECTORY keeps the chapter"
    mini.clear()
    call("reproduce", "mini", *places, "--cache", tmp_path / "more", "--figure", "channels")
    assert {label.split(", ")[0] for label in mini} == {"Channels"}


@effect("reproduce", "--jobs")
@pytest.mark.parametrize("jobs", [1, 2])
def test_jobs_is_how_many_points_run_at_once(
    mini: list[str], jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = AtOnce(_wordline.simulate, jobs)
    monkeypatch.setattr(_wordline, "simulate", counted)
    places = ("--cache", tmp_path / "kept", "--traces", tmp_path)
    call("reproduce", "mini", *places, "--jobs", jobs)
    assert mini
    assert counted.most == jobs


@effect("lifetime", "--all-dies")
def test_every_die_may_be_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    from wordline import studied_part

    monkeypatch.setattr(studied_part, "MOST", 1e4)
    some, every = (lifetime(*DAILY, *option) for option in ((), ("--all-dies",)))
    assert every["simulated"] == "all dies"
    assert every["all_dies"] is True
    assert "since all do the same" in some["simulated"]
    assert erased(some) == pytest.approx(erased(every), rel=0.05)
