"""The table of all studies: what each source claims, what comes out and why they differ (`docs/studies/index.md`)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).parent
# The first finding of a chapter that is not what contradicts its source, without the link to its figure; the figures stay.
FINDING = re.compile(r"^\* (?!Contradicted: )(.+?) \(\[(.+?)\]\(#[\w-]+\)\)\.$", re.M)
# The score, behind which a chapter may say what its marks mean.
SCORE = re.compile(r"^\*\*(\d.+?)\*\*(?: .+)?$", re.M)


def table() -> Iterator[str]:
    """The page: a row for each chapter, in the order of `docs/studies.toml`."""
    yield "# All studies\n\n"
    yield (
        "What each source claims, what comes out here, and why the two differ, in a line each. A chapter begins with its findings, and ends with "
        "the commands that run it again. `wordline reproduce STUDY --quick` takes a minute.\n\n"
    )
    yield "| study | the source claims | what comes out | claims | why they differ |\n"
    yield "|---|---|---|---|---|\n"
    for name, row in tomllib.loads((DOCS / "studies.toml").read_text(encoding="utf-8")).items():
        chapter = (DOCS / "studies" / f"{name}.md").read_text(encoding="utf-8")
        title = re.search(r"^# (.+)$", chapter, re.M)
        score = SCORE.search(chapter)
        if title is None or score is None:
            raise ValueError(f"docs/studies/{name}.md: a chapter without a title or a score")
        cells = (
            f"[{title[1]}]({name}.md)",
            row["claims"],
            found(chapter),
            score[1],
            row["differs"],
        )
        yield f"| {' | '.join(cells)} |\n"


def found(chapter: str) -> str:
    """The first finding of a chapter with its figures; the title of its first picture where it has no findings."""
    if finding := FINDING.search(chapter):
        return f"{finding[1]} ({finding[2]})."
    picture = re.search(r"^!\[(.+)\]\(.+\.svg\)$", chapter, re.M)
    return f"{picture[1]}." if picture else "–"
