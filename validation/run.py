"""All load points of all drives, simulated two at a time; the predictions, the pictures and the page of them."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from . import intervals, measured, page, pictures, predictions
from .drives import DRIVES, Entry
from .kept import name, outcome
from .loads import Asked, Point, later, points
from .measured import Conditions
from .predictions import Answer

AT_ONCE = 2
PAGE = measured.ROOT / "docs" / "reference" / "validation.md"

Simulated = dict[Entry, list[tuple[Point, Mapping[str, float]]]]


def main() -> None:
    """Simulate, compare, predict, and write."""
    arguments = argparse.ArgumentParser(prog="python -m validation", description=__doc__)
    arguments.add_argument(
        "--drive",
        metavar="TEXT",
        help="simulate drives with this in their title only, and write nothing; their outcomes are kept for a run of all",
    )
    only = arguments.parse_args().drive
    try:
        conditions = {drive: asked(drive) for drive in DRIVES}
        others = measured.others({drive.name for drive in DRIVES if drive.blind})
    except FileNotFoundError as absent:
        raise SystemExit(str(absent)) from None
    began = time.monotonic()
    chosen = [drive for drive in DRIVES if only is None or only in drive.title]
    if not chosen:
        titles = "; ".join(drive.title for drive in DRIVES)
        raise SystemExit(f"--drive {only}: no such drive; there are {titles}")
    try:
        found = simulated(chosen, conditions)
    except KeyboardInterrupt:
        raise SystemExit("stopped; the next run goes on from here") from None
    print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)
    if only is not None:
        return
    answers = {drive: answered(drive, rows) for drive, rows in found.items()}
    off = intervals.deviations(ratios(answers, conditions))
    write(predictions.FILE, predictions.table(answers, conditions, off))
    for drive in DRIVES:
        drawn = pictures.picture(drive, answers[drive], conditions[drive], off)
        write(pictures.FOLDER / f"{drive.parts.file}.svg", drawn)
    write(PAGE, "".join(page.page(answers, conditions, off, others)))


def asked(drive: Entry) -> Conditions:
    """What was measured of a drive, or is asked of it."""
    return measured.read(drive.name, measured.ASKED if drive.blind else measured.TABLE)


def write(path: Path, text: str) -> None:
    """A file as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def simulated(drives: Iterable[Entry], conditions: Mapping[Entry, Conditions]) -> Simulated:
    """The outcomes of all load points: those that depend on no other, then the others."""
    chosen = list(drives)
    pool = ProcessPoolExecutor(AT_ONCE)
    try:
        first = together(pool, chosen, lambda drive: points(drive, conditions[drive]))
        known = {
            drive: {asked: each.value for asked, each in answered(drive, first[drive]).items()}
            for drive in chosen
        }
        more = together(pool, chosen, lambda drive: later(drive, conditions[drive], known[drive]))
    finally:
        pool.shutdown(cancel_futures=True)
    return {drive: first[drive] + more[drive] for drive in chosen}


def together(
    pool: ProcessPoolExecutor, drives: list[Entry], of: Callable[[Entry], list[Point]]
) -> Simulated:
    """The outcomes of load points; those that are one simulation wait for it."""
    wanted = {drive: of(drive) for drive in drives}
    runs = {}
    for drive, some in wanted.items():
        for point in some:
            key = name(drive, point)
            if key not in runs:
                runs[key] = pool.submit(outcome, drive, point)
    found: Simulated = {}
    for drive, some in wanted.items():
        found[drive] = []
        for point in some:
            found[drive].append((point, runs[name(drive, point)].result()))
            print(f"{drive.title}: {point.label}", flush=True)
    return found


def answered(drive: Entry, rows: list[tuple[Point, Mapping[str, float]]]) -> dict[Asked, Answer]:
    """What simulations answer, by what is asked."""
    limit = next(
        (found["host.write.iops"] for point, found in rows if point.kind == "saturated"), None
    )
    return {
        asked: Answer(point, found[key], intervals.load_of(point, limit))
        for point, found in rows
        for asked, key in point.answers.items()
        if key in found and math.isfinite(found[key])
    }


def ratios(
    answers: Mapping[Entry, Mapping[Asked, Answer]], conditions: Mapping[Entry, Conditions]
) -> dict[intervals.Kind, dict[str, list[float]]]:
    """Measured over simulated of the drives that were compared, by kind and by drive."""
    found: dict[intervals.Kind, dict[str, list[float]]] = {}
    for drive, some in answers.items():
        for (condition, quantity), answer in some.items():
            known = conditions[drive][condition][quantity].value
            if not drive.blind and known and answer.value > 0:
                kind = intervals.kind_of(drive.kind, answer.load, quantity)
                of_kind = found.setdefault(kind, {})
                of_kind.setdefault(drive.name, []).append(known / answer.value)
    return found
