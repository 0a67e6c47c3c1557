"""The commands of the README answer the question that they stand below, on small drives."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from doc_blocks import blocks
from options import call
from test_doc_blocks import SMALLER, directory

__all__ = ["directory"]

README_FILE = Path(__file__).parents[1] / "README.md"
README = README_FILE.read_text(encoding="utf-8")
COMMANDS = [
    line
    for block in blocks(README)
    if block.language == "sh" and block.marker is None
    for line in block.text.splitlines()
    if line.startswith("wordline ")
]

ANSWERS = {
    "check": r"(?s)good\. Capacity .+ on .+ of flash, over-provisioning 28 % of the capacity; .+ dies, .+ blocks\. .+ Expected write amplification of uniform random writes: \d.+Estimated run time on this machine \(from a trial of .+ for each million requests",
    "run": r"(?s)latency +requests +mean +p50.+throughput .+ requests/s.+write amplification +\d.+steady state",
    "trace-stats": r"(?s)requests.+reads",
    "compare": r"(?s)ftl\.gc\.victim +greedy +random.+write amplification.+%",
    "lifetime": r"(?s)cycles that.+90 % of\s+the\s+blocks\s+keep\s+data\s+for.+months +p1 .+erases",
    "reproduce": r"",
}
"""What stands in the answer of each command."""


def test_the_front_page_has_five_questions() -> None:
    assert len(re.findall(r"^\*\*.+\?\*\*", README, re.MULTILINE)) == 5
    assert {line.split()[1] for line in COMMANDS} == ANSWERS.keys()


def test_other_simulators_stand_beside_it_with_their_sources() -> None:
    """Every simulator of the front page has a repository and a commit on the page behind it."""
    (header,) = re.findall(r"^\| \| Wordline \|(.*)\|$", README, re.MULTILINE)
    names = [name.strip() for name in header.split("|")]
    rows = re.findall(r"^\| [^|]+ \|(?:[^|\n]+\|){7}$", README, re.MULTILINE)
    assert len(rows) >= 10
    page = README_FILE.parent / "docs" / "explanations" / "other-simulators.md"
    for name in names:
        assert re.search(
            rf"^\| {name} \| .*https://github\.com/\S+ \| `[0-9a-f]{{7,}}`",
            page.read_text(encoding="utf-8"),
            re.MULTILINE,
        ), name


def test_its_commands_answer(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(directory)
    for line in COMMANDS:
        for name, small in SMALLER.items():
            line = line.replace(name, small)
        _, name, *rest = shlex.split(line)
        if name == "reproduce":
            continue  # studies come with a package of their own, whose tests run them
        shown = call(name, *rest).stdout
        asked = r"results?:? |seeds" if "--seeds" in rest else ANSWERS[name]
        assert re.search(asked, shown), (line, shown)
        for option in ("--out", "--report"):
            if option in rest:
                assert Path(rest[rest.index(option) + 1]).exists()


ZONES = (
    "run",
    "tiny",
    *("--set", "ftl.mapping=zoned", "--set", "age.method=fresh"),
    *("--set", "workload.translation=zones", "--set", "workload.zones.over_provisioning=0.5"),
    *("--set", "workload.zones.handles=0", "--set", "ftl.zones.blocks=8"),
)


def test_a_run_on_zones_says_what_the_host_moves_and_what_was_never_written() -> None:
    """Three drive writes after the host has written every page; and reads of a drive to which nothing was written."""
    filled = call(
        *ZONES,
        *("--set", "workload.zones.fill=true", "--set", "workload.requests=100000"),
        *("--set", "workload.read_fraction=0"),
    ).stdout
    assert re.search(r"write amplification of the host +[1-9]\.\d+", filled)
    assert re.search(r"zones reset by the host +[1-9]", filled)
    empty = call(*ZONES, "--set", "workload.requests=2000").stdout
    assert re.search(r"warning: The host sent no command for [\d,]+ of [\d,]+ page reads", empty)


def test_a_run_with_a_journal_says_how_long_recovery_takes() -> None:
    shown = call(
        *("run", "tiny", "--set", "age.method=fresh", "--set", "workload.requests=30000"),
        *("--set", "ftl.recovery.kind=checkpoint_journal", "--set", "workload.read_fraction=0"),
        *("--set", "output.recovery_every=10000"),
    ).stdout
    assert re.search(r"recovery after a power cut, mean +0\.\d+ +s", shown)
    assert re.search(r"recovery after a power cut, longest +0\.\d+ +s", shown)
