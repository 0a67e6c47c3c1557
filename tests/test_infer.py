"""Inference: coordinates, targets, emulators, what is likely, and whether the truth is found."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import wordline as wl
from options import AtOnce, call, effect
from report_reader import Page
from wordline import _wordline
from wordline.inferring.emulator import fitted, left_out
from wordline.inferring.findings import knowledge, tied
from wordline.inferring.posterior import Likelihood, sampled, widened
from wordline.inferring.targets import Target, Targets
from wordline.inferring.unknowns import Unknowns
from wordline.inferring.waves import Plan, Ran, noise_of
from wordline.points.job import PointJob
from wordline.sweeps.space import axes_of
from wordline.sweeps.values import shown

if TYPE_CHECKING:
    from wordline.inferring.unknowns import Floats

FILLED = {"age.method": "overwritten", "age.random_factor": 0}
LOAD = {"requests": 150, "queue_depth": 1, "read_fraction": 0.5}
READ, PROGRAM = "timing.t_r", "timing.t_prog"
RANGES: dict[Any, Any] = {
    READ: wl.Range("20 us", "100 us"),
    PROGRAM: wl.Range("100 us", "1000 us", log=True),
}
FIGURES = {READ: "host.read.latency.p50_us", PROGRAM: "host.write.latency.p50_us"}


@dataclass(frozen=True)
class Line:
    """Stands in for an emulator: a figure that is a sum of features, known exactly."""

    factors: tuple[float, ...]
    explained: float = 1.0

    def predict(self, features: Floats) -> tuple[Floats, Floats]:
        return features @ np.array(self.factors), np.zeros(len(features))


def likelihood(
    factors: list[tuple[float, ...]], measured: list[float], deviation: float, vary: Any = None
) -> Likelihood:
    """One with lines in place of emulators, and the same deviation of every target."""
    count = len(measured)
    ranges = vary or {f"k{place}": wl.Range(0.0, 1.0) for place in range(len(factors[0]))}
    return Likelihood(
        Unknowns(axes_of(ranges)),
        [Line(each) for each in factors],
        np.array(measured),
        np.zeros((count, count)),
        np.full(count, deviation),
    )


def best(shares: list[float]) -> Ran:
    """A point that was run, of which only the place matters."""
    return Ran((), np.array(shares), 0, [], None)


def test_a_normal_distribution_is_found_as_it_is() -> None:
    # one unknown, measured directly as 0.4 with deviation 0.05; the other is not measured
    found = sampled(likelihood([(1.0, 0.0)], [0.4], 0.05), 1, 1000)
    low, high = found.interval(0)
    assert (low, high) == pytest.approx((0.4 - 1.96 * 0.05, 0.4 + 1.96 * 0.05), abs=0.006)
    # of what is not measured 95 % of the range are left
    assert np.diff(found.interval(1))[0] == pytest.approx(0.95, abs=0.01)
    # the 95 % set is the same interval: its edge lies 1.96 deviations off
    inside, outside = np.array([[0.4 + 1.90 * 0.05, 0.5], [0.4 + 2.02 * 0.05, 0.5]])
    assert found.holds(inside)[0]
    assert not found.holds(outside)[0]
    states = [each.state for each in knowledge(found, best([0.4, 0.5]))]
    assert states == ["determined", "not determined"]
    assert tied(found) == ()


def test_a_narrow_set_in_many_dimensions_is_found() -> None:
    truth = [0.31, 0.72, 0.55, 0.11]
    factors: list[tuple[float, ...]] = [tuple(row) for row in np.eye(4)]
    found = sampled(likelihood(factors, truth, 0.002), 1, 1000)
    for place, value in enumerate(truth):
        expected = (value - 1.96 * 0.002, value + 1.96 * 0.002)
        assert found.interval(place) == pytest.approx(expected, abs=0.0006)


def test_what_is_known_only_together_is_told() -> None:
    # the sum alone is measured
    found = sampled(likelihood([(1.0, 1.0)], [1.0], 0.02), 1, 1000)
    ((one, other, correlation),) = tied(found)
    assert (one, other) == ("k0", "k1")
    assert correlation < -0.98
    assert [each.state for each in knowledge(found, best([0.5, 0.5]))] == ["not determined"] * 2


def test_targets_that_contradict_each_other_widen_the_tolerances() -> None:
    # 0.2 and 0.8 for the same unknown: 0.5 is nearest, with a distance of 2 (0.3 / 0.05)^2 = 72;
    # 95 % of the points that chance alone moves lie within 5.991
    found = widened(likelihood([(1.0,), (1.0,)], [0.2, 0.8], 0.05), 1)
    assert found.likelihood.scale == pytest.approx(math.sqrt(72 / 5.991), rel=0.01)
    low, high = found.interval(0)
    assert (low + high) / 2 == pytest.approx(0.5, abs=0.01)
    assert widened(likelihood([(1.0,), (1.0,)], [0.48, 0.52], 0.05), 1).likelihood.scale == 1.0


def test_points_that_cannot_be_run_explain_nothing() -> None:
    # 0.8 would fit, but nothing above 0.5 can be run: 6 deviations to the nearest that can
    excluded = replace(
        likelihood([(1.0,)], [0.8], 0.05), excluded=lambda features: features[:, 0] > 0.5
    )
    found = widened(excluded, 1)
    assert found.likelihood.scale == pytest.approx(6 / 1.96, rel=0.02)
    assert found.interval(0)[1] <= 0.5
    assert found.shares[:, 0][found.weights > 0].max() <= 0.5


def test_values_without_order_have_probabilities() -> None:
    vary = {"policy": ["a", "b", "c", "d"]}
    # two deviations from b, four from c, none from a
    found = sampled(likelihood([(0.0, 2.0, 4.0, 9.0)], [0.0], 1.0, vary), 1)
    weights = np.exp(-0.5 * np.array([0.0, 2.0, 4.0, 9.0]) ** 2)
    assert found.shares_of_values(0) == pytest.approx(weights / weights.sum(), abs=2e-3)
    (known,) = knowledge(found, best([0.1]))
    # a alone has 88 %, a and b together more than 95 %
    assert known.text == "a (88%), b (12%)"
    assert known.width == pytest.approx(1 / 3)
    assert known.state == "narrowed"


def test_coordinates_and_values_belong_together() -> None:
    vary: dict[Any, Any] = {
        "a": wl.Range("20 us", "100 us"),
        "b": wl.Range(1, 64, log=True),
        "c": wl.Range(3, 6),
        "d": [8, 2, 4],
        ("e", "f"): [(1, 4), (2, 2)],
        "g": ["x", "y", "z"],
    }
    unknowns = Unknowns(axes_of(vary))
    shares = np.array([[0.25, 0.5, 0.6, 0.5, 0.9, 0.4]])
    settings = dict(unknowns.settings(shares[0]))
    assert settings == {
        "a": '"40.0 us"',
        "b": "8",
        "c": "5",  # each of 3, 4, 5 and 6 has a quarter
        "d": "4",  # the middle one
        "e": "2",
        "f": "2",
        "g": '"y"',
    }
    expected = [0.25, 0.5, 2 / 3, 0.5, 1.0, 0.0, 1.0, 0.0]
    assert unknowns.features(shares)[0] == pytest.approx(expected)
    values = {"a": "40 us", "b": 8, "c": 5, "d": 4, ("e", "f"): (2, 2), "g": "y"}
    found = unknowns.shares(values)
    assert unknowns.settings(found) == unknowns.settings(shares[0])
    for key, value in (("a", "200 us"), ("a", "40 ms"), ("d", 3), (("e", "f"), (1, 1)), ("g", "w")):
        with pytest.raises(wl.ConfigError, match=r"does not lie in|is not varied"):
            unknowns.shares(values | {key: value})
    with pytest.raises(wl.ConfigError, match="g: no value is given"):
        unknowns.shares({key: value for key, value in values.items() if key != "g"})


@pytest.mark.parametrize(
    ("text", "value", "tolerance"),
    [
        ("x=370+-5%", 370.0, 18.5),
        ("x = 370 ± 4", 370.0, 4.0),
        ("x=370+/-4", 370.0, 4.0),
        ("x=65%+-2%", 0.65, 0.013),
        ("x=-20", -20.0, 2.0),
    ],
)
def test_targets_as_they_are_written(text: str, value: float, tolerance: float) -> None:
    target = Target.from_text(text, "10%")
    assert (target.figure, target.value) == ("x", value)
    assert target.tolerance == pytest.approx(tolerance)


def test_positive_figures_are_compared_by_their_ratio() -> None:
    targets = [Target("x", 100.0, 10.0), Target("y", 0.0, 1.0)]
    how = Targets.of(targets, np.array([[50.0, -1.0], [200.0, 3.0]]))
    assert how.measured == pytest.approx([math.log(100), 0.0])
    assert how.deviations == pytest.approx([math.log(1.1) / 1.96, 1 / 1.96], rel=1e-4)
    assert how.compared(np.array([200.0, 3.0])) == pytest.approx([math.log(200), 3.0])


def test_noise_is_what_differs_between_seeds() -> None:
    random = np.random.default_rng(1)
    covariance = np.array([[4.0, 1.2], [1.2, 1.0]])
    points = random.normal(0, 100, (4000, 1, 2))
    runs = points + random.multivariate_normal([0, 0], covariance, (4000, 3))
    assert noise_of(runs) == pytest.approx(covariance, rel=0.08)
    assert noise_of(runs[:, :1]) == pytest.approx(np.zeros((2, 2)))


def test_an_emulator_predicts_and_says_how_well() -> None:
    random = np.random.default_rng(1)
    features = random.random((40, 2))
    values = np.sin(3 * features[:, 0]) + features[:, 1] ** 2
    emulator = fitted(features, values, 0.0)
    new = random.random((200, 2))
    mean, variance = emulator.predict(new)
    errors = mean - np.sin(3 * new[:, 0]) - new[:, 1] ** 2
    assert np.abs(errors).max() < 0.05
    assert emulator.explained > 0.99
    # two thirds within a deviation at least, nearly all within three
    assert np.mean(errors**2 <= variance) > 0.6
    assert np.mean(errors**2 <= 9 * variance) > 0.97
    # values that have nothing to do with the features
    assert fitted(features, random.normal(size=40), 0.0).explained < 0.3
    # values that are all the same
    assert fitted(features, np.full(40, 7.0), 0.0).predict(new)[0] == pytest.approx(
        np.full(200, 7.0)
    )


def test_left_out_points_are_predicted_as_by_a_fit_without_them() -> None:
    from sklearn.gaussian_process import GaussianProcessRegressor

    random = np.random.default_rng(2)
    features = random.random((12, 1))
    values = np.sin(5 * features[:, 0]) + random.normal(0, 0.1, 12)
    process = fitted(features, values, 0.01).process
    residuals, variances = left_out(process)
    scaled = (values - values.mean()) / values.std()
    for place in range(12):
        rest = np.arange(12) != place
        own = GaussianProcessRegressor(process.kernel_, alpha=process.alpha, optimizer=None)
        own.fit(features[rest], scaled[rest])
        mean, deviation = own.predict(features[[place]], return_std=True)
        assert residuals[place] == pytest.approx(scaled[place] - mean[0], abs=1e-6)
        # the value itself has the noise of a run beside what its prediction has
        assert variances[place] == pytest.approx(deviation[0] ** 2 + process.alpha, rel=1e-6)


def found_again(tmp_path: Path, truth: dict[str, str], **more: Any) -> wl.Inference:
    """Infer two times of the chip from the median latencies of a run with other seeds."""
    drive = wl.Drive("tiny", **FILLED, **truth, seed=77)
    summary = wl.simulate(drive, LOAD, progress=False).summary
    targets = {figure: (summary[figure], "2%") for figure in FIGURES.values()}
    options: dict[str, Any] = {"points": 16, "cache": tmp_path / "kept", "progress": False}
    return wl.infer(
        wl.Drive("tiny", **FILLED), LOAD, vary=RANGES, targets=targets, **(options | more)
    )


TRUTH = {READ: "62 us", PROGRAM: "310 us"}


def test_the_settings_that_were_measured_are_found_again(tmp_path: Path) -> None:
    found = found_again(tmp_path, TRUTH)
    assert found.scale == 1.0
    assert found.covers(TRUTH)
    assert not found.covers(TRUTH | {READ: "90 us"})
    intervals = {
        each.name: [float(end.strip('"').split()[0]) for end in (each.low, each.high)]
        for each in found.keys
    }
    assert intervals[READ][0] < 62 < intervals[READ][1]
    assert intervals[PROGRAM][0] < 310 < intervals[PROGRAM][1]
    assert [each.state for each in found.keys] == ["determined", "determined"]
    assert [each.target.figure for each in found.targets] == [*FIGURES.values()]
    for each in found.targets:
        assert each.best == pytest.approx(each.target.value, rel=0.03)
        assert each.low < each.target.value < each.high
    table = found.table
    assert table.columns == [READ, PROGRAM, "density", *FIGURES.values()]
    assert table["density"][0] == pytest.approx(1.0, abs=0.05)
    for row in table.sample(20, seed=1).iter_rows(named=True):
        settings = {READ: f"{row[READ]} us", PROGRAM: f"{row[PROGRAM]} us"}
        assert found.covers(settings)
    # 16 points with two seeds, and each run of the best ones is in the table of runs
    assert found.sweep.table.height == 32
    best = dict(found.best)
    assert best[READ].strip('"') in found.command


def test_targets_predict_each_other_where_they_depend_on_the_same(tmp_path: Path) -> None:
    drive = wl.Drive("tiny", **FILLED, **TRUTH, seed=77)
    summary = wl.simulate(drive, LOAD, progress=False).summary
    true = {
        name: summary[name] for name in ("host.read.latency.p50_us", "host.read.latency.min_us")
    }
    false = true | {"host.read.latency.p95_us": 1000.0}
    found = {
        name: wl.infer(
            wl.Drive("tiny", **FILLED),
            LOAD,
            vary={READ: RANGES[READ]},
            targets=targets,
            tolerance="2%",
            points=12,
            cache=tmp_path,
            progress=False,
        )
        for name, targets in (("true", true), ("false", false))
    }
    assert [each.holds for each in found["true"].predicted] == [True, True]
    for each in found["true"].predicted:
        assert each.middle == pytest.approx(each.target.value, rel=0.03)
    wrong = {each.target.figure: each.holds for each in found["false"].predicted}
    assert not wrong["host.read.latency.p95_us"]
    assert found["true"].scale == 1.0
    assert found["false"].scale > 5


@pytest.mark.slow
def test_sets_hold_the_truth_in_ten_of_twelve_cases(tmp_path: Path) -> None:
    """A small form of `benchmarks/infer.py coverage`."""
    random = np.random.default_rng(5)
    unknowns = Unknowns(axes_of(RANGES))
    held = 0
    for _ in range(12):
        truth = {key: value.strip('"') for key, value in unknowns.settings(random.random(2))}
        found = found_again(tmp_path, truth)
        held += found.covers(truth)
        assert all(each.width < 0.2 for each in found.keys)
    assert held >= 10


def test_an_inference_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[str] = []
    real = PointJob.run

    def stopping(job: PointJob, goes_on: Any) -> Any:
        if len(runs) == 21:
            raise KeyboardInterrupt
        runs.append(job.key)
        return real(job, goes_on)

    with monkeypatch.context() as patch:
        patch.setattr(PointJob, "run", stopping)
        with pytest.raises(KeyboardInterrupt):
            found_again(tmp_path, TRUTH, jobs=1)
    found_again(tmp_path, TRUTH, jobs=2).save(tmp_path / "a")
    found_again(tmp_path / "other", TRUTH, jobs=1).save(tmp_path / "b")
    names = {"infer.json", "report.html", "runs.parquet", "set.parquet"}
    assert {each.name for each in (tmp_path / "a").iterdir()} == names
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_points_that_cannot_be_run_are_excluded(tmp_path: Path) -> None:
    found = wl.infer(
        wl.Drive("tiny", **FILLED),
        LOAD,
        vary={READ: RANGES[READ], "geometry.channels": [0, 1, 2]},
        targets={"host.read.latency.p50_us": (90, "5%")},
        points=16,
        cache=tmp_path,
        progress=False,
    )
    assert found.failed > 0
    channels = found.keys[1]
    assert channels.shares["0"] < 0.05
    assert channels.shares["1"] == pytest.approx(0.5, abs=0.2)
    assert found.sweep.table["error"].count() == 2 * found.failed
    with pytest.raises(wl.ConfigError, match=r"geometry\.channels"):
        wl.infer(
            "tiny",
            LOAD,
            vary={"geometry.channels": [0, -1]},
            targets={"sim.time_s": 1},
            points=8,
            cache=tmp_path,
            progress=False,
        )


def test_idle_shares_are_figures_too(tmp_path: Path) -> None:
    load = {"interarrival": "500 us", "read_fraction": 1.0, "requests": 200}
    vary = {READ: RANGES[READ]}
    drive = wl.Drive("tiny", **FILLED)
    # arrivals are as random as those of a Poisson process, so that the drive is idle
    # for about 1 - latency / gap of the time
    found = wl.infer(
        drive,
        load,
        vary=vary,
        targets={"idle_share": ("80%", 0.01)},
        points=12,
        cache=tmp_path,
        progress=False,
    )
    (each,) = found.targets
    assert each.target.value == 0.8
    assert each.best == pytest.approx(0.8, abs=0.03)
    assert found.keys[0].width < 0.6


@pytest.mark.parametrize(
    ("values", "read"),
    [
        (["0.816702", "0.995735"], ["0.817", "0.996"]),
        (['"57.3412 us"', '"57.3489 us"'], ["57.34 us", "57.35 us"]),
        (['"7.00313%"', '"39.9%"'], ["7%", "39.9%"]),
        (["1234567.8", "16384", "true", '"greedy"'], ["1230000", "16384", "true", "greedy"]),
        (["0.25", "0.25"], ["0.25", "0.25"]),
    ],
)
def test_values_have_the_digits_that_tell_them_apart(values: list[str], read: list[str]) -> None:
    assert shown(values) == read


def test_the_page_says_what_was_found(tmp_path: Path) -> None:
    found = found_again(tmp_path, TRUTH)
    page = Page((found.save(tmp_path / "out") / "report.html").read_text(encoding="utf-8"))
    figures = {each.title: each for each in page.figures}
    interval = figures["The shortest interval of each key that is 95 % likely, within its range"]
    assert [row["95 % likely"] for row in interval.rows] == [each.text for each in found.keys]
    (fit,) = [each for title, each in figures.items() if title.startswith("The best settings")]
    worst = max(found.targets, key=lambda each: abs(each.best / each.target.value - 1))
    assert worst.target.figure in fit.title
    for row, each in zip(fit.points("best", "over"), found.targets, strict=True):
        assert row["best"] == pytest.approx(each.best / each.target.value - 1)
        assert row["low"] == pytest.approx(each.low / each.target.value - 1)
        assert row["over"] == pytest.approx(0.02)


TIMES = {READ: "62 us", PROGRAM: "310 us", "timing.transfer_rate": "120 MT/s"}
"""Of the drive that the trace below was measured with."""


def measured_trace(tmp_path: Path, requests: int = 1200) -> dict[str, Any]:
    """A workload: a trace in columns of our own, whose response times are those of a simulated drive."""
    load = {"requests": requests, "interarrival": "3 ms", "read_fraction": 0.6}
    sizes = {"request_size": ["4 KiB", "16 KiB"]}
    drive = wl.Drive("tiny", **FILLED, **TIMES, seed=77)
    table = wl.simulate(drive, load | sizes, progress=False).requests.sort("number")
    rows = table.select(
        pl.col("arrival_ns"),
        pl.col("class").cast(pl.String),
        pl.col("sector"),
        pl.col("sectors"),
        (pl.col("completed_ns") - pl.col("arrival_ns")).alias("took"),
    )
    rows.write_csv(tmp_path / "t.csv")
    columns = {"time": "arrival_ns", "op": "class", "offset": "sector", "size": "sectors"}
    units = {"offset_unit": "512 B", "size_unit": "512 B", "response": "took"}
    return {
        "kind": "trace",
        "path": str(tmp_path / "t.csv"),
        "format": "csv",
        "time_unit": "ns",
        "csv": columns | units,
    }


def test_the_second_half_of_a_trace_is_predicted_from_the_first(tmp_path: Path) -> None:
    workload = measured_trace(tmp_path)
    found = wl.infer(
        wl.Drive("tiny", **FILLED),
        workload,
        vary=RANGES | {"timing.transfer_rate": wl.Range("40 MT/s", "400 MT/s", log=True)},
        measured=True,
        tolerance="3%",
        points=24,
        cache=tmp_path / "kept",
        progress=False,
    )
    table = pl.read_csv(tmp_path / "t.csv")
    first, second = table[:600], table[600:]
    names = [each.target.figure for each in found.targets]
    # 10 of the 360 reads of a half lie beyond p95, none of them beyond p99 as often
    quantiles = ("p50", "p95", "small_p50", "large_p50")
    assert names == [
        f"latencies.first.{kind}.{each}_us" for kind in ("read", "write") for each in quantiles
    ]
    values = {each.target.figure: each.target.value for each in found.targets}
    reads = first.filter(pl.col("class") == "read")
    assert values[names[0]] == pytest.approx(np.median(reads["took"].to_numpy()) / 1e3)
    small = reads.filter(pl.col("sectors") == 8)["took"].to_numpy()
    assert values[names[2]] == pytest.approx(np.median(small) / 1e3)
    assert found.covers(TIMES)
    assert found.scale == 1.0
    assert found.held is not None
    errors = {(each.name, each.percent): each for each in found.held.errors}
    assert len(errors) == 6
    for (kind, percent), each in errors.items():
        took = second.filter(pl.col("class") == kind)["took"].to_numpy() / 1e3
        assert each.measured == pytest.approx(np.quantile(took, percent / 100))
        assert abs(each.error) < (0.05 if percent == 50 else 0.15)
        assert each.low <= each.best <= each.high
    assert "output.request_log" not in found.command
    page = Page((found.save(tmp_path / "out") / "report.html").read_text(encoding="utf-8"))
    drawn = page.figures_of("The second half of the trace, predicted")
    assert [each.title.split(",")[0] for each in drawn] == ["Latency of reads", "Latency of writes"]
    assert all(each.is_whole() for each in drawn)
    for figure, curve in zip(drawn, found.held.curves, strict=True):
        rows = figure.points("best", "low")
        assert [row["best"] for row in rows] == pytest.approx(curve.best)
        assert [row["measured"] for row in rows] == pytest.approx(curve.measured)
        for percent in (50, 95, 99):
            assert f"p{percent} {errors[curve.name, percent].told}" in figure.title


@effect("infer", "--measured")
def test_measured_latencies_on_the_command_line(tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    rows = [f"{1000 * n},h,0,Read,{4096 * n},4096,{900 + n}\n" for n in range(100)]
    trace.write_text("".join(rows))
    workload = tmp_path / "load.toml"
    workload.write_text(f"[workload]\nkind = 'trace'\nformat = 'msr'\npath = '{trace}'\n")
    options = ("--workload", workload, "--points", 8, "--cache", tmp_path / "kept")
    vary = ("--vary", "timing.t_r=20 us..100 us")
    done = call("infer", "tiny", *options, *vary, "--measured", "--tolerance", "7%")
    # the median of 900 to 949 ticks of 100 ns
    assert "latencies.first.read.p50_us" in done.stdout
    assert "92.45 ± 6.47" in done.stdout
    assert "second half of the trace" in done.stdout
    for more, said in (
        (("--set", "workload.compress_time=2"), "workload.compress_time = 2"),
        (("--set", "workload.repeat=2"), "workload.repeat = 2"),
        (("--set", "workload.take=20"), "too few requests with response times"),
    ):
        assert said in call("infer", "tiny", *options, *vary, "--measured", *more, status=2).stderr
    plain = call("infer", "tiny", *OPTIONS, "--measured", "--cache", tmp_path, status=2)
    assert "measured: the workload is no trace" in plain.stderr
    trace.write_text("".join(row.rpartition(",")[0] + ",0\n" for row in rows))
    silent = call("infer", "tiny", *options, *vary, "--measured", status=2)
    assert "it says no response times" in silent.stderr


OPTIONS = (
    *("--set", "workload.requests=100", "--set", "age.method=overwritten", "--points", 8),
    *("--set", "age.random_factor=0"),
    *("--vary", "timing.t_r=20 us..100 us"),
)
TARGET = ("--target", "host.read.latency.p50_us=90+-3%")


@effect("infer", "source", "--vary", "--set", "--target", "--points", "--json", "--cache")
def test_an_inference_on_the_command_line(tmp_path: Path) -> None:
    done = call("infer", "tiny", *OPTIONS, *TARGET, "--cache", tmp_path, "--json").json
    assert (done["points"], done["runs"]) == (8, 16)
    assert len([*tmp_path.iterdir()]) == 16
    (key,) = done["keys"]
    assert key["key"] == READ
    (target,) = done["targets"]
    assert (target["measured"], target["tolerance"]) == (90, pytest.approx(2.7))
    assert dict(done["best"]).keys() == {READ}


@effect("infer", "--tolerance", "--seeds", "--seed", "--together", "--workload", "--out")
def test_further_options_of_an_inference(tmp_path: Path) -> None:
    kept = ("--cache", tmp_path / "kept")
    workload = tmp_path / "load.toml"
    workload.write_text("[workload]\nrequests = 60\nread_fraction = 1.0\nqueue_depth = 1\n")
    pairs = (
        *(
            "--together",
            "geometry.channels=1,2,4",
            "--together",
            "geometry.chips_per_channel=4,2,1",
        ),
        *("--set", "age.method=overwritten", "--points", 8, "--workload", workload),
    )
    target = ("--target", "host.read.latency.p50_us=90")
    one = call(
        "infer", "tiny", *pairs, *target, *kept, "--tolerance", "10%", "--seeds", 3, "--json"
    ).json
    # three values, three seeds of each
    assert (one["points"], one["runs"]) == (3, 9)
    assert one["targets"][0]["tolerance"] == pytest.approx(9.0)
    assert one["keys"][0]["key"] == "geometry.channels and geometry.chips_per_channel"
    out = tmp_path / "out"
    done = call("infer", "tiny", *OPTIONS, *TARGET, *kept, "--out", out)
    assert "host.read.latency.p50_us" in done.stdout
    assert f"report: {out / 'report.html'}" in done.stdout.replace("\n", "")
    first = pl.read_parquet(out / "runs.parquet")[READ].to_list()
    assert "output.request_log" not in done.stdout
    other = call("infer", "tiny", *OPTIONS, *TARGET, *kept, "--seed", 2, "--out", tmp_path / "2")
    assert first != pl.read_parquet(tmp_path / "2" / "runs.parquet")[READ].to_list()
    assert "best settings: wordline run tiny" in other.stdout


@effect("infer", "--jobs", "--cluster")
def test_how_points_of_an_inference_are_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = AtOnce(_wordline.simulate, 2)
    with monkeypatch.context() as patch:
        patch.setattr(_wordline, "simulate", counted)
        call("infer", "tiny", *OPTIONS, *TARGET, "--jobs", 2, "--cache", tmp_path)
    assert counted.most == 2
    done = call("infer", "tiny", *OPTIONS, *TARGET, "--cluster", "nonsense://x", status=2)
    assert "no Dask scheduler answers there" in done.stderr


FILE = """
drive = "tiny"
seeds = 1
workload = { requests = 100 }

[set]
"age.method" = "overwritten"
"age.random_factor" = 0

[vary]
"timing.t_r" = { low = "20 us", high = "100 us" }

[targets]
"host.read.latency.p50_us" = { value = 90, tolerance = "3%" }
host.read.latency.mean_us = 100
"""


def test_a_file_says_what_was_measured(tmp_path: Path) -> None:
    file = tmp_path / "infer.toml"
    file.write_text(FILE)
    kept = ("--cache", tmp_path / "kept", "--points", 8, "--tolerance", "20%")
    done = call("infer", file, *kept, "--json").json
    assert done["runs"] == 8
    found = {each["figure"]: (each["measured"], each["tolerance"]) for each in done["targets"]}
    assert found == {
        "host.read.latency.p50_us": (90, pytest.approx(2.7)),
        "host.read.latency.mean_us": (100, pytest.approx(20)),
    }
    over = ("--target", "host.read.latency.mean_us=120+-1")
    done = call("infer", file, *kept, *over, "--json").json
    assert {each["figure"]: each["measured"] for each in done["targets"]} == {
        "host.read.latency.p50_us": 90,
        "host.read.latency.mean_us": 120,
    }
    for command in ("sweep", "search"):
        said = call(command, file, status=2).stderr
        assert "targets: only `wordline infer` has a use for them" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "there is no target"),
        (["--target", "host.read.latency.p50_us"], "accepted is FIGURE=VALUE"),
        (["--target", "sim.time_s=1+-2+-3"], "accepted is FIGURE=VALUE"),
        (["--target", "sim.time_s=fast"], "sim.time_s: 'fast': accepted are numbers"),
        (["--target", "sim.time_s=1+--2"], "tolerance"),
        (["--target", "f(x)=1"], "not accepted"),
        (["--target", "host.read.latency.p5_us=1"], "host.read.latency.p50_us"),
        (["--target", "sim.time_s=1", "--target", "sim.time_s=2"], "named twice"),
        (["--target", "sim.time_s=1", "--seed", "-1"], "seed"),
        (["--target", "sim.time_s=1", "--vary", "timing.t_r=20 us"], "two values at least"),
    ],
)
def test_inferences_that_make_no_sense_are_refused(
    options: list[str], said: str, tmp_path: Path
) -> None:
    few = ("--set", "workload.requests=20", "--cache", tmp_path, "--points", "8")
    vary = () if "--vary" in options else ("--vary", "timing.t_r=20 us..30 us")
    assert said in call("infer", "tiny", *few, *vary, *options, status=2).stderr


def test_tables_of_targets_and_unknowns_that_are_none(tmp_path: Path) -> None:
    for targets in ({"sim.time_s": (1, 2, 3)}, {"sim.time_s": {"value": 1, "width": 2}}):
        with pytest.raises(wl.ConfigError, match="accepted"):
            wl.infer("tiny", LOAD, vary=RANGES, targets=targets, cache=tmp_path)
    assert "nothing is varied" in call("infer", "tiny", *TARGET, status=2).stderr


def test_without_scikit_learn_the_pip_line_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wordline.inferring.waves.find_spec", lambda name: None)
    done = call("infer", "tiny", *OPTIONS, *TARGET, "--cache", tmp_path, status=2)
    assert 'python -m pip install "wordline[sweep]"' in done.stderr


def test_a_plan_divides_its_points() -> None:
    assert Plan(points=48).waves == [24, 8, 8, 8]
    assert Plan(points=8).waves == [5, 1, 1, 1]
