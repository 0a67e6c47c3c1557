"""The page of a run: its title, notes, key figures and configuration."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from wordline import _wordline
from wordline.formatting import display, duration_us, percent
from wordline.headlines import steadiness
from wordline.notes import findings
from wordline.report.html import Page
from wordline.report.section import Fold, Section
from wordline.report.subject import drive_in_words, flash_in_words, load_in_words

if TYPE_CHECKING:
    from wordline.notes import Note
    from wordline.report.html import Boxes, Cards
    from wordline.results import Result, Scalar


def page(result: Result, sections: Sequence[Section]) -> str:
    """A report as one HTML page."""
    from wordline.explaining import lead

    config = tomllib.loads(result.config)
    return Page(
        heading=f"{drive_in_words(config, result.summary)}: {load_in_words(config, result.summary)}",
        subtitle=flash_in_words(config, result.summary),
        lead=lead(result),
        boxes=boxes(result.notes, result.warnings),
        cards=cards_of(result.summary),
        sections=[*sections, everything_else(result)],
    ).html()


def boxes(notes: Sequence[Note], warnings: Sequence[str]) -> Boxes:
    """What the reader should know before the numbers."""
    own = [("warning", text) for text in warnings]
    return own + [(note.severity, note.text) for note in findings(notes)]


def cards_of(summary: Mapping[str, Scalar]) -> Cards:
    """Name, value and small print of each key figure."""
    cards = [
        (
            "Requests",
            show(summary, "host.requests"),
            f"in {duration_us(1e6 * number(summary, 'sim.time_s'))} simulated",
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
        ("Steady state", *steadiness(summary)),
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


def everything_else(result: Result) -> Section:
    """Every total, and the configuration that gives them again."""
    meanings = {name: (unit, meaning) for name, unit, meaning in _wordline.summary_keys()}
    rows = []
    for key, value in result.summary.items():
        if not key.startswith("run."):  # wall-clock figures would make no two reports alike
            known = re.sub(r"^tenants\.[^.]+", "tenants.<tenant>", key)
            known = re.sub(r"^modes\.[^.]+", "modes.<mode>", known)
            unit, meaning = meanings.get(known, ("", ""))
            rows.append({"key": key, "value": value, "unit": unit, "meaning": meaning})
    return Section(
        "Everything else",
        folds=[
            Fold(f"All {len(rows)} totals", rows=rows),
            Fold(
                "Configuration: `wordline run config.toml` repeats the run",
                text=result.config,
            ),
        ],
    )
