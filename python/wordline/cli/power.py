"""`wordline chips` and `power`: what flash operations cost in energy, and what drives take."""

from pathlib import Path
from typing import Annotated

import typer

from wordline import _wordline
from wordline.cli import points as options
from wordline.cli.answer import csv_of, deliver
from wordline.cli.common import (
    OneSet,
    app,
    complain,
    exit_status,
    keys_and_values,
    numbers,
    preset_names,
)
from wordline.config import Overrides
from wordline.outputs import refuse_unwritable_directory


def chip_names() -> list[str]:
    """Names of the built-in chips, for shell completion."""
    return [chip["name"] for chip in _wordline.chips()]


@app.command()
def chips(
    name: Annotated[
        str | None, typer.Argument(help="Print this chip's TOML.", autocompletion=chip_names)
    ] = None,
) -> None:
    """List the chips that come with Wordline, or print one.

    Examples:
    * `wordline chips`

    * `wordline chips b-mlc8 > my-chip.toml`
    """
    known = {chip["name"]: chip for chip in _wordline.chips()}
    if name is None:
        from wordline.terminal.lists import print_list  # slow

        rows = [(chip["name"], chip["title"]) for chip in known.values()]
        print_list(("chip", "what it is"), rows)
        return
    with exit_status():
        if name in known:
            typer.echo(known[name]["text"].rstrip("\n"))
            return
        # the loader's own refusal, which names the nearest chip
        _wordline.Chip(name, False, [])
        raise _wordline.ConfigError(f"{name}: is a file, not a built-in chip")


def described_names() -> list[str]:
    """Names of chips and of presets, for shell completion."""
    return [*chip_names(), *preset_names()]


@app.command()
def power(
    source: Annotated[
        str,
        typer.Argument(
            help="A chip (`wordline chips`), a preset (`wordline presets`), or a TOML file of either.",
            metavar="CHIP|DRIVE",
            autocompletion=described_names,
        ),
    ],
    set_: OneSet = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            help="Compare several values of a key of a chip; if repeated, every combination.",
            metavar="KEY=A,B,C",
        ),
    ] = None,
    depths: Annotated[
        str | None,
        typer.Option(
            help="Queue depths of random reads of a drive, rising; writes have the deepest.",
            metavar="A,B,C",
            show_default="1,32",
        ),
    ] = None,
    requests: Annotated[
        int | None,
        typer.Option(
            help="Requests of each load of a drive that count.",
            metavar="N",
            show_default="50,000, and more for sustained writes to a large drive",
        ),
    ] = None,
    operations: Annotated[
        bool,
        typer.Option(
            "--operations", help="Only the energies of operations of a drive; simulate no load."
        ),
    ] = False,
    jobs: options.Jobs = None,
    cache: options.Cache = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write report.html, energies.json, energies.csv and chip.toml here; of a drive also loads.csv, and config.toml.",
            metavar="DIR",
        ),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")] = False,
) -> None:
    """Compute what reads, programs and erases cost in energy, and what a drive takes at work.

    Of a chip: the energy by state and component, and of pages of half ones, by FlashPower. The model is for planar NAND of 22 to 90 nm; it does
    not describe 3D NAND.

    Of a drive: the energy of each operation by page type, as its `[power]` has it (a chip, or supply voltage and currents), and
    watts when it is idle, reads, writes, and does both. Each number is told with its source; a supply voltage that the drive
    does not have is assumed. Each load is a run of its own, and finished runs are kept.

    Examples:
    * `wordline power b-mlc8`

    * `wordline power client-tlc`

    * `wordline power client-tlc --operations --set power.i_program='50 mA'`

    * `wordline power my-drive.toml --depths 1,8,64 --requests 5000 --out energy`

    * `wordline power b-mlc8 --set bias.vpgm='18 V' --out energy`

    * `wordline power mohan-x1 --vary geometry.page_size='2,4,8 KiB' --vary geometry.pages_per_block=64,128`

    * `wordline power my-chip.toml --json`
    """
    from wordline.described import is_chip
    from wordline.driveenergy import DEPTHS, drive_energy

    simulates = False
    with exit_status(lambda: options.KEPT if simulates else "nothing was written"):
        refuse_unwritable_directory(out)
        overrides = keys_and_values(set_)
        of_drive = {
            "--depths": depths,
            "--requests": requests,
            "--operations": operations,
            "--jobs": jobs,
            "--cache": cache,
        }
        if is_chip(source):
            for option, given in of_drive.items():
                if given:
                    raise _wordline.ConfigError(f"{option}: {source} is a chip, which has no loads")
            energies_of_chip(source, overrides, vary or [], out, for_program=json_)
            return
        if vary:
            raise _wordline.ConfigError(
                f"--vary {vary[0]}: {source} is a drive; accepted for chips only, and `wordline sweep {source} --vary ...` varies keys of drives"
            )
        if operations:
            for option in ("--depths", "--requests", "--jobs", "--cache"):
                if of_drive[option] is not None:
                    raise _wordline.ConfigError(f"{option}: with --operations no load is simulated")
        simulates = not operations
        found = drive_energy(
            source,
            overrides,
            depths=DEPTHS if depths is None else numbers("--depths", depths),
            requests=requests,
            is_simulated=simulates,
            engine=options.engine_of(jobs, None, cache),
        )
        from wordline.report import driveenergy as page

        def files() -> dict[str, str]:
            return {
                "report.html": page.render(found),
                "energies.csv": csv_of(page.operation_rows(found)),
                **({"loads.csv": csv_of(found.loads)} if found.loads else {}),
                "config.toml": found.toml,
            }

        def show() -> None:
            from wordline.terminal.energies import print_drive_energy

            print_drive_energy(found, out)

        deliver(
            found.answer() | {"sentence": page.sentence(found)},
            out=out,
            name="energies.json",
            files=files,
            for_program=json_,
            show=show,
            notes=found.notes,
        )


def energies_of_chip(
    source: str, overrides: Overrides, vary: list[str], out: Path | None, *, for_program: bool
) -> None:
    """Compute and deliver the energies of a chip or of its variants."""
    from wordline import chipvariants
    from wordline.report import power as page

    axes = [chipvariants.Axis.parse(text) for text in vary]
    found = chipvariants.variants(source, overrides, axes)
    for advisory in dict.fromkeys(text for _, each in found for text in each.advisories):
        complain(f"advisory: {advisory}")

    def files() -> dict[str, str]:
        return {
            "report.html": page.render(found),
            "energies.csv": csv_of(page.energy_rows(found)),
            **({} if axes else {"chip.toml": found[0][1].toml}),
        }

    def show() -> None:
        from wordline.terminal.energies import print_energies

        print_energies(found, out)

    answer = page.answer(found)
    deliver(answer, out=out, name="energies.json", files=files, for_program=for_program, show=show)
