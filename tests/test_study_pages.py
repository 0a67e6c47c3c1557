"""The pages, tables and axes of studies."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from small_study import FIGURE, QUICK, RESPONSE, STUDY, an_engine, measured
from wordline.report.section import Figure
from wordline.studies import charts
from wordline.studies.chapter import chapter, page
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict


def test_the_page_of_a_grid(tmp_path: Path) -> None:
    files = chapter(STUDY, STUDY.run(None, QUICK, an_engine(tmp_path)))
    assert set(files) == {"mini.md", "mini-channels.svg"}
    page = files["mini.md"]
    assert "Unfinished" not in page
    for words in (
        "# A small study",
        "# A small study\n\n**1 of 1 claims hold outright.**\n\nNames in the charts and claims:\n\n* **one, two**: the number of channels\n\n![",
        "| ✓ [two channels are no slower](#channels) | response, two over one (ratio): ",
        "{ #channels }",
        '??? success "two channels are no slower"\n\n    The source: nowhere.\n\n    Wordline: response, two over one (ratio): ',
        "    Verdict: **holds**.",
        '??? info "What was simulated, and how claims are judged"\n\n    An introduction.\n',
        '??? note "The numbers of the figure"\n\n    | metric | load | unit | baseline | two | one |\n',
        'Not run, because the trace is absent (`--traces`): replay. "Every load" means the others.',
        "`wordline reproduce mini --figure channels`",
    ):
        assert words in page
    assert files["mini-channels.svg"].startswith("<svg")
    # dark on a dark page
    assert "@media screen and (prefers-color-scheme: dark)" in files["mini-channels.svg"]
    ElementTree.fromstring(files["mini-channels.svg"])


def test_a_chapter_opens_with_its_cover(tmp_path: Path) -> None:
    two = replace(STUDY, figures={"first": FIGURE, "second": FIGURE})
    parts = two.run(None, QUICK, an_engine(tmp_path))
    for study, first in ((two, "first"), (replace(two, cover="second"), "second")):
        pictures = re.findall(r"\]\((mini-.*?)\.svg\)", chapter(study, parts)["mini.md"])
        assert pictures == [f"mini-{first}", "mini-first", "mini-second"]


@pytest.mark.parametrize(
    ("verdict", "mark", "share"),
    [
        (Verdict(3, 3), "✓", "in 3 of 3 cases"),
        (Verdict(1), "✓", "in 1 of 1 case"),
        (Verdict(0), "✗", "in 0 of 1 case"),
        (Verdict(2, 3, 1), "◐", "in 2 of 3 cases"),
        (Verdict(0, 3), "✗", "in 0 of 3 cases"),
        (Verdict(0, 0, 2), "○", "void"),
    ],
)
def test_a_verdict_is_a_mark_and_a_share(verdict: Verdict, mark: str, share: str) -> None:
    assert (verdict.mark, verdict.share) == (mark, share)
    part = Part(
        "Heading", "Text.", Figure("Title", {}, []), [Claim("it is so", "p. 1", "9", verdict)]
    )
    text = "".join(page(STUDY, {"f": part}))
    assert f"| {mark} [it is so](#f) | 9 |" in text
    kind = {"✓": "success", "◐": "warning", "✗": "failure", "○": "question"}[mark]
    assert f'??? {kind} "it is so"' in text


def test_sizes_to_be_compared_are_explained_before_the_claims() -> None:
    def text(ours: str) -> str:
        claim = Claim("it is so", "p. 1", ours, Verdict(1))
        return "".join(page(STUDY, {"f": Part("Heading", "Text.", Figure("T", {}, []), [claim])}))

    shown = text("0.9, to be compared")
    assert shown.index("A size marked *to be compared* is a prediction") < shown.index("## Claims")
    assert "to be compared" not in text("0.9")


def test_ratios_near_one_are_drawn_as_differences() -> None:
    near = measured({"l": {"a": (2.0, 2.0), "b": (2.1, 2.2)}})
    far = measured({"l": {"a": (2.0, 2.0), "b": (2.6, 2.6)}})
    (metric,) = near.figure.metrics
    assert charts.differs(near, metric)
    assert not charts.differs(far, metric)
    assert not charts.differs(near, replace(metric, relative=False))
    drawn = {point["variant"]: point for point in charts.chosen(near, metric, "")}
    assert drawn["a"]["value"] == 0
    assert drawn["b"]["value"] == pytest.approx(7.5)  # of 1.05 and 1.1
    # t = 12.706 with one degree of freedom; s = 0.03536
    half = 100 * 12.706 * 0.035355 / 2**0.5
    assert drawn["b"]["high"] - drawn["b"]["value"] == pytest.approx(half, rel=1e-3)
    assert charts.heading(metric, "SLC", difference=True) == ["m", "difference (%)", "SLC"]
    assert charts.chosen(far, metric, "")[1]["value"] == pytest.approx(1.3)


def test_axes_and_rows_of_a_figure_have_units() -> None:
    metrics = [
        replace(RESPONSE, name="m", value="x", unit="apples", relative=relative)
        for relative in (True, False)
    ]
    for metric, unit in zip(metrics, ("ratio", "apples"), strict=True):
        assert charts.heading(metric, "") == [f"m ({unit})"]
        assert charts.heading(metric, "SLC") == [f"m ({unit})", "SLC"]
        found = measured({"l": {"a": (2.0,), "b": (1.0,)}})
        found.figure = replace(found.figure, metrics=[metric])
        assert found.rows()[0]["unit"] == unit
