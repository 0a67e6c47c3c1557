"""The studies as the command line and other processes find them."""

from __future__ import annotations

import multiprocessing
import pickle
import re
import signal
import sys
import tomllib
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from options import call
from shared import CHAPTERS, ROOT, refused
from signalled import stopped
from wordline.cli.reproduce import study_names
from wordline.points.keeping import code_of
from wordline.studies import find, offered
from wordline.studies.study import Study

DECLARED = tomllib.loads((ROOT / "packages/studies/pyproject.toml").read_text(encoding="utf-8"))
NAMES = DECLARED["project"]["entry-points"]["wordline.studies"]


@pytest.mark.parametrize("name", NAMES)
def test_a_study_is_where_its_name_points(name: str) -> None:
    assert offered()[name].value == NAMES[name]
    assert find(name).name == name
    assert (CHAPTERS / f"{name}.md").exists()
    # what is kept of it is that of its code
    place = code_of(offered()[name].module)
    assert place is not None
    assert place.name == "wordline_studies"
    assert list(place.glob("*/inferred.toml"))


def test_every_study_is_offered_for_completion() -> None:
    assert set(NAMES) <= set(study_names())
    packages = {
        path.parent.name for path in ROOT.glob("packages/studies/wordline_studies/*/__init__.py")
    }
    assert packages == {value.partition(":")[0].split(".")[1] for value in NAMES.values()}


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (("hu2010",), "did you mean `hu2011`?"),
        (("hu2011", "--figure", "waer"), "did you mean `wear`?"),
    ],
)
def test_the_name_that_was_meant_is_named(arguments: tuple[str, ...], meant: str) -> None:
    assert meant in refused("reproduce", *arguments)


def test_one_figure_of_a_study() -> None:
    every, one = (
        call("reproduce", "mohan-flashpower", "--quick", *options).stdout.splitlines()
        for options in ((), ("--figure", "states"))
    )
    assert len(every) > len(one)
    assert [line.partition(":")[0] for line in one if line] == [
        "Quick form",
        "Program states",
        "holds (quick form)",
        "holds (quick form)",
        "Total (quick form)",
        "no files were written; --out DIRECTORY keeps the chapter",
    ]


def test_commands_of_the_documentation_name_studies_that_there_are() -> None:
    pages = [ROOT / "README.md", ROOT / "packages/studies/README.md", *ROOT.glob("docs/**/*.md")]
    named = {
        name
        for page in pages
        for name in re.findall(r"wordline reproduce ([a-z0-9-]+)", page.read_text(encoding="utf-8"))
    }
    # the study that a page declares, and that of another package
    assert len(named) > 10
    assert named - {"my-study", "mohan-fscale"} <= offered().keys()


def headings(studies: Sequence[Study]) -> dict[str, list[str]]:
    """What a process of a pool finds in studies."""
    return {
        study.name: [getattr(figure, "heading", "") for figure in study.figures.values()]
        for study in studies
    }


def test_studies_and_their_figures_go_to_other_processes() -> None:
    studies = [find(name) for name in NAMES]
    for study in studies:
        assert pickle.loads(pickle.dumps(study)) is study
    # figures go with functions of the package by name, and closures by value
    whole = [Study("own", "", "", "", study.figures) for study in studies]
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as pool:
        assert pool.submit(headings, studies).result() == headings(studies)
        for own in whole:
            assert pool.submit(headings, [own]).result() == headings([own])


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends signals to a process")
def test_to_terminate_a_study_leaves_nothing_hidden(tmp_path: Path) -> None:
    done = stopped(
        *("reproduce", "hu2011", "--out", "out", "--cache", "cache"),
        folder=tmp_path,
        number=signal.SIGTERM,
        when=lambda _: True,
        after=3.0,
    )
    assert done.returncode == 143, done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.rglob(".*"))


@pytest.mark.parametrize("name", NAMES)
def test_a_chapter_opens_with_lessons_of_claims_that_it_has(name: str) -> None:
    study, page = find(name), (CHAPTERS / f"{name}.md").read_text(encoding="utf-8")
    assert 3 <= len(study.lessons) <= 5
    opening = page[: page.index(" hold outright")]
    for lesson in study.lessons:
        (section,) = re.findall(
            rf"^## [^\n]*{{ #{re.escape(lesson.figure)} }}$(.*?)(?=^## |\Z)",
            page,
            re.MULTILINE | re.DOTALL,
        )
        titles = re.findall(r'^\?\?\? \w+ "(.*)"$', section, re.MULTILINE)
        begun = [title for title in titles if title.startswith(lesson.claim)]
        assert len(begun) == 1, (lesson, titles)
        assert f"* {lesson.holds} (" in opening or f"* {lesson.fails} (" in opening, lesson
