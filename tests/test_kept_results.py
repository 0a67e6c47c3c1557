"""What studies compute without an engine is kept at once: figures, lifetime studies, accelerations."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from polars.testing import assert_frame_equal

from small_study import FULL, QUICK, STUDY
from wordline.config import Drive
from wordline.lifetimes import CellVariation, LifetimeStudy, TimedSamples
from wordline.points import keeping as keeping_module
from wordline.points.engine import Engine
from wordline.points.keeping import keeping, kept
from wordline.points.store import Store
from wordline.report.section import Figure
from wordline.studies import kept as kept_results
from wordline.studies import study
from wordline.studies.chapter import chapter
from wordline.studies.study import Computed, Part, listed
from wordline.studies.verdict import Claim, Verdict

DAY = 86_400.0
CALLS: list[bool] = []
"""The forms in which `counted_part` was computed."""


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


def counted_part(quick: bool) -> Part:
    """A part with a claim, and with what it was computed for."""
    CALLS.append(quick)
    claim = Claim("it is so", "nowhere", "1", Verdict(1, 1))
    return Part("Counted", f"{quick}", Figure("Title", {"mark": "bar"}, [{"x": 1.5}]), [claim])


def test_a_figure_is_kept_as_it_was_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = replace(STUDY, figures={"counted": Computed(counted_part)})
    engine = Engine(Store(tmp_path), progress=False)
    CALLS.clear()
    first = chapter(found, found.run(None, QUICK, engine))
    again = chapter(found, found.run(None, QUICK, engine))
    assert first == again
    assert CALLS == [True]
    found.run(None, FULL, engine)
    assert CALLS == [True, False]
    # of other code it is another
    monkeypatch.setattr(study, "sources", lambda module: f"edited {module}")
    found.run(None, QUICK, engine)
    assert CALLS == [True, False, True]
    monkeypatch.setattr(study, "sources", lambda _: f"edited {counted_part.__module__}")
    found.run(None, QUICK, engine)
    assert CALLS == [True, False, True]
    assert len(list(tmp_path.iterdir())) == 3


def test_the_code_behind_a_figure_is_that_of_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "studies_of_a_user"
    deep = package / "deep"
    deep.mkdir(parents=True)
    for path in (package / "__init__.py", deep / "__init__.py", deep / "figures.py"):
        path.write_text("")
    (package / "beside.toml").write_text("x = 1\n")
    (package / "notes.txt").write_text("")
    (tmp_path / "alone.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    for module in ("studies_of_a_user.deep.figures", "alone"):
        import_module(module)

    def seen() -> list[str]:
        modules = ("studies_of_a_user.deep.figures", "alone", "wordline.power", "no_such_module")
        return [keeping_module.sources.__wrapped__(module) for module in modules]

    def changed(path: Path) -> list[bool]:
        before = seen()
        path.write_text(path.read_text() + "# edited\n")
        return [one != other for one, other in zip(before, seen(), strict=True)]

    first = seen()
    assert len(set(first)) == 3
    # code of no file is that of Wordline alone
    assert first[2] == first[3]
    assert changed(deep / "figures.py") == [True, False, False, False]
    assert changed(package / "beside.toml") == [True, False, False, False]
    assert changed(package / "notes.txt") == [False] * 4
    assert changed(tmp_path / "alone.py") == [False, True, False, False]


def test_a_figure_of_traces_is_that_of_the_files_that_are_there(tmp_path: Path) -> None:
    assert listed(tmp_path / "absent") == []
    (tmp_path / "one").write_text("1")
    before = listed(tmp_path)
    (tmp_path / "one").write_text("12")
    assert [name for name, *_ in before] == ["one"]
    assert listed(tmp_path) != before


def test_another_version_of_a_library_is_another_source(monkeypatch: pytest.MonkeyPatch) -> None:
    before = keeping_module.sources.__wrapped__("wordline")
    assert keeping_module.installed("numpy")
    assert keeping_module.installed("no-such-library") == ""
    real = keeping_module.installed
    for library in keeping_module.LIBRARIES:
        monkeypatch.setattr(
            keeping_module,
            "installed",
            lambda asked, library=library: "0" if asked == library else real(asked),
        )
        assert keeping_module.sources.__wrapped__("wordline") != before, library
