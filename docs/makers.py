"""Simulate the presets under the loads of makers' data sheets; `make makers` runs this, and takes a quarter of an hour.

What makers print is in makers.toml, what was simulated goes to makers.json, and `docs/generate.py` makes a page of both.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wordline import DataSheet
    from wordline.datasheets.loads import Load

PRINTED = Path(__file__).with_name("makers.toml")
SIMULATED = Path(__file__).with_name("makers.json")
REQUESTS = 20_000
"""Requests of each run that count."""
DEPTH = 256
"""Queue depth of random requests; makers' are not reported."""
NEW = {
    "sequential read": "filled in order",
    "sequential write": "fresh",
    "random read": "filled in order",
    "random write": "fresh",
}
"""The state of a drive that is new, by load: what is read was written once, in order."""
USED = {
    "sequential read": "sustained",
    "sequential write": "filled in order",
    "random read": "sustained",
    "random write": "sustained",
}
"""The state of one that is used."""
UNITS = {
    "sequential read": "MB/s",
    "sequential write": "MB/s",
    "random read": "IOPS",
    "random write": "IOPS",
    "endurance": "drive writes per day",
    "active power": "W",
    "idle power": "W",
}
"""What can be compared."""

Figures = Mapping[str, Mapping[str, float]]
"""Of each load: what a drive comes to when it is new, and when it is used."""


def main(names: Sequence[str]) -> None:
    """Simulate the presets of these names, or all."""
    known = json.loads(SIMULATED.read_text(encoding="utf-8")) if names else {}
    unknown = set(names) - {drive["preset"] for drive in printed()}
    if unknown:
        raise SystemExit(f"{', '.join(sorted(unknown))}: not in {PRINTED.name}")
    found = {
        name: simulate(drive) if not names or name in names else known[name]
        for drive in printed()
        if (name := drive["preset"]) in names or not names or name in known
    }
    SIMULATED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def printed() -> list[dict[str, Any]]:
    """What makers print, by drive."""
    drives: list[dict[str, Any]] = tomllib.loads(PRINTED.read_text(encoding="utf-8"))["drive"]
    return drives


def simulate(drive: Mapping[str, Any], requests: int = REQUESTS) -> Figures:
    """What a preset comes to under the loads of makers."""
    import wordline as wl
    from wordline.config import toml_value

    changed = drive.get("set", {})
    overrides = tuple((key, toml_value(key, value)) for key, value in changed.items())
    loads = loads_of(drive.get("depth", DEPTH))
    behind = [load for load in loads if "behind" in drive and is_behind(load)]
    others = [load for load in loads if load not in behind]
    sheet = wl.data_sheet(drive["preset"], overrides, loads=others, requests=requests)
    if behind:
        more = wl.data_sheet(drive["preset"], overrides, loads=behind, requests=drive["behind"])
        sheet = replace(
            sheet, loads=sheet.loads + more.loads, outcomes=sheet.outcomes + more.outcomes
        )
    return figures(sheet)


def is_behind(load: Load) -> bool:
    """Whether a load shows what writes in sequence come to once an SLC cache is full."""
    return load.name == "sequential write" and load.state == USED[load.name]


def loads_of(depth: int) -> tuple[Load, ...]:
    """The runs of a drive: each load on one that is new, and on one that is used."""
    from wordline.datasheets.loads import RANDOM, SEQUENTIAL, SEQUENTIAL_DEPTH, Load

    found = [
        Load(
            name,
            states[name],
            name.startswith("sequential"),
            SEQUENTIAL if name.startswith("sequential") else RANDOM,
            1.0 if name.endswith("read") else 0.0,
            SEQUENTIAL_DEPTH if name.startswith("sequential") else depth,
        )
        for states in (NEW, USED)
        for name in states
    ]
    return tuple(found)


def figures(sheet: DataSheet) -> Figures:
    """What a sheet says of each thing that can be compared, rounded to four digits."""
    found: dict[str, dict[str, float]] = {}
    for name in NEW:
        column = "bandwidth (MB/s)" if UNITS[name] == "MB/s" else "IOPS"
        found[name] = {
            of: value
            for of, states in (("new", NEW), ("used", USED))
            for row in sheet.rows
            if (row["load"], row["state"]) == (name, states[name])
            and isinstance(value := row[column], float)
        }
    per_day = f"drive writes per day over {sheet.years:g} years"
    written = {str(row["load"]): row[per_day] for row in sheet.endurance}
    ends = {"new": written.get("sequential write"), "used": written.get("random write")}
    found["endurance"] = {of: end for of, end in ends.items() if isinstance(end, float)}
    watts: dict[str, float] = {}
    for row in sheet.power:
        if isinstance(power := row["mean power (mW)"], float):
            watts[str(row["load"])] = power / 1e3
    for of, states in (("new", NEW), ("used", USED)):
        of_loads = [watts[each] for name in states if (each := f"{name}, {states[name]}") in watts]
        if of_loads:
            found.setdefault("active power", {})[of] = max(of_loads)
            found.setdefault("idle power", {})[of] = watts.get("PS3", watts["idle"])
    return {
        name: {of: float(f"{value:.4g}") for of, value in values.items()}
        for name, values in found.items()
    }


def page() -> Iterator[str]:
    """The page: what makers print beside what was simulated."""
    yield (
        "# Beside makers' data sheets\n\nPresets of [drives of today](../explanations/drives-of-today.md) beside what makers print of drives of the same "
        "kind. `make makers` simulates all of it again; "
        f"{REQUESTS:,} requests of each load count, of 128 KiB at depth 32 in sequence, and of 4 KiB at depth {DEPTH} (32 for `mobile-emmc`) at random. Queue "
        "depths of makers are not reported. Where a number of a preset is taken from one of these figures, as the power of an idle drive, or was calibrated to it, "
        "the table says so.\n\n**New**: reads find a drive that was written once, in order, and writes an empty one. **Used**: it was overwritten at random until nothing "
        "changed any more, or, for writes in sequence, filled in order. The deviation is that of the state in bold. Endurance is that of writes in sequence "
        "(new) and at random (used), over five years, with 100,000 cycles of SLC, 3,000 of TLC and 1,000 of QLC, which are assumed; active power is that of "
        "the load which takes most.\n\n| preset | maker's drive | | maker | new | used | deviation | why |\n|---|---|---|---|---|---|---|---|\n"
    )
    simulated = json.loads(SIMULATED.read_text(encoding="utf-8"))
    for drive in printed():
        yield from rows(drive, simulated[drive["preset"]])
    yield "\n## Sources\n\n"
    for drive in printed():
        links = ", ".join(
            f"[{source.split('/')[2].removeprefix('www.')}]({source})"
            for source in drive["sources"]
        )
        yield f"* {drive['maker']}: {links}.\n"
    changed = [drive for drive in printed() if "set" in drive]
    for drive in changed:
        keys = " ".join(f"`--set {key}={value}`" for key, value in drive["set"].items())
        yield f"\n`{drive['preset']}` was simulated with {drive['note']} ({keys}).\n"
    for drive in printed():
        if "behind" in drive:
            yield (
                f"\nOf `{drive['preset']}` writes in sequence that find it used are {drive['behind']:,}, after a fifth as many which fill its static SLC cache.\n"
            )
    yield (
        "\n`client-tlc` and `sata-mlc` are not in the table: they were calibrated to measurements of drives of their kind, as their [presets](presets.md) say. "
        "A sheet of one drive, with every depth: [`wordline spec`](../how-to/write-a-data-sheet.md).\n"
    )


def rows(drive: Mapping[str, Any], simulated: Figures) -> Iterator[str]:
    """The rows of a drive."""
    first = True
    for figure in drive["figure"]:
        load = figure["load"]
        of = figure.get("of", drive["of"])
        here = simulated[load]
        texts = {each: shown(value) for each, value in here.items()}
        texts[of] = f"**{texts[of]}**"
        cells = [texts.get(each, "") for each in ("new", "used")]
        deviation = f"{deviation_of(here[of], figure['maker']):+.0%}".replace("%", " %")
        names = f"`{drive['preset']}` | {drive['maker']}" if first else " | "
        first = False
        yield (
            f"| {names} | {load}, {UNITS[load]} | {shown(figure['maker'])} | {' | '.join(cells)} | {deviation} | {figure['why']} |\n"
        )


def deviation_of(here: float, maker: float) -> float:
    """By what share a figure is above a maker's."""
    return here / maker - 1


def shown(value: float) -> str:
    """A figure with three digits, or all before its point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


if __name__ == "__main__":
    main(sys.argv[1:])
