"""What `wordline fscale` says to people: rows of its tables, the answer in words, and what to know of the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from wordline.notes import Note, about_configuration
from wordline_fscale.drives import unit_name

Case = Mapping[str, Any]
NAMES = {"conventional": "conventional", "fscale": "FScale"}
"""Designs that are compared, as people call them."""


def is_simulated(case: Case) -> bool:
    """Whether the numbers of a case are simulated; else they are bounds."""
    return bool(case["source"] == "simulation")


def requests_of(found: Mapping[str, Any]) -> float:
    """Requests per second of a design: of the simulation, or the bound."""
    value: float = found["simulated"]["iops"] if "simulated" in found else found["iops_bound"]
    return value


def limit_of(found: Mapping[str, Any]) -> str:
    """What limits a design, from the same computation."""
    return unit_name(found.get("simulated", found)["limited_by"])


def heading(cases: Sequence[Case]) -> str:
    """What the table of all cases shows."""
    if is_simulated(cases[0]):
        return "Requests per second, simulated"
    return "Requests per second at most: upper bounds from closed forms"


def row_of(case: Case) -> dict[str, object]:
    """A line of the table."""
    rows: dict[str, object] = {
        "capacity": case["capacity"],
        "writes": case["writes"],
        "queue depth": case["queue_depth"],
    }
    what = "per s" if is_simulated(case) else "per s at most"
    for design, name in NAMES.items():
        found = case[design]
        rows[f"{name} hit rate"] = found["hit_rate"]
        rows[f"{name} ({what})"] = round(requests_of(found))
        rows[f"{name} limit"] = limit_of(found)
    match = case["cores_to_match"]
    rows["cores to match"] = str(match["cores"] or f"none: {unit_name(match['limited_by'])}")
    return rows


def row_of_replay(replay: Case) -> dict[str, object]:
    """A line of the table of replays."""
    rows: dict[str, object] = {
        "capacity": replay["capacity"],
        "queue depth": replay["queue_depth"],
    }
    for design, name in NAMES.items():
        found = replay[design]
        rows[f"{name} (per s)"] = round(found["iops"])
        rows[f"{name} mean (us)"] = round(found["mean_us"], 1)
        rows[f"{name} 99.9 % (us)"] = round(found["p999_us"])
    return rows


def load_of(case: Case) -> str:
    """The load of a case in words."""
    share = {0: "reads only", 1: "writes only"}.get(
        case["writes"], f"{100 * case['writes']:.4g} % writes"
    )
    return f"{share}, {case['queue_depth']} outstanding"


def answers(cases: Sequence[Case]) -> Iterator[str]:
    """How many central cores replace local controllers: a sentence for each load, over its capacities."""
    loads = dict.fromkeys((case["writes"], case["queue_depth"]) for case in cases)
    for load in loads:
        of_load = [case for case in cases if (case["writes"], case["queue_depth"]) == load]
        first = of_load[0]
        source = "simulated" if is_simulated(first) else "from the bounds"
        found = "; ".join(f"{answer} at {capacities}" for answer, capacities in together(of_load))
        yield (
            f"To match FScale with {first['fscale_cores']} central cores ({load_of(first)}; {source}), a conventional drive needs {found}."
        )


def together(cases: Sequence[Case]) -> Iterator[tuple[str, str]]:
    """Answers with the capacities that they are for, equal ones that follow one another together."""
    for answer, of_answer in groupby(cases, enough):
        capacities = [str(case["capacity"]) for case in of_answer]
        yield (
            answer,
            capacities[0] if len(capacities) == 1 else f"{capacities[0]} to {capacities[-1]}",
        )


def enough(case: Case) -> str:
    """The number of cores that is enough, in words."""
    match = case["cores_to_match"]
    cores = match["cores"]
    if cores is not None:
        return f"{cores} core{'s' if cores > 1 else ''}"
    return f"more than any number up to {case['most_cores']:,} (limit: {unit_name(match['limited_by'])})"


def notes_on(cases: Sequence[Case], controller: str) -> tuple[Note, ...]:
    """What to know of the numbers: where they come from, what was assumed, where the model does not hold."""
    amplification = sorted({case["fscale"]["waf"] for case in cases if case["writes"] > 0})
    notes = []
    if not is_simulated(cases[0]):
        notes.append(
            Note(
                "info",
                "bounds",
                "Throughputs are upper bounds: queues keep drives below them. --operations 100000 simulates throughputs, limits and cores to match.",
            )
        )
    if controller == "2015":
        notes.append(
            Note(
                "info",
                "controller",
                "Controller and flash are those of the source (2015), whose TB has 2^40 bytes; --controller today has those of today.",
            )
        )
    notes.append(
        Note(
            "info",
            "assumed",
            "Assumed, not measured: cycles of the firmware, local controllers, energies and areas (docs/explanations/fscale.md).",
        )
    )
    if amplification:
        notes.append(
            Note(
                "info",
                "load",
                f"Requests are of one logical page at uniform addresses unless --set says otherwise; write amplification is {' or '.join(f'{value:.2f}' for value in amplification)}.",
            )
        )
    warnings = dict.fromkeys(
        f"{case['capacity']}: {warning}"
        for case in cases
        for design in NAMES
        for warning in case[design]["warnings"]
    )
    return (*notes, *about_configuration(warnings))
