"""What each option of `wordline trace-stats`, `convert`, `profiles` and `fit` does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from options import call, effect, sets
from report_reader import close, number

ROWS = 400


@pytest.fixture
def spc(tmp_path: Path) -> Path:
    """Requests every 2 ms, in seconds: three reads for each write."""
    file = tmp_path / "trace.spc"
    file.write_text(
        "".join(
            f"0,{8 * (number * 7919 % 4_000)},{4096 if number % 4 else 8192},"
            f"{'r' if number % 4 else 'w'},{number * 0.002:.6f}\n"
            for number in range(ROWS)
        )
    )
    return file


@pytest.fixture
def either(tmp_path: Path) -> Path:
    """Rows that are requests of several formats, which count times and sizes in units of their own."""
    file = tmp_path / "trace.txt"
    file.write_text("".join(f"{20 * number} 0 {8 * number} 8 1\n" for number in range(ROWS)))
    return file


UNITS = {"disksim": (1e-3, 512), "ssdsim": (1e-9, 512), "flashsim": (1e-3, 4096)}
"""Seconds of a time, and bytes of a size, in formats whose rows have the same columns."""


def as_read(stats: dict[str, Any]) -> tuple[float, float]:
    """Units of times and sizes of a trace of such rows, from its statistics."""
    return stats["span_s"] / 20 / (ROWS - 1), stats["mean_read_bytes"] / 8


@effect("trace-stats", "file", "--json")
def test_trace_stats_counts_the_requests(spc: Path) -> None:
    found = call("trace-stats", spc, "--json").json
    assert (found["requests"], found["read_percent"]) == (ROWS, 75.0)
    assert found["mean_write_bytes"] == 8192
    assert found["span_s"] == pytest.approx((ROWS - 1) * 0.002)
    lines = call("trace-stats", spc).stdout.splitlines()
    assert next(line for line in lines if line.startswith("requests ")).split() == [
        "requests",
        "400",
    ]


@effect("trace-stats", "--format")
def test_trace_stats_reads_as_it_is_told(either: Path) -> None:
    for name, units in UNITS.items():
        stats = call("trace-stats", either, "--format", name, "--json").json
        assert as_read(stats) == pytest.approx(units)


@effect("trace-stats", "--set")
def test_trace_stats_reads_with_the_keys_that_are_set(spc: Path) -> None:
    span = call("trace-stats", spc, *sets(workload__time_unit="ms"), "--json").json["span_s"]
    assert span == pytest.approx((ROWS - 1) * 0.002 / 1000)


@effect("trace-stats", "--report")
def test_trace_stats_writes_a_page(spc: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = call("trace-stats", spc, "--report", page)
    assert "400" in page.read_text().partition("</main>")[0]
    assert f"report: {page}" in done.stdout


@effect("convert", "input", "output")
def test_convert_writes_the_form_that_the_name_says(spc: Path, tmp_path: Path) -> None:
    kept = wl.trace_stats(spc)
    for name, form in (
        ("a.wlt", "wordline"),
        ("a.csv", "msr"),
        ("a.iolog", "fio_iolog3"),
        ("a.blkparse", "blkparse"),
        ("a.parquet", "table"),
        ("a.wlt.gz", "wordline"),
    ):
        done = call("convert", spc, tmp_path / name)
        assert (
            done.stdout
            == f"{tmp_path / name}: 400 requests, {(tmp_path / name).stat().st_size:,} bytes\n"
        )
        found = wl.trace_stats(tmp_path / name)
        assert found["format"] == form
        for key in ("requests", "read_percent", "mean_write_bytes", "pages_touched"):
            assert found[key] == kept[key], (name, key)
    assert (tmp_path / "a.wlt.gz").read_bytes()[:2] == b"\x1f\x8b"


@effect("convert", "--format")
def test_convert_reads_as_it_is_told(either: Path, tmp_path: Path) -> None:
    for name, units in UNITS.items():
        call("convert", either, tmp_path / f"{name}.wlt", "--format", name)
        assert as_read(wl.trace_stats(tmp_path / f"{name}.wlt")) == pytest.approx(units)


@effect("trace-stats", "--time-unit")
def test_trace_stats_reads_times_in_the_unit_that_is_told(spc: Path) -> None:
    found = call("trace-stats", spc, "--time-unit", "ms", "--json").json
    assert found["span_s"] == pytest.approx((ROWS - 1) * 0.002 / 1000)


@effect("convert", "--time-unit", "--set")
def test_convert_reads_times_in_the_unit_that_is_told(spc: Path, tmp_path: Path) -> None:
    for options in (("--time-unit", "ms"), sets(workload__time_unit="ms")):
        call("convert", spc, tmp_path / "a.wlt", *options)
        span = wl.trace_stats(tmp_path / "a.wlt")["span_s"]
        assert span == pytest.approx((ROWS - 1) * 0.002 / 1000)


@effect("profiles", "name")
def test_profiles_are_listed_or_printed(tmp_path: Path) -> None:
    names = [line.split()[0] for line in call("profiles").stdout.splitlines()]
    assert "financial1" in names
    file = tmp_path / "mine.toml"
    file.write_text(call("profiles", "financial1").stdout)
    loads = ({"profile": "financial1"}, {"profile_file": str(file)})
    drive = wl.Drive.from_toml("onfi3-mlc", **{"age.method": "fresh"})
    one, other = (
        wl.simulate(drive, {"kind": "profile", "requests": 200, **load}, progress=False)
        for load in loads
    )
    assert one.requests.equals(other.requests)


@effect("fit", "trace", "--json", "--out")
def test_fit_describes_the_trace(spc: Path, tmp_path: Path) -> None:
    profile = tmp_path / "profile.toml"
    found = call("fit", spc, "--json", "--out", profile).json
    assert found["trace"]["requests"] == ROWS
    rows = {row["figure"]: row for row in found["comparison"]}
    reads = next(row for name, row in rows.items() if name.startswith("read"))
    assert reads["trace"] == 75.0
    drive = wl.Drive.from_toml(
        "tiny", **{"workload.profile_file": str(profile), "workload.kind": "profile"}
    )
    run = wl.simulate(
        drive, {"requests": 1_000, "kind": "profile", "profile_file": str(profile)}, progress=False
    )
    assert run.number("host.read.count") == pytest.approx(750, abs=60)
    shown = call("fit", spc, "--out", tmp_path / "again.toml").stdout
    assert f"profile: {tmp_path / 'again.toml'}" in shown
    assert (tmp_path / "again.toml").read_text() == profile.read_text()


@effect("fit", "--seed")
def test_fit_draws_another_surrogate_with_another_seed(spc: Path) -> None:
    one, again, other = (
        call("fit", spc, "--seed", seed, "--json").json["surrogate"] for seed in (1, 1, 2)
    )
    assert one == again
    assert one != other


@effect("fit", "--format")
def test_fit_reads_as_it_is_told(either: Path) -> None:
    for name, units in UNITS.items():
        stats = call("fit", either, "--format", name, "--json").json["trace"]
        assert as_read(stats) == pytest.approx(units)


@effect("fit", "--set")
def test_fit_reads_with_the_keys_that_are_set(spc: Path) -> None:
    found = call("fit", spc, *sets(workload__time_unit="ms"), "--json").json
    assert found["trace"]["span_s"] == pytest.approx((ROWS - 1) * 0.002 / 1000)


def test_fit_on_the_terminal(spc: Path) -> None:
    rows = call("fit", spc, "--json").json
    trace, surrogate = rows["trace"], rows["surrogate"]
    lines = [re.split(r" {2,}", line.strip()) for line in call("fit", spc).stdout.splitlines()]
    shown = {line[0]: line[1:] for line in lines if line}
    seen = 0
    for row in rows["comparison"]:
        if row["difference"] is None:
            continue
        cells = shown[row["figure"]]
        *_, own, drawn, difference = cells
        value, unit = difference.split(" ")
        assert number(own) == close(row["trace"])
        assert number(drawn) == close(row["surrogate"])
        wanted = row["surrogate"] - row["trace"]
        if unit == "%":
            wanted *= 100 / row["trace"]
        assert float(value) == pytest.approx(wanted, abs=0.0051), row
        seen += wanted < 0
    assert seen
    assert trace["read_percent"] == 75.0
    assert number(shown[label(rows, 75.0)][-2]) == close(surrogate["read_percent"])


def label(rows: dict[str, Any], value: float) -> str:
    """The figure whose value of the trace is this one."""
    return str(next(row["figure"] for row in rows["comparison"] if row["trace"] == value))


@effect("import", "file", "--output")
def test_import_prints_or_writes_the_file(tmp_path: Path) -> None:
    source, target = tmp_path / "ssd.conf", tmp_path / "drive.toml"
    source.write_text("SSD_SIZE 2\nPLANE_SIZE 128\nPAGE_SIZE 4096\nPAGE_READ_DELAY 25\n")
    done = call("import", source, "--output", target)
    assert done.stdout == f"{target}: a drive of FlashSim: 18 keys, 12 of them assumed\n"
    printed = call("import", source).stdout
    assert target.read_text() == printed
    assert "channels = 2  # taken over: SSD_SIZE = 2" in printed
    assert sorted(tmp_path.iterdir()) == [target, source]
    assert call("check", target).stdout.startswith(f"{target}: good.")
