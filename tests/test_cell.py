"""Cells: the Python API on arrays, the command, its page, and cells drawn one by one."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import wordline as wl
from shared import refused, wordline
from wordline.cell import READINGS, cell_names
from wordline.report.cell import answer
from wordline.sampling import Backend, has_jax, sample


def test_arrays_broadcast_and_agree_with_single_values() -> None:
    cells = wl.Cells.from_toml("mlc_late_life")
    ages = np.array([0.0, 1.0, 7.0])
    factors = np.array([[0.8], [1.0]])
    rates = cells.rber(age_days=ages, factor=factors)
    assert rates.shape == (2, 3)
    for row, factor in enumerate(factors[:, 0]):
        for column, age in enumerate(ages):
            assert rates[row, column] == cells.rber(age_days=age, factor=factor)
    assert rates[1] == pytest.approx([0.0020, 0.003553, 0.0075], rel=2e-4)
    assert cells.rber(cycles=np.arange(4), age_days=1.0)[0] == 0.0


def test_rates_and_their_solvers() -> None:
    cells = wl.Cells.from_toml("mlc_wu2013")
    rates = cells.rates([0.4, 0.265], [0.12, 0.12])
    assert rates["lower"] == pytest.approx([1.332656250716e-3, 2.917288184858e-4], rel=1e-9)
    assert rates["upper"] == pytest.approx([1.999056038966e-3, 4.376648906217e-4], rel=1e-9)
    assert np.array_equal(rates["worst_page"], rates["upper"])
    exact = cells.rates([0.4, 0.265], [0.12, 0.12], exact=True)
    assert set(exact) == {"lower", "upper"}
    for reading in READINGS:
        sigma = cells.sigma_for_rber(0.4, rates[reading], reading=reading)
        assert sigma[0] == pytest.approx(0.12, abs=1e-11)
        back = cells.step_for_rber(0.12, rates[reading], reading=reading)
        assert back == pytest.approx([0.4, 0.265], abs=1e-11)
    # the step at which the short code of Wu replaces the long one: 0.265 and 754 us are published
    step = cells.step_for_rber(cells.sigma, 2.307928980e-4)
    assert step == pytest.approx(0.26105, rel=2e-5)
    assert cells.t_prog_us is not None
    assert cells.t_prog_us * cells.slowdown(step) == pytest.approx(766.1, rel=1e-4)


def test_densities_and_references() -> None:
    cells = wl.Cells.from_toml("mlc_wu2013", **{"cell.vth.references": "optimal"})
    x = np.linspace(-2, 5, 70_001)
    for state in range(4):
        assert np.trapezoid(cells.density(state, x), x) == pytest.approx(1.0, abs=1e-6)
    first, *others = cells.references()
    assert others == [1.5, 2.5]
    assert cells.density(0, first) == pytest.approx(cells.density(1, first), rel=1e-9)
    three = wl.Cells.from_toml("mlc_wu2013", **{"cell.bits_per_cell": 3})
    assert len(three.references()) == 7
    assert three.pages == ["lower", "middle", "upper"]


def test_steps_and_pages() -> None:
    cells = wl.Cells.from_toml("mlc_late_life")
    (strong, normal) = cells.classes([0.25])
    assert (strong.factor, strong.step) == pytest.approx((0.8445, 0.4130), rel=2e-4)
    assert normal.slowdown == 1.0
    fast = cells.rber(age_days=[0.0, 1.0, 7.0], factor=strong.factor, step=strong.step)
    assert fast == pytest.approx([0.00392, 0.00616, 0.01115], rel=2e-3)
    by_page = wl.Cells.from_toml("mlc_late_life", **{"cell.rber.by_page_type": True})
    lower, upper = (by_page.rber(age_days=1.0, page=page) for page in (0, 1))
    assert 0.5 * (lower + upper) == pytest.approx(cells.rber(age_days=1.0), rel=1e-6)
    assert lower < upper


LATE = {"cell.rber.by_page_type": True}
FIXED = {"cell.rber.rate": 0.005}
STEP = {"cell.vth.step": 0.265, "cell.program.step": 0.4}


@pytest.mark.parametrize(
    ("name", "overrides"),
    [
        ("mlc_late_life", {}),
        ("mlc_late_life", LATE),
        ("mlc_late_life", {**LATE, "cell.vth.step": 0.25, "cell.program.step": 0.3163}),
        ("mlc_vth_shift", {}),
        ("mlc_vth_shift", LATE),
        ("mlc_wu2013", {}),
        ("mlc_wu2013", LATE),
        ("mlc_wu2013", FIXED),
        ("mlc_wu2013", {**FIXED, **LATE}),
        ("mlc_wu2013", STEP),
        ("mlc_wu2013", {**STEP, **LATE}),
        ("mlc_wu2013", {**STEP, "cell.ber_reading": "symbol"}),
    ],
)
def test_states_and_error_rates_do_not_contradict_each_other(
    name: str, overrides: dict[str, object]
) -> None:
    cells = wl.Cells.from_toml(name, **overrides)
    found = answer(cells)
    states = found["states"]["pages"] | found["states"]["readings"]
    at_design_age = {
        row["page"]: row["rber"]
        for row in found["rber"]
        if row["age_days"] == cells.design_days and row["quantile"] == 0.5
    }
    assert set(at_design_age) == set(cells.rated)
    for page, rate in at_design_age.items():
        assert states[page] == pytest.approx(rate, rel=1e-5), page


def test_pages_with_rates_of_their_own() -> None:
    cells = wl.Cells.from_toml("mlc_late_life", **LATE)
    # 0.0075 is the mean over the pages after seven days
    found = answer(cells)["states"]
    assert found["pages"] == pytest.approx({"lower": 0.006, "upper": 0.009}, rel=1e-3)
    assert found["readings"]["page_average"] == pytest.approx(0.0075, rel=1e-5)
    with pytest.raises(wl.ConfigError, match="page: not given"):
        cells.rber(age_days=7.0)
    shown = wordline("cell", "--set", "cell.rber.by_page_type=true").stdout
    for page in ("lower", "upper"):
        assert f"bit error rate, {page} page, 3,000 cycles" in shown
    assert "bit error rate, page average, 3,000 cycles" in wordline("cell").stdout


def test_blocks_are_a_matter_of_seed_and_index() -> None:
    cells = wl.Cells.from_toml("mlc_late_life")
    blocks = np.arange(100_000)
    factors = cells.factors(blocks, seed=7)
    assert np.array_equal(factors[::-1], cells.factors(blocks[::-1], seed=7))
    assert not np.array_equal(factors, cells.factors(blocks, seed=8))
    seeded = wl.Cells.from_toml("mlc_late_life", **{"cell.process_variation.seed": 7})
    assert np.array_equal(seeded.factors(blocks, seed=8), factors)
    law = cells.variation
    assert law["low"] <= factors.min() < factors.max() <= law["high"]
    assert factors.mean() == pytest.approx(law["mean"], rel=0.01)
    assert factors.std() == pytest.approx(law["sd"], rel=0.01)
    assert cells.share_below(cells.quantile([0.1, 0.9])) == pytest.approx([0.1, 0.9], abs=1e-12)
    alike = wl.Cells.from_toml("mlc_late_life", **{"cell.process_variation.sd": 0.0})
    assert set(alike.factors(blocks)) == {1.0}


@pytest.mark.parametrize("backend", ["numpy", "jax"])
@pytest.mark.parametrize(
    ("count", "bits", "step", "sigma", "references"),
    [
        (1_000_000, 1, 0.4, 0.2, "midpoint"),
        (10_000_000, 2, 0.4, 0.12, "midpoint"),
        (1_000_000, 2, 0.3163, 0.19, "optimal"),
        (1_000_000, 2, 0.6, 0.7, [0.45, 1.45, 2.6]),
        (1_000_000, 3, 0.3, 0.15, "midpoint"),
    ],
)
def test_cells_drawn_one_by_one(
    count: int, bits: int, step: float, sigma: float, references: object, backend: Backend
) -> None:
    if backend == "jax" and not has_jax():
        pytest.skip("JAX is not installed")
    cells = wl.Cells.from_toml(
        "mlc_wu2013",
        **{
            "cell.bits_per_cell": bits,
            "cell.vth.references": references,
            "cell.vth.step": step,
            "cell.vth.sigma_programmed": sigma,
            "cell.vth.sigma_erased": 0.15,
        },
    )
    exact = cells.rates(exact=True)
    expected = np.array([float(exact[page]) for page in cells.pages])
    drawn = sample(
        count,
        cells.references(),
        step=step,
        sigma=sigma,
        sigma_erased=0.15,
        backend=backend,
    )
    assert np.all(np.abs(drawn.rates - expected) < 4 * drawn.standard_errors(expected))
    # and misreads across several references do show where states are wide
    near = cells.rates()
    if sigma > 0.5:
        neighbours = np.array([float(near[page]) for page in cells.pages])
        assert np.any(np.abs(neighbours - expected) > 4 * drawn.standard_errors(expected))


def test_sampling_refuses_what_is_no_cell() -> None:
    for cells, references in ((0, [0.5]), (10, []), (10, [0.5, 1.5])):
        with pytest.raises(ValueError, match="accepted"):
            sample(cells, references, step=0.4, sigma=0.1)


def test_a_description_gives_the_same_cells_again() -> None:
    for name in cell_names():
        cells = wl.Cells.from_toml(name)
        again = wl.Cells.from_text(cells.toml)
        assert again.toml == cells.toml
        assert again.rber(age_days=3.0) == cells.rber(age_days=3.0)


def test_programs_disturb_other_pages() -> None:
    rates = {"inhibited": 2e-10, "adjacent": 1e-10, "pass": 1e-12, "g": 1.0, "h": 1.0}
    described = {
        "cell.rber.program_disturb": rates | {"strings": 4},
        "block.inhibited_programs": 11,
        "block.adjacent_programs": 12,
        "block.pass_programs": 264,
    }
    quiet = wl.Cells.from_toml("mlc_late_life")
    cells = wl.Cells.from_toml("mlc_late_life", **described)
    assert cells.later_programs == (11, 12, 264)
    # the first page of a block, programmed page by page and as a word line, and the last one
    found = cells.rber(inhibited=[11, 3, 0], adjacent=[12, 4, 0], pass_programs=[264, 88, 0])
    assert found - quiet.rber() == pytest.approx([1.0992e-5, 3.264e-6, 0.0], rel=1e-9)
    assert cells.rber() == found[0]
    pages = cells.page_rates(step=cells.reference_step)
    assert pages["page_average"] == pytest.approx(found[0], rel=1e-6)
    assert wl.Cells.from_text(cells.toml).rber() == found[0]


def test_what_python_refuses() -> None:
    cells = wl.Cells.from_toml("mlc_late_life")
    for bad in (
        lambda: cells.rber(age_days=-1.0),
        lambda: cells.rber(cycles=[1.0, np.nan]),
        lambda: cells.rber(factor=np.inf),
        lambda: cells.rber(step=2.5),
        lambda: cells.rber(page=2),
        lambda: cells.rber(page=-1),
        lambda: cells.rber(cycles=1.5),
        lambda: cells.rber(reads=[1.0, 0.5]),
        lambda: cells.rber(inhibited=1.5),
        lambda: cells.rber(adjacent=-1),
        lambda: cells.rber(pass_programs=262_145),
        lambda: cells.page_rates(inhibited=0.5),
        lambda: cells.rber(cycles=2e8),
        lambda: cells.rber(age_days=501 * 365),
        lambda: cells.rber(factor=1001.0),
        lambda: cells.rber(cycles="many"),
        lambda: cells.page_rates(cycles=1.5),
        lambda: cells.page_rates(age_days=np.nan),
        lambda: cells.page_rates(cycles=0),
        lambda: cells.sigma_after(-1.0),
        lambda: cells.sigma_after(1.0, factor=np.nan),
        lambda: cells.rates(0.4, 11.0),
        lambda: cells.density(0, np.nan),
        lambda: cells.density(-1, 0.0),
        lambda: cells.share_below(np.nan),
        lambda: cells.factors([1], seed=-1),
        lambda: cells.classes(cycles=-1),
        lambda: wl.Cells.from_toml("mlc_wu2013", **{"cell.rber.rate": 0.7}),
        lambda: cells.rber(age_days=[1.0, 2.0], cycles=[1, 2, 3]),
        lambda: cells.rates(-0.1),
        lambda: cells.rates(0.4, 0.0),
        lambda: cells.density(4, 0.0),
        lambda: cells.sigma_for_rber(0.4, 1e-9, reading="page_average"),
        lambda: cells.sigma_for_rber(0.4, 1e-3, reading="best"),  # type: ignore[arg-type]
        lambda: cells.step_for_rber(0.3, 1e-6),
        lambda: cells.step_for_rber(0.1, 0.4),
        lambda: cells.slowdown(0.0),
        lambda: cells.factors([-1]),
        lambda: cells.factors([0.5]),
        lambda: cells.quantile(1.5),
        lambda: cells.classes([0.5, 0.25]),
        lambda: wl.Cells.from_toml("mlc_early_life"),
        lambda: wl.Cells.from_text("base = 'mlc_late_life'\n[cell.vth]\nstpe = 0.3\n"),
        lambda: wl.Cells.from_toml("mlc_late_life", **{"cell.rber.rate": 1e-3}),
    ):
        with pytest.raises(wl.ConfigError, match="accepted"):
            bad()
    with pytest.raises(wl.ConfigError, match="element 1: "):
        cells.slowdown([0.4, 0.0])


def test_the_command_prints_json_and_writes_a_page(tmp_path: Path) -> None:
    done = wordline("cell", "--json", "--out", tmp_path / "cells")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert [each["t_prog_us"] for each in answer["classes"]] == pytest.approx(
        [459.5, 489.9, 522.1, 600.0], rel=2e-4
    )
    assert json.loads((tmp_path / "cells/cell.json").read_text()) == answer
    table = pl.read_csv(tmp_path / "cells/rber.csv")
    assert table["rber"].to_list() == [row["rber"] for row in answer["rber"]]
    page = (tmp_path / "cells/report.html").read_text()
    for heading in ("Threshold voltages", "Raw bit error rate", "Blocks"):
        assert f"<h2>{heading}</h2>" in page
    assert "http://" not in page.split("<script>", maxsplit=1)[0]
    again = wordline("cell", tmp_path / "cells/cell.toml", "--json")
    assert json.loads(again.stdout) == answer


@pytest.mark.parametrize(
    "arguments",
    [
        ["mlc_wu2013"],
        ["mlc_vth_shift"],
        ["--set", "block.cycles=0"],  # no errors, so no deviation and no classes
        ["--set", "cell.bits_per_cell=4"],
        ["--set", "cell.bits_per_cell=1"],
        ["--set", "cell.vth.references=[0.4, 1.5, 2.5]"],
    ],
)
def test_any_cells_have_tables_and_a_page(arguments: list[str], tmp_path: Path) -> None:
    done = wordline("cell", *arguments, "--out", tmp_path / "cells")
    assert done.returncode == 0, done.stderr
    assert "bit error rate" in done.stdout
    assert (tmp_path / "cells/report.html").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["mlc_late_lfe"], ["mlc_late_life"]),
        (["--set", "cell.vth.step=2"], ["cell.vth.step", "2"]),
        (["--set", "cell.vth.stp=0.3"], ["cell.vth.stp", "step"]),
        (["--set", "cell.vth.references=[0.5, 0.4, 2.5]"], ["references", "strictly increasing"]),
        (["--set", "cell.rber.model=fixed"], ["cell.vth.sigma_programmed", "cell.rber.rate"]),
        (["--set", "cell.rber.rate=0.1"], ["cell.rber.rate", "fixed"]),
        (["--set", "cell.process_variation.bound_sd=5"], ["bound_sd", "mean / sd"]),
        (["--set", "cell.design_age=7"], ["design_age"]),
        (["--set", "step"], ["KEY=VALUE"]),
    ],
)
def test_bad_input_is_refused(arguments: list[str], words: list[str]) -> None:
    said = refused("cell", *arguments)
    for word in words:
        assert word in said
