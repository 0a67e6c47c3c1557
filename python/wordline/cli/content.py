"""`wordline content`: what overwrites change, and what a drive saves that keeps differences in place of pages."""

from pathlib import Path
from typing import Annotated

import typer

from wordline.cli.answer import csv_of, deliver, show_tables
from wordline.cli.common import app, exit_status
from wordline.cli.ecc import numbers
from wordline.errors import ConfigError


@app.command()
def content(
    old: Annotated[
        Path | None, typer.Argument(help="The older version of a file.", show_default=False)
    ] = None,
    new: Annotated[
        Path | None, typer.Argument(help="The newer version of it.", show_default=False)
    ] = None,
    ratio: Annotated[
        str | None,
        typer.Option(
            help="Without files: mean ratios of deltas to their pages, drawn as in the source.",
            metavar="A,B,C",
        ),
    ] = None,
    sigma: Annotated[
        float | None,
        typer.Option(help="Deviation of these ratios; a quarter of the mean without it."),
    ] = None,
    codec: Annotated[
        list[str] | None,
        typer.Option(
            help="What deltas are compressed with; all codecs without it. May be repeated."
        ),
    ] = None,
    page_size: Annotated[int, typer.Option(help="Bytes of a page.")] = 4096,
    max_ratio: Annotated[
        float, typer.Option(help="Deltas above this ratio are kept as whole pages.")
    ] = 0.8,
    cpu_mhz: Annotated[float, typer.Option(help="Clock of the controller.")] = 619.0,
    times: Annotated[
        str,
        typer.Option(
            help="Microseconds to read a page, to transfer it, to program it.",
            metavar="READ,TRANSFER,PROGRAM",
        ),
    ] = "25,40,200",
    out: Annotated[
        Path | None, typer.Option(help="Write report.html, content.json and deltas.csv here.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")] = False,
) -> None:
    """Compare two versions of a file, and compute what a drive saves that keeps the differences.

    These are the differences of pages, compressed, as Delta-FTL keeps them. Every delta is put into a page of deltas, read back and compared with the newer version.

    Examples:
    * `wordline content before.db after.db`

    * `wordline content before.db after.db --codec lzf --codec zstd --page-size 16384 --out content`

    * `wordline content --ratio 0.5,0.35,0.2`
    """
    from wordline import content as model
    from wordline.report import content as page

    with exit_status():
        if (old is None) != (new is None) or (old is None) == (ratio is None):
            raise ConfigError(
                "wordline content: accepted are two versions of a file, or --ratio without files"
            )
        if codec and old is None:
            raise ConfigError("--codec: accepted with two versions of a file, not with --ratio")
        if sigma is not None and ratio is None:
            raise ConfigError("--sigma: accepted with --ratio")
        stages = numbers("--times", times)
        if len(stages) != 3:
            raise ConfigError(f"--times = {times}: accepted are three numbers, as in 25,40,200")
        flash = dict(zip(("read_us", "transfer_us", "program_us"), stages, strict=True))
        known = model.codecs()

        def case(name: str, differences: model.Differences, cycles: int) -> page.Case:
            of_page = cycles * page_size / model.PAGE_SIZE
            encoding = model.Encoding(**flash, cpu_mhz=cpu_mhz, compress_cycles=of_page)
            return page.Case(name, differences, encoding)

        found = []
        if old is not None and new is not None:
            for name in dict.fromkeys(codec or known):
                differences = model.compare_versions(old, new, page_size=page_size, codec=name)
                found.append(case(name, differences, known[name].compress_cycles))
        for mean in numbers("--ratio", ratio) if ratio is not None else []:
            differences = model.emulated(mean, sigma=sigma, page_size=page_size)
            found.append(case(f"ratio {mean:g}", differences, model.COMPRESS_CYCLES))
        asked = page.Asked(found, max_ratio)
        answer = page.answer(asked)

        def files() -> dict[str, str]:
            return {"report.html": page.render(asked), "deltas.csv": csv_of(page.delta_rows(asked))}

        deliver(
            answer,
            out=out,
            name="content.json",
            files=files,
            for_program=json_,
            show=lambda: show_tables(page.tables(asked), out),
        )
