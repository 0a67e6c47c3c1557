"""What is measured in a study, and how its claims are judged."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wordline as wl
from small_study import RESPONSE, measured, outcome
from wordline.statistics import Interval, estimate, geometric_mean, student_t
from wordline.studies.chapter import source_of
from wordline.studies.claims import (
    RELATIONS,
    Case,
    best_inside,
    decided,
    finding,
    ordering,
    rising,
)
from wordline.studies.grid import BEST, Metric
from wordline.studies.measured import void
from wordline.studies.verdict import Claim, Verdict, tally


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
        assert said.startswith("contradicted")
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
        ("below", 0.6, "contradicted"),
        ("not above", 0.5, "holds"),
        ("above", 0.1, "holds in 1 of 2"),
        ("equal to", 0.01, "contradicted"),
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


@pytest.mark.parametrize(
    ("relation", "of_l", "of_k", "said"),
    [
        ("below", 0.995, 0.992, "holds (no difference beyond 1 %)"),
        ("below", 0.5, 0.992, "holds (no difference beyond 1 % in 1 of 2 cases)"),
        ("not above", 0.5, 1.0, "holds"),
        ("below", 0.995, 1.5, "holds in 1 of 2 (no difference beyond 1 %)"),
        ("below", 0.5, 1.005, "holds in 1 of 2"),
        ("equal to", 1.0, 1.0, "holds"),
        ("below", 0.98, 0.9, "holds"),
    ],
)
def test_a_claim_that_holds_by_next_to_nothing_says_so(
    relation: str, of_l: float, of_k: float, said: str
) -> None:
    found = measured({"l": {"a": (1.0,), "b": (of_l,)}, "k": {"a": (1.0,), "b": (of_k,)}})
    claim = ordering("t", "w", metric="m", of="b", than="a", relation=relation)(found)
    assert str(claim.verdict) == said
    assert ("no difference beyond 1 %" in claim.in_short) == ("no difference" in said)
    slight = (
        " (1 of them without a difference beyond 1 %)"
        if said.startswith("holds (no difference beyond 1 %)")
        else ""
    )
    if claim.verdict.outright:
        assert tally([claim]) == f"1 of 1 claims hold outright{slight}"


def test_what_stays_where_it_is_rises_by_no_difference() -> None:
    found = measured({"l": {"a": (1.0,), "b": (1.001,), "c": (1.005,)}})
    claim = rising("", "", metric="m", variants=("a", "b", "c"))(found)
    assert str(claim.verdict) == "holds (no difference beyond 1 %)"


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


@pytest.mark.parametrize(
    ("relation", "margin", "values", "certain"),
    [
        # the ratios are 0.9, 1.0 and 1.1: 1 ± 0.25
        ("not above", 0.0, (0.9, 1.0, 1.1), False),
        ("not above", 0.3, (0.9, 1.0, 1.1), True),
        ("equal to", 0.3, (0.9, 1.0, 1.1), True),
        ("equal to", 0.2, (0.9, 1.0, 1.1), False),
        # 1.1 ± 0.25: neither the mean nor the ends are near 1, which lies between them
        ("equal to", 0.05, (1.0, 1.1, 1.2), False),
        ("above", 0.0, (1.4, 1.5, 1.6), True),
        ("below", 0.0, (1.4, 1.5, 1.6), True),
        # one seed has no interval
        ("above", 0.0, (1.001,), True),
    ],
)
def test_a_case_is_uncertain_where_its_interval_allows_both_verdicts(
    relation: str, margin: float, values: tuple[float, ...], certain: bool
) -> None:
    found = measured({"l": {"a": (1.0,) * len(values), "b": values}})
    claim = ordering("", "", metric="m", of="b", than="a", relation=relation, margin=margin)(found)
    assert claim.verdict.uncertain == int(not certain)
    for said in (claim.ours, claim.in_short, str(claim.verdict)):
        assert ("uncertain" in said) == (not certain), said
    assert ("1 of 1 uncertain" in claim.in_short) == (not certain)
    held = str(tally([claim]))
    assert ("(1 of them with uncertain cases)" in held) == (claim.verdict.outright and not certain)


def test_steps_and_minima_within_their_intervals_are_uncertain() -> None:
    found = measured(
        {
            # from a to b, each seed rises by a tenth: 0.2 of it from b to c, give or take more than that
            "clear": {"a": (1.0, 2.0, 3.0), "b": (1.1, 2.2, 3.3), "c": (1.3, 2.6, 3.9)},
            "noisy": {"a": (1.0, 1.0, 1.0), "b": (1.1, 1.1, 1.1), "c": (1.0, 1.2, 1.4)},
        }
    )
    names = ("a", "b", "c")
    claim = rising("", "", metric="m", variants=names)(found)
    assert (claim.verdict, "noisy (" in claim.ours) == (Verdict(2, 2, 0, 1), True)
    valleys = measured(
        {
            "clear": {"a": (2.0, 4.0, 6.0), "b": (1.0, 2.0, 3.0), "c": (2.1, 4.2, 6.3)},
            "noisy": {"a": (1.2, 1.2, 1.2), "b": (1.0, 1.1, 1.2), "c": (2.0, 2.0, 2.0)},
        }
    )
    claim = best_inside("", "", metric="m", variants=names)(valleys)
    assert claim.verdict == Verdict(2, 2, 0, 1)


def test_every_combination_of_ends_is_looked_at() -> None:
    one, other = Interval(3.0, 0.5), Interval(2.0, 0.4)
    assert decided(lambda first, second: first > second, one, other)
    assert not decided(lambda first, second: first > second, one, Interval(2.0, 0.6))
    assert decided(lambda first, second: first > second, Interval(3.0, None), Interval(2.9, None))


def test_what_to_know_is_always_said_and_why_not_only_then() -> None:
    assert finding("", "", "", [], why="why", note="note").why == "note"
    claim = Claim("", "", "", Verdict(1, 2))
    assert tally(
        [claim, replace(claim, verdict=Verdict(0)), replace(claim, verdict=Verdict(0, 0))]
    ) == ("0 of 3 claims hold outright, 1 in part, 1 is contradicted, 1 was not judged")


def test_claims_of_our_own_are_counted_apart() -> None:
    theirs = Claim("", "section 2", "", Verdict(1, 1))
    ours = Claim("", "beyond the source", "", Verdict(0, 2, 0, 1))
    assert (theirs.is_own, ours.is_own) == (False, True)
    assert tally([theirs, ours, ours]) == (
        "1 of 1 claims of the source hold outright; 0 of 2 claims of our own hold outright, 2 are contradicted"
    )
    assert tally([ours]) == "0 of 1 claims of our own hold outright, 1 is contradicted"
    reasoned = replace(ours, where="our own: a zone has one entry")
    assert reasoned.is_own
    assert source_of(reasoned, "") == "The claim is our own: a zone has one entry"
    assert source_of(ours, "") == "The claim is our own"
    assert source_of(theirs, "the paper") == "The source: the paper, section 2"
    assert tally([]) == "0 of 0 claims hold outright"


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
        "ordering": "in 1 of 2 cases; m, c over a (ratio): 63.246",
        "rising": "m: 1 → 4,000 apples; no difference beyond 1 % in 1 of 2 cases",
        "best": "m: least at a in 2 of 2 cases",
    }
    cases = [Case("x", True), Case("y", False)]
    assert finding("", "", "a long story", cases).in_short == "in 1 of 2 cases"
    assert finding("", "", "idle time: x 1; y 2", cases).in_short == "idle time: in 1 of 2 cases"


def test_a_metric_has_the_unit_that_the_summary_declares() -> None:
    known = {name: unit for name, unit, _ in wl._wordline.summary_keys()}
    for key, unit in (
        ("host.all.latency.mean_us", "µs"),
        ("host.bandwidth_mb_s", "MB/s"),
        ("energy.total_mj", "mJ"),
    ):
        assert known[key] == unit
        # what is written beside it does not count
        metric = Metric("m", key, "apples", relative=False)
        assert (metric.unit_of_runs, metric.unit_shown) == (unit, unit)
        assert replace(metric, relative=True).unit_shown == "ratio"
    # counts and shares have none of their own
    assert known["ftl.blocks_erased"] == "1"
    assert Metric("m", "ftl.blocks_erased", "blocks", relative=False).unit_shown == "blocks"
    assert Metric("m", lambda _: 1.0, "blocks", relative=False).unit_shown == "blocks"
