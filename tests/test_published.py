"""Published numbers beside ours."""

from __future__ import annotations

from pathlib import Path

from small_study import FIGURE, QUICK, STUDY, an_engine
from wordline.formatting import display
from wordline.studies.chapter import page
from wordline.studies.published import PERCENT, Printed, PublishedFigure


def a_figure(**changes: object) -> PublishedFigure:
    """Two numbers, one of which comes from runs."""
    fields = {
        "heading": "Published and ours",
        "text": "Text.",
        "title": "Title",
        "grids": {"runs": FIGURE},
        "printed": [
            Printed(
                "response of two channels",
                "table 1",
                50.0,
                {
                    "ours": lambda found: found["runs"].value("response", "", "two", "writes").mean  # type: ignore[union-attr]
                },
                unit="µs",
            ),
            Printed(
                "gain",
                "table 2",
                -0.388,
                {"ours": lambda _: -0.25, "other": lambda _: None},
                PERCENT,
                difference=True,
                known="baseline",
            ),
        ],
        "columns": ("ours", "other"),
    }
    return PublishedFigure(**{**fields, **changes})  # type: ignore[arg-type]


def test_numbers_of_runs_stand_beside_those_of_the_source(tmp_path: Path) -> None:
    figure = a_figure()
    outcomes = an_engine(tmp_path).run(figure.points(QUICK))
    part = figure.part(QUICK, outcomes)
    (outcome,) = (got for point, got in outcomes.items() if point.label.startswith("Channels, two"))
    first, second = part.figure.rows
    assert first["published"] == "50.00 µs"
    assert first["ours"] == f"{display(outcome.number('host.all.latency.mean_us'))} µs"
    assert first["other"] == "–"  # the column has no such number
    assert second == {
        "quantity": "gain",
        "source": "table 2 (baseline)",
        "published": "-38.8 %",
        "ours": "-25.0 %",
        "other": "void",
    }
    assert (part.runs, part.done) == (2, 2)
    # the table is not folded away
    text = "".join(page(STUDY, {"published": part}))
    assert "\n| quantity | source | published | ours | other |\n" in text
    assert "The numbers of the figure" not in text


def test_one_column_has_its_deviation() -> None:
    row = a_figure(columns=("ours",), grids={}, printed=a_figure().printed[1:])
    assert row.part(QUICK, {}).figure.rows[0]["deviation"] == "+13.8 points"
    printed = Printed("x", "", 40.0, {"ours": lambda _: 50.0}, unit="µs")
    one = a_figure(columns=("ours",), grids={}, printed=[printed])
    assert one.part(QUICK, {}).figure.rows[0]["deviation"] == "+25.0 %"
