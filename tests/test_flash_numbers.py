"""What a report says of flash operations, wear and errors, recomputed from spans, blocks and counts."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest

import wordline as wl
from recomputed import total
from report_reader import (
    Page,
    close,
    number,
    page_of,
    said,
    same_cells,
    same_rows,
    whole_percent,
)
from wordline.report import operations, reliability, wear
from wordline.report.erases import erase_histogram

KINDS = {"pages programmed": "program", "pages read": "read", "blocks erased": "erase"}
"""Operations as the report calls them, and as the timeline does."""


def counted(result: wl.Result) -> dict[str, dict[str, int]]:
    """Flash operations by kind and cause, the host's first, from the spans of the dies."""
    dies = result.timeline.filter(pl.col("track") == "die")
    return {
        name: {
            cause: pages
            for cause in ("host", "gc")
            if (
                pages := int(
                    total(
                        dies.filter((pl.col("activity") == activity) & (pl.col("cause") == cause))[
                            "count"
                        ]
                    )
                )
            )
        }
        for name, activity in KINDS.items()
    }


def test_operations_by_cause(whole: wl.Result, page: Page) -> None:
    figure, counts = page.figure("operations"), counted(whole)
    assert sum(len(causes) for causes in counts.values()) == 5
    rows = [
        {"operation": name, "cause": cause, "count": count, "share": count / sum(causes.values())}
        for name, causes in counts.items()
        for cause, count in causes.items()
    ]
    same_cells(figure.rows, rows)
    points = [
        row | {"label": f"{row['operation']}: {sum(counts[str(row['operation'])].values()):,}"}
        for row in rows
    ]
    same_rows(figure.points("operation", "share"), points)
    assert [(each["x"], each["y"]) for each in figure.drawn()] == [("share", "label")]
    written = whole.requests.filter(pl.col("class") == "write").height
    found = said(
        r"Each page that the host wrote cost (?P<factor>[\d.]+) page programs \(write amplification\); "
        r"(?P<erased>\d+) blocks were erased",
        figure.title,
    )
    programs = sum(counts["pages programmed"].values())
    assert number(found["factor"]) == pytest.approx(programs / written, abs=5.1e-4)
    assert int(found["erased"]) == sum(counts["blocks erased"].values())


def test_write_amplification_by_cause(whole: wl.Result, page: Page) -> None:
    figure, programs = page.figure("write-amplification"), counted(whole)["pages programmed"]
    written = whole.requests.filter(pl.col("class") == "write").height
    same_cells(
        figure.rows,
        [
            {"cause": cause, "pages programmed": count, "per page of host writes": count / written}
            for cause, count in programs.items()
        ],
    )
    points = [{"cause": cause, "programs": count / written} for cause, count in programs.items()]
    same_rows(figure.points("cause", "programs"), points)
    assert [each["x"] for each in figure.drawn()] == ["programs"]
    found = said(
        r"Flash pages programmed per page of host writes: (?P<own>.*) for host data, (?P<added>.*) for other causes, mostly "
        r"garbage collection",
        figure.title,
    )
    assert number(found["own"]) == pytest.approx(programs["host"] / written, rel=5e-3)
    assert number(found["added"]) == pytest.approx(programs["gc"] / written, rel=5e-3)
    assert figure.remark == ""


class Summarised:
    """A result of which only the summary is asked."""

    def __init__(self, **summary: object) -> None:
        self.summary = {key.replace("__", "."): value for key, value in summary.items()}


def test_amplification_of_other_causes() -> None:
    """Worked by hand: 100 pages written, of which the buffer kept ten back; 40 moved, 25 of them by wear levelling."""
    summary: Any = Summarised(
        host__page_writes=100,
        ftl__write_amplification=1.3,
        ftl__blocks_erased=2_000,
        ftl__pages_programmed__host=90,
        ftl__pages_programmed__gc=15,
        ftl__pages_programmed__wear=25,
        ftl__pages_programmed__merge=0,
        ftl__pages_read__host=0,
    )
    both = page_of(operations.section(summary)).figures_of("Flash operations")
    by_cause, figure = both
    assert by_cause.title.endswith("; 2,000 blocks were erased")
    assert {row["cause"]: row["share"] for row in by_cause.rows} == {
        "host": "0.6923",
        "gc": "0.1154",
        "wear": "0.1923",
    }
    assert figure.title == (
        "Flash pages programmed per page of host writes: 0.9 for host data, 0.4 for other causes, mostly wear levelling"
    )
    assert figure.remark.startswith("Less than one page for host data")
    summary.summary |= {"ftl.write_amplification": None, "host.page_writes": 0}
    (alone,) = page_of(operations.section(summary)).figures_of("Flash operations")
    assert alone.title == "The host wrote nothing; 2,000 blocks were erased"


PLACE = ("channel", "chip", "die", "plane")


def blocks_of(erases: dict[tuple[int, int, int, int], list[int]]) -> pl.DataFrame:
    """Blocks of some planes with these erase counts."""
    rows = [
        dict(zip(PLACE, place, strict=True)) | {"index": index, "erase_count": count}
        for place, counts in erases.items()
        for index, count in enumerate(counts)
    ]
    return pl.DataFrame(rows)


def spread(counts: list[int]) -> float:
    """Standard deviation of a whole population."""
    mean = sum(counts) / len(counts)
    return math.sqrt(sum((count - mean) ** 2 for count in counts) / len(counts))


@pytest.fixture(scope="module")
def worn() -> wl.Result:
    """A drive that is written until its blocks were erased several times."""
    drive = wl.Drive.from_toml("tiny", **{"workload.read_fraction": 0.0})
    return wl.simulate(drive, {"requests": 30_000}, progress=False)


def test_wear_by_plane(worn: wl.Result) -> None:
    figure = page_of(wear.section(worn)).figure("wear")
    blocks = worn.blocks
    counts = blocks["erase_count"].to_list()
    assert len(set(counts)) > 3
    by_plane: dict[tuple[int, ...], list[int]] = {}
    for row in blocks.iter_rows(named=True):
        by_plane.setdefault(tuple(row[name] for name in PLACE), []).append(row["erase_count"])
    same_cells(
        figure.rows,
        [
            dict(zip(PLACE, place, strict=True))
            | {
                "blocks": len(own),
                "erases": sum(own),
                "fewest": min(own),
                "mean": sum(own) / len(own),
                "most": max(own),
                "standard deviation": spread(own),
            }
            for place, own in sorted(by_plane.items())
        ],
    )
    found = said(
        r"Blocks were erased (?P<mean>.*) times on average, between (?P<low>\d+) and (?P<high>\d+) "
        r"\(standard deviation (?P<deviation>.*)\)",
        figure.title,
    )
    assert number(found["mean"]) == close(sum(counts) / len(counts))
    assert (int(found["low"]), int(found["high"])) == (min(counts), max(counts))
    assert number(found["deviation"]) == close(spread(counts))
    wanted = [
        {
            "row": row,
            "row_end": row + 1,
            "block": block,
            "block_end": block + 1,
            "erases": float(count),
            "place": ", ".join(f"{name} {value}" for name, value in zip(PLACE, place, strict=True)),
        }
        for row, (place, own) in enumerate(sorted(by_plane.items()))
        for block, count in enumerate(own)
    ]
    same_rows(figure.points("place", "erases"), wanted)
    (drawn,) = figure.drawn()
    assert drawn == {
        "mark": "rect",
        "x": "block",
        "x2": "block_end",
        "y": "row",
        "y2": "row_end",
        "color": "erases",
    }


def test_wear_by_number_of_erases(worn: wl.Result) -> None:
    figure = page_of(wear.section(worn)).figure("wear-histogram")
    counts = worn.blocks["erase_count"].to_list()
    bars = {count: counts.count(count) for count in sorted(set(counts))}
    same_cells(
        figure.rows,
        [{"from": count, "to": count, "blocks": blocks} for count, blocks in bars.items()],
    )
    points = [
        {"left": count - 0.5, "right": count + 0.5, "blocks": blocks}
        for count, blocks in bars.items()
    ]
    same_rows(figure.points("left", "right"), points)
    commonest = max(bars, key=lambda count: bars[count])
    assert figure.title == (
        f"The commonest number of erases is {commonest}: {bars[commonest]} of {len(counts)} blocks"
    )


def test_the_map_of_a_large_drive_merges_planes_and_blocks() -> None:
    """130 planes of 200 blocks: rows of three planes, columns of three blocks."""
    erases = {
        (plane // 65, 0, plane % 65, 0): [plane + 2 * block for block in range(200)]
        for plane in range(130)
    }
    figure = wear.wear_map(blocks_of(erases))
    (cells,) = figure.chart["datasets"].values()
    assert {cell["row"] for cell in cells} == set(range(0, 130, 3))
    assert {cell["block"] for cell in cells} == set(range(0, 200, 3))
    assert figure.remark == "Each cell is the mean of up to 9 blocks."
    for cell in cells:
        planes = range(cell["row"], min(cell["row"] + 3, 130))
        blocks = range(cell["block"], min(cell["block"] + 3, 200))
        mean = sum(plane + 2 * block for plane in planes for block in blocks) / (
            len(planes) * len(blocks)
        )
        assert cell["erases"] == pytest.approx(mean, abs=1e-3)


def test_bars_of_many_numbers_of_erases() -> None:
    """Numbers from 10 to 139 in at most 60 bars: three numbers each."""
    erases = pl.Series("erases", [10 + number % 130 for number in range(400)])
    _, bars = erase_histogram(erases)
    counts = erases.to_list()
    assert [bar["from"] for bar in bars] == list(range(10, 140, 3))
    for bar in bars:
        assert bar["to"] == bar["from"] + 2
        assert bar["blocks"] == sum(bar["from"] <= count <= bar["to"] for count in counts)


def test_blocks_that_are_all_alike_have_a_sentence() -> None:
    class Alike:
        def __init__(self, count: int) -> None:
            self.blocks = blocks_of({(0, 0, 0, 0): [count] * 1_200})

    for count, wanted in (
        (1_300, "Every one of the 1,200 blocks was erased 1,300 times."),
        (0, "No block was ever erased."),
    ):
        alike: Any = Alike(count)
        assert wear.section(alike).absent == wanted


@pytest.fixture(scope="module")
def unreliable() -> wl.Result:
    """A run whose reads need one or two attempts, the first of them at level 2."""
    drive = wl.Drive.from_toml(
        "tiny",
        **{
            "ecc.kind": "ldpc",
            "ecc.ldpc.start": 2,
            "age.method": "overwritten",
            "age.random_factor": 0.2,
            "age.initial_cycles": 10_000,
        },
    )
    return wl.simulate(drive, {"requests": 1_000, "kind": "random"}, progress=False)


BINS = (
    *("0", "1e-8", "18e-9", "32e-9", "56e-9", "1e-7", "18e-8", "32e-8", "56e-8", "1e-6", "18e-7"),
    *("32e-7", "56e-7", "1e-5", "18e-6", "32e-6", "56e-6", "1e-4", "18e-5", "32e-5", "56e-5"),
    *("1e-3", "18e-4", "32e-4", "56e-4", "1e-2", "18e-3", "32e-3", "56e-3", "1e-1"),
)
"""Lower bounds of the intervals of bit error rates, as the reference names them."""


def test_reads_by_error_rate(unreliable: wl.Result) -> None:
    rates, _ = page_of(reliability.section(unreliable)).figures_of("Reliability")
    counts = {
        float(bound): int(unreliable.number(f"cell.rber.from.{bound}.reads"))
        for bound in BINS
        if unreliable.summary.get(f"cell.rber.from.{bound}.reads")
    }
    pages = unreliable.number("ftl.pages_read")
    assert len(counts) > 1
    assert sum(counts.values()) == pages
    same_cells(
        [row for row in rates.rows if row["reads"] != "0"],
        [
            {"from": f"{bound:.1e}", "reads": reads, "share": reads / pages}
            for bound, reads in sorted(counts.items())
        ],
    )
    (drawn,) = rates.drawn()
    assert (drawn["x"], drawn["y"]) == ("from", "reads")
    found = said(
        r"Pages were read at a raw bit error rate of (?P<mean>.*) on average, (?P<most>.*) at most",
        rates.title,
    )
    mean = number(found["mean"])
    low = sum(bound * reads for bound, reads in counts.items()) / pages
    # a bin reaches to 1.8 times its lower bound
    assert low < mean < 1.8 * low
    assert mean == close(unreliable.number("cell.rber.mean"))
    assert number(found["most"]) == close(unreliable.number("cell.rber.max"))
    assert max(counts) <= number(found["most"]) < 1.8 * max(counts)


def test_reads_by_level_and_attempts(unreliable: wl.Result) -> None:
    _, figure = page_of(reliability.section(unreliable)).figures_of("Reliability")
    summary = unreliable.summary
    wanted = [
        {
            "by": by,
            "number": number,
            "reads": int(unreliable.number(f"ecc.{key}.{number}.reads")),
            "share": unreliable.number(f"ecc.{key}.{number}.reads")
            / unreliable.number("ftl.pages_read"),
        }
        for by, key in (("level of success", "level"), ("attempts", "attempts"))
        for number in range(1, 8)
    ]
    # the first attempt is at level 2
    levels, attempts = (
        [int(unreliable.number(f"ecc.{key}.{number}.reads")) for number in range(1, 8)]
        for key in ("level", "attempts")
    )
    assert levels[1:] == attempts[:-1]
    assert 0 < attempts[1] < attempts[0]
    same_cells(figure.rows, wanted)
    same_rows(figure.points("by", "number"), wanted)
    found = said(
        r"A page read took (?P<mean>.*) attempts on average; (?P<failed>\d+) could not be corrected",
        figure.title,
    )
    mean = sum(place * reads for place, reads in enumerate(attempts, 1)) / sum(attempts)
    assert number(found["mean"]) == close(mean)
    assert int(found["failed"]) == summary["ecc.uncorrectable_reads"] == 0


def test_reads_that_fail_are_counted() -> None:
    lost: Any = Summarised(
        **{
            "cell.rber.from.1e-2.reads": 8,
            "cell.rber.mean": 0.012,
            "cell.rber.max": 0.015,
            "ecc.level.7.reads": 3,
            "ecc.attempts.1.reads": 2,
            "ecc.attempts.4.reads": 6,
            "ecc.attempts.mean": 3.25,
            "ecc.uncorrectable_reads": 5,
        }
    )
    rates, attempts = page_of(reliability.section(lost)).figures
    assert rates.title.startswith(
        "Pages were read at a raw bit error rate of 0.01200 on average, 0.0150"
    )
    assert attempts.title == "A page read took 3.250 attempts on average; 5 could not be corrected"
    assert [number(row["share"]) for row in attempts.rows] == [whole_percent(3 / 8), 0.25, 0.75]
