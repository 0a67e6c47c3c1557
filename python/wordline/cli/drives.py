"""`wordline presets`, `schema` and `check`: what a drive file says."""

from pathlib import Path
from typing import Annotated

import typer

from wordline import _wordline
from wordline.cli.common import app, complain, exit_status, preset_names, say
from wordline.cli.ending import BAD_INPUT


@app.command()
def presets(
    name: Annotated[
        str | None,
        typer.Argument(help="Print this preset's TOML.", autocompletion=preset_names),
    ] = None,
) -> None:
    """List the drives that come with Wordline, or print one.

    Examples:
    * `wordline presets`

    * `wordline presets onfi5-tlc > my-drive.toml`
    """
    known = _wordline.presets()
    if name is None:
        width = max(len(preset["name"]) for preset in known)
        for preset in known:
            typer.echo(f"{preset['name']:<{width}}  {preset['title']}")
        return
    with exit_status():
        for preset in known:
            if preset["name"] == name:
                typer.echo(preset["text"].rstrip("\n"))
                return
        # the loader's own refusal, which names the nearest preset
        _wordline.resolve(name, False, None, [])
        raise _wordline.ConfigError(f"{name}: is a file, not a preset")


@app.command()
def schema() -> None:
    """Print the JSON Schema of drive and workload files, for editors.

    Example: `wordline schema > wordline.schema.json`
    """
    typer.echo(_wordline.schema().rstrip("\n"))


@app.command()
def check(
    files: Annotated[list[Path], typer.Argument(help="TOML files.", metavar="FILE...")],
) -> None:
    """Check drive files without running them.

    Example: `wordline check my-drive.toml other.toml`
    """
    refused = False
    for file in files:
        try:
            resolved = _wordline.resolve(str(file), False, None, [])
        except _wordline.ConfigError as error:
            complain(f"error: {error}")
            refused = True
            continue
        for warning in resolved.warnings:
            complain(f"warning: {file}: {warning}")
        say(f"{file}: good")
    if refused:
        raise typer.Exit(BAD_INPUT)
