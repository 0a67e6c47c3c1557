"""The page that describes a block trace: one HTML file that needs no network and no other file."""

from __future__ import annotations

from collections.abc import Iterator

from wordline.formatting import display, duration_us
from wordline.report.html import Page
from wordline.report.section import Fold, Row, Section
from wordline.traces import Tree, flat


def render(stats: Tree, name: str) -> str:
    """The statistics of the trace called `name` as a self-contained HTML page."""
    from wordline.report.trace import arrivals, footprint, popularity, reuse, runs, sizes

    sections = [
        sizes.section(stats),
        arrivals.section(stats),
        runs.section(stats),
        footprint.section(stats),
        popularity.section(stats),
        reuse.section(stats),
    ]
    return Page(
        heading=f"The trace {name}",
        boxes=[("info", note) for note in stats["notes"]],
        cards=list(cards(stats)),
        sections=[*sections, everything(stats)],
    ).html()


def cards(stats: Tree) -> Iterator[tuple[str, str, str]]:
    """Name, value and small print of each key figure."""
    gap = stats["mean_interarrival_ms"]
    yield "Requests", display(stats["requests"]), f"in {display(stats['span_s'])} s"
    yield "Reads", f"{stats['read_percent']:.1f} %", f"{display(stats['writes'])} writes"
    for kind in ("read", "write"):
        mean = stats[f"mean_{kind}_bytes"]
        if mean is not None:
            pages = stats[f"pages_{'read' if kind == 'read' else 'written'}"]
            yield f"Mean {kind}", f"{mean / 1024:.2f} KiB", f"{pages / 256:,.1f} MiB of pages"
    if gap is not None:
        spread = stats["interarrival"]["cv"]
        small = "" if spread is None else f"coefficient of variation {spread:.2f}"
        yield "Mean gap", duration_us(gap * 1e3), small
    yield "Sequential", f"{stats['sequential_percent']:.1f} %", "follow the request before"


def everything(stats: Tree) -> Section:
    """Every figure, under the name that `--json` gives it."""
    rows: list[Row] = [
        {"key": key, "value": value}
        for key, value in flat(stats).items()
        if not isinstance(value, list) and "histogram." not in key and key != "notes"
    ]
    return Section("Everything else", folds=[Fold(f"All {len(rows)} figures", rows=rows)])
