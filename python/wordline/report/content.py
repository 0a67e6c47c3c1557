"""The page of versions: how much of their pages overwrites change, and what a drive saves that keeps the differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import altair as alt
import numpy as np

from wordline.content import Differences, Encoding, Packed, packed, programs_per_write
from wordline.formatting import display, percentage
from wordline.report.html import Page
from wordline.report.section import Figure, Row, Section
from wordline.report.theme import WIDTH, data, specification

POINTS = 101
"""Points of a distribution."""
BUFFERS = (1, 4)
"""Pages of deltas that are filled at a time, in the comparison of packings."""


@dataclass(frozen=True, eq=False)
class Case:
    """A codec, or a law, and what it makes of the pages that differ."""

    name: str
    """What it is called."""
    differences: Differences
    """The pages that differ, and their deltas."""
    encoding: Encoding
    """The controller, and the flash."""


@dataclass(frozen=True, eq=False)
class Asked:
    """What was asked."""

    cases: Sequence[Case]
    """Codecs or laws."""
    max_ratio: float
    """Larger deltas are kept as whole pages."""

    @cached_property
    def savings(self) -> list[Saving]:
        """What each case saves."""
        return [Saving(case, self.max_ratio) for case in self.cases]


class Saving:
    """What deltas save, if every page that differs was written often and read seldom enough to be kept as one."""

    def __init__(self, case: Case, max_ratio: float) -> None:
        """Pack the deltas of a case."""
        found = case.differences
        kept = found.kept(max_ratio)
        self.case = case
        self.share = float(kept.mean()) if found.changed else 0.0
        self.ratios = found.ratios[kept]
        sizes = found.bytes[kept]
        self.packings: dict[str, Packed] = {
            **{
                f"{count} page{'s' if count > 1 else ''} at a time": packed(
                    sizes, page_size=found.page_size, buffers=count
                )
                for count in BUFFERS
            },
            "bytes only": packed(sizes, page_size=found.page_size, buffers=None),
        }

    @property
    def mean(self) -> float | None:
        """Mean ratio of the deltas that are kept."""
        return float(self.ratios.mean()) if len(self.ratios) else None

    @property
    def pays(self) -> bool | None:
        """Whether encoding keeps up with programs; none where nothing is kept."""
        return None if self.mean is None else self.mean < self.case.encoding.largest_ratio

    @property
    def programs(self) -> float:
        """Pages programmed for each page that differs, one page of deltas filled at a time."""
        in_pages = self.packings["1 page at a time"].pages_per_delta
        if in_pages is None:
            return 1.0
        return 1.0 - self.share + self.share * in_pages

    @property
    def programs_by_formula(self) -> float:
        """The same as the formula of the source has it."""
        if self.mean is None:
            return 1.0
        # the formula is for a share below 1: at 1 no write is left that is none
        return self.mean if self.share == 1 else programs_per_write(self.share, self.mean)


def answer(asked: Asked) -> dict[str, Any]:
    """Everything as JSON."""
    return {
        "max_ratio": asked.max_ratio,
        "cases": [
            {
                "name": saving.case.name,
                "page_size": saving.case.differences.page_size,
                "pages": saving.case.differences.pages,
                "changed": saving.case.differences.changed,
                "added": saving.case.differences.added,
                "kept_share": saving.share,
                "mean_ratio": saving.mean,
                "median_ratio": quantile(saving, 0.5),
                "p90_ratio": quantile(saving, 0.9),
                "pages_per_delta": {
                    name: found.pages_per_delta for name, found in saving.packings.items()
                },
                "programs_per_write": saving.programs,
                "programs_per_write_by_formula": saving.programs_by_formula,
                "encode_us": saving.case.encoding.encode_us,
                "longest_us": saving.case.encoding.longest_us,
                "largest_ratio": saving.case.encoding.largest_ratio,
                "pays": saving.pays,
            }
            for saving in asked.savings
        ],
    }


def quantile(saving: Saving, share: float) -> float | None:
    """A quantile of the ratios that are kept."""
    return float(np.quantile(saving.ratios, share)) if len(saving.ratios) else None


def delta_rows(asked: Asked) -> list[Row]:
    """A row for each page that differs and each case."""
    return [
        {"case": case.name, "page": int(number), "delta_bytes": int(size)}
        for case in asked.cases
        for number, size in zip(case.differences.page, case.differences.bytes, strict=True)
    ]


VERDICTS = {None: "nothing to keep", True: "yes", False: "no: encoding takes longer"}


def saving_rows(asked: Asked) -> list[Row]:
    """Ratios and savings, a row for each case."""
    return [
        {
            "case": saving.case.name,
            "pages": saving.case.differences.pages,
            "changed": saving.case.differences.changed,
            "kept as deltas": percentage(saving.share),
            "mean ratio": saving.mean,
            "median": quantile(saving, 0.5),
            "90 %": quantile(saving, 0.9),
            "programs per write": saving.programs,
            "encoding (µs)": saving.case.encoding.encode_us,
            "largest ratio that pays": saving.case.encoding.largest_ratio,
            "pays": VERDICTS[saving.pays],
        }
        for saving in asked.savings
    ]


def packing_rows(asked: Asked) -> list[Row]:
    """Pages for each delta by packing, a row for each case."""
    return [
        {
            "case": saving.case.name,
            **{name: found.pages_per_delta for name, found in saving.packings.items()},
        }
        for saving in asked.savings
    ]


def tables(asked: Asked) -> list[tuple[str, Sequence[Row]]]:
    """What is printed: headings and tables."""
    return [
        ("Deltas in place of pages", saving_rows(asked)),
        ("\nPages of flash for each delta, by how many are filled at a time", packing_rows(asked)),
    ]


def render(asked: Asked) -> str:
    """The page."""
    sections = [
        Section("Ratios", [distribution(asked)]),
        Section("Pages of deltas", [packings(asked)]),
    ]
    return Page("Versions of pages", sections).html()


def distribution(asked: Asked) -> Figure:
    """How the ratios are distributed."""
    shares = np.linspace(0, 1, POINTS)
    points = [
        {"case": case.name, "ratio": float(ratio), "share": float(share)}
        for case in asked.cases
        if case.differences.changed
        for share, ratio in zip(shares, np.quantile(case.differences.ratios, shares), strict=True)
    ]
    lines = (
        alt.Chart(data(points))
        .mark_line(interpolate="step-after")
        .encode(
            x=alt.X("ratio:Q", title="bytes of the delta over those of the page"),
            y=alt.Y(
                "share:Q",
                title="share of the pages that differ",
                axis=alt.Axis(format="%"),
            ),
            color=alt.Color("case:N", sort=None, scale=alt.Scale(scheme="tableau10")),
            tooltip=["case:N", alt.Tooltip("ratio:Q", format=".3f"), "share:Q"],
        )
    )
    rule = (
        alt.Chart(data([{"ratio": asked.max_ratio}]))
        .mark_rule(strokeDash=[4, 4])
        .encode(x="ratio:Q")
    )
    best = min(asked.savings, key=lambda saving: saving.programs)
    title = (
        f"With {best.case.name}, {display(best.programs)} pages are programmed for each page that differs"
        if best.share
        else "No page can be kept as a delta"
    )
    remark = (
        "Dashed: larger deltas are kept as whole pages. Programs are those of a drive that keeps every other page as a delta; a drive keeps pages that are written "
        "often and read seldom only."
    )
    chart = alt.layer(lines, rule).properties(width=WIDTH - 120, height=320)
    return Figure(title, specification(chart), saving_rows(asked), remark)


def packings(asked: Asked) -> Figure:
    """What headers and gaps add to the bytes of deltas."""
    rows = packing_rows(asked)
    points = [
        {"case": row["case"], "packing": name, "pages": value}
        for row in rows
        for name, value in row.items()
        if name != "case" and value is not None
    ]
    chart = (
        alt.Chart(data(points))
        .mark_bar()
        .encode(
            x=alt.X("pages:Q", title="pages of flash for each delta"),
            y=alt.Y("packing:N", title=None, sort=None),
            row=alt.Row("case:N", title=None, sort=None),
            tooltip=["case:N", "packing:N", alt.Tooltip("pages:Q", format=".3f")],
        )
        .properties(width=WIDTH - 240)
    )
    title = "A delta is never divided between two pages, which leaves gaps: more pages at a time leave fewer"
    remark = "Bytes only: what the formulas of the source charge, without headers and gaps."
    return Figure(title, specification(chart), rows, remark)
