"""What flash operations cost, and what drives take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from wordline.driveenergy import DriveEnergy
from wordline.formatting import display, percentage, unit_of
from wordline.power import Chip
from wordline.report import driveenergy as of_drive
from wordline.report.power import joules_of, page_rows, sentence
from wordline.terminal.console import Terminal, print_notes, print_whole
from wordline.terminal.models import table_of, with_depth


def print_energies(found: Sequence[tuple[Mapping[str, str], Chip]], out: Path | None) -> None:
    """Print the energies of a chip by state and component, or of its variants by state."""
    console = Terminal(highlight=False)
    if any(varied for varied, _ in found):
        print_whole(console, variants_table(found))
    else:
        for _, chip in found:
            table, unit = energy_table(chip)
            console.print(
                Text(f"{chip.name}, {chip.capacity_bits / 2**30:,.2f} Gibit; energies in {unit}")
            )
            print_whole(console, table)
            console.print(
                Text("\npages of half ones, which data are that are compressed or encrypted")
            )
            print_whole(console, table_of(page_rows(chip)))
            console.tell(Text(sentence(chip)))
    if out:
        console.print(Text(f"report: {out / 'report.html'}"), soft_wrap=True)


NOTABLE = 0.01
"""Components that make up less than this share of every energy are summed."""


def energy_table(chip: Chip) -> tuple[Table, str]:
    """Energies by power state, with the components that matter, and their unit."""
    rows = chip.energies()
    notable = [
        part
        for part in rows[0].energy.parts
        if any(row.energy.parts[part] > NOTABLE * row.energy.total for row in rows)
    ]
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("operation")
    table.add_column("state")
    names = [part.replace("_", " ") for part in notable]
    unit, scale = unit_of((row.energy.total for row in rows), "J")
    of_power, per_watt = unit_of((row.watts for row in rows), "W")
    for name in ("energy", f"power ({of_power})", *names, "rest", "share of tunnelling"):
        table.add_column(name, justify="right")
    for row in rows:
        parts = [row.energy.parts[part] for part in notable]
        cells = [
            row.energy.total * scale,
            row.watts * per_watt,
            *(part * scale for part in parts),
            max(row.energy.total - sum(parts), 0.0) * scale,
        ]
        share = percentage(row.energy.tunnelling_share)
        table.add_row(row.operation, row.state, *map(display, cells), share)
    return table, unit


def variants_table(found: Sequence[tuple[Mapping[str, str], Chip]]) -> Table:
    """Energies of variants in one unit: a row for each, a column for each power state."""
    every = [joules_of(chip) for _, chip in found]
    unit, scale = unit_of((joules for each in every for joules in each.values()), "J")
    energies = [{state: joules * scale for state, joules in each.items()} for each in every]
    states = list(dict.fromkeys(state for row in energies for state in row))
    table = Table(box=None, pad_edge=False, header_style="bold", title=f"energies ({unit})")
    for key in found[0][0]:
        table.add_column(key)
    for state in states:
        table.add_column(state, justify="right")
    for (varied, _), row in zip(found, energies, strict=True):
        table.add_row(*map(escape, varied.values()), *(display(row.get(state)) for state in states))
    return table


def print_drive_energy(found: DriveEnergy, out: Path | None) -> None:
    """Print energies of operations, power by load, and where the numbers come from."""
    console = Terminal(highlight=False)
    tables: list[tuple[str, Sequence[Mapping[str, object]]]] = [
        (f"Energy of flash operations: {found.origin}", of_drive.operations(found)),
        ("Power by load", [with_depth(row) for row in of_drive.loads(found)]),
        ("Where the numbers come from", of_drive.sources(found)),
    ]
    for place, (heading, rows) in enumerate(tables):
        if not rows:
            continue
        if place:
            console.print()
        console.tell(Text(heading))
        print_whole(console, table_of(rows))
        if not place:
            console.tell(Text(of_drive.sentence(found)))
    if out:
        console.print(Text(f"report: {out / 'report.html'}"), soft_wrap=True)
    print_notes(console, found.notes)
