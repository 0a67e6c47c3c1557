"""The study of DiffECC: its drives meet their error target, its loads, its judges, and its closed form."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wordline as wl
from shared import wordline
from wordline.ecc import published_codes
from wordline.points.outcome import Outcome
from wordline.simulation import configuration
from wordline.studies import find
from wordline.studies.grid import Cell, GridFigure
from wordline.studies.measured import Measured
from wordline_studies.wu2013_diffecc import beyond, worn
from wordline_studies.wu2013_diffecc.closed import expected
from wordline_studies.wu2013_diffecc.codes import TARGET, read_us, step_times
from wordline_studies.wu2013_diffecc.drives import BASELINE, QUEUE
from wordline_studies.wu2013_diffecc.judges import along_panels, at_least, extreme, least_of_bound
from wordline_studies.wu2013_diffecc.loads import TRACES, inferred

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


@pytest.mark.parametrize(
    ("overrides", "named"),
    [
        # a mode whose codewords do not divide the page into whole sectors
        (
            {
                "modes": [{"name": "n3", "t_prog": "600 us", "bch": {"n": 12000, "k": 11400}}],
                "ftl.modes.choices": ["normal", "n3"],
            },
            ["modes", "bch.k = 11400", 'mode "n3"', "do not divide"],
        ),
        # program times that do not rise
        ({"ftl.modes.choices": ["n8", "n4"]}, ["ftl.modes.choices", '"n4"', '"n8"']),
        ({"ftl.modes.choices": ["normal", "n3"]}, ["ftl.modes.choices", '"n3"', '"n8"']),
        ({"buffer.size": "2 KiB"}, ["buffer.size", "2 KiB", "one page"]),
        ({"ftl.modes.sample_period": "0 s"}, ["ftl.modes.sample_period", "above 0"]),
        ({"ftl.over_provisioning": 0.0}, ["ftl.over_provisioning", "above 0"]),
        ({"ftl.over_provisioning": 1.0}, ["ftl.over_provisioning", "below 1"]),
        ({"workload.compress_time": 0.0}, ["workload.compress_time", "0"]),
        ({"workload.compress_time": -2.0}, ["workload.compress_time", "-2"]),
    ],
)
def test_what_is_refused(overrides: dict[str, Any], named: list[str]) -> None:
    """Bad input of the specification (section 10), by its key; a decoding time that is left out follows from the code."""
    with pytest.raises(wl.ConfigError) as caught:
        configuration(wl.Drive("wu2013-diffecc", **overrides), None)
    assert all(part in str(caught.value) for part in named), str(caught.value)


def test_addresses_beyond_the_drive_are_refused(tmp_path: Path) -> None:
    trace = tmp_path / "beyond.spc"
    trace.write_text("0,99999999999,4096,w,0.0\n")
    load = {"kind": "trace", "path": str(trace), "compress_time": 1.0}
    with pytest.raises(wl.TraceError, match=r"workload\.fold"):
        wl.simulate(wl.Drive("wu2013-diffecc"), load, progress=False)


def test_beyond_has_the_times_of_its_preset() -> None:
    config = described(beyond.DRIVE)
    assert config["timing"]["t_r"] == f"{beyond.SENSE_US:.0f} us"
    assert config["timing"]["t_prog"] == f"{beyond.PROGRAM_US:.0f} us"
    assert config["timing"]["interface"].endswith("-2400")
    assert config["geometry"]["page_size"] == "16 KiB"
    assert pytest.approx(16_384 / 2_400, abs=1e-3) == beyond.TRANSFER_US
    # one reference: 50 us and a bit for each cell; three: 150 us and two
    assert beyond.code().attempt_us(1) == pytest.approx(56.827, abs=1e-3)
    assert beyond.code().attempt_us(3) == pytest.approx(150 + 2 * 6.827, abs=2e-3)


def test_smaller_steps_live_longer() -> None:
    """At the last cycle of a life the rate is within the level's, one later it is not; and lives are in order."""
    found = [beyond.lives(longer) for longer in beyond.LONGER]
    limits = {"one": 0.0044, "most": 0.0112}
    for longer, life in zip(beyond.LONGER, found, strict=True):
        for name, limit in limits.items():
            last, next_ = beyond.rates(np.array([life[name], life[name] + 1.0]), longer)
            assert last <= limit < next_
    assert found == sorted(found, key=lambda life: (life["one"], life["most"]))
    # by the power law with no step changed: 6.666667e-7 N + 5.175207e-7 N 7^0.65 = 0.0044
    assert found[0]["one"] == int(0.0044 / (6.666667e-7 + 5.175207e-7 * 7**0.65))


@pytest.mark.parametrize(("sooner", "is_lost"), [(100, False), (-100, True)])
def test_a_worn_drive_loses_data_where_computed(sooner: int, is_lost: bool) -> None:
    """A hundred cycles before and after the computed end of the life, in simulation."""
    cycles = beyond.lives(1.0)["most"] - sooner
    keys = {**worn.WORN, "age.initial_cycles": cycles, "geometry.channels": 1}
    load = {
        "kind": "random",
        "region": worn.FILLED,
        "read_fraction": 1.0,
        "request_size": "16 KiB",
        "requests": 200,
    }
    found = wl.simulate(wl.Drive(beyond.DRIVE, **keys), load, progress=False)
    assert found.summary["host.uncorrectable"] == (200 if is_lost else 0)


def test_variants_differ_in_what_they_say_only() -> None:
    """The three drives have the same geometry, times and codes."""
    drives = [described(name) for name in (BASELINE, "wu2013-diffecc", "wu2013-diffecc-slow")]
    for drive in drives:
        drive["ftl"].pop("modes")
        drive.pop("name")
    assert drives[0] == drives[1] == drives[2]


@pytest.mark.slow
def test_a_figure_in_the_quick_form(tmp_path: Path) -> None:
    arguments = ("reproduce", "wu2013-diffecc", "--figure", "closed-form", "--quick")
    done = wordline(*arguments, "--out", tmp_path / "page", "--cache", tmp_path / "kept")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page" / "wu2013-diffecc-quick.md").read_text(encoding="utf-8")
    assert "is that of equation 2.1 within 1 %" in page
