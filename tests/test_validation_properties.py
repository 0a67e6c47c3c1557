"""Conditions of any text, intervals of any deviations, and flash of any capacity."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from validation import assemble
from validation.drives import DRIVES
from validation.intervals import ALONE, LEAST, deviations, predict
from validation.loads import later, points
from validation.measured import Measured

NUMBERS = st.integers(min_value=0, max_value=10**7)
TEXTS = (
    "open loop, {} writes/s offered in all",
    "saturated: offered more than it takes, of depth {} each",
    "4 KiB random reads, {} jobs of depth {}, each on its own {} GB",
    "{} GB file",
    "{}k random reads depth {}, whole drive, after sequential and random fill",
    "4 KiB random read, one outstanding over 8 drives, while {} jobs of 4 KiB writes ({} writes/s a drive)",
    "{} random reads of 1.5 kB/s beside {} writes and {} reads of 128 KiB/s (x); 9 GiB used",
    "4 KiB, {} % random reads / 9 % zone appends, depth {}",
    "4 KiB random reads depth {} over x are offered at {} MB/s",
    "4 KiB uniform, depth 128 x 4, x; {}-{} s",
    "maker figure",
)
QUANTITIES = (
    "read latency p50",
    "read IOPS achieved",
    "write IOPS achieved",
    "random read 4 KiB",
    "random write 4 KiB, zipf 0.2, steady",
    "random write 4 KiB, write cliff",
    "share of reads below 9 us",
    "sequential write after cache",
)
CONDITIONS = st.one_of(
    st.text(max_size=80),
    st.builds(
        lambda text, numbers: text.format(*numbers),
        st.sampled_from(TEXTS),
        st.lists(NUMBERS, min_size=3, max_size=3),
    ),
)


@given(
    drive=st.sampled_from(DRIVES),
    rows=st.lists(st.tuples(CONDITIONS, st.sampled_from(QUANTITIES)), max_size=4),
)
def test_any_condition_is_a_load_or_none(drive, rows) -> None:  # type: ignore[no-untyped-def]
    conditions: dict[str, dict[str, Measured]] = {}
    for condition, quantity in rows:
        conditions.setdefault(condition, {})[quantity] = Measured(None, "", "")
    first = points(drive, conditions)
    found = {asked: 50_000.0 for point in first for asked in point.answers}
    for point in first + later(drive, conditions, found):
        # what is answered was asked
        assert all(quantity in conditions[condition] for condition, quantity in point.answers)


RATIOS = st.lists(st.floats(min_value=0.01, max_value=100), min_size=1, max_size=9)


@given(st.dictionaries(st.sampled_from(["one", "other", "third"]), RATIOS, min_size=1))
def test_an_interval_holds_its_value_and_four_in_five(by_drive: dict[str, list[float]]) -> None:
    kind = ("class", "load", "quantity")
    found = deviations({kind: by_drive})[kind]
    prediction = predict(1.0, found)
    assert prediction.low < prediction.value < prediction.high
    assert found.reach >= (LEAST if len(by_drive) > 1 else ALONE)
    if len(by_drive) == 1:
        (values,) = by_drive.values()
        # rounding moves what is at an end
        inside = sum(prediction.low * 0.999 <= each <= prediction.high * 1.001 for each in values)
        assert inside >= 0.8 * len(values)


@given(st.integers(min_value=2**30, max_value=2**50))
def test_flash_is_the_smallest_power_of_two_that_holds_it(user_bytes: int) -> None:
    gibibytes = assemble.flash(user_bytes)
    assert math.log2(gibibytes).is_integer()
    assert gibibytes * 2**30 >= user_bytes * (1 - 1e-12)
    assert gibibytes == 1 or gibibytes * 2**29 < user_bytes
