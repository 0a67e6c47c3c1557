"""What the study of refresh computes beside lifetime studies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from wordline.studies.mohan_refresh.blocks import modes
from wordline.studies.mohan_refresh.common import SERVERS, falling
from wordline.studies.mohan_refresh.endings import RESTS, curves, two_short_rests
from wordline.studies.mohan_refresh.estimate import FAMILIES, cross_validated
from wordline.studies.mohan_refresh.excerpts import excerpts
from wordline.studies.study import Form


def test_one_and_two_modes_are_told_apart() -> None:
    random = np.random.default_rng(1)
    one = random.normal(100.0, 5.0, 512)
    two = np.concatenate([random.normal(90.0, 2.0, 256), random.normal(110.0, 2.0, 256)])
    assert (modes(one), modes(two)) == (1, 2)


@pytest.mark.parametrize("name", list(FAMILIES))
def test_a_family_finds_a_surface_of_its_own(name: str) -> None:
    t, i = (axis.ravel() for axis in np.meshgrid(np.arange(1.0, 25.0), np.arange(1.0, 6.0)))
    surfaces = {
        "a + b ln t + c ln i": 9.0 - 2.0 * np.log(t) - np.log(i),
        "a t^b i^c": 7.0 * t**-0.5 * i**-0.8,
        "a exp(-b t i) + c": 5.0 * np.exp(-0.05 * t * i) + 1.0,
        "quadratic in ln t, ln i": 20.0 - np.log(t) ** 2 + 0.3 * np.log(t) * np.log(i),
    }
    assert cross_validated(FAMILIES[name], t, i, surfaces[name]) < 0.01
    assert cross_validated(FAMILIES["a t^b i^c"], t, i, surfaces["a exp(-b t i) + c"]) > 0.02


def test_loads_write_as_often_as_their_table_says() -> None:
    exchange = SERVERS["SSD-EXCH"]
    # 63.3 requests a second, 69 % of them writes of 14.5 KiB, four times as fast, over 57.6 GiB
    assert exchange.writes_per_day == pytest.approx(
        63.33 * 0.6894 * 14.5 * 4 * 86_400 / (57.6 * 2**20), rel=1e-3
    )
    assert falling([3.0, 2.0, 2.0])
    assert not falling([1.0, 2.0])


def test_short_rests_cost_a_worn_block_its_retention() -> None:
    # what the page says of a wear of 21,200 equivalent events
    assert two_short_rests(21_200) == pytest.approx(1.24, abs=0.01)
    rows = [row for row in curves() if row["wear"] == 21_000]
    days = [float(str(row["days"])) for row in rows]
    assert len(days) == len(RESTS)
    assert falling(days[::-1])
    assert days[-1] > 20 * days[0]


def test_absent_excerpts_are_named(tmp_path: Path) -> None:
    part = excerpts(Form(quick=True, traces=tmp_path))
    assert not part.claims
    assert all(name in part.remarks[0] for name in SERVERS)
