"""`wordline chips` and `power`: what flash operations cost in energy."""

from pathlib import Path
from typing import Annotated

import typer

from wordline import _wordline
from wordline.cli.answer import csv_of, deliver
from wordline.cli.common import app, complain, exit_status, keys_and_values


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
        width = max(map(len, known))
        for chip in known.values():
            typer.echo(f"{chip['name']:<{width}}  {chip['title']}")
        return
    with exit_status():
        if name in known:
            typer.echo(known[name]["text"].rstrip("\n"))
            return
        # the loader's own refusal, which names the nearest chip
        _wordline.Chip(name, False, [])
        raise _wordline.ConfigError(f"{name}: is a file, not a built-in chip")


@app.command()
def power(
    chip: Annotated[
        str,
        typer.Argument(
            help="A built-in chip (`wordline chips`) or a TOML file.",
            metavar="CHIP",
            autocompletion=chip_names,
        ),
    ],
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="Override one key; may be repeated.", metavar="KEY=VALUE"),
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            help="Compare several values of a key; if repeated, every combination.",
            metavar="KEY=A,B,C",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write report.html, energies.json, energies.csv and chip.toml here."),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")] = False,
) -> None:
    """Compute the energy of every read, program and erase of a chip.

    The model is FlashPower, for planar NAND of 22 to 90 nm; it does not describe 3D NAND.

    Examples:
    * `wordline power b-mlc8`

    * `wordline power b-mlc8 --set bias.vpgm='18 V' --out energy`

    * `wordline power mohan-x1 --vary geometry.page_size='2,4,8 KiB' --vary geometry.pages_per_block=64,128`

    * `wordline power my-chip.toml --json`
    """
    from wordline import power as model
    from wordline.report import power as page

    with exit_status():
        overrides = keys_and_values(set_)
        axes = [model.Axis.parse(text) for text in vary or []]
        found = model.variants(chip, overrides, axes)
        for advisory in dict.fromkeys(text for _, each in found for text in each.advisories):
            complain(f"advisory: {advisory}")

        def files() -> dict[str, str]:
            return {
                "report.html": page.render(found),
                "energies.csv": csv_of(page.energy_rows(found)),
                **({} if axes else {"chip.toml": found[0][1].toml}),
            }

        def show() -> None:
            from wordline.terminal.models import print_energies

            print_energies(found, out)

        answer = page.answer(found)
        deliver(answer, out=out, name="energies.json", files=files, for_program=json_, show=show)
