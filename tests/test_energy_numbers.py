"""What a report says of energy and power, recomputed from the windows of the run and from its requests."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import wordline as wl
from recomputed import highest, moved_bytes, total
from report_reader import Page, close, number, page_of, said, same_cells, same_rows, whole_percent
from wordline.formatting import display
from wordline.report import energy

POWERS = {
    "host": "power_flash_host_mw",
    "garbage collection": "power_flash_gc_mw",
    "other flash operations": "power_flash_other_mw",
}
COMPONENTS = (
    *("word_lines", "bit_lines", "select_lines", "sense", "decode", "tunnelling", "junction"),
    *("pump", "control", "precharge_return"),
)
BESIDE = {
    "controller": "the controller",
    "dram": "the DRAM",
    "channel_io": "the channels",
    "idle": "idle time",
}


@pytest.fixture(scope="module")
def run() -> wl.Result:
    """A run with garbage collection and with every part that takes power, in more windows than are drawn."""
    drive = wl.Drive.from_toml(
        "flashpower-mlc8",
        power={"controller": "0.3 W", "dram": "50 mW", "channel_io": "20 mW", "idle": "10 mW"},
        output={"window": "2.4 ms"},
    )
    load = {"kind": "random", "read_fraction": 0.3, "requests": 1_200, "queue_depth": 8}
    return wl.simulate(drive, load, progress=False)


@pytest.fixture(scope="module")
def section(run: wl.Result) -> Page:
    return page_of(energy.section(run))


def joules(series: pl.DataFrame, column: str) -> float:
    """The energy of a column of powers in mJ: milliwatts times seconds."""
    return float((series[column] * series["width_ns"]).sum()) / 1e9


def parts(run: wl.Result) -> list[tuple[str, str, float]]:
    """Cause, part and energy of everything that took any."""
    found = [
        (cause, part, run.number(f"energy.cause.{cause}.{part}_mj"))
        for cause in ("host", "gc", "wear")
        for part in COMPONENTS
        if f"energy.cause.{cause}.{part}_mj" in run.summary
    ]
    found = [each for each in found if each[0] != "wear" or each[2]]
    return found + [
        (words, part, run.number(f"energy.{part}_mj"))
        for part, words in BESIDE.items()
        if run.number(f"energy.{part}_mj")
    ]


def test_the_windows_hold_the_energy_of_the_run(run: wl.Result) -> None:
    series = run.time_series
    assert series.height > 300
    assert joules(series, "power_flash_host_mw") == pytest.approx(
        run.number("energy.cause.host_mj")
    )
    assert joules(series, "power_flash_gc_mw") == pytest.approx(run.number("energy.cause.gc_mj"))
    assert run.number("energy.cause.gc_mj") > 0
    assert joules(series, "power_mw") == pytest.approx(run.number("energy.total_mj"), rel=1e-3)


def test_energy_by_cause(run: wl.Result, section: Page) -> None:
    figure, found = section.figure("energy"), parts(run)
    every = joules(run.time_series, "power_mw")

    def key(row: Any) -> tuple[str, str]:
        return row["cause"], row["part"]

    wanted: list[dict[str, Any]] = [
        {"cause": cause, "part": part.replace("_", " "), "energy": mj, "share": mj / every}
        for cause, part, mj in found
    ]
    rows = sorted((row for row in figure.rows), key=key)
    assert {key(row) for row in wanted} <= {key(row) for row in rows}
    for row in rows:
        own = [each for each in wanted if key(each) == key(row)]
        energy_mj = own[0]["energy"] if own else 0.0
        assert number(row["energy (mJ)"]) == close(energy_mj)
        assert number(row["share"]) == pytest.approx(energy_mj / every, rel=2e-3, abs=1e-7)
    points = [point for point in figure.points("cause", "energy") if point["energy"]]
    same_rows(
        sorted(points, key=key),
        sorted(
            (
                {"cause": row["cause"], "part": row["part"], "energy": row["energy"]}
                for row in wanted
                if row["energy"]
            ),
            key=key,
        ),
    )
    assert [(each["x"], each["y"]) for each in figure.drawn()] == [("energy", "cause")]
    by_part: dict[str, float] = {}
    for _, part, mj in found:
        by_part[part] = by_part.get(part, 0.0) + mj
    largest = max(by_part, key=lambda part: by_part[part])
    moved = moved_bytes(run)
    told = said(
        r"The run took (?P<total>.*) mJ, (?P<each>.*) nJ for each byte of the host; the largest part is (?P<part>.*) "
        r"\((?P<share>\d+ %)\)",
        figure.title,
    )
    assert number(told["total"]) == pytest.approx(every, rel=2e-3)
    assert number(told["each"]) == pytest.approx(every * 1e6 / moved, rel=2e-3)
    assert told["part"] == largest.replace("_", " ")
    assert number(told["share"]) == whole_percent(by_part[largest] / every)


def merged(run: wl.Result) -> list[dict[str, float]]:
    """Mean powers of each point of the chart: two windows each, the last perhaps one."""
    windows = run.time_series.to_dicts()
    assert 300 < len(windows) <= 600
    # the last point holds the last window, which is shorter than the others
    assert len(windows) % 2 == 0
    assert windows[-1]["width_ns"] < windows[0]["width_ns"]
    found = []
    for first in range(0, len(windows), 2):
        own = windows[first : first + 2]
        width = sum(each["width_ns"] for each in own)

        def mean(column: str, own: list[dict[str, Any]] = own, width: int = width) -> float:
            return float(sum(each[column] * each["width_ns"] for each in own) / width)

        row = {"time": own[0]["start_ns"] / 1e9, "all": mean("power_mw")}
        row |= {name: mean(column) for name, column in POWERS.items()}
        row["beside the flash"] = row["all"] - sum(row[name] for name in POWERS)
        found.append(row)
    return found


def test_power_over_time(run: wl.Result, section: Page) -> None:
    figure, rows = section.figure("power"), merged(run)
    names = [*POWERS, "beside the flash"]
    wanted: list[dict[str, Any]] = [
        {"time": row["time"], "for": name, "power": row[name]} for row in rows for name in names
    ]
    same_rows(figure.points("for", "power"), wanted, rel=1e-6)
    same_cells(
        figure.rows,
        [
            {"start (s)": row["time"], "power (mW)": row["all"]}
            | {f"{name} (mW)": row[name] for name in names}
            for row in rows
        ],
    )
    assert [each["y"] for each in figure.drawn()] == ["power"]
    told = said(
        r"Mean power was (?P<mean>.*) mW, (?P<second>.*) mW in the highest second and (?P<most>.*) mW in the highest window",
        figure.title,
    )
    series = run.time_series
    mean = joules(series, "power_mw") / (total(series["width_ns"]) / 1e9)
    assert number(told["mean"]) == close(mean)
    assert number(told["most"]) == close(highest(series["power_mw"]))
    assert number(told["second"]) == close(highest_second(series))


def highest_second(series: pl.DataFrame) -> float:
    """The highest mean power of windows that are a second long together, mW: the fewest that are, from each on."""
    widths, powers = series["width_ns"].to_list(), series["power_mw"].to_list()
    means = []
    for first in range(len(widths)):
        time = energy = 0.0
        for width, power in zip(widths[first:], powers[first:], strict=True):
            time, energy = time + width, energy + width * power
            if time >= 1e9:
                means.append(energy / time)
                break
    return float(max(means))


def test_powers_of_the_configuration(run: wl.Result) -> None:
    """Controller and DRAM: watts times seconds, worked from the requests."""
    end = run.number("sim.time_s")
    assert run.number("energy.dram_mj") == pytest.approx(50 * end)
    at_work = run.number("energy.controller_mj") / 300
    assert run.number("energy.idle_mj") == pytest.approx(10 * (end - at_work))
    last = highest(run.requests["completed_ns"])
    assert at_work == pytest.approx(last / 1e9, rel=1e-6)


def test_large_powers_and_energies_are_in_watts_and_joules() -> None:
    drive = wl.Drive.from_toml("flashpower-mlc8", power={"controller": "8 W", "idle": "1 W"})
    load = {"kind": "random", "read_fraction": 0.3, "requests": 2_000, "queue_depth": 8}
    run = wl.simulate(drive, load, progress=False)
    section = page_of(energy.section(run))
    watts, millijoules = run.number("power.mean_mw") / 1e3, run.number("energy.total_mj")
    assert watts > 1
    assert millijoules > 1e3
    figure = section.figure("power")
    assert figure.title.startswith(f"Mean power was {display(watts)} W, ")
    assert {"power (W)", "host (W)", "beside the flash (W)"} <= set(figure.rows[0])
    first = energy.merged(run.time_series).row(0, named=True)
    assert number(figure.rows[0]["power (W)"]) == close(first["power_mw"] / 1e3)
    assert figure.points("for", "power")[0]["power"] == pytest.approx(
        first["power_flash_host_mw"] / 1e3
    )
    assert figure.spec["encoding"]["y"]["title"] == "mean power (W)"
    causes = section.figure("energy")
    assert causes.title.startswith(f"The run took {display(millijoules / 1e3)} J, ")
    (controller,) = [row for row in causes.rows if row["part"] == "controller"]
    assert number(controller["energy (J)"]) == close(run.number("energy.controller_mj") / 1e3)
    assert causes.spec["encoding"]["x"]["title"] == "energy (J)"
