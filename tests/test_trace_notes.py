"""Notes on traces whose results would mislead, and traces in every compression."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

import wordline as wl
from shared import wordline
from wordline.seeds import figures

ROWS = 2_000


def rows(step_s: float, every: int = 1, span: int = 4_000) -> str:
    """SPC text: `every` requests at a time, the times `step_s` apart."""
    return "".join(
        f"0,{8 * (number * 7919 % span)},4096,{'r' if number % 3 else 'w'},{number // every * step_s:.6f}\n"
        for number in range(ROWS)
    )


def keys(path: Path, **options: object) -> dict[str, str]:
    """The notes of a replay on a tiny drive, by key."""
    notes = wl.simulate("tiny", wl.Workload.trace(path, **options), progress=False).notes
    return {note.key: note.text for note in notes}


def test_coarse_times_are_told(tmp_path: Path) -> None:
    coarse, fine = tmp_path / "coarse.spc", tmp_path / "fine.spc"
    coarse.write_text(rows(0.05, every=20))
    fine.write_text(rows(0.0025))
    text = keys(coarse)["coarse_timestamps"]
    assert "95 % of its requests" in text
    assert "multiples of 50 ms" in text
    assert "coarse_timestamps" not in keys(fine)
    closed = keys(coarse, replay="closed_loop", queue_depth=4)
    assert "coarse_timestamps" not in closed


def test_a_description_of_a_trace_tells_them_too(tmp_path: Path) -> None:
    coarse, fine = tmp_path / "coarse.spc-ms", tmp_path / "fine.spc"
    coarse.write_text(rows(50.0, every=20))
    fine.write_text(rows(0.0025))
    notes = wl.trace_stats(coarse)["notes"]
    assert "95 % of its requests" in notes
    assert "in ms because the file's name says so; s is usual" in notes
    plain = wl.trace_stats(fine)["notes"]
    assert "too coarse" not in plain
    assert "file's name" not in plain
    assert "file's name says so" in " ".join(wl.convert(coarse, tmp_path / "a.wlt").notes)
    assert "file's name" not in " ".join(wl.convert(fine, tmp_path / "b.wlt").notes)


def test_a_unit_from_the_name_is_told(tmp_path: Path) -> None:
    named, plain = tmp_path / "trace.spc-ms", tmp_path / "trace.spc"
    for path in (named, plain):
        path.write_text(rows(2.5))
    text = keys(named)["unit_from_name"]
    assert "in ms because the file's name says so; s is usual" in text
    assert "unit_from_name" in keys(named, format="spc")
    assert "unit_from_name" not in keys(named, time_unit="ms")
    assert "unit_from_name" not in keys(plain)


def test_a_trace_far_from_the_drive_in_size_is_told(tmp_path: Path) -> None:
    small, fitting, large = (tmp_path / f"{name}.spc" for name in ("small", "fitting", "large"))
    drive = wl.simulate("tiny", {"requests": 10}, progress=False)
    pages = int(figures(drive.summary)["ftl.user_pages"])
    small.write_text(rows(0.0025, span=pages // 20))
    fitting.write_text(rows(0.0025, span=pages // 2))
    large.write_text(rows(0.0025, span=2 * pages))
    assert "of the drive's user space" in keys(small)["small_footprint"]
    assert not {"small_footprint", "folded"} & keys(fitting).keys()
    text = keys(large, fold="modulo")["folded"]
    assert f"of {ROWS:,} requests" in text
    assert "small_footprint" not in keys(large, fold="modulo")


def test_every_note_of_a_run_is_documented(tmp_path: Path) -> None:
    page = (Path(__file__).parents[1] / "docs/reference/notes.md").read_text()
    coarse = tmp_path / "coarse.spc-ms"
    coarse.write_text(rows(50.0, every=20, span=100))
    found = keys(coarse)
    assert {"window", "coarse_timestamps", "unit_from_name", "small_footprint"} <= found.keys()
    for key in found:
        assert f"| `{key}` |" in page


def test_a_short_trace_on_a_large_drive_leaves_its_map_alone(tmp_path: Path) -> None:
    """The two halves of the map of 384 GiB would take 200 MB, and seconds to be written down."""
    short = tmp_path / "short.spc"
    short.write_text(rows(0.0025))
    done = wordline("run", "onfi5-tlc", "--trace", short, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["run.peak_rss_mb"] < 135


@pytest.mark.parametrize(
    ("name", "compress"),
    [("a.spc.gz", gzip.compress), ("a.spc.bz2", bz2.compress), ("a.spc.xz", lzma.compress)],
)
def test_a_trace_is_read_in_every_compression(
    name: str, compress: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    plain, packed = tmp_path / "plain.spc", tmp_path / name
    plain.write_text(rows(0.0025))
    packed.write_bytes(compress(plain.read_bytes()))
    one, other = (wl.trace_stats(path) for path in (packed, plain))
    # which names the file
    del one["notes"], other["notes"]
    assert one == other
    binary = tmp_path / f"b.wlt{packed.suffix}"
    assert wl.convert(packed, binary).requests == ROWS
    first, second = (
        wl.simulate("tiny", wl.Workload.trace(path), progress=False) for path in (plain, binary)
    )
    assert first.requests.equals(second.requests)
    packed.write_bytes(packed.read_bytes()[:-20])
    done = wordline("trace-stats", packed)
    assert done.returncode == 2
    assert "end too early" in done.stderr
