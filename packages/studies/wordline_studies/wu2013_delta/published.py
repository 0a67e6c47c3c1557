"""What the source prints of its baseline, beside ours."""

from __future__ import annotations

from wordline.studies import charts
from wordline.studies.grid import GridFigure
from wordline.studies.published import WORDLINE, Found, Printed, PublishedFigure
from wordline_studies.wu2013_delta.drives import BASELINE, CLOSED, GAIN, variant
from wordline_studies.wu2013_delta.loads import SURROGATES

C8 = "C8 surrogate"
GRID = GridFigure(
    heading="Published and ours",
    text="",
    title="",
    variants=[variant(BASELINE, CLOSED)],
    loads=[load for load in SURROGATES if load.name == C8],
    metrics=[GAIN],
    chart=charts.bars,
    claims=[],
)


def gain(found: Found) -> float | None:
    """Pages that a collection gains in the baseline under C8."""
    value = found["baseline"].value(GAIN.name, "", BASELINE, C8)
    return value.mean if value else None


FIGURE = PublishedFigure(
    heading="Published and ours",
    text="The one number of the baseline that is known to us.",
    title="Published and ours",
    grids={"baseline": GRID},
    printed=[
        Printed(
            "C8: pages gained by a collection in the baseline",
            "section 4.5",
            14.0,
            {WORDLINE: gain},
            unit="pages",
        )
    ],
    columns=[WORDLINE],
    deviations=(
        "Our baseline gains twice as many pages, as it should with 30 % spare space: uniform overwriting leaves 0.47 of a victim's pages stale at that share (30 of 64; `docs/explanations` has the closed form). 14 of 64 fits a drive that is fuller than printed, blocks of "
        "fewer pages (the source does not say how many), or victims that are taken before they are the best, none of which the source tells."
    ),
)
