"""What every committed chapter on a source says: its findings in three sentences, the score, and why a claim is contradicted."""

from __future__ import annotations

import re

import pytest

from shared import CHAPTERS
from wordline.studies import offered

SOURCES = (
    "hu2011",
    "wu2012-suspension",
    "wu2013-diffecc",
    "wu2013-delta-ftl",
    "cui2018-dlv",
    "tai2016",
)
"""Chapters that hold a source against Wordline, size by size."""
FINDINGS = 3
MOST_CONTRADICTIONS = 2


def chapter(name: str) -> str:
    return (CHAPTERS / f"{name}.md").read_text(encoding="utf-8")


def without_cause(text: str) -> list[str]:
    """Claims of a page that are contradicted, and after whose verdict nothing says why."""
    found = []
    for claim in re.split(r"^\?\?\? ", text, flags=re.MULTILINE)[1:]:
        lines = claim.splitlines()
        verdicts = [at for at, line in enumerate(lines) if line.startswith("    Verdict: **contra")]
        for at in verdicts:
            rest = [line for line in lines[at + 1 :] if line.strip()]
            if not rest or not rest[0].startswith("    "):
                found.append(lines[0])
    return found


@pytest.mark.parametrize("name", SOURCES)
def test_a_contradicted_claim_says_why(name: str) -> None:
    text = chapter(name)
    assert "Verdict: **contradicted" in text
    assert not without_cause(text)


def test_a_verdict_without_a_cause_is_found() -> None:
    text = (
        '??? failure "one"\n\n    Verdict: **contradicted**.\n\n    Since so.\n\n'
        '??? failure "two"\n\n    Verdict: **contradicted (1 uncertain)**.\n\n'
        '??? success "three"\n\n    Verdict: **holds**.\n'
    )
    assert without_cause(text) == ['failure "two"']


@pytest.mark.parametrize("name", SOURCES)
def test_a_chapter_opens_with_three_findings_and_the_score(name: str) -> None:
    opening = chapter(name).partition("For a designer:\n")[2].partition("\n**")
    lines = [line for line in opening[0].splitlines() if line]
    contradictions = [line for line in lines if line.startswith("* Contradicted: ")]
    findings = [line for line in lines if not line.startswith("* Contradicted: ")]
    assert len(findings) == FINDINGS
    assert all(line.startswith("* ") for line in findings)
    assert len(contradictions) <= MOST_CONTRADICTIONS
    assert re.match(r"\d+ of \d+ claims of the source hold outright", opening[2])


def test_all_studies_are_in_one_table() -> None:
    rows = re.findall(r"^\| \[.+?\]\(([\w-]+)\.md\) \| ", chapter("index"), re.MULTILINE)
    assert sorted(rows) == sorted({*offered()} | {"mohan-fscale"})
