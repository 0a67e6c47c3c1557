"""Every kind of page: well-formed, without a network, and read on a wide and on a narrow screen."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from browser import CHROMIUM, MISSING, browser
from shared import wordline
from test_report import Page
from wordline.report import render
from wordline.report.html import prose

# one process runs them all, so that what they look at is made once
pytestmark = pytest.mark.xdist_group("pages")

TRACE = "".join(
    f"0,{8 * (i % 50)},{512 << i % 4},{'rw'[i % 2]},{i * i / 1000}\n" for i in range(300)
)
COMMANDS = {
    "cell": ("cell", "mlc_wu2013", "--set", "cell.vth.step=0.265"),
    "codes": ("ecc", "--rber", "1e-4,1e-3"),
    "content": ("content", "--ratio", "0.5,0.2"),
    "retention": ("retention", "--rest", "0 s,1e3 s", "--temperature", "30 degC,55 degC"),
    "energy": ("power", "b-mlc8"),
    "variants": ("power", "mohan-x1", "--vary", "geometry.page_size=2,4,8 KiB"),
    "lifetime": ("lifetime", "tiny", "--writes-per-day", "20", "--fleet", "5"),
    "lives": ("lifetime", "tiny", "--writes-per-day", "20", "--also", "temperature=55 degC"),
    "replicas": ("lifetime", "tiny", "--writes-per-day", "20", "--replicas", "2"),
}
"""Commands that write `report.html` into `--out`."""
RUNS: dict[str, dict[str, Any]] = {
    "nothing but TRIMs": {"read_fraction": 0.0, "trim_fraction": 1.0, "requests": 100},
    "one request": {"requests": 1},
    "nearly idle": {"requests": 30, "interarrival": "100 ms"},
}
POWER = ("power", "tiny", "--requests", "200", "--set", "power.controller=1 W")
"""The power of a drive; its runs are kept beside the pages."""
NAMES = [*COMMANDS, *RUNS, "drive", "trace", "comparison", "tenants"]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of each kind."""
    folder = tmp_path_factory.mktemp("pages")
    found = {name: folder / name / "report.html" for name in COMMANDS}
    for name, command in COMMANDS.items():
        done = wordline(*command, "--out", folder / name)
        assert done.returncode == 0, done.stderr
    done = wordline(*POWER, "--cache", folder / "cache", "--out", folder / "drive")
    assert done.returncode == 0, done.stderr
    found["drive"] = folder / "drive" / "report.html"
    (folder / "t.spc").write_text(TRACE)
    found["trace"] = folder / "trace.html"
    done = wordline("trace-stats", folder / "t.spc", "--report", found["trace"])
    assert done.returncode == 0, done.stderr
    recorded = {"output.attribution": True, "output.timeline": True}
    drive = wl.Drive.from_toml("tiny", **recorded)
    for name, workload in RUNS.items():
        found[name] = folder / f"{name}.html"
        found[name].write_text(render(wl.simulate(drive, workload)), encoding="utf-8")
    first, second = (
        wl.simulate(drive, {"requests": 1_000, "queue_depth": depth}) for depth in (1, 8)
    )
    found["comparison"] = wl.compare(first, second).save(folder / "comparison.html")
    many = {
        f"a-tenant-with-a-long-name-{number}": {"workload": {"requests": 20}}
        for number in range(20)
    }
    shared = wl.simulate(wl.Drive.from_toml("tiny", tenants=many, **recorded))
    found["tenants"] = folder / "tenants.html"
    found["tenants"].write_text(render(shared), encoding="utf-8")
    return found


@pytest.mark.parametrize("name", NAMES)
def test_it_is_well_formed_and_loads_nothing(name: str, pages: dict[str, Path]) -> None:
    text = pages[name].read_text(encoding="utf-8")
    page = Page(text)
    assert page.open == []
    assert page.loads == []
    outside = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    assert "http" not in outside
    assert not re.search(r"@import|url\(", outside)
    assert not re.search(r"\bNaN\b|>None<|\bundefined\b", outside.split("Everything else")[0])
    assert outside.count("<h1>") == 1


def test_percentiles_keep_their_names_at_the_beginning_of_a_sentence() -> None:
    assert prose("p99.9 of `a` rests") == "p99.9 of <code>a</code> rests"
    assert prose("programs wait") == "Programs wait"


@pytest.mark.parametrize("name", NAMES)
def test_code_in_sentences_is_code(name: str, pages: dict[str, Path]) -> None:
    text = pages[name].read_text(encoding="utf-8")
    # what is shown as it is: programs, configurations, values
    sentences = re.sub(r"<(script|style|pre|table).*?</\1>", "", text, flags=re.DOTALL)
    assert "`" not in sentences


@pytest.mark.skipif(CHROMIUM is None, reason=MISSING)
def test_it_is_drawn_on_a_wide_and_on_a_narrow_screen(
    pages: dict[str, Path], tmp_path: Path
) -> None:
    with browser(tmp_path / "profile") as page:
        for name, file in pages.items():
            page.open(file)
            for width in (1200, 420):
                page.resize(width, 900)
                page.wait_for(
                    "[...document.querySelectorAll('figure > .chart')].every(e =>"
                    " e.querySelector('svg.marks')?.viewBox.baseVal.width <= e.clientWidth)"
                )
                wide = page.evaluate("document.documentElement.scrollWidth")
                assert wide <= width, f"{name} at {width} pixels is {wide} wide"
            assert page.complaints == [], name
            addresses = {url for url in page.loaded if not url.startswith("data:")}
            assert addresses <= {each.as_uri() for each in pages.values()}, name
