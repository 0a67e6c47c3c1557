"""A small study of one figure, and measurements made up for its claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from wordline.points.engine import Engine
from wordline.points.outcome import Outcome
from wordline.points.store import Store
from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import Cell, GridFigure, Load, Metric, Variant
from wordline.studies.measured import Measured
from wordline.studies.study import Form, Study

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


def an_engine(directory: Path) -> Engine:
    return Engine(Store(directory), jobs=2, progress=False)


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
