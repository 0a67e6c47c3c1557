"""Real traces replay to the end, and are described as their collection describes them."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

import wordline as wl
from wordline.config import resolve_trace
from wordline.report.trace import render
from wordline.traces import describe

ROOT = Path(__file__).parents[1]
TRACES = Path(os.environ.get("WORDLINE_TRACES", ROOT.parent / "shared" / "traces"))
"""The development set of block traces; it is not part of the repository."""


pytestmark = pytest.mark.skipif(
    not TRACES.is_dir(),
    reason=f"no traces at {TRACES}; name their folder in WORDLINE_TRACES",
)


def rows() -> list[dict[str, str]]:
    """The request traces of the collection."""
    manifest = TRACES / "manifest.csv"
    if not manifest.exists():
        return []
    with manifest.open(newline="") as file:
        # a table of start offsets is no list of requests
        return [row for row in csv.DictReader(file) if row["format"] != "lbafreq"]


DISCARDS = {"wiscsee": 1}
"""Discards by format of the one trace that holds any."""

ROWS = pytest.mark.parametrize("row", rows(), ids=lambda row: row["file"])


@ROWS
def test_a_trace_is_described_as_its_collection_describes_it(row: dict[str, str]) -> None:
    stats = wl.trace_stats(TRACES / row["file"])
    # the collection counts reads and writes alone
    assert stats["reads"] + stats["writes"] == int(row["requests"])
    assert stats["requests"] == int(row["requests"]) + DISCARDS.get(row["format"], 0)
    assert stats["devices"] == int(row["devices"])
    for key, column, tolerance in (
        ("read_percent", "read_percent", 5e-4),
        ("mean_read_bytes", "mean_read_bytes", 0.051),
        ("mean_write_bytes", "mean_write_bytes", 0.051),
        # it knows the span of the trace with two absurd times to 10 ms
        ("span_s", "span_seconds", 5e-3 if "ext4" in row["file"] else 2e-6),
    ):
        # an empty cell: no such figure, or times that mean nothing
        if row[column]:
            assert stats[key] == pytest.approx(float(row[column]), abs=tolerance, rel=0), key


@ROWS
def test_a_trace_replays_to_the_end(row: dict[str, str]) -> None:
    # a drive on which every one of them fits or, where its addresses are too high, folds
    drive = wl.Drive.from_toml("onfi3-mlc", **{"age.method": "fresh"})
    workload = wl.Workload.trace(TRACES / row["file"], fold="modulo")
    result = wl.simulate(drive, workload, audit=True)
    requests = int(row["requests"]) + DISCARDS.get(row["format"], 0)
    assert result.summary["host.requests"] == requests
    assert result.summary["check.conservation"] is True
    assert result.requests.height == requests


def test_a_format_can_be_named_and_a_wrong_one_is_refused() -> None:
    trace = TRACES / "spc" / "financial1-first949.spc.gz"
    assert wl.trace_stats(trace, format="spc")["requests"] == 949
    with pytest.raises(wl.TraceError, match="MSR"):
        wl.trace_stats(trace, format="msr")
    with pytest.raises(wl.ConfigError, match="spc"):
        wl.trace_stats(trace, format="scp")


@ROWS
def test_every_figure_of_a_trace_can_be_drawn(row: dict[str, str]) -> None:
    tree = describe(resolve_trace(TRACES / row["file"], ()))
    page = render(tree, row["file"])
    # sizes, growth and addresses always; the others where the trace has such figures
    assert page.count("<figure>") >= 5
    touched = tree["pages_touched"]
    assert max(tree["pages_read"], tree["pages_written"]) <= touched
    assert touched <= tree["pages_read"] + tree["pages_written"]
    first = sum(tree[f"{kind}_reuse"]["first_touches"] for kind in ("read", "write"))
    assert first == touched
    assert tree["growth"][-1]["pages_touched"] == touched
    starts = sum(part["reads"] + part["writes"] for part in tree["addresses"])
    assert starts == tree["reads"] + tree["writes"]
