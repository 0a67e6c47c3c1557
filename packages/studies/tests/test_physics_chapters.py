"""The studies of FlashPower and FENCE, which are computed on the spot: their chapters, claims and published numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

import wordline as wl
from shared import CHAPTERS, refused, wordline
from wordline.formatting import display
from wordline.points.engine import Engine
from wordline.points.store import Store
from wordline.retention import YEAR
from wordline.studies import find, study
from wordline.studies.chapter import chapter
from wordline.studies.published import PublishedFigure
from wordline.studies.study import Form

each_chapter = pytest.mark.parametrize("name", ["mohan-flashpower", "mohan-fence"])


@each_chapter
def test_the_committed_chapter_is_what_the_study_writes(name: str) -> None:
    found = find(name)
    parts = found.run(None, Form(quick=False, traces=Path()), Engine(progress=False))
    for file, text in chapter(found, parts).items():
        committed = CHAPTERS / file
        if file.endswith(".md"):
            assert committed.read_text(encoding="utf-8") == text
        else:  # the widths of letters depend on the fonts of the machine
            assert committed.exists()


def test_the_claims_quick_or_not(tmp_path: Path) -> None:
    done = wordline("reproduce", "mohan-flashpower", "--quick", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    marks = [line[0] for line in done.stdout.splitlines() if line.startswith(("✓ ", "◐ ", "✗ "))]
    # the read of X5 is not the published one; text and table of the source disagree about another
    assert set(marks) == {"✓", "◐"}
    assert marks.count("◐") == 2
    assert len(list(tmp_path.glob("*.svg"))) == 6
    one = wordline("reproduce", "mohan-flashpower", "--figure", "organisation")
    verdicts = [
        line.partition(":")[0] for line in one.stdout.splitlines() if line.startswith("holds")
    ]
    assert sorted(set(verdicts)) == ["holds", "holds in 14 of 15", "holds in 2 of 3"]
    assert verdicts.count("holds in 2 of 3") == 1


def test_a_study_whose_figures_are_quick_anyhow() -> None:
    done = wordline("reproduce", "mohan-fence", "--quick")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("✓ ") > 10


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["mohan"], "mohan-flashpower"),
        (["mohan-flashpower", "--figure", "seven"], "bit-patterns"),
        (["mohan-fence", "--figure", "seven"], "self-healing"),
    ],
)
def test_bad_input_is_refused(arguments: list[str], word: str) -> None:
    assert word in refused("reproduce", *arguments)


@each_chapter
def test_the_physics_chapters_have_every_published_number(name: str, tmp_path: Path) -> None:
    page = (CHAPTERS / f"{name}.md").read_text(encoding="utf-8")
    figure = find(name).figures["published"]
    assert isinstance(figure, PublishedFigure)
    rows = figure.part(Form(quick=False, traces=tmp_path), {}).figure.rows
    for row in rows:
        assert "| " + " | ".join(map(str, row.values())) + " |" in page


def test_deviations_that_the_physics_chapters_name() -> None:
    """Recomputed through the Python API."""
    fence = (CHAPTERS / "mohan-fence.md").read_text(encoding="utf-8")
    mlc = wl.RetentionModel("mlc")
    for years, rest, printed in ((5, 0.0, 3_000), (10, 1e4, 10_000), (5, 1e4, 52_800)):
        ours = float(mlc.cycles_to_retention(years * YEAR, rest))
        assert f"| {display(ours)} cycles | {100 * (ours / printed - 1):+.1f} % |" in fence
    power = (CHAPTERS / "mohan-flashpower.md").read_text(encoding="utf-8")
    read = wl.Chip.from_toml("mohan-x5").read("fast", ones=0.0).total * 1e6
    assert f"| {display(read)} µJ | {100 * (read / 1.277 - 1):+.1f} % |" in power
    assert read / 1.277 < 0.9
    plain, skips = (
        wl.Chip.from_toml("e-mlc64", policy={"optimize_erase": each}).erase(programmed=0.0).total
        for each in (False, True)
    )
    assert f"| 5.000 times | {display(plain / skips)} times |" in power


def test_a_figure_is_kept_as_it_was_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, form = find("mohan-flashpower"), Form(quick=True, traces=tmp_path)
    engine = Engine(Store(tmp_path), progress=False)
    first = chapter(found, found.run("states", form, engine))
    assert len(list(tmp_path.iterdir())) == 1
    again = chapter(found, found.run("states", form, engine))
    assert first == again
    assert len(list(tmp_path.iterdir())) == 1
    # of other code it is another
    monkeypatch.setattr(study, "sources", lambda _: "edited")
    found.run("states", form, engine)
    assert len(list(tmp_path.iterdir())) == 2
