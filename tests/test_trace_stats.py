"""`wordline trace-stats`: what it prints, what it draws, what it refuses."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest

import wordline as wl
from shared import wordline
from wordline.config import resolve_trace
from wordline.report.trace import render
from wordline.traces import describe, flat


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """20,000 requests of known statistics, in MSR form."""
    draw = random.Random(1)
    rows, time = [], 128_166_372_000_000_000
    for _ in range(20_000):
        # exponential gaps of 100 us, 30 % reads of 4 KiB from 1,000 pages, writes of 8 KiB to others
        time += max(1, round(draw.expovariate(1 / 1_000)))
        if draw.random() < 0.3:
            rows.append(f"{time},host,0,Read,{draw.randrange(1_000) * 4096},4096,100")
        else:
            rows.append(f"{time},host,0,Write,{(1 << 24) + draw.randrange(500) * 8192},8192,100")
    file = tmp_path_factory.mktemp("traces") / "known.csv"
    file.write_text("\n".join(rows) + "\n")
    return file


def test_known_statistics_are_found(trace: Path) -> None:
    stats = wl.trace_stats(trace)
    assert stats["requests"] == 20_000
    assert stats["read_percent"] == pytest.approx(30, abs=1)
    assert stats["interarrival.cv"] == pytest.approx(1, abs=0.03)
    assert stats["interarrival.p50_us"] == pytest.approx(100 * math.log(2), rel=0.06)
    assert stats["pages_read"] == pytest.approx(1_000, abs=10)
    assert stats["pages_written"] == 1_000
    assert stats["pages_touched"] == stats["pages_read"] + stats["pages_written"]
    assert stats["pages_sampled_share"] == 1
    assert stats["read_sizes"] == [{"bytes": 4096, "count": stats["reads"]}]
    # 2 s of requests: a Poisson process at every scale
    for scale in stats["dispersion"]:
        assert scale["index"] == pytest.approx(1, abs=0.5), scale
    # uniform use: a tenth of the pages takes little more than a tenth
    assert 10 < stats["write_popularity.top_10_percent"] < 15
    assert abs(stats["write_popularity.zipf_exponent"]) < 0.2


def test_the_command_prints_tables_and_writes_a_page(trace: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = wordline("trace-stats", trace, "--report", page)
    assert done.returncode == 0, done.stderr
    for text in (
        "20,000",
        "deviation over mean",
        "Zipf exponent",
        "variance over mean",
        "4 KiB  ",
        " µs  ",
    ):
        assert text in done.stdout
    assert str(page) in done.stdout.replace("\n", "")
    assert page.read_text() == render(describe(resolve_trace(trace, ())), trace.name)


def test_json_holds_every_figure(trace: Path) -> None:
    done = wordline("trace-stats", trace, "--json")
    told, figures = json.loads(done.stdout), wl.trace_stats(trace)
    assert figures == flat(describe(resolve_trace(trace, ())))
    # notes are one text among figures, and apart in JSON
    assert " ".join(note["text"] for note in told.pop("notes")) == figures.pop("notes")
    assert told == figures


def test_the_page_needs_nothing_else(trace: Path) -> None:
    page = render(describe(resolve_trace(trace, ())), "<known> & loved")
    assert "&lt;known&gt; &amp; loved" in page
    assert " src=" not in page.split("<script>")[0]
    assert page.count("<figure>") == 9


def test_a_page_that_cannot_be_written_is_bad_input(trace: Path, tmp_path: Path) -> None:
    done = wordline("trace-stats", trace, "--report", tmp_path / "no" / "page.html")
    assert done.returncode == 2
    assert "cannot be written" in done.stderr


@pytest.mark.parametrize(
    "rows", ["0 0 0 8 1\n", "0 0 0 8 1\n0 0 8 8 1\n", "0 0 0 8 0\n5 0 0 8 0\n"]
)
def test_the_smallest_traces_are_described(tmp_path: Path, rows: str) -> None:
    file = tmp_path / "small.ssdsim"
    file.write_text(rows)
    tree = describe(resolve_trace(file, ()))
    assert tree["requests"] == len(rows.splitlines())
    assert "<h1>The trace small" in render(tree, "small")
    assert wordline("trace-stats", file).returncode == 0
