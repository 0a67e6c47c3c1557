"""How numbers are shown: worked by hand."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from shared import wordline
from wordline.formatting import (
    binary_size,
    display,
    duration_us,
    nearer,
    percent,
    quantity,
    setting,
    unit_of,
)


def test_paths_are_told_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "work" / "here"
    here.mkdir(parents=True)
    monkeypatch.chdir(here)
    for said, shown in (
        (f"{here}/my.trace: row 3 is odd", "my.trace: row 3 is odd"),
        (f"`{here}/a/b` and ({tmp_path}/c.toml)", f"`a/b` and ({tmp_path}/c.toml)"),
        # above it, beside it, or part of another path
        (f"{here.parent}/d", f"{here.parent}/d"),
        (f"/mnt{here}/e {here}s/f", f"/mnt{here}/e {here}s/f"),
        ("no path", "no path"),
    ):
        assert nearer(said) == shown
    # below the root every path is in full
    monkeypatch.chdir("/")
    assert nearer("/a/b") == "/a/b"


def test_notes_name_files_in_full_where_they_are_saved_and_near_where_they_are_printed(
    tmp_path: Path,
) -> None:
    trace = tmp_path / "my.trace"
    trace.write_text("0,0,4096,r,0.0\n0,8,4096,w,0.1\n")
    done = wordline("run", "tiny", "--trace", "my.trace", "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"{trace}: " in (tmp_path / "out" / "remarks.json").read_text()
    assert ": my.trace: " in done.stdout
    assert str(tmp_path) not in done.stdout


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0 µs"),
        (0.5, "0.5 µs"),
        (129.535, "130 µs"),
        (999.4, "999 µs"),
        (999.6, "1 ms"),
        (1_464.319, "1.46 ms"),
        (32_324.28, "32.3 ms"),
        (999_600, "1 s"),
        (2_500_000, "2.5 s"),
        (999.6e6, "1,000 s"),
        (7_200e6, "7,200 s"),
    ],
)
def test_durations(value: float, shown: str) -> None:
    assert duration_us(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (math.nan, "–"),
        (True, "yes"),
        (False, "no"),
        (1_234_567, "1,234,567"),
        (0.0, "0"),
        (0.03125, "0.03125"),
        (2.71828, "2.718"),
        (-3.5, "-3.500"),
        (12_345.678, "12,346"),
        (1.5e9, "1.5e+09"),
        (0.000125, "0.000125"),
        (0.000123456, "0.0001235"),
        (-1.23456e-7, "-1.235e-07"),
        (1.23456e9, "1.235e+09"),
        ("text", "text"),
    ],
)
def test_values(value: object, shown: str) -> None:
    assert display(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.07, "0.07"),
        (0.28000000000000003, "0.28"),
        (-0.5, "-0.5"),
        (0.0, "0"),
        (16.0, "16"),
        (0.0001234567, "0.0001235"),
        (1_234.5, "1,234"),
        (2_000_000, "2,000,000"),
        (True, "true"),
        (None, "–"),
        ("greedy", "greedy"),
    ],
)
def test_settings(value: object, shown: str) -> None:
    assert setting(value) == shown


@pytest.mark.parametrize(
    ("value", "given", "shown"),
    [
        (8_988.4, "mW", "8.988 W"),
        (12_345_678, "µJ", "12.35 J"),
        (999.94, "mW", "999.9 mW"),
        (999.96, "mW", "1.000 W"),
        (0.04, "W", "40.00 mW"),
        (1.085e-6, "J", "1.085 µJ"),
        (12.5, "nJ", "12.50 nJ"),
        (0.0125, "nJ", "0.01250 nJ"),
        (5_678_000.0, "mJ", "5,678 J"),
        (0.0, "mW", "0 W"),
        (None, "mW", "–"),
        (math.nan, "J", "–"),
    ],
)
def test_energies_and_powers(value: object, given: str, shown: str) -> None:
    assert quantity(value, given) == shown


def test_the_largest_of_several_chooses_the_unit() -> None:
    unit, factor = unit_of([30.0, 8_988.0], "mW")
    assert unit == "W"
    assert 8_988.0 * factor == pytest.approx(8.988)
    assert unit_of([], "mJ")[0] == "J"


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (0.0, "0 %"),
        (0.00123, "0.12 %"),
        (0.0456, "4.6 %"),
        (0.0994, "9.9 %"),
        (0.0996, "10 %"),
        (0.8268, "83 %"),
        (1.0, "100 %"),
    ],
)
def test_percentages(share: float, shown: str) -> None:
    assert percent(share) == shown


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 B"),
        (512, "512 B"),
        (4096, "4 KiB"),
        (6_144, "6 KiB"),
        (104_857_600, "100 MiB"),
        (1.5 * 2**40, "1.5 TiB"),
    ],
)
def test_sizes(count: float, shown: str) -> None:
    assert binary_size(count) == shown
