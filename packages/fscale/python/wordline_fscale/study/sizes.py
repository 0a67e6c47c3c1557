"""How large tables are, and how much of them is in memory (F1, F5, F6)."""

from __future__ import annotations

from itertools import pairwise

from wordline.report.section import Figure, Row
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict
from wordline_fscale.study.common import CAPACITIES, GB, drive, lines, shown

PAGES = (4, 8, 16, 32)
"""Logical pages in KiB."""
CAPACITY = ("TB", "capacity (TB)")


def table_size(quick: bool) -> Part:
    """The conventional table."""
    del quick
    size = {
        (tb, kib): drive("conventional", tb, logical_page=f"{kib} KiB").outlook()["tables"][
            "conventional"
        ]
        / GB
        for tb in CAPACITIES
        for kib in PAGES
    }
    rows: list[Row] = [
        {"TB": tb, "page": f"{kib} KiB", "GB": value} for (tb, kib), value in size.items()
    ]
    doubles = [size[b, kib] == 2 * size[a, kib] for a, b in pairwise(CAPACITIES) for kib in PAGES]
    halves = [2 * size[tb, b] == size[tb, a] for tb in CAPACITIES for a, b in pairwise(PAGES)]
    claims = [
        Claim(
            "The table doubles with the capacity",
            "section 5.2",
            f"4 KiB: {shown([size[tb, 4] for tb in CAPACITIES], 0)} GB",
            Verdict.of_cases(doubles),
            "entries of 4 bytes, the reading of equation 5.1 that gives the published hit rates",
        ),
        Claim(
            "The table halves when the logical page doubles",
            "section 5.2",
            f"128 TB: {shown([size[128, kib] for kib in PAGES], 0)} GB",
            Verdict.of_cases(halves),
        ),
    ]
    return Part(
        "The size of the table",
        "An entry of four bytes for each logical page. Above 8 TB 32 bits cannot number all slots of 4 KiB; entries that can are up to 25 % larger.",
        Figure(
            "The table outgrows any memory",
            lines(rows, CAPACITY, ("GB", "table (GB)"), "page"),
            rows,
        ),
        claims,
    )


def directory_size(quick: bool) -> Part:
    """FScale's directory against the conventional table."""
    del quick
    smaller = {}
    total = {}
    for tb in CAPACITIES:
        for kib in (4, 32):
            tables = drive("fscale", tb, logical_page=f"{kib} KiB").outlook()["tables"]
            smaller[tb, kib] = tables["conventional"] / tables["directory"]
            total[tb, kib] = (tables["directory"] + tables["second_level"]) / tables["conventional"]
    rows: list[Row] = [
        {
            "TB": tb,
            "page": f"{kib} KiB",
            "times smaller": value,
            "with all trees, of the conventional table": total[tb, kib],
        }
        for (tb, kib), value in smaller.items()
    ]
    claims = [
        Claim(
            "The table directory is a small multiple smaller than the conventional table",
            "section 5.4",
            f"4 KiB: {shown([smaller[tb, 4] for tb in CAPACITIES])} times",
            Verdict.of_cases([1.5 <= value <= 6 for value in smaller.values()]),
        ),
        Claim(
            "Its advantage shrinks slowly as the capacity grows",
            "section 5.4",
            f"4 KiB, 8 to 128 TB: {smaller[8, 4]:.2f} → {smaller[128, 4]:.2f} times",
            Verdict.of_cases(
                [
                    smaller[b, kib] < smaller[a, kib]
                    for a, b in pairwise(CAPACITIES)
                    for kib in (4, 32)
                ]
            ),
        ),
        Claim(
            "Its advantage is slightly smaller with pages of 32 KiB",
            "section 5.4",
            f"128 TB: {smaller[128, 32]:.2f} instead of {smaller[128, 4]:.2f} times",
            Verdict.of_cases(
                [0.8 * smaller[tb, 4] < smaller[tb, 32] < smaller[tb, 4] for tb in CAPACITIES]
            ),
        ),
        Claim(
            "Directory and trees together are no smaller than the conventional table",
            "section 5.4",
            f"128 TB, 4 KiB: {total[128, 4]:.2f} times its size",
            Verdict.of_cases([value >= 1 for value in total.values()]),
        ),
    ]
    return Part(
        "The size of the table directory",
        "FScale's controller keeps the die of each logical page; the trees in the packages keep the rest, in flash. Sizes are scaled from the conventional "
        "table by the bits of an entry.",
        Figure(
            "The directory needs a third of the memory",
            lines(rows, CAPACITY, ("times smaller", "conventional table / directory"), "page"),
            rows,
        ),
        claims,
    )


def hit_rate(quick: bool) -> Part:
    """Look-ups that hit, with 8 GB."""
    del quick
    hit = {
        (design, tb): drive(design, tb).outlook()["hit_rate"]
        for design in ("conventional", "fscale")
        for tb in CAPACITIES
    }
    rows: list[Row] = [
        {"TB": tb, "design": design, "hit rate": value} for (design, tb), value in hit.items()
    ]
    published = dict(zip(CAPACITIES, (1.0, 0.5, 0.25, 0.125, 0.0625), strict=True))
    claims = [
        Claim(
            "With 8 GB of memory the conventional hit rate is 100, 50, 25, 12.5 and 6.25 % from 8 to 128 TB",
            "section 5.2",
            f"{shown([100 * hit['conventional', tb] for tb in CAPACITIES])} %",
            Verdict.of_cases([hit["conventional", tb] == value for tb, value in published.items()]),
            "the reading of equation 5.1 was chosen for it",
        ),
        Claim(
            "The directory never hits less often than the conventional table, and more often once that one does not fit",
            "section 5.4",
            f"{shown([100 * hit['fscale', tb] for tb in CAPACITIES])} %",
            Verdict.of_cases(
                [
                    hit["fscale", tb] > hit["conventional", tb] or hit["conventional", tb] == 1
                    for tb in CAPACITIES
                ]
            ),
        ),
    ]
    return Part(
        "Hits in 8 GB of memory",
        "Addresses are uniform, so that the hit rate is the share of the table that fits.",
        Figure(
            "The directory hits longer",
            lines(rows, CAPACITY, ("hit rate", "hit rate"), "design"),
            rows,
        ),
        claims,
    )
