"""Comparisons: what differs, by how much, and whether it may be chance."""

from __future__ import annotations

import json
import re
import shutil
from copy import copy
from pathlib import Path

import pytest

import wordline as wl
from shared import SMALL, small_run, wordline
from wordline import _wordline
from wordline.comparison import (
    NOTES,
    Setting,
    compare,
    equal_figures,
    names_of,
    relative_change,
)
from wordline.seeds import figures
from wordline.terminal.comparisons import print_comparison

# one process runs them all, so that what they look at is made once
pytestmark = pytest.mark.xdist_group("compare")

DEEP = ("--set", "workload.queue_depth=32")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with runs of three seeds each: `shallow` and `deep` queues."""
    place = tmp_path_factory.mktemp("compared")
    for name, options in (("shallow", ()), ("deep", DEEP)):
        done = small_run(*options, "--seeds", 3, "--out", place / name)
        assert done.returncode == 0, done.stderr
    return place


def test_a_result_compared_with_itself_does_not_differ(saved: Path, result: wl.Result) -> None:
    for one in (saved, result):
        found = compare(one, saved)
        assert found.metrics == ()
        assert found.settings == ()
        assert found.same > 100
        # the run is alone, and short
        keys = {note.key for note in found.notes}
        assert keys == {"one_run", "short_of_a_drive_write"}
        assert keys <= NOTES.keys()
    done = wordline("compare", saved, saved)
    assert done.returncode == 0, done.stderr
    assert "the configurations are the same" in done.stdout
    assert "age.method (the same)" in done.stdout
    assert f"{found.same} figures are the same" in done.stdout


def test_differences_are_those_of_the_summaries(results: Path) -> None:
    found = compare(results / "shallow", results / "deep")
    assert [each.name for each in found.contenders] == ["shallow", "deep"]
    assert [(each.key, each.values) for each in found.settings] == [
        ("workload.queue_depth", (8, 32))
    ]
    metric = found.metric("host.all.latency.mean_us")
    assert metric is not None
    runs = [json.loads((results / name / "seeds.json").read_text()) for name in ("shallow", "deep")]
    before, after = (run["metrics"]["host.all.latency.mean_us"]["mean"] for run in runs)
    assert metric.values[0].mean == pytest.approx(before)
    assert metric.differences[0].mean == pytest.approx(after - before)
    assert metric.relative[0] == pytest.approx(after / before - 1)
    assert metric.differences[0].is_significant is True
    assert not any(metric.key.startswith("run.") for metric in found.metrics)


def test_runs_far_below_a_drive_write_are_marked() -> None:
    short, long = (
        wl.simulate(
            wl.Drive.from_toml("tiny", **{"ftl.gc.victim": victim}),
            {"kind": "random", "read_fraction": 0.0, "requests": requests},
            progress=False,
        )
        for victim, requests in (("fifo", 100), ("greedy", 20_000))
    )
    reads = wl.simulate("tiny", {"kind": "random", "read_fraction": 1.0, "requests": 100})
    share, enough = (
        figures(run.summary)["ftl.pages_programmed.host"] / figures(run.summary)["ftl.user_pages"]
        for run in (short, long)
    )
    assert share < 0.5 < enough
    key = "short_of_a_drive_write"
    (told,) = (note for note in compare(long, short).notes if note.key == key)
    assert told.severity == "warning"
    assert told.text.startswith("result (2): the host wrote less than half")
    assert f"least {100 * share:.2g} %" in told.text
    for one, other in ((long, long), (long, reads)):
        assert key not in {note.key for note in compare(one, other).notes}


def test_a_fresh_drive_beside_an_aged_one_is_told() -> None:
    asked = {"requests": 300, "read_fraction": 0.5}
    fresh, aged = (
        wl.simulate(wl.Drive("tiny", **{"age.method": method}), asked, progress=False)
        for method in ("fresh", "steady_state")
    )
    (told,) = (note for note in compare(fresh, aged).notes if note.key == "different_starts")
    assert told.severity == "warning"
    assert told.text.startswith("result (1): the drive began fresh")
    assert "different_starts" not in {note.key for note in compare(aged, aged).notes}
    # and the state is always in the tables
    assert compare(aged, aged).tree()["start"] == {
        "result (1)": "steady_state",
        "result (2)": "steady_state",
    }
    assert "age.method (the same)" in compare(aged, aged).html()


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ((0.15343360000000006, 0.07), ("0.1534", "0.07")),
        ((0.1534336, 0.1534321, None), ("0.153434", "0.153432", "–")),
        ((0.1, 0.100000000001), ("0.1", "0.100000000001")),
        ((True, 3_000_000, "greedy"), ("true", "3,000,000", "greedy")),
    ],
)
def test_settings_have_no_more_digits_than_tell_them_apart(
    values: tuple[object, ...], shown: tuple[str, ...]
) -> None:
    assert Setting("a.key", values).shown == shown


def test_what_is_the_same_comes_after_what_differs(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = compare(results / "shallow", results / "deep")
    print_comparison(found, None)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:3]] == [
        "configuration",
        "workload.queue_depth",
        "age.method",
    ]
    assert found.html().index("workload.queue_depth") < found.html().index("age.method (the same)")


def test_one_figure_is_one(result: wl.Result) -> None:
    lacking = next(key for key, value in result.summary.items() if isinstance(value, float))
    other = copy(result)
    other.__dict__["summary"] = {
        key: result.summary[key] for key in result.summary if key != lacking
    }
    (told,) = (note for note in compare(result, other).notes if note.key == "figures_left_out")
    assert told.text.startswith(
        f"1 figure exists only in some results (`{lacking}`) and cannot be compared"
    )
    assert [equal_figures(count) for count in (1, 1234)] == [
        "1 figure is the same",
        "1,234 figures are the same",
    ]


def test_times_that_a_run_lacks_are_shown_with_a_dash(
    result: wl.Result, capsys: pytest.CaptureFixture[str]
) -> None:
    times = {
        key: value
        for key, value in result.summary.items()
        if key.startswith("attribution.") and isinstance(value, float)
    }
    lacking = [max(times, key=times.__getitem__), min(times, key=times.__getitem__), "sim.window_s"]
    other = copy(result)
    other.__dict__["summary"] = {
        key: result.summary[key] for key in result.summary if key not in lacking
    }
    found = compare(other, result)
    # where the time went comes first, the longest time first of all
    assert [each.key for each in found.lacking] == lacking
    print_comparison(found, None)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    at = lines.index(["times", "that", "only", "some", "have", "result", "(1)", "result", "(2)"])
    stem = lacking[0].removesuffix("_us")
    name, unit, dash, value = lines[at + 1]
    assert (name, dash) == (stem if unit != "µs" else lacking[0], "–")
    assert float(value.replace(",", "")) > 0
    assert all("sim.window_s" not in line for line in lines[at:-1] if len(line) == 4)
    told = {each["key"]: each["values"] for each in found.tree()["only_in_some"]}
    assert told["sim.window_s"]["result (1)"] is None
    assert told["sim.window_s"]["result (2)"]["mean"] == result.summary["sim.window_s"]
    assert "Figures that only some have" in found.html()


def test_the_age_stands_first_however_much_differs(
    result: wl.Result, capsys: pytest.CaptureFixture[str]
) -> None:
    other = copy(result)
    other.__dict__["config"] = _wordline.resolve("client-tlc", False, None, []).toml
    found = compare(result, other)
    assert len(found.settings) > 40
    assert found.settings[0].key != "age.method"
    print_comparison(found, None)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["age.method", "steady_state", "fresh"]


def test_what_changed_most_comes_first_and_chance_last(results: Path) -> None:
    metrics = compare(results / "shallow", results / "deep").metrics
    chances = [metric.is_chance for metric in metrics]
    assert chances == sorted(chances)
    assert True in chances
    sure = [metric.change for metric in metrics if not metric.is_chance]
    assert sure == sorted(sure, reverse=True)
    assert all(0 < change <= 1 for change in sure)


def test_text_names_what_matters(results: Path) -> None:
    done = wordline("compare", results / "shallow", results / "deep")
    assert done.returncode == 0, done.stderr
    for word in ("workload.queue_depth", "throughput", "write latency, p99", "warning: ", "~"):
        assert word in done.stdout
    assert "the workloads differ (`workload.queue_depth`)" in done.stdout


def test_json_holds_everything(results: Path) -> None:
    done = wordline("compare", results / "shallow", results / "deep", "--json")
    told = json.loads(done.stdout)
    assert [each["seeds"] for each in told["contenders"]] == [[1, 2, 3], [1, 2, 3]]
    found = compare(results / "shallow", results / "deep")
    assert [row["key"] for row in told["metrics"]] == [metric.key for metric in found.metrics]
    row = told["metrics"][0]["differences"]["deep"]
    assert set(row) == {"absolute", "half_width", "relative", "significant"}


def test_the_page_needs_nothing_else(results: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = wordline("compare", results / "shallow", results / "deep", "--out", page)
    assert done.returncode == 0, done.stderr
    text = page.read_text(encoding="utf-8")
    assert len(text.encode()) < 5_000_000
    assert not re.search(r"(src|href)=[\"']?http", text)
    assert text.count("<figure>") == text.count('<script type="application/json">') == 7
    for words in ("shallow against deep", "workload.queue_depth", "Where the time went"):
        assert words in text
    assert compare(results / "shallow", results / "deep").html() == text


def test_three_results_at_once(results: Path, saved: Path) -> None:
    found = compare(results / "shallow", results / "deep", saved)
    assert all(len(metric.differences) == 2 for metric in found.metrics)
    assert "one run of small" in " ".join(note.text for note in found.notes)
    assert "small" in found.html()


def test_results_without_attribution_or_requests_have_a_page(result: wl.Result) -> None:
    plain = wl.simulate(wl.Drive.from_toml("tiny", **SMALL))
    found = compare(result, plain)
    assert any("attribution" in note.text for note in found.notes)
    assert "Not all of the runs recorded attribution" in found.html()
    reads = wl.simulate("tiny", {"read_fraction": 1.0, "requests": 300})
    writes = wl.simulate("tiny", {"read_fraction": 0.0, "requests": 300})
    assert "no requests of one class" in compare(reads, writes).html()


def test_results_of_earlier_versions_are_compared_with_a_note(saved: Path, tmp_path: Path) -> None:
    old = tmp_path / "old"
    shutil.copytree(saved, old)
    (old / "remarks.json").unlink()
    (old / "distribution.parquet").unlink()
    (old / "attribution.parquet").unlink()
    found = compare(saved, old)
    assert any(
        note.key == "different_versions" and "old: unknown" in note.text for note in found.notes
    )
    assert "no distributions of them" in found.html()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("summary.json", None, "holds no summary.json"),
        ("summary.json", "{", "damaged"),
        ("summary.json", "[]", "no JSON object"),
        ("summary.json", '{"a": 1}', "not the summary of a run"),
        ("summary.json", '{"host.requests": {"a": 1}}', "not the summary of a run"),
        ("config.toml", None, "holds no config.toml"),
        ("config.toml", "a = ", "damaged"),
        ("remarks.json", '{"notes": [1]}', "damaged"),
        ("remarks.json", '{"notes": 7}', "damaged"),
        ("summary.json", '{"a": ' * 100_000, "nested too deeply"),
        ("remarks.json", "[" * 100_000, "nested too deeply"),
        ("config.toml", "a = " + "[" * 100_000, "nested too deeply"),
        ("requests.parquet", "PAR1 and so on", "is cut off"),
    ],
)
def test_damaged_results_are_named(
    saved: Path, tmp_path: Path, name: str, text: str | None, said: str
) -> None:
    bad = tmp_path / "bad"
    shutil.copytree(saved, bad)
    if text is None:
        (bad / name).unlink()
    else:
        (bad / name).write_text(text)
    done = wordline("compare", saved, bad)
    assert done.returncode == 2
    assert said in done.stderr
    assert str(bad) in done.stderr


def test_what_is_no_result_is_refused(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "seeds").mkdir()
    (tmp_path / "seeds" / "seeds.json").write_text("{}")
    for other, said in (
        (
            tmp_path / "nothing",
            f"there is no such folder; `wordline run DRIVE --out {tmp_path / 'nothing'}` makes it",
        ),
        (saved / "summary.json", "is a file; accepted is the folder that"),
        (tmp_path, "holds no summary.json"),
        (tmp_path / "seeds", "the run of no seed"),
    ):
        done = wordline("compare", saved, other)
        assert done.returncode == 2
        assert said in done.stderr
    done = wordline("compare", saved)
    assert done.returncode == 2
    assert "two results or more" in done.stderr
    done = wordline("compare", saved, saved, "--out", tmp_path / "no" / "page.html")
    assert done.returncode == 2
    assert "cannot be written" in done.stderr


def test_a_saved_result_is_the_same_again(saved: Path, result: wl.Result) -> None:
    again = wl.load(saved)
    assert {k: v for k, v in again.summary.items() if not k.startswith("run.")} == {
        k: v for k, v in result.summary.items() if not k.startswith("run.")
    }
    assert again.notes == result.notes
    assert again.config == result.config
    for table in ("requests", "time_series", "blocks", "attribution", "distribution"):
        assert getattr(again, table).equals(getattr(result, table)), table
    assert (again.latency["read"].value_us == result.latency["read"].value_us).all()


def test_a_damaged_table_is_named_when_it_is_asked_for(saved: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    shutil.copytree(saved, bad)
    (bad / "blocks.parquet").write_bytes(b"PAR1")
    (bad / "requests.parquet").unlink()
    shutil.copy(bad / "attribution.parquet", bad / "time_series.parquet")
    result = wl.load(bad)
    for table, said in (
        ("blocks", "cannot be read"),
        ("requests", "is missing"),
        ("time_series", "has no column start_ns"),
    ):
        with pytest.raises(wl.ResultError, match=f"{table}.parquet: {said}"):
            getattr(result, table)


def test_names_are_as_short_as_tells_them_apart() -> None:
    assert names_of(["/x/a", "/x/b"]) == ["a", "b"]
    assert names_of(["/x/a", "/y/a", "/y/b"]) == ["x/a", "y/a", "b"]
    assert names_of(["/x/a", "/x/a"]) == ["a (1)", "a (2)"]


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (None, "–"),
        (0.123, "+12.3 %"),
        (-0.5, "-50.0 %"),
        (0.0001, "+0.0 %"),
        (29.0, "30 times"),
        (-0.96, "1/25"),
        (-1.0, "-100.0 %"),
    ],
)
def test_relative_changes_read_well(share: float | None, text: str) -> None:
    assert relative_change(share) == text
