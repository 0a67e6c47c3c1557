"""What a report says over time, recomputed from the requests and from every span of dies and channels."""

from __future__ import annotations

from functools import cache
from typing import Any

import polars as pl
import pytest

import wordline as wl
from recomputed import end_ns, total
from report_reader import (
    Page,
    about,
    microseconds,
    number,
    page_of,
    percents,
    said,
    same_cells,
    same_rows,
    whole_percent,
)
from wordline.report import over_time, utilisation

WINDOW = 500_000
"""Window of the run in ns."""
MERGED = 2
"""Windows of a point: there are more than the 300 that are drawn, and fewer than 600."""
SLOT = WINDOW * MERGED
DIES, CHANNELS = 4, 2


@cache
def recomputed(result: wl.Result) -> list[dict[str, Any]]:
    """The figures of each point of time, from requests and spans; of windows without a request there is no latency."""
    end = int(end_ns(result))
    requests = result.requests.with_columns(
        slot=pl.col("completed_ns") // SLOT,
        latency=(pl.col("completed_ns") - pl.col("arrival_ns")) / 1e3,
        bytes=pl.col("sectors").cast(pl.Int64) * 512,
    )
    dies = result.timeline.filter(pl.col("track") == "die").with_columns(
        slot=pl.col("to_ns") // SLOT
    )
    found = []
    for slot in range(-(-end // SLOT)):
        start, stop = slot * SLOT, min((slot + 1) * SLOT, end)
        row: dict[str, Any] = {"start": start / 1e9, "end": stop / 1e9}
        own = requests.filter(pl.col("slot") == slot)
        for kind in ("read", "write"):
            of_kind = own.filter(pl.col("class") == kind)
            row[f"{kind}s"] = of_kind.height
            row[f"{kind} MB/s"] = total(of_kind["bytes"]) / 1e6 / ((stop - start) / 1e9)
            row[f"{kind} mean"] = of_kind["latency"].mean()
            row[f"{kind} max"] = of_kind["latency"].max()
        row["depth"] = sum(
            max(min(completed, stop) - max(admitted, start), 0)
            for admitted, completed in requests.filter(
                (pl.col("admitted_ns") < stop) & (pl.col("completed_ns") > start)
            )
            .select("admitted_ns", "completed_ns")
            .iter_rows()
        ) / (stop - start)
        there = dies.filter(pl.col("slot") == slot)
        programs = there.filter(pl.col("activity") == "program")
        row["gc"] = programs.filter(pl.col("cause") == "gc")["count"].sum()
        row["other"] = programs.filter(~pl.col("cause").is_in(["gc", "host"]))["count"].sum()
        row["erased"] = there.filter(pl.col("activity") == "erase")["count"].sum()
        found.append(row)
    return found


def test_the_run_is_worth_looking_at(whole: wl.Result) -> None:
    rows = recomputed(whole)
    assert 150 < len(rows) < 300 < whole.time_series.height
    assert sum(row["gc"] for row in rows) > 1_000
    assert any(row["read mean"] is None for row in rows) or min(row["reads"] for row in rows) >= 0
    # the last point is shorter than the others
    assert rows[-1]["end"] - rows[-1]["start"] < SLOT / 1e9


def test_the_table_over_time(whole: wl.Result, page: Page) -> None:
    wanted = [
        {
            "start (s)": row["start"],
            "reads": row["reads"],
            "read (MB/s)": row["read MB/s"],
            "read mean (µs)": row["read mean"],
            "read slowest (µs)": row["read max"],
            "writes": row["writes"],
            "write (MB/s)": row["write MB/s"],
            "write mean (µs)": row["write mean"],
            "write slowest (µs)": row["write max"],
            "requests in the drive": row["depth"],
            "programs by GC": row["gc"],
            "blocks erased": row["erased"],
        }
        for row in recomputed(whole)
    ]
    same_cells(page.figure("over-time").rows, wanted)


def test_the_panels_over_time(whole: wl.Result, page: Page) -> None:
    figure, rows = page.figure("over-time"), recomputed(whole)
    wanted = [
        {
            "time": row["start"],
            "class": kind,
            "throughput": row[f"{kind} MB/s"],
            "mean": row[f"{kind} mean"],
            "slowest": row[f"{kind} max"],
        }
        for row in rows
        for kind in ("read", "write")
    ]
    same_rows(figure.points("class", "throughput", "mean", "slowest"), wanted)
    depth = [{"time": row["start"], "depth": row["depth"]} for row in rows]
    same_rows(figure.points("depth"), depth, rel=1e-6)
    pages = [
        {"time": row["start"], "cause": cause, "pages": row[cause]}
        for row in rows
        for cause in ("gc", "other")
    ]
    same_rows(figure.points("cause", "pages"), pages)
    most = max(row["gc"] for row in rows)
    shades = [
        {"time": row["start"], "end": row["end"], "gc": row["gc"] / most}
        for row in rows
        if row["gc"]
    ]
    assert len({shade["gc"] for shade in shades}) > 2
    same_rows(figure.points("end", "gc"), shades)
    shade = {"mark": "rect", "x": "time", "x2": "end", "opacity": "gc"}
    drawn = [
        {key: value for key, value in each.items() if key != "color"} for each in figure.drawn()
    ]
    assert drawn == [
        part
        for name in ("throughput", "mean", "slowest")
        for part in (shade, {"mark": "line", "x": "time", "y": name})
    ] + [{"mark": "line", "x": "time", "y": "depth"}, {"mark": "area", "x": "time", "y": "pages"}]


def test_the_sentence_over_time(whole: wl.Result, page: Page) -> None:
    rows = recomputed(whole)
    found = said(
        r"Garbage collection moved pages in (?P<share>\d+ %) of the windows; the slowest request took (?P<time>.*), "
        r"about (?P<when>.*) into the run",
        page.figure("over-time").title,
    )
    assert number(found["share"]) == whole_percent(sum(row["gc"] > 0 for row in rows) / len(rows))
    requests = whole.requests.with_columns(latency=pl.col("completed_ns") - pl.col("arrival_ns"))
    slowest = requests.sort("latency").row(-1, named=True)
    assert microseconds(found["time"]) == about(slowest["latency"] / 1e3)
    assert microseconds(found["when"]) == about(slowest["completed_ns"] // SLOT * SLOT / 1e3)


def test_a_run_without_background_work_says_so() -> None:
    drive = wl.Drive.from_toml("tiny", **{"age.method": "fresh"})
    figure = page_of(
        over_time.section(wl.simulate(drive, {"requests": 400}, progress=False))
    ).figure("over-time")
    assert figure.title.startswith("Garbage collection moved no page; the slowest request took ")
    assert "pages" not in {each.get("y") for each in figure.drawn()}


@cache
def shares(result: wl.Result, track: str) -> list[dict[str, Any]]:
    """Busy shares of each die or channel in each interval of the utilisation table, from spans."""
    places = result.utilisation.filter(pl.col("track") == track)
    spans = result.timeline.filter(pl.col("track") == track)
    found = []
    for unit, start, width in places.select("unit", "start_ns", "width_ns").iter_rows():
        own = spans.filter(
            (pl.col("unit") == unit)
            & (pl.col("from_ns") < start + width)
            & (pl.col("to_ns") > start)
        ).with_columns(
            inside=pl.min_horizontal("to_ns", start + width)
            - pl.max_horizontal("from_ns", pl.lit(start, pl.UInt64))
        )
        found.append(
            {
                "unit": unit,
                "start": start,
                "width": width,
                "busy": own["inside"].sum(),
                "background": own.filter(pl.col("cause") != "host")["inside"].sum(),
            }
        )
    return found


@pytest.mark.parametrize(("track", "units"), [("die", DIES), ("channel", CHANNELS)])
def test_dies_and_channels(whole: wl.Result, page: Page, track: str, units: int) -> None:
    figure, places = page.figure(f"{track}-utilisation"), shares(whole, track)
    wanted = [
        {
            "unit": each["unit"],
            "start": each["start"] / 1e9,
            "end": (each["start"] + each["width"]) / 1e9,
            "busy": each["busy"] / each["width"],
            "background": each["background"] / each["width"],
        }
        for each in sorted(places, key=lambda each: (each["unit"], each["start"]))
    ]
    # cells are rounded to seven digits
    same_rows(figure.points("unit", "busy", "background"), wanted, rel=1e-9, abs=6e-8)
    assert [each["color"] for each in figure.drawn()] == ["busy", "background"]
    largest = max(each["busy"] for each in wanted)
    for panel in figure.spec["hconcat"]:
        assert panel["encoding"]["color"]["scale"]["domain"] == pytest.approx(
            [0, largest], rel=1e-6
        )
    end = end_ns(whole)
    totals = {
        unit: {
            name: sum(each[name] for each in places if each["unit"] == unit) / end
            for name in ("busy", "background")
        }
        for unit in range(units)
    }
    assert [int(row[track]) for row in figure.rows] == list(range(units))
    for row in figure.rows:
        unit = int(row[track])
        assert number(row["busy"]) == percents(totals[unit]["busy"])
        assert number(row["with background work"]) == percents(totals[unit]["background"])
        longest = max(each["busy"] / each["width"] for each in places if each["unit"] == unit)
        assert number(row["busiest stretch"]) == percents(longest)
    most = max(totals, key=lambda unit: totals[unit]["busy"])
    least = min(totals, key=lambda unit: totals[unit]["busy"])
    found = said(
        rf"{track.capitalize()} (?P<most>\d+) was busiest: (?P<busy>.* %) of the time, (?P<background>.* %) with "
        rf"background work; {track} (?P<least>\d+) least, (?P<little>.* %)",
        figure.title,
    )
    assert (int(found["most"]), int(found["least"])) == (most, least)
    assert number(found["busy"]) == percents(totals[most]["busy"])
    assert number(found["background"]) == percents(totals[most]["background"])
    assert number(found["little"]) == percents(totals[least]["busy"])


def test_merged_dies_show_the_mean_of_their_neighbours() -> None:
    units, widths = 130, (10, 5)
    table = pl.DataFrame(
        [
            {
                "track": "die",
                "unit": unit,
                "start_ns": 10 * place,
                "width_ns": width,
                "busy": (unit + place) / 200,
                "background": unit / 400,
            }
            for unit in range(units)
            for place, width in enumerate(widths)
        ]
    )
    figure = utilisation.heat_map("die", table)
    cells = {
        (cell["unit"], round(1e9 * cell["start"])): cell
        for rows in figure.chart["datasets"].values()
        for cell in rows
    }
    # 64 rows at most: three dies each, and one that is alone
    assert sorted({unit for unit, _ in cells}) == list(range(0, units, 3))
    for (unit, start), cell in cells.items():
        members = range(unit, min(unit + 3, units))
        place = start // 10
        mean = sum(member + place for member in members) / len(members) / 200
        assert cell["busy"] == pytest.approx(mean, abs=1e-6)
        assert cell["background"] == pytest.approx(sum(members) / len(members) / 400, abs=1e-6)
        assert cell["end"] == pytest.approx((start + widths[place]) / 1e9)
