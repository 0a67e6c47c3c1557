"""The SLC cache as a user sees it: the cliff in the time series, and the words about it."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

import wordline as wl
from wordline.cli.points import engine_of
from wordline.datasheets.loads import Load
from wordline.datasheets.sheet import note_of_cache
from wordline.driveenergy import drive_energy
from wordline.formatting import duration_us, part_of
from wordline.report import driveenergy as page
from wordline.report import over_time
from wordline.report.datasheet import shown

SMALL = {
    "geometry.blocks_per_plane": 24,
    "geometry.pages_per_block": 96,
    "ftl.over_provisioning": 0.8,
    "ftl.slc_cache.static_blocks": 1,
    "ftl.slc_cache.dynamic_blocks": 3,
    "buffer.size": "1 MiB",
    "output.attribution": True,
}


def run(requests: int, **more: object) -> wl.Result:
    """Sequential writes of 128 KiB to a small drive that holds nothing."""
    drive = wl.Drive.from_toml("client-tlc", **{**SMALL, **more, "workload.requests": requests})
    return wl.simulate(drive, progress=False)


@pytest.fixture(scope="module")
def result() -> wl.Result:
    """A run that goes over the cliff: the cache has 32 planes of 4 blocks of 32 pages of 16 KiB, which is 64 MiB, 512 requests."""
    return run(6_000)


def test_the_cliff_comes_after_as_many_bytes_as_the_cache_has(result: wl.Result) -> None:
    room = 32 * 4 * 32 * 4
    # some planes still have a page or two when the run ends
    assert 0.98 * room < result.number("ftl.slc_cache.pages_written") <= room
    windows = result.time_series.select("written_bytes", "width_ns").rows()
    rates = [written / width for written, width in windows if width]
    third = len(rates) // 3
    early, late = sum(rates[: third // 2]) / (third // 2), sum(rates[-third:]) / third
    assert early > 1.2 * late


def test_the_moment_is_that_of_the_first_page_without_room(result: wl.Result) -> None:
    """Programs go to the planes that are free, so that one is full some time before all are; what the buffer and rows of planes have comes on top."""
    full = result.number("ftl.slc_cache.full_at_s") * 1e9
    writes = result.requests.filter(pl.col("completed_ns") < full)
    assert 0.75 < writes.height / 512 < 1.15
    assert run(400).summary["ftl.slc_cache.full_at_s"] is None


def test_the_cliff_is_drawn_and_told(result: wl.Result) -> None:
    (section,) = [part for part in [over_time.section(result)] if part]
    (figure,) = section.figures
    full = duration_us(result.number("ftl.slc_cache.full_at_s") * 1e6)
    assert figure.title.startswith(f"The SLC cache was full after {full}. ")
    assert "had filled up" in figure.remark
    drawn = [rows for rows in figure.chart["datasets"].values() if len(rows) == 1]
    assert [{"time": result.number("ftl.slc_cache.full_at_s")}] in drawn
    said = result.explain()
    found = re.search(
        r"had filled up after .*: the host wrote ([\d,]+) MB/s until then and ([\d,]+) MB/s since",
        said,
    )
    assert found
    before, since = (float(rate.replace(",", "")) for rate in found.groups())
    assert before > 1.2 * since
    never = run(400)
    (section,) = [part for part in [over_time.section(never)] if part]
    assert "SLC cache" not in section.figures[0].title
    assert "had filled up" not in never.explain()


def test_a_share_is_all_only_where_it_is() -> None:
    assert [part_of(share) for share in (0.0, 0.001, 0.5, 0.999, 1.0)] == [
        "0 %",
        "less than 1 %",
        "50 %",
        "more than 99 %",
        "100 %",
    ]


def test_it_is_explained(result: wl.Result) -> None:
    said = wl.Result.explain(result)
    assert "The SLC cache took " in said
    assert "the others found no room in it:" in said
    # with these programs
    for mode in ("slc", "normal"):
        assert result.number(f"modes.{mode}.program_us") > 0
    assert "was never full" in run(400).explain()


def test_writes_with_a_handle_go_around_it() -> None:
    keys = {"ftl.placement.directive": "streams", "workload.placement": 1}
    around = run(400, **keys, **{"ftl.over_provisioning": 1.5})
    assert around.number("ftl.slc_cache.share") == 0
    said = around.explain()
    assert (
        "of the pages that the host wrote; the others have a placement handle, with which they go around it"
        in said
    )
    assert "had filled up" not in said


def test_writes_that_wait_are_told() -> None:
    fold = {"ftl.slc_cache.when_full": "fold"}
    waiting = run(6_000, **fold, **{"ftl.gc.mode": "foreground"})
    assert waiting.number("ftl.slc_cache.share") == 1
    assert "waiting for SLC blocks to be folded" in waiting.explain()
    folded = waiting.number("ftl.pages_programmed.fold")
    assert 4 * folded == pytest.approx(waiting.number("ftl.slc_cache.pages_folded"), rel=0.05)
    in_step = run(6_000, **fold).explain()
    assert (
        "pages that the host wrote, folded in step with writes. It had filled up after" in in_step
    )


def test_a_larger_cache_is_faster() -> None:
    rates = [
        run(3_000, **{"ftl.slc_cache.dynamic_blocks": blocks}).number("host.bandwidth_mb_s")
        for blocks in (0, 3, 6)
    ]
    assert all(less < more for less, more in pairwise(rates))


def test_loads_that_the_cache_took_say_so(tmp_path: Path) -> None:
    """The cache of 64 MiB takes all of the 3 MB that either load writes: neither is what the flash behind it sustains."""
    keys = {key: value for key, value in SMALL.items() if not key.startswith("output.")}
    engine = engine_of(1, None, tmp_path)
    found = drive_energy("client-tlc", keys, depths=(4,), requests=300, engine=engine)
    shares = {
        (row["load"], row["state"]): row["slc_cache_share"]
        for row in found.loads
        if row["slc_cache_share"]
    }
    assert shares[("random write", "sustained")] == 1.0
    assert ("random read", "filled in order") not in shares
    (told,) = [note for note in found.notes if note.key == "slc_cache"]
    assert told.severity == "warning"
    assert "The SLC cache took 100 % of the written pages" in told.text
    (random,) = [row for row in page.loads(found) if row["load"] == "random write"]
    assert random["in SLC cache"] == "100 %"
    letters = str(random["notes"]).split()
    assert told.text[1] in letters
    # a sheet has the share as a column of its own
    assert found.sheet is not None
    assert {row["SLC cache"] for row in found.sheet.rows} >= {1.0, None}
    assert "100 %" in [row["SLC cache"] for row in shown(found.sheet)]


def test_a_load_beside_the_cache_is_told_as_such() -> None:
    write, fresh = (
        Load("random write", state, False, "4 KiB", 0.0, 1) for state in ("sustained", "fresh")
    )
    assert note_of_cache(write, None) == note_of_cache(write, 0.0) == {}
    (partly,) = note_of_cache(write, 0.4).values()
    assert "took 40 % of the written pages, so these figures are in part those" in partly.text
    (early,) = note_of_cache(fresh, 1.0).values()
    assert (partly.severity, early.severity) == ("warning", "info")
