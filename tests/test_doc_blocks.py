"""Every code block of the documentation runs: on small drives, where its page was edited; all in `make test-all`, and as written in `make trust`."""

from __future__ import annotations

import gzip
import os
import re
from pathlib import Path
from textwrap import dedent

import pytest

import wordline as wl
from doc_blocks import OF_PACKAGES, SHOWN, Page, blocks
from passed import is_page_edited

ROOT = Path(__file__).parents[1]
GENERATED = ROOT / "docs" / "reference"
"""Pages that show files of presets, chips and cells, which have tests of their own; and signatures."""
PAGES = [
    page
    for page in sorted([*ROOT.glob("docs/**/*.md"), ROOT / "README.md"])
    if page.parent != GENERATED
    and any(block.language not in SHOWN for block in blocks(page.read_text(encoding="utf-8")))
]
WANTED = os.environ.get("WORDLINE_BLOCKS", "edited")
"""Blocks of which pages run: `edited` since they passed, `all`, or all as they are `written`."""
ON_SMALL_DRIVES = WANTED != "written"
"""Whether every page is run on small drives: as they are written, the blocks take a quarter of an hour of a processor."""
LONG = {"README.md", "docs/explanations/lifetime.md", "docs/how-to/compare-drives.md"}
"""Pages that study years of drives of gigabytes, or many such drives, which takes minutes: they always run on small drives."""
OF_THEIR_DRIVES = {
    "docs/explanations/slc-cache.md",
    "docs/explanations/superblocks.md",
    "docs/how-to/sample-a-long-run.md",
}
"""Pages of what no small drive has or does: they always run on their drives, with fewer requests."""
FEWER = {
    "--sample-windows 50": "--sample-windows 10",
    "workload.requests=200000": "workload.requests=20000",
    **{
        f"run {drive}": f"run {drive} --set workload.requests=20000"
        for drive in ("onfi5-tlc-superblock", "client-tlc", "client-qlc", "rebuilt.toml")
    },
}
SMALLER = {
    # the drives below have the sizes of their own
    " --set capacity=480GB": "",
    " --set capacity=12GB --set geometry.pages_per_block=96": "",
    " --set capacity=10GB --set geometry.pages_per_block=96": "",
    "--set workload.requests=1500000 --set run.warm_up='1.5 drive writes'": "--set workload.requests=20000",
    "requests=600000": "requests=20000",
    "recovery_every=100000": "recovery_every=10000",
    "requests=300000": "requests=20000",
    "run onfi5-tlc-zns --workload": "run tiny --set ftl.mapping=zoned --set age.method=fresh --workload",
    "run onfi5-tlc-zns": "run tiny --set ftl.mapping=zoned --set age.method=fresh --set workload.translation=zones "
    "--set workload.zones.over_provisioning=0.5 --set workload.zones.handles=0",
    "run onfi5-tlc-4k ": "run tiny --set 'ftl.mapping_unit=1 KiB' ",
    "client-tlc": "tiny",
    "client-qlc": "tiny",
    "client-gen5": "tiny",
    "onfi5-tlc-superblock": "tiny",
    "run onfi5-tlc-journal": "run tiny --set ftl.recovery.kind=oob_scan --set age.method=fresh",
    "client-dramless": "tiny",
    "datacenter-tlc": "tiny",
    "datacenter-qlc": "tiny",
    "low-latency-slc": "tiny",
    "mobile-emmc": "tiny",
    "sata-mlc": "tiny",
    "onfi5-tlc": "tiny",
    "run hu2011 --trace": "run tiny --trace",
    "run cui2018-dlv": "run cui2018-dlv --set workload.requests=5000",
    "lifetime bench": "lifetime tiny",
    # studies come with a package of their own, whose tests run them
    "reproduce ftl-family --quick": "reproduce --help",
    "--seeds 5": "--seeds 2",
    "seeds=5": "seeds=2",
    "100_000": "2_000",
    "200_000": "2_000",
    "1000000": "2000",
}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A directory with the traces that the pages speak of: 2,000 requests in 64 MiB, one with response times; two versions of a file, and twenty of one; a configuration
    of MQSim."""
    offsets = [4096 * (number * 7919 % 16_384) for number in range(2_000)]
    operations = ["Write" if number % 3 else "Read" for number in range(2_000)]
    requests = [*zip(operations, offsets, strict=True)]
    # Windows file times count in 100 ns
    msr = [
        f"{128_166_372_000_000_000 + 5_000 * number},server,0,{operation},{offset},4096,0\n"
        for number, (operation, offset) in enumerate(requests)
    ]
    spc = [
        f"0,{offset // 512},4096,{operation[0]},{number / 2000:.6f}\n"
        for number, (operation, offset) in enumerate(requests)
    ]
    for name in ("my.trace", "my.trace.csv", "server.csv"):
        (tmp_path / name).write_text("".join(msr))
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress("".join(msr).encode()))
    # as those of the drive `tiny`: reads of some 60 µs, writes of some 300 µs, a few of which wait
    took = [
        (2_500 if number % 3 else 600) + (number * 31 % 97) * (5 if number % 40 == 0 else 1)
        for number in range(2_000)
    ]
    (tmp_path / "measured.csv").write_text(
        "".join(
            f"{100_000 * number},server,0,{operation},{offset},4096,{took[number]}\n"
            for number, (operation, offset) in enumerate(requests)
        )
    )
    rows = [f"{number:08} a row of a table".ljust(128, ".") for number in range(2_000)]
    (tmp_path / "before.db").write_text("".join(rows))
    rows[::50] = [row.replace("a row", "changed") for row in rows[::50]]
    (tmp_path / "after.db").write_text("".join(rows))
    versions = tmp_path / "versions"
    versions.mkdir()
    for number in range(20):
        rows[number::50] = [row.replace("a row", f"of {number:02}") for row in rows[number::50]]
        (versions / f"{number:02}.db").write_text("".join(rows))
    (tmp_path / "job.fio").write_text(
        "[job]\nfilename=/dev/sda\ndirect=1\nrw=randread\nnumber_ios=2000\n"
    )
    (tmp_path / "ssdconfig.xml").write_text(
        "<Execution_Parameter_Set><Device_Parameter_Set>"
        "<Flash_Channel_Count>2</Flash_Channel_Count>"
        "</Device_Parameter_Set></Execution_Parameter_Set>\n"
    )
    (tmp_path / "financial.spc.gz").write_bytes(gzip.compress("".join(spc).encode()))
    return tmp_path


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in PAGES if named(page) not in OF_PACKAGES], ids=named
)
def test_code_blocks_run(page: Path, directory: Path) -> None:
    if WANTED == "edited" and not is_page_edited(page):
        pytest.skip("the page has passed as it is; `make test-blocks` runs every page")
    run_blocks(page, directory)


def run_blocks(page: Path, directory: Path) -> None:
    """Run the blocks of a page in a directory."""
    small = named(page) in LONG or (ON_SMALL_DRIVES and named(page) not in OF_THEIR_DRIVES)
    fewer = FEWER if ON_SMALL_DRIVES else {}
    Page(page, directory, SMALLER if small else fewer).run(slow=not small)


DOCSTRINGS = {
    name: dedent(found)
    for name in ["", *dir(wl)]
    for found in re.findall(
        r"```python\n(.*?)```", (getattr(wl, name) if name else wl).__doc__ or "", re.DOTALL
    )
}


@pytest.mark.parametrize("text", DOCSTRINGS.values(), ids=DOCSTRINGS.keys())
def test_code_blocks_of_docstrings_run(text: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"```python\n{text}```\n")
    Page(page, tmp_path, SMALLER).run(slow=False)


def test_the_package_and_its_interruption_show_how_they_are_used() -> None:
    assert {"", "Interrupted"} <= DOCSTRINGS.keys()


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_fence_is_a_block_that_is_found(page: Path) -> None:
    text = page.read_text(encoding="utf-8")

    assert len(re.findall(r"^\s*```", text, re.MULTILINE)) == 2 * len([*blocks(text)])


PYTHON = "```python\nassert {truth}\n```\n"


@pytest.mark.parametrize(
    "text",
    [
        PYTHON.format(truth="1 > 2"),
        "```sh\nfalse\ntrue\n```\n",
        "```sh\nwordline run no-such-drive\n```\n",
        "```toml\n[ftl]\nno_such_key = 1\n```\n",
        "```fortran\n```\n",
    ],
)
def test_a_block_that_fails_fails_its_page(text: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text)

    with pytest.raises((AssertionError, wl.ConfigError)):
        Page(page, tmp_path, {}).run(slow=False)


def test_markers_files_and_the_namespace_of_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- not run: it fails -->\n"
        + PYTHON.format(truth="False")
        + "<!-- slow: it takes long -->\n\n"
        + PYTHON.format(truth="False")
        + '```text title="x.txt"\nlarge\n```\n'
        + "```python\nfrom pathlib import Path\nfound = Path('x.txt').read_text()\n```\n"
        + PYTHON.format(truth="found == 'small\\n'"),
    )

    Page(page, tmp_path, {"large": "small"}).run(slow=False)
    with pytest.raises(AssertionError):
        Page(page, tmp_path, {}).run(slow=True)
