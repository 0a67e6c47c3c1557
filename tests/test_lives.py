"""Lives side by side: studies that are compared, and several lives in one command."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wordline as wl
from options import AtOnce, call, effect
from report_reader import Page
from shared import refused, wordline
from wordline import lifetimes
from wordline.cli.lives import AskedLife, asked_lives, files_of, pairs_of
from wordline.lives import Life, LivesComparison, compare_lives
from wordline.report import lives as page
from wordline.retention import MONTH, YEAR

DAY = 86_400.0
ASKED = wl.LifetimeStudy(
    cell="mlc", writes_per_day=50, horizon=60 * DAY, every=10 * DAY, required=5 * YEAR
)
"""Lives end between the snapshots at 30 and at 40 days at 30 degC."""
COMMAND = (
    *("lifetime", "tiny", "--horizon", "60 d", "--every", "10 d", "--writes-per-day", "50"),
    *("--require", "5 y", "--cell", "mlc"),
)


@pytest.fixture(scope="module")
def studies() -> dict[str, tuple[wl.Lifetime, wl.LifetimeStudy]]:
    """A drive at 30 and at 55 degC, and with refresh."""
    hot = replace(ASKED, temperature=55.0)
    refreshed = wl.Drive.from_toml("tiny", **{"ftl.refresh.policy": "remaining"})
    return {
        "cool": (wl.lifetime("tiny", asked=ASKED, progress=False), ASKED),
        "hot": (wl.lifetime("tiny", asked=hot, progress=False), hot),
        "refreshed": (wl.lifetime(refreshed, asked=ASKED, progress=False), ASKED),
    }


@pytest.fixture(scope="module")
def kept(
    studies: dict[str, tuple[wl.Lifetime, wl.LifetimeStudy]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """The same, as `--out` keeps them."""
    place = tmp_path_factory.mktemp("lives")
    for name, (found, asked) in studies.items():
        (place / name).mkdir()
        for file, text in files_of(found, asked).items():
            (place / name / file).write_text(text)
    return place


def test_lives_are_those_of_the_studies(
    studies: dict[str, tuple[wl.Lifetime, wl.LifetimeStudy]], kept: Path
) -> None:
    found = compare_lives(kept / "cool", kept / "hot", kept / "refreshed")
    assert [life.name for life in found.lives] == ["cool", "hot", "refreshed"]
    cool, hot, refreshed = found.lives
    assert cool.seconds == studies["cool"][0].summary["life_s"]
    assert hot.seconds == studies["hot"][0].summary["life_s"]
    assert 0 < (hot.seconds or 0) < (cool.seconds or 0)
    # one end of life with and without refresh
    assert refreshed.seconds == studies["refreshed"][0].summary["life_s"]
    rows = {row["life"]: row for row in found.rows}
    base = cool.seconds
    assert base is not None
    assert hot.seconds is not None
    assert rows["hot"]["compared with the first"] == f"{hot.seconds / base:.3g} times"
    assert refreshed.seconds is not None
    assert rows["refreshed"]["compared with the first"] == f"{refreshed.seconds / base:.3g} times"
    assert rows["cool"]["end"] == "a tenth of the blocks keeps data too short"
    assert rows["cool"]["life (months)"] == pytest.approx((cool.seconds or 0) / MONTH)
    amplification = studies["cool"][0].summary["write_amplification"]
    assert rows["cool"]["write amplification"] == amplification
    # from Python the same
    again = compare_lives(*studies.values())
    assert [life.seconds for life in again.lives] == [life.seconds for life in found.lives]


def test_cycles_at_the_end_of_a_life_by_hand(
    studies: dict[str, tuple[wl.Lifetime, wl.LifetimeStudy]], kept: Path
) -> None:
    """Between the snapshots at 30 and 40 days on a straight line."""
    life = Life.load("cool", kept / "cool")
    snapshots = studies["cool"][0].snapshots
    (low,) = snapshots.filter(pl.col("time_s") == 30 * DAY)["erase_count_mean"]
    (high,) = snapshots.filter(pl.col("time_s") == 40 * DAY)["erase_count_mean"]
    assert life.seconds is not None
    share = (life.seconds / DAY - 30) / 10
    assert 0 < share < 1
    assert life.cycles == pytest.approx(low + share * (high - low))


def test_what_was_different(kept: Path) -> None:
    found = compare_lives(kept / "cool", kept / "hot")
    assert [(each.key, each.values) for each in found.settings] == [
        ("temperature_degc", (30.0, 55.0))
    ]
    found = compare_lives(kept / "cool", kept / "refreshed")
    keys = {each.key: each.values for each in found.settings}
    assert keys["ftl.refresh.policy"] == ("none", "remaining")
    assert "temperature_degc" not in keys
    assert not found.notes


def life(name: str, **answer: Any) -> Life:
    """A life with figures of its own."""
    rows = [
        {"time_s": 0.0, "retention_p10_s": 4 * YEAR, "erase_count_mean": 0.0},
        {"time_s": 10 * DAY, "retention_p10_s": 2 * YEAR, "erase_count_mean": 100.0},
    ]
    base: dict[str, Any] = {
        "required_s": YEAR,
        "horizon_s": 10 * DAY,
        "life_s": None,
        "life_error_s": 0.0,
        "write_amplification": 2.0,
        "snapshots": rows,
    }
    return Life(name, base | answer, "seed = 1\n")


def test_the_first_end_counts() -> None:
    slow = life("slow", **{"life_s": 8 * DAY, "samples.life_s": 5 * DAY})
    assert (slow.seconds, slow.end) == (5 * DAY, "responses are too slow")
    assert slow.cycles == pytest.approx(50.0)
    # with refresh the end is the same; data that were lost are told beside it
    lost = life("lost", **{"life_s": 4 * DAY, "refresh.blocks": 3, "refresh.first_lost_s": 2 * DAY})
    assert (lost.seconds, lost.end) == (4 * DAY, "a tenth of the blocks keeps data too short")
    on = life("on", **{"refresh.blocks": 3, "refresh.first_lost_s": 2 * DAY})
    assert (on.seconds, on.end, on.cycles) == (None, "beyond the horizon", 100.0)


def test_notes() -> None:
    def keys(*lives: Life) -> set[str]:
        return {note.key for note in LivesComparison(lives).notes}

    six, seven = life("six", life_s=6 * DAY), life("seven", life_s=7 * DAY)
    assert keys(six, seven) == set()
    assert keys(six, replace(seven, answer={**seven.answer, "life_error_s": 2 * DAY})) == {
        "within_error"
    }
    assert keys(six, life("longer", life_s=6.5 * DAY, required_s=2 * YEAR)) == {
        "different_requirements"
    }
    assert keys(six, life("other", life_s=9 * DAY, writes_per_day=2.0)) == {"different_workloads"}
    assert keys(six, life("long")) == {"beyond_horizon"}


def test_the_page_draws_both_lines_of_every_life(kept: Path, tmp_path: Path) -> None:
    found = compare_lives(kept / "cool", kept / "hot", kept / "refreshed")
    shown = Page(found.html())
    assert shown.heading == "cool against hot, refreshed"
    (figure,) = shown.figures_of("Lives")
    points = figure.points("run", "years")
    assert {point["run"] for point in points} == {"cool", "hot", "refreshed"}
    worn = [rows for rows in figure.spec["datasets"].values() if "cycles" in rows[0]]
    # a study of refresh by what is left stops at its end
    snapshots = sum(len(life.answer["snapshots"]) for life in found.lives)
    assert {len(rows) for rows in worn} == {snapshots, 3}, (
        "snapshots of three lives, and their ends"
    )
    assert found.save(tmp_path / "lives.html").read_text() == found.html()
    assert page.differences(found)[0]["key"] == "temperature_degc"


@effect("compare", "--out")
def test_the_command_compares_kept_studies(kept: Path, tmp_path: Path) -> None:
    file = tmp_path / "lives.html"
    answer = call("compare", kept / "cool", kept / "hot", "--json", "--out", file).json
    assert [each["name"] for each in answer["lives"]] == ["cool", "hot"]
    assert answer["lives"][0]["snapshots"][-1]["time_s"] == 60 * DAY
    assert answer["differences"] == [{"key": "temperature_degc", "cool": 30.0, "hot": 55.0}]
    assert "cool against hot" in file.read_text()
    text = call("compare", kept / "cool", kept / "hot").stdout
    assert "a tenth of the blocks keeps data too short" in " ".join(text.split())
    assert "What was different" in text


@pytest.fixture(scope="module")
def broken(kept: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of a study, to damage."""
    place = tmp_path_factory.mktemp("broken")
    for file in (kept / "cool").iterdir():
        (place / file.name).write_bytes(file.read_bytes())
    return place


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "cannot be read"),
        ("[]", "no table"),
        ("{}", "no required_s"),
        ("null", "no table"),
        ('{"required_s": "1 y"}', "no horizon_s"),
    ],
)
def test_damaged_studies_are_refused(broken: Path, kept: Path, text: str, words: str) -> None:
    (broken / "lifetime.json").write_text(text)
    said = refused("compare", kept / "cool", broken)
    assert words in said
    assert str(broken) in said


@given(
    key=st.sampled_from(["required_s", "horizon_s", "life_s", "write_amplification", "snapshots"]),
    value=st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.integers(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["time_s", "retention_p10_s", "x"]), inner, max_size=3
            )
        ),
        max_leaves=6,
    ),
)
def test_any_value_is_accepted_or_refused(key: str, value: Any) -> None:
    """A value of the JSON is refused by its key, or the life can be told."""
    found = life("any")
    found = replace(found, answer={**found.answer, key: value})
    if is_accepted(found):
        LivesComparison((life("first"), found)).tree()


def is_accepted(found: Life) -> bool:
    """Whether a life can be compared."""
    try:
        found.check()
    except ValueError:
        return False
    return True


def test_other_directories_are_refused(kept: Path, saved: Path, tmp_path: Path) -> None:
    assert "no lifetime study" in refused("compare", kept / "cool", saved)
    (tmp_path / "replicas.json").write_text("{}")
    assert "--replicas" in refused("compare", tmp_path, tmp_path)
    with pytest.raises(wl.ConfigError, match="two"):
        compare_lives(kept / "cool")
    with pytest.raises(wl.ResultError, match=r"lifetime\.json"):
        compare_lives(kept / "cool", tmp_path / "nothing")


@effect("lifetime", "--also")
def test_several_lives_in_one_command(kept: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    also = ("--also", "temperature=55 degC", "--also", "ftl.refresh.policy=remaining")
    answer = call(*COMMAND, *also, "--out", out, "--json").json
    names = [each["name"] for each in answer["lives"]]
    assert names == ["as given", "temperature=55 degC", "ftl.refresh.policy=remaining"]
    places = sorted(path.name for path in out.iterdir() if path.is_dir())
    assert places == ["1-as-given", "2-temperature=55-degC", "3-ftl.refresh.policy=remaining"]
    assert json.loads((out / "lives.json").read_text())["lives"] == answer["lives"]
    assert pl.read_csv(out / "lives.csv").height == 3
    assert "as given against" in (out / "report.html").read_text()
    # each life is that of a study of its own, and is kept as one
    for place, name in zip(places, ("cool", "hot", "refreshed"), strict=True):
        mine, other = (
            {key: value for key, value in json.loads(file.read_text()).items() if key[:4] != "run."}
            for file in (out / place / "lifetime.json", kept / name / "lifetime.json")
        )
        assert mine == other
    found = compare_lives(*(out / place for place in places))
    assert found.tree()["lives"][1]["life_s"] == answer["lives"][1]["life_s"]
    # another configuration does not replace it
    said = refused(*COMMAND, "--set", "seed=7", *also, "--out", out)
    assert "another configuration" in said


def test_jobs_of_several_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    for jobs in (1, 2):
        real = AtOnce(lifetimes.study, 2)
        monkeypatch.setattr(lifetimes, "study", real)
        call(*COMMAND, "--also", "seed=3", "--jobs", jobs)
        assert real.most == jobs
        monkeypatch.undo()


def lives_of(*also: str) -> list[AskedLife]:
    """The lives that a command asks for."""
    return asked_lives(also, "tiny", (), None, ASKED, lambda text: float(text.split()[0]))


def test_what_may_be_different() -> None:
    given_as, other = lives_of(
        "drive=bench; cell=slc; require=2 y; writes-per-day=3; ftl.over_provisioning=0.5"
    )
    assert given_as.asked == ASKED
    assert other.asked == replace(ASKED, cell="slc", required=2 * YEAR, writes_per_day=3.0)
    assert other.resolved.get("ftl.over_provisioning") == 0.5
    assert other.resolved.get("geometry.channels") != given_as.resolved.get("geometry.channels")


@pytest.mark.parametrize(
    ("also", "words"),
    [
        ("", ["--also", "KEY=VALUE", "temperature"]),
        ("refresh", ["--also 'refresh'", "KEY=VALUE"]),
        ("ftl.refresh.polcy=edf", ["--also 'ftl.refresh.polcy=edf'", "polcy", "policy"]),
        ("temperature=warm", ["--also 'temperature=warm'", "warm"]),
        ("writes-per-day=many", ["writes-per-day", "many"]),
        ("cell=tlc", ["--also 'cell=tlc'", "tlc"]),
        ("drive=benhc", ["--also 'drive=benhc'", "bench"]),
        ("temperature=30 degC", ["same life", "as given"]),
    ],
)
def test_bad_also_is_refused(also: str, words: list[str]) -> None:
    said = refused(*COMMAND, "--also", also)
    for word in words:
        assert word in said


@pytest.mark.parametrize("option", ["--replicas", "--state", "--snapshot-files"])
def test_options_that_do_not_go_with_several_lives(option: str, tmp_path: Path) -> None:
    value = tmp_path / "state" if option == "--state" else "2"
    more = ("--out", tmp_path / "out") if option == "--snapshot-files" else ()
    said = refused(*COMMAND, "--also", "seed=3", option, value, *more)
    assert option in said or "--replicas" in said


@given(st.text())
def test_any_text_of_also(text: str) -> None:
    parts = [part for part in text.split(";") if part.strip()]
    if parts and all(part.partition("=")[0].strip() and "=" in part for part in parts):
        assert len(pairs_of(text)) == len(parts)
    else:
        with pytest.raises(wl.ConfigError, match="--also"):
            pairs_of(text)


def test_interrupted_lives_are_kept(tmp_path: Path) -> None:
    """Ctrl-C after the first life: it is whole, and nothing else is written."""
    out = tmp_path / "out"
    # the second life simulates every write of years, which takes hours
    also = ("--also", "writes-per-day=5000; require=1 d")
    command = [sys.executable, "-m", "wordline.cli", *COMMAND, *also, "--exact"]
    process = subprocess.Popen(
        [*map(str, command), "--jobs", "1", "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    first = out / "1-as-given" / "config.toml"
    until = time.monotonic() + 300
    while not first.exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    assert first.exists(), process.communicate()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "1 of 2 lives" in said
    assert [path.name for path in out.iterdir()] == ["1-as-given"]
    assert Life.load("kept", out / "1-as-given").seconds is not None


def test_help_has_an_example() -> None:
    assert "--also" in wordline("lifetime", "--help").stdout
