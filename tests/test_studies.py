"""The engine of studies: grids, resuming, voids, claims, intervals and pages."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wordline as wl
from conftest import wordline
from wordline.report.section import Figure
from wordline.statistics import Estimate, estimate, geometric_mean, student_t
from wordline.studies import charts, engine
from wordline.studies.chapter import chapter, page
from wordline.studies.claims import RELATIONS, Case, best_inside, finding, ordering, rising
from wordline.studies.engine import Engine
from wordline.studies.grid import BEST, Cell, GridFigure, Load, Metric, Variant
from wordline.studies.measured import Measured, void
from wordline.studies.outcome import Outcome
from wordline.studies.point import Point, overlay
from wordline.studies.store import Store
from wordline.studies.study import Form, Part, Study
from wordline.studies.verdict import Claim, Verdict, tally

NOWHERE = Path("no-traces-here")
FULL = Form(quick=False, traces=NOWHERE)
QUICK = Form(quick=True, traces=NOWHERE)

RESPONSE = Metric("response", "host.all.latency.mean_us")
FRESH: Mapping[str, object] = {"age.method": "fresh"}
WRITES: Mapping[str, object] = {
    "kind": "random",
    "read_fraction": 0.0,
    "requests": 400,
    "queue_depth": 1,
}

FIGURE = GridFigure(
    heading="Channels",
    text="One channel or two.",
    title="Response by channels",
    variants=(
        Variant("two", "tiny", FRESH),
        Variant("one", "tiny", {**FRESH, "geometry.channels": 1}),
    ),
    loads=(
        Load("writes", WRITES, {"requests": 50}),
        Load("replay", {}, trace="nothing.spc"),
    ),
    metrics=(RESPONSE,),
    claims=(
        ordering(
            "two channels are no slower",
            "nowhere",
            metric="response",
            of="two",
            than="one",
            relation="not above",
        ),
    ),
    chart=charts.bars,
    baseline="one",
    observers=("gc_onset", "plane_erases"),
)

STUDY = Study(
    "mini",
    "A small study",
    "No source.",
    "An introduction.",
    {"channels": FIGURE},
    terms={"one, two": "the number of channels"},
)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Labels of the points that are really run."""
    labels: list[str] = []
    real = engine.outcome_of

    def counted(point: Point, goes_on: Callable[[], bool]) -> Outcome:
        labels.append(point.label)
        return real(point, goes_on)

    monkeypatch.setattr(engine, "outcome_of", counted)
    return labels


def an_engine(directory: Path) -> Engine:
    return Engine(Store(directory), jobs=2, progress=False)


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
    assert parts["channels"].remarks == ["Not run, because the trace is absent: replay."]


def test_finished_points_are_not_run_again(tmp_path: Path, runs: list[str]) -> None:
    first = STUDY.run(None, FULL, an_engine(tmp_path))
    runs.clear()
    again = STUDY.run(None, FULL, an_engine(tmp_path))
    assert not runs
    assert chapter(STUDY, first) == chapter(STUDY, again)


def test_an_interrupted_study_goes_on_where_it_was(
    tmp_path: Path, runs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = engine.outcome_of

    def interrupted(point: Point, goes_on: Callable[[], bool]) -> Outcome:
        if len(runs) == 3:
            raise KeyboardInterrupt
        return counted(point, goes_on)

    with monkeypatch.context() as patch:
        patch.setattr(engine, "outcome_of", interrupted)
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
    assert Point(str(file), (), None, label="").key == Point("tiny", (), None, label="").key


def test_the_hash_follows_the_simulator(monkeypatch: pytest.MonkeyPatch) -> None:
    def key() -> str:
        return FIGURE.points(FULL)[0].key

    before = key()
    monkeypatch.setattr("wordline.studies.point.simulator", lambda: "another build")
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
        engine.outcome_of(point, lambda: False)


def outcome(value: float | None, **more: Any) -> Outcome:
    """An outcome with one figure."""
    return Outcome({} if value is None else {"x": value}, more.pop("notes", {}), more)


def measured(
    values: Mapping[str, Mapping[str, Any]], *, aged: bool = False, **changes: Any
) -> Measured:
    """What would have been measured: by load, by variant, an outcome for each seed."""
    variants = list(dict.fromkeys(name for row in values.values() for name in row))
    figure = replace(
        FIGURE,
        variants=[Variant(name, "tiny", aged=aged) for name in variants],
        loads=[Load(name, {}) for name in values],
        metrics=[replace(RESPONSE, name="m", value="x", unit="apples")],
        **{"baseline": variants[0], **changes},
    )
    cells = {
        Cell("", variant, load): {
            seed: each if isinstance(each, Outcome) else outcome(each)
            for seed, each in enumerate(runs, 1)
        }
        for load, row in values.items()
        for variant, runs in row.items()
    }
    return Measured(figure, cells)


def test_ratios_are_taken_seed_by_seed() -> None:
    found = measured({"l": {"a": (2.0, 4.0), "b": (1.0, 4.0)}})
    ratio = found.ratio("m", "", "b", "a", "l")
    assert ratio
    assert (ratio.mean, ratio.half_width) == (0.75, estimate([0.5, 1.0]).half_width)
    assert found.ratio("m", "", "a", "b", "l").mean == pytest.approx(1.5)  # type: ignore[union-attr]
    speed = measured({"l": {"a": (2.0,), "b": (1.0,)}})
    speed.figure = replace(
        speed.figure, metrics=[replace(RESPONSE, name="m", value="x", inverse=True)]
    )
    assert speed.ratio("m", "", "b", "a", "l").mean == 2.0  # type: ignore[union-attr]


def test_a_ratio_to_nothing_is_none() -> None:
    found = measured({"l": {"a": (0.0,), "b": (1.0,)}, "k": {"a": (None,), "b": (1.0,)}})
    assert found.ratio("m", "", "b", "a", "l") is None
    assert found.ratio("m", "", "b", "a", "k") is None


def test_the_best_of_a_panel_can_be_the_baseline() -> None:
    found = measured(
        {"l": {"a": (3.0,), "b": (2.0,)}, "k": {"a": (1.0,), "b": (2.0,)}}, baseline=BEST
    )
    shown = [
        (row["load"], str(row["a"]), str(row["b"]), str(row["baseline"])) for row in found.rows()
    ]
    assert shown == [
        ("l", "1.500", "1.000", "2.000 apples"),
        ("k", "1.000", "2.000", "1.000 apples"),
    ]


@pytest.mark.parametrize(
    ("notes", "onset", "aged", "reason"),
    [
        ({}, None, True, "no collection"),
        ({}, 0.5, True, "late collection"),
        ({}, 0.0, True, ""),
        ({}, None, False, ""),
        ({"overloaded": "..."}, 0.0, True, "overloaded"),
        ({"overloaded": "..."}, None, False, "overloaded"),
    ],
)
def test_what_is_void(notes: dict[str, str], onset: float | None, aged: bool, reason: str) -> None:
    assert void(outcome(1.0, notes=notes, gc_onset=onset), aged=aged) == reason


def test_a_void_point_is_shown_as_such_and_never_averaged_in() -> None:
    good, bad = outcome(1.0, gc_onset=0.1), outcome(100.0, gc_onset=None)
    found = measured({"l": {"a": (good, good), "b": (good, bad)}}, aged=True)
    assert found.value("m", "", "b", "l") is None
    assert found.ratio("m", "", "b", "a", "l") is None
    assert str(found.rows()[0]["b"]) == "void: no collection"
    assert [point["variant"] for point in found.points] == ["a"]
    assert list(found.remarks()) == [
        "Void, and left out of every figure and verdict: 1 of 2 cells (1 for no collection)."
    ]
    claim = ordering("", "", metric="m", of="b", than="a", relation="below")(found)
    assert str(claim.verdict) == "void"


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


def test_an_interval_at_known_values() -> None:
    interval = estimate([1.0, 2.0, 3.0])
    assert interval.mean == 2.0
    # s = 1, t = 4.303, n = 3
    assert interval.half_width == pytest.approx(4.303 / math.sqrt(3), abs=1e-3)
    assert str(interval) == "2.000 ± 2.484"
    assert str(estimate([2.0])) == "2.000"


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40), st.floats(-1e3, 1e3))
def test_intervals_move_with_their_values(values: list[float], by: float) -> None:
    here, there = estimate(values), estimate([value + by for value in values])
    assert here.half_width is not None
    assert there.half_width == pytest.approx(here.half_width, abs=1e-6, rel=1e-6)
    assert there.mean == pytest.approx(here.mean + by, abs=1e-6)
    spread = max(values) - min(values)
    assert 0 <= here.half_width <= student_t(0.95, len(values) - 1) * spread + 1e-9


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=20))
def test_a_geometric_mean_lies_between_and_turns_round(values: list[float]) -> None:
    mean = geometric_mean(values)
    assert mean
    assert min(values) * (1 - 1e-9) <= mean <= max(values) * (1 + 1e-9)
    assert geometric_mean([1 / value for value in values]) == pytest.approx(1 / mean)
    assert geometric_mean([*values, 0.0]) is None


@given(st.lists(st.sampled_from([True, False, None]), max_size=12))
def test_a_verdict_counts_its_cases(cases: list[bool | None]) -> None:
    verdict = Verdict.of_cases(cases)
    assert verdict.held + cases.count(False) + verdict.void == len(cases)
    assert verdict.outright == (True in cases and False not in cases)
    said = str(verdict)
    if set(cases) <= {None}:
        assert said == "void"
        assert not verdict.agrees
    elif verdict.outright:
        assert said.startswith("holds")
        assert " of " not in said
        assert verdict.agrees
    elif True in cases:
        assert said.startswith(f"holds in {verdict.held} of {verdict.of}")
        assert verdict.agrees == (verdict.held >= 0.8 * verdict.of)
    else:
        assert said.startswith("contradicts")
    assert ("void" in said) == (verdict.void > 0 or not verdict.of)


@given(st.floats(0.01, 100), st.floats(0, 0.5))
def test_relations_agree_with_each_other(ratio: float, margin: float) -> None:
    holds = {name: relation(ratio, margin) for name, relation in RELATIONS.items()}
    assert not (holds["below"] and holds["not below"])
    assert not (holds["above"] and holds["not above"])
    assert holds["below"] or holds["not below"]
    assert holds["above"] or holds["not above"]
    if holds["equal to"]:
        assert not (holds["below"] and ratio < 1 - 2 * margin)
    # no margin can make a relation and its opposite fail together
    assert holds["not above"] or holds["not below"]


@pytest.mark.parametrize(
    ("relation", "margin", "said"),
    [
        ("below", 0.0, "holds in 1 of 2"),
        ("below", 0.6, "contradicts"),
        ("not above", 0.5, "holds"),
        ("above", 0.1, "holds in 1 of 2"),
        ("equal to", 0.01, "contradicts"),
    ],
)
def test_an_ordering(relation: str, margin: float, said: str) -> None:
    found = measured({"l": {"a": (2.0,), "b": (1.0,)}, "k": {"a": (2.0,), "b": (3.0,)}})
    claim = ordering(
        "t", "w", metric="m", of="b", than="a", relation=relation, margin=margin, why="reasons"
    )(found)
    assert str(claim.verdict) == said
    assert (claim.why == "reasons") == (not claim.verdict.outright)
    if said.startswith("holds in"):
        assert "; not " in claim.ours
    assert "0.500 (l) to 1.500 (k)" in claim.ours


def test_an_unknown_relation_is_refused() -> None:
    with pytest.raises(ValueError, match="not above"):
        ordering("", "", metric="m", of="a", than="b", relation="less")


def test_rising_and_best_inside() -> None:
    found = measured(
        {
            "up": {"a": (1.0,), "b": (2.0,), "c": (2.0,)},
            "dip": {"a": (2.0,), "b": (1.0,), "c": (3.0,)},
            "gap": {"a": (2.0,), "b": (None,), "c": (3.0,)},
        }
    )
    names = ("a", "b", "c")
    assert rising("", "", metric="m", variants=names)(found).verdict == Verdict(1, 2, 1)
    assert rising("", "", metric="m", variants=names, margin=0.5)(found).verdict == Verdict(2, 2, 1)
    inside = best_inside("", "", metric="m", variants=names)(found)
    assert inside.verdict == Verdict(1, 2, 1)
    assert inside.ours == "m: least at a in 1 of 2 cases, at b in 1 of 2 cases; not up (best at a)"


def test_what_to_know_is_always_said_and_why_not_only_then() -> None:
    assert finding("", "", "", [], why="why", note="note").why == "note"
    claim = Claim("", "", "", Verdict(1, 2))
    assert tally(
        [claim, replace(claim, verdict=Verdict(0)), replace(claim, verdict=Verdict(0, 0))]
    ) == ("0 of 3 claims hold outright, 1 in part, 1 are contradicted, 1 could not be judged")


def test_the_page_of_a_grid(tmp_path: Path) -> None:
    files = chapter(STUDY, STUDY.run(None, QUICK, an_engine(tmp_path)))
    assert set(files) == {"mini.md", "mini-channels.svg"}
    page = files["mini.md"]
    assert "Unfinished" not in page
    for words in (
        "# A small study",
        "# A small study\n\n**1 of 1 claims hold outright.**\n\nNames in the charts and claims:\n\n* **one, two**: the number of channels\n\n![",
        "| ✓ [two channels are no slower](#channels) | response, two over one (ratio): ",
        "{ #channels }",
        '??? success "two channels are no slower"\n\n    The source: nowhere.\n\n    Wordline: response, two over one (ratio): ',
        "    Verdict: **holds**.",
        '??? info "What was simulated, and how claims are judged"\n\n    An introduction.\n',
        '??? note "The numbers of the figure"\n\n    | metric | load | unit | baseline | two | one |\n',
        "Not run, because the trace is absent: replay.",
        "`wordline reproduce mini --figure channels`",
    ):
        assert words in page
    assert files["mini-channels.svg"].startswith("<svg")
    # dark on a dark page
    assert "@media screen and (prefers-color-scheme: dark)" in files["mini-channels.svg"]
    ElementTree.fromstring(files["mini-channels.svg"])


def test_a_chapter_opens_with_its_cover(tmp_path: Path) -> None:
    two = replace(STUDY, figures={"first": FIGURE, "second": FIGURE})
    parts = two.run(None, QUICK, an_engine(tmp_path))
    for study, first in ((two, "first"), (replace(two, cover="second"), "second")):
        pictures = re.findall(r"\]\((mini-.*?)\.svg\)", chapter(study, parts)["mini.md"])
        assert pictures == [f"mini-{first}", "mini-first", "mini-second"]


@pytest.mark.parametrize(
    ("verdict", "mark", "share"),
    [
        (Verdict(3, 3), "✓", "in 3 of 3 cases"),
        (Verdict(1), "✓", "in 1 of 1 case"),
        (Verdict(0), "✗", "in 0 of 1 case"),
        (Verdict(2, 3, 1), "◐", "in 2 of 3 cases"),
        (Verdict(0, 3), "✗", "in 0 of 3 cases"),
        (Verdict(0, 0, 2), "○", "void"),
    ],
)
def test_a_verdict_is_a_mark_and_a_share(verdict: Verdict, mark: str, share: str) -> None:
    assert (verdict.mark, verdict.share) == (mark, share)
    part = Part(
        "Heading", "Text.", Figure("Title", {}, []), [Claim("it is so", "p. 1", "9", verdict)]
    )
    text = "".join(page(STUDY, {"f": part}))
    assert f"| {mark} [it is so](#f) | 9 |" in text
    kind = {"✓": "success", "◐": "warning", "✗": "failure", "○": "question"}[mark]
    assert f'??? {kind} "it is so"' in text


def test_a_claim_has_one_number() -> None:
    found = measured(
        {
            "slow": {"a": (1.0,), "b": (2.0,), "c": (4000.0,)},
            "fast": {"a": (1.0,), "b": (1.0,), "c": (1.0,)},
        }
    )
    names = ("a", "b", "c")
    number = {
        "ordering": ordering("", "", metric="m", of="c", than="a", relation="above"),
        "rising": rising("", "", metric="m", variants=names),
        "best": best_inside("", "", metric="m", variants=names),
    }
    assert {name: judge(found).in_short for name, judge in number.items()} == {
        "ordering": "m, c over a (ratio): 63.246",
        "rising": "m: 1 → 4,000 apples",
        "best": "m: least at a in 2 of 2 cases",
    }
    cases = [Case("x", True), Case("y", False)]
    assert finding("", "", "a long story", cases).in_short == "in 1 of 2 cases"


def test_a_metric_has_the_unit_that_the_summary_declares() -> None:
    known = {name: unit for name, unit, _ in wl._wordline.summary_keys()}
    for key, unit in (
        ("host.all.latency.mean_us", "µs"),
        ("host.bandwidth_mb_s", "MB/s"),
        ("energy.total_mj", "mJ"),
    ):
        assert known[key].replace("us", "µs") == unit
        # what is written beside it does not count
        metric = Metric("m", key, "apples", relative=False)
        assert (metric.unit_of_runs, metric.unit_shown) == (unit, unit)
        assert replace(metric, relative=True).unit_shown == "ratio"
    # counts and shares have none of their own
    assert known["ftl.blocks_erased"] == "1"
    assert Metric("m", "ftl.blocks_erased", "blocks", relative=False).unit_shown == "blocks"
    assert Metric("m", lambda _: 1.0, "blocks", relative=False).unit_shown == "blocks"


def test_axes_and_rows_of_a_figure_have_units() -> None:
    metrics = [
        replace(RESPONSE, name="m", value="x", unit="apples", relative=relative)
        for relative in (True, False)
    ]
    for metric, unit in zip(metrics, ("ratio", "apples"), strict=True):
        assert charts.heading(metric, "") == [f"m ({unit})"]
        assert charts.heading(metric, "SLC") == [f"m ({unit})", "SLC"]
        found = measured({"l": {"a": (2.0,), "b": (1.0,)}})
        found.figure = replace(found.figure, metrics=[metric])
        assert found.rows()[0]["unit"] == unit


def test_a_trace_that_is_gone_is_named(tmp_path: Path) -> None:
    point = Point("tiny", (), tmp_path / "gone", label="here")
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


def test_the_command_says_what_is_accepted(tmp_path: Path) -> None:
    done = wordline("reproduce", "mini")
    assert done.returncode == 2
    assert "mohan-flashpower" in done.stderr
    done = wordline("reproduce", "mohan-flashpower", "--jobs", 0)
    assert done.returncode == 2
