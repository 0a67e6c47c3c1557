"""Options of commands that run many points."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from wordline.cli.common import Policies as Policies
from wordline.cli.common import preset_names
from wordline.outputs import refuse_unwritable_directory
from wordline.points.engine import Engine
from wordline.points.store import Store, default_directory

KEPT = "finished runs are kept, so the same command goes on from here"
"""What Ctrl-C leaves behind."""

Source: TypeAlias = Annotated[
    str,
    typer.Argument(
        help="A preset (`wordline presets`), a drive file, or a file that describes what is varied too.",
        metavar="DRIVE|FILE.toml",
        autocompletion=preset_names,
    ),
]
WorkloadFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(help="TOML file with a `[workload]` table, or a fio job file.", metavar="FILE"),
]
Sets: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--set", help="Override one key in all runs; may be repeated.", metavar="KEY=VALUE"
    ),
]
Varied: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--vary",
        help="Vary a key: `KEY=a,b,c`, `KEY=LOW..HIGH:COUNT` or `KEY=LOW..HIGH:COUNT:log`; may be repeated.",
        metavar="KEY=VALUES",
    ),
]
Together: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--together",
        help="Keys that change together: the first values of all, the second, and so on.",
        metavar="KEY=a,b,c",
    ),
]
Seeds: TypeAlias = Annotated[
    int | None, typer.Option(help="Runs of each point, with consecutive seeds.", min=1, metavar="N")
]
Jobs: TypeAlias = Annotated[
    int | None,
    typer.Option(min=1, help="Runs at the same time on this machine.", show_default="every core"),
]
Cache: TypeAlias = Annotated[
    Path | None, typer.Option(help="Keep finished runs here.", show_default="the cache of the user")
]
Out: TypeAlias = Annotated[
    Path | None, typer.Option(help="Write table, summary and report here.", metavar="DIR")
]


def engine_of(jobs: int | None, cluster: str | None, cache: Path | None) -> Engine:
    """What runs the points.

    Raises:
        OutputError: finished runs cannot be kept there.
    """
    refuse_unwritable_directory(cache)
    return Engine(Store(cache or default_directory()), jobs, cluster=cluster)
