"""What the pages of cells, codes, chips and retention say, recomputed from the equations and the data of the chips."""

from __future__ import annotations

import math
import re
from statistics import NormalDist

import pytest

import wordline as wl
from report_reader import Page, close, number, page_of, said, same_rows, whole_percent
from shared import Printed
from wordline.cell import Cells
from wordline.formatting import display
from wordline.report import cell, ecc, power, retention
from wordline.report.section import Section
from wordline.terminal.energies import print_energies
from wordline.terminal.models import print_cells, print_codes, print_retention

YEAR = 365 * 86_400.0

# cells: the error rate N cycles and a days old is factor * (alpha N + beta N a^0.65), docs/explanations/cells.md

CYCLES = 3_000
ALPHA, BETA, POWER = 6.666667e-7, 5.175207e-7, 0.65
FACTORS = {"mean": 3.7e-4, "sd": 9e-5, "bound": 2.0}
AGES = (0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 14.0, 30.0)
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def rate(cycles: float, days: float, factor: float = 1.0) -> float:
    """The raw bit error rate of the cells of DLV."""
    return factor * cycles * (ALPHA + BETA * math.pow(days, POWER))


def factor(share: float) -> float:
    """The block factor below which a share of the blocks lies: a normal law that ends at two deviations."""
    normal = NormalDist()
    tail = normal.cdf(-FACTORS["bound"])
    deviate = normal.inv_cdf(tail + share * (1 - 2 * tail))
    return 1 + deviate * FACTORS["sd"] / FACTORS["mean"]


@pytest.fixture(scope="module")
def cells() -> Cells:
    return Cells.from_toml("mlc_late_life")


@pytest.fixture(scope="module")
def cell_page(cells: Cells) -> Page:
    return Page(cell.render(cells, "dlv"))


def test_error_rates_by_age(cell_page: Page) -> None:
    by_age, _ = cell_page.figures_of("Raw bit error rate")
    assert len(by_age.rows) == len(AGES)
    for row, days in zip(by_age.rows, AGES, strict=True):
        assert number(row["age (days)"]) == days
        for share in QUANTILES:
            shown = number(row[f"{100 * share:.0f} % of the blocks"])
            assert shown == close(rate(CYCLES, days, factor(share)))
    points = by_age.points("age", "rate", "blocks")
    assert len(points) == 5 * 121
    assert {point["age"] for point in points} >= {0.0, 14.0}
    for point in points:
        wanted = rate(CYCLES, point["age"], factor(number(point["blocks"])))
        assert point["rate"] == pytest.approx(wanted, rel=2e-6)
    assert (by_age.drawn()[0]["x"], by_age.drawn()[0]["y"]) == ("age", "rate")
    told = said(
        r"After 3,000 cycles a nominal block goes from (?P<young>.*) to (?P<old>.*) errors per bit in 7 days "
        r"\(page average\)",
        by_age.title,
    )
    assert number(told["young"]) == close(rate(CYCLES, 0.0))
    assert number(told["old"]) == close(rate(CYCLES, 7.0))


def test_error_rates_by_cycles(cell_page: Page) -> None:
    _, by_cycles = cell_page.figures_of("Raw bit error rate")
    assert [number(row["cycles"]) for row in by_cycles.rows] == list(range(0, 6_001, 500))
    for row in by_cycles.rows:
        for days in (0, 1, 7):
            shown = number(row[f"after {days} days"])
            assert shown == close(rate(number(row["cycles"]), days))
    for point in by_cycles.points("cycles", "rate", "age"):
        wanted = rate(point["cycles"], float(point["age"].removesuffix(" days")))
        assert point["rate"] == pytest.approx(wanted, rel=2e-6)
    told = said(
        r"A nominal block of 6,000 cycles has (?P<rate>.*) errors per bit after 7 days \(page average\)",
        by_cycles.title,
    )
    assert number(told["rate"]) == close(rate(6_000, 7.0))


def test_states_of_cells(cell_page: Page) -> None:
    densities, by_step = cell_page.figures_of("Threshold voltages")
    told = said(
        r"With a deviation of (?P<sigma>.*) the (?P<page>.*) page has (?P<rate>.*) errors per bit",
        densities.title,
    )
    rates = {row["page"]: number(row["bit error rate"]) for row in densities.rows}
    mean = rate(CYCLES, 7.0)
    # of the boundaries of a Gray code one is read by the lower page and two by the upper one, and the boundary above
    # the erased state is misread half as often
    assert rates["lower"] == close(0.8 * mean)
    assert rates["upper"] == rates["worst page"] == close(1.2 * mean)
    assert rates["page average"] == close(mean)
    assert rates["symbol"] == close(2 * mean)
    assert told["page"] == "upper"
    assert number(told["rate"]) == close(1.2 * mean)
    # 300 mV of 948.4 mV
    assert densities.remark.startswith("Programmed with a step of 0.3163 (300.0 mV).")
    references = densities.points("reference")
    assert references == [{"reference": place} for place in (0.5, 1.5, 2.5)]
    points = densities.points("x", "density")
    assert [each["y"] for each in densities.drawn() if each["mark"] == "line"] == ["density"]
    for state, name in enumerate(("erased", "state 1", "state 2", "state 3")):
        own = [point for point in points if point["state"] == name]
        middle = max(own, key=lambda point: point["density"])
        assert abs(middle["x"] - state) <= 0.3163 / 2 + 0.02
        area = sum(point["density"] for point in own) * (own[1]["x"] - own[0]["x"])
        assert area == pytest.approx(1, rel=0.01)
    erased = [point for point in points if point["state"] == "erased"]
    normal = NormalDist(0, 0.1)
    for point in erased:
        assert point["density"] == pytest.approx(normal.pdf(point["x"]), rel=1e-6)
    share = said(
        r"Half the step takes (?P<times>.*) times the reference time and leaves (?P<share>\d+ %) of the errors",
        by_step.title,
    )
    assert number(share["times"]) == 2
    steps = {row["step"]: row for row in by_step.rows}
    assert number(steps["0.05000"]["program time by that at the reference"]) == close(0.3163 / 0.05)
    last = by_step.rows[-1]
    assert number(last["program time by that at the reference"]) == close(
        0.3163 / number(last["step"])
    )
    curve = [point for point in by_step.points("step", "rate") if point["page"] == "upper"]
    near = min(curve, key=lambda point: abs(point["step"] - 0.3163))
    half = min(curve, key=lambda point: abs(point["step"] - 0.3163 / 2))
    assert near["rate"] == pytest.approx(1.2 * mean, rel=0.03)
    assert number(share["share"]) == pytest.approx(half["rate"] / near["rate"], abs=0.02)


def test_blocks_of_cells(cells: Cells, cell_page: Page) -> None:
    law, classes = cell_page.figures_of("Blocks")
    spread = 2 * FACTORS["sd"] / FACTORS["mean"]
    told = said(
        r"The weakest blocks have (?P<times>.*) times the errors of the strongest", law.title
    )
    assert number(told["times"]) == close((1 + spread) / (1 - spread))
    for row, share in zip(law.rows, QUANTILES, strict=True):
        assert number(row["share of blocks"]) == share
        assert number(row["block factor"]) == close(factor(share))
    for point in law.points("factor", "share"):
        if 0.001 < point["share"] < 0.999:
            assert factor(point["share"]) == pytest.approx(point["factor"], rel=1e-6)
    assert [number(row["blocks up to"]) for row in classes.rows] == [0.25, 0.5, 0.75, 1.0]
    for row, share in zip(classes.rows, (0.25, 0.5, 0.75, 1.0), strict=True):
        largest, step = number(row["largest factor"]), number(row["program step"])
        assert largest == close(factor(min(share, 1 - 1e-12)))
        # a larger step leaves the class at the error rate of the weakest block
        weakest = rate(CYCLES, 7.0, factor(1 - 1e-12))
        assert float(cells.rber(age_days=7.0, factor=largest, step=step)) == pytest.approx(
            weakest, rel=2e-3
        )
        slowdown = number(row["program time by that at the reference"])
        assert slowdown == pytest.approx(0.3163 / step, rel=1e-3)
        assert number(row["program time (µs)"]) == pytest.approx(600 * slowdown, rel=1e-3)
    points = [
        {
            "blocks": row["blocks up to"],
            "time": number(row["program time by that at the reference"]),
        }
        for row in classes.rows
    ]
    same_rows(classes.points("blocks", "time"), points, rel=1e-3)
    gain = said(
        r"The strongest quarter of the blocks may be programmed (?P<gain>\d+ %) faster",
        classes.title,
    )
    first = number(classes.rows[0]["program time by that at the reference"])
    assert number(gain["gain"]) == whole_percent(1 / first - 1)


def test_cells_on_the_terminal(cells: Cells, printed: Printed) -> None:
    lines = printed(print_cells, cell.answer(cells), None)
    found = {line[0]: line[1:] for line in lines}
    assert found["program step (mV)"] == ["300.0"]
    assert number(found["bit error rate, page average"][0]) == close(rate(CYCLES, 7.0))
    assert number(found["bit error rate, upper page"][0]) == close(1.2 * rate(CYCLES, 7.0))
    assert found["after days"] == [f"{100 * share:.0f} % of blocks" for share in QUANTILES]
    for days in AGES:
        shown = found[f"{days:g}"]
        for text, share in zip(shown, QUANTILES, strict=True):
            assert number(text) == close(rate(CYCLES, days, factor(share)))
    assert found["blocks up to"] == [
        "largest factor",
        "program step",
        "program time (µs)",
        "relative",
    ]
    for share in (0.25, 0.5, 0.75):
        largest, step, time, relative = map(number, found[f"{100 * share:.0f} %"])
        assert largest == close(factor(share))
        assert relative == pytest.approx(0.3163 / step, rel=1e-3)
        assert time == pytest.approx(600 * relative, rel=1e-3)


# codes: a codeword of n bits fails where more than t of them are wrong


def log10_failure(n: int, t: int, p: float) -> float:
    """Decimal logarithm of a binomial tail."""
    logs = [
        math.lgamma(n + 1)
        - math.lgamma(k + 1)
        - math.lgamma(n - k + 1)
        + k * math.log(p)
        + (n - k) * math.log1p(-p)
        for k in range(t + 1, min(t + 400, n) + 1)
    ]
    highest = max(logs)
    return (highest + math.log(sum(math.exp(each - highest) for each in logs))) / math.log(10)


THRESHOLDS = (0.0044, 0.0076, 0.0095, 0.0104, 0.0108, 0.011, 0.0112)
"""Published error rates up to which a level of soft sensing is enough."""


def attempt(level: int) -> float:
    """Sensing of 90 us for seven references, and a transfer of 5 us for three bits of each cell."""
    bits = math.ceil(math.log2(level + 1))
    return 90 * level / 7 + 5 * bits / 3


@pytest.fixture(scope="module")
def question() -> ecc.Question:
    codes = [wl.Bch(4316, 4100, 16), wl.Bch(9216, 8192)]
    rates = (2.3e-4, 0.006, 0.3)
    needed = {rate_: wl.find_codes(rate_, 1e-15, codewords=[1, 8]) for rate_ in rates}
    return ecc.Question(codes, wl.Ldpc(), needed, 1e-15, "codeword", 0.0)


def test_failures_of_codes(question: ecc.Question) -> None:
    figure = page_of(ecc_section("BCH codes", question)).figures[0]
    sizes = {str(code): (code.n, code.t) for code in question.codes}
    for row in figure.rows:
        n, t = sizes[row["code"]]
        k = int(re.findall(r"\d+", row["code"])[1])
        # at least t times the degree of the field, in whole bits
        assert number(row["parity (bits)"]) <= n - k
        assert number(row["rate"]) == close(k / n)
        highest = number(row["highest RBER at 1e-15"])
        assert log10_failure(n, t, highest) == pytest.approx(-15, abs=0.05)
    for point in figure.points("rber", "log10"):
        n, t = sizes[point["code"]]
        assert point["log10"] == pytest.approx(
            log10_failure(n, t, point["rber"]), rel=1e-6, abs=1e-8
        )
        assert point["log10"] > -60
    assert figure.points("target") == [{"target": -15.0}]
    told = said(
        r"(?P<code>.*) tolerates the highest raw bit error rate, (?P<rate>.*), at a failure probability of 1e-15",
        figure.title,
    )
    best = max(figure.rows, key=lambda row: number(row["highest RBER at 1e-15"]))
    assert (told["code"], told["rate"]) == (best["code"], best["highest RBER at 1e-15"])


def ecc_section(title: str, asked: ecc.Question) -> Section:
    """One figure of the page of codes."""
    build = {"BCH codes": ecc.failures, "needs": ecc.needs, "reads": ecc.reads}
    return Section(title, [build[title](asked)])


def test_codes_that_rates_ask_for(question: ecc.Question) -> None:
    figure = page_of(ecc_section("needs", question)).figures[0]
    assert len(figure.rows) == 6
    met = 0
    for row in figure.rows:
        rber = number(row["RBER"])
        if row["code"] == "none":
            assert row["parity (bytes)"] == row["page (µs)"] == row["log10 of failure"] == "–"
            continue
        met += 1
        n, k, t = (int(part) for part in re.findall(r"\d+", row["code"]))
        words = int(row["codewords"])
        assert k * words == 8 * 4096
        failure = log10_failure(n, t, rber)
        assert number(row["log10 of failure"]) == close(failure)
        assert failure <= -15 < log10_failure(n, t - 1, rber)
        assert log10_failure(n, t, number(row["highest RBER"])) == pytest.approx(-15, abs=0.05)
        assert number(row["parity (bytes)"]) >= words * (n - k) / 8
        # 25 us of sensing; codewords are transferred at 100 MB/s and decoded one after the other
        transfer = 4096 / words / 100
        first, page = number(row["first sector (µs)"]), number(row["page (µs)"])
        decode = first - 25 - transfer
        assert decode > 0
        assert page == pytest.approx(25 + transfer + words * decode, rel=2e-3)
    assert figure.title == (
        f"{met} of 6 combinations of rate and codewords have a code that meets 1e-15 per codeword"
    )
    wanted = [
        {"codewords": int(row["codewords"]), "bytes": int(number(row["parity (bytes)"]))}
        for row in figure.rows
        if row["code"] != "none"
    ]
    same_rows(figure.points("bytes"), wanted)


def test_reads_with_soft_sensing(question: ecc.Question, printed: Printed) -> None:
    figure = page_of(ecc_section("reads", question)).figures[0]
    for level, (row, threshold) in enumerate(zip(figure.rows, THRESHOLDS, strict=True), 1):
        assert int(row["level"]) == level
        assert number(row["highest RBER"]) == close(threshold)
        assert number(row["attempt (µs)"]) == close(attempt(level))
        whole = sum(attempt(tried) for tried in range(1, level + 1))
        assert number(row["whole read at that rate (µs)"]) == close(whole)
    for point in figure.points("rber", "us"):
        enough = [level for level, most in enumerate(THRESHOLDS, 1) if point["rber"] <= most]
        level = enough[0] if enough else 7
        assert point["outcome"] == ("corrected" if enough else "uncorrectable")
        assert point["level"] == level
        assert point["us"] == pytest.approx(sum(attempt(tried) for tried in range(1, level + 1)))
    assert figure.title == (
        "Pages can be read up to a raw bit error rate of 0.01120; hard decisions are enough up to 0.004400"
    )
    lines = printed(print_codes, ecc.answer(question), None)
    for level, threshold in enumerate(THRESHOLDS, 1):
        shown = [line for line in lines if line[0] == str(level) and len(line) == 3]
        assert [[number(text) for text in line[1:]] for line in shown] == [
            [close(threshold), close(attempt(level))]
        ]
    told = [line[0] for line in lines if line[0].startswith("LDPC: ")]
    assert told[0].startswith("LDPC: read at level 1, 14.52 µs")
    assert told[1].startswith(f"LDPC: read at level 2, {attempt(1) + attempt(2):.2f} µs")
    assert told[2].startswith("LDPC: uncorrectable, ")


# chips


@pytest.fixture(scope="module")
def chip() -> wl.Chip:
    return wl.Chip.from_toml("b-mlc8")


STATES = {
    "fast programmed": ("fast", 0.0),
    "fast unprogrammed": ("fast", 1.0),
    "slow programmed": ("slow", 0.0),
    "slow unprogrammed": ("slow", 1.0),
}
READ_US = {"fast": 50, "slow": 100}
"""Times of the data sheet."""


def test_energies_of_a_chip(chip: wl.Chip, printed: Printed) -> None:
    shown = Page(power.render([({}, chip)]))
    (figure,) = shown.figures_of("Read")
    energies = {}
    for row in figure.rows:
        kind, ones = STATES[row["state"]]
        wanted = chip.read(kind, ones=ones)
        energies[row["state"]] = wanted.total * 1e6
        assert number(row["energy (µJ)"]) == close(wanted.total * 1e6)
        assert number(row["mean power (mW)"]) == close(wanted.total * 1e9 / READ_US[kind])
        for part, joules in wanted.parts.items():
            assert number(row[f"{part.replace('_', ' ')} (µJ)"]) == close(joules * 1e6)
    for point in figure.points("state", "component"):
        kind, ones = STATES[point["state"]]
        part = point["component"].replace(" ", "_")
        assert point["energy"] == pytest.approx(chip.read(kind, ones=ones).parts[part] * 1e6)
    told = said(
        r"Between (?P<least>.*) µJ and (?P<most>.*) µJ \((?P<state>.*)\), (?P<share>\d+ %) of it (?P<part>.*)",
        figure.title,
    )
    assert number(told["least"]) == close(min(energies.values()))
    assert number(told["most"]) == close(max(energies.values()))
    assert energies[told["state"]] == pytest.approx(max(energies.values()))
    kind, ones = STATES[told["state"]]
    dearest = chip.read(kind, ones=ones)
    part = max(dearest.parts, key=lambda part: dearest.parts[part])
    assert told["part"] == part.replace("_", " ")
    assert number(told["share"]) == whole_percent(dearest.parts[part] / dearest.total)
    (figure,) = shown.figures_of("Erase")
    assert number(figure.rows[0]["energy (µJ)"]) == close(chip.erase().total * 1e6)
    # an erase takes 1.5 ms
    assert number(figure.rows[0]["mean power (mW)"]) == close(chip.erase().total * 1e6 / 1.5)
    lines, _ = by_state_and_page(printed(print_energies, [({}, chip)], None))
    heads = next(line for line in lines if line[0] == "operation")
    for line in lines:
        if line[0] != "read":
            continue
        row = dict(zip(heads, line, strict=True))
        kind, ones = STATES[row["state"]]
        wanted = chip.read(kind, ones=ones)
        assert number(row["energy"]) == close(wanted.total * 1e6)
        assert number(row["power (mW)"]) == close(wanted.total * 1e9 / READ_US[kind])
        parts = {name: number(row[name]) for name in heads[4:-2]}
        for name, energy in parts.items():
            assert energy == close(wanted.parts[name.replace(" ", "_")] * 1e6)
        rest = wanted.total * 1e6 - sum(
            wanted.parts[name.replace(" ", "_")] * 1e6 for name in parts
        )
        assert number(row["rest"]) == pytest.approx(rest, rel=1e-3, abs=1e-9)
        assert row["share of tunnelling"] == "0 %"


def test_tunnelling_and_half_ones_of_a_chip(chip: wl.Chip, printed: Printed) -> None:
    lines, pages = by_state_and_page(printed(print_energies, [({}, chip)], None))
    (line,) = [line for line in lines if line[1:2] == ["slow 01"]]
    slow = chip.program("slow", states={"slow 01": chip.cells})
    assert number(line[-1]) == whole_percent(slow.parts["tunnelling"] / slow.total)
    # pages of half ones, and what a data bit of 2 KiB takes of them
    for operation, kind, energy in (
        ("read", "fast", chip.read("fast", ones=0.5)),
        ("program", "slow", chip.program("slow", ones=0.5)),
    ):
        (found,) = [line for line in pages if line[:2] == [operation, kind]]
        assert number(found[3]) == close(energy.total * 1e6)
        assert number(found[4]) == close(energy.total * 1e12 / (2048 * 8))
        assert number(found[6]) == whole_percent(energy.parts["tunnelling"] / energy.total)
    (told,) = Page(power.render([({}, chip)])).lead
    assert told.startswith("Programming a page of 2 KiB that is half ones takes 11.90 µJ")


def by_state_and_page(lines: list[list[str]]) -> tuple[list[list[str]], list[list[str]]]:
    """The lines above and below the heading of pages of half ones."""
    (place,) = [place for place, line in enumerate(lines) if line[0].startswith("pages of half")]
    return lines[:place], lines[place + 1 :]


def test_a_large_chip_has_larger_units(printed: Printed) -> None:
    chip = wl.Chip.from_toml("d-mlc32", **{"geometry.page_size": "32 KiB"})
    (figure,) = Page(power.render([({}, chip)])).figures_of("Erase")
    energy = chip.erase().total * 1e3
    assert number(figure.rows[0]["energy (mJ)"]) == close(energy)
    assert number(figure.rows[0]["bit lines (mJ)"]) == close(chip.erase().parts["bit_lines"] * 1e3)
    assert figure.title.startswith(f"{display(energy)} mJ, ")
    assert [each["energy"] for each in figure.points("state", "component")] == [
        pytest.approx(joules * 1e3) for joules in chip.erase().parts.values()
    ]
    assert figure.spec["encoding"]["x"]["title"] == "energy (mJ)"
    watts = max(row.watts for row in chip.energies())
    assert watts > 1
    lines, _ = by_state_and_page(printed(print_energies, [({}, chip)], None))
    assert lines[0][0].endswith("energies in mJ")
    (erase,) = [line for line in lines if line[0] == "erase"]
    assert number(erase[lines[1].index("energy")]) == close(energy)
    powers = [number(line[lines[1].index("power (W)")]) for line in lines[2:]]
    assert max(powers) == close(watts)
    assert "energy (mJ)" in chip._repr_html_()
    assert repr(chip.erase()) == f"<Energy of {display(energy)} mJ>"


def test_variants_of_a_chip(printed: Printed) -> None:
    found = [
        ({"bias.vpgm": volts}, wl.Chip.from_toml("b-mlc8", **{"bias.vpgm": volts}))
        for volts in ("16.5 V", "17.2 V")
    ]
    (figure,) = Page(power.render(found)).figures_of("Variants")
    lines = printed(print_energies, found, None)
    for row, (varied, chip) in zip(figure.rows, found, strict=True):
        assert row["bias.vpgm"] == varied["bias.vpgm"]
        energy = chip.erase().total * 1e6
        assert number(row["erase block (µJ)"]) == close(energy)
        assert number(row["read fast programmed (µJ)"]) == close(
            chip.read("fast", ones=0.0).total * 1e6
        )
        (line,) = [line for line in lines if line[0] == varied["bias.vpgm"]]
        assert number(line[-1]) == close(energy)
        points = [
            point
            for point in figure.points("variant", "operation")
            if point["operation"] == "erase block"
        ]
        assert energy in [pytest.approx(point["energy"]) for point in points]
    assert figure.title == "2 variants"


# retention


def test_retention_of_cells(printed: Printed) -> None:
    asked = retention.Asked(
        "mlc", [0.0, 1e3], [30.0, 55.0], (100.0, 1e5), required=YEAR, after=5_000.0
    )
    answer = retention.answer(asked)
    model = wl.RetentionModel("mlc")
    places = [(rest, celsius) for celsius in (30.0, 55.0) for rest in (0.0, 1e3)]
    shown = Page(retention.render(answer))
    curves, endurance = shown.figures
    points = curves.points("cycles", "years")
    rests, temperatures = {0.0: "0 s", 1e3: "1000 s"}, {30.0: "30 °C", 55.0: "55 °C"}
    for rest, celsius in places:
        own = [
            point
            for point in points
            if (point["rest"], point["temperature"]) == (rests[rest], temperatures[celsius])
        ]
        assert own[0]["cycles"] == pytest.approx(100)
        # a curve ends where nothing is kept
        beyond = own[-1]["cycles"] * 1.2
        assert beyond > 1e5 or float(model.retention_curve(rest, celsius, beyond)) == 0
        for point in own[::10]:
            seconds = float(model.retention_curve(rest, celsius, point["cycles"]))
            assert point["years"] == pytest.approx(seconds / YEAR)
    for figure_row, (rest, celsius) in zip(endurance.rows, places, strict=True):
        cycles = number(figure_row["P/E cycles"])
        assert (figure_row["rest"], number(figure_row["temperature (°C)"])) == (
            rests[rest],
            celsius,
        )
        assert float(model.retention_curve(rest, celsius, cycles)) == pytest.approx(YEAR, rel=2e-3)
    told = said(
        r"(?P<first>.*) years after 100\.0 cycles with 0 s of rest, (?P<last>.*) years with 1000 s",
        curves.title,
    )
    assert number(told["first"]) == close(float(model.retention_curve(0.0, 30.0, 100.0)) / YEAR)
    assert number(told["last"]) == close(float(model.retention_curve(1e3, 55.0, 100.0)) / YEAR)
    for row, (rest, celsius) in zip(curves.rows, places, strict=True):
        for heading, years in (("3 months", 0.25), ("1 year", 1), ("5 years", 5), ("10 years", 10)):
            if row[heading] != "–":
                found = float(model.retention_curve(rest, celsius, number(row[heading])))
                assert found == pytest.approx(years * YEAR, rel=5e-3)
    lines = printed(print_retention, retention.tables(answer), None)
    assert lines[0] == ["program/erase cycles until data last less than 1 year"]
    assert ["after 5,000 cycles"] in lines
    after = [line for line in lines[lines.index(["after 5,000 cycles"]) + 2 :] if len(line) == 5]
    spans = {"months": YEAR / 12, "years": YEAR, "days": 86_400.0}
    for line, (rest, celsius) in zip(after, places, strict=True):
        value, unit = line[2].split(" ")
        seconds = float(model.retention_curve(rest, celsius, 5_000.0))
        assert number(value) * spans[unit] == close(seconds)
        shortest = number(line[3].removesuffix(" s"))
        kept = float(model.retention_curve(shortest, celsius, 5_000.0))
        assert kept == pytest.approx(YEAR, rel=5e-3)
        kept = float(model.retention_curve(rest, number(line[4]), 5_000.0))
        assert kept == pytest.approx(YEAR, rel=5e-3)
