"""What a newcomer does: a trace, a preset of today, and the report that says what the drive does and why."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import wordline as wl
from report_reader import Page
from shared import wordline

SPACE = 256 << 20
"""Bytes that the traces touch, less than each of the small drives has."""


def trace_of(path: Path, requests: int, *, writes: float, size: int, in_order: bool) -> Path:
    """A trace in the format of MSR Cambridge, ten microseconds between requests."""
    stream = random.Random(7)
    rows = []
    for number in range(requests):
        operation = "Write" if stream.random() < writes else "Read"
        place = number if in_order else stream.randrange(SPACE // size)
        offset = place * size % SPACE
        time = 128_166_372_000_000_000 + 100 * number
        rows.append(f"{time},server,0,{operation},{offset},{size},0\n")
    path.write_text("".join(rows))
    return path


def asked(tmp_path: Path, preset: str, trace: Path, keys: dict[str, Any]) -> tuple[wl.Result, Page]:
    """What `wordline run PRESET --trace TRACE --out` leaves."""
    directory = tmp_path / "mine"
    settings = [part for key, value in keys.items() for part in ("--set", f"{key}={value}")]
    done = wordline("run", preset, "--trace", trace, *settings, "--out", directory)
    assert done.returncode == 0, done.stderr
    return wl.load(directory), Page((directory / "report.html").read_text(encoding="utf-8"))


def is_told(result: wl.Result, page: Page, begins: str) -> str:
    """The sentence of `explain()` that begins so, which stands at the top of the report as well."""
    (said,) = [each for each in page.lead if each.startswith(begins)]
    assert said in result.explain()
    return said


def test_the_cliff_under_a_trace(tmp_path: Path) -> None:
    keys = {
        "geometry.blocks_per_plane": 24,
        "geometry.pages_per_block": 96,
        "ftl.over_provisioning": 0.8,
        "ftl.slc_cache.static_blocks": 1,
        "ftl.slc_cache.dynamic_blocks": 1,
        "buffer.size": "1 MiB",
    }
    trace = trace_of(tmp_path / "my.trace", 3_000, writes=1.0, size=131_072, in_order=True)
    result, page = asked(tmp_path, "client-qlc", trace, keys)
    assert "It had filled up after " in is_told(result, page, "The SLC cache took ")
    assert page.figure("over-time").title.startswith("The SLC cache was full after ")


def test_reads_without_dram_under_a_trace(tmp_path: Path) -> None:
    keys = {
        "geometry.blocks_per_plane": 24,
        "geometry.pages_per_block": 96,
        "ftl.cached_entries": 8192,
        "ftl.over_provisioning": 0.6,
        "ftl.slc_cache.static_blocks": 1,
        "ftl.slc_cache.dynamic_blocks": 3,
    }
    trace = trace_of(tmp_path / "my.trace", 2_000, writes=0.1, size=4096, in_order=False)
    result, page = asked(tmp_path, "client-dramless", trace, keys)
    said = is_told(result, page, "The map is on flash: ")
    assert "pages of the map were read for the others" in said
    assert "of the mean read latency of" in said


def test_small_writes_to_large_units_under_a_trace(tmp_path: Path) -> None:
    keys = {
        "geometry.chips_per_channel": 2,
        "geometry.blocks_per_plane": 32,
        "geometry.pages_per_block": 64,
        "ftl.over_provisioning": 0.8,
        "buffer.size": "1 MiB",
    }
    trace = trace_of(tmp_path / "my.trace", 2_000, writes=1.0, size=4096, in_order=False)
    result, page = asked(tmp_path, "datacenter-qlc", trace, keys)
    assert "read for the rest of these units" in is_told(
        result, page, "The mapping unit has 4 pages of 16 KiB"
    )
    assert result.number("ftl.write_amplification_bytes") > 16
