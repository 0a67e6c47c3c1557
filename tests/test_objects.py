"""What holds of every public object: it can be pickled, has a short form and a notebook view, errors share a base."""

from __future__ import annotations

import inspect
import multiprocessing
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

import polars as pl
import pytest

import wordline as wl
from wordline import _wordline, studies
from wordline.columns import TABLES
from wordline.config import resolve_named
from wordline.points.engine import Engine
from wordline.points.outcome import Outcome
from wordline.points.point import Point
from wordline.report.section import Figure
from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure, Load, Metric, Variant
from wordline.studies.study import Computed, Form, Part, Study

SMALL = {"requests": 200, "read_fraction": 0.5}
MONTH = 30 * 86_400.0


@cache
def result() -> wl.Result:
    """A small run with every table."""
    tables = {"timeline": True, "attribution": True}
    return wl.simulate(wl.Drive("tiny", output=tables), SMALL, progress=False)


@cache
def life() -> wl.Lifetime:
    """A short lifetime study."""
    asked = wl.LifetimeStudy(horizon=MONTH, every=MONTH / 2)
    return wl.lifetime("tiny", {"read_fraction": 0.0, "requests": 1000}, asked, progress=False)


def own_study() -> Study:
    """A study as a user declares it, with functions that have no name to be found by."""
    scale = 2.0
    figure = GridFigure(
        heading="Channels",
        text="One channel or two.",
        title="Response by channels",
        variants=[
            Variant(f"{count}", "tiny", {"geometry.channels": count}, space=0.5) for count in (1, 2)
        ],
        loads=[Load("writes", {"kind": "random", "read_fraction": 0.0, "requests": 50})],
        metrics=[Metric("response", lambda run: scale * run.summary["x"])],  # type: ignore[operator]
        claims=[
            ordering("it is less", "nowhere", metric="response", of="2", than="1", relation="below")
        ],
        chart=charts.bars,
        baseline="1",
    )
    computed = Computed(lambda quick: Part(f"{scale} {quick}", "Text.", Figure("Title", {}, [])))
    return Study("own", "Title", "Nowhere.", "None.", {"runs": figure, "computed": computed})


OBJECTS: dict[str, Callable[[], object]] = {
    "drive": lambda: wl.Drive("tiny", **{"ftl.gc.victim": "fifo"}),
    "drive of text": lambda: wl.Drive.from_text(result().config),
    "workload": lambda: wl.Workload(**SMALL),
    "result": result,
    "distribution": lambda: result().latency["all"],
    "seeds": lambda: wl.simulate_seeds("tiny", SMALL, seeds=2, progress=False),
    "sweep": lambda: wl.sweep("tiny", SMALL, vary={"geometry.channels": [1]}, progress=False),
    "range": lambda: wl.Range(1, 4, 2),
    "sample": lambda: wl.Sample("sobol", 4),
    "search": lambda: wl.search(
        "tiny",
        SMALL,
        vary={"geometry.channels": [1, 2]},
        minimize="sim.time_s",
        trials=2,
        progress=False,
    ),
    "inference": lambda: wl.infer(
        "tiny",
        SMALL,
        vary={"geometry.channels": [1, 2, 4]},
        targets={"sim.time_s": 0.01},
        points=8,
        progress=False,
    ),
    "comparison": lambda: wl.compare(
        result(), wl.simulate("tiny", SMALL | {"requests": 300}, progress=False)
    ),
    "plots": lambda: result().plot,
    "lifetime": life,
    "replicas": lambda: wl.LifetimeReplicas({1: life()}),
    "cells": lambda: wl.Cells.from_toml("mlc_wu2013", **{"cell.vth.step": 0.3}),
    "cells by page": lambda: wl.Cells.from_toml(
        "mlc_late_life", **{"cell.rber.by_page_type": True}
    ),
    "class of blocks": lambda: wl.Cells.from_toml("mlc_late_life").classes()[0],
    "chip": lambda: wl.Chip.from_toml("b-slc4", **{"bias.vpgm": "17.5 V"}),
    "energy": lambda: wl.Chip.from_toml("b-slc4").erase(),
    "state": lambda: wl.Chip.from_toml("b-slc4").energies()[0],
    "bch": lambda: wl.Bch(4316, 4100, 16),
    "ldpc": lambda: wl.Ldpc(start="needed", thresholds="mutual_information"),
    "page code": lambda: wl.find_codes(1e-3, codewords=[4])[0],
    "retention": lambda: wl.RetentionModel("mlc", heat_heals=True, constants={"oxide": 7e-9}),
    "study": lambda: studies.find("mini"),
    "study of a user": own_study,
    "engine": Engine,
}
"""A maker of each kind of public object."""

pytestmark = pytest.mark.usefixtures("only_mini")


def same(one: object, other: object) -> bool:
    """Whether two objects are the same to a user."""
    return repr(one) == repr(other) and described(one) == described(other)


def described(shown: object) -> object:
    """What an object has beside its short form."""
    match shown:
        case wl.Result():
            tables = [getattr(shown, name).to_dict(as_series=False) for name in TABLES]
            return shown.summary, shown.config, shown.notes, shown.version, tables
        case wl.Lifetime():
            return shown.summary, shown.snapshots.to_dicts(), shown.blocks.to_dicts()
        case wl.Cells() | wl.Chip():
            return shown.toml
        case wl.RetentionModel():
            return shown.retention_curve(3600.0, 40.0, [1e3, 1e4]).tolist()
        case wl.Ldpc():
            return shown.thresholds, shown.read([0.005])["us"].tolist()
        case wl.Drive() | wl.Workload():
            return shown
        case _:
            return None


@pytest.mark.parametrize("make", OBJECTS.values(), ids=OBJECTS)
def test_objects_can_be_pickled(make: Callable[[], object]) -> None:
    made = make()
    again = pickle.loads(pickle.dumps(made))
    assert type(again) is type(made)
    assert same(made, again)


@pytest.mark.parametrize("make", OBJECTS.values(), ids=OBJECTS)
def test_short_forms_are_short(make: Callable[[], object]) -> None:
    shown = repr(make())
    assert len(shown) <= 320
    assert "\n" not in shown
    assert " object at 0x" not in shown


@pytest.mark.parametrize(
    "name",
    [
        *("drive", "workload", "result", "seeds", "comparison", "lifetime", "replicas", "cells"),
        *("cells by page", "chip", "energy", "bch", "ldpc", "retention", "study"),
    ],
)
def test_notebooks_show_a_table(name: str) -> None:
    view = getattr(OBJECTS[name](), "_repr_html_")()  # noqa: B009, the type says nothing of it
    assert "<table" in view
    assert len(view) < 100_000


def retention_of(model: wl.RetentionModel) -> float:
    """What a process of a pool works out."""
    return float(model.retention(1e4, 60.0))


def a_run(load: wl.Workload) -> wl.Result:
    """What a process of a pool simulates."""
    return wl.simulate(wl.Drive("tiny"), load, progress=False)


def test_a_pool_of_processes_takes_and_gives_objects() -> None:
    model = wl.RetentionModel("mlc")
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as pool:
        assert pool.submit(retention_of, model).result() == retention_of(model)
        found = pool.submit(a_run, wl.Workload(**SMALL)).result()
        assert isinstance(found.requests, pl.DataFrame)
        assert found.requests.height == SMALL["requests"]
        failed = pool.submit(wl.Drive, "nosuch").exception()
    assert isinstance(failed, wl.ConfigError)
    assert "nosuch" in str(failed)


def parts_of(study: Study) -> dict[str, Part]:
    """What a process of a pool makes of the figures of a study, as if each run had given the number of its variant."""
    form = Form(quick=True, traces=Path("no-traces-here"))
    return {
        name: figure.part(
            form,
            {
                point: Outcome({"x": float(point.label.split(", ")[1]) ** -1}, {}, {})
                for point in figure.points(form)
            },
        )
        for name, figure in study.figures.items()
    }


def test_a_study_with_closures_works_in_another_process() -> None:
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as pool:
        parts = pool.submit(parts_of, own_study()).result()
    assert parts["computed"].heading == "2.0 True"
    # the response of one channel is 2, that of two channels 1
    (row,) = parts["runs"].figure.rows
    assert (str(row["baseline"]), str(row["2"])) == ("2.000", "0.5000")
    assert [claim.verdict.outright for claim in parts["runs"].claims] == [True]
    figure = own_study().figures["runs"]
    assert pickle.loads(pickle.dumps(figure)).heading == "Channels"


def test_a_point_can_be_pickled_once_it_is_resolved() -> None:
    point = Point("tiny", (("workload.requests", "7"),))
    assert point.resolved.hash == pickle.loads(pickle.dumps(point)).resolved.hash
    resolved = resolve_named("onfi5-tlc")
    assert pickle.loads(pickle.dumps(resolved)).toml == resolved.toml


ERRORS = {
    wl.ClusterError: ConnectionError,
    wl.ConfigError: ValueError,
    wl.TraceError: ValueError,
    wl.RunError: RuntimeError,
    wl.ResultError: ValueError,
    wl.OutputError: OSError,
}


@pytest.mark.parametrize("error", ERRORS)
def test_errors_share_a_base_and_can_be_pickled(error: type[wl.WordlineError]) -> None:
    assert issubclass(error, wl.WordlineError)
    assert issubclass(error, ERRORS[error])
    again = pickle.loads(pickle.dumps(error("what is accepted")))
    assert type(again) is error
    assert str(again) == "what is accepted"


def test_the_engine_raises_those_errors() -> None:
    assert _wordline.ConfigError is wl.ConfigError
    with pytest.raises(wl.WordlineError, match="nosuch"):
        _wordline.resolve("nosuch", False, None, [])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: wl.Drive("onfi5-tcl"), ["onfi5-tcl", "Did you mean `onfi5-tlc`?"]),
        (lambda: wl.Drive("tiny", **{"ftl.gc.vicitm": "fifo"}), ["did you mean `ftl.gc.victim`?"]),
        (lambda: wl.Drive("tiny", ftl={"gc": {"victim": "greddy"}}), ["ftl.gc.victim", "greedy"]),
        (
            lambda: wl.Workload(read_fractoin=0.5),
            ["workload.read_fractoin", "did you mean `workload.read_fraction`?"],
        ),
        (lambda: wl.Workload(kind="rnadom"), ["workload.kind", "random"]),
        (lambda: wl.Workload(requests="many"), ["workload.requests"]),
        (lambda: wl.Workload("nosuch.toml"), ["nosuch.toml"]),
        (lambda: wl.LifetimeStudy(cell="tlc"), ["cell = 'tlc'", "slc, mlc", "tlc_3d"]),
        (lambda: wl.LifetimeStudy(horizon=0.0), ["horizon = 0.0 s", "500 years"]),
        (lambda: wl.LifetimeStudy(temperature=((-1.0, 30.0),)), ["temperature", "500 years"]),
        (lambda: wl.Measured("wirte", 1e-6), ["'wirte'", "program"]),  # type: ignore[arg-type]
        (lambda: wl.Measured("read", 0.0), ["joules = 0.0", "above 0 J"]),
        (lambda: wl.Measured("read", 1e-6, ones=2.0), ["ones = 2.0", "0 to 1"]),
        (lambda: wl.Workload.trace("some.csv", fromat="msr"), ["workload.fromat", "format"]),
    ],
)
def test_what_is_no_description_is_refused_when_it_is_made(
    make: Callable[[], object], words: list[str]
) -> None:
    with pytest.raises(wl.ConfigError) as refused:
        make()
    for word in words:
        assert word in str(refused.value)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: wl.write_amplification("greedy", 0.07, -1, 2), "pages_per_block = -1"),
        (lambda: wl.write_amplification("d_choices", 0.07, 64, -1), "d = -1"),
        (lambda: wl.fleet_life([]), "lives"),
        (lambda: wl.simulate_seeds("tiny", seeds=2.5), "seeds = 2.5"),  # type: ignore[arg-type]
        (lambda: wl.simulate_seeds("tiny", jobs=0, progress=False), "jobs = 0"),
        (lambda: wl.RetentionModel().lasts(100.0, float("nan"), 0.0, 30.0), "threshold = nan"),
        (lambda: wl.RetentionModel().shortest_rest(100.0, 0.0), "threshold = 0"),
        (lambda: wl.RetentionModel(constants={"oxide": 1e-12}), "oxide"),
        (lambda: wl.RetentionModel(11.0), "level_gap"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(wl.ConfigError, match="accepted") as refused:
        call()
    assert words in str(refused.value)


REFUSE = ("raise ConfigError(", "counted(", "mapped(", "_resolve(", "check_workload(")
"""What the text of a function that refuses something holds."""


def refusing() -> Iterator[tuple[str, str]]:
    """Name and documentation of every public function and method that refuses something itself."""
    for name in dir(wl):
        found = getattr(wl, name)
        owner = inspect.getdoc(found) or ""
        members = vars(found).values() if inspect.isclass(found) else [found]
        for member in members:
            function = inspect.unwrap(getattr(member, "__func__", member))
            if not inspect.isfunction(function) or function.__code__.co_filename.startswith("<"):
                continue
            made = function.__name__ == "__init__"
            if function.__name__.startswith("_") and not made:
                continue
            if any(call in inspect.getsource(function) for call in REFUSE):
                yield function.__qualname__, (function.__doc__ or "") + (owner if made else "")


def test_public_functions_that_refuse_say_so() -> None:
    found = dict(refusing())
    assert {"Cells.rber", "Bch.p_max", "find_codes", "Workload.__init__"} <= set(found)
    assert not [name for name, text in found.items() if "Raises:" not in text]
