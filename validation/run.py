"""All load points of all drives, simulated two at a time, and the page of them."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor

from . import measured, page
from .compare import Comparison, compare, score
from .drives import DRIVES, Entry
from .loads import Point, points
from .measured import Measured
from .simulate import simulate

AT_ONCE = 2
PAGE = measured.ROOT / "docs" / "reference" / "validation.md"


def main() -> None:
    """Simulate, compare, and write the page."""
    try:
        conditions = {drive: measured.read(drive.name) for drive in DRIVES}
    except FileNotFoundError as absent:
        raise SystemExit(str(absent)) from None
    began = time.monotonic()
    found: dict[Entry, list[page.Row]] = {drive: [] for drive in DRIVES}
    with ProcessPoolExecutor(AT_ONCE) as pool:
        runs = [
            (drive, point, pool.submit(simulate, drive, point))
            for drive in DRIVES
            for point in points(conditions[drive])
        ]
        for drive, point, run in runs:
            compared = beside(conditions[drive][point.condition], run.result(), point)
            found[drive].append((point, compared))
            within, held = score(compared)
            print(
                f"{drive.title}: {point.label}", f"{within} of {held}" if held else "", flush=True
            )
    text = "".join(page.page(found, conditions))
    PAGE.write_text(text, encoding="utf-8")
    print(f"{PAGE.relative_to(measured.ROOT)}: {time.monotonic() - began:.0f} s", file=sys.stderr)


def beside(
    figures: Mapping[str, Measured], simulated: Mapping[str, float], point: Point
) -> list[Comparison]:
    """What was measured at a load point beside what was simulated."""
    values = {name: figure.value for name, figure in figures.items()}
    return compare(values, simulated, point.held)
