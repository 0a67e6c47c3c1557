"""Every table has the documented columns and types, whatever the run did and did not do."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest

import wordline as wl
from shared import SMALL, wordline
from wordline.columns import TABLES
from wordline.plotting import Plots
from wordline.report import render

RECORDED = {"output.attribution": True, "output.timeline": True}


def job(folder: Path, options: str) -> dict[str, object]:
    """A workload from a fio job."""
    file = folder / "load.fio"
    file.write_text(f"[load]\nsize=4m\nbs=4k\n{options}\n")
    return {"workload.kind": "fio", "workload.path": str(file)}


WORKLOADS: dict[str, Callable[[Path], dict[str, object]]] = {
    "reads": lambda _: {**SMALL, "workload.read_fraction": 1.0},
    "writes": lambda _: {**SMALL, "workload.read_fraction": 0.0},
    "trims": lambda folder: {**job(folder, "rw=trim")},
    "mixed": lambda _: dict(SMALL),
    "one request": lambda _: {"workload.requests": 1},
    "nothing in the tables": lambda _: {
        "workload.requests": 1,
        "output.request_log": 0,
        "output.block_table": 0,
        "output.attribution": False,
        "output.timeline": False,
    },
    "nothing completed": lambda _: {
        "workload.interarrival": "1 s",
        "workload.arrival": "poisson",
        "workload.duration": "1 ms",
    },
}


@pytest.fixture(params=WORKLOADS)
def load(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, object]:
    """The overrides of a workload."""
    return {**RECORDED, **WORKLOADS[request.param](tmp_path)}


@pytest.mark.slow
def test_python(load: dict[str, object], tmp_path: Path) -> None:
    result = wl.simulate(wl.Drive.from_toml("tiny", **load), progress=False)
    again = wl.load(result.save(tmp_path / "saved"))
    for name, table in TABLES.items():
        frame = getattr(result, name)
        assert frame.schema == table.schema(), name
        assert pl.read_parquet(tmp_path / "saved" / f"{name}.parquet").schema == table.schema()
        assert getattr(again, name).equals(frame), name
    for kind, distribution in result.latency.items():
        assert again.latency[kind].value_us.tolist() == distribution.value_us.tolist()
    assert again.explain() == result.explain()
    assert render(again) == render(result)
    assert result._repr_html_()
    assert wl.compare(result, again).metrics == ()
    for name in vars(Plots):
        if not name.startswith("_"):
            with suppress(ValueError):  # which says that there is nothing to draw, and why
                getattr(result.plot, name)()


@pytest.mark.slow
def test_command_line(load: dict[str, object], tmp_path: Path) -> None:
    settings = [part for key, value in load.items() for part in ("--set", f"{key}={value}".lower())]
    done = wordline("run", "tiny", *settings, "--out", tmp_path / "one")
    assert done.returncode == 0, done.stderr
    counted = wl.load(tmp_path / "one").number("host.requests")
    assert ("no request was completed" in done.stdout) == (counted == 0)
    done = wordline("run", "tiny", *settings, "--seeds", 2, "--out", tmp_path / "seeds")
    assert done.returncode == 0, done.stderr
    page = tmp_path / "page.html"
    done = wordline("compare", tmp_path / "one", tmp_path / "seeds", "--out", page)
    assert done.returncode == 0, done.stderr
    assert page.exists()


def test_a_table_of_other_types_is_refused(saved: Path, tmp_path: Path) -> None:
    result = wl.load(saved)
    old = result.save(tmp_path / "old")
    whole = pl.col("latency_us").cast(pl.Float32)
    result.distribution.with_columns(whole).write_parquet(old / "distribution.parquet")
    assert wl.load(old).distribution.schema == TABLES["distribution"].schema()
    result.blocks.with_columns(pl.lit("x").alias("valid")).write_parquet(old / "blocks.parquet")
    with pytest.raises(wl.ResultError, match="types"):
        _ = wl.load(old).blocks


def test_lifetime_tables(tmp_path: Path) -> None:
    done = wordline(
        *("lifetime", "tiny", "--set", "workload.read_fraction=0", "--writes-per-day", 1),
        *("--horizon", "1 mo", "--fleet", 1, "--out", tmp_path / "life", "--snapshot-files", 1),
    )
    assert done.returncode == 0, done.stderr
    for name in ("snapshots.csv", "blocks.csv"):
        assert pl.read_csv(tmp_path / "life" / name).height > 0


def test_tables_that_are_cut_say_so() -> None:
    keys = {"workload.requests": 100, "output.request_log": 10, "output.block_table": 3}
    result = wl.simulate(wl.Drive.from_toml("tiny", **keys), progress=False)
    assert (result.requests.height, result.blocks.height) == (10, 3)
    told = [note.text for note in result.notes if note.key == "table_truncated"]
    assert told == [
        "The table `requests` holds 10 of 100 rows; `output.request_log` sets the limit.",
        "The table `blocks` holds 3 of 512 rows; `output.block_table` sets the limit.",
    ]
