"""The laws that stand for the six traces: whole pages, a footprint, and how much of it reads and writes share.

The simulator behind the source works on whole pages, so that requests are rounded to pages here: in the law itself and not by `workload.round_to`, since writes stay whole pages where reads have
sectors of their own (`of_sectors`), and since F1 and F2 start at any sector unless they are whole pages. A law has two sets of places: those that are written, of
which reads visit each as often as writes do, and places that are read only. The share of the reads that goes to the first is set so that as many page reads
as in the source's table 2.1 find a page that was written before in the run (WR_max); it is a property of the trace.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

FOLDER = Path(__file__).parent / "profiles"
"""The laws as files."""

PAGE, SECTOR = 4096, 512
SECTORS = PAGE // SECTOR
SPREAD = 1.0
"""Standard deviation of the logarithm of a size, assumed as in the built-in profiles."""
HOT = 1.0 - math.log(0.8) / math.log(0.2)
"""Exponent of the popularity with which 20 % of the places get 80 % of the visits, assumed as in the built-in profiles."""


@dataclass(frozen=True)
class Law:
    """What a law is made of, beside the share of its reads that goes to written places."""

    title: str
    """The trace."""
    read_fraction: float
    """Share of reads, table 2.1."""
    mean_gap_us: float
    """Mean gap between requests as traced."""
    sizes: tuple[float, float]
    """Mean sizes of reads and writes in KiB."""
    shifted: bool
    """Whether requests start at any sector, so that rounding covers a page more at times; else they start at a page."""
    places: int
    """Places that are written."""
    apart: int
    """Pages from place to place: odd, so that places lie on all planes alike, and above the largest request."""


LAWS: Mapping[str, Law] = {
    "F1": Law("Financial1 (UMass)", 0.231, 8_190.0, (2.25, 3.75), True, 15_000, 9),
    "F2": Law("Financial2 (UMass)", 0.823, 11_080.0, (2.3, 2.9), True, 8_000, 9),
    "C3": Law("HP Cello99, disk C3, 17 July 1999", 0.353, 40_800.0, (4.61, 6.26), False, 12_000, 9),
    "C8": Law("HP Cello99, disk C8, 17 July 1999", 0.274, 42_400.0, (4.61, 6.26), False, 4_000, 9),
    "DAP": Law(
        "Display-ads platform, payload server", 0.562, 80_000.0, (9.6, 11.1), False, 600, 17
    ),
    "MSN": Law("MSN metadata server, first disk", 0.750, 40_754.7, (9.6, 11.1), False, 8_000, 17),
}


def sectors_of(mean_kib: float, largest: int) -> Sequence[float]:
    """How often a request has 1, 2, ... sectors, `largest` pages at most, by a lognormal law of sizes with this mean; larger ones count as the largest."""
    middle = math.log(mean_kib * 1024) - SPREAD**2 / 2

    def below(size: float) -> float:
        return 0.5 * (1 + math.erf((math.log(size) - middle) / (SPREAD * math.sqrt(2))))

    most = largest * SECTORS
    bounds = [0.0, *(below((sectors + 0.5) * SECTOR) for sectors in range(1, most)), 1.0]
    return [high - low for low, high in pairwise(bounds)]


def pages_of(mean_kib: float, largest: int, *, shifted: bool) -> Sequence[float]:
    """How often a request covers 1, 2, ... `largest` pages: sizes as in `sectors_of`, rounded outwards. `shifted` requests start at any sector, unless they are whole pages."""
    shares = [0.0] * largest
    for sectors, share in enumerate(sectors_of(mean_kib, largest), 1):
        starts = range(SECTORS) if shifted and sectors % SECTORS else range(1)
        for start in starts:
            pages = min(math.ceil((start + sectors) / SECTORS), largest)
            shares[pages - 1] += share / len(starts)
    return shares


def text_of(law: Law, to_written: float, *, of_sectors: bool = False) -> str:
    """A law as the file of a profile.

    Args:
        law: the trace.
        to_written: share of the reads that goes to written places.
        of_sectors: whether reads have their own sizes instead of whole pages; they start at a page.
    """
    largest = law.apart - 1
    only_read = law.places
    phases = ", ".join(["1.0"] + ["0.0"] * (law.apart * SECTORS - 1))
    read_kib, write_kib = law.sizes

    def listed(weights: Sequence[float], unit: int) -> str:
        rows = (
            f'  {{ size = "{(place + 1) * unit} B", weight = {weight:.6g} }},\n'
            for place, weight in enumerate(weights)
            if weight > 1e-6
        )
        return f"sizes = [\n{''.join(rows)}]\n"

    reads = (
        listed(sectors_of(read_kib, largest), SECTOR)
        if of_sectors
        else listed(pages_of(read_kib, largest, shifted=law.shifted), PAGE)
    )
    return (
        f'title = "{law.title}"\nread_fraction = {law.read_fraction}\n'
        f'align = "{law.apart * PAGE // 1024} KiB"\nphases = [{phases}]\n'
        f'\n[arrivals]\nmean_gap = "{round(law.mean_gap_us * 1000)} ns"\n'
        f"\n[reads]\nplaces = {law.places + only_read}\n{reads}"
        f"\n[[reads.popularity]]\nplaces = {law.places / (law.places + only_read):.9g}\nvisits = {to_written:.6g}\nexponent = {HOT:.6f}\n"
        f"\n[[reads.popularity]]\nplaces = {1 - law.places / (law.places + only_read):.9g}\nvisits = {1 - to_written:.6g}\n"
        f"\n[writes]\nplaces = {law.places}\n{listed(pages_of(write_kib, largest, shifted=law.shifted), PAGE)}"
        f"\n[[writes.popularity]]\nplaces = 1.0\nvisits = 1.0\nexponent = {HOT:.6f}\n"
    )
