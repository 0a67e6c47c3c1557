"""The study of DiffECC: its drives meet their error target, its loads, its judges, and its closed form."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from wordline.ecc import published_codes
from wordline.points.outcome import Outcome
from wordline.simulation import configuration
from wordline.studies import find
from wordline.studies.grid import Cell, GridFigure
from wordline.studies.measured import Measured
from wordline.studies.wu2013_diffecc.closed import expected
from wordline.studies.wu2013_diffecc.codes import TARGET, read_us, step_times
from wordline.studies.wu2013_diffecc.drives import BASELINE, QUEUE
from wordline.studies.wu2013_diffecc.judges import along_panels, at_least, extreme, least_of_bound
from wordline.studies.wu2013_diffecc.loads import TRACES, inferred

STUDY = find("wu2013-diffecc")


def described(preset: str) -> dict[str, Any]:
    """The complete configuration of a preset."""
    return tomllib.loads(configuration(preset, None).toml)


def grid(name: str) -> GridFigure:
    figure = STUDY.figures[name]
    assert isinstance(figure, GridFigure)
    return figure


def test_every_mode_of_the_preset_meets_the_target() -> None:
    """At the step of its programs, the worse page of the cells fails at most once in 10^15 codewords."""
    config = described(BASELINE)
    cells = wl.Cells.from_toml(
        "mlc_wu2013", **{"cell.vth.sigma_programmed": config["cell"]["vth"]["sigma_programmed"]}
    )
    codes = published_codes()
    found = [("500 us", config["cell"]["vth"]["step"], config["ecc"]["bch"])]
    found += [(mode["t_prog"], mode["step"], mode["bch"]) for mode in config["modes"]]
    for (_, step, bch), (count, code) in zip(found, codes.items(), strict=True):
        assert (bch["n"], bch["k"]) == (code.n, code.k)
        rate = cells.rates(step, cells.sigma)["worst_page"]
        # the printed deviation has six digits, which is 1e-5 of the rate
        assert rate <= code.p_max(TARGET) * (1 + 1e-4), count


def test_program_times_follow_from_the_codes() -> None:
    times = {count: round(time, 1) for count, (_, time) in step_times().items()}
    assert times == {1: 500.0, 2: 538.2, 4: 611.5, 8: 766.1}


@pytest.mark.parametrize(
    ("codewords", "wanted", "us"),
    [(1, 1, 107.16), (2, 1, 67.19), (2, 2, 88.90), (4, 1, 46.49), (8, 1, 35.90), (8, 8, 76.36)],
)
def test_reads_by_equation(codewords: int, wanted: int, us: float) -> None:
    assert read_us(codewords, wanted) == pytest.approx(us, abs=0.006)


def test_equation_2_1_by_hand() -> None:
    """Three quarters of the reads find one codeword; of eight, 1, 2, 4 or 8 are read: 25 + 5.12 + 3.75 * 5.78 us in the mean."""
    shares = {"modes.normal.host_read_share": 0.75, "modes.n8.host_read_share": 0.25}
    slow = 25 + 5.12 + 3.75 * 5.78
    assert expected(Outcome(shares, {}, {})) == pytest.approx(0.75 * 107.16 + 0.25 * slow)
    assert expected(Outcome({}, {}, {})) is None


def test_waiting_writes_by_little() -> None:
    """1,000 writes a second that take 2 ms each are 2 at a time."""
    summary = {"host.write.iops": 1000.0, "host.write.latency.mean_us": 2000.0}
    assert QUEUE.of(Outcome(summary, {}, {})) == pytest.approx(2.0)


def test_loads_are_those_that_were_inferred() -> None:
    found = inferred()
    assert list(found) == list(TRACES)
    for name, trace in TRACES.items():
        assert abs(found[name]["idle_share"] - trace.idle) < 0.03
    loads = {load.name: load.keys for load in grid("diffecc").loads}
    assert loads["F1 surrogate"]["compress_time"] == found["F1"]["compress_time"]


def measured(name: str, values: Mapping[Cell, Mapping[str, float]]) -> Measured:
    """A figure of one seed whose summaries are given."""
    outcomes = {
        cell: {1: Outcome(summary, {}, {"gc_onset": 0.0})} for cell, summary in values.items()
    }
    return Measured(grid(name), outcomes)


def test_judges_by_hand() -> None:
    slow = {"DAP": 0.5, "F1": 0.3, "MSN": 0.1}
    found = measured(
        "bound",
        {
            Cell("64 MB", "always slow", f"{load} surrogate"): {"modes.n8.host_read_share": share}
            for load, share in slow.items()
        },
    )
    metric = "reads of slow pages"
    for load, highest, holds in [("DAP", True, 1), ("F1", True, 0), ("MSN", False, 1)]:
        judge = extreme(
            "T", "W", metric=metric, of="always slow", load=f"{load} surrogate", highest=highest
        )
        assert judge(found).verdict.held == holds
    judge = at_least(
        "T",
        "W",
        metric=metric,
        of="always slow",
        limit=0.2,
        loads=["DAP surrogate", "MSN surrogate"],
    )
    assert (judge(found).verdict.held, judge(found).verdict.of) == (1, 2)

    read = "host.read.latency.mean_us"
    table = {  # baseline, DiffECC, always slow by buffer
        "F1": {"32 MB": (100, 90, 50), "64 MB": (100, 80, 50), "128 MB": (100, 70, 50)},
        "F2": {"32 MB": (100, 99, 50), "64 MB": (100, 98, 50), "128 MB": (100, 99, 50)},
        "DAP": {"32 MB": (100, 94, 60), "64 MB": (100, 90, 60), "128 MB": (100, 85, 60)},
    }
    names = ("baseline", "DiffECC", "always slow")
    found = measured(
        "diffecc",
        {
            Cell(panel, name, f"{load} surrogate"): {read: float(value)}
            for load, panels in table.items()
            for panel, values in panels.items()
            for name, value in zip(names, values, strict=True)
        },
    )
    judge = along_panels(
        "T",
        "W",
        metric="read latency",
        of="DiffECC",
        than="baseline",
        loads=["F1 surrogate", "F2 surrogate"],
        falling=True,
    )
    assert (judge(found).verdict.held, judge(found).verdict.of) == (1, 2)
    least = least_of_bound(
        "T",
        "W",
        metric="read latency",
        of="DiffECC",
        bound="always slow",
        than="baseline",
        losers=["F2 surrogate", "DAP surrogate"],
    )(found)
    assert least.verdict.held == 3
    assert "F2 surrogate 2 %, DAP surrogate 15 %, F1 surrogate 20 %" in least.ours


def test_variants_differ_in_what_they_say_only() -> None:
    """The three drives have the same geometry, times and codes."""
    drives = [described(name) for name in (BASELINE, "wu2013-diffecc", "wu2013-diffecc-slow")]
    for drive in drives:
        drive["ftl"].pop("modes")
        drive.pop("name")
    assert drives[0] == drives[1] == drives[2]


@pytest.mark.slow
def test_a_figure_in_the_quick_form(tmp_path: Path) -> None:
    from conftest import wordline

    arguments = ("reproduce", "wu2013-diffecc", "--figure", "closed-form", "--quick")
    done = wordline(*arguments, "--out", tmp_path / "page", "--cache", tmp_path / "kept")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page" / "wu2013-diffecc.md").read_text(encoding="utf-8")
    assert "is that of equation 2.1 within 1 %" in page
