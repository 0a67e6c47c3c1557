"""What the page of a trace and the terminal say of it, recomputed from its rows."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import fmean, median, pstdev
from typing import Any

import pytest

from report_reader import Page, about, close, microseconds, number, said, whole_percent
from wordline.config import resolve_trace
from wordline.report.trace import render
from wordline.terminal.traces import print_trace_stats
from wordline.traces import Tree, describe

PAGE = 4096
BYTES = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
CLASSES = ("read", "write")


@dataclass(frozen=True)
class Row:
    """A request."""

    time_ns: int
    kind: str
    offset: int
    size: int

    @property
    def pages(self) -> range:
        """The pages it touches."""
        return range(self.offset // PAGE, (self.offset + self.size - 1) // PAGE + 1)


@dataclass(frozen=True)
class Known:
    """Requests, and what can be said of them."""

    rows: tuple[Row, ...]

    def of(self, kind: str) -> list[Row]:
        """The requests of a class."""
        return [row for row in self.rows if row.kind == kind]

    @cached_property
    def gaps(self) -> list[int]:
        """Times between arrivals, ns."""
        return [later.time_ns - row.time_ns for row, later in pairwise(self.rows)]

    @cached_property
    def follows(self) -> list[bool]:
        """Whether each request starts where the one before ended."""
        return [False] + [
            later.offset == row.offset + row.size for row, later in pairwise(self.rows)
        ]

    @cached_property
    def runs(self) -> list[list[Row]]:
        """Requests that follow each other."""
        found: list[list[Row]] = []
        for row, follows in zip(self.rows, self.follows, strict=True):
            if follows:
                found[-1].append(row)
            else:
                found.append([row])
        return found

    def accesses(self, kind: str) -> Counter[int]:
        """How often each page is used."""
        return Counter(page for row in self.of(kind) for page in row.pages)

    @cached_property
    def distances(self) -> dict[str, list[int | None]]:
        """Different pages between two touches of a page, `None` for the first."""
        stack: list[int] = []
        found: dict[str, list[int | None]] = {kind: [] for kind in CLASSES}
        for row in self.rows:
            for page in row.pages:
                if page in stack:
                    place = stack.index(page)
                    found[row.kind].append(place)
                    del stack[place]
                else:
                    found[row.kind].append(None)
                stack.insert(0, page)
        return found


@pytest.fixture(scope="module")
def known() -> Known:
    draw = random.Random(3)
    rows, time, end = [], 0, 0
    for _ in range(1_500):
        time += int(draw.expovariate(1 / 200_000)) * 100
        size = PAGE * draw.choice((1, 1, 1, 2, 4))
        offset = end if draw.random() < 0.3 else PAGE * int(300 * draw.random() ** 2)
        end = offset + size
        rows.append(Row(time, "read" if draw.random() < 0.6 else "write", offset, size))
    return Known(tuple(rows))


@pytest.fixture(scope="module")
def stats(known: Known, tmp_path_factory: pytest.TempPathFactory) -> Tree:
    file = tmp_path_factory.mktemp("trace") / "known.spc"
    file.write_text(
        "".join(
            f"0,{row.offset // 512},{row.size},{row.kind[0]},{row.time_ns / 1e9:.9f}\n"
            for row in known.rows
        )
    )
    return describe(resolve_trace(file, ()))


@pytest.fixture(scope="module")
def page(stats: Tree) -> Page:
    return Page(render(stats, "known"))


def size(text: str) -> float:
    """A number of bytes as it is printed."""
    value, unit = text.rsplit(" ", 1)
    return number(value) * BYTES[unit]


def powers(values: list[int]) -> dict[int, int]:
    """A histogram in powers of two, by lower bound."""
    return dict(
        sorted(Counter(1 << value.bit_length() - 1 if value else 0 for value in values).items())
    )


def top(counts: Counter[int], share: float) -> float:
    """Share of the accesses that go to the most used pages."""
    most = max(int(share * len(counts)), 1)
    return sum(count for _, count in counts.most_common(most)) / counts.total()


def test_the_cards_of_a_trace(known: Known, page: Page) -> None:
    cards = page.cards
    value, more = cards["Requests"]
    assert number(value) == 1_500
    span = (known.rows[-1].time_ns - known.rows[0].time_ns) / 1e9
    assert number(said(r"in (?P<span>.*) s", more)["span"]) == close(span)
    value, more = cards["Reads"]
    assert number(value) == pytest.approx(len(known.of("read")) / 1_500, abs=5.1e-4)
    assert more == f"{len(known.of('write'))} writes"
    for kind in CLASSES:
        value, more = cards[f"Mean {kind}"]
        assert size(value) == pytest.approx(fmean(row.size for row in known.of(kind)), abs=5.2)
        pages = len(known.accesses(kind))
        assert number(more.removesuffix(" MiB of pages")) == pytest.approx(pages / 256, abs=0.051)
    value, more = cards["Mean gap"]
    assert microseconds(value) == about(fmean(known.gaps) / 1e3)
    variation = pstdev(known.gaps) / fmean(known.gaps)
    told = number(more.removeprefix("coefficient of variation "))
    assert told == pytest.approx(variation, abs=0.0056)
    assert number(cards["Sequential"][0]) == pytest.approx(sum(known.follows) / 1_500, abs=5.1e-4)


def test_sizes_and_gaps_of_a_trace(known: Known, page: Page) -> None:
    (sizes,) = page.figures_of("Sizes")
    wanted: dict[tuple[str, float], int] = {
        (kind, bytes_): count
        for kind in CLASSES
        for bytes_, count in Counter(row.size for row in known.of(kind)).items()
    }
    shown = {(row["class"], size(row["size"])): row for row in sizes.rows}
    assert set(shown) == set(wanted)
    for key, count in wanted.items():
        assert number(shown[key]["requests"]) == count
        assert number(shown[key]["share"]) == close(count / len(known.of(key[0])))
    for point in sizes.points("size from", "share"):
        count = wanted[point["class"], size(point["size from"])]
        assert point["share"] == pytest.approx(count / len(known.of(point["class"])))
    shares = [wanted[kind, PAGE] / len(known.of(kind)) for kind in CLASSES]
    told = said(
        r"The commonest read has 4 KiB \((?P<read>\d+ %)\), the commonest write has 4 KiB \((?P<write>\d+ %)\)",
        sizes.title,
    )
    for text, share in zip(told.values(), shares, strict=True):
        assert number(text) == whole_percent(share)
    gaps, bursts = page.figures_of("Arrivals")
    histogram = powers(known.gaps)
    total = len(known.gaps)
    counts = [row for row in gaps.rows if row["gaps"] != "0"]
    assert [number(row["gaps"]) for row in counts] == list(histogram.values())
    upto = 0
    for row, (bound, count) in zip(counts, histogram.items(), strict=True):
        upto += count
        assert microseconds(row["gap from"]) * 1e3 == pytest.approx(bound, rel=6e-3)
        assert number(row["share"]) == close(count / total)
        assert number(row["no longer"]) == close(upto / total)
    ranked = sorted(known.gaps)
    half = said(
        r"Half of the gaps are below (?P<p50>.*), one in a hundred is above (?P<p99>.*)", gaps.title
    )
    assert microseconds(half["p50"]) == pytest.approx(ranked[total // 2] / 1e3, rel=0.032)
    assert microseconds(half["p99"]) == pytest.approx(ranked[int(0.99 * total)] / 1e3, rel=0.032)
    worst = (0.0, 0.0)
    for row in bursts.rows:
        window = number(row["window (s)"])
        whole = int((known.rows[-1].time_ns / 1e9 - known.rows[0].time_ns / 1e9) / window)
        assert number(row["windows"]) == whole
        start = known.rows[0].time_ns
        held = Counter(int((each.time_ns - start) / (window * 1e9)) for each in known.rows)
        arrivals = [held[place] for place in range(whole)]
        if window < 0.01:  # thousands of windows, of which nearly all are empty
            continue
        index = pstdev(arrivals) ** 2 / fmean(arrivals)
        assert number(row["index of dispersion"]) == pytest.approx(index, rel=0.02)
        peak = max(arrivals) / fmean(arrivals)
        assert number(row["busiest over mean"]) == pytest.approx(peak, rel=0.02)
    for row in bursts.rows:
        worst = max(worst, (number(row["busiest over mean"]), number(row["window (s)"])))
    told = said(
        r"The busiest (?P<window>.*) s hold (?P<times>.*) times the mean number of arrivals",
        bursts.title,
    )
    assert (number(told["times"]), number(told["window"])) == worst


def test_runs_of_a_trace(known: Known, page: Page) -> None:
    (figure,) = page.figures_of("Runs")
    lengths = powers([len(run) for run in known.runs])
    assert [(int(row["requests from"]), int(row["runs"])) for row in figure.rows] == [
        *lengths.items()
    ]
    for row in figure.rows:
        assert number(row["share"]) == close(int(row["runs"]) / len(known.runs))
    told = said(
        r"(?P<share>.* %) of the requests start where the one before on their device ended; the longest run has "
        r"(?P<longest>.*)",
        figure.title,
    )
    assert number(told["share"]) == pytest.approx(sum(known.follows) / 1_500, abs=5.1e-4)
    longest = max(sum(row.size for row in run) for run in known.runs)
    assert size(told["longest"]) == pytest.approx(longest, rel=5e-3)
    mean = re.match(
        r"A run has (.*) requests on average\. Sequential are (.*) % of the reads, (.*) % of the writes",
        figure.remark,
    )
    assert mean
    assert number(mean[1]) == close(1_500 / len(known.runs))
    for text, kind in ((mean[2], "read"), (mean[3], "write")):
        own = [
            follows
            for row, follows in zip(known.rows, known.follows, strict=True)
            if row.kind == kind
        ]
        assert number(text) == pytest.approx(100 * fmean(own), abs=0.051)


def test_the_footprint_of_a_trace(known: Known, page: Page) -> None:
    growth, addresses = page.figures_of("Footprint")
    touched = {kind: set(known.accesses(kind)) for kind in CLASSES}
    told = said(
        r"The trace reads (?P<read>.*) MiB and writes (?P<write>.*) MiB of different 4-KiB pages, (?P<both>.*) MiB together",
        growth.title,
    )
    assert number(told["read"]) == close(len(touched["read"]) / 256)
    assert number(told["write"]) == close(len(touched["write"]) / 256)
    assert number(told["both"]) == close(len(touched["read"] | touched["write"]) / 256)
    for point in growth.points("requests", "footprint (MiB)")[::17]:
        first = known.rows[: point["requests"]]
        pages = {page for row in first if row.kind == point["class"] for page in row.pages}
        assert point["footprint (MiB)"] == pytest.approx(len(pages) / 256)
    part = max(row.offset + row.size for row in known.rows) / 64
    starts = {kind: Counter(int(row.offset / part) for row in known.of(kind)) for kind in CLASSES}
    for place, row in enumerate(addresses.rows):
        assert number(row["requests"]) == starts[row["class"]][place // 2]
    told = said(
        r"The busiest (?P<busy>\d+) of (?P<all>\d+) equal parts of the address space take (?P<share>\d+ %) of the requests",
        addresses.title,
    )
    assert number(told["all"]) == 64
    assert f"divided into {told['all']} equal parts" in addresses.remark
    busiest = sorted((starts["read"] + starts["write"]).values())[-int(told["busy"]) :]
    assert number(told["share"]) == whole_percent(sum(busiest) / 1_500)


def test_the_popularity_of_pages(known: Known, page: Page) -> None:
    (figure,) = page.figures_of("Popularity")
    for row in figure.rows:
        counts = known.accesses(row["class"])
        assert number(row["hottest page (%)"]) == close(100 * top(counts, 0.0))
        for name, share in (("top 1 %", 0.01), ("top 10 %", 0.1), ("top 20 %", 0.2)):
            assert number(row[f"{name} (%)"]) == close(100 * top(counts, share))
        once = sum(count == 1 for count in counts.values()) / len(counts)
        assert number(row["used once (%)"]) == close(100 * once)
    told = said(
        r"A tenth of the pages takes (?P<read>\d+) % of the page reads, a tenth of the pages takes (?P<write>\d+) % of "
        r"the page writes",
        figure.title,
    )
    for kind, text in told.items():
        assert number(text) == pytest.approx(100 * top(known.accesses(kind), 0.1), abs=0.51)
    for point in figure.points("pages", "accesses"):
        counts = known.accesses(point["class"])
        pages = round(point["pages"] * len(counts))
        share = sum(count for _, count in counts.most_common(pages)) / counts.total()
        assert point["accesses"] == pytest.approx(share)


def test_the_reuse_of_pages(known: Known, page: Page) -> None:
    distances, cache = page.figures_of("Reuse")
    clauses = re.findall(
        r"half of the (read|write)s of known pages come within (\S+) MiB",
        distances.title.lower().replace("mib", "MiB"),
    )
    for kind, text in clauses:
        again = [distance for distance in known.distances[kind] if distance is not None]
        assert number(text) == pytest.approx(median(again) * PAGE / (1 << 20), rel=0.1)
    assert [kind for kind, _ in clauses] == list(CLASSES)
    for kind in CLASSES:
        every = known.distances[kind]
        again = [distance for distance in every if distance is not None]
        histogram = powers(again)
        rows = [
            row for row in distances.rows if row["class"] == kind and row["page accesses"] != "0"
        ]
        assert [number(row["page accesses"]) for row in rows] == list(histogram.values())
        assert [size(row["distance from"]) / PAGE for row in rows] == list(histogram)
        for row in rows:
            assert number(row["share"]) == close(number(row["page accesses"]) / len(again))
        for row in (row for row in cache.rows if row["class"] == kind):
            pages = number(row["cache (MiB)"]) * (1 << 20) / PAGE
            hits = sum(distance < pages for distance in again) / len(every)
            assert number(row["hits"]) == close(hits)
    best = max(cache.rows, key=lambda row: number(row["hits"]))
    assert cache.title == (
        f"An LRU cache of {best['cache (MiB)']} MiB would serve {100 * number(best['hits']):.0f} % of the page {best['class']}s"
    )


SCALES = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "kB": 1e3, "MB": 1e6, "GB": 1e9}
"""What units of times and sizes are in seconds and bytes."""


def test_a_trace_on_the_terminal(
    known: Known, stats: Tree, capsys: pytest.CaptureFixture[str]
) -> None:
    print_trace_stats(stats, None)
    lines = [
        re.split(r" {2,}", line.strip())
        for line in capsys.readouterr().out.splitlines()
        if line.strip()
    ]
    found: dict[str, list[str]] = {}
    for line in lines:
        found.setdefault(line[0], line[1:])
    span = (known.rows[-1].time_ns - known.rows[0].time_ns) / 1e9
    both = set(known.accesses("read")) | set(known.accesses("write"))
    wanted: dict[str, Any] = {
        "requests": 1_500,
        "reads": 100 * len(known.of("read")) / 1_500,
        "time from first to last request": span,
        "time between requests, mean": fmean(known.gaps) / 1e9,
        "devices": 1,
        "highest address of a device": max(row.offset + row.size for row in known.rows),
        "footprint in pages of 4 KiB": len(both),
        "sequential to the last request": 100 * sum(known.follows) / 1_500,
        "requests of a sequential run, mean": 1_500 / len(known.runs),
    }
    for name, value in wanted.items():
        text, unit = (*found[name], "")[:2]
        # four digits
        assert number(text) * SCALES.get(unit, 1) == pytest.approx(value, rel=6e-4), name
    pairs: dict[str, Callable[[str], float]] = {
        "mean size (KiB)": lambda kind: fmean(row.size for row in known.of(kind)) / 1024,
        "footprint (MiB)": lambda kind: len(known.accesses(kind)) / 256,
        "accesses to the hottest 10 % of pages (%)": lambda kind: (
            100 * top(known.accesses(kind), 0.1)
        ),
        "first accesses to a page": lambda kind: known.distances[kind].count(None),
    }
    for name, figure in pairs.items():
        for text, kind in zip(found[name], CLASSES, strict=True):
            assert number(text) == close(figure(kind)), name
    assert math.isclose(
        number(found["time between requests, deviation over mean"][0]),
        pstdev(known.gaps) / fmean(known.gaps),
        rel_tol=2e-3,
    )
