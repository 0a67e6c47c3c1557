"""Profiles: the built-in ones, files of one's own, and fits."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

import wordline as wl
from shared import wordline


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten rounds over 200 pages, written in order; one read to three writes."""
    rows = [
        f"{index * 50_000} 0 {index % 200 * 8} 8 {int(index % 4 == 0)}" for index in range(2_000)
    ]
    file = tmp_path_factory.mktemp("traces") / "rounds.ssdsim"
    file.write_text("\n".join(rows) + "\n")
    return file


def test_profiles_are_listed_and_printed() -> None:
    listed = wordline("profiles").stdout
    assert "financial1 " in listed
    assert "msr_hm_0 " in listed
    law = tomllib.loads(wordline("profiles", "msr_hm_0").stdout)
    assert law["writes"]["places"] == 167_301
    assert law["sources"]["writes.places"] == "T"
    refused = wordline("profiles", "financial9")
    assert refused.returncode == 2
    assert "financial9" in refused.stderr


def test_a_surrogate_says_that_it_is_one(tmp_path: Path) -> None:
    workload = wl.Workload(kind="profile", profile="msr_hm_0", requests=300)
    result = wl.simulate("tiny", workload)
    assert result.summary["workload.surrogate"] is True
    assert any("surrogate" in note.text for note in result.notes)
    plain = wl.simulate("tiny", wl.Workload(kind="random", requests=10))
    assert plain.summary["workload.surrogate"] is False
    with pytest.raises(wl.ConfigError, match="financial1"):
        wl.simulate("tiny", wl.Workload(kind="profile", profile="financial9"))


def test_a_printed_profile_is_a_profile_file(tmp_path: Path) -> None:
    file = tmp_path / "law.toml"
    file.write_text(wordline("profiles", "msn").stdout)
    keys = {"kind": "profile", "requests": 500}
    named = wl.simulate("tiny", wl.Workload(profile="msn", **keys))
    filed = wl.simulate("tiny", wl.Workload(profile_file=file, **keys))
    assert named.requests.equals(filed.requests)
    file.write_text("read_fraction = 3\n")
    with pytest.raises((wl.ConfigError, wl.TraceError), match="read_fraction"):
        wl.simulate("tiny", wl.Workload(profile_file=file, **keys))


def test_a_fit_gives_a_profile_that_runs(trace: Path, tmp_path: Path) -> None:
    fit = wl.fit(trace)
    rows = {row["figure"]: row for row in fit.comparison}
    assert rows["requests"]["trace"] == rows["requests"]["surrogate"] == 2_000
    assert rows["reads"]["trace"] == 25
    assert abs(rows["reads"]["difference"]) < 4
    assert rows["mean write"]["surrogate"] == 4096
    assert rows["variation of the gaps"]["surrogate"] < 0.01
    assert rows["sequential writes"]["difference"] == pytest.approx(0, abs=1)
    fit.save(tmp_path / "law.toml")
    law = tomllib.loads((tmp_path / "law.toml").read_text())
    assert law["title"] == "rounds.ssdsim"
    workload = wl.Workload(kind="profile", profile_file=tmp_path / "law.toml", requests=100)
    assert wl.simulate("tiny", workload).summary["host.requests"] == 100


def test_the_command_prints_and_writes(trace: Path, tmp_path: Path) -> None:
    out = tmp_path / "law.toml"
    done = wordline("fit", trace, "--out", out)
    assert done.returncode == 0, done.stderr
    assert "surrogate" in done.stdout
    assert out.read_text() == wl.fit(trace).profile
    found = json.loads(wordline("fit", trace, "--json").stdout)
    assert " ".join(note["text"] for note in found.pop("notes")) == found["trace"]["notes"]
    assert found == wl.fit(trace).as_dict()
    assert wordline("fit", tmp_path / "nowhere.csv").returncode == 2


def test_an_empty_file_is_no_profile(tmp_path: Path) -> None:
    file = tmp_path / "empty.toml"
    file.write_text("# nothing\n")
    with pytest.raises(ValueError, match="sets nothing"):
        wl.simulate("tiny", wl.Workload(kind="profile", profile_file=file))
