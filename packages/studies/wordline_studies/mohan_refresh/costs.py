"""R13: what drives cost over a service."""

from __future__ import annotations

from wordline.report.section import Figure, Row
from wordline.service import service_cost
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict
from wordline_studies.mohan_refresh.common import MONTH, YEAR, bars, lasts, months_of, of
from wordline_studies.mohan_refresh.lives import refreshing

PRICES = {"MLC": 1.94, "MLC with refresh": 1.94, "eMLC": 5.91, "SLC": 19.0}
"""Dollars for a gigabyte (section 4.5 of the source)."""
CAPACITY = 300.0
REQUIRED = YEAR / 4


def cost(quick: bool) -> Part:
    """Replacements times price over five years."""
    rows: list[Row] = []
    cases = []
    for name in of(quick):
        plain = lasts(name, REQUIRED, quick=quick)
        served = months_of(refreshing(name, "remaining", REQUIRED, quick=quick))
        lives = {"MLC": plain, "MLC with refresh": served, "eMLC": None, "SLC": None}
        price = {}
        for medium, life in lives.items():
            for years in (3, 5):
                found = service_cost(
                    None if life is None else life * MONTH,
                    service_s=years * YEAR,
                    price_per_gb=PRICES[medium],
                    capacity_gb=CAPACITY,
                )
                price[medium, years] = found.price
                rows.append(
                    {
                        "load": f"{name}, {years} years",
                        "medium": medium,
                        "dollars": found.price,
                        "drives": found.drives,
                    }
                )
        for years in (3, 5):
            cases.append(
                price["MLC with refresh", years] <= min(price["eMLC", years], price["SLC", years])
            )
    return Part(
        "Cost of a service",
        "Drives of 300 GB, replaced when they end, over three and five years, at the prices of the source. Three months of retention are required. One drive of eMLC or SLC is taken to outlast the service, which favours them.",
        Figure(
            "Cost over three and five years",
            bars(rows, ("load", ""), ("dollars", "dollars"), "medium"),
            rows,
        ),
        [
            Claim(
                "MLC with refresh costs less than eMLC and SLC over three and five years",
                "R13",
                "; ".join(
                    f"{row['load']} {row['drives']} drives"
                    for row in rows
                    if row["medium"] == "MLC with refresh"
                ),
                Verdict.of_cases(cases),
            )
        ],
    )
