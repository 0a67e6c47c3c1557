"""The engine of studies: grids, what is kept, and what is run again."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from options import call
from shared import wordline
from small_study import FIGURE, FRESH, FULL, QUICK, RESPONSE, STUDY, WRITES, an_engine
from wordline import studies
from wordline.cli.reproduce import study_names
from wordline.points.engine import Engine
from wordline.points.job import Failure, PointJob
from wordline.points.outcome import Outcome
from wordline.points.point import Point, overlay
from wordline.points.store import Store
from wordline.statistics import Estimate
from wordline.studies.chapter import chapter
from wordline.studies.grid import Load, Variant
from wordline.studies.study import Form


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Labels of the points that are really run."""
    labels: list[str] = []
    real = PointJob.run

    def counted(job: PointJob, goes_on: Callable[[], bool]) -> Outcome | Failure:
        labels.append(job.label)
        return real(job, goes_on)

    monkeypatch.setattr(PointJob, "run", counted)
    return labels


def test_a_study_runs_every_seed_of_what_is_drawn(tmp_path: Path, runs: list[str]) -> None:
    parts = STUDY.run(None, FULL, an_engine(tmp_path))
    assert len(runs) == 2 * 3
    assert "Channels, two, writes, seed 3" in runs
    row = parts["channels"].figure.rows[0]
    assert row["load"] == "writes"
    assert isinstance(row["two"], Estimate)
    assert row["two"].count == 3
    assert str(row["one"]) == "1.000 ± 0.000"
    assert parts["channels"].claims[0].verdict.of == 1
    assert parts["channels"].remarks == [
        'Not run, because the trace is absent (`--traces`): replay. "Every load" means the others.'
    ]


def test_finished_points_are_not_run_again(tmp_path: Path, runs: list[str]) -> None:
    first = STUDY.run(None, FULL, an_engine(tmp_path))
    runs.clear()
    again = STUDY.run(None, FULL, an_engine(tmp_path))
    assert not runs
    assert chapter(STUDY, first) == chapter(STUDY, again)


def test_an_interrupted_study_goes_on_where_it_was(
    tmp_path: Path, runs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = PointJob.run

    def interrupted(job: PointJob, goes_on: Callable[[], bool]) -> Outcome | Failure:
        if len(runs) == 3:
            raise KeyboardInterrupt
        return counted(job, goes_on)

    with monkeypatch.context() as patch:
        patch.setattr(PointJob, "run", interrupted)
        with pytest.raises(KeyboardInterrupt):
            STUDY.run(None, FULL, Engine(Store(tmp_path), jobs=1, progress=False))
    done = len(list(tmp_path.iterdir()))
    assert 1 <= done <= 3
    assert all(path.suffix == ".json" for path in tmp_path.iterdir())
    runs.clear()
    STUDY.run(None, FULL, an_engine(tmp_path))
    assert len(runs) == 6 - done


def test_what_is_kept_can_be_looked_at_before_the_end(tmp_path: Path, runs: list[str]) -> None:
    STUDY.run(None, QUICK, an_engine(tmp_path))
    two = replace(FIGURE.variants[0], keys={**FRESH, "timing.t_prog": "1 ms"})
    wider = replace(FIGURE, variants=(*FIGURE.variants, replace(two, name="slow")))
    runs.clear()
    some = replace(an_engine(tmp_path), kept_only=True)
    study = replace(STUDY, figures={"channels": wider})
    parts = study.run(None, QUICK, some)
    part = parts["channels"]
    assert not runs
    assert part.figure.rows[0]["slow"] is None
    assert isinstance(part.figure.rows[0]["two"], Estimate)
    assert part.remarks[0].startswith("**Unfinished**: 2 of 3 runs were done")
    assert "2 of 3 runs were done when this page was written" in chapter(study, parts)["mini.md"]


def test_an_edited_study_runs_what_changed_only(tmp_path: Path, runs: list[str]) -> None:
    STUDY.run(None, FULL, an_engine(tmp_path))
    runs.clear()
    third = Variant("three", "tiny", {**FRESH, "geometry.channels": 3})
    slower = replace(FIGURE.variants[1], keys={**FIGURE.variants[1].keys, "timing.t_prog": "1 ms"})
    # a key with the value that it has anyway changes nothing
    same = replace(FIGURE.variants[0], keys={**FRESH, "geometry.channels": 2})
    edited = replace(FIGURE, variants=(same, slower, third), heading="Another heading")
    replace(STUDY, figures={"channels": edited}).run(None, FULL, an_engine(tmp_path))
    assert sorted(label.split(", ")[1] for label in runs) == ["one"] * 3 + ["three"] * 3


def test_the_hash_follows_the_content_of_a_trace_and_not_its_place(tmp_path: Path) -> None:
    keys = []
    for folder, text in (
        ("a", "0,0,4096,r,0.0\n"),
        ("b", "0,0,4096,r,0.0\n"),
        ("c", "0,8,4096,w,0.0\n"),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "t.spc").write_text(text)
        form = Form(quick=False, traces=tmp_path / folder)
        load = Load("t", {"format": "spc"}, trace="t.spc")
        keys.append(FIGURE.point(Variant("two", "tiny", space=0.5), load, 1, form).key)
    assert keys[0] == keys[1] != keys[2]


def test_the_hash_does_not_follow_the_name_of_the_drive(tmp_path: Path) -> None:
    file = tmp_path / "another name.toml"
    file.write_text('base = "tiny"\n')
    assert Point(str(file), ()).key == Point("tiny", ()).key


def test_the_hash_follows_the_simulator(monkeypatch: pytest.MonkeyPatch) -> None:
    def key() -> str:
        return FIGURE.points(FULL)[0].key

    before = key()
    monkeypatch.setattr("wordline.points.point.simulator", lambda: "another build")
    assert key() != before


def test_a_file_that_cannot_be_read_is_a_point_to_be_run(tmp_path: Path, runs: list[str]) -> None:
    STUDY.run(None, QUICK, an_engine(tmp_path))
    runs.clear()
    for path, text in zip(sorted(tmp_path.iterdir()), ("{", "[]"), strict=True):
        path.write_text(text)
    STUDY.run(None, QUICK, an_engine(tmp_path))
    assert len(runs) == 2


def test_a_trace_is_replayed_into_its_part_of_the_drive(tmp_path: Path) -> None:
    rows = (f"0,{7919 * i % 10**6},4096,{'rw'[i % 2]},{i / 1000}" for i in range(200))
    (tmp_path / "nothing.spc").write_text("\n".join(rows) + "\n")
    folded = replace(FIGURE.loads[1], keys={"fold": "modulo", "format": "spc"})
    quarter = [replace(variant, space="16 MiB") for variant in FIGURE.variants]
    figure = replace(FIGURE, loads=(folded,), variants=quarter)
    form = Form(quick=False, traces=tmp_path)
    points = figure.points(form)
    # nothing is drawn, so one seed will do
    assert len(points) == 2
    outcomes = an_engine(tmp_path / "kept").run(points)
    assert [outcome.summary["host.requests"] for outcome in outcomes.values()] == [200, 200]
    aged = replace(figure, variants=(replace(figure.variants[0], aged=True),), baseline="two")
    assert len(aged.points(form)) == 3


def test_a_point_that_is_refused_says_which_before_anything_runs(
    tmp_path: Path, runs: list[str]
) -> None:
    bad = Variant("odd", "tiny", {"geometry.channels": 0})
    figure = replace(FIGURE, variants=(*FIGURE.variants, bad))
    with pytest.raises(
        wl.ConfigError, match=r"Channels, odd, writes, seed 1: .*geometry\.channels"
    ):
        replace(STUDY, figures={"channels": figure}).run(None, FULL, an_engine(tmp_path))
    assert not runs


def test_points_that_fail_are_named_and_the_others_kept(tmp_path: Path, runs: list[str]) -> None:
    (tmp_path / "nothing.spc").write_text("0,0,4096,r,0.0\nno row at all\n")
    form = Form(quick=False, traces=tmp_path)
    load = replace(FIGURE.loads[1], keys={"format": "spc"})
    figure = replace(FIGURE, loads=(load, FIGURE.loads[0]))
    kept = tmp_path / "kept"
    with pytest.raises((wl.ConfigError, wl.TraceError)) as failure:
        replace(STUDY, figures={"channels": figure}).run(None, form, an_engine(kept))
    assert "Channels, two, replay, seed 1" in str(failure.value)
    assert "Channels, one, replay, seed 1" in str(failure.value)
    assert "nothing.spc" in str(failure.value)
    assert len(list(kept.iterdir())) == 6
    assert len(runs) == 8


def test_a_run_nobody_waits_for_stops() -> None:
    point = Point("tiny", overlay({"workload.requests": 2_000_000}), label="long")
    with pytest.raises(KeyboardInterrupt):
        point.job.run(lambda: False)


def test_collection_of_a_real_run_is_seen(tmp_path: Path) -> None:
    aged = Variant("steady", "tiny", {"age.method": "steady_state"}, aged=True)
    fresh = Variant("fresh", "tiny", {"age.method": "fresh"}, aged=True)
    load = Load("writes", {**WRITES, "requests": 3_000})
    figure = replace(FIGURE, variants=(aged, fresh), loads=(load,), baseline="steady")
    part = figure.part(QUICK, an_engine(tmp_path).run(figure.points(QUICK)))
    assert str(part.figure.rows[0]["fresh"]) == "void: no collection"
    assert isinstance(part.figure.rows[0]["steady"], Estimate)


def test_erases_of_planes_add_up(tmp_path: Path) -> None:
    steady = Variant("steady", "tiny", {"age.method": "steady_state"}, aged=True)
    load = Load("writes", {**WRITES, "requests": 3_000})
    points = replace(FIGURE, variants=(steady,), loads=(load,)).points(QUICK)
    (found,) = an_engine(tmp_path).run(points).values()
    # 2 channels of 2 chips of 1 die of 2 planes
    assert len(found.observed["plane_erases"]) == 8
    erased = found.number("ftl.blocks_erased")
    assert erased
    assert sum(found.observed["plane_erases"]) == erased


def test_a_trace_that_is_gone_is_named(tmp_path: Path) -> None:
    keys = {"workload.kind": "trace", "workload.path": str(tmp_path / "gone")}
    point = Point("tiny", overlay(keys), label="here")
    with pytest.raises(wl.ConfigError, match=r"here: .*gone: cannot be read"):
        point.key  # noqa: B018


def test_the_declaration_of_the_documentation_can_be_run() -> None:
    page = Path(__file__).parents[1] / "docs" / "how-to" / "declare-a-study.md"
    code = page.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    names: dict[str, Any] = {}
    exec(code, names)
    figure = names["FIGURE"]
    for form, points in ((FULL, 6), (QUICK, 2)):
        found = figure.points(form)
        assert len({point.key for point in found}) == points
    assert names["STUDY"].chosen("copy-back") == {"copy-back": figure}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("mni",), "study 'mni': unknown; did you mean `mini`? accepted are mini"),
        (("mini", "--figure", "chanels"), "did you mean `channels`?"),
        (("mini", "--jobs", 0), "--jobs"),
    ],
)
def test_the_command_says_what_is_accepted(
    only_mini: None, arguments: tuple[object, ...], said: str
) -> None:
    assert said in call("reproduce", *arguments, status=2).stderr


def test_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studies, "entry_points", lambda group: [])
    said = call("reproduce", "hu2011", status=2).stderr
    assert said == (
        "error: study 'hu2011': no package of studies is installed; "
        'python -m pip install "wordline[studies]" installs one\n'
    )
    assert study_names() == []


def test_studies_are_those_that_installed_packages_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = tmp_path / "a_package-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: a-package\nVersion: 1\n")
    (about / "entry_points.txt").write_text(
        "[wordline.studies]\nmini = small_study:STUDY\nanother = not_imported:STUDY\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert {"mini", "another"} <= set(study_names())
    assert study_names() == sorted(study_names())
    # of these only the one that is asked for is imported
    assert studies.find("mini") is STUDY
    assert pickle.loads(pickle.dumps(STUDY)) is STUDY
    # another of the same name is pickled whole
    other = replace(STUDY, title="Another")
    assert pickle.loads(pickle.dumps(other)).title == "Another"


def test_a_study_of_the_literature_runs(tmp_path: Path) -> None:
    if "mohan-flashpower" not in studies.offered():
        pytest.skip("the package wordline-studies is not installed: `make dev` installs it")
    done = wordline("reproduce", "mohan-flashpower", "--quick", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "mohan-flashpower-quick.md").read_text(encoding="utf-8")
    assert page.partition("\n# ")[2].partition("\n")[0].endswith(" (quick form)")
    assert "](mohan-flashpower-quick-states.svg)" in page
    assert "Verdict: **holds (quick form)**" in page
    assert done.stdout.startswith("Quick form: fewer and shorter runs.")
    lines = done.stdout.splitlines()
    # findings before the claims, figure by figure, as in the page
    assert lines.index("For a designer") < lines.index("Program states (states)")
    assert sum(line.startswith(("✓ ", "◐ ")) for line in lines) > 10
    assert "](" not in done.stdout


def test_what_is_worked_out_beside_a_run_takes_the_place_of_its_figures() -> None:
    run, other = FIGURE.variants
    twice = replace(run, name="twice", worked_out=lambda _, seen: {"x": 1 + len(seen.summary)})
    figure = replace(
        FIGURE,
        variants=[run, other, twice],
        metrics=[replace(RESPONSE, value="x", relative=False)],
        claims=[],
    )
    points = set(figure.points(QUICK))
    # the run of two channels is needed once
    assert len(points) == 2
    outcomes = {point: Outcome({"x": 7.0, "y": 5.0}, {}, {"gc_onset": 0.1}) for point in points}
    measured = figure.measured(QUICK, outcomes)
    values = {
        variant.name: found.mean
        for variant in figure.variants
        if (found := measured.value("response", "", variant.name, "writes"))
    }
    assert values == {"two": 7.0, "one": 7.0, "twice": 3.0}
    part = figure.part(QUICK, dict.fromkeys(list(points)[:1], next(iter(outcomes.values()))))
    assert (part.runs, part.done) == (2, 1)
