"""`wordline fscale`: what limits very large drives, and how many central cores replace local controllers."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from wordline.cli.answer import csv_of, deliver, show_tables
from wordline.cli.common import app, exit_status, keys_and_values
from wordline.cli.ecc import numbers, whole_numbers


@app.command()
def fscale(
    capacity: Annotated[
        str,
        typer.Option(help="Capacities: 8tb to 512tb in steps of two, 1pb.", metavar="A,B,C"),
    ] = "8tb,16tb,32tb,64tb,128tb,256tb,512tb,1pb",
    writes: Annotated[
        str, typer.Option(help="Shares of writes, 0 to 1.", metavar="A,B,C")
    ] = "0,0.5,1",
    queue_depth: Annotated[str, typer.Option(help="Outstanding requests.", metavar="A,B,C")] = "32",
    most_cores: Annotated[int, typer.Option(help="Most central cores that are tried.")] = 1024,
    operations: Annotated[
        int | None,
        typer.Option(help="Also simulate so many requests of each drive."),
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
    the conventional drive is as fast as FScale.

    Examples:
    * `wordline fscale`

    * `wordline fscale --capacity 128tb,1pb --writes 1 --queue-depth 32,256 --set processor.cores=4`

    * `wordline fscale --capacity 128tb --writes 0.25 --operations 100000 --json`

    * `wordline fscale --capacity 8tb,128tb --out large-drives`
    """
    from wordline_fscale.drives import LargeDrive

    with exit_status():
        changes = {
            key: value_of(value)
            for key, value in keys_and_values(set_, "processor.cores=4 or nand.read='100 us'")
        }
        sizes = [size.strip() for size in capacity.split(",")]
        depths = whole_numbers("--queue-depth", queue_depth)

        def both(size: str, load: dict[str, object]) -> dict[str, LargeDrive]:
            return {
                design: LargeDrive(f"{design}-{size}", **{**load, **changes})
                for design in ("conventional", "fscale")
            }

        cases = []
        for size in sizes:
            for share in numbers("--writes", writes):
                for depth in depths:
                    drives = both(
                        size, {"workload.write_fraction": share, "workload.queue_depth": depth}
                    )
                    cores = drives["fscale"].cores_to_match
                    case: dict[str, Any] = {
                        "capacity": size,
                        "writes": share,
                        "queue_depth": depth,
                        "cores_to_match": cores(most_cores),
                        "hybrid_cores_to_match": cores(most_cores, rival="hybrid"),
                    }
                    for design, drive in drives.items():
                        case[design] = drive.outlook()
                        case[design]["power"] = drive.power(case[design]["iops"])
                        if operations is not None:
                            case[design]["simulated"] = drive.simulate(operations)
                    cases.append(case)
        replays = [
            {
                "trace": trace.name,
                "capacity": size,
                "queue_depth": depth,
                **{
                    design: drive.replay(trace, operations=operations)
                    for design, drive in both(size, {"workload.queue_depth": depth}).items()
                },
            }
            for size in sizes
            for depth in depths
            if trace is not None
        ]

        def files() -> dict[str, str]:
            from wordline_fscale.report import render

            rows = [row_of(case) for case in cases]
            return {"report.html": render(cases, replays), "fscale.csv": csv_of(rows)}

        tables = [("Requests per second", [row_of(case) for case in cases])]
        if replays:
            tables.append((f"Replay of {trace}", [row_of_replay(replay) for replay in replays]))
        deliver(
            {"cases": cases, "replays": replays},
            out=out,
            name="fscale.json",
            files=files,
            for_program=json_,
            show=lambda: show_tables(tables, out),
        )


def value_of(text: str) -> object:
    """A number, a truth value or a structure where the text is one of JSON; else the text itself."""
    try:
        value: object = json.loads(text)
    except ValueError:
        return text
    return value


def row_of(case: dict[str, Any]) -> dict[str, object]:
    """A line of the table for people."""
    from wordline_fscale.drives import unit_name

    rows: dict[str, object] = {
        "capacity": case["capacity"],
        "writes": case["writes"],
        "queue depth": case["queue_depth"],
    }
    for design in ("conventional", "fscale"):
        found = case[design]
        name = {"conventional": "conventional", "fscale": "FScale"}[design]
        rows[f"{name} hit rate"] = found["hit_rate"]
        simulated = found.get("simulated")
        rows[f"{name}"] = round((simulated or found)["iops"])
        rows[f"{name} limit"] = unit_name(found["limited_by"])
    match = case["cores_to_match"]
    rows["cores to match"] = match["cores"] or f"none: {unit_name(match['limited_by'])}"
    return rows


def row_of_replay(replay: dict[str, Any]) -> dict[str, object]:
    """A line of the table of replays for people."""
    rows: dict[str, object] = {
        "capacity": replay["capacity"],
        "queue depth": replay["queue_depth"],
    }
    for design, name in (("conventional", "conventional"), ("fscale", "FScale")):
        found = replay[design]
        rows[name] = round(found["iops"])
        rows[f"{name} mean (us)"] = round(found["mean_us"], 1)
        rows[f"{name} 99.9 % (us)"] = round(found["p999_us"])
    return rows
