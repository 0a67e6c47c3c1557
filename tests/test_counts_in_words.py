"""One thing is told in the singular, in whatever is printed."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared import wordline
from wordline.formatting import counted


@pytest.mark.parametrize(
    ("number", "name", "told"),
    [
        (0, "run", "0 runs"),
        (1, "run", "1 run"),
        (2000, "run", "2,000 runs"),
        (2, "study", "2 studies"),
        (1, "study", "1 study"),
        (3, "batch", "3 batches"),
        (2, "byte", "2 bytes"),
        (2, "key", "2 keys"),
        (2, "page read", "2 page reads"),
    ],
)
def test_a_number_of_things(number: int, name: str, told: str) -> None:
    assert counted(number, name) == told


@given(number=st.integers(0, 10**15), name=st.from_regex(r"[a-z]{1,12}", fullmatch=True))
def test_only_one_is_singular(number: int, name: str) -> None:
    told = counted(number, name)
    assert told.startswith(f"{number:,} ")
    assert told.endswith(f" {name}") == (number == 1)


def test_a_trace_of_one_request_is_told_in_the_singular(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("128166372003061629,hm,0,Read,4096,4096,100\n")
    done = wordline("convert", "one.csv", "one.wlt", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1 request, " in done.stdout


def test_a_sweep_of_one_point_is_told_in_the_singular(tmp_path: Path) -> None:
    few = ("--set", "workload.requests=200", "--cache", "kept", "--out", "sweep")
    done = wordline("sweep", "tiny", "--vary", "ftl.gc.victim=greedy", *few, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "sweep/report.html").read_text("utf-8")
    assert "1 point, 1 run" in page
    assert "1 points" not in page + done.stdout + done.stderr
    assert "1 runs" not in page + done.stdout + done.stderr
