"""`wordline import`: configurations and workloads of other simulators."""

from pathlib import Path
from typing import Annotated

import typer

from wordline.cli.common import app, exit_status, say
from wordline.formatting import counted
from wordline.outputs import refuse_unwritable
from wordline.saving import write_text


@app.command("import")
def import_(
    file: Annotated[
        Path,
        typer.Argument(
            help="The file of the other simulator: MQSim's ssdconfig.xml or workload.xml, SSDsim's page.parameters, a .cfg "
            "of SimpleSSD, FlashSim's ssd.conf, a script or device line of FEMU, a .parv of DiskSim's SSD extension.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(help="Write the drive or workload file here.", metavar="FILE.toml"),
    ] = None,
) -> None:
    """Make a drive or a workload file of a configuration of another simulator.

    Which simulator it is of, its content says. Each line of the result says whether its value was taken over or assumed;
    values without an equal stand in comments at the end. A drive is checked before it is written.

    Examples:
    * `wordline import ssdconfig.xml --output my-drive.toml`, then `wordline run my-drive.toml`

    * `wordline import workload.xml --output my-load.toml`, then
      `wordline run my-drive.toml --workload my-load.toml`

    * `wordline import run-blackbox.sh`
    """
    from wordline.importing import import_file

    with exit_status():
        refuse_unwritable(output)
        done = import_file(file)
        if output is None:
            typer.echo(done.text.rstrip("\n"))
            return
        write_text(output, done.text)
        kind = "workload" if done.simulator.is_workload else "drive"
        say(
            f"{output}: a {kind} of {done.simulator.name}: {counted(len(done.lines), 'key')}, {done.assumed} of them assumed"
        )
