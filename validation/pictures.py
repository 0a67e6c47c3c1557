"""A picture of each drive: how far simulated figures are from measured ones, or what is predicted, at a glance."""

from __future__ import annotations

import math
from collections.abc import Mapping

from .drives import Entry
from .intervals import Deviation, Kind, Prediction
from .loads import Asked
from .loads.open_loop import OPEN_LOOP
from .loads.spans import FILE, JOBS
from .loads.steady import CLIFF
from .measured import ROOT, Conditions
from .predictions import Answer, rows

FOLDER = ROOT / "docs" / "reference" / "validation"
WIDTH, LEFT, RIGHT, STEP, TOP = 680, 280, 20, 18, 44
SHOWN = {"us": " (µs)", "1": ""}
"""How units are shown behind the names of figures, where that is not as the table has them."""
MOST = 8.0
"""The ends of the scale of ratios."""
STYLE = (
    "<style>text{font:12px sans-serif;fill:#374151}.axis{stroke:#9ca3af}.mark{fill:#2563eb;fill-opacity:.6}"
    ".line{stroke:#2563eb;stroke-width:1.5;fill:none}.two{stroke:#d97706}.band{fill:#2563eb;fill-opacity:.12}"
    "@media (prefers-color-scheme:dark){text{fill:#d1d5db}}</style>"
)


def picture(
    drive: Entry,
    answers: Mapping[Asked, Answer],
    conditions: Conditions,
    known: Mapping[Kind, Deviation],
) -> str:
    """The picture of a drive as SVG."""
    if not drive.blind:
        return ratios(drive, answers, conditions)
    found = {
        asked: prediction
        for asked, prediction in rows(drive, answers, conditions, known)
        if isinstance(prediction, Prediction)
        # offered writes beyond what the drive takes are the saturated ones once more
        and not (OPEN_LOOP.search(asked[0]) and answers[asked].load == "saturated")
    }
    return bars(drive, found, conditions)


def svg(title: str, height: int, body: list[str]) -> str:
    """A picture with its title."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img">'
        f'<title>{title}</title>{STYLE}<text x="8" y="18" font-weight="bold">{title}</text>{"".join(body)}</svg>\n'
    )


def ratios(drive: Entry, answers: Mapping[Asked, Answer], conditions: Conditions) -> str:
    """Simulated over measured, a row for each quantity and a mark for each load point."""
    by_quantity: dict[str, list[float]] = {}
    for (condition, quantity), answer in answers.items():
        value = conditions[condition][quantity].value
        if value:
            by_quantity.setdefault(quantity, []).append(answer.value / value)

    def place(ratio: float) -> float:
        inside = min(max(ratio, 1 / MOST), MOST)
        return LEFT + (WIDTH - LEFT - RIGHT) * (math.log(inside) / math.log(MOST) + 1) / 2

    height = TOP + STEP * len(by_quantity) + 12
    body = [
        f'<rect class="band" x="{place(1 / 1.3):.0f}" y="{TOP - 8}" width="{place(1.3) - place(1 / 1.3):.0f}" height="{height - TOP}"/>'
    ]
    for ratio in (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0):
        x = place(ratio)
        body.append(
            f'<line class="axis" x1="{x:.0f}" x2="{x:.0f}" y1="{TOP - 8}" y2="{height - 8}"/>'
            f'<text x="{x:.0f}" y="{TOP - 12}" text-anchor="middle">{ratio:g}</text>'
        )
    for row, (quantity, found) in enumerate(by_quantity.items()):
        y = TOP + STEP * row + 6
        body.append(f'<text x="8" y="{y + 4}">{quantity}</text>')
        body += [
            f'<circle class="mark" cx="{place(ratio):.1f}" cy="{y}" r="4"/>' for ratio in found
        ]
    return svg(f"{drive.title}: simulated over measured", height, body)


def bars(drive: Entry, found: Mapping[Asked, Prediction], conditions: Conditions) -> str:
    """Intervals, a row for each figure and its unit; of offered writes the read latencies only, at every rate."""
    named: dict[str, Prediction] = {}
    for (condition, quantity), prediction in found.items():
        unit = conditions[condition][quantity].unit
        unit = "" if unit in quantity.split() else SHOWN.get(unit, f" ({unit})")
        if rate := OPEN_LOOP.search(condition):
            if quantity in ("read latency p50", "read latency p99", "read latency p99.9"):
                named[f"{quantity}, {int(rate[1]) // 1000}k writes/s{unit}"] = prediction
        else:
            short = quantity.removeprefix("random write 4 KiB, ").replace("latency ", "")
            jobs, window = JOBS.match(condition), CLIFF.search(condition)
            short += f", {jobs[2]} jobs" if jobs else ""
            short += f", {window[1]}-{window[2]} s" if window else ""
            short += ", a file" if FILE.match(condition) else ""
            named.setdefault(f"{short}{unit}", prediction)
    height = TOP + STEP * len(named) + 12
    values = [end for each in named.values() for end in (each.low, each.high)] or [1.0, 10.0]
    low, high = math.log10(min(values)), math.log10(max(values))
    first, last = (
        math.floor(low),
        math.ceil(high) if math.ceil(high) > math.floor(low) else math.floor(low) + 1,
    )

    def place(value: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (math.log10(value) - first) / (last - first)

    body = []
    for power in range(first, last + 1):
        x = place(10.0**power)
        body.append(
            f'<line class="axis" x1="{x:.0f}" x2="{x:.0f}" y1="{TOP - 8}" y2="{height - 8}"/>'
            f'<text x="{x:.0f}" y="{TOP - 12}" text-anchor="middle">{10.0**power:,g}</text>'
        )
    for row, (name, each) in enumerate(named.items()):
        y = TOP + STEP * row + 6
        body.append(
            f'<text x="8" y="{y + 4}">{name}</text>'
            f'<line class="line" x1="{place(each.low):.1f}" x2="{place(each.high):.1f}" y1="{y}" y2="{y}"/>'
            f'<circle class="mark" cx="{place(each.value):.1f}" cy="{y}" r="4"/>'
        )
    return svg(f"{drive.title}: predicted, with intervals", height, body)
