"""Intervals of means, against values from tables."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordline.statistics import difference, estimate, student_t

# percentage points of Student's t, two-sided, as printed in every table of it
TABLE = [
    (0.95, 1, 12.706),
    (0.95, 2, 4.303),
    (0.95, 4, 2.776),
    (0.95, 9, 2.262),
    (0.95, 30, 2.042),
    (0.95, 120, 1.980),
    (0.95, 1e6, 1.960),
    (0.99, 1, 63.657),
    (0.99, 10, 3.169),
    (0.90, 5, 2.015),
    (0.50, 3, 0.765),
    (0.999, 2, 31.599),
]


@pytest.mark.parametrize(("confidence", "degrees", "t"), TABLE)
def test_percentage_points(confidence: float, degrees: float, t: float) -> None:
    assert student_t(confidence, degrees) == pytest.approx(t, abs=5e-4)


@given(st.floats(0.01, 0.999), st.sampled_from([1.0, 2.0]))
def test_closed_forms_of_one_and_two_degrees(confidence: float, degrees: float) -> None:
    # Cauchy; and t = c / sqrt(2 a (1 - a)) with c = 2 p - 1, a = p (1 - p) for two degrees
    if degrees == 1:
        exact = math.tan(math.pi * confidence / 2)
    else:
        exact = confidence * math.sqrt(2 / (1 - confidence**2))
    assert student_t(confidence, degrees) == pytest.approx(exact, rel=1e-9)


def test_the_interval_of_a_mean() -> None:
    found = estimate([4.0, 5.0, 6.0, 7.0, 8.0])
    assert (found.count, found.mean) == (5, 6.0)
    assert found.deviation == pytest.approx(math.sqrt(2.5))
    assert found.half_width == pytest.approx(2.7764 * math.sqrt(2.5 / 5), abs=1e-4)


def test_one_value_has_no_interval() -> None:
    found = estimate([3.0])
    assert (found.mean, found.deviation, found.half_width) == (3.0, None, None)
    assert difference([3.0], [4.0, 5.0]).half_width is None
    assert difference([3.0], [4.0, 5.0]).is_significant is None


def test_welch_against_a_worked_example() -> None:
    # the second example of the Wikipedia article on Welch's t-test: t = -1.57, 9.9 degrees of freedom
    one = [17.2, 20.9, 22.6, 18.1, 21.7, 21.4, 23.5, 24.2, 14.7, 21.8]
    other = [
        21.5, 22.8, 21.0, 23.0, 21.6, 23.6, 22.5, 20.7, 23.4, 21.8,
        20.7, 21.7, 21.5, 22.5, 23.6, 21.5, 22.5, 23.5, 21.5, 21.8,
    ]  # fmt: skip
    found = difference(one, other)
    error = math.sqrt(statistics.variance(one) / 10 + statistics.variance(other) / 20)
    assert found.mean / error == pytest.approx(1.57, abs=0.01)
    assert found.half_width == pytest.approx(student_t(0.95, 9.9) * error, rel=2e-3)
    assert found.is_significant is False


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=12))
def test_a_sample_does_not_differ_from_itself(sample: list[float]) -> None:
    found = difference(sample, sample)
    assert found.mean == 0
    assert found.is_significant is False


@given(
    st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=8),
    st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=8),
)
def test_differences_are_antisymmetric(one: list[float], other: list[float]) -> None:
    there, back = difference(one, other), difference(other, one)
    assert there.mean == -back.mean
    assert there.half_width == pytest.approx(back.half_width)


def test_equal_values_have_an_interval_without_width() -> None:
    assert estimate([2.0, 2.0, 2.0]).half_width == 0
    assert difference([2.0, 2.0], [3.0, 3.0]).half_width == 0
    assert difference([2.0, 2.0], [3.0, 3.0]).is_significant is True


@pytest.mark.parametrize("confidence", [0.0, 1.0, -1.0, math.nan])
def test_confidence_is_a_probability(confidence: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        student_t(confidence, 3)


@pytest.mark.parametrize("degrees", [0.0, -1.0, math.nan, math.inf])
def test_degrees_are_positive(degrees: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        student_t(0.95, degrees)


def test_empty_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        estimate([])
    with pytest.raises(ValueError, match="at least one"):
        difference([], [1.0])
