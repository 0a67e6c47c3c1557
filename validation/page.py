"""The page of the validation: tables of figures measured and simulated, and of predictions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .compare import BOUNDS, Comparison, bound, points, score
from .drives import Entry
from .intervals import ALONE, HELD, LEAST, NEAR, WIDEST, Deviation, Kind, Prediction
from .loads import Asked, Point
from .loads.open_loop import OPEN_LOOP
from .loads.steady import CLIFF
from .measured import Conditions
from .parts import TITLES
from .predictions import Answer, rows
from .reasons import REASONS

Answers = Mapping[Entry, Mapping[Asked, Answer]]
Row = tuple[Point, list[Comparison]]
"""A load point and its figures."""

OF_READS = ("read latency p50", "read latency p99", "read latency p99.9")
OF_WRITES = (
    "write latency p50",
    "write latency mean",
    "write latency p99",
    "write IOPS achieved",
    "read IOPS achieved",
)
"""Figures of load points beside those of reads."""
ALIKE = ("samsung-pm9a3-960gb", "wd-dc-960gb", "wd-zn540-1tb", "samsung-980-pro-1tb")
"""Drives whose load points the share that was aimed at counts: of the last the reads alone."""


def page(
    answers: Answers,
    conditions: Mapping[Entry, Conditions],
    known: Mapping[Kind, Deviation],
    others: Mapping[str, int],
) -> Iterator[str]:
    """The text of the page."""
    compared = {
        drive: compare_all(some, conditions[drive])
        for drive, some in answers.items()
        if not drive.blind
    }
    bounds = ", ".join(f"{name} {factor:g}" for name, factor in BOUNDS.items())
    yield (
        "<!-- Written by `make validate`. -->\n\n# Beside measured drives\n\nDrives that were sold, [assembled from parts](../explanations/validation.md) and simulated at the loads "
        "at which they were measured. Seven were compared while the rule was made, and seven are predicted: nothing measured of these was looked at.\n\n"
        "## At a glance\n\n**Ratio** is simulated over measured. Figures are to lie within a factor of each other: "
        f"{bounds}; latencies below saturation, writes where they are steady. Ratios outside are bold.\n\n"
        "| drive | class | figures within their bound | load points with all of them |\n|---|---|---|---|\n"
    )
    for drive, found in compared.items():
        good, all_ = score(each for _, row in found for each in row)
        some, of = points(row for _, row in found)
        yield f"| [{drive.title}](#{anchor(drive.title)}) | {TITLES[drive.kind]} | {good} of {all_} | {some} of {of} |\n"
    yield from alike(compared)
    yield from predicted(answers, conditions, known, others)
    yield from deviations(known)
    for drive, found in compared.items():
        yield from section(drive, found)
    for drive in answers:
        if drive.blind:
            yield from blind(drive, answers[drive], conditions[drive], known)
    yield from sources({drive: conditions[drive] for drive in compared})


def anchor(title: str) -> str:
    """The anchor of a heading."""
    return "".join(
        each for each in title.lower().replace(" ", "-") if each.isalnum() or each == "-"
    )


def compare_all(some: Mapping[Asked, Answer], conditions: Conditions) -> list[Row]:
    """The load points of a drive, each with the figures that were measured."""
    found: dict[tuple[str, str], Row] = {}
    for (condition, quantity), answer in some.items():
        value = conditions[condition][quantity].value
        if value:
            point = answer.point
            row = found.setdefault((point.label, condition), (point, []))
            factor = bound(quantity, point.kind, point.held)
            row[1].append(Comparison(quantity, value, answer.value, factor))
    return list(found.values())


def alike(compared: Mapping[Entry, list[Row]]) -> Iterator[str]:
    """The share that was aimed at."""
    chosen = [
        each
        for drive, found in compared.items()
        if drive.parts.file in ALIKE
        for _, row in found
        for each in row
        if "980" not in drive.parts.file or each.quantity.startswith("read")
    ]
    good, all_ = score(chosen)
    by_quantity = []
    for name in BOUNDS:
        some, of = score(each for each in chosen if each.quantity == name)
        if of:
            by_quantity.append(f"{name} {some} of {of}")
    share = 100 * good / all_ if all_ else 0.0
    whole, of_points = points(
        row
        for drive, found in compared.items()
        if drive.parts.file in ALIKE and "980" not in drive.parts.file
        for _, row in found
    )
    yield (
        f"\nOf drives that behave alike (the first three, and reads of the 980 PRO) {good} of {all_} figures lie within their bound, {share:.0f} %: "
        f"{', '.join(by_quantity)}. Aimed at were 80 %. All figures of a load point lie within in {whole} of {of_points} points of the first three.\n"
    )


def predicted(
    answers: Answers,
    conditions: Mapping[Entry, Conditions],
    known: Mapping[Kind, Deviation],
    others: Mapping[str, int],
) -> Iterator[str]:
    """How much is predicted of each blind drive."""
    yield "\n| predicted drive | class | figures asked | with an interval |\n|---|---|---|---|\n"
    for drive, some in answers.items():
        if drive.blind:
            found = [each for _, each in rows(drive, some, conditions[drive], known)]
            number = sum(isinstance(each, Prediction) for each in found)
            yield f"| [{drive.title}](#{anchor(drive.title)}) | {TITLES[drive.kind]} | {len(found)} | {number} |\n"
    yield (
        "\nAll of them, and why others have none, are in `validation/predictions.csv`. "
        "They were made once, with what is in the repository.\n"
    )
    if others:
        named = ", ".join(f"{name} ({number})" for name, number in others.items())
        yield f"\nLeft out are figures of drives that are not among these: {named}.\n"


def deviations(known: Mapping[Kind, Deviation]) -> Iterator[str]:
    """How figures were off, by kind, which is where intervals are from."""
    yield (
        "\n## How far off, by kind\n\nThe value of a prediction is the simulated figure times **middle**, the median of measured over simulated of that kind; its interval reaches by the factor **reach** to both sides, "
        f"which holds {HELD:.0%} of the compared figures of each drive where the middle is that of the others; where one drive was compared, of its own. "
        f"It is at least {LEAST:g}, and {ALONE:g} of one drive. Where both sides together are more than a factor of {WIDEST:g} (bold) there is no prediction. "
        f"Offered writes are parted by thirds of what the simulated drive takes, and from {NEAR:g} of that on nothing is predicted.\n\n"
        "| class | load | figure | compared | drives | middle | reach |\n|---|---|---|---|---|---|---|\n"
    )
    for (of, load, quantity), found in sorted(known.items()):
        reach = f"**{found.reach:.2f}**" if found.wide else f"{found.reach:.2f}"
        cells = (
            TITLES[of],
            load,
            quantity,
            found.number,
            found.drives,
            f"{found.middle:.2f}",
            reach,
        )
        yield f"| {' | '.join(str(each) for each in cells)} |\n"


def section(drive: Entry, found: list[Row]) -> Iterator[str]:
    """A drive that was compared."""
    yield f"\n## {drive.title}\n\n{picture(drive, 'simulated over measured; each mark is a load point')}"
    loads = [row for row in found if any(each.quantity in OF_READS for each in row[1])]
    loads.sort(key=lambda row: row[0].kind == "saturated")
    yield from table("Latencies of reads", loads, OF_READS)
    yield from table("Writes and throughput", loads, OF_WRITES)
    yield from other([row for row in found if row not in loads])
    yield from why(drive)


def picture(drive: Entry, what: str) -> str:
    """The picture of a drive."""
    return f"![{drive.title}: {what}](validation/{drive.parts.file}.svg)\n"


def table(title: str, found: list[Row], quantities: tuple[str, ...]) -> Iterator[str]:
    """Quantities side by side, by load point; those that no row has are left out."""
    known = [
        name
        for name in quantities
        if any(each.quantity == name for _, row in found for each in row)
    ]
    if "write latency p50" in known and "write latency mean" in known:
        known.remove("write latency mean")
    if not known:
        return
    names = " | ".join(
        f"{name.replace(' latency', '')} measured | simulated | ratio" for name in known
    )
    yield f"\n### {title}\n\n| load | {names} |\n|---|{'---|' * 3 * len(known)}\n"
    for point, compared in found:
        of = {each.quantity: each for each in compared}
        if not any(name in of for name in known):
            continue
        cells = " | ".join(figures(of[name]) if name in of else " |  | " for name in known)
        saturated = (
            ""
            if point.held or point.kind in ("saturated", "reads beside writes")
            else ", saturated"
        )
        yield f"| {point.label}{saturated} | {cells} |\n"


def other(found: list[Row]) -> Iterator[str]:
    """Figures of data sheets and others that are a load each."""
    if found:
        yield "\n### Other figures\n\n| load | figure | measured or printed | simulated | ratio |\n|---|---|---|---|---|\n"
    for point, compared in found:
        for each in compared:
            label = "" if point.label == each.quantity else point.label
            yield f"| {label} | {each.quantity} | {figures(each)} |\n"


def figures(compared: Comparison) -> str:
    """Three cells."""
    ratio = f"{compared.ratio:.2f}"
    ratio = f"**{ratio}**" if compared.within is False else ratio
    return f"{shown(compared.measured)} | {shown(compared.simulated)} | {ratio}"


def shown(value: float) -> str:
    """A figure with three digits, or all before its point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def why(drive: Entry) -> Iterator[str]:
    """What differs, and what a trace of the run shows of it; of a blind drive what may."""
    if reasons := REASONS.get(drive.file):
        yield f"\n### What {'may differ' if drive.blind else 'differs, and why'}: {drive.title}\n\n"
        yield from (f"* {reason}\n" for reason in reasons)


def blind(
    drive: Entry,
    some: Mapping[Asked, Answer],
    conditions: Conditions,
    known: Mapping[Kind, Deviation],
) -> Iterator[str]:
    """A drive that is predicted."""
    yield f"\n## {drive.title}\n\n{picture(drive, 'predictions with their intervals')}"
    offered: dict[str, dict[str, Prediction | str]] = {}
    single: list[tuple[str, str, Prediction]] = []
    missing: dict[str, int] = {}
    for (condition, quantity), found in rows(drive, some, conditions, known):
        answer = some.get((condition, quantity))
        if isinstance(found, str):
            reason = found.partition(": the interval")[0]
            missing[reason] = missing.get(reason, 0) + 1
        if answer and OPEN_LOOP.search(condition) and answer.load != "saturated":
            offered.setdefault(answer.point.label, {})[quantity] = found
        elif answer and isinstance(found, Prediction) and not OPEN_LOOP.search(condition):
            window = CLIFF.search(condition)
            label = f"{window[1]} to {window[2]} s" if window else answer.point.label
            single.append((label, quantity, found))
    if offered:
        names = (*OF_READS, "write latency p50", "write latency p99")
        yield f"\n| load | {' | '.join(name.replace(' latency', '') + ', µs' for name in names)} |\n|---|{'---|' * len(names)}\n"
        for label, quantities in offered.items():
            yield f"| {label} | {' | '.join(interval(quantities.get(name)) for name in names)} |\n"
        yield "\nMore than that is more than the simulated drive takes, and is answered as saturated.\n"
    if single:
        yield "\n| load | figure | prediction |\n|---|---|---|\n"
        for label, quantity, prediction in single:
            label = "" if label == quantity else label
            yield f"| {label} | {quantity} | {interval(prediction)} |\n"
    if missing:
        yield "\n| without a prediction | why |\n|---|---|\n"
        yield from (f"| {number} | {reason} |\n" for reason, number in missing.items())
    yield from why(drive)


def interval(found: Prediction | str | None) -> str:
    """A cell."""
    if not isinstance(found, Prediction):
        return ""
    return f"{shown(found.value)} ({shown(found.low)} to {shown(found.high)})"


def sources(conditions: Mapping[Entry, Conditions]) -> Iterator[str]:
    """Where the measurements are from, without the single files of a repository."""
    yield "\n## Sources of the measurements\n\n"
    for drive, measured in conditions.items():
        known = {
            each.source.split(" data/")[0] for row in measured.values() for each in row.values()
        }
        yield f"* {drive.title}: {'; '.join(sorted(known))}.\n"
