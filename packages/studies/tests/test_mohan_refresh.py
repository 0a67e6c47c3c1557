"""What the study of refresh computes beside lifetime studies."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from signalled import stopped
from wordline.lifetimes import lifetime
from wordline.points.engine import Engine
from wordline.points.store import Store
from wordline.studies import find
from wordline.studies import kept as kept_results
from wordline.studies.study import Form
from wordline_studies.mohan_refresh import common
from wordline_studies.mohan_refresh.blocks import modes
from wordline_studies.mohan_refresh.common import SERVERS, falling
from wordline_studies.mohan_refresh.endings import RESTS, curves, two_short_rests
from wordline_studies.mohan_refresh.estimate import FAMILIES, cross_validated, moments
from wordline_studies.mohan_refresh.excerpts import excerpts
from wordline_studies.mohan_refresh.response import lasting


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


def test_mean_and_deviation_follow_from_a_normal_law() -> None:
    law = {
        f"retention_p{at}_s": common.MONTH * (20 + 3 * distance)
        for at, distance in ((10, -1.2816), (50, 0.0), (90, 1.2816))
    }
    mean, deviation = moments(law)
    assert mean == pytest.approx(20)
    assert deviation == pytest.approx(3)


def test_blocks_differ_by_what_is_suggested_times_a_factor() -> None:
    assert common.inside(0.0) is None
    half = common.inside(0.5)
    assert half is not None
    assert (half.traps, half.leak, half.gap) == (0.025, 0.05, 0.005)
    assert common.load_of(SERVERS["SSD-EXCH"])["region"] == 0.7
    assert "region" not in common.load_of(SERVERS["SSD-EXCH"], cold=0.0)


def test_every_load_and_requirement_has_its_response() -> None:
    """Two slow samples in a row end a drive, one does not."""
    assert lasting([(1.0, 1.0), (2.0, 3.5), (3.0, 1.0), (4.0, 3.0), (5.0, 9.0)], 3.0) == [4.0]
    assert list(common.of(quick=False)) == list(SERVERS)
    assert list(common.required(quick=False)) == ["1 year", "6 months", "3 months", "1 month"]


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


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends signals to a process")
def test_an_interrupted_study_of_years_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"

    def kept_in() -> int:
        """Results that are whole: the signal may strike while the next one is written."""
        return len(list(cache.glob("*.json")))

    done = stopped(
        *("reproduce", "mohan-refresh", "--figure", "lives", "--quick", "--cache", cache),
        folder=tmp_path,
        number=signal.SIGINT,
        when=lambda _: kept_in() >= 2,
        after=0.0,
    )
    assert done.returncode == 130, done.stderr
    assert "finished runs are kept" in done.stderr
    before = kept_in()
    studied: list[Any] = []

    def counted(*arguments: Any, **more: Any) -> Any:
        studied.append(arguments)
        return lifetime(*arguments, **more)

    monkeypatch.setattr(kept_results, "lifetime", counted)
    common.study.cache_clear()
    form = Form(quick=True, traces=tmp_path)
    find("mohan-refresh").run("lives", form, Engine(Store(cache), progress=False))
    common.study.cache_clear()
    # each study and the figure has a file
    assert len(studied) + before + 1 == kept_in()
    assert studied, "it was interrupted before its end"
