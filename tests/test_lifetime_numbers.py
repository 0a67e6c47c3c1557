"""What the page of a lifetime study says, recomputed from its snapshots, its blocks and the lives of a fleet."""

from __future__ import annotations

import math
import re
import statistics
from typing import Any

import pytest

import wordline as wl
from report_reader import Page, close, number, said, same_cells, same_rows
from wordline.lifetimes import Lifetime
from wordline.report import lifetime as report
from wordline.report import replicas as replicas_report

DAY = 86_400.0
YEAR = 365 * DAY
MONTH = YEAR / 12
UNITS = {"s": 1.0, "h": 3600.0, "day": DAY, "month": MONTH, "year": YEAR}
ASKED = wl.LifetimeStudy(
    writes_per_day=50,
    horizon=50 * DAY,
    every=10 * DAY,
    required=5 * YEAR,
    variation=wl.CellVariation(drives=12, leak=0.3),
    cell="mlc",
)


@pytest.fixture(scope="module")
def found() -> Lifetime:
    return wl.lifetime("tiny", asked=ASKED, progress=False)


@pytest.fixture(scope="module")
def shown(found: Lifetime) -> Page:
    return Page(report.render(found, ASKED))


def seconds(text: str) -> float:
    """A span of time as the page says it."""
    value, unit = text.rsplit(" ", 1)
    return number(value) * UNITS[unit.removesuffix("s") or "s"]


def crossing(found: Lifetime, column: str, required: float) -> tuple[float, float]:
    """The snapshots between which a percentile falls below what is required."""
    rows = found.snapshots.to_dicts()
    below = next(place for place, row in enumerate(rows) if row[column] < required)
    return rows[below - 1]["time_s"], rows[below]["time_s"]


def test_the_verdict(found: Lifetime, shown: Page) -> None:
    told = said(
        r"At 50 drive writes a day and 30 °C: after 1.644 months blocks have (?P<erases>\S+) of the 100,000 cycles that such flash is usually rated for; "
        r"for (?P<life>.*) \(± (?P<error>.*)\) 90 % of the blocks keep data for (?P<required>.*) without power, and fewer after that",
        shown.heading,
    )
    assert seconds(told["required"]) == ASKED.required
    assert number(told["erases"]) == pytest.approx(
        found.snapshots["erase_count_mean"][-1], abs=0.51
    )
    life = seconds(told["life"])
    low, high = crossing(found, "retention_p10_s", ASKED.required)
    assert low < life < high
    assert life == close(found.summary["life_s"] or 0.0)
    assert seconds(told["error"]) == pytest.approx(found.summary["life_error_s"], rel=1e-3)
    figure, *_ = shown.figures_of("Retention")
    assert figure.title == shown.heading


def test_snapshots_in_the_page(found: Lifetime, shown: Page) -> None:
    (figure,) = shown.figures_of("Retention")
    rows = found.snapshots.to_dicts()
    assert len(figure.rows) == len(rows) == 6
    for line, row in zip(figure.rows, rows, strict=True):
        assert number(line["months"]) * MONTH == pytest.approx(row["time_s"], rel=1e-3)
        for name, key in (("p1", "p01"), ("p10", "p10"), ("p50", "p50"), ("p90", "p90")):
            assert seconds(line[name]) == close(row[f"retention_{key}_s"])
        assert number(line["erases"]) == close(row["erase_count_mean"])
        assert number(line["stddev"]) == close(row["erase_count_stddev"])
        assert number(line["fewest"]) == row["erase_count_min"]
        assert number(line["most"]) == row["erase_count_max"]
    points = [
        {
            "months": row["time_s"] / MONTH,
            "percentile": name,
            "years": row[f"retention_p{int(name):02}_s"] / YEAR,
        }
        for row in rows
        for name in ("1", "10", "50", "90")
    ]
    same_rows(figure.points("months", "percentile"), points)
    line_, rule = figure.drawn()
    assert (line_["x"], line_["y"], line_["color"], rule["y"]) == (
        "months",
        "years",
        "percentile",
        "years",
    )
    (required,) = (
        rows_ for rows_ in figure.spec["datasets"].values() if list(rows_[0]) == ["years"]
    )
    assert required == [{"years": 5.0}]


def test_the_blocks_at_the_end(found: Lifetime, shown: Page) -> None:
    (figure,) = shown.figures_of("Wear")
    counts = found.blocks["erase_count"].to_list()
    bars = {count: counts.count(count) for count in sorted(set(counts))}
    assert len(bars) > 3
    same_cells(
        figure.rows,
        [{"from": count, "to": count, "blocks": blocks} for count, blocks in bars.items()],
    )
    told = said(
        r"(?P<mean>.*) erases per block on average, standard deviation (?P<deviation>.*)",
        figure.title,
    )
    assert number(told["mean"]) == close(statistics.fmean(counts))
    assert number(told["deviation"]) == close(statistics.pstdev(counts))
    spread = report.answer(found, ASKED)["erase_count"]
    ranked = sorted(counts)
    assert (spread["min"], spread["max"]) == (ranked[0], ranked[-1])
    for name, share in (("p01", 0.01), ("p10", 0.1), ("p50", 0.5), ("p90", 0.9), ("p99", 0.99)):
        place = share * (len(ranked) - 1)
        assert ranked[math.floor(place)] <= spread[name] <= ranked[math.ceil(place)]


def test_the_fleet(found: Lifetime, shown: Page) -> None:
    (figure,) = shown.figures_of("Drives whose cells vary")
    ranked = sorted(life for life in found.fleet_lives if life is not None)
    assert len(ranked) == 12
    assert found.fleet is not None
    for drive, life in enumerate(found.fleet_lives):
        rows = found.fleet.filter(found.fleet["drive"] == drive).to_dicts()
        below = next(place for place, row in enumerate(rows) if row["retention_p10_s"] < 5 * YEAR)
        assert rows[below - 1]["time_s"] < (life or 0.0) < rows[below]["time_s"]
    told = said(
        r"Of 12 drives whose cells vary, nine in ten last at least (?P<life>\S+) months",
        figure.title,
    )
    # of twelve drives one may fail before: the tenth percentile by nearest rank is the second
    assert number(told["life"]) * MONTH == close(ranked[1])
    lives = {row["drives"]: number(row["life (months)"]) * MONTH for row in figure.rows}
    assert lives == {
        "shortest": close(ranked[0]),
        "p10": close(ranked[1]),
        "p50": close(ranked[5]),
        "p90": close(ranked[10]),
        "longest": close(ranked[11]),
    }
    steps = [{"months": 0.0, "drives": 100.0}]
    steps += [
        {"months": life / MONTH, "drives": 100 * (12 - place) / 12}
        for place, life in enumerate(ranked, 1)
    ]
    steps.append({"months": 50 * DAY / MONTH, "drives": 0.0})
    same_rows(figure.points("months", "drives"), steps)
    answer = report.answer(found, ASKED)
    assert answer["fleet_life_p10_s"] == ranked[1]
    assert list(answer["fleet_life_s"]) == list(found.fleet_lives)


def test_the_tables_on_the_terminal(found: Lifetime) -> None:
    (verdict, rows), (fleet, lives), (heading, (work,)) = report.tables(found, ASKED)
    assert verdict.endswith("keep data for 5 years without power, and fewer after that")
    assert [row["months"] for row in rows] == pytest.approx(
        [10 * number_ * DAY / MONTH for number_ in range(6)]
    )
    assert fleet.startswith("Of 12 drives")
    assert len(lives) == 5
    assert heading == "how that was found"
    summary = found.summary
    assert work["write amplification"] == summary["write_amplification"]
    # a drive write is 25,600 pages, and there are 50 a day for 50 days
    written = 25_600 * 50 * 50
    assert summary["pages_programmed"] == pytest.approx(
        written * (summary["write_amplification"] or 0) * (summary["simulated_share"] or 0), rel=0.5
    )
    assert work["pages programmed"] == summary["pages_programmed"]
    assert work["time simulated (%)"] == pytest.approx(100 * (summary["simulated_share"] or 0))
    assert work["error of retention (%)"] == pytest.approx(100 * (summary["error"] or 0))
    assert work["CPU (s)"] == summary["run.cpu_s"]
    told = re.fullmatch(r"(\d+), (\d+) discarded, (\d+) in halves", str(work["skips"]))
    assert told
    assert [int(part) for part in told.groups()] == [
        summary[f"skips_{name}"] for name in ("kept", "discarded", "halved")
    ]


@pytest.fixture(scope="module")
def repeated() -> wl.LifetimeReplicas:
    asked = wl.LifetimeStudy(
        writes_per_day=50, horizon=40 * DAY, every=10 * DAY, required=5 * YEAR, cell="mlc"
    )
    return wl.lifetime_replicas("tiny", asked=asked, replicas=3, progress=False)


def test_replicas(repeated: wl.LifetimeReplicas) -> None:
    lives: list[Any] = [found.summary["life_s"] for found in repeated.found.values()]
    shown = Page(replicas_report.render(repeated, ASKED))
    told = said(
        r"Drives keep data less than 5 years after (?P<life>\S+) ± (?P<width>\S+) months, by 3 seeds",
        shown.heading,
    )
    mean, deviation = statistics.fmean(lives), statistics.stdev(lives)
    # Student's t of two degrees of freedom is 4.303
    width = 4.302653 * deviation / math.sqrt(3)
    assert number(told["life"]) * MONTH == close(mean)
    assert number(told["width"]) * MONTH == pytest.approx(width, rel=0.051)
    (figure,) = shown.figures_of("Retention")
    for line, (seed, found) in zip(figure.rows, repeated.found.items(), strict=True):
        last = found.snapshots.to_dicts()[-1]
        assert line["seed"] == str(seed)
        assert number(line["life (months)"]) * MONTH == close(found.summary["life_s"] or 0.0)
        assert seconds(line["p10 at the end"]) == close(last["retention_p10_s"])
        assert number(line["erases"]) == close(last["erase_count_mean"])
        assert number(line["write amplification"]) == close(
            found.summary["write_amplification"] or 0
        )
        assert number(line["error of retention (%)"]) == close(
            100 * (found.summary["error"] or 0.0)
        )
    points = [
        {"months": row["time_s"] / MONTH, "years": row["retention_p10_s"] / YEAR, "seed": seed}
        for seed, found in repeated.found.items()
        for row in found.snapshots.to_dicts()
    ]
    same_rows(figure.points("months", "seed"), points)
    answer = replicas_report.answer(repeated, ASKED)
    assert (answer["replicas"], answer["beyond_horizon"], answer["confidence"]) == (3, 0, 0.95)
    assert answer["life_s"] == {
        "mean": pytest.approx(mean),
        "half_width": pytest.approx(width, rel=1e-5),
        "deviation": pytest.approx(deviation),
        "count": 3,
    }
    assert [study["life_s"] for study in answer["studies"]] == lives
