"""The study of very large drives: its chapter, and a figure of a real trace."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

from options import call
from shared import CHAPTERS
from wordline.studies.study import Form
from wordline_fscale.study.traced import TRACE, real_trace


def test_the_committed_chapter_has_every_claim(tmp_path: Path) -> None:
    call("reproduce", "mohan-fscale", "--quick", "--out", tmp_path)
    places = (tmp_path / "mohan-fscale-quick.md", CHAPTERS / "mohan-fscale.md")
    chapters = [place.read_text(encoding="utf-8") for place in places]
    claims = [re.findall(r"^\| . \[(.+?)\]\(#", text, re.M) for text in chapters]
    assert claims[0] == claims[1]
    assert len(claims[0]) > 60
    # what no run decides is the same
    for line in chapters[0].splitlines():
        if "(#table-size)" in line or "(#directory-size)" in line or "(#hit-rate)" in line:
            assert line in chapters[1]
    assert len(list(tmp_path.glob("*.svg"))) == 29


def test_a_real_trace_is_a_part_of_the_study(tmp_path: Path) -> None:
    absent = real_trace(Form(quick=True, traces=tmp_path))
    assert not absent.claims
    assert not absent.figure.rows
    assert "is not there" in absent.remarks[0]
    assert "--traces FOLDER" in absent.remarks[0]

    # 100 writes of 4 KiB at multiples of 64 KiB: each programs a unit of any size
    trace = tmp_path / TRACE
    trace.parent.mkdir()
    rows = [f"0,{128 * count},4096,W,{count / 1000}\n" for count in range(100)]
    trace.write_bytes(gzip.compress("".join(rows).encode()))
    found = real_trace(Form(quick=True, traces=tmp_path))
    amounts = {
        row["unit (KiB)"]: row["bytes programmed for each byte written"]
        for row in found.figure.rows
    }
    assert amounts == {4: 1.0, 16: 4.0, 32: 8.0, 64: 16.0}
    assert len(found.claims) == 3
