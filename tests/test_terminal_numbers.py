"""What the terminal and the report print of runs, tenants and seeds, recomputed from the tables of requests."""

from __future__ import annotations

import math
import statistics
from pathlib import Path

import polars as pl
import pytest

import wordline as wl
from recomputed import (
    BUCKET,
    busy,
    end_ns,
    figures,
    highest,
    latencies,
    moved_bytes,
    quantile,
    rough,
    spans,
    total,
    window_s,
)
from report_reader import (
    Page,
    about,
    close,
    microseconds,
    number,
    page_of,
    said,
    same_rows,
)
from shared import Printed
from wordline.report import tenants
from wordline.terminal.runs import print_result, print_seeds

STUDENT = {2: 12.7062, 3: 4.30265}
"""Two-sided 95 % points of Student's t, by the number of values (any table of the distribution)."""


def line(lines: list[list[str]], name: str) -> list[str]:
    """The cells behind a name, which one line begins with."""
    (found,) = [cells[1:] for cells in lines if cells[0] == name]
    return found


def test_latencies_on_the_terminal(whole: wl.Result, printed: Printed) -> None:
    lines = printed(print_result, whole, None)
    points = ["p50", "p95", "p99", "p99.9", "p99.99", "max"]
    assert lines[0] == ["latency", "requests", "mean", *points]
    assert lines[4][0] == "simulated time"
    for kind in ("read", "write", "trim"):
        values = latencies(whole, kind)
        count, mean, *points = line(lines, kind)
        assert number(count) == len(values)
        assert microseconds(mean) == close(sum(values) / len(values))
        for text, share in zip(points, (0.5, 0.95, 0.99, 0.999, 0.9999, 1.0), strict=True):
            assert microseconds(text) == rough(quantile(values, share)), (kind, share)


def test_every_class_that_was_served_has_a_line_and_no_mixture_has(printed: Printed) -> None:
    def rows(**workload: float) -> list[str]:
        run = wl.simulate("tiny", workload, progress=False)
        lines = printed(print_result, run, None)
        return [
            cells[0] for cells in lines[1 : [cells[0] for cells in lines].index("simulated time")]
        ]

    assert rows(requests=200, read_fraction=1.0) == ["read"]
    # alike or not, reads and writes stay apart; TRIM is neither
    mixed = rows(requests=200, read_fraction=0.5, trim_fraction=0.2)
    assert mixed == ["read", "write", "trim"]


def test_the_terminal_says_whether_the_run_is_steady(whole: wl.Result, printed: Printed) -> None:
    word, how = line(printed(print_result, whole, None), "steady state")
    assert word == ("yes" if whole.summary["sim.snia_steady"] else "no")
    assert how.startswith("five rounds differ by ")
    short = wl.simulate("tiny", {"requests": 1}, progress=False)
    word, how = line(printed(print_result, short, None), "steady state")
    assert word == "unknown"
    assert how.startswith("the run is too short")


def test_a_drive_that_keeps_up_with_times_of_their_own_is_not_judged(printed: Printed) -> None:
    load = {"requests": 20_000, "read_fraction": 1.0}
    kept_up = wl.simulate("tiny", {**load, "interarrival": "60 us"}, progress=False)
    assert kept_up.number("host.queue.active_share") > 0.5
    assert kept_up.summary["sim.snia_steady"] is None
    word, how = line(printed(print_result, kept_up, None), "steady state")
    assert word == "not judged"
    assert "this is the rate of the workload" in how
    # a drive that does not keep up has a rate of its own
    behind = wl.simulate("tiny", {**load, "interarrival": "1 us"}, progress=False)
    assert "overloaded" in {note.key for note in behind.notes}
    assert isinstance(behind.summary["sim.snia_steady"], bool)


def test_a_drive_that_is_mostly_idle_is_not_judged(printed: Printed) -> None:
    idle = wl.simulate("tiny", {"requests": 300, "interarrival": "10 ms"}, progress=False)
    with_requests = idle.requests.select(
        (pl.col("completed_ns") - pl.col("admitted_ns")).sum()
    ).item()
    word, how = line(printed(print_result, idle, None), "steady state")
    assert word == "not judged"
    share = said(r"a request was in the drive for (?P<share>.* %) of the time: .*", how)["share"]
    # requests are so far apart that hardly any two are in the drive together
    assert number(share) == pytest.approx(with_requests / 1e9 / window_s(idle), rel=0.1)
    assert idle.number("host.queue.active_share") == pytest.approx(number(share), rel=0.1)
    (note,) = (note for note in idle.notes if note.key == "mostly_idle")
    assert note.severity == "info"
    busy_drive = wl.simulate("tiny", {"requests": 300}, progress=False)
    assert busy_drive.number("host.queue.active_share") > 0.99
    assert "mostly_idle" not in {note.key for note in busy_drive.notes}


def test_totals_on_the_terminal(whole: wl.Result, printed: Printed) -> None:
    lines = printed(print_result, whole, None)
    requests, window = whole.requests, window_s(whole)
    moved = moved_bytes(whole)
    written = requests.filter(pl.col("class") == "write").height
    programs = total(spans(whole, "die", "program")["count"])
    for name, value, unit in (
        ("simulated time", end_ns(whole) / 1e9, "s"),
        ("throughput", requests.height / window, "requests/s"),
        ("bandwidth", moved / window / 1e6, "MB/s"),
        ("write amplification", programs / written, None),
        ("blocks erased", spans(whole, "die", "erase").height, None),
        ("die utilisation", busy(whole, "die", 4), None),
        ("channel utilisation", busy(whole, "channel", 2), None),
    ):
        shown, *units = line(lines, name)
        assert number(shown) == close(value), name
        assert units == ([unit] if unit else []), name


def test_the_terminal_says_the_top_of_the_report_and_the_notes(
    whole: wl.Result, page: Page, capsys: pytest.CaptureFixture[str]
) -> None:
    print_result(whole, Path("somewhere"))
    text = capsys.readouterr().out
    for paragraph in page.lead:
        assert paragraph in text
    assert len(whole.notes) > 2
    for note in whole.notes:
        said_plainly = note.key in ("age", "window") or (note.key, note.severity) == (
            "too_short",
            "info",
        )
        assert note.text in text
        assert (f"{note.severity}: {note.text}" in text) != said_plainly
    assert text.endswith("report: somewhere/report.html\n")


@pytest.fixture(scope="module")
def shared() -> wl.Result:
    """A drive of two tenants of different mixes and sizes."""
    loads = {
        "reader": {"read_fraction": 1.0, "requests": 1_500, "queue_depth": 4},
        "writer": {
            "read_fraction": 0.2,
            "requests": 700,
            "queue_depth": 2,
            "request_size": "8 KiB",
        },
    }
    drive = wl.Drive.from_toml(
        "tiny",
        **{"host.interface": "nvme"},
        tenants={name: {"workload": load} for name, load in loads.items()},
    )
    return wl.simulate(drive, progress=False)


def of_tenant(result: wl.Result, queue: int) -> pl.DataFrame:
    """The requests of a tenant, whose queues are in the order of the file."""
    return result.requests.filter(pl.col("queue") == queue).with_columns(
        latency=(pl.col("completed_ns") - pl.col("arrival_ns")) / 1e3
    )


def rates(rows: pl.DataFrame) -> tuple[int, float, float]:
    """Requests, requests per second and megabytes per second."""
    window = (highest(rows["completed_ns"]) - min(rows["arrival_ns"].to_list())) / 1e9
    return rows.height, rows.height / window, total(rows["sectors"]) * 512 / 1e6 / window


def points(rows: pl.DataFrame, kind: str | None = None) -> list[float] | None:
    """Mean, median, p99 and p99.9 of the latency of a class, if there is any."""
    chosen = rows if kind is None else rows.filter(pl.col("class") == kind)
    values = sorted(chosen["latency"])
    if not values:
        return None
    return [sum(values) / len(values), *(quantile(values, share) for share in (0.5, 0.99, 0.999))]


def test_tenants_in_the_report(shared: wl.Result) -> None:
    figure = page_of(tenants.section(shared)).figure("tenants")
    assert [row["tenant"] for row in figure.rows] == ["reader", "writer"]
    bandwidths, means = [], {}
    drawn: list[dict[str, object]] = []
    for queue, row in enumerate(figure.rows):
        rows = of_tenant(shared, queue)
        count, per_second, megabytes = rates(rows)
        bandwidths.append(megabytes)
        assert row["requests"] == f"{count:,}"
        assert number(row["requests /s"]) == close(per_second)
        assert number(row["MB/s"]) == close(megabytes)
        for kind in ("read", "write"):
            wanted = points(rows, kind)
            for place, name in enumerate(("mean", "median", "99 %", "99.9 %")):
                shown = row[f"{kind} {name} (µs)"]
                assert shown == "–" if wanted is None else number(shown) == rough(wanted[place])
        whole = points(rows)
        assert whole
        means[row["tenant"]] = whole[0]
        drawn += [
            {"tenant": row["tenant"], "point": point, "latency": value}
            for point, value in zip(("mean", "median", "99 %", "99.9 %"), whole, strict=True)
        ]
        assert len(row) == 12
    same_rows(figure.points("tenant", "point"), drawn, rel=BUCKET)
    assert figure.is_whole()
    jain = sum(bandwidths) ** 2 / (2 * sum(rate**2 for rate in bandwidths))
    found = said(
        r"2 tenants shared the drive with a fairness of (?P<fairness>.*) \(Jain's index of their bandwidth; 1: all had "
        r"the same\); (?P<slowest>.*) waited longest, (?P<mean>.*) on average",
        figure.title,
    )
    assert number(found["fairness"]) == pytest.approx(jain, abs=0.0051)
    assert found["slowest"] == max(means, key=lambda name: means[name])
    assert microseconds(found["mean"]) == about(max(means.values()))


def test_tenants_on_the_terminal(shared: wl.Result, printed: Printed) -> None:
    lines = printed(print_result, shared, None)
    assert [
        "tenant or job",
        "requests",
        "requests/s",
        "MB/s",
        "read mean (µs)",
        "read p99 (µs)",
        "write mean (µs)",
        "write p99 (µs)",
    ] in lines
    for queue, name in enumerate(("reader", "writer")):
        rows = of_tenant(shared, queue)
        shown = line(lines, name)
        for text, value in zip(shown[:3], rates(rows), strict=True):
            assert number(text) == close(value)
        cells = iter(shown[3:])
        for kind in ("read", "write"):
            wanted = points(rows, kind)
            mean, p99 = next(cells), next(cells)
            if wanted is None:
                assert (mean, p99) == ("–", "–")
            else:
                assert number(mean) == close(wanted[0])
                assert number(p99) == rough(wanted[2])


@pytest.mark.parametrize("count", [2, 3])
def test_several_seeds_on_the_terminal(count: int, printed: Printed) -> None:
    runs = wl.simulate_seeds("tiny", wl.Workload(requests=400), seeds=count, progress=False)
    summaries = {seed: run.summary for seed, run in runs.results.items()}
    lines = printed(print_seeds, summaries, (), Path("out"))
    assert lines[0][:4] == [f"{count} seeds", "mean", "95 % interval", "standard deviation"]
    assert lines[-1] == ["seeds: out/seeds.json"]
    samples: dict[str, list[float]] = {
        "simulated time": [
            max(run.number("sim.time_s"), highest(run.requests["completed_ns"]) / 1e9)
            for run in runs.results.values()
        ],
        "throughput": [run.requests.height / window_s(run) for run in runs.results.values()],
        "bandwidth": [moved_bytes(run) / 1e6 / window_s(run) for run in runs.results.values()],
        **{
            f"{kind} latency, {name}": [figures(run, kind)[point] for run in runs.results.values()]
            for kind in ("read", "write")
            for name, point in (("mean", "mean"), ("longest", "max"))
        },
    }
    for name, values in samples.items():
        *_, mean, interval, deviation = line(lines, name)
        spread = statistics.stdev(values)
        assert number(mean) == close(statistics.fmean(values)), name
        half = STUDENT[count] * spread / math.sqrt(count)
        assert number(interval.removeprefix("± ")) == pytest.approx(half, rel=1e-3), name
        assert number(deviation) == pytest.approx(spread, rel=1e-3), name
    assert line(lines, "throughput")[0] == "requests/s"
    shown = [cells[0] for cells in lines[1:-1]]
    assert shown[:5] == [
        f"read latency, {name}" for name in ("mean", "median", "p99", "p99.9", "longest")
    ]
    for kind in ("read", "write"):
        for name, share in (("median", 0.5), ("p99", 0.99), ("p99.9", 0.999)):
            values = [quantile(latencies(run, kind), share) for run in runs.results.values()]
            text = line(lines, f"{kind} latency, {name}")[-3]
            assert number(text) == rough(statistics.fmean(values)), (kind, name)
