"""What comparisons say, recomputed from the summaries, requests and parts of the runs that are compared."""

from __future__ import annotations

import math
import pickle
import re
from itertools import pairwise
from statistics import fmean, variance
from typing import Any

import pytest

import wordline as wl
from recomputed import BUCKET, bands, figures, in_parts, latencies, moved_bytes, quantile, window_s
from report_reader import (
    MICROSECONDS,
    Page,
    about,
    close,
    microseconds,
    number,
    said,
    whole_percent,
)
from wordline.comparison import Comparison, compare
from wordline.terminal.comparisons import print_comparison

ONE, OTHER = "result (1)", "result (2)"
SEEDS = 3
HEADLINES = {
    "host.iops": ("throughput", "requests/s"),
    "host.bandwidth_mb_s": ("bandwidth", "MB/s"),
    "ftl.write_amplification": ("write amplification", ""),
    "ftl.blocks_erased": ("blocks erased", ""),
    "nand.die_utilization": ("die utilisation", ""),
    "nand.channel_utilization": ("channel utilisation", ""),
    "sim.time_s": ("simulated time", "s"),
    **{
        f"host.{kind}.latency.{point}_us": (f"{kind} latency, {name}", "µs")
        for kind in ("read", "write")
        for point, name in (
            ("mean", "mean"),
            ("p50", "median"),
            ("p99", "p99"),
            ("p999", "p99.9"),
            ("max", "longest"),
        )
    },
}


@pytest.fixture(scope="module")
def runs() -> tuple[wl.SeedRuns, wl.SeedRuns]:
    """Three seeds with a shallow queue and three with a deep one, which keep the parts of every request."""
    found = []
    for depth in (4, 32):
        drive = wl.Drive.from_toml(
            "tiny", output={"attribution": True, "timeline": True, "slowest": 1_000}
        )
        load = {"requests": 1_000, "queue_depth": depth, "kind": "random", "read_fraction": 0.6}
        found.append(wl.simulate_seeds(drive, load, seeds=SEEDS, progress=False))
    return found[0], found[1]


@pytest.fixture(scope="module")
def found(runs: tuple[wl.SeedRuns, wl.SeedRuns]) -> Comparison:
    return compare(*runs)


@pytest.fixture(scope="module")
def shown(found: Comparison) -> Page:
    return Page(found.html())


def values(runs: wl.SeedRuns, key: str) -> list[float]:
    """A figure of every seed, from the tables where they have it."""
    results = list(runs.results.values())
    if key == "host.iops":
        return [run.requests.height / window_s(run) for run in results]
    if key == "host.bandwidth_mb_s":
        return [moved_bytes(run) / 1e6 / window_s(run) for run in results]
    if found := re.fullmatch(r"host\.(read|write)\.latency\.(mean|max)_us", key):
        return [figures(run, found[1])[found[2]] for run in results]
    return [run.number(key) for run in results]


def differing(runs: tuple[wl.SeedRuns, wl.SeedRuns]) -> dict[str, tuple[str, str]]:
    """The headline figures whose means differ: nearly all of them."""
    one, other = runs
    found = {
        key: names
        for key, names in HEADLINES.items()
        if fmean(values(one, key)) != fmean(values(other, key))
    }
    assert len(found) >= len(HEADLINES) - 2
    return found


def density(t: float, degrees: float) -> float:
    """Student's distribution."""
    log = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)
    return (
        math.exp(log)
        / math.sqrt(degrees * math.pi)
        * math.pow(1 + t * t / degrees, -(degrees + 1) / 2)
    )


def student(degrees: float) -> float:
    """The t that bounds 95 % of the distribution, by adding up its density."""
    step, place, total = 1e-3, 0.0, 0.0
    while total < 0.475:
        total += step * density(place + step / 2, degrees)
        place += step
    return place - step / 2


def half_width(sample: list[float]) -> float:
    """Of the confidence interval of a mean."""
    return student(len(sample) - 1) * math.sqrt(variance(sample) / len(sample))


def welch(one: list[float], other: list[float]) -> float:
    """Half the width of the confidence interval of a difference of means."""
    a, b = (variance(sample) / len(sample) for sample in (one, other))
    if a + b == 0:
        return 0.0
    degrees = (a + b) ** 2 / (a * a / (len(one) - 1) + b * b / (len(other) - 1))
    return student(degrees) * math.sqrt(a + b)


def of_one(unit: str, of_summary: str) -> float:
    """How many of the summary's unit one of a shown unit is: times are shown by their size."""
    return MICROSECONDS[unit] / MICROSECONDS[of_summary] if of_summary in MICROSECONDS else 1.0


def loosely(value: float) -> Any:
    """A half width: the table of Student's distribution above has steps."""
    return pytest.approx(value, rel=2e-3, abs=1e-12)


def relative(text: str) -> tuple[float, float]:
    """The least and the largest change that a text may stand for, as a factor."""
    if match := re.fullmatch(r"([+-][\d.]+) %", text):
        return 1 + (float(match[1]) - 0.0501) / 100, 1 + (float(match[1]) + 0.0501) / 100
    if match := re.fullmatch(r"([\d,.]+) times", text):
        factor = number(match[1])
        return factor * 0.994, factor * 1.006
    match = re.fullmatch(r"1/([\d,.]+)", text)
    assert match, text
    factor = number(match[1])
    return 1 / factor / 1.006, 1 / factor / 0.994


def test_student_is_that_of_the_books() -> None:
    for degrees, wanted in ((2, 4.30265), (4, 2.77645), (10, 2.22814)):
        assert student(degrees) == pytest.approx(wanted, rel=1e-3)


def test_the_metrics(runs: tuple[wl.SeedRuns, wl.SeedRuns], found: Comparison) -> None:
    for key in differing(runs):
        metric = found.metric(key)
        assert metric, key
        one, other = (values(each, key) for each in runs)
        for estimate, sample in zip(metric.values, (one, other), strict=True):
            assert estimate.mean == pytest.approx(fmean(sample), rel=1e-9), key
            assert estimate.half_width == loosely(half_width(sample)), key
            assert estimate.deviation == pytest.approx(math.sqrt(variance(sample)), rel=1e-6)
            assert estimate.count == SEEDS
        (difference,) = metric.differences
        assert difference.mean == pytest.approx(fmean(other) - fmean(one), rel=1e-6)
        assert difference.half_width == loosely(welch(one, other)), key
        assert metric.relative[0] == pytest.approx(fmean(other) / fmean(one) - 1, rel=1e-6)
        tells = abs(fmean(other) - fmean(one)) > welch(one, other)
        assert difference.is_significant is tells
        assert metric.is_chance is not tells
        largest = max(fmean(one), fmean(other))
        assert metric.change == pytest.approx(abs(fmean(other) - fmean(one)) / largest, rel=1e-6)


def test_what_is_the_same_is_counted(
    runs: tuple[wl.SeedRuns, wl.SeedRuns], found: Comparison
) -> None:
    first, second = (list(each.results.values()) for each in runs)
    keys = [
        key
        for key, value in first[0].summary.items()
        if isinstance(value, int | float)
        and not isinstance(value, bool)
        and not key.startswith("run.")
        and key != "sim.seed"
    ]

    def mean(results: list[wl.Result], key: str) -> float | None:
        numbers = [run.number(key) for run in results if run.summary.get(key) is not None]
        return fmean(numbers) if numbers else None

    same = [key for key in keys if mean(first, key) == mean(second, key)]
    assert found.same == len(same) > 100
    assert not {metric.key for metric in found.metrics} & set(same)


def test_the_table_of_changes(
    runs: tuple[wl.SeedRuns, wl.SeedRuns], found: Comparison, shown: Page
) -> None:
    (figure,) = shown.figures_of("What changed")
    # a key that names another unit than the one shown does without
    keys = {metric.readable.key: metric.key for metric in found.metrics}
    rows = {keys[row["figure"]]: row for row in figure.rows}
    assert list(rows) == [metric.key for metric in found.metrics]
    for name, row in zip(keys, figure.rows, strict=True):
        suffix = keys[name].removeprefix(name)
        assert suffix in ("", "_us", "_s", "_mw", "_mj", "_nj")
        assert not suffix or row["unit"] != suffix[1:].replace("us", "µs")
    for key, (_, unit) in differing(runs).items():
        row = rows[key]
        one, other = (values(each, key) for each in runs)
        size = of_one(row["unit"], unit)
        assert size * number(row[ONE]) == close(fmean(one))
        assert size * number(row[OTHER]) == close(fmean(other))
        assert size * number(row[f"{ONE}, ±"]) == loosely(half_width(one))
        assert size * number(row[f"{OTHER}, ±"]) == loosely(half_width(other))
        assert size * number(row[f"{OTHER}: difference"]) == close(fmean(other) - fmean(one))
        assert size * number(row[f"{OTHER}: ±"]) == loosely(welch(one, other))
        low, high = relative(row[f"{OTHER}: relative"])
        assert low <= fmean(other) / fmean(one) <= high
        sure = abs(fmean(other) - fmean(one)) > welch(one, other)
        assert row[f"{OTHER}: chance?"] == ("no" if sure else "may be")
        if unit == "MB/s":
            assert row["unit"] == unit
    chances = [row[f"{OTHER}: chance?"] == "may be" for row in figure.rows]
    assert chances == sorted(chances)
    assert True in chances
    shares = [
        abs(number(row[f"{OTHER}: difference"])) / max(number(row[ONE]), number(row[OTHER]))
        for row in figure.rows
        if row[f"{OTHER}: chance?"] == "no" and keys[row["figure"]] in HEADLINES
    ]
    assert all(one >= other - 1e-3 for one, other in pairwise(shares))


def test_the_chart_of_changes(
    runs: tuple[wl.SeedRuns, wl.SeedRuns], found: Comparison, shown: Page
) -> None:
    (figure,) = shown.figures_of("What changed")
    names = {name: key for key, (name, _) in differing(runs).items()}
    points = figure.points("figure", "ratio")
    assert {point["figure"] for point in points} == set(names)
    for point in points:
        one, other = (values(each, names[point["figure"]]) for each in runs)
        ratio, margin = fmean(other) / fmean(one), welch(one, other) / fmean(one)
        assert point["run"] == OTHER
        assert point["ratio"] == pytest.approx(ratio, rel=1e-6)
        assert point["high"] == loosely(ratio + margin)
        assert point["low"] == loosely(max(ratio - margin, ratio / 100))
    rule, bars, dots = figure.drawn()
    assert rule["x"] == "one"
    assert (bars["x"], bars["x2"], dots["x"], dots["y"]) == ("ratio", "high", "ratio", "figure")
    top = next(metric for metric in found.metrics if metric.key in HEADLINES)
    name, unit = HEADLINES[top.key]
    before, after = (fmean(values(each, top.key)) for each in runs)
    told = said(
        rf"What changed most is the (?P<name>.*): (?P<one>.*) in {re.escape(ONE)}, (?P<other>.*) in {re.escape(OTHER)} "
        r"\((?P<change>.*)\)",
        figure.title,
    )
    assert told["name"] == name
    for text, value in ((told["one"], before), (told["other"], after)):
        if unit in MICROSECONDS:
            assert microseconds(text) / MICROSECONDS[unit] == about(value)
        else:
            assert number(text.removesuffix(unit).strip()) == close(value)
    low, high = relative(told["change"])
    assert low <= after / before <= high


def test_settings_that_differ(found: Comparison, shown: Page) -> None:
    ((row, start),) = shown.tables("What was configured differently")
    # in which state drives begin is said, alike or not
    assert start == {"key": "age.method (the same)", ONE: "steady_state", OTHER: "steady_state"}
    assert row == {"key": "workload.queue_depth", ONE: "4", OTHER: "32"}
    assert shown.heading == f"{ONE} against {OTHER}"
    assert found.tree()["configuration"] == [{"key": "workload.queue_depth", ONE: 4, OTHER: 32}]


def test_the_tree_for_programs(runs: tuple[wl.SeedRuns, wl.SeedRuns], found: Comparison) -> None:
    tree = found.tree()
    assert [each["seeds"] for each in tree["contenders"]] == [[1, 2, 3], [1, 2, 3]]
    rows = {row["key"]: row for row in tree["metrics"]}
    for key in differing(runs):
        one, other = (values(each, key) for each in runs)
        row = rows[key]
        assert row["values"][ONE]["mean"] == pytest.approx(fmean(one))
        assert row["values"][OTHER]["mean"] == pytest.approx(fmean(other))
        told = row["differences"][OTHER]
        assert told["absolute"] == pytest.approx(fmean(other) - fmean(one), rel=1e-6)
        assert told["relative"] == pytest.approx(fmean(other) / fmean(one) - 1, rel=1e-6)
        assert told["half_width"] == loosely(welch(one, other))
        assert told["significant"] is (abs(told["absolute"]) > told["half_width"])
    assert tree["same"] == found.same


@pytest.mark.parametrize("kind", ["read", "write"])
def test_latencies_side_by_side(
    runs: tuple[wl.SeedRuns, wl.SeedRuns], shown: Page, kind: str
) -> None:
    body, tail = shown.figures_of("Latency")[slice(0, 2) if kind == "read" else slice(2, 4)]
    for figure, point, pattern in (
        (body, 0.5, rf"half of the {kind}s end within (.*?) in (result \(\d\))"),
        (tail, 0.999, rf"the slowest 0.1 % of {kind}s take more than (.*?) in (result \(\d\))"),
    ):
        clauses = re.findall(pattern, figure.title[0].lower() + figure.title[1:])
        assert [name for _, name in clauses] == [ONE, OTHER]
        for (text, _), own in zip(clauses, runs, strict=True):
            mean = fmean(quantile(latencies(run, kind), point) for run in own.results.values())
            assert microseconds(text) == about(mean)
        assert figure.remark == "Every seed has a curve of its own."
        assert len(figure.rows) == 2 * SEEDS
        rows = iter(figure.rows)
        for name, own in zip((ONE, OTHER), runs, strict=True):
            for seed, run in own.results.items():
                row, latency = next(rows), latencies(run, kind)
                assert (row["result"], row["seed"]) == (name, str(seed))
                assert number(row["requests"]) == len(latency)
                assert number(row["mean (µs)"]) == close(fmean(latency))
                for heading, share in (("median", 0.5), ("99 %", 0.99), ("99.9 %", 0.999)):
                    wanted = quantile(latency, share)
                    assert number(row[f"{heading} (µs)"]) == pytest.approx(wanted, rel=BUCKET)
    points = body.points("run", "share")
    assert [each["y"] for each in (*body.drawn(), *tail.drawn())] == ["share", "slower"]
    for name, own in zip((ONE, OTHER), runs, strict=True):
        for number_, run in enumerate(own.results.values()):
            curve = [point for point in points if point["curve"] == f"{name} {number_}"]
            assert {point["run"] for point in curve} == {name}
            latency = latencies(run, kind)
            assert curve[-1]["latency"] == pytest.approx(latency[-1], rel=BUCKET)
            for place in curve[1:]:
                low, high = (
                    sum(value <= place["latency"] * (1 + sign * BUCKET) for value in latency)
                    for sign in (-1, 1)
                )
                assert low - 1e-4 <= place["share"] * len(latency) <= high + 1e-4


@pytest.mark.parametrize("kind", ["read", "write"])
def test_where_the_time_went_side_by_side(
    runs: tuple[wl.SeedRuns, wl.SeedRuns], shown: Page, kind: str
) -> None:
    figure = shown.figures_of("Where the time went")[0 if kind == "read" else 1]
    wanted: dict[tuple[str, str, str], tuple[float, float]] = {}
    slowest: dict[str, tuple[str, float, str, float]] = {}
    for name, own in zip((ONE, OTHER), runs, strict=True):
        totals: dict[str, tuple[int, float, dict[str, float]]] = {}
        for run in own.results.values():
            for band, count, mean, parts in bands(run, kind):
                before = totals.get(band, (0, 0.0, {}))
                sums = dict(before[2])
                for part, time in parts.items():
                    sums[part] = sums.get(part, 0.0) + count * time
                totals[band] = (before[0] + count, before[1] + count * mean, sums)
        for band, (count, time, sums) in totals.items():
            for part, sum_ in sums.items():
                wanted[band, name, in_parts(part)] = (time / count, sum_ / count)
        order = [
            band
            for band in ("0-50 %", "50-90 %", "90-99 %", "99-99.9 %", "99.9-99.99 %", "99.99-100 %")
            if band in totals
        ]
        count, time, sums = totals[order[-1]]
        largest = max(sums, key=lambda part: sums[part])
        slowest[name] = (order[-1], time / count, in_parts(largest), sums[largest] / time)
    rows = {(row["band"], row["result"], row["part"]): row for row in figure.rows}
    assert set(rows) == set(wanted)
    for key, (mean, time) in wanted.items():
        assert number(rows[key]["mean latency (µs)"]) == close(mean)
        assert number(rows[key]["mean (µs)"]) == close(time)
        assert number(rows[key]["share"]) == pytest.approx(time / mean, abs=5.1e-4)
    for point in figure.points("band", "run", "part"):
        if point["part"] != "other parts":
            mean, time = wanted.pop((point["band"], point["run"], point["part"]))
            assert point["time"] == pytest.approx(time)
            assert point["share"] == pytest.approx(time / mean)
    told = re.findall(
        r"([\d.]+ [µm]?s) in (result \(\d\)) \(band (.*? %); (\d+ %) of it is ([^)]*)\)",
        figure.title,
    )
    assert len(told) == 2
    for time_text, name, band, share, part in told:
        assert slowest[name][0] == band
        assert microseconds(time_text) == about(slowest[name][1])
        assert part == slowest[name][2]
        assert number(share) == whole_percent(slowest[name][3])


def test_the_comparison_on_the_terminal(
    runs: tuple[wl.SeedRuns, wl.SeedRuns],
    found: Comparison,
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_comparison(found, None)
    text = capsys.readouterr().out
    lines = [re.split(r" {2,}", line.strip()) for line in text.splitlines() if line.strip()]
    assert ["workload.queue_depth", "4", "32"] in lines
    for key, (name, unit) in differing(runs).items():
        (cells,) = [cells for cells in lines if cells[0] == name]
        shown = cells[2:] if unit else cells[1:]
        assert not unit or cells[1] == unit or unit in MICROSECONDS
        size = of_one(cells[1], unit)
        one, other = (values(each, key) for each in runs)
        assert size * number(shown[0]) == close(fmean(one))
        assert size * number(shown[1]) == close(fmean(other))
        sure = abs(fmean(other) - fmean(one)) > welch(one, other)
        assert shown[2].startswith("~ ") is not sure
        low, high = relative(shown[2].removeprefix("~ "))
        assert low <= fmean(other) / fmean(one) <= high
    names = [cells[0] for cells in lines]
    further = [metric.readable.key for metric in found.metrics if metric.key not in HEADLINES]
    first = names.index("further figures") + 1
    assert names[first : first + 20] == further[:20]
    hidden = len(further) - 20
    assert f"{found.same} figures are the same; {hidden} more differ (--json, --out)" in text
    assert "~: may be chance" in text


def test_powers_and_times_have_the_unit_that_reads_best(
    capsys: pytest.CaptureFixture[str],
) -> None:
    keys = {"power.controller": "2 W", "power.idle": "6.5 W"}
    load = {"requests": 400, "queue_depth": 32, "read_fraction": 0.0}
    found = compare(
        *(
            wl.simulate(wl.Drive("flashpower-mlc8", **keys), load | {"request_size": size})
            for size in ("4 KiB", "64 KiB")
        )
    )
    key = "power.mean_mw"
    metric = found.metric(key)
    assert metric
    means = [each.mean for each in metric.values]
    assert all(2e3 < mean < 1e5 for mean in means)
    rows = Page(found.html()).figures_of("What changed")[0].rows
    # the key does not name another unit than the one beside it
    (row,) = [row for row in rows if row["figure"] == "power.mean"]
    assert row["unit"] == "W"
    assert not [row for row in rows if str(row["figure"]).endswith("_us") and row["unit"] != "µs"]
    assert [number(row[name]) for name in (ONE, OTHER)] == [close(mean / 1e3) for mean in means]
    assert number(row[f"{OTHER}: difference"]) == close((means[1] - means[0]) / 1e3)
    # programs always find the unit of the summary
    (told,) = [row for row in found.tree()["metrics"] if row["key"] == key]
    assert told["unit"] == "mW"
    assert told["values"][ONE]["mean"] == means[0]
    print_comparison(found, None)
    lines = [re.split(r" {2,}", line.strip()) for line in capsys.readouterr().out.splitlines()]
    longest = found.metric("host.write.latency.max_us")
    assert longest
    assert longest.values[1].mean > 1e3
    (cells,) = [cells for cells in lines if cells[0] == "write latency, longest"]
    assert cells[1] == "ms"
    assert number(cells[3]) == close(longest.values[1].mean / 1e3)


def test_the_sentence_of_three_is_about_the_largest_difference(
    runs: tuple[wl.SeedRuns, wl.SeedRuns],
) -> None:
    shallow, deep = (next(iter(each.results.values())) for each in runs)
    for results in ((shallow, shallow, deep), (shallow, deep, shallow)):
        (figure,) = Page(compare(*results).html()).figures_of("What changed")
        place = 1 + results.index(deep)
        assert " in result (1), " in figure.title
        assert f" in result ({place}) (" in figure.title


def test_a_figure_that_only_one_of_several_seeds_has(
    runs: tuple[wl.SeedRuns, wl.SeedRuns],
) -> None:
    one, other = pickle.loads(pickle.dumps(runs))
    for result in list(one.results.values())[1:]:
        result.__dict__["summary"] = {
            key: value for key, value in result.summary.items() if key != "ftl.blocks_erased"
        }
    (figure,) = Page(compare(one, other).html()).figures_of("What changed")
    assert len({tuple(row) for row in figure.rows}) == 1
    (row,) = (row for row in figure.rows if row["figure"] == "ftl.blocks_erased")
    first = next(iter(runs[0].results.values()))
    assert number(row[ONE]) == first.number("ftl.blocks_erased")
    assert row[f"{ONE}, ±"] == "–"
