"""`wordline ecc`: how codes fail, and which one an error rate asks for."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from wordline import _wordline
from wordline.cli.answer import csv_of, deliver
from wordline.cli.common import app, exit_status
from wordline.outputs import refuse_unwritable_directory


class Per(StrEnum):
    """What the target counts."""

    codeword = "codeword"
    page = "page"


@app.command()
def ecc(
    rber: Annotated[
        str | None,
        typer.Option(help="Raw bit error rates for which to find a code.", metavar="A,B,C"),
    ] = None,
    target: Annotated[
        float, typer.Option(help="Largest failure probability that is accepted.")
    ] = 1e-15,
    per: Annotated[Per, typer.Option(help="What the target applies to.")] = Per.codeword,
    page_size: Annotated[int, typer.Option(help="Data bytes of a page.")] = 4096,
    metadata: Annotated[int, typer.Option(help="Additional bytes that the code protects.")] = 0,
    codewords: Annotated[
        str,
        typer.Option(help="Numbers of codewords that a page may be divided into.", metavar="A,B,C"),
    ] = "1,2,4,8",
    code: Annotated[
        list[str] | None,
        typer.Option(
            help="A BCH code to examine, instead of the four published ones; without T the strongest one. "
            "May be repeated.",
            metavar="N,K[,T]",
        ),
    ] = None,
    correlation: Annotated[
        float, typer.Option(help="Correlation of the errors of two bits of a codeword.")
    ] = 0.0,
    thresholds: Annotated[
        str,
        typer.Option(
            help="Error rates up to which LDPC succeeds with 1 to 7 references: published, mutual_information, "
            "or seven rates.",
            metavar="RULE|A,B,...",
        ),
    ] = "published",
    out: Annotated[
        Path | None, typer.Option(help="Write report.html, ecc.json and failures.csv here.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")] = False,
) -> None:
    """Compute how likely codes fail, which code an error rate requires, and how long LDPC reads take.

    Examples:
    * `wordline ecc`

    * `wordline ecc --rber 1e-4,1e-3 --target 1e-15 --out codes`

    * `wordline ecc --code 4316,4100,16 --code 9216,8192 --json`

    * `wordline ecc --rber 0.006 --thresholds mutual_information`
    """
    from wordline import ecc as model
    from wordline.report import ecc as page

    with exit_status():
        refuse_unwritable_directory(out)
        codes = [model.Bch(*whole_numbers("--code", text, (2, 3))) for text in code or []]
        rule = numbers("--thresholds", thresholds) if "," in thresholds else thresholds
        rates = numbers("--rber", rber) if rber is not None else []
        cuts = whole_numbers("--codewords", codewords)
        asked = page.Question(
            codes or list(model.published_codes().values()),
            model.Ldpc(thresholds=rule),
            {
                rate: model.find_codes(
                    rate,
                    target,
                    page_size=page_size,
                    metadata=metadata,
                    codewords=cuts,
                    per=per.value,
                    correlation=correlation,
                )
                for rate in rates
            },
            target,
            per.value,
            correlation,
        )
        answer = page.answer(asked)

        def files() -> dict[str, str]:
            return {
                "report.html": page.render(asked),
                "failures.csv": csv_of(page.curve_rows(asked)),
            }

        def show() -> None:
            from wordline.terminal.models import print_codes

            print_codes(answer, out)

        deliver(answer, out=out, name="ecc.json", files=files, for_program=json_, show=show)


def numbers(option: str, text: str) -> list[float]:
    """Numbers that commas part."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError as error:
        raise _wordline.ConfigError(
            f"{option} {text}: accepted are numbers, such as 1e-4,1e-3"
        ) from error


def whole_numbers(option: str, text: str, counts: tuple[int, ...] = ()) -> list[int]:
    """Whole numbers that commas part, as many as one of `counts` says."""
    try:
        found = [int(part) for part in text.split(",")]
    except ValueError:
        found = []
    if (
        not found
        or (counts and len(found) not in counts)
        or not all(0 <= n < 1 << 32 for n in found)
    ):
        many = f"{' or '.join(map(str, counts))} " if counts else ""
        raise _wordline.ConfigError(
            f"{option} {text}: accepted are {many}whole numbers with commas between them"
        )
    return found
