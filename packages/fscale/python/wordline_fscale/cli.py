"""`wordline fscale`: what limits very large drives, and how many central cores replace local controllers."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from wordline.cli.answer import csv_of, deliver, show_with_notes
from wordline.cli.common import app, exit_status, keys_and_values, say
from wordline.cli.ecc import numbers, whole_numbers
from wordline.errors import ConfigError
from wordline.notes import with_notes
from wordline.outputs import refuse_unwritable_directory
from wordline_fscale.answers import answers, heading, notes_on, row_of, row_of_replay
from wordline_fscale.drives import MOST_CORES, LargeDrive


class Controller(StrEnum):
    """Of which time the controller and the flash are."""

    today = "today"
    of_2015 = "2015"


SUFFIXES = {Controller.today: "-today", Controller.of_2015: ""}
"""Ends of the names of drives."""
OF_OPTIONS = {
    "capacity": "--capacity",
    "design": "no option, as both are compared",
    "workload.write_fraction": "--writes",
    "workload.queue_depth": "--queue-depth",
}
"""Keys that options set, so that a row is labelled with what was computed."""


@app.command()
def fscale(
    capacity: Annotated[
        str,
        typer.Option(
            help="Capacities, such as 7.68tb, 61tb, 128tib or 1pb.",
            metavar="A,B,C",
        ),
    ] = "7.68tb,15.36tb,30.72tb,61.44tb,122.88tb,245.76tb,1pb",
    writes: Annotated[
        str, typer.Option(help="Shares of writes, 0 to 1.", metavar="A,B,C")
    ] = "0,0.5,1",
    queue_depth: Annotated[
        str, typer.Option(help="Outstanding requests.", metavar="A,B,C")
    ] = "256",
    controller: Annotated[
        Controller,
        typer.Option(
            help="Controller and flash: of today, or of 2015 as in the source, where a TB is 2^40 bytes."
        ),
    ] = Controller.today,
    most_cores: Annotated[int, typer.Option(help="Most central cores that are tried.")] = 1024,
    operations: Annotated[
        int | None,
        typer.Option(
            help="Simulate so many requests of each drive, instead of bounds from closed forms."
        ),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            help="Also replay the reads and writes of this block trace on each drive, --operations of them at most."
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="Change a key of all drives; may be repeated.", metavar="KEY=VALUE"
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write report.html, fscale.json and fscale.csv here."),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")] = False,
) -> None:
    """Compute what limits drives of 8 TB to 1 PB, with and without controllers inside the packages.

    For each capacity and load: requests per second of the conventional drive and of FScale, what limits each, and with how many central cores
    the conventional drive is as fast as FScale. They are upper bounds from closed forms, or with --operations all three are simulated.

    Examples:
    * `wordline fscale --capacity 128tb --writes 0.5`

    * `wordline fscale --capacity 30.72tb,1pb --writes 1 --queue-depth 32,256 --set processor.cores=4`

    * `wordline fscale --capacity 128tb --writes 0.25 --operations 100000 --json`

    * `wordline fscale --controller 2015 --capacity 8tb,128tb --queue-depth 32 --out large-drives`
    """
    with exit_status():
        refuse_unwritable_directory(out)
        changes = changes_of(set_)
        sizes = [size.strip() for size in capacity.split(",")]
        for size in sizes:
            check_capacity(size, SUFFIXES[controller])
        depths = whole_numbers("--queue-depth", queue_depth)
        shares = numbers("--writes", writes)
        for share in shares:
            within("--writes", share, 0, 1)
        within("--most-cores", most_cores, 1, MOST_CORES)
        if operations is not None:
            within("--operations", operations, 100, 10**12)

        def both(size: str, load: dict[str, object]) -> dict[str, LargeDrive]:
            return {
                design: LargeDrive(f"{design}-{size}{SUFFIXES[controller]}", **{**load, **changes})
                for design in ("conventional", "fscale")
            }

        cases = [
            case_of(
                both(size, {"workload.write_fraction": share, "workload.queue_depth": depth}),
                most_cores,
                operations,
            )
            for size in sizes
            for share in shares
            for depth in depths
        ]
        replays = [
            replay_of(both(size, {"workload.queue_depth": depth}), trace, operations)
            for size in sizes
            for depth in depths
            if trace is not None
        ]
        notes = notes_on(cases, controller)
        rows = [row_of(case) for case in cases]

        def files() -> dict[str, str]:
            from wordline_fscale.report import render

            return {"report.html": render(cases, replays, notes), "fscale.csv": csv_of(rows)}

        tables = [(heading(cases), rows)]
        if replays:
            tables.append((f"Replay of {trace}", [row_of_replay(replay) for replay in replays]))

        def show() -> None:
            show_with_notes(tables, out, notes)
            for answer in answers(cases):
                say(answer)

        deliver(
            with_notes({"controller": str(controller), "cases": cases, "replays": replays}, notes),
            out=out,
            name="fscale.json",
            files=files,
            for_program=json_,
            show=show,
            notes=notes,
        )


def changes_of(texts: list[str] | None) -> dict[str, object]:
    """The keys that are changed.

    Raises:
        ConfigError: one has an option of its own.
    """
    pairs = keys_and_values(texts, "processor.cores=4 or nand.read='100 us'")
    for key, value in pairs:
        if key in OF_OPTIONS:
            raise ConfigError(f"--set {key}={value}: accepted for {key} is {OF_OPTIONS[key]}")
    return {key: value_of(value) for key, value in pairs}


def within(option: str, value: float, least: int, most: int) -> None:
    """Refuse a number that is out of its range.

    Raises:
        ConfigError: it is.
    """
    if not least <= value <= most:
        raise ConfigError(f"{option} {value}: accepted are {least} to {most}")


def check_capacity(size: str, suffix: str) -> None:
    """Refuse a capacity of which no drive can be built.

    Raises:
        ConfigError: it cannot be read, or is not accepted.
    """
    name = f"fscale-{size}{suffix}"
    try:
        LargeDrive(name)
    except ConfigError as error:
        said = str(error).removeprefix(f"drive '{name}': ")
        raise ConfigError(f"--capacity {size}: {said}") from None


def case_of(
    drives: dict[str, LargeDrive], most_cores: int, operations: int | None
) -> dict[str, Any]:
    """What is known of a capacity and a load, all of it from closed forms or all of it simulated."""
    load = drives["fscale"].keys["workload"]
    cores = drives["fscale"].cores_to_match
    case: dict[str, Any] = {
        "capacity": drives["fscale"].outlook()["capacity"],
        "writes": load["write_fraction"],
        "queue_depth": load["queue_depth"],
        "source": "bounds" if operations is None else "simulation",
        "fscale_cores": drives["fscale"].keys["processor"]["cores"],
        "most_cores": most_cores,
        "cores_to_match": cores(most_cores, operations=operations),
        "hybrid_cores_to_match": cores(most_cores, rival="hybrid", operations=operations),
    }
    for design, drive in drives.items():
        found = drive.outlook()
        iops = found["iops_bound"]
        if operations is not None:
            found["simulated"] = drive.simulate(operations)
            iops = found["simulated"]["iops"]
        found["power"] = drive.power(iops)
        case[design] = found
    return case


def replay_of(drives: dict[str, LargeDrive], trace: Path, operations: int | None) -> dict[str, Any]:
    """A trace on both designs."""
    return {
        "trace": trace.name,
        "capacity": drives["fscale"].outlook()["capacity"],
        "queue_depth": drives["fscale"].keys["workload"]["queue_depth"],
        **{design: drive.replay(trace, operations=operations) for design, drive in drives.items()},
    }


def value_of(text: str) -> object:
    """A number, a truth value or a structure where the text is one of JSON; else the text itself."""
    try:
        value: object = json.loads(text)
    except ValueError:
        return text
    return value
