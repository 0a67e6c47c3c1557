"""The page of a lifetime study: retention and wear of a drive's blocks over months and years."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from wordline.formatting import display
from wordline.lifetimes import Lifetime, LifetimeStudy, fleet_life
from wordline.rated import CYCLES
from wordline.report.erases import erase_histogram
from wordline.report.html import Page
from wordline.report.retention import span
from wordline.report.section import Figure, Fold, Row, Section
from wordline.report.theme import WIDTH, data, specification
from wordline.retention import MONTH, YEAR

SHOWN = ("retention_p01_s", "retention_p10_s", "retention_p50_s", "retention_p90_s")
"""Percentiles that are plotted."""
UNITS = {
    "required": "required_s",
    "horizon": "horizon_s",
    "every": "every_s",
    "temperature": "temperature_degc",
    "gap": "gap_v",
    "length": "length_s",
}
"""Names with their units, for JSON."""
BY_FENCE = "Retention of data written at the time, by FENCE: mean cells of 80 nm, without error correction."
BY_ERRORS = (
    "Time for which data written then are kept without power, until a bit is wrong more often than the code corrects "
    "({corrected:.4g}), of a nominal block."
)
A_MONTH = "A month is a twelfth of a year."


def answer(found: Lifetime, asked: LifetimeStudy) -> dict[str, Any]:
    """Everything but the blocks, as JSON."""
    return {
        **given(asked),
        "identity": found.identity,
        "cells": found.cells,
        "code": found.code,
        "simulated": found.part,
        "rated_cycles": rated_cycles(found),
        "rated_cycles_life_s": rated_life(found),
        **found.summary,
        **fleet_answer(found),
        "snapshots": found.snapshots.to_dicts(),
        **samples_answer(found),
        "erase_count": distribution(found),
    }


def given(asked: LifetimeStudy) -> dict[str, Any]:
    """What was asked, with units in the names."""
    named = asdict(asked, dict_factory=with_units)
    if not isinstance(asked.temperature, int | float):
        del named["temperature_degc"]
        named["temperature_profile"] = [
            {"for_s": time, "degc": celsius} for time, celsius in asked.temperature
        ]
    return named


def with_units(values: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Values by name, with units in the names."""
    return {UNITS.get(name, name): value for name, value in values}


def samples_answer(found: Lifetime) -> dict[str, Any]:
    """The samples with response times; what was asked of them stands under `samples`."""
    return {} if found.samples is None else {"sampled": found.samples.to_dicts()}


def fleet_answer(found: Lifetime) -> dict[str, Any]:
    """Lives of the drives whose cells vary."""
    if found.fleet is None:
        return {}
    return {"fleet_life_p10_s": fleet_life(found.fleet_lives), "fleet_life_s": found.fleet_lives}


def fleet_verdict(found: Lifetime) -> str:
    """How long drives last whose cells vary, in words."""
    number, life = len(found.fleet_lives), fleet_life(found.fleet_lives)
    if life is None:
        return (
            f"Of {number:,} drives whose cells vary, more than nine in ten last for the whole time"
        )
    return f"Of {number:,} drives whose cells vary, nine in ten last at least {life / MONTH:.4g} months"


def fleet_rows(found: Lifetime) -> list[Row]:
    """Quantiles of the lives of the drives whose cells vary."""
    ranked = sorted(math.inf if life is None else life for life in found.fleet_lives)
    shares = {"shortest": 0, "p10": 10, "p50": 50, "p90": 90, "longest": 100}
    lives = {
        name: ranked[max(-(-share * len(ranked) // 100), 1) - 1] for name, share in shares.items()
    }
    return [
        {
            "drives": name,
            "life (months)": "beyond the horizon" if math.isinf(life) else display(life / MONTH),
        }
        for name, life in lives.items()
    ]


def distribution(found: Lifetime) -> dict[str, float]:
    """Erase counts of the blocks at the end."""
    counts = found.blocks["erase_count"].to_numpy()
    shares = {"min": 0, "p01": 1, "p10": 10, "p50": 50, "p90": 90, "p99": 99, "max": 100}
    return {name: float(np.percentile(counts, share)) for name, share in shares.items()}


def subject(found: Lifetime, asked: LifetimeStudy) -> str:
    """What was studied: drive, writes, temperature, cells, code, and which dies were simulated."""
    config = tomllib.loads(found.config)
    corrected = found.summary.get("corrected_rber")
    up_to = f", which corrects {corrected:.4g} errors per bit" if corrected else ""
    load = config["workload"]
    size = load.get("request_size")
    writes = f"{load['kind']} writes" + (f" of {size}" if isinstance(size, str) else "")
    return (
        f"{config['geometry']['cell_type'].upper()} drive, {writes}, {conditions(asked)}; blocks keep data as {found.cells} with {found.code}{up_to}; "
        f"simulated: {found.part}."
    )


def conditions(asked: LifetimeStudy) -> str:
    """Writes and temperature of a study, in words."""
    rate = asked.writes_per_day
    if rate is None:
        writes = "the workload's own rate of writes"
    else:
        writes = f"{rate:g} drive {'write' if rate == 1 else 'writes'} a day"
    if isinstance(asked.temperature, int | float):
        return f"{writes} and {asked.temperature:g} °C"
    degrees = [celsius for _, celsius in asked.temperature]
    return f"{writes} and {min(degrees):g} to {max(degrees):g} °C"


def verdict(found: Lifetime, asked: LifetimeStudy) -> str:
    """How long the drive lasts, in words: by the cycles that its blocks are rated for, and by how long they keep data."""
    return f"At {conditions(asked)}: {cycles_said(found, asked)}; {retention_said(found, asked)}"


def rated_cycles(found: Lifetime) -> int | None:
    """Cycles that the blocks of the drive are rated for."""
    return CYCLES.get(tomllib.loads(found.config)["geometry"]["cell_type"])


def rated_life(found: Lifetime) -> float | None:
    """Seconds until the blocks have the cycles that they are rated for, in the mean; `None` if that is later than the study ends."""
    rated = rated_cycles(found)
    times, erases = found.snapshots["time_s"], found.snapshots["erase_count_mean"]
    if rated is None or float(erases[-1]) < rated:
        return None
    return float(np.interp(rated, erases.to_numpy(), times.to_numpy()))


def cycles_said(found: Lifetime, asked: LifetimeStudy) -> str:
    """When blocks have the cycles that they are rated for, in words."""
    rated, life = rated_cycles(found), rated_life(found)
    if rated is None or life is None:
        erases = float(found.snapshots["erase_count_mean"][-1])
        of = (
            f" of the {rated:,} cycles that such flash is usually rated for" if rated else " cycles"
        )
        return f"after {span(asked.horizon)} blocks have {erases:,.0f}{of}"
    return (
        f"the {rated:,} cycles that such flash is usually rated for are reached after {span(life)}"
    )


def retention_said(found: Lifetime, asked: LifetimeStudy) -> str:
    """How long blocks keep data, in words."""
    life, error = found.summary["life_s"], found.summary["life_error_s"]
    required = span(asked.required)
    if life is None:
        shortest = span(float(found.snapshots["left_p10_s"][-1]))
        return f"at the end 90 % of the blocks keep data for {shortest} without power (required: {required})"
    if life == 0:
        return f"from the start 10 % of the blocks keep data for less than {required}"
    about = f" (± {span(error)})" if error is not None and asked.tolerance is not None else ""
    return f"for {span(life)}{about} 90 % of the blocks keep data for {required} without power, and fewer after that"


def tables(found: Lifetime, asked: LifetimeStudy) -> list[tuple[str, list[Row]]]:
    """What is shown in a terminal."""
    rows = snapshot_rows(found)
    step = max(len(rows) // 12, 1)
    chosen = [*rows[:-1:step], rows[-1]]
    summary = found.summary
    work: list[Row] = [
        {
            "write amplification": summary["write_amplification"],
            "pages programmed": summary["pages_programmed"],
            "time simulated (%)": 100 * float(summary["simulated_share"] or 0),
            "skips": f"{summary['skips_kept']}, {summary['skips_discarded']} discarded, {summary['skips_halved']} in halves",
            "error of retention (%)": None
            if asked.tolerance is None
            else 100 * float(summary["error"] or 0),
            "CPU (s)": summary["run.cpu_s"],
        }
    ]
    refresh = (
        [] if "refresh.blocks" not in summary else [(refresh_verdict(found), [refresh_row(found)])]
    )
    fleet = [] if found.fleet is None else [(fleet_verdict(found), fleet_rows(found))]
    samples = [] if found.samples is None else [(samples_verdict(found), sample_rows(found))]
    return [
        (verdict(found, asked), chosen),
        *refresh,
        *samples,
        *fleet,
        ("how that was found", work),
    ]


def samples_verdict(found: Lifetime) -> str:
    """When the drive becomes slow, in words."""
    life = found.summary["samples.life_s"]
    if life is None:
        return "Response times stay below what ends the life for the whole time"
    return f"Response times end the life after {life / MONTH:.4g} months"


def sample_rows(found: Lifetime) -> list[Row]:
    """Samples as a table."""
    assert found.samples is not None
    return [
        {
            "months": row["time_s"] / MONTH,
            "blocks": f"{row['blocks']:,}" + (" (no weak ones)" * row["without_weak_blocks"]),
            "requests": row["requests"],
            "mean response (µs)": 1e6 * row["response_mean_s"],
            "p80 (µs)": 1e6 * row["response_p80_s"],
            "p99 (µs)": 1e6 * row["response_p99_s"],
            "p80 over the first": row["response_ratio"],
        }
        for row in found.samples.iter_rows(named=True)
    ]


def refresh_verdict(found: Lifetime) -> str:
    """What refresh did not save, in words."""
    lost = found.summary["refresh.first_lost_s"]
    fading = int(found.summary["refresh.left_to_fade"] or 0)
    short, faded = (int(found.snapshots[name][-1]) for name in ("blocks_short", "blocks_faded"))
    told = []
    if lost is not None:
        told.append(f"the first data are lost after {span(float(lost))}")
    if fading:
        told.append(f"the data of {fading:,} blocks were left to fade")
    if short:
        of = f", of {faded:,} of them nothing" if faded else ""
        told.append(
            f"of {short:,} of {found.blocks.height:,} blocks less is left at the end than is required{of}"
        )
    if not told:
        return "With refresh no data are lost, and every block keeps its data as long as required"
    return f"With refresh {'; '.join(told)}"


def refresh_row(found: Lifetime) -> Row:
    """What refresh did, and its share of the writes."""
    summary = found.summary
    disturbed = summary.get("refresh.disturbed")
    return {
        "blocks refreshed": summary["refresh.blocks"],
        "pages": summary["refresh.pages"],
        "deadlines missed": summary["refresh.missed"],
        "left to fade": summary["refresh.left_to_fade"],
        **({"read too often": disturbed} if disturbed is not None else {}),
        "blocks retired": summary["refresh.retired_blocks"],
        "most queued": summary["refresh.most_queued"],
        "programs per write: collection": summary["write_amplification.collection"],
        "wear levelling": summary["write_amplification.wear_levelling"],
        "refresh": summary["write_amplification.refresh"],
    }


def snapshot_rows(found: Lifetime) -> list[Row]:
    """Snapshots as a table."""
    return [
        {
            "months": row["time_s"] / MONTH,
            **{f"{name.split('_')[1].replace('p0', 'p')}": span(row[name]) for name in SHOWN},
            "left, p10": span(max(row["left_p10_s"], 0.0)),
            "erases": row["erase_count_mean"],
            "stddev": row["erase_count_stddev"],
            "fewest": int(row["erase_count_min"]),
            "most": int(row["erase_count_max"]),
        }
        for row in found.snapshots.iter_rows(named=True)
    ]


def render(found: Lifetime, asked: LifetimeStudy) -> str:
    """The page."""
    sections = [
        Section("Retention", [retention_figure(found, asked)]),
        Section("Wear", [wear_figure(found)]),
    ]
    if found.fleet is not None:
        sections.insert(1, Section("Drives whose cells vary", [fleet_figure(found, asked)]))
    if found.samples is not None:
        sections.insert(1, Section("Response times", [samples_figure(found)]))
    fold = Fold("Drive and workload: `config.toml`", text=found.config)
    sections.append(Section("Configuration", folds=[fold]))
    return Page(verdict(found, asked), sections).html()


def retention_figure(found: Lifetime, asked: LifetimeStudy) -> Figure:
    """Percentiles of retention over time, with the requirement."""
    points = [
        {
            "months": row["time_s"] / MONTH,
            "years": row[name] / YEAR,
            "percentile": name.split("_")[1].removeprefix("p").lstrip("0"),
        }
        for row in found.snapshots.iter_rows(named=True)
        for name in SHOWN
        if row[name] > 0
    ]
    chart = retention_lines(points, "percentile", "retention (years)", asked.required)
    corrected = found.summary.get("corrected_rber")
    law = BY_ERRORS.format(corrected=corrected) if corrected else BY_FENCE
    remark = f"{subject(found, asked)} {law} {A_MONTH} Dashed: what is required."
    return Figure(verdict(found, asked), chart, snapshot_rows(found), remark)


def retention_lines(
    points: list[dict[str, Any]], by: str, title: str, required: float, opacity: float = 1
) -> Mapping[str, Any]:
    """A line of `years` over `months` for each value of `by`, and a dashed one at what is required, in seconds."""
    lines = (
        alt.Chart(data(points))
        .mark_line(opacity=opacity)
        .encode(
            x=alt.X("months:Q", title="months"),
            y=alt.Y("years:Q", title=title, scale=alt.Scale(type="log")),
            color=alt.Color(
                f"{by}:N",
                sort=None,
                scale=alt.Scale(scheme="viridis"),
                legend=alt.Legend(title=by),
            ),
            tooltip=[
                f"{by}:N",
                alt.Tooltip("months:Q", format=",.4~g"),
                alt.Tooltip("years:Q", format=",.4~g"),
            ],
        )
    )
    rule = (
        alt.Chart(data([{"years": required / YEAR}]))
        .mark_rule(strokeDash=[4, 4])
        .encode(y="years:Q")
    )
    return specification(alt.layer(lines, rule).properties(width=WIDTH - 60, height=360))


def fleet_figure(found: Lifetime, asked: LifetimeStudy) -> Figure:
    """Share of the drives that still keep data as long as is required, over time."""
    ended = sorted(life for life in found.fleet_lives if life is not None)
    number = len(found.fleet_lives)
    steps = [(0.0, 100.0)]
    steps += [(life / MONTH, 100 * (1 - rank / number)) for rank, life in enumerate(ended, 1)]
    steps.append((asked.horizon / MONTH, steps[-1][1]))
    points = [{"months": months, "drives": share} for months, share in steps]
    line = (
        alt.Chart(data(points))
        .mark_line(interpolate="step-after")
        .encode(
            x=alt.X("months:Q", title="months"),
            y=alt.Y("drives:Q", title="drives in life (%)", scale=alt.Scale(domain=[0, 100])),
            tooltip=[
                alt.Tooltip("months:Q", format=",.4~g"),
                alt.Tooltip("drives:Q", format=",.4~g"),
            ],
        )
    )
    rule = alt.Chart(data([{"drives": 90}])).mark_rule(strokeDash=[4, 4]).encode(y="drives:Q")
    chart = alt.layer(line, rule).properties(width=WIDTH - 60, height=260)
    remark = "All drives have the same writes; traps, leak and level gap differ from block to block. Dashed: nine in ten."
    return Figure(fleet_verdict(found), specification(chart), fleet_rows(found), remark)


def samples_figure(found: Lifetime) -> Figure:
    """Response times of samples over time."""
    kinds = {"response_mean_s": "mean", "response_p80_s": "p80", "response_p99_s": "p99"}
    points = [
        {"months": row["time_s"] / MONTH, "us": 1e6 * row[name], "response": kind}
        for row in sample_table(found)
        for name, kind in kinds.items()
        if row[name] > 0
    ]
    chart = (
        alt.Chart(data(points))
        .mark_line(point=True)
        .encode(
            x=alt.X("months:Q", title="months"),
            y=alt.Y("us:Q", title="response time (µs)", scale=alt.Scale(type="log")),
            color=alt.Color("response:N", sort=None, legend=alt.Legend(title=None)),
            tooltip=[
                "response:N",
                alt.Tooltip("months:Q", format=",.4~g"),
                alt.Tooltip("us:Q", format=",.4~g"),
            ],
        )
        .properties(width=WIDTH - 60, height=260)
    )
    remark = "A copy of the drive runs the workload from its beginning with a clock. Samples without weak blocks are in the table only."
    return Figure(samples_verdict(found), specification(chart), sample_rows(found), remark)


def sample_table(found: Lifetime) -> list[dict[str, Any]]:
    """The samples of the whole drive."""
    assert found.samples is not None
    return found.samples.filter(~pl.col("without_weak_blocks")).to_dicts()


def wear_figure(found: Lifetime) -> Figure:
    """Erase counts of the blocks at the end."""
    chart, rows = erase_histogram(found.blocks["erase_count"])
    mean = float(found.snapshots["erase_count_mean"][-1])
    spread = float(found.snapshots["erase_count_stddev"][-1])
    title = f"{display(mean)} erases per block on average, standard deviation {display(spread)}"
    remark = " ".join(["At the end of the time studied.", *(note.text for note in found.notes)])
    return Figure(title, chart, rows, remark)
