"""The page around the sections: head, notes, key figures, configuration."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordline import _wordline
from wordline.formatting import display, duration_us, percent
from wordline.report.section import Section, section_html, table_html

if TYPE_CHECKING:
    from wordline.notes import Note
    from wordline.results import Result, Scalar

DRAW = """
for (const script of document.querySelectorAll('script[type="application/json"]')) {
  vegaEmbed(script.previousElementSibling, JSON.parse(script.textContent),
    {renderer: "svg", actions: {export: true, source: false, compiled: false, editor: false}});
}
"""
"""Draws every chart in the element before its specification."""


def page(result: Result, sections: Sequence[Section]) -> str:
    """A report as one HTML page."""
    config = tomllib.loads(result.config)
    heading = f"{describe_drive(config)} under {describe_workload(config)}"
    body = "".join(
        (
            notes_html(result.notes, result.warnings),
            cards_html(cards_of(result.summary)),
            *map(section_html, sections),
            configuration_html(result),
        )
    )
    return document(heading, body)


def document(heading: str, body: str) -> str:
    """A page of its own: style and script are part of it."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(heading)}</title><style>{asset('facts.css')}{asset('style.css')}</style></head>"
        f"<body><main class=wordline>{head(heading)}{body}</main>"
        f"<script>{drawing()}</script></body></html>\n"
    )


def head(heading: str) -> str:
    """What stands above everything."""
    return (
        f"<header><p class=brand>Wordline {escape(_wordline.__version__)}</p>"
        f"<h1>{escape(heading)}</h1><p class=hint>Point at a chart for its values; click entries of its "
        "legend to single them out, and again to let go.</p></header>"
    )


def asset(name: str) -> str:
    """A file that lies beside this module."""
    return files("wordline.report").joinpath(name).read_text("utf-8")


@cache
def drawing() -> str:
    """The script that draws, with all of Vega inside, so that the page needs no network."""
    import vl_convert

    # inside a script element, only this sequence would end it early
    return vl_convert.javascript_bundle(DRAW).replace("</script", "<\\/script")


def describe_drive(config: Mapping[str, Any]) -> str:
    """The drive in one phrase."""
    geometry = config["geometry"]
    dies = geometry["channels"] * geometry["chips_per_channel"] * geometry["dies_per_chip"]
    return f"{geometry['channels']} channels, {dies} dies, {geometry['page_size']} pages"


def describe_workload(config: Mapping[str, Any]) -> str:
    """The workload in one phrase."""
    if tenants := config.get("tenants"):
        return f"{len(tenants)} tenants"
    workload = config["workload"]
    if "path" in workload:
        return f"the trace {Path(workload['path']).name}"
    if "profile" in workload:
        return f"a surrogate of {workload['profile']}"
    if "profile_file" in workload:
        return f"the profile {Path(workload['profile_file']).name}"
    return f"{workload['kind']} requests"


def notes_html(notes: Sequence[Note], warnings: Sequence[str]) -> str:
    """What the reader should know before the numbers."""
    boxes = [("warning", text) for text in warnings]
    return boxes_html(boxes + [(note.severity, note.text) for note in notes])


def boxes_html(boxes: Sequence[tuple[str, str]]) -> str:
    """Remarks, each with its severity."""
    if not boxes:
        return ""
    items = "".join(
        f'<li class="{escape(severity)}"><b>{escape(severity.capitalize())}.</b> {prose(text)}</li>'
        for severity, text in boxes
    )
    return f"<ul class=notes>{items}</ul>"


def prose(text: str) -> str:
    """A sentence with `code` in it, as HTML."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text[:1].upper() + text[1:]))


def cards_html(cards: Iterable[tuple[str, str, str]]) -> str:
    """Key figures: name, value and small print of each."""
    shown = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd><dd class=more>{escape(more)}</dd></div>"
        for name, value, more in cards
    )
    return f"<dl class=cards>{shown}</dl>"


def cards_of(summary: Mapping[str, Scalar]) -> list[tuple[str, str, str]]:
    """Name, value and small print of each key figure."""
    cards = [
        (
            "Requests",
            show(summary, "host.requests"),
            f"in {show(summary, 'sim.time_s')} s simulated",
        ),
        (
            "Throughput",
            f"{show(summary, 'host.iops')} /s",
            f"{show(summary, 'host.bandwidth_mb_s')} MB/s",
        ),
    ]
    for kind in ("read", "write"):
        if summary[f"host.{kind}.count"]:
            mean, p99, p999 = (
                duration_us(number(summary, f"host.{kind}.latency.{key}_us"))
                for key in ("mean", "p99", "p999")
            )
            cards.append(
                (
                    f"Mean {kind}",
                    mean,
                    f"99\N{NO-BREAK SPACE}% in\N{NO-BREAK SPACE}{p99}, 99.9\N{NO-BREAK SPACE}% in {p999}",
                )
            )
    cards += [
        (
            "Write amplification",
            show(summary, "ftl.write_amplification"),
            f"{show(summary, 'ftl.blocks_erased')} blocks erased",
        ),
        (
            "Dies busy",
            percent(number(summary, "nand.die_utilization")),
            f"channels {percent(number(summary, 'nand.channel_utilization'))}",
        ),
    ]
    return cards


def show(summary: Mapping[str, Scalar], key: str) -> str:
    """A value of the summary, for people."""
    return display(summary[key])


def number(summary: Mapping[str, Scalar], key: str) -> float:
    """A number of the summary; none counts as zero."""
    value = summary[key]
    return float(value) if isinstance(value, int | float) else 0.0


def configuration_html(result: Result) -> str:
    """Every total, and the configuration that gives them again."""
    meanings = {name: (unit, meaning) for name, unit, meaning in _wordline.summary_keys()}
    rows = []
    for key, value in result.summary.items():
        if not key.startswith("run."):  # wall-clock figures would make no two reports alike
            known = re.sub(r"^tenants\.[^.]+", "tenants.<tenant>", key)
            unit, meaning = meanings.get(known, ("", ""))
            rows.append({"key": key, "value": value, "unit": unit, "meaning": meaning})
    return (
        "<section><h2>Everything else</h2>"
        f"<details><summary>All {len(rows)} totals</summary>{table_html(rows)}</details>"
        "<details><summary>Configuration: <code>wordline run config.toml</code> repeats the run"
        f"</summary><pre>{escape(result.config)}</pre></details></section>"
    )
