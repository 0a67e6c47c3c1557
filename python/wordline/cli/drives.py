"""`wordline presets`, `schema` and `check`: what a drive file says."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from wordline import _wordline
from wordline.cli import points as options
from wordline.cli.common import (
    app,
    complain,
    exit_status,
    keys_and_values,
    preset_names,
)
from wordline.cli.ending import BAD_INPUT
from wordline.config import resolve_named
from wordline.errors import WordlineError
from wordline.formatting import counted

if TYPE_CHECKING:
    from wordline.trial import Trial

CLOSED_FORMS = ("greedy", "d_choices", "fifo", "random")
"""Victim policies whose write amplification under uniform random writes is known."""
MILLION = 1_000_000
"""Requests that an estimate of the run time is for."""


STARTS = (
    "An aged drive starts a run as after long use, with garbage to collect; a fresh one starts empty. "
    "`--set age.method=...` changes either."
)
"""What the two starts of presets mean."""


def start_of(preset: str) -> str:
    """Whether a preset starts a run `fresh`, or `aged` by one of the methods of `age.method`."""
    method = _wordline.resolve(preset, False, None, []).get("age.method")
    return "fresh" if method in (None, "fresh") else "aged"


@app.command()
def presets(
    name: Annotated[
        str | None,
        typer.Argument(help="Print this preset's TOML.", autocompletion=preset_names),
    ] = None,
) -> None:
    """List the drives that come with Wordline, or print one.

    The list says in which state each starts a run: fresh or aged.

    Examples:
    * `wordline presets`

    * `wordline presets onfi5-tlc > my-drive.toml`
    """
    known = _wordline.presets()
    if name is None:
        from wordline.terminal.lists import print_list  # slow

        rows = [(preset["name"], start_of(preset["name"]), preset["title"]) for preset in known]
        print_list(("preset", "start", "what it is"), rows, STARTS)
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
    files: Annotated[
        list[str],
        typer.Argument(
            help="Presets (`wordline presets`) or TOML files.",
            metavar="DRIVE...",
            autocompletion=preset_names,
        ),
    ],
    set_: options.Sets = None,
) -> None:
    """Check drives, and say how large they are and how long a run takes.

    The time is an estimate from a trial: the drive is aged and serves its workload for a few seconds on this machine.

    Examples:
    * `wordline check my-drive.toml other.toml`

    * `wordline check datacenter-tlc --set ftl.over_provisioning=28%`
    """
    from rich.text import Text  # slow

    from wordline.terminal.console import Terminal

    with exit_status():
        keys = keys_and_values(set_)
    console = Terminal(highlight=False)
    refused = False
    for file in files:
        try:
            resolved = _wordline.resolve(file, False, None, list(keys))
            said = in_words(resolved)
            for warning in resolved.warnings:
                complain(f"warning: {file}: {warning}")
            console.tell(Text(f"{file}: good. {said}"))
            for sentence in tried(resolved):
                console.tell(Text(f"{file}: {sentence}"))
        except _wordline.ConfigError as error:
            complain(f"error: {error}")
            refused = True
    if refused:
        raise typer.Exit(BAD_INPUT)


def in_words(resolved: _wordline.Resolved) -> str:
    """How large a drive is, its spare space, and what it takes to simulate it.

    Raises:
        ConfigError: it cannot be built.
    """
    from wordline.formatting import binary_size, decimal_size, percent

    sizes = resolved.sizes()
    capacity, raw = sizes["capacity"], sizes["raw"]
    spare = raw / capacity - 1
    return (
        f"Capacity {decimal_size(capacity)} ({binary_size(capacity)}) on {binary_size(raw)} of flash, over-provisioning "
        f"{percent(spare)} of the capacity; {counted(sizes['dies'], 'die')}, {counted(sizes['planes'], 'plane')}, {counted(sizes['blocks'], 'block')}. Its mapping tables "
        f"take about {binary_size(sizes['memory'])} of this machine's memory in a run."
    )


def tried(resolved: _wordline.Resolved) -> Iterator[str]:
    """What write amplification to expect, and how long the drive takes to age and a million requests of its workload take, from a trial."""
    from wordline.trial import REQUESTS, trial_of

    trial, time = None, ""
    try:
        short = resolved
        if resolved.get(REQUESTS) is not None:
            short = resolve_named(resolved.toml, ((REQUESTS, str(MILLION)),), is_text=True)
        trial = trial_of(short)
    except WordlineError as error:
        time = f"No estimate of the run time: {error}"
    yield from amplification_in_words(resolved, trial.amplification if trial else None)
    yield time if trial is None else time_in_words(trial)


def amplification_in_words(resolved: _wordline.Resolved, expected: float | None) -> Iterator[str]:
    """What write amplification to expect: the figure of a run that starts preconditioned, or else the closed form of the drive as a whole."""
    sizes = resolved.sizes()
    victim = str(resolved.get("ftl.gc.victim"))
    has_form = resolved.get("ftl.mapping") in ("page", "dftl") and victim in CLOSED_FORMS
    said = "Expected write amplification of uniform random writes"
    if expected is not None:
        yield (
            f"{said}: {expected:.2f} (closed form of the victim policy, without blocks that are open or kept free). A run states the same "
            "figure beside the one that it measures."
        )
    elif has_form:
        spare = sizes["raw"] / sizes["capacity"] - 1
        is_aged = resolved.get("age.method") == "steady_state"
        start = "" if is_aged else " from the steady state (--set age.method=steady_state)"
        form = _wordline.write_amplification(
            victim, spare, sizes["units_per_block"], resolved.get("ftl.gc.d")
        )
        yield (
            f"{said}: {form:.2f} (closed form of {victim} with all spare blocks in use). Blocks that are open or kept free raise it; a "
            f"run{start} says by how much."
        )


def time_in_words(trial: "Trial") -> str:
    """How long the drive takes to age, and how long a million requests of its workload take."""
    from wordline.formatting import about

    requests = (
        "and the trial ended before the first request"
        if trial.request_s is None
        else f"then {about(trial.request_s * MILLION)} for each million requests"
    )
    return (
        f"Estimated run time on this machine (from a trial of {trial.seconds:.1f} s): {about(trial.preparing_s)} to age the drive, "
        f"{requests}."
    )
