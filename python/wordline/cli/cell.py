"""`wordline cell`: threshold voltages and raw bit error rates."""

from pathlib import Path
from typing import Annotated

import typer

from wordline import _wordline
from wordline.cli.answer import csv_of, deliver
from wordline.cli.common import (
    OneSet,
    app,
    exit_status,
    keys_and_values,
)
from wordline.outputs import refuse_unwritable_directory


def cell_names() -> list[str]:
    """Names of the built-in cells, for shell completion."""
    return [cells["name"] for cells in _wordline.cells()]


@app.command()
def cell(
    cells: Annotated[
        str,
        typer.Argument(
            help="Built-in cells (mlc_late_life, mlc_wu2013, mlc_vth_shift) or a TOML file.",
            metavar="CELLS",
            autocompletion=cell_names,
        ),
    ] = "mlc_late_life",
    set_: OneSet = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write report.html, cell.json, rber.csv and cell.toml here."),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")] = False,
) -> None:
    """Compute how reliable cells are: threshold voltages, raw bit error rates, differences between blocks.

    Error rates are those of the raw bits, before any correction.

    Examples:
    * `wordline cell`

    * `wordline cell --set block.cycles=1000 --set cell.rber.by_page_type=true`

    * `wordline cell mlc_wu2013 --set cell.vth.step=0.265 --out cells`

    * `wordline cell my-cells.toml --json`
    """
    from wordline.cell import Cells
    from wordline.report import cell as page

    with exit_status():
        refuse_unwritable_directory(out)
        found = Cells.from_overrides(cells, keys_and_values(set_, "cell.vth.step=0.3"))
        answer = page.answer(found)

        def files() -> dict[str, str]:
            return {
                "report.html": page.render(found, Path(cells).stem),
                "rber.csv": csv_of(answer["rber"]),
                "cell.toml": found.toml,
            }

        def show() -> None:
            from wordline.terminal.models import print_cells

            print_cells(answer, out)

        deliver(answer, out=out, name="cell.json", files=files, for_program=json_, show=show)
