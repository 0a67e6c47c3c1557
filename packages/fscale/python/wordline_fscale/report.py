"""The page of very large drives: what limits them, and what local controllers change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import altair as alt

from wordline.notes import Note
from wordline.report.html import Page
from wordline.report.section import Figure, Row, Section
from wordline.report.theme import WIDTH, data, specification
from wordline_fscale.answers import Case, answers, is_simulated, limit_of, load_of, requests_of
from wordline_fscale.drives import unit_name

NAMES = {"conventional": "conventional", "fscale": "FScale", "hybrid": "hybrid"}
"""Designs as people call them."""
GB = 2**30


def designs(case: Case) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The designs of a case, and what is known of each."""
    yield from ((name, case[key]) for key, name in NAMES.items() if key in case)


def render(cases: Sequence[Case], replays: Sequence[Case] = (), notes: Sequence[Note] = ()) -> str:
    """The page of cases, and of traces that were replayed on their drives, with what to know of the numbers."""
    sections = [Section("Requests per second", [throughput(cases, notes)])]
    if any("simulated" in found for case in cases for _, found in designs(case)):
        sections.append(Section("Latency", [latency(cases)]))
    if replays:
        sections.append(Section("Replay of a trace", [replayed(replays)]))
    sections += [
        Section("What limits the drives", [limits(cases)]),
        Section("Central cores against local controllers", [cores(cases)]),
        Section("Work of the central processor", [cycles(cases)]),
        Section("Tables", [tables(cases)]),
        Section("Power", [power(cases)]),
        Section("Recovery and endurance", [recovery(cases)]),
    ]
    return Page("Very large drives", sections).html()


def over_capacity(
    rows: Sequence[Row], y: str, colour: str, order: Sequence[str], facet: str | None = None
) -> Mapping[str, Any]:
    """Lines over capacity, a chart for each value of `facet`."""
    chart = (
        alt.Chart(data(rows))
        .mark_line(point=True)
        .encode(
            x=alt.X("capacity:N", sort=list(order), title="capacity"),
            y=alt.Y(f"{y}:Q", title=y),
            color=alt.Color(f"{colour}:N", sort=None),
        )
        .properties(width=WIDTH / 3 if facet else WIDTH / 2, height=200)
    )
    if facet is None:
        return specification(chart)
    values = list(dict.fromkeys(str(row[facet]) for row in rows))
    return specification(
        chart.facet(facet=alt.Facet(f"{facet}:N", sort=values, title=None), columns=2)
    )


def capacities(cases: Sequence[Case]) -> list[str]:
    """The capacities in their order."""
    return list(dict.fromkeys(str(case["capacity"]) for case in cases))


def unit_of(cases: Sequence[Case]) -> str:
    """What throughputs are: simulated, or bounds."""
    return "requests per second" + ("" if is_simulated(cases[0]) else " at most")


def throughput(cases: Sequence[Case], notes: Sequence[Note]) -> Figure:
    """Both designs over capacity."""
    rows: list[Row] = [
        {
            "capacity": case["capacity"],
            "load": load_of(case),
            "design": name,
            unit_of(cases): requests_of(found),
            "hit rate": found["hit_rate"],
            "limited by": limit_of(found),
        }
        for case in cases
        for name, found in designs(case)
    ]
    wins = [
        case for case in cases if requests_of(case["fscale"]) > requests_of(case["conventional"])
    ]
    return Figure(
        f"FScale is faster in {len(wins)} of {len(cases)} cases",
        over_capacity(rows, unit_of(cases), "design", capacities(cases), "load"),
        rows,
        remark=" ".join([*answers(cases), *(note.text for note in notes)]),
    )


def latency(cases: Sequence[Case]) -> Figure:
    """Latencies of the simulations, by class."""
    rows: list[Row] = [
        {
            "capacity": case["capacity"],
            "load": load_of(case),
            "class": f"{name}, {'writes' if row['writes'] else 'reads'}"
            + (" of the hot package" if row["hot_package"] else ""),
            "mean (µs)": row["mean_us"],
            "median (µs)": row["p50_us"],
            "99th percentile (µs)": row["p99_us"],
            "99.9th percentile (µs)": row["p999_us"],
        }
        for case in cases
        for name, found in designs(case)
        if "simulated" in found
        for row in found["simulated"]["latencies"]
    ]
    return Figure(
        "How long requests take",
        over_capacity(rows, "99th percentile (µs)", "class", capacities(cases), "load"),
        rows,
    )


def replayed(replays: Sequence[Case]) -> Figure:
    """A trace on every drive."""
    rows: list[Row] = [
        {
            "capacity": replay["capacity"],
            "load": f"{replay['queue_depth']} outstanding",
            "class": f"{name}, {'writes' if row['writes'] else 'reads'}",
            "requests per second": found["iops"],
            "mean (µs)": row["mean_us"],
            "99th percentile (µs)": row["p99_us"],
            "99.9th percentile (µs)": row["p999_us"],
        }
        for replay in replays
        for name, found in designs(replay)
        for row in found["latencies"]
    ]
    return Figure(
        f"{replays[0]['trace']} on every drive",
        over_capacity(rows, "mean (µs)", "class", capacities(replays), "load"),
        rows,
        remark="Each page of a request is an operation; as many requests are outstanding as the queue depth says, whatever their recorded times.",
    )


def limits(cases: Sequence[Case]) -> Figure:
    """What every unit allows."""
    rows: list[Row] = [
        {
            "case": name_of(case, name),
            "unit": unit_name(limit["unit"]),
            "requests per second at most": limit["iops_bound"],
        }
        for case in cases
        for name, found in designs(case)
        for limit in found["limits"]
    ]
    chart = (
        alt.Chart(data(rows))
        .mark_tick(thickness=3)
        .encode(
            x=alt.X(
                "requests per second at most:Q",
                scale=alt.Scale(type="log"),
                axis=alt.Axis(format="~s", tickCount=8),
            ),
            y=alt.Y("case:N", sort=None, title=None, axis=alt.Axis(labelLimit=300)),
            color=alt.Color("unit:N", sort=None),
        )
        .properties(width=WIDTH / 2)
    )
    return Figure(
        "The unit furthest to the left is the limit",
        specification(chart),
        rows,
        remark="Requests per second at which a unit is busy all the time, and at which the queue depth is used up in an idle drive.",
    )


def cores(cases: Sequence[Case]) -> Figure:
    """How many central cores are as good as local controllers."""
    key = "iops" if is_simulated(cases[0]) else "iops_bound"
    rows: list[Row] = [
        {
            "capacity": case["capacity"],
            "load": load_of(case),
            "rival": name,
            "central cores": even["cores"],
            f"FScale ({unit_of(cases)})": even[f"fscale_{key}"],
            f"rival ({unit_of(cases)})": even[f"rival_{key}"],
            "rival limited by": unit_name(even["limited_by"]),
        }
        for case in cases
        for name, even in (
            ("conventional", case["cores_to_match"]),
            ("hybrid", case["hybrid_cores_to_match"]),
        )
    ]
    found = [row for row in rows if row["central cores"] is not None]
    none = len(rows) - len(found)
    return Figure(
        f"Central cores with which a rival is as fast as FScale; in {none} of {len(rows)} cases no number of cores is enough",
        over_capacity(found, "central cores", "rival", capacities(cases), "load"),
        rows,
        remark="The hybrid does the FTL's work in the centre too, and moves pages inside packages, which have a bus and a codec.",
    )


def bars(rows: Sequence[Row], x: str, colour: str) -> Mapping[str, Any]:
    """A bar for each case, divided by `colour`."""
    chart = (
        alt.Chart(data(rows))
        .mark_bar()
        .encode(
            x=alt.X(f"{x}:Q"),
            y=alt.Y("case:N", sort=None, title=None, axis=alt.Axis(labelLimit=300)),
            color=alt.Color(f"{colour}:N", sort=None),
        )
        .properties(width=WIDTH / 2)
    )
    return specification(chart)


def name_of(case: Case, design: str) -> str:
    """A drive of a case in words."""
    return f"{case['capacity']}, {load_of(case)}, {design}"


def cycles(cases: Sequence[Case]) -> Figure:
    """Whom the processor works for."""
    rows: list[Row] = [
        {
            "case": name_of(case, name),
            "work": work,
            "cycles for each request": found["cycles"][work],
        }
        for case in cases
        for name, found in designs(case)
        for work in ("host", "collection", "table")
    ]
    return Figure(
        "What a request costs the central processor",
        bars(rows, "cycles for each request", "work"),
        rows,
    )


def tables(cases: Sequence[Case]) -> Figure:
    """Sizes of tables."""
    sizes = {str(case["capacity"]): case["fscale"]["tables"] for case in cases}
    rows: list[Row] = [
        {"capacity": capacity, "table": name, "GB": table[key] / GB}
        for capacity, table in sizes.items()
        for key, name in (
            ("conventional", "conventional table"),
            ("directory", "directory of FScale"),
            ("second_level", "trees of FScale, on flash"),
        )
    ]
    return Figure(
        "How large tables are",
        over_capacity(rows, "GB", "table", list(sizes)),
        rows,
    )


def power(cases: Sequence[Case]) -> Figure:
    """Watts by part."""
    parts = {
        "dies": "dies",
        "dram": "memory",
        "processor": "central processor",
        "local": "local controllers",
        "mini_ecc": "codecs of packages",
        "channels": "channels",
        "tiers": "tiers of the table",
    }
    rows: list[Row] = [
        {
            "case": name_of(case, name),
            "part": part,
            "watts": found["power"][key],
        }
        for case in cases
        for name, found in designs(case)
        for key, part in parts.items()
    ]
    return Figure(
        "What the drives take at their throughput",
        bars(rows, "watts", "part"),
        rows,
        remark="All energies are assumed.",
    )


def recovery(cases: Sequence[Case]) -> Figure:
    """Times of recovery and bytes that can be written."""
    first = {str(case["capacity"]): case for case in reversed(cases)}
    rows: list[Row] = [
        {
            "capacity": capacity,
            "what": what,
            "minutes": first[capacity]["conventional"]["recovery"][key] / 60,
        }
        for capacity in capacities(cases)
        for key, what in (
            ("scan_seconds", "scan of all spare areas"),
            ("table_seconds", "table from flash"),
            ("rebuild_seconds", "rebuild of a package"),
        )
    ]
    return Figure(
        "How long recovery takes with nothing else to do",
        over_capacity(rows, "minutes", "what", capacities(cases)),
        rows,
    )
