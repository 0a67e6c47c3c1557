"""What studies compute without an engine is kept at once: figures, lifetime studies, accelerations."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from polars.testing import assert_frame_equal

from signalled import stopped
from wordline.config import Drive
from wordline.lifetimes import CellVariation, LifetimeStudy, TimedSamples, lifetime
from wordline.points import keeping as keeping_module
from wordline.points.engine import Engine
from wordline.points.keeping import keeping, kept
from wordline.points.store import Store
from wordline.studies import find, study
from wordline.studies import kept as kept_results
from wordline.studies.chapter import chapter
from wordline.studies.mohan_refresh import common
from wordline.studies.study import Form, listed

DAY = 86_400.0
NOWHERE = Path("no-traces-here")


def computed(store: Store, values: list[Any], on: object = 1) -> object:
    """The next of some values, kept."""
    with keeping(store):
        return kept(on, lambda: values.pop(0), lambda value: value, lambda plain: plain + 0)


def test_a_result_is_computed_once(tmp_path: Path) -> None:
    store = Store(tmp_path)
    values: list[Any] = [np.float64(1.5), 2, 3]
    assert computed(store, values) == 1.5
    assert computed(store, values) == 1.5
    assert computed(store, values, on=np.int64(2)) == 2
    assert values == [3]
    assert len(list(tmp_path.iterdir())) == 2
    # nobody keeps anything
    assert kept(1, lambda: 4, lambda value: value, lambda plain: plain) == 4


@pytest.mark.parametrize("text", ["", "{", '"not ours"', "null", "[]"])
def test_what_cannot_be_read_is_computed_again(tmp_path: Path, text: str) -> None:
    store = Store(tmp_path)
    computed(store, [1])
    (file,) = tmp_path.iterdir()
    file.write_text(text)
    assert computed(store, [2]) == 2
    assert computed(store, [3]) == 2


def test_what_json_does_not_have_is_not_kept(tmp_path: Path) -> None:
    with keeping(Store(tmp_path)):
        found = kept(1, lambda: {1, 2}, lambda value: value, lambda plain: plain)
    assert found == {1, 2}
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("fleet", [False, True])
def test_a_lifetime_study_is_kept_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fleet: bool
) -> None:
    drive = Drive("tiny")
    load = {"kind": "random", "interarrival": "10 ms", "requests": 2_000}
    asked = LifetimeStudy(
        horizon=30 * DAY,
        every=10 * DAY,
        variation=CellVariation(drives=2) if fleet else None,
        samples=None if fleet else TimedSamples(every_snapshots=1, length=10.0),
    )
    with keeping(Store(tmp_path)):
        first = kept_results.kept_lifetime(drive, load, asked)
        monkeypatch.setattr(kept_results, "lifetime", None)
        again = kept_results.kept_lifetime(drive, load, asked)
    for name in ("snapshots", "blocks", "fleet", "samples"):
        one, other = getattr(first, name), getattr(again, name)
        assert (one is None) == (other is None)
        if one is not None:
            assert_frame_equal(one, other, check_exact=True)
    for name in ("summary", "config", "warnings", "fleet_lives", "identity"):
        assert getattr(first, name) == getattr(again, name)


def test_an_acceleration_is_kept_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load = {"kind": "random", "interarrival": "10 ms", "requests": 500}
    with keeping(Store(tmp_path)):
        first = kept_results.kept_acceleration(Drive("tiny"), load, cap=2)
        monkeypatch.setattr(kept_results, "find_acceleration", None)
        again = kept_results.kept_acceleration(Drive("tiny"), load, cap=2)
    assert_frame_equal(first.curve, again.curve, check_exact=True)
    assert (first.factor, first.is_capped) == (again.factor, again.is_capped)


def test_a_figure_is_kept_as_it_was_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, form = find("mohan-flashpower"), Form(quick=True, traces=NOWHERE)
    engine = Engine(Store(tmp_path), progress=False)
    first = chapter(found, found.run("states", form, engine))
    assert len(list(tmp_path.iterdir())) == 1
    again = chapter(found, found.run("states", form, engine))
    assert first == again
    assert len(list(tmp_path.iterdir())) == 1
    # of other code it is another
    monkeypatch.setattr(study, "sources", lambda: "edited")
    found.run("states", form, engine)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_figure_of_traces_is_that_of_the_files_that_are_there(tmp_path: Path) -> None:
    assert listed(tmp_path / "absent") == []
    (tmp_path / "one").write_text("1")
    before = listed(tmp_path)
    (tmp_path / "one").write_text("12")
    assert [name for name, *_ in before] == ["one"]
    assert listed(tmp_path) != before


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
    form = Form(quick=True, traces=NOWHERE)
    find("mohan-refresh").run("lives", form, Engine(Store(cache), progress=False))
    common.study.cache_clear()
    # each study and the figure has a file
    assert len(studied) + before + 1 == kept_in()
    assert studied, "it was interrupted before its end"


def test_another_version_of_a_library_is_another_source(monkeypatch: pytest.MonkeyPatch) -> None:
    before = keeping_module.sources.__wrapped__()
    assert keeping_module.installed("numpy")
    assert keeping_module.installed("no-such-library") == ""
    real = keeping_module.installed
    for library in keeping_module.LIBRARIES:
        monkeypatch.setattr(
            keeping_module,
            "installed",
            lambda asked, library=library: "0" if asked == library else real(asked),
        )
        assert keeping_module.sources.__wrapped__() != before, library
