"""What the models of cells and codes answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from wordline.formatting import display, percentage
from wordline.terminal.console import Terminal, print_whole
from wordline.traces import Tree


def print_codes(answer: Tree, out: Path | None) -> None:
    """Print codes, the levels of soft sensing, and what error rates ask for."""
    console = Terminal(highlight=False)
    codes = Table(box=None, pad_edge=False, header_style="bold")
    p_max = f"highest RBER at {answer['target']:g}"
    for name in ("n", "k", "t", "parity", "rate", "decoding (µs)", p_max):
        codes.add_column(name, justify="right")
    for code in answer["codes"]:
        names = ("n", "k", "t", "parity", "rate", "decode_us", "p_max")
        codes.add_row(*(display(code[name]) for name in names))
    print_whole(console, codes)
    levels = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("LDPC level", "highest RBER", "attempt (µs)"):
        levels.add_column(name, justify="right")
    for level in answer["levels"]:
        levels.add_row(*map(display, level.values()))
    console.print()
    console.print(levels)
    for need in answer["needed"]:
        console.print()
        print_whole(console, needed_table(need))
        ldpc = need["ldpc"]
        how = f"read at level {ldpc['level']}" if ldpc["corrected"] else "uncorrectable"
        console.print(f"LDPC: {how}, {display(ldpc['read_us'])} µs with the attempts before")
    if out:
        console.print(Text(f"report: {out / 'report.html'}"), soft_wrap=True)


def needed_table(need: Tree) -> Table:
    """The BCH codes that an error rate asks for."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    names = ("codewords", "n", "k", "t", "parity (bytes)", "log10 of failure", "page (µs)")
    table.add_column(f"RBER {need['rber']:g}")
    for name in names:
        table.add_column(name, justify="right")
    for page in need["bch"]:
        code = page["code"]
        cells = (
            (
                code["n"],
                code["k"],
                code["t"],
                page["parity_bytes"],
                page["log10_failure"],
                page["page_us"],
            )
            if code
            else ("no code",)
        )
        table.add_row("", display(page["codewords"]), *map(display, cells))
    return table


def print_retention(
    tables: Sequence[tuple[str, Sequence[Mapping[str, object]]]], out: Path | None
) -> None:
    """Print what a cell may be put through."""
    console = Terminal(highlight=False)
    for heading, rows in tables:
        console.print(Text(heading))
        is_of_loads = all(row.get("depth") is not None and "load" in row for row in rows)
        print_whole(console, table_of([with_depth(row) for row in rows] if is_of_loads else rows))
    if out:
        console.print(Text(f"report: {out / 'report.html'}"), soft_wrap=True)


def table_of(rows: Sequence[Mapping[str, object]]) -> Table:
    """Rows with the same columns as a table; columns of words stand at the left."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in rows[0]:
        table.add_column(name, justify="left" if is_name([row[name] for row in rows]) else "right")
    for row in rows:
        table.add_row(*(escape(display(value)) for value in row.values()))
    return table


def with_depth(row: Mapping[str, object]) -> dict[str, object]:
    """A row of a load whose name has its queue depth, so that it stands before every column on a narrow terminal."""
    load = f"{row['load']}, depth {row['depth']}" if row["depth"] else row["load"]
    return {key: load if key == "load" else cell for key, cell in row.items() if key != "depth"}


def is_name(values: Sequence[object]) -> bool:
    """Whether a column has words, and no figures with their units."""
    return all(isinstance(value, str) and not value[:1].isdigit() for value in values)


def print_cells(answer: Mapping[str, Any], out: Path | None) -> None:
    """Print states, error rates by age and quantile of the blocks, and classes of blocks."""
    console = Terminal(highlight=False)
    for table in (
        states_table(answer["states"]),
        *rber_tables(answer),
        classes_table(answer["classes"]),
    ):
        if table.row_count:
            print_whole(console, table)
            console.print()
    if out:
        console.print(Text(f"report: {out / 'report.html'}"), soft_wrap=True)


def states_table(states: Mapping[str, Any]) -> Table:
    """Program step, deviation and error rates at the design age."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_row("program step (gaps between states)", display(states["step"]))
    table.add_row("program step (mV)", display(states["step_mv"]))
    table.add_row("deviation of programmed states", display(states["sigma"]))
    from wordline.cell import page_name

    for name in ("pages", "readings"):
        for key, rate in states.get(name, {}).items():
            table.add_row(f"bit error rate, {page_name(key)}", display(rate))
    return table


def rber_tables(answer: Mapping[str, Any]) -> Iterator[Table]:
    """Error rates of a block by age and quantile of the block factor: a table for each page that has its own."""
    from wordline.cell import page_name

    for page in dict.fromkeys(row["page"] for row in answer["rber"]):
        rows = [row for row in answer["rber"] if row["page"] == page]
        title = f"bit error rate, {page_name(page)}, {display(answer['cycles'])} cycles"
        table = Table(
            box=None, pad_edge=False, header_style="bold", title=title, title_justify="left"
        )
        table.add_column("after days", justify="right")
        for quantile in dict.fromkeys(row["quantile"] for row in rows):
            table.add_column(f"{percentage(quantile)} of blocks", justify="right")
        for age in dict.fromkeys(row["age_days"] for row in rows):
            rates = [display(row["rber"]) for row in rows if row["age_days"] == age]
            table.add_row(f"{age:g}", *rates)
        yield table


def classes_table(classes: Sequence[Mapping[str, Any]]) -> Table:
    """Classes of blocks and how fast each may be programmed."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("blocks up to", "largest factor", "program step", "program time (µs)", "relative"):
        table.add_column(name, justify="right")
    for each in classes:
        cells = (each[key] for key in ("factor", "step", "t_prog_us", "slowdown"))
        table.add_row(percentage(each["quantile"]), *map(display, cells))
    return table
