"""What chapters open with, and claims that share a row."""

from __future__ import annotations

import re
from dataclasses import replace
from math import log
from pathlib import Path

import pytest

from shared import CHAPTERS
from small_study import QUICK, STUDY, an_engine
from wordline.report.section import Figure
from wordline.studies.chapter import chapter, page, place_of, source_of
from wordline.studies.contradicted import contradictions, distance
from wordline.studies.families import Row, grouped
from wordline.studies.lessons import Lesson, sentences
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict

LESSON = Lesson("f", "it is", "Do it", "Leave it")


def parts(verdict: Verdict, number: str = "ratio: 0.5") -> dict[str, Part]:
    claims = [
        Claim("it is so", "p. 1", "9", verdict, number=number),
        Claim("other", "p. 2", "8", verdict),
    ]
    return {"f": Part("Heading", "Text.", Figure("Title", {}, []), claims)}


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (Verdict(5, 5), ["Do it ([ratio: 0.5](#f))."]),
        (Verdict(4, 5), ["Do it ([ratio: 0.5](#f))."]),
        (Verdict(3, 5), ["Leave it ([ratio: 0.5](#f))."]),
        (Verdict(0, 5), ["Leave it ([ratio: 0.5](#f))."]),
        (Verdict(0, 0, 2), []),
    ],
)
def test_the_verdict_chooses_the_sentence(verdict: Verdict, said: list[str]) -> None:
    assert sentences([LESSON], parts(verdict)) == said


def test_a_long_finding_is_read_at_its_figure() -> None:
    assert sentences([LESSON], parts(Verdict(1), "x" * 150)) == ["Do it ([figure](#f))."]


def test_figures_that_were_not_asked_for_say_nothing() -> None:
    assert sentences([replace(LESSON, figure="g")], parts(Verdict(1))) == []


@pytest.mark.parametrize("claim", ["nothing", ""])
def test_a_lesson_names_one_claim(claim: str) -> None:
    with pytest.raises(ValueError, match="one is needed"):
        sentences([replace(LESSON, claim=claim)], parts(Verdict(1)))


def test_a_chapter_opens_with_its_lessons(tmp_path: Path) -> None:
    lesson = Lesson("channels", "two channels", "Take two channels", "One channel is enough")
    study = replace(STUDY, lessons=(lesson,))
    text = chapter(study, study.run(None, QUICK, an_engine(tmp_path)))["mini.md"]
    opening = "# A small study\n\nFor a designer:\n\n* Take two channels ([response, two over one (ratio): "
    assert opening in text
    assert text.index("For a designer") < text.index("claims hold outright")


def test_a_claim_of_our_own_has_no_source() -> None:
    def said(where: str) -> str:
        return source_of(Claim("", where, "", Verdict(1)), "Doe 2020")

    assert said("our own: it follows") == "The claim is our own: it follows"
    assert said("beyond the source") == "The claim is our own"
    assert said("figure 12") == "The source: Doe 2020, figure 12"


@pytest.mark.parametrize("file", sorted(CHAPTERS.glob("*.md")), ids=lambda file: file.stem)
def test_the_source_of_every_claim_can_be_opened(file: Path) -> None:
    """Nobody outside can read what this project was written from: a claim names a paper, or says that it is our own."""
    sources = re.findall(r"^    The source: .*$", file.read_text(encoding="utf-8"), re.MULTILINE)
    assert not [source for source in sources if "specification" in source]


@pytest.mark.parametrize(
    ("where", "shown"),
    [
        ("figure 12", "Doe 2020, figure 12"),
        ("V3, figure 11", "Doe 2020, figure 11"),
        ("section 2.3, equation 2.1", "Doe 2020, section 2.3, equation 2.1"),
        ("ours", "ours"),
        ("Kim and Ahn, FAST 2008", "Kim and Ahn, FAST 2008"),
    ],
)
def test_the_source_of_a_claim_names_the_paper(where: str, shown: str) -> None:
    assert place_of(where, "Doe 2020") == shown
    assert place_of(where, "") == where


def test_the_paper_stands_in_the_box_of_a_claim() -> None:
    claim = Claim("it is so", "figure 3", "9", Verdict(1))
    part = Part("Heading", "Text.", Figure("Title", {}, []), [claim])
    text = "".join(page(replace(STUDY, cited="Doe 2020"), {"f": part}))
    assert "The source: Doe 2020, figure 3." in text
    own = replace(part, claims=[replace(claim, where="beyond the source")])
    text = "".join(page(replace(STUDY, cited="Doe 2020"), {"f": own}))
    assert "The claim is our own." in text
    assert "The source: beyond" not in text


FAMILY = [
    Row(
        "✓",
        "Responses with `a` are not longer than with `x`, under every load",
        "f",
        "time, a over x (ratio): 0.7",
    ),
    Row(
        "◐",
        "Responses with `a` are not longer than with `y`, under every load",
        "f",
        "in 1 of 2 cases; time, a over y (ratio): 0.9; 1 of 2 uncertain",
    ),
    Row(
        "✗",
        "Responses with `a` are not longer than with `z`, under every load",
        "f",
        "time, a over z (ratio): 1.1",
    ),
]


def test_claims_that_differ_in_one_name_share_a_row() -> None:
    (row,) = grouped(FAMILY)
    assert row.text == "Responses with `a` are not longer than with `x`, `y`, `z`, under every load"
    assert row.mark == "◐"
    assert row.found == (
        "time (ratio): `x` ✓ 0.7; `y` ◐ 0.9, in 1 of 2 cases, 1 of 2 uncertain; `z` ✗ 1.1"
    )
    assert grouped([replace(each, mark="✓") for each in FAMILY])[0].mark == "✓"
    assert grouped([replace(each, mark="○") for each in FAMILY])[0].mark == "○"


def test_other_claims_keep_their_rows() -> None:
    # two are too few
    assert grouped(FAMILY[:2]) == FAMILY[:2]
    # another figure begins another family
    apart = [*FAMILY[:2], replace(FAMILY[2], figure="g")]
    assert grouped(apart) == apart
    # claims that have little in common
    other = [
        replace(each, text=text) for each, text in zip(FAMILY, ("a b", "a c", "a d"), strict=True)
    ]
    assert grouped(other) == other


def test_quantities_that_differ_are_not_put_before_a_family() -> None:
    rows = [*FAMILY[:2], replace(FAMILY[2], found="erases, a over z (ratio): 1.1")]
    assert grouped(rows)[0].found.startswith("`x` ✓ 0.7; ")


def test_rows_of_a_page_are_those_of_families() -> None:
    claims = [Claim(row.text, "p. 1", row.found, Verdict(1), number=row.found) for row in FAMILY]
    part = Part("Heading", "Text.", Figure("Title", {}, []), claims)
    text = "".join(page(STUDY, {"f": part}))
    assert text.count("](#f) | ") == 1
    assert text.count('??? success "Responses with') == 3


def against(text: str, number: str, *, held: int = 0, of: int = 1, where: str = "p. 1") -> Claim:
    return Claim(text, where, "a longer finding", Verdict(held, of), number=number)


def test_the_contradictions_that_are_farthest_off_come_first() -> None:
    parts = {
        "order": [against("it is shorter", "time, a over b (ratio): 1.25")],
        "erases": [
            against("it is 2 times", "erases, a over b (ratio): one 1.9 for 2"),
            against(
                "it is 17.8 times", "erases, a over b (ratio): one 1.03 for 17.8; two 9 for 17.8"
            ),
            # not those of our own, nor what holds somewhere
            against("it is 90 times", "(ratio): 1 for 90", where="our own"),
            against("it is 80 times", "(ratio): 1 for 80", held=1, of=2),
        ],
        "shares": [against("it saves 45 %", "time: SLC -81.4 ± 0.9 % for -44.8 %")],
    }
    found = contradictions(
        {
            name: Part("Heading", "Text.", Figure("Title", {}, []), claims)
            for name, claims in parts.items()
        }
    )
    # ln 17.8 / 1.03 = 2.8, ln 0.552 / 0.186 = 1.1, ln 1.25 = 0.2: the two farthest, one for each figure
    assert found == [
        "Contradicted: “it is 17.8 times” ([erases, a over b (ratio): one 1.03 for 17.8; two 9 for 17.8](#erases)).",
        "Contradicted: “it saves 45 %” ([time: SLC -81.4 ± 0.9 % for -44.8 %](#shares)).",
    ]


@pytest.mark.parametrize(
    ("number", "factor"),
    [
        ("(ratio): 0.5", 2.0),
        ("1 TB: 1,200 for 600; 2 TB: 300 for 100", 3.0),
        ("+50 % for -25 %", 2.0),
        ("-100 % for +1 %", float("inf")),
        ("in 0 of 3 cases", 1.0),
        ("", 1.0),
    ],
)
def test_the_distance_of_a_contradiction_is_a_factor(number: str, factor: float) -> None:
    assert distance(number) == pytest.approx(log(factor))


def test_a_chapter_opens_with_what_does_not_hold() -> None:
    part = replace(parts(Verdict(1))["f"], claims=[against("it is 2 times", "3 for 2")])
    text = "".join(page(STUDY, {"f": part}))
    assert "For a designer:\n\n* Contradicted: “it is 2 times” ([3 for 2](#f)).\n" in text
